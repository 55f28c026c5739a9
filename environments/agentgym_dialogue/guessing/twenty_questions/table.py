"""What the partner knows: things in categories, and which attributes each of them has.

The tables lie in tasks/dialogue/twenty-questions; how a question is understood is the work of `grammar`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from agentgym.data_folder import data_folder
from agentgym.errors import TaskError

Truth = Literal["yes", "no", "depends"]

COLOURS = ("red", "green", "blue", "yellow", "orange", "black", "white", "brown", "pink", "purple", "grey", "silver")

# Derived from size in cm and weight in kg: (attribute, "size" or "weight" or both, limit of yes, limit of depends).
_AT_LEAST = {"big": ("size", 100, 60), "heavy": ("weight", 15, 5)}
_AT_MOST = {
    "small": (30, 60, None, None),
    "tiny": (3, 8, None, None),
    "light_weight": (None, None, 1, 5),
    "one_hand": (120, 170, 2, 5),
    "pocket": (16, 22, 0.3, 0.6),
    "backpack": (45, 60, 8, 12),
    "suitcase": (75, 100, 15, 25),
}
"""Largest size that is a yes, largest that depends, then the same of the weight; None: it does not matter."""


@dataclass(frozen=True)
class Thing:
    """One thing.

    Attributes:
        name: Its name, one word.
        category: One of the categories.
        size_cm: Its longest side, typically.
        weight_kg: Its weight, typically.
        truths: Attributes that it has ("yes") or may have ("depends"); it has no others.
        aliases: Other names that are taken for it.
    """

    name: str
    category: str
    size_cm: float
    weight_kg: float
    truths: Mapping[str, Truth]
    aliases: tuple[str, ...]

    def truth(self, attribute: str) -> Truth:
        """Whether it has an attribute."""
        return self.truths.get(attribute, "no")


@dataclass(frozen=True)
class Attribute:
    """One attribute.

    Attributes:
        name: Its key in the tables.
        question: How to ask for it.
        forms: Pairs of a kind, such as "has" or "not is", and a form of words of that kind.
    """

    name: str
    question: str
    forms: tuple[tuple[str, str], ...]


def rows(name: str) -> Iterator[list[str]]:
    """Rows of one of the game's tables, comments left out."""
    path = data_folder("tasks") / "dialogue" / "twenty-questions" / f"{name}.tsv"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


@cache
def things() -> Mapping[str, Thing]:
    """All things by name."""
    defaults = {category: tags.split() for category, tags in rows("categories")}
    return {row[0]: _thing(row, defaults[row[1]]) for row in rows("things")}


@cache
def categories() -> tuple[str, ...]:
    """Names of all categories."""
    return tuple(category for category, _ in rows("categories"))


@cache
def attributes() -> Mapping[str, Attribute]:
    """All attributes by name."""
    found = {}
    for name, question, kinds in rows("attributes"):
        forms = []
        for part in kinds.split(" | "):
            kind, _, listed = part.partition(": ")
            forms += [(kind, form) for form in listed.split(", ")]
        found[name] = Attribute(name, question, tuple(forms))
    return found


def thing(name: str) -> Thing:
    """The thing of a name.

    Raises:
        TaskError: There is none.
    """
    try:
        return things()[name]
    except KeyError:
        raise TaskError(f"{name!r} is not one of the {len(things())} things of twenty questions") from None


def _thing(row: list[str], defaults: list[str]) -> Thing:
    name, category, size, weight, tags = row[:5]
    size_cm, weight_kg = float(size), float(weight)
    truths = {**dict(_measured(size_cm, weight_kg))}
    for tag in [*defaults, *tags.split()]:
        key = tag.lstrip("?-")
        for attribute in COLOURS if key == "colours" else (key,):
            if tag[0] == "-":
                truths.pop(attribute, None)
            else:
                truths[attribute] = "depends" if tag[0] == "?" else "yes"
    aliases = tuple(row[5].split(", ")) if len(row) > 5 else ()
    return Thing(name, category, size_cm, weight_kg, truths, aliases)


def _measured(size_cm: float, weight_kg: float) -> Iterator[tuple[str, Truth]]:
    for attribute, (which, surely, perhaps) in _AT_LEAST.items():
        value = size_cm if which == "size" else weight_kg
        if value >= perhaps:
            yield attribute, "yes" if value >= surely else "depends"
    for attribute, (size, largest_size, weight, largest_weight) in _AT_MOST.items():
        if _within(size_cm, largest_size) and _within(weight_kg, largest_weight):
            yield attribute, "yes" if _within(size_cm, size) and _within(weight_kg, weight) else "depends"


def _within(value: float, limit: float | None) -> bool:
    return limit is None or value <= limit
