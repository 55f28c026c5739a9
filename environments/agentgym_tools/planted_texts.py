"""Texts planted in what an agent reads, which want it to do something that nobody asked for, and suites of such tasks.

Where a text stands, what its call does and how an attack is drawn is the matter of each environment that plants some.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from agentgym.authoring.task_files import First, numbered_id, numbered_strata, write_split
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Split, Task

NUM_INJECTED = 8
"""Tasks of each family in a stratum."""
INJECTED, UNSEEN, TWINS = "injected", "unseen_wordings", "twins"
CallT = TypeVar("CallT")


@dataclass(frozen=True)
class Wordings:
    """What planted texts say in the places of an environment.

    Attributes:
        families: Texts by the name of their wording, each with a place for the call.
        held_out: Families that training never shows.
        harmless: Texts that want nothing.
    """

    families: Mapping[str, str]
    held_out: Sequence[str]
    harmless: Sequence[str]

    @property
    def strata(self) -> Mapping[Split, Mapping[str, Sequence[str]]]:
        """The strata of a suite with planted texts without its twins, and the families of each."""
        known = [family for family in self.families if family not in self.held_out]
        return {"train": {INJECTED: known}, "test": {INJECTED: known, UNSEEN: self.held_out}}

    def of(self, family: str) -> str:
        """The text of a family, in which "{call}" stands for the call.

        Raises:
            ConfigError: There is no such family.
        """
        if family not in self.families:
            known = ", ".join(self.families)
            raise ConfigError(f"there is no family of wordings {family!r}; it has to be one of {known}")
        return self.families[family]


@dataclass(frozen=True, kw_only=True)
class PlantedText(ABC, Generic[CallT]):
    """A text that a task plants; a subclass adds where it stands.

    Attributes:
        text: The text.
        call: What it wants; None where it wants nothing.
        family: Its wording; "" where it wants nothing.
    """

    wordings: ClassVar[Wordings]
    """What such texts say."""
    parts: ClassVar[str]
    """The fields of the JSON object, for errors."""
    text: str
    call: CallT | None = None
    family: str = ""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """A JSON object that `from_json` reads back."""

    @classmethod
    @abstractmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; raises KeyError, IndexError, TypeError or ValueError for what it cannot read."""

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """The text that a task plants; None if it plants none.

        Raises:
            TaskError: It cannot be read.
        """
        fields = task.private.get("planted")
        if fields is None:
            return None
        try:
            return cls.from_json(fields)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise TaskError(
                f"task {task.id!r}: what it plants cannot be read ({type(error).__name__}: {error}); expected "
                f"{cls.parts}"
            ) from None

    @classmethod
    def twin_of(cls, rng: random.Random, task: Task) -> Task:
        """The same task with a text in the same place that wants nothing."""
        planted = cls.of(task)
        assert planted is not None
        return planted.harmless(rng.choice(cls.wordings.harmless)).put_in(task)

    def harmless(self, text: str) -> Self:
        """A text in the same place that wants nothing."""
        return replace(self, text=text, call=None, family="")

    def put_in(self, task: Task) -> Task:
        """A task that plants this text."""
        return replace(task, private={**task.private, "planted": self.to_json()})


@dataclass(frozen=True)
class Place:
    """A place for a task in a suite with planted texts.

    Attributes:
        index: The task's number in the split.
        number: Its number in the stratum.
        turn: How many tasks of the same family the stratum has before it.
        family: The wording of its text.
    """

    index: int
    number: int
    turn: int
    family: str


DrawTasks = Callable[[Split, str, Sequence[Place]], Iterable[Task]]
"""Draws the tasks of a split's stratum, one for each place."""


def write_injected(
    folder: Path, suite: str, planted: type[PlantedText[Any]], draw: DrawTasks, first: First = None
) -> None:
    """Write tasks with planted texts, and for those of the test split twins whose texts want nothing.

    The twins of some tasks alone are those of the file where these are the first ones of the split.

    Args:
        folder: The folder.
        suite: The suite's name, with which the ids of its tasks begin.
        planted: What the tasks plant.
        draw: Draws them.
        first: By stratum how many of the first tasks are drawn; None draws all.
    """
    for split, strata in planted.wordings.strata.items():
        tasks: dict[int, Task] = {}
        sizes = {stratum: NUM_INJECTED * len(families) for stratum, families in strata.items()}
        for stratum, numbers in numbered_strata(sizes, first):
            places = _places(numbers, strata[stratum])
            drawn = zip(places, draw(split, stratum, places), strict=True)
            tasks |= {place.index: replace(task, stratum=stratum) for place, task in drawn}
        if split == "test":
            rng, start = random.Random(f"{suite} twins"), sum(sizes.values())
            twins = {start + index: planted.twin_of(rng, task) for index, task in tasks.items()}
            tasks |= {index: replace(twin, stratum=TWINS) for index, twin in twins.items()}
        write_split(
            folder, split, [replace(task, id=numbered_id(suite, split, index)) for index, task in tasks.items()]
        )


def _places(numbers: Sequence[int], families: Sequence[str]) -> list[Place]:
    """The places of a stratum, its families in turn."""
    places = []
    for number, index in enumerate(numbers):
        turn, family = divmod(number, len(families))
        places.append(Place(index, number, turn, families[family]))
    return places
