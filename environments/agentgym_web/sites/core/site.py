"""What a site is made of, and the snapshot of its database that every session starts from.

Sessions are in `sessions`, pages in `page`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.routing import Route

from agentgym.errors import ConfigError

CORE_SCHEMA = """
CREATE TABLE _visitor (id INTEGER PRIMARY KEY CHECK (id = 1), user TEXT, clock INTEGER NOT NULL);
INSERT INTO _visitor VALUES (1, NULL, 0);
CREATE TABLE _flash (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
"""
"""Who is logged in, how many writing requests there have been, and what the next page shows once."""


@dataclass(frozen=True, eq=False)
class Site:
    """A site: a database, how it is filled, and the pages over it."""

    name: str
    """Short name; the site is served as http://<name>.test/."""
    title: str
    """What its pages are headed with."""
    folder: Path
    """Holds templates/, static/ and schema.sql."""
    fill: Callable[[sqlite3.Connection], None]
    """Fills the tables of schema.sql; the same rows on every run."""
    routes: Sequence[Route]
    """Made with `page.route`."""
    users: str
    """A query for the names that `visit.login` takes."""
    unwatched: frozenset[str] = frozenset()
    """Tables whose changes never count, such as what was viewed last; core's own tables are never watched."""
    written_along: frozenset[tuple[str, str]] = frozenset()
    """Tables and columns that pages write along with whatever else they change in a row, such as when it was edited; no
    task has to ask for that."""


@cache
def snapshot(site: Site) -> bytes:
    """The database of a site as it is before anybody has used it, serialized; made once a process.

    Raises:
        ConfigError: The site declares a column that its schema lacks.
    """
    db = connect()
    db.executescript((site.folder / "schema.sql").read_text(encoding="utf-8"))
    _require_columns(db, site)
    db.executescript(CORE_SCHEMA)
    db.execute("BEGIN")
    site.fill(db)
    db.execute("COMMIT")
    db.execute("ANALYZE")
    db.execute("VACUUM")
    content = db.serialize()
    db.close()
    return content


def _require_columns(db: sqlite3.Connection, site: Site) -> None:
    for table, column in sorted(site.written_along):
        columns = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        if column not in columns:
            known = f"a table with the columns {', '.join(columns)}" if columns else "no table of its schema"
            raise ConfigError(
                f"the site {site.name!r} declares {table}.{column} as written along, but {table!r} is {known}; correct"
                " the declaration or schema.sql"
            )


def connect(content: bytes | None = None) -> sqlite3.Connection:
    """A new in-memory database with rows of type sqlite3.Row, in autocommit mode.

    Args:
        content: A serialized database that it starts as; None is an empty one.
    """
    # A database may be made in one thread and used in another, but only by one at a time.
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if content is not None:
        db.deserialize(content)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    return db
