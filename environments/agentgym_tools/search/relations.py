"""What articles state of each kind of entity, and how sentences and questions word it.

The values are drawn in `world`; nothing here depends on a seed.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from agentgym_tools.search.names import KINDS, Kind

Literalness = Literal["date", "number"]


@dataclass(frozen=True)
class Relation:
    """One thing that is stated of the entities of a kind.

    Attributes:
        kind: Whose relation it is.
        name: Its name, unique within the kind.
        target: The kind of entity that it leads to, or "date" or "number" for a value.
        noun: How a question names it, as in "the noun of X".
        sentences: How an article states it; {s} is the entity, {v} the value.
        low: Smallest value; a date is the ordinal of its day.
        high: Largest value, inclusive.
        inverse: How a question names all that lead to X, such as "books written by {}"; "" if none asks for them.
        comparison: How a question compares two entities by it, such as "Which was founded earlier"; "" if none does.
        larger_wins: Whether the larger value is the answer of the comparison.
        changes: Whether later reports state other values.
        news: How a report states it.
    """

    kind: Kind
    name: str
    target: Kind | Literalness
    noun: str
    sentences: tuple[str, ...]
    low: int = 0
    high: int = 0
    inverse: str = ""
    comparison: str = ""
    larger_wins: bool = False
    changes: bool = False
    news: str = ""

    @property
    def leads_on(self) -> bool:
        """Whether its value is an entity."""
        return self.target in KINDS


def _day(year: int) -> int:
    return datetime.date(year, 1, 1).toordinal()


_OLDER = "Which was founded earlier"

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "person",
        "born",
        "date",
        "date of birth",
        ("{s} was born on {v}.", "The birth of {s} is recorded on {v}."),
        low=_day(1930),
        high=_day(1985),
        comparison="Who was born earlier",
    ),
    Relation(
        "person",
        "birthplace",
        "town",
        "birthplace",
        ("{s} comes from {v}.", "The birthplace of {s} is {v}."),
        inverse="people born in {}",
    ),
    Relation(
        "person",
        "employer",
        "company",
        "employer",
        ("{s} works for {v}.", "The employer of {s} is {v}."),
        inverse="people employed by {}",
    ),
    Relation(
        "person",
        "mentor",
        "person",
        "mentor",
        ("{s} learned the trade from {v}.", "The mentor of {s} was {v}."),
        inverse="people mentored by {}",
    ),
    Relation(
        "person",
        "school",
        "school",
        "school",
        ("{s} was a pupil at {v}.", "The school of {s} was {v}."),
        inverse="people who went to school at {}",
    ),
    Relation(
        "town",
        "founded",
        "number",
        "founding year",
        ("{s} was founded in {v}.", "The founding year of {s} is {v}."),
        low=1200,
        high=1890,
        comparison=_OLDER,
    ),
    Relation("town", "twin", "town", "twin town", ("{s} is twinned with {v}.", "The twin town of {s} is {v}.")),
    Relation(
        "town",
        "architect",
        "person",
        "chief architect",
        ("The town hall of {s} was built by {v}.", "The chief architect of {s} was {v}."),
        inverse="towns whose chief architect was {}",
    ),
    Relation(
        "town",
        "population",
        "number",
        "population",
        ("{s} has {v} inhabitants.", "The population of {s} is {v}."),
        low=1_000,
        high=90_000,
        changes=True,
        news="The population of {s} has been counted anew: it is {v}.",
    ),
    Relation(
        "town",
        "mayor",
        "person",
        "mayor",
        ("{s} is led by {v}.", "The mayor of {s} is {v}."),
        changes=True,
        news="The new mayor of {s} is {v}.",
    ),
    Relation(
        "company",
        "founder",
        "person",
        "founder",
        ("{s} was set up by {v}.", "The founder of {s} is {v}."),
        inverse="companies founded by {}",
    ),
    Relation(
        "company",
        "seat",
        "town",
        "seat",
        ("{s} has its seat in {v}.", "The seat of {s} is {v}."),
        inverse="companies seated in {}",
    ),
    Relation(
        "company",
        "founded",
        "number",
        "founding year",
        ("{s} was founded in {v}.", "The founding year of {s} is {v}."),
        low=1890,
        high=1995,
        comparison=_OLDER,
    ),
    Relation(
        "company",
        "staff",
        "number",
        "number of employees",
        ("{s} has {v} employees.", "The number of employees of {s} is {v}."),
        low=20,
        high=9_000,
        changes=True,
        news="The number of employees of {s} has changed: it is {v}.",
    ),
    Relation(
        "company",
        "director",
        "person",
        "director",
        ("{s} is run by {v}.", "The director of {s} is {v}."),
        changes=True,
        news="The new director of {s} is {v}.",
    ),
    Relation(
        "book",
        "author",
        "person",
        "author",
        ("{s} was written by {v}.", "The author of {s} is {v}."),
        inverse="books written by {}",
    ),
    Relation(
        "book",
        "publisher",
        "company",
        "publisher",
        ("{s} was brought out by {v}.", "The publisher of {s} is {v}."),
        inverse="books published by {}",
    ),
    Relation(
        "book",
        "setting",
        "town",
        "setting",
        ("{s} is set in {v}.", "The setting of {s} is {v}."),
        inverse="books set in {}",
    ),
    Relation(
        "book",
        "pages",
        "number",
        "number of pages",
        ("{s} has {v} pages.", "The number of pages of {s} is {v}."),
        low=80,
        high=900,
        comparison="Which has more pages",
        larger_wins=True,
    ),
    Relation(
        "book",
        "published",
        "date",
        "date of publication",
        ("{s} came out on {v}.", "The date of publication of {s} is {v}."),
        low=_day(1950),
        high=_day(2004),
        comparison="Which came out earlier",
    ),
    Relation(
        "school",
        "town",
        "town",
        "town",
        ("{s} stands in {v}.", "The town of {s} is {v}."),
        inverse="schools in {}",
    ),
    Relation("school", "patron", "person", "patron", ("{s} is named after {v}.", "The patron of {s} is {v}.")),
    Relation(
        "school",
        "founded",
        "number",
        "founding year",
        ("{s} was founded in {v}.", "The founding year of {s} is {v}."),
        low=1700,
        high=1990,
        comparison=_OLDER,
    ),
    Relation(
        "school",
        "rector",
        "person",
        "rector",
        ("{s} is headed by {v}.", "The rector of {s} is {v}."),
        changes=True,
        news="The new rector of {s} is {v}.",
    ),
)
"""All relations, in the order in which articles state them."""

BY_NAME: dict[tuple[str, str], Relation] = {(relation.kind, relation.name): relation for relation in RELATIONS}
OF_KIND: dict[str, tuple[Relation, ...]] = {
    kind: tuple(relation for relation in RELATIONS if relation.kind == kind) for kind in KINDS
}
CHANGING: tuple[Relation, ...] = tuple(relation for relation in RELATIONS if relation.changes)
