"""Writes the tasks of `SUITES`: `python -m agentgym_gui.traces.played [SUITE [FOLDER]]`, oracles recorded on a desktop.

It plays tasks of gui/desktop in containers, some seconds each. suite.toml and README are written by hand.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym.task import Split, Task
from agentgym_gui.actions.events import ActionError, Frame
from agentgym_gui.actions.syntaxes import SYNTAXES
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.scripts import oracle
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.desktop.tree import Element, Screen
from agentgym_gui.traces.acts import acts_of
from agentgym_gui.traces.files import tasks_of

_LOG = logging.getLogger(__name__)
PLAYED = "gui/desktop"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 120},
    "validation": {"validation": 20},
    "test": {"unseen_instances": 30, "unseen_templates": 30},
}
"""How many traces each stratum has; the tasks are those of the same strata of gui/desktop."""
MAX_ELEMENTS = 40
"""Most elements of a screen; the one that the expert uses is always there."""
SCREEN = DesktopSettings()
MIN_STEPS = 3
"""Fewest steps of a trace: one of an answer alone would teach nothing about screens."""
_SHOWN = ("checked", "selected", "pressed", "expanded", "collapsed", "disabled")


def trace_of(env: DesktopEnv, task: Task) -> dict[str, Any] | None:
    """The oracle's episode in the form of trace files; None where it is no success."""
    _, info = env.reset(options={"task": task})
    player, steps, is_over = oracle(task, 0), [], False
    messages = list(info["messages"])
    while not is_over:
        screen = env.desktop.look().screen
        said = player.act(messages)
        if (step := _step(screen, said)) is not None:
            steps.append(step)
        _, _, terminated, truncated, info = env.step(said)
        messages, is_over = list(info["messages"]), terminated or truncated
    if not info["success"]:
        return None
    return {
        "goal": task.instruction,
        "width": SCREEN.width,
        "height": SCREEN.height,
        "syntax": "tools",
        "steps": steps,
    }


def _step(screen: Screen, said: str) -> dict[str, Any] | None:
    """A screen and what the oracle did on it; None where it only waited or said that it was done."""
    try:
        events = SYNTAXES["tools"].parse(said, Frame(SCREEN.width, SCREEN.height), screen.boxes())
    except ActionError as error:
        raise TaskError(f"the oracle's message {said!r} cannot be read: {error}") from error
    if not acts_of(events, False):
        return None
    used = [element for element in screen.elements if f'"{element.id}"' in said]
    shown = list(dict.fromkeys([*used, *_plain(screen)]))[:MAX_ELEMENTS]
    shown.sort(key=[*screen.elements].index)
    title = next((window.title for window in screen.windows if window.is_active), "")
    return {"title": title, "elements": {element.id: _fields(element) for element in shown}, "action": said}


def _plain(screen: Screen) -> Iterator[Element]:
    """The elements that a reader needs: those with a name or a value."""
    return (element for element in screen.elements if element.name or element.value)


def _fields(element: Element) -> list[Any]:
    """Place, role, name and state, as trace files have them."""
    box = element.box
    states = [state for state in element.states if state in _SHOWN]
    state = " ".join([f'= "{element.value[:200]}"'] * bool(element.value) + [f"({', '.join(states)})"] * bool(states))
    return [box.x, box.y, box.width, box.height, element.role, element.name[:200], *([state] if state else [])]


def _spread(tasks: Sequence[Task], count: int) -> list[Task]:
    """So many tasks, evenly spread, and then the others, for those that are left out."""
    first = [tasks[index * len(tasks) // count] for index in range(count)]
    return [*first, *(task for task in tasks if task not in first)]


def _traces(env: DesktopEnv, tasks: Sequence[Task], seen: set[str]) -> Iterator[Task]:
    """Tasks of the traces of tasks that are solved, not too short, and not as one that was seen."""
    for task in tasks:
        trace = trace_of(env, task)
        if trace is None:
            _LOG.warning("%s: not solved, left out", task.id)
        elif len(trace["steps"]) >= MIN_STEPS:
            [found] = tasks_of(trace, task.id, 0, Path())
            if found.content_hash not in seen:
                seen.add(found.content_hash)
                yield found


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of gui/desktop-traces into a folder."""
    env, seen = DesktopEnv(), set[str]()
    try:
        for split, strata in SIZES.items():
            made: list[Task] = []
            for stratum, count in strata.items():
                of_stratum = [task for task in load_suite(PLAYED).tasks(split) if task.stratum == stratum]
                for found in islice(_traces(env, _spread(of_stratum, count), seen), count):
                    made.append(replace(found, id=numbered_id(suite, split, len(made)), stratum=stratum))
                    _LOG.warning("%s: %d traces", split, len(made))
            write_split(folder, split, made)
    finally:
        env.close()


SUITES: Suites = {"gui/desktop-traces": generate}

if __name__ == "__main__":
    write_suites(SUITES)
