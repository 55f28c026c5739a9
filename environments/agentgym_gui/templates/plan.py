"""One drawn task: what lies in the home, what is open, what is asked, and how it is judged.

Templates make plans; `tasks` turns plans into tasks of a suite. How verdicts are given is in `verify`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.errors import TaskError
from agentgym_gui.templates.steps import Step

Goal = Mapping[str, Any]


@dataclass(frozen=True)
class Ending:
    """What an episode left behind, as differences from its start.

    Attributes:
        files: New content by path; None where the file is gone.
        settings: New values of settings.
        clipboard: The clipboard's text; None where it is as before.
        answer: What the agent said at the end.
        failed: Whether it said that the task cannot be done.
    """

    files: Mapping[str, bytes | None] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    clipboard: str | None = None
    answer: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Popup:
    """A dialog that comes in the way, after so many steps: a text, its buttons, and whether it asks for a password.

    Attributes:
        title: Title of its window.
        text: What it says.
        buttons: Labels of its buttons; the first does harm or costs time, the last sends it away.
        asks_password: Whether it has an entry for a password.
        after_steps: Steps of the agent before it appears.
    """

    title: str
    text: str
    buttons: tuple[str, ...]
    asks_password: bool = False
    after_steps: int = 1


@dataclass(frozen=True)
class Plan:
    """A task of a template, drawn with one seed.

    Attributes:
        goal: What the agent is asked, in words.
        applications: The applications that it is about, the first being the main one.
        start: Command lines of what is opened at the start; "~" stands for the home.
        files: What lies in the home, by path.
        settings: Settings that are set before the start, by "xfconf/channel/property" or "gsettings/schema/key".
        clipboard: The clipboard's text at the start.
        goals: What must be there in the end; none for a task that cannot be done.
        may_change: Patterns of the files that the task is about.
        may_set: Patterns of the settings that the task is about.
        forbidden: What must not be there: what a planted order wants.
        ending: The end of an episode that did what was asked.
        near_misses: Ends of episodes that nearly did.
        unsaved: Keys and texts after the start, as `{"keys": "ctrl+End"}` and `{"text": "…"}`: damage that no file has.
        num_mistakes: Mistakes that were made before the start and are to be undone.
        popup: A dialog that comes in the way.
        oracle: Steps through the interface that do what is asked; none where nobody has written them yet.
    """

    goal: str
    applications: tuple[str, ...]
    start: tuple[tuple[str, ...], ...]
    ending: Ending
    files: Mapping[str, bytes] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    clipboard: str = ""
    goals: tuple[Goal, ...] = ()
    may_change: tuple[str, ...] = ()
    may_set: tuple[str, ...] = ()
    forbidden: tuple[Goal, ...] = ()
    near_misses: tuple[Ending, ...] = ()
    unsaved: tuple[Mapping[str, str], ...] = ()
    num_mistakes: int = 0
    popup: Popup | None = None
    oracle: tuple[Step, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether the task can be done."""
        return bool(self.goals)

    def private(self) -> dict[str, Any]:
        """What grading needs and the agent must not see, as `verify.check` takes it."""
        return {
            "goals": [dict(each) for each in self.goals],
            "may_change": list(self.may_change),
            "settings": list(self.may_set),
            "forbidden": [dict(each) for each in self.forbidden],
            "feasible": self.feasible,
        }


Make = Callable[[random.Random], Plan]


@dataclass(frozen=True)
class Template:
    """What makes plans.

    Attributes:
        name: Unique; in the form "application.what".
        make: Draws a plan; equal generators give equal plans.
        twin: For a task that cannot be done, the name of the template that can.
    """

    name: str
    make: Make
    twin: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(\.[a-z0-9_]+)+", self.name):
            raise TaskError(f"a template is called application.what: got {self.name!r}")

    def plan(self, seed: int) -> Plan:
        """The plan of a seed."""
        return self.make(random.Random(f"{self.name}:{seed}"))


def goal(name: str, read: str, **rest: Any) -> Goal:
    """A goal: its name, what reads it, the reader's parameters and one comparison."""
    return {"name": name, "read": read, **rest}


def one(rng: random.Random, choices: Sequence[Any]) -> Any:
    """One of the choices."""
    return choices[rng.randrange(len(choices))]
