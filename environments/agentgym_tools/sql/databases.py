"""The databases: five of each schema, for each five siblings of the same size with other contents, and a blank one.

Rows are drawn in `filling`; statements are carried out in `database`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache, lru_cache

from agentgym.errors import TaskError
from agentgym_tools.sql.filling import Rows, draw_rows
from agentgym_tools.sql.guard import prepare
from agentgym_tools.sql.schema import Schema, load_schema
from agentgym_tools.worlds import Base, Bench

SIZES = (12, 18, 26, 36, 48)
"""Size of each of a schema's databases; events have four times as many rows."""
SMALL_SIZES = (6, 6, 7, 7, 8)
"""The same for tiny models."""
NUM_SIBLINGS = 5
BLANK = NUM_SIBLINGS + 1
"""The sibling without rows, which all databases of a schema share; it gets rows for a question."""
_SEATS = 2


class GuardedBase(Base):
    """A base whose connections are prepared for statements from outside."""

    def connect(self) -> sqlite3.Connection:
        """A new connection with limits."""
        db = super().connect()
        prepare(db)
        return db


def create_statements(schema: Schema, *, with_links: bool = True) -> str:
    """The CREATE statements of a schema, in the words of SQLite that PostgreSQL understands too.

    Args:
        schema: The schema.
        with_links: Whether the engine is to check links.
    """
    statements = []
    for table in schema.tables:
        lines = []
        for column in table.columns:
            line = f"{column.name} {'INTEGER' if column.is_integer else 'TEXT'}"
            if column.kind == "key":
                line += " PRIMARY KEY"
            elif not column.is_nullable:
                line += " NOT NULL"
            if column.kind == "link" and with_links:
                line += f" REFERENCES {column.target} ({schema.table(column.target).key})"
            lines.append(line)
        statements.append(f"CREATE TABLE {table.name} (\n  " + ",\n  ".join(lines) + "\n);")
    return "\n".join(statements)


@lru_cache(maxsize=400)
def bench_of(schema_name: str, number: int, sibling: int, is_small: bool) -> Bench:
    """The connections to a database or to one of its siblings.

    Args:
        schema_name: The schema.
        number: The database of this schema, from 0.
        sibling: 0 for the database itself, 1 to 5 for its siblings.
        is_small: Whether it is made for tiny models.

    Raises:
        TaskError: There is no such database.
    """
    schema = load_schema(schema_name)
    _size(schema_name, number, sibling, is_small)

    def fill(db: sqlite3.Connection) -> None:
        for table, of_table in rows_of(schema_name, number, sibling, is_small).items():
            marks = ", ".join("?" * len(of_table[0]))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", of_table)  # noqa: S608 - a name of the schema

    return Bench(GuardedBase(f"{schema_name}-{number}.{sibling}", create_statements(schema), fill), _SEATS)


@cache
def blank_bench(schema_name: str) -> Bench:
    """The connections to the blank sibling."""
    return Bench(
        GuardedBase(f"{schema_name}-blank", create_statements(load_schema(schema_name)), lambda db: None), _SEATS
    )


@lru_cache(maxsize=64)
def rows_of(schema_name: str, number: int, sibling: int, is_small: bool) -> Rows:
    """The rows of a database or of one of its siblings, whatever engine keeps them; not to be changed.

    Raises:
        TaskError: There is no such database.
    """
    size = _size(schema_name, number, sibling, is_small)
    return draw_rows(load_schema(schema_name), size, f"{number} {sibling}{' small' if is_small else ''}")


def _size(schema_name: str, number: int, sibling: int, is_small: bool) -> int:
    sizes = SMALL_SIZES if is_small else SIZES
    if type(number) is not int or not 0 <= number < len(sizes) or not 0 <= sibling <= NUM_SIBLINGS:
        raise TaskError(f"there is no database {number!r} of {schema_name!r}; expected 0 to {len(sizes) - 1}")
    return sizes[number]


def benches_of(schema_name: str, number: int, is_small: bool) -> Sequence[Bench]:
    """The connections to a database and to its siblings, the database first and the blank sibling last."""
    drawn = [bench_of(schema_name, number, sibling, is_small) for sibling in range(NUM_SIBLINGS + 1)]
    return [*drawn, blank_bench(schema_name)]


@cache
def describe_table(schema_name: str, table_name: str) -> str:
    """A table's columns, a line each, with their types, links and few possible texts."""
    lines = []
    for column in load_schema(schema_name).table(table_name).columns:
        note = {"key": "key", "link": f"links to {column.target}", "of": ", ".join(column.texts)}.get(column.kind, "")
        if column.kind in ("date", "later"):
            note = "date as YYYY-MM-DD"
        note += "; may be NULL" if column.is_nullable else ""
        lines.append(f"{column.name} {'INTEGER' if column.is_integer else 'TEXT'}{f' ({note})' if note else ''}")
    return "\n".join(lines)
