"""The rows of a database, drawn from a seed: the same ones on every run and every machine.

What tables there are is in `schema`; how rows are kept is the engine's work.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator, Mapping

from agentgym_tools.sql.schema import Column, Schema, Table

Value = int | str | None
Rows = Mapping[str, list[tuple[Value, ...]]]
"""By table its rows, in the order of the columns."""

_FIRST = [
    "Ada",
    "Bruno",
    "Cleo",
    "Dario",
    "Edda",
    "Falk",
    "Gina",
    "Hugo",
    "Ines",
    "Jaro",
    "Kira",
    "Lenn",
    "Mona",
    "Nils",
    "Orla",
    "Pavel",
]
_LAST = ["Abend", "Birk", "Corvin", "Dalen", "Ekman", "Fenn", "Garrow", "Hollis", "Ivers", "Jessop", "Kerr", "Lund"]
_PLACES = ["Oak", "Stone", "River", "Sun", "Moss", "Hill", "Lark", "Fern", "Gold", "Mill"]
_ENDS = ["gate", "field", "haven", "bridge", "court", "brook"]
_WORKS = ["Silent", "Bright", "Hidden", "Little", "Distant", "Golden", "Winter", "Second", "Broken", "Open"]
_THINGS = ["Harbour", "Garden", "Mirror", "Lantern", "Orchard", "Signal", "Bridge", "Window"]
_NULL_SHARE = 0.25
_UNLINKED_SHARE = 0.2
"""Share of rows that no row links to, so that questions about those without any have an answer."""


def draw_rows(schema: Schema, size: int, seed: str) -> Rows:
    """Draw all rows.

    Args:
        schema: The tables.
        size: Rows of a table whose `rows` is 1; every table gets at least 4.
        seed: Any text; different texts give different contents.
    """
    rng = random.Random(f"rows {schema.name} {size} {seed}")
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for table in schema.tables:
        keys = {name: [row[0] for row in of_table] for name, of_table in rows.items()}
        linked = {
            name: rng.sample(found, max(2, round(len(found) * (1 - _UNLINKED_SHARE)))) for name, found in keys.items()
        }
        count = max(4, round(size * table.rows * rng.uniform(0.85, 1.15)))
        rows[table.name] = [tuple(_draw_row(rng, table, number, linked)) for number in _numbers(rng, count)]
    return rows


def _numbers(rng: random.Random, count: int) -> Iterator[int]:
    """Keys with gaps, so that a key says nothing about how many rows there are."""
    number = rng.randint(1, 9)
    for _ in range(count):
        yield number
        number += rng.choice((1, 1, 1, 2, 3))


def _draw_row(rng: random.Random, table: Table, number: int, linked: Mapping[str, list[Value]]) -> Iterator[Value]:
    drawn: dict[str, Value] = {}
    for column in table.columns:
        is_missing = column.is_nullable and rng.random() < _NULL_SHARE
        drawn[column.name] = value = None if is_missing else _draw(rng, column, number, linked, drawn)
        yield value


def _draw(
    rng: random.Random, column: Column, number: int, linked: Mapping[str, list[Value]], drawn: Mapping[str, Value]
) -> Value:
    match column.kind:
        case "key":
            return number
        case "later":
            earlier = datetime.date.fromisoformat(str(drawn[column.target]))
            return (earlier + datetime.timedelta(days=rng.randint(0, column.high))).isoformat()
        case "link":
            return rng.choice(linked[column.target])
        case _:
            return draw_value(rng, column)


def draw_value(rng: random.Random, column: Column) -> Value:
    """A value of a column that depends on no other one: of any kind but key, later and link."""
    match column.kind:
        case "person":
            return f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
        case "place":
            return f"{rng.choice(_PLACES)}{rng.choice(_ENDS)}"
        case "work":
            return f"{rng.choice(_WORKS)} {rng.choice(_THINGS)}"
        case "of":
            return rng.choices(column.texts, range(len(column.texts) + 2, 2, -1))[0]
        case "number":
            return rng.randint(column.low, column.high)
        case "date":
            first = datetime.date(column.low, 1, 1).toordinal()
            last = datetime.date(column.high, 12, 31).toordinal()
            return datetime.date.fromordinal(rng.randint(first, last)).isoformat()
        case _:
            raise ValueError(f"column {column.name} of kind {column.kind} depends on other values")
