"""Players that act through the interface alone: their steps name elements by role and name, found on the last screen.

Steps are plain JSON, so that a task's private part can hold them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.message import Message, content_text

Step = Mapping[str, Any]
_LINE = re.compile(r'^\s*\*?\[(\w+)\] ([a-z ]+?)(?: "((?:[^"\\]|\\.)*)")?(?: = "|$| \()', re.MULTILINE)


def step(tool: str, *, role: str = "", name: str | None = None, nth: int = 0, **arguments: Any) -> dict[str, Any]:
    """A call of a tool, on an element where one is named.

    Args:
        tool: Its name.
        role: Role of the element; "" for any.
        name: Name of the element; None for any.
        nth: Which of those that fit.
        arguments: The other arguments.
    """
    made: dict[str, Any] = {"tool": tool, "arguments": arguments}
    if role or name is not None:
        made["element"] = {"role": role, "name": name, "nth": nth}
    return made


def press(keys: str) -> dict[str, Any]:
    """A combination of keys."""
    return step("press", keys=keys)


class Stepping:
    """Plays steps in order; one whose element is not on the screen waits for it for some turns.

    One that is `optional` is left out instead.

    Args:
        steps: The steps.
        patience: How many turns an element is waited for.
        popup: A dialog that may come in the way, as a task's config has it; its last button sends it away.
    """

    def __init__(self, steps: Sequence[Step], patience: int = 3, popup: Mapping[str, Any] | None = None) -> None:
        self._steps, self._patience, self._waited = list(steps), patience, 0
        self._popup = popup

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        in_the_way = self._dismissed(content_text(messages[-1]))
        if in_the_way:
            return in_the_way
        while self._steps and self._steps[0].get("optional") and not self._found(messages):
            self._steps.pop(0)
        if not self._steps:
            return call_text("give_up", reason="no step is left")
        wanted = self._steps[0].get("element")
        arguments = dict(self._steps[0]["arguments"])
        if wanted is not None:
            found = self._found(messages)
            if found is None and self._waited < self._patience:
                self._waited += 1
                return call_text("wait", time_s=0.5)
            if found is None:
                return call_text("give_up", reason=f"there is no {wanted}")
            arguments["element"] = found
        self._waited = 0
        return call_text(self._steps.pop(0)["tool"], **arguments)

    def _found(self, messages: Sequence[Message]) -> str | None:
        """The id of the next step's element."""
        return find(content_text(messages[-1]), **self._steps[0]["element"])

    def _dismissed(self, text: str) -> str:
        """The call that sends the dialog away, if it is there."""
        if self._popup is None or f'window "{self._popup["title"]}"' not in text:
            return ""
        button = find(text, "push button", self._popup["buttons"][-1])
        return call_text("click", element=button) if button else call_text("press", keys="Escape")


def find(text: str, role: str = "", name: str | None = None, nth: int = 0, start: str = "") -> str | None:
    """The id of an element in the text of a screen; None where there is none.

    Args:
        text: The screen.
        role: Role of the element; "" for any.
        name: Name of the element; None for any.
        nth: Which of those that fit; negative ones count from the end.
        start: What its name begins with.
    """
    found = []
    for number, kind, written in _LINE.findall(text):
        called = written.replace('\\"', '"').replace("\\n", "\n").strip()
        if (not role or kind == role) and (name is None or called == name) and called.startswith(start):
            found.append(number)
    return found[nth] if -len(found) <= nth < len(found) else None
