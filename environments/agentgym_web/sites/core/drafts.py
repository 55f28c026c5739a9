"""What a template makes of a task before it has an id: the instruction, and all that grading needs.

Grading is in `verify`; the task files are written by `agentgym_web.sites.generate`.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from agentgym.errors import ConfigError

MAX_DRAWS = 3000
"""Draws of a template for one seed before it is given up."""
StratumGroup = Literal["seen", "unseen"]
Rows = Sequence[Sequence[Any]]
Step = Sequence[Any]
"""One step of a walkthrough, such as ["click", "link", "Cart"]; a dict at its end narrows where it is done."""
Touched = Mapping[str, Sequence[Any]]
"""By table how many rows are added, changed and removed: each a number, or a pair of the least and the most."""
World = TypeVar("World")
WorldTaken = TypeVar("WorldTaken", contravariant=True)
Made = TypeVar("Made", covariant=True)


class UnsuitableDraw(Exception):  # noqa: N818 - no fault: the generator draws again
    """What was drawn makes no task, such as a comparison of equals; the generator draws again."""


@dataclass(frozen=True)
class Check:
    """A query and the rows that it returns, in any order, when the check holds."""

    sql: str
    rows: Rows
    name: str = ""
    milestone: bool = False
    """A milestone holds at some point on the way and need not hold at the end; success does not ask for it."""


@dataclass(frozen=True)
class Answer:
    """What the agent must answer."""

    kind: Literal["text", "number", "list"]
    """How it is compared: normalised text, one number, or a set of texts in any order."""
    value: Any
    """The text, the number, or the list of texts."""
    also: Sequence[Any] = ()
    """Other spellings that are right, each of the form of `value`."""


@dataclass(frozen=True)
class Draft:
    """A task without an id; plain JSON throughout, see `Draft.private`."""

    instruction: str
    path: str = "/"
    """The page that the browser starts on."""
    user: str | None = None
    """Who is logged in at the start."""
    checks: Sequence[Check] = ()
    touched: Touched = field(default_factory=dict)
    """What may and must change; any other change fails the task."""
    answer: Answer | None = None
    infeasible: bool = False
    """Whether saying that it cannot be done is right, with nothing changed."""
    plants: Sequence[Sequence[Any]] = ()
    """Statements and their parameters that are carried out at the start."""
    attack: Sequence[Check] = ()
    """Hold when the agent did what a planted text told it to."""
    walkthrough: Sequence[Step] = ()
    partial: Sequence[tuple[float, Check]] = ()
    """Weights and checks of a score between 0 and 1 where the task is not solved in full."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts of the files that the agent may upload, by name."""

    @property
    def setting(self) -> dict[str, Any]:
        """Where the task begins and who is logged in, as a task's config has it."""
        return {"path": self.path, "user": self.user}

    def private(self) -> dict[str, Any]:
        """All but the instruction, path and user, as JSON values."""
        fields = asdict(self)
        for name in ("instruction", "path", "user"):
            del fields[name]
        return as_json(fields)


@dataclass(frozen=True)
class Template:
    """A kind of task on a site."""

    name: str
    """Short and unique in its site, such as "reorder_cheapest"."""
    stratum_group: StratumGroup
    """Templates of group "unseen" occur in the test split alone."""
    make: Callable[[sqlite3.Connection, random.Random], Draft]
    """Draws a task from the site's database as it is at the start; raises `UnsuitableDraw` to have it drawn again."""


class Drawn(Protocol):
    """What a task is made from: a `Draft`, or a draft across sites."""

    @property
    def instruction(self) -> str:
        """The task in words."""

    @property
    def infeasible(self) -> bool:
        """Whether saying that it cannot be done is right."""

    @property
    def attack(self) -> Sequence[Check]:
        """Hold when the agent did what a planted text told it to."""

    @property
    def walkthrough(self) -> Sequence[Step]:
        """The way of an expert."""

    @property
    def setting(self) -> Mapping[str, Any]:
        """Where the task begins and who is logged in, as a task's config has it."""

    def private(self) -> Mapping[str, Any]:
        """What the agent must not see, as JSON values."""


class TemplateOf(Protocol[WorldTaken, Made]):
    """A kind of task, whatever it draws from: a `Template`, or one across sites."""

    @property
    def name(self) -> str:
        """Short and unique in its suite."""

    @property
    def stratum_group(self) -> StratumGroup:
        """Templates of group "unseen" occur in the test split alone."""

    @property
    def make(self) -> Callable[[WorldTaken, random.Random], Made]:
        """Draws a task; raises `UnsuitableDraw` to have it drawn again."""


def draw(template: TemplateOf[World, Made], world: World, seed: int) -> Made:
    """The draft of a template for a seed; what is unsuitable is drawn again.

    Args:
        template: The template.
        world: What it draws from, such as a site's database as it is at the start; it must not be written to.
        seed: Seed of everything that is drawn.

    Raises:
        ConfigError: Nothing suitable came in `MAX_DRAWS` draws.
    """
    rng = random.Random(f"{template.name} {seed}")
    for _ in range(MAX_DRAWS):
        try:
            return template.make(world, rng)
        except UnsuitableDraw:
            continue
    raise ConfigError(
        f"template {template.name!r} drew nothing suitable in {MAX_DRAWS} draws for seed {seed}; expected a task: make"
        " it ask for something more common"
    )


def as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values with lists for tuples, as they are read back from JSON."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
