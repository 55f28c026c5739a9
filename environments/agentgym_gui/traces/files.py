"""Files of traces: one a line, ours or like those of AndroidControl in UI-S1's form, read into tasks.

Episodes on them are in `env`, and what they hold is described in docs/environments/gui-traces.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from agentgym.errors import TaskError, unreadable
from agentgym.task import Limits, Task
from agentgym_gui.actions.events import ActionError, Box, Elements, Frame
from agentgym_gui.actions.syntaxes import SYNTAXES, Syntax
from agentgym_gui.traces.acts import Act, acts_of

MAX_BYTES = 512 << 20
"""Largest file that is read."""
MAX_LINE = 16 << 20
"""Longest line, in bytes."""
MAX_STEPS = 500
"""Most steps of a trace."""
MAX_BOXES = 5_000
"""Most boxes or elements of a step."""
PHONE_SIZE = (1080, 2400)
"""Size of the screen where a trace names none: that of AndroidControl's phones. It grows with what a trace names."""
TOUCH = ("androidworld", "mobile_use")
"""Syntaxes whose drags are a finger's way to scroll."""


class Options(NamedTuple):
    """How the traces of a file are played.

    Attributes:
        by_step: Whether each step is a task of its own, with the expert's steps before it as its history.
        max_patches: How many differing steps of an episode are replaced by the expert's.
        images: The folder of the pictures; None for the file's own.
    """

    by_step: bool = False
    max_patches: int = 0
    images: Path | None = None


def load_traces(path: Path, options: Options = Options()) -> list[Task]:  # noqa: B008 - a constant
    """The traces of a file as tasks of agentgym/GuiTrace-v0.

    Args:
        path: A file of JSON lines, a trace each.
        options: How they are played.

    Raises:
        TaskError: The file cannot be read, is too large, or a trace is malformed; says in which line and step.
    """
    tasks: list[Task] = []
    places: dict[str, int] = {}
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        try:
            trace = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TaskError(f"{where}: expected a trace as a JSON object, but {str(error)[:200]}") from error
        found = tasks_of(trace, where, number - 1, path.parent, options)
        first = places.setdefault(found[0].id, number)
        if first != number:
            raise TaskError(f"{where}: its id is that of line {first}, too; give each trace an id of its own, or none")
        tasks += found
    if not tasks:
        raise TaskError(f"{path} has no traces; expected one a line")
    return tasks


def tasks_of(trace: Any, where: str, number: int, folder: Path, options: Options = Options()) -> list[Task]:  # noqa: B008
    """The task of a trace, or one for each of its steps.

    Args:
        trace: The trace.
        where: Names it in errors.
        number: Its number; the seed of its task.
        folder: The folder of its file.
        options: How it is played.

    Raises:
        TaskError: It is malformed; says at which step.
    """
    if not isinstance(trace, dict) or not isinstance(trace.get("goal"), str):
        raise TaskError(f"{where}: expected an object with a text 'goal' and a list of 'steps'")
    steps = trace.get("steps")
    if not isinstance(steps, list) or not 0 < len(steps) <= MAX_STEPS:
        raise TaskError(f"{where}: expected from 1 to {MAX_STEPS} 'steps'")
    screens = [_screen(step, f"{where}, step {at}", folder, options.images) for at, step in enumerate(steps, 1)]
    width, height = _size(trace, steps, where)
    syntax = trace.get("syntax", "mobile_use")
    if syntax not in SYNTAXES:
        raise TaskError(f"{where}: the syntax {syntax!r} is unknown; known are {', '.join(SYNTAXES)}")
    experts = [_expert(step, f"{where}, step {at}") for at, step in enumerate(steps, 1)]
    private = {"steps": experts}
    config = {"width": width, "height": height, "syntax": syntax, "max_patches": 0, "screens": screens}
    for at in range(len(steps)):
        _checked(config, private, at, f"{where}, step {at + 1}")
    name = f"trace:{trace.get('id', trace.get('episode_id', number))}"
    starts = range(len(steps)) if options.by_step else (0,)
    names = [f"{name}:{first}" if options.by_step else name for first in starts]
    whole = Task(name, number, trace["goal"], config=config, private=private)
    return [_part(whole, each, first, options) for each, first in zip(names, starts, strict=True)]


def _part(whole: Task, name: str, first: int, options: Options) -> Task:
    """The task that begins with a step: to the end, or this step alone."""
    screens, steps = whole.config["screens"], whole.private["steps"]
    last = first + 1 if options.by_step else len(steps)
    max_patches = 0 if options.by_step else options.max_patches
    return replace(
        whole,
        id=name,
        config={**whole.config, "first": first, "max_patches": max_patches, "screens": screens[:last]},
        limits=Limits(max_turns=last - first + 3),
        private={"steps": steps[:last]},
    )


def frame_of(config: Mapping[str, Any]) -> Frame:
    """What the coordinates of a trace mean: pixels of its screen."""
    return Frame(int(config["width"]), int(config["height"]))


def elements_of(screen: Mapping[str, Any]) -> Elements:
    """The boxes of a screen's elements, by id."""
    return {name: Box(*value[:4]) for name, value in screen.get("elements", {}).items()}


def boxes_of(screen: Mapping[str, Any], step: Mapping[str, Any]) -> list[Box]:
    """The boxes that an expert's point may lie in: the screen's elements, and those that its step names."""
    return [*elements_of(screen).values(), *(Box(*box) for box in step.get("boxes", ()))]


def acts_at(config: Mapping[str, Any], private: Mapping[str, Any], at: int) -> tuple[Act, ...]:
    """What the expert did at a step.

    Raises:
        ActionError: Its action is none of its syntax.
    """
    syntax: Syntax = SYNTAXES[config["syntax"]]
    events = syntax.parse(private["steps"][at]["said"], frame_of(config), elements_of(config["screens"][at]))
    return acts_of(events, syntax.name in TOUCH)


def _checked(config: Mapping[str, Any], private: Mapping[str, Any], at: int, where: str) -> None:
    try:
        acts = acts_at(config, private, at)
    except ActionError as error:
        raise TaskError(f"{where}: its action is none of the syntax {config['syntax']}: {error}") from error
    if not acts:
        raise TaskError(f"{where}: its action does nothing")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, empty ones left out."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise TaskError(f"{path} has {size} bytes; at most {MAX_BYTES >> 20} MiB can be read: split it")
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise TaskError(f"{path}, line {number} is longer than {MAX_LINE >> 20} MiB; shorten it")
                if line.strip():
                    yield number, line.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error


def _screen(step: Any, where: str, folder: Path, images: Path | None) -> dict[str, Any]:
    """What the agent sees of a step."""
    if not isinstance(step, dict):
        raise TaskError(f"{where}: expected an object")
    screen: dict[str, Any] = {}
    for key, name in (("observation", "text"), ("title", "title")):
        if step.get(key):
            screen[name] = str(step[key])
    if instruction := step.get("instruction", step.get("step_instruction")):
        screen["instruction"] = str(instruction)
    if picture := step.get("screenshot"):
        found = Path(str(picture))
        screen["picture"] = str(images / found.name if images else folder / found)
    if elements := step.get("elements"):
        screen["elements"] = _elements(elements, where)
    return screen


def _elements(elements: Any, where: str) -> dict[str, list[Any]]:
    """Elements by id: x, y, width and height, and perhaps role, name and state."""
    if not isinstance(elements, dict) or len(elements) > MAX_BOXES:
        raise TaskError(f"{where}: expected at most {MAX_BOXES} elements by id")
    for name, value in elements.items():
        is_list = isinstance(value, list) and len(value) in (4, 6, 7)
        if not is_list or not all(isinstance(each, str) for each in value[4:]):
            raise TaskError(
                f"{where}: element {name!r} is not [x, y, width, height], perhaps with role, name and state"
            )
        _whole_numbers(value[:4], f"{where}: element {name!r}")
    return dict(elements)


def _expert(step: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What the expert did, and the boxes that its point may lie in."""
    said = step.get("action", step.get("action_content"))
    if isinstance(said, dict):
        said = json.dumps(said, ensure_ascii=False)
    if not isinstance(said, str) or not said:
        raise TaskError(f"{where}: expected 'action', a message, or 'action_content', an action as an object")
    options = step.get("check_options")
    corners = step.get("boxes") or (options.get("candidate_bbox") if isinstance(options, dict) else None) or []
    if not isinstance(corners, list) or len(corners) > MAX_BOXES:
        raise TaskError(f"{where}: expected at most {MAX_BOXES} boxes")
    boxes = []
    for corner in corners:
        if not isinstance(corner, list) or len(corner) != 4:
            raise TaskError(f"{where}: a box is [left, top, right, bottom], got {corner!r:.80}")
        left, top, right, bottom = _whole_numbers(corner, f"{where}: a box")
        if right > left and bottom > top:
            boxes.append([left, top, right - left, bottom - top])
    return {"said": said, **({"boxes": boxes} if boxes else {})}


def _whole_numbers(values: list[Any], what: str) -> list[int]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 10**6:
            raise TaskError(f"{what} has the coordinate {value!r:.40}; expected a number of pixels")
    return [round(value) for value in values]


def _size(trace: Mapping[str, Any], steps: list[Any], where: str) -> tuple[int, int]:
    """Width and height of the screen: as the trace says, or large enough for what it names."""
    if "width" in trace or "height" in trace:
        width, height = _whole_numbers([trace.get("width"), trace.get("height")], f"{where}: its size")
        if min(width, height) < 1:
            raise TaskError(f"{where}: a screen of {width}x{height} pixels has none")
        return width, height
    width, height = PHONE_SIZE
    for step in steps:
        action = step.get("action_content")
        for key in ("coordinate", "coordinate2"):
            point = action.get(key) if isinstance(action, dict) else None
            if isinstance(point, list) and len(point) == 2:
                x, y = _whole_numbers(point, f"{where}: a {key}")
                width, height = max(width, x + 1), max(height, y + 1)
    return width, height
