"""Recorded episodes as traces: `python -m agentgym_gui.traces.converting RUN FILE [SYNTAX]`.

Successful episodes become traces in the form of trace files. `SYNTAX` is that of the episodes' actions, or `web` for
the actions of web environments, which become our own tools.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError, ConfigError, StoreError, TaskError
from agentgym.message import text_of
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory, Turn
from agentgym_gui.actions.syntaxes import syntax_named
from agentgym_gui.traces.files import tasks_of

WEB = "web"
WIDTH, HEIGHT = 1280, 800
"""Size of the screen where nobody says another."""
_LINE = re.compile(r"^\s*\[?([A-Za-z]{0,2}\d{1,6})\]?[:\s]", re.MULTILINE)
_PLACE = re.compile(r"\b(\d{1,5}),\s?(\d{1,5}) (\d{1,5})x(\d{1,5})\b")
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


def convert(run: Path, file: Path, syntax: str = "tools", size: tuple[int, int] = (WIDTH, HEIGHT)) -> Counter[str]:
    """Write the successful episodes of a run as traces, a line each; pictures go into a folder beside the file.

    Args:
        run: The run's folder.
        file: The file to write; replaced if it exists. It is left as it is if no episode becomes a trace.
        syntax: The syntax of the episodes' actions, or "web".
        size: Width and height of the screen.

    Returns:
        How many episodes became traces ("traces"), and how many were left out, by reason.

    Raises:
        UnknownNameError: There is no such syntax.
        StoreError: The run cannot be read, or the file cannot be written.
    """
    if syntax != WEB:
        syntax_named(syntax)
    counts: Counter[str] = Counter()
    pictures = _Pictures(file)
    lines = []
    with RunStore.open(run, read_only=True) as store:
        tasks = store.tasks()
        for trajectory in store.episodes(with_tokens=False):
            goal = str(tasks.get(trajectory.task_id, {}).get("instruction", ""))
            if not trajectory.success:
                counts["not solved"] += 1
                continue
            try:
                trace = trace_of(trajectory, goal, syntax, size, pictures)
                tasks_of(trace, trajectory.id, 0, file.parent)
            except TaskError as error:
                counts[str(error).partition(": ")[2][:80]] += 1
                continue
            counts["traces"] += 1
            lines.append(json.dumps(trace, ensure_ascii=False, separators=(",", ":")) + "\n")
    if not lines:
        return counts
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {file}: {error.strerror}; choose a folder that can be written") from error
    return counts


def trace_of(
    trajectory: Trajectory, goal: str, syntax: str, size: tuple[int, int], pictures: _Pictures | None = None
) -> dict[str, Any]:
    """An episode as a trace: what the agent saw before each valid message, and the message.

    Args:
        trajectory: The episode.
        goal: What the agent was asked to do.
        syntax: The syntax of its actions, or "web".
        size: Width and height of the screen.
        pictures: Where pictures are written; None leaves them out.

    Raises:
        TaskError: An action of the web has no counterpart here, or the episode has no valid message.
    """
    steps: list[dict[str, Any]] = []
    seen: Turn | None = None
    was_invalid = False
    for turn in trajectory.turns:
        seen = turn if seen is None or not was_invalid else seen  # the answer to an invalid message shows no screen
        was_invalid = turn.was_invalid
        if was_invalid:
            continue
        text = text_of(seen.messages).removeprefix(goal).strip().replace("[image]", "").strip()
        action = _as_tools(turn, trajectory.id) if syntax == WEB else turn.text
        step = {"observation": text, "elements": _elements(text, size[0]), "action": action}
        if pictures is not None and (name := pictures.save(seen)):
            step["screenshot"] = name
        steps.append({key: value for key, value in step.items() if value})
    if not steps:
        raise TaskError(f"{trajectory.id}: the episode has no valid message")
    shown = "tools" if syntax == WEB else syntax
    return {
        "id": trajectory.id,
        "goal": goal,
        "width": size[0],
        "height": size[1],
        "syntax": shown,
        "steps": steps,
    }


def _elements(text: str, width: int) -> dict[str, list[int]]:
    """The boxes of the ids that lines begin with: those that the lines state, else a pixel of its own for each.

    Without places, an id can still be compared with another one.
    """
    found: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines()):
        name = _LINE.match(f"{line} ")
        if name:
            place = _PLACE.search(line)
            found[name[1]] = (
                [int(part) for part in place.groups()] if place else [number % width, number // width, 1, 1]
            )
    return found


class _Pictures:
    """The folder beside a file of traces into which pictures are written, once each."""

    def __init__(self, file: Path) -> None:
        self._folder = file.with_name(f"{file.stem}-pictures")

    def save(self, turn: Turn) -> str:
        """Write what was seen at a turn; returns its path relative to the file, or "" without a picture."""
        image = turn.screenshot
        if image is None or image.media_type not in _SUFFIXES:
            return ""
        path = self._folder / f"{image.hash[:16]}.{_SUFFIXES[image.media_type]}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_bytes(image.content)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror}; choose another folder") from error
        return f"{self._folder.name}/{path.name}"


def _as_tools(turn: Turn, name: str) -> str:
    """The calls of a web environment as calls of our own tools.

    Raises:
        TaskError: One has no counterpart.
    """
    found = []
    for call in turn.reply.get("tool_calls") or ():
        function = call["function"]
        arguments = json.loads(function["arguments"])
        translated = _translated(function["name"], arguments)
        if not translated:
            raise TaskError(f"{name}: the action {function['name']} has no counterpart")
        found.append(translated)
    if not found:
        raise TaskError(f"{name}: a message has no tool call")
    return "; ".join(found)


def _translated(name: str, given: Mapping[str, Any]) -> str:
    """A call of a web environment in our own tools; "" if there is none like it."""
    bid, x, y = given.get("bid"), given.get("x"), given.get("y")
    match name:
        case "click" | "dblclick":
            count = ", count=2" if name == "dblclick" else ""
            keys = "+".join(given.get("modifiers", ()))
            return f"click({bid!r}, button={given.get('button', 'left')!r}{count}, keys={keys!r})"
        case "fill":
            return f"type_into({bid!r}, {given['value']!r})"
        case "press":
            return f"click({bid!r}); press({given['key_comb']!r})"
        case "mouse_click" | "mouse_dblclick":
            count = ", count=2" if name == "mouse_dblclick" else ""
            return f"click_at({x!r}, {y!r}, button={given.get('button', 'left')!r}{count})"
        case "keyboard_press":
            return f"press({given['key']!r})"
        case "keyboard_type" | "keyboard_insert_text":
            return f"type_text({given['text']!r})"
        case "drag_and_drop":
            return f"drag({given['from_bid']!r}, {given['to_bid']!r})"
        case "send_msg_to_user":
            return f"answer({given['text']!r})"
        case "report_infeasible":
            return f"give_up({given['reason']!r})"
        case "noop":
            return "wait()"
    return ""


def main(arguments: list[str]) -> None:
    """The command line of this module."""
    if len(arguments) not in (2, 3):
        raise ConfigError(
            "usage: python -m agentgym_gui.traces.converting RUN FILE [SYNTAX]; SYNTAX is tools or another"
        )
    run, file, syntax = [*arguments, "tools"][:3]
    counts = convert(Path(run), Path(file), syntax)
    for what, count in counts.most_common():
        sys.stdout.write(f"{count:6} {what}\n")
    if not counts["traces"]:
        raise StoreError(f"no episode of {run} became a trace of the syntax {syntax}, so {file} was not written")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AgentGymError as error:
        sys.exit(f"error: {error}")
