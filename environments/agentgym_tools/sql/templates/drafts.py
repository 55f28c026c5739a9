"""What templates are made of: a draft with its words, its SQL and its near misses, and draws of columns and conditions.

Whether a draft makes a fair task on its databases is decided in `tasks`, not here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agentgym_tools.months import MONTHS
from agentgym_tools.sql.comparing import Form
from agentgym_tools.sql.schema import Column, Kind, Schema, Table

ANY_ORDER = Form()


class UnsuitableError(Exception):
    """A schema lacks what a template needs, in this draw or at all."""


@dataclass(frozen=True)
class Draft:
    """A question or a change.

    Attributes:
        text: What is asked.
        sql: What answers it, or carries it out.
        wrong: Statements that a learner takes for right: near misses.
        form: What the question asks of its result beyond the rows.
        meanings: For each ambiguous word of the text what the user means by it.
    """

    text: str
    sql: str
    wrong: tuple[str, ...] = ()
    form: Form = ANY_ORDER
    meanings: Mapping[str, str] = field(default_factory=dict)


class Template(NamedTuple):
    """How drafts of one form are drawn.

    Attributes:
        name: Its name.
        level: Difficulty, 1 to 3.
        kind: What its drafts are.
        draw: Draws one.
        is_held_out: Whether training never shows it.
    """

    name: str
    level: int
    kind: Literal["question", "change", "ambiguous"]
    draw: Callable[[Pick], Draft]
    is_held_out: bool = False


class Condition(NamedTuple):
    """A condition on rows: its words, beginning with "with", its SQL, and SQL that is nearly the same."""

    text: str
    sql: str
    near: str


_COMPARISONS = (
    ("at least", ">=", ">"),
    ("at most", "<=", "<"),
    ("more than", ">", ">="),
    ("less than", "<", "<="),
)


class Pick:
    """Draws from a schema.

    Args:
        schema: The schema.
        rng: The randomness.
    """

    def __init__(self, schema: Schema, rng: random.Random) -> None:
        self.schema = schema
        self.rng = rng

    def table(self, *kinds: Kind) -> Table:
        """A table that has a column of each of these kinds.

        Raises:
            UnsuitableError: There is none.
        """
        fitting = [table for table in self.schema.tables if all(table.of_kind(kind) for kind in kinds)]
        if not fitting:
            raise UnsuitableError(f"{self.schema.name} has no table with {kinds}")
        return self.rng.choice(fitting)

    def column(self, table: Table, *kinds: Kind, nullable: bool | None = False, but: Column | None = None) -> Column:
        """A column of one of some kinds.

        Raises:
            UnsuitableError: The table has none.
        """
        fitting = [column for column in table.of_kind(*kinds, nullable=nullable) if column != but]
        if not fitting:
            raise UnsuitableError(f"{table.name} has no column of {kinds}")
        return self.rng.choice(fitting)

    def link(self, *, child: tuple[Kind, ...] = (), parent: tuple[Kind, ...] = ()) -> tuple[Table, Column, Table]:
        """A link between tables that have a column of each of these kinds: child, the child's column, parent.

        Raises:
            UnsuitableError: There is none.
        """
        fitting = [
            (low, column, high)
            for low, column, high in self.schema.links()
            if all(low.of_kind(kind) for kind in child) and all(high.of_kind(kind) for kind in parent)
        ]
        if not fitting:
            raise UnsuitableError(f"{self.schema.name} has no link of {child} to {parent}")
        return self.rng.choice(fitting)

    def number_in(self, column: Column) -> int:
        """A number well inside a column's range."""
        width = column.high - column.low
        return self.rng.randint(column.low + max(1, width // 4), column.high - max(1, width // 4))

    def text_of(self, column: Column) -> str:
        """One of a column's texts."""
        return self.rng.choice(column.texts)

    def year_of(self, table: Table, column: Column) -> int:
        """A year that a column of dates covers."""
        if column.kind == "later":
            column = next(other for other in table.columns if other.name == column.target)
        third = (column.high - column.low) // 3
        return self.rng.randint(column.low + max(1, third), column.high - third)

    def condition(self, table: Table, alias: str = "", but: Column | None = None) -> Condition:
        """A condition on a table's rows.

        Args:
            table: The table.
            alias: What its columns stand behind, such as "c.".
            but: A column that it is not about.
        """
        column = self.column(table, "of", "of", "number", "date", nullable=False, but=but)
        return self.condition_on(table, column, alias)

    def condition_on(self, table: Table, column: Column, alias: str = "") -> Condition:
        """A condition on a column."""
        name = f"{alias}{column.name}"
        if column.kind == "of":
            value = self.text_of(column)
            other = self.rng.choice([text for text in column.texts if text != value])
            return Condition(f"with {column.phrase} '{value}'", f"{name} = '{value}'", f"{name} = '{other}'")
        if column.kind == "number":
            words, sign, near = self.rng.choice(_COMPARISONS)
            value = str(self.number_in(column))
            text = f"with {column.phrase} {words} {value}"
            return Condition(text, f"{name} {sign} {value}", f"{name} {near} {value}")
        year = self.year_of(table, column)
        if self.rng.random() < 0.5:
            text, sign, opposite = self.rng.choice((("before", "<", ">"), ("after", ">", "<")))
            day = f"{year}-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"
            words = f"with {column.phrase} {text} {day}"
            return Condition(words, f"{name} {sign} '{day}'", f"{name} {opposite} '{day}'")
        inside = f"{name} >= '{year}-01-01' AND {name} <= '{year}-12-31'"
        return Condition(f"with {column.phrase} in {year}", inside, f"{name} >= '{year}-01-01'")

    def month(self) -> tuple[str, str]:
        """A month's name and its two digits."""
        number = self.rng.randint(1, 12)
        return MONTHS[number - 1], f"{number:02}"


def noun(table: Table) -> str:
    """A table's noun in the singular."""
    return table.name.replace("_", " ")


def a_noun(table: Table) -> str:
    """The noun behind its article."""
    name = noun(table)
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"
