"""The tables of a run's database and the steps from each version of them to the next.

What the rows mean is in `codec`; who may write them in `lock`.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agentgym.errors import StoreError, WrongRunError

APPLICATION_ID = 0x4147594D
"""Marks an SQLite file as ours ("AGYM")."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, content_hash TEXT NOT NULL, record TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE episodes (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, purpose TEXT NOT NULL, iteration INTEGER,
            policy TEXT NOT NULL, suite TEXT NOT NULL, split TEXT, stratum TEXT NOT NULL, task_id TEXT NOT NULL,
            role TEXT NOT NULL, attempt INTEGER NOT NULL, group_id TEXT NOT NULL, outcome TEXT NOT NULL,
            cause TEXT NOT NULL, success INTEGER, score REAL, reward REAL, num_turns INTEGER NOT NULL,
            num_action_tokens INTEGER NOT NULL, record TEXT NOT NULL)""",
        "CREATE INDEX episodes_by_group ON episodes (group_id) WHERE group_id != ''",
        "CREATE INDEX episodes_by_use ON episodes (purpose, policy, iteration)",
        """CREATE TABLE turns (
            episode INTEGER NOT NULL REFERENCES episodes (number) ON DELETE CASCADE, position INTEGER NOT NULL,
            turn INTEGER NOT NULL, record TEXT NOT NULL, version INTEGER NOT NULL, opens_segment INTEGER NOT NULL,
            was_cut INTEGER NOT NULL, was_invalid INTEGER NOT NULL, queue_s REAL NOT NULL, model_s REAL NOT NULL,
            env_s REAL NOT NULL, verify_s REAL NOT NULL, PRIMARY KEY (episode, position)) WITHOUT ROWID""",
        """CREATE TABLE tokens (
            episode INTEGER PRIMARY KEY REFERENCES episodes (number) ON DELETE CASCADE, arrays BLOB NOT NULL)""",
        "CREATE TABLE images (hash TEXT PRIMARY KEY, media_type TEXT NOT NULL, content BLOB NOT NULL) WITHOUT ROWID",
        """CREATE TABLE groups (
            id TEXT PRIMARY KEY, task_id TEXT NOT NULL, size INTEGER, iteration INTEGER, is_sealed INTEGER NOT NULL)
            WITHOUT ROWID""",
        """CREATE TABLE metrics (
            phase TEXT NOT NULL, name TEXT NOT NULL, iteration INTEGER NOT NULL, value REAL,
            PRIMARY KEY (phase, name, iteration)) WITHOUT ROWID""",
    ),
    (
        "ALTER TABLE turns ADD COLUMN progress REAL",
        "CREATE TABLE attributions (label TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE credit (
            label TEXT NOT NULL REFERENCES attributions (label) ON DELETE CASCADE,
            episode INTEGER NOT NULL REFERENCES episodes (number) ON DELETE CASCADE, events TEXT NOT NULL,
            PRIMARY KEY (label, episode)) WITHOUT ROWID""",
        "CREATE INDEX credit_by_episode ON credit (episode)",
    ),
    ("ALTER TABLE turns ADD COLUMN pictures TEXT",),
    ("ALTER TABLE turns ADD COLUMN screenshot TEXT",),
)
"""Statements that lead from version i to version i + 1; a released entry never changes."""

READINGS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TEMP VIEW turns AS SELECT *, NULL AS progress, NULL AS pictures, NULL AS screenshot FROM main.turns",
        "CREATE TEMP TABLE attributions (label TEXT PRIMARY KEY, record TEXT NOT NULL)",
        "CREATE TEMP TABLE credit (label TEXT NOT NULL, episode INTEGER NOT NULL, events TEXT NOT NULL)",
    ),
    ("CREATE TEMP VIEW turns AS SELECT *, NULL AS pictures, NULL AS screenshot FROM main.turns",),
    ("CREATE TEMP VIEW turns AS SELECT *, NULL AS screenshot FROM main.turns",),
)
"""Statements by which a connection that may not write reads version i + 1 as the newest; they change no file."""

VERSION = len(MIGRATIONS)


def create_tables(connection: sqlite3.Connection) -> None:
    """Lay the newest tables into an empty database, all or none."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    _step_up(connection, 0)
    connection.execute("COMMIT")


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever laid into the database (a run that was killed at birth leaves this)."""
    return not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()


def check_version(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    """Refuse a foreign or newer file; bring an older one up to date, or read it as the newest where nothing is written.

    Raises:
        WrongRunError: The file is not a run's database.
        StoreError: It is of a version that cannot be used.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise WrongRunError(
            f"{path} is an SQLite file, but no run's database (application id {application:#x}, expected "
            f"{APPLICATION_ID:#x}); choose another run folder"
        )
    if version > VERSION:
        raise StoreError(f"{path} has schema version {version}, newer than the {VERSION} known here; upgrade agentgym")
    if version < VERSION and read_only:
        for statement in READINGS[version - 1]:
            connection.execute(statement)
        return
    if version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        _step_up(connection, version)
        connection.execute("COMMIT")


def _step_up(connection: sqlite3.Connection, version: int) -> None:
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
