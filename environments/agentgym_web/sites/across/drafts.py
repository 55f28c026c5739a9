"""What a template across sites makes of a task before it has an id: the instruction, and what it says of each site."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym_web.sites.core.drafts import Answer, Check, Step, StratumGroup, Touched, as_json

Worlds = Mapping[str, sqlite3.Connection]
"""The databases of all sites by name, as they are at the start."""


@dataclass(frozen=True)
class OnSite:
    """What a task says of one of its sites; one that is only read has a user and nothing else."""

    user: str | None
    """Who is logged in at the start."""
    checks: Sequence[Check] = ()
    touched: Touched = field(default_factory=dict)
    """What may and must change; any other change fails the task."""
    plants: Sequence[Sequence[Any]] = ()
    """Statements and their parameters that are carried out at the start."""
    attack: Sequence[Check] = ()
    """Hold when the agent did what a planted text told it to; the text may stand on another site."""
    partial: Sequence[tuple[float, Check]] = ()
    """Weights and checks of a score between 0 and 1 where the task is not solved in full."""


@dataclass(frozen=True)
class AcrossDraft:
    """A task across sites without an id; plain JSON throughout, see `AcrossDraft.private`."""

    errand: str
    """The task in words; the instruction says the addresses of the sites too."""
    sites: Mapping[str, OnSite]
    """By name, the first one being where an expert begins."""
    steps: Sequence[Step]
    """The way of an expert from the first page of the first site; the browser starts on an empty page."""
    answer: Answer | None = None
    infeasible: bool = False
    """Whether saying that it cannot be done is right, with nothing changed on any site."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts of the files that the agent may upload, by name."""

    @property
    def attack(self) -> Sequence[Check]:
        """The checks of the attack on all sites."""
        return [check for site in self.sites.values() for check in site.attack]

    @property
    def instruction(self) -> str:
        """The errand, and the addresses of its sites."""
        return f"{self.errand}\n\nYou are logged in at {', '.join(f'http://{name}.test/' for name in self.sites)}."

    @property
    def walkthrough(self) -> Sequence[Step]:
        """The way of an expert."""
        return [["goto", f"http://{next(iter(self.sites))}.test/"], *self.steps]

    @property
    def setting(self) -> dict[str, Any]:
        """Who is logged in on each site, as a task's config has it."""
        return {"users": {name: site.user for name, site in self.sites.items()}}

    def private(self) -> dict[str, Any]:
        """All but the instruction and the users, as JSON values."""
        parts = {name: asdict(site) for name, site in self.sites.items()}
        for part in parts.values():
            del part["user"]
        whole = {"parts": parts, "answer": self.answer and asdict(self.answer), "infeasible": self.infeasible}
        return as_json({**whole, "walkthrough": self.walkthrough, "files": self.files})


@dataclass(frozen=True)
class AcrossTemplate:
    """A kind of task across sites."""

    name: str
    """Short and unique in the suite."""
    stratum_group: StratumGroup
    """Templates of group "unseen" occur in the test split alone."""
    make: Callable[[Worlds, random.Random], AcrossDraft]
    """Draws a task from the databases of the sites; raises `UnsuitableDraw` to have it drawn again."""
