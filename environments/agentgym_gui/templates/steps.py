"""Steps of an oracle that acts through the interface alone: calls of tools, as JSON that a task can hold.

Elements are named by role and name and are found on the screen when the step is played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

Step = Mapping[str, Any]
Steps = tuple[Step, ...]


def call(tool: str, **arguments: Any) -> Step:
    """A call of a tool."""
    return {"tool": tool, "arguments": arguments}


def on(tool: str, role: str = "", name: str | None = None, nth: int = 0, **arguments: Any) -> Step:
    """A call of a tool on the element of that role and name.

    Args:
        tool: Its name.
        role: Role of the element; "" for any.
        name: Name of the element; None for any.
        nth: Which of those that fit; -1 for the last.
        arguments: The other arguments.
    """
    return {"tool": tool, "arguments": arguments, "element": {"role": role, "name": name, "nth": nth}}


def click_first(role: str, start: str) -> Step:
    """A click on the first element of a role whose name begins so."""
    return {"tool": "click", "arguments": {}, "element": {"role": role, "start": start}}


def click(role: str = "", name: str | None = None, nth: int = 0, **arguments: Any) -> Step:
    """A click on the element of that role and name."""
    return on("click", role, name, nth, **arguments)


def if_there(step: Step) -> Step:
    """A step that is left out where its element is not on the screen."""
    return {**step, "optional": True}


def press(keys: str, times: int = 1) -> Step:
    """A combination of keys."""
    return call("press", keys=keys) if times == 1 else call("press", keys=keys, times=times)


def typed(text: str) -> Step:
    """Text at the place of the caret."""
    return call("type_text", text=text)


def menu(name: str, *items: str) -> Steps:
    """A menu of the menu bar, its submenus, and an item."""
    return (click("menu", name), *(click("", item) for item in items))


def filled(text: str, role: str = "text", name: str | None = None, nth: int = 0) -> Steps:
    """A field whose text is replaced."""
    return (click(role, name, nth), press("ctrl+a"), typed(text))


def next_window() -> Step:
    """The window below the topmost."""
    return press("alt+Tab")


def finish(answer: str = "") -> Step:
    """The end, with an answer where one is asked for."""
    return call("finish", answer=answer) if answer else call("finish")


def give_up(reason: str) -> Step:
    """The end, where the task cannot be done."""
    return call("give_up", reason=reason)


def line_edits(old: Sequence[str], new: Sequence[str], *, indents: bool = False) -> Steps:
    """Edits of the lines of a focused text that ends with a line end, from the last to the first.

    Args:
        old: The lines that are there.
        new: The lines that are wanted.
        indents: Whether the editor indents new lines by itself, and that must be undone.
    """
    steps: list[Step] = []
    for kind, first, last, start, end in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind != "equal":
            steps += _changed(first, last - first, new[start:end], indents=indents)
    return tuple(steps)


def _changed(first: int, count: int, lines: Sequence[str], *, indents: bool) -> list[Step]:
    """Steps that put lines in the place of some lines, `count` of them from `first` on."""
    steps: list[Step] = []
    for row in range(count - 1, len(lines) - 1, -1):
        steps += [*_row(first + row), press("shift+Down"), press("Delete")]
    more = lines[count:]
    if more and first + count == 0:
        steps += [press("ctrl+Home"), typed("".join(f"{line}\n" for line in more))]
    elif more:
        steps += [*_row(first + count - 1), press("End")]
        if indents:
            for line in more:
                steps += [
                    press("Return"),
                    press("shift+Home"),
                    typed(line or " "),
                    *(() if line else (press("BackSpace"),)),
                ]
        else:
            steps.append(typed("".join(f"\n{line}" for line in more)))
    for row in range(min(count, len(lines)) - 1, -1, -1):
        steps += [*_row(first + row), press("shift+End"), typed(lines[row])]
    return steps


def _row(number: int) -> list[Step]:
    """The caret at the front of a line."""
    return [press("ctrl+Home"), *([press("Down", number)] if number else [])]


def saved_as(path: str) -> Steps:
    """The dialog that asks where a file goes, which is open."""
    return (press("ctrl+a"), typed(f"~/{path}"), press("Return"))
