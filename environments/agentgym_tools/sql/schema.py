"""A schema: the tables of one subject, their columns, and the words by which questions name them.

The twelve schemas are data, in `schemas/*.toml`; rows are drawn in `filling`, an engine's statements are in `engine`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from agentgym.errors import ConfigError, UnknownNameError

Kind = Literal["key", "person", "place", "work", "of", "number", "date", "later", "link"]
_FOLDER = Path(__file__).parent / "schemas"
NULL_MARK = "?"


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        name: Its name in SQL.
        kind: What its values are: the table's key; a drawn name of a person, a place or a work; one of a few texts; a
            number; a date as text, such as 2022-04-30; a date after that of another column; a link to a table's key.
        texts: The texts of kind "of".
        low: Smallest number, or first year.
        high: Largest number, last year, or largest number of days after the other column's date.
        target: The linked table, or the earlier date's column.
        is_nullable: Whether a value may be missing.
    """

    name: str
    kind: Kind
    texts: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    target: str = ""
    is_nullable: bool = False

    @property
    def phrase(self) -> str:
        """How questions name it."""
        return self.name.replace("_", " ")

    @property
    def is_integer(self) -> bool:
        """Whether values are whole numbers; they are texts otherwise."""
        return self.kind in ("key", "number", "link")


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: Its name in SQL, a noun in the singular.
        plural: The noun in the plural.
        rows: Rows for each unit of the database's size.
        words: Adjectives whose meaning only the user knows.
        columns: Its columns, the key first.
    """

    name: str
    plural: str
    rows: float
    words: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def key(self) -> str:
        """The key's column."""
        return self.columns[0].name

    def of_kind(self, *kinds: Kind, nullable: bool | None = False) -> tuple[Column, ...]:
        """The columns of some kinds: those with a value in each row, those without (True), or all (None)."""
        return tuple(
            column for column in self.columns if column.kind in kinds and nullable in (None, column.is_nullable)
        )


@dataclass(frozen=True)
class Schema:
    """A schema; `title` completes "the database of ..."."""

    name: str
    title: str
    tables: tuple[Table, ...]

    def table(self, name: str) -> Table:
        """A table by name.

        Raises:
            UnknownNameError: There is none.
        """
        for table in self.tables:
            if table.name == name:
                return table
        raise UnknownNameError("table", name, [table.name for table in self.tables])

    def links(self) -> tuple[tuple[Table, Column, Table], ...]:
        """Each link as the table that holds it, its column, and the table it leads to."""
        return tuple(
            (table, column, self.table(column.target))
            for table in self.tables
            for column in table.columns
            if column.kind == "link"
        )


@cache
def schema_names() -> tuple[str, ...]:
    """The names of all schemas, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


@cache
def load_schema(name: str) -> Schema:
    """A schema by name.

    Raises:
        UnknownNameError: There is none.
        ConfigError: Its file is malformed.
    """
    if name not in schema_names():
        raise UnknownNameError("schema", name, schema_names())
    return read_schema(name, tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


def read_schema(name: str, fields: Mapping[str, Any]) -> Schema:
    """A schema from the fields of its file.

    Raises:
        ConfigError: A column is of no known form.
    """
    tables = tuple(
        Table(
            each["name"],
            each["plural"],
            float(each["rows"]),
            tuple(each["words"]),
            tuple(_read_column(line, f"{name}.{each['name']}") for line in each["columns"]),
        )
        for each in fields["tables"]
    )
    return Schema(name, fields["title"], tables)


def _read_column(line: str, where: str) -> Column:
    name, kind, *rest = line.removesuffix(NULL_MARK).split(maxsplit=2)
    arguments: Sequence[str] = rest[0].split() if rest else ()
    is_nullable = line.endswith(NULL_MARK)
    if kind == "of":
        return Column(name, "of", tuple(rest[0].strip().split("|")), is_nullable=is_nullable)
    if kind in ("number", "date"):
        low, high = map(int, arguments)
        return Column(name, kind, (), low, high, is_nullable=is_nullable)  # type: ignore[arg-type] # one of both
    if kind == "later":
        return Column(name, "later", (), 0, int(arguments[1]), arguments[0], is_nullable)
    if kind == "link":
        return Column(name, "link", target=arguments[0])
    if kind in get_args(Kind):
        return Column(name, kind)  # type: ignore[arg-type] # checked in this line's condition
    raise ConfigError(f"column {line!r} of {where} has the kind {kind!r}; expected one of {', '.join(get_args(Kind))}")
