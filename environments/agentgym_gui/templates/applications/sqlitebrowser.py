"""Templates for DB Browser for SQLite: rows and tables of a database."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym_gui.templates.making import database_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, finish, if_there, press, typed
from agentgym_gui.templates.words import THINGS, TOWNS, some

APP = "sqlitebrowser"
PATH = "Documents/stock.db"
NUM_ROWS = 6
TABLE = ("thing TEXT", "town TEXT", "count INTEGER")
SPARE = "old_stock"
Row = tuple[str, str, int]
BROWSE = click("page tab", "Browse Data")


def drawn_rows(rng: random.Random) -> list[Row]:
    """Rows of things, no two of a thing or a count; two towns have several."""
    towns = some(rng, TOWNS, 2)
    counts = rng.sample(range(11, 90), NUM_ROWS)
    return [(thing, towns[place % 2], counts[place]) for place, thing in enumerate(some(rng, THINGS, NUM_ROWS))]


def stock_file(rows: Sequence[Row], spare: Sequence[Row] = ()) -> bytes:
    """A database with a table of stock, and one of old stock where that has rows."""
    tables: dict[str, tuple[Sequence[str], Sequence[Row]]] = {"stock": (TABLE, rows)}
    if spare:
        tables[SPARE] = (TABLE, spare)
    return database_file(tables)


def _query(name: str, sql: str, equals: Any) -> Any:
    return goal(name, "query", path=PATH, sql=sql, equals=equals)


def _plan(words: str, files: Sequence[bytes], rows: Sequence[Row], steps: Steps, tables: Sequence[str]) -> Plan:
    """The plan to change a database that is open.

    Args:
        words: What is asked.
        files: The database at the start, as it should be, and ends that are nearly right.
        rows: The rows of stock in the end.
        steps: Of the oracle, before changes are written.
        tables: The tables in the end.
    """
    old, new, *wrong = files
    goals = (
        _query("rows", "SELECT thing, town, count FROM stock ORDER BY thing", [list(row) for row in sorted(rows)]),
        _query("tables", "SELECT name FROM sqlite_master ORDER BY name", [[name] for name in sorted(tables)]),
    )
    return Plan(
        goal=f"{words} Write the changes to the database.",
        applications=(APP,),
        start=((APP, f"~/{PATH}"),),
        files={PATH: old},
        goals=goals,
        may_change=(PATH, ".config/sqlitebrowser/*"),
        ending=Ending({PATH: new}),
        near_misses=tuple(Ending({PATH: each}) for each in wrong),
        oracle=(*steps, press("ctrl+s"), finish()),
    )


def _set_count(rng: random.Random) -> Plan:
    rows = drawn_rows(rng)
    place, count = rng.randrange(NUM_ROWS), rng.randrange(91, 400)
    thing, town, old = rows[place]
    new = [*rows[:place], (thing, town, count), *rows[place + 1 :]]
    other = (place + 1) % NUM_ROWS
    wrong = [(*row[:2], count) if at == other else row for at, row in enumerate(rows)]
    words = f"In the table stock of the open database, set the count of the {thing} to {count}."
    steps = (
        BROWSE,
        click("table cell", str(old), count=2),
        press("ctrl+a"),
        typed(str(count)),
        click("push button", "Apply"),
    )
    return _plan(words, [stock_file(each) for each in (rows, new, wrong)], new, steps, ("stock",))


def _delete_row(rng: random.Random) -> Plan:
    rows = drawn_rows(rng)
    place = rng.randrange(NUM_ROWS)
    new = rows[:place] + rows[place + 1 :]
    words = f"Delete the row of the {rows[place][0]} from the table stock of the open database."
    steps = (BROWSE, click("table cell", rows[place][0]), click("push button", "Delete Record"))
    files = [stock_file(each) for each in (rows, new, [row for row in rows if row != new[0]], [])]
    return _plan(words, files, new, steps, ("stock",))


def _drop_table(rng: random.Random) -> Plan:
    rows = drawn_rows(rng)
    spare = drawn_rows(rng)[:3]
    words = f"Delete the table {SPARE} from the open database, and leave the other table as it is."
    steps = (
        click("table cell", SPARE),
        click("push button", "Delete Table"),
        if_there(click("push button", "Yes")),
    )
    files = [stock_file(rows, spare), stock_file(rows), stock_file([], spare)]
    return _plan(words, files, rows, steps, ("stock",))


def _raise_counts(rng: random.Random) -> Plan:
    rows, more = drawn_rows(rng), rng.randrange(2, 9)
    town = rows[rng.randrange(2)][1]
    new = [(thing, place, count + more * (place == town)) for thing, place, count in rows]
    wrong = [(thing, place, count + more) for thing, place, count in rows]
    words = f"In the table stock of the open database, raise the count of all rows of {town} by {more}."
    steps = (
        click("page tab", "Execute SQL"),
        click("text", nth=2),
        typed(f"UPDATE stock SET count = count + {more} WHERE town = '{town}';"),  # noqa: S608 - an agent types it
        press("ctrl+Return"),
    )
    return _plan(words, [stock_file(each) for each in (rows, new, wrong)], new, steps, ("stock",))


TEMPLATES = (
    Template("sqlitebrowser.set_count", _set_count),
    Template("sqlitebrowser.delete_row", _delete_row),
    Template("sqlitebrowser.drop_table", _drop_table),
    Template("sqlitebrowser.raise_counts", _raise_counts),
)
