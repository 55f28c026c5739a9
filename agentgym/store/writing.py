"""Rows of episodes and groups on their way into a run's database; each function runs within a transaction.

How a trajectory becomes rows is in `codec`; reading is in `query`.
"""

# ruff: noqa: S608 - queries are put together from names in this file; values are bound
from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from agentgym.errors import StoreError
from agentgym.store import codec
from agentgym.trajectory import Group

_INSERT_EPISODE = (
    f"INSERT INTO episodes ({codec.EPISODE_COLUMNS}) VALUES ({','.join('?' * len(codec.EPISODE_COLUMNS.split(',')))})"
)
_INSERT_TURN = f"INSERT INTO turns VALUES ({','.join('?' * 15)})"


def insert_episode(sqlite: sqlite3.Connection, rows: codec.Encoded, path: Path) -> int:
    """Write the rows of an episode; its group, where it has one, is noted as open.

    Args:
        sqlite: The database, in a transaction.
        rows: What to write.
        path: The database's file, for messages.

    Returns:
        The episode's number.

    Raises:
        StoreError: The id is taken.
    """
    number = _number(sqlite, rows.episode, path)
    sqlite.executemany(_INSERT_TURN, [(number, *turn) for turn in rows.turns])
    if rows.tokens is not None:
        sqlite.execute("INSERT INTO tokens VALUES (?, ?)", (number, rows.tokens))
    if rows.images:
        sqlite.executemany("INSERT OR IGNORE INTO images VALUES (?, ?, ?)", rows.images)
    if rows.group is not None:
        sqlite.execute("INSERT OR IGNORE INTO groups VALUES (?, ?, NULL, ?, 0)", rows.group)
    return number


def _number(sqlite: sqlite3.Connection, episode: tuple[Any, ...], path: Path) -> int:
    try:
        number = sqlite.execute(_INSERT_EPISODE, episode).lastrowid
    except sqlite3.IntegrityError as error:
        raise StoreError(f"{path} holds an episode {episode[0]!r} already; ids are unique in a run") from error
    assert number is not None
    return number


def seal(sqlite: sqlite3.Connection, group: Group, iteration: int | None) -> None:
    """Record that every episode of a group is accounted for.

    Raises:
        StoreError: The group is not sealed itself or one of its episodes is not in the file.
    """
    num_accounted = len(group.members) + len(group.missing)
    query = "SELECT count(*) FROM episodes WHERE group_id = ?"
    num_stored = sqlite.execute(query, (group.id,)).fetchone()[0]
    if not group.is_sealed or num_stored != num_accounted:
        raise StoreError(
            f"cannot seal group {group.id!r}: {num_stored} of its {group.size} episodes are stored and "
            f"{num_accounted} accounted for; write each episode when it ends, then seal"
        )
    values = (group.id, group.task_id, group.size, iteration)
    sqlite.execute("INSERT OR REPLACE INTO groups VALUES (?, ?, ?, ?, 1)", values)


def delete_after(sqlite: sqlite3.Connection, iteration: int) -> int:
    """Delete what was written after an iteration, and groups of training that were in flight.

    Returns:
        Number of episodes that were deleted.
    """
    in_flight = "purpose = 'train' AND group_id IN (SELECT id FROM groups WHERE NOT is_sealed)"
    num_deleted = sqlite.execute(f"DELETE FROM episodes WHERE iteration > ? OR {in_flight}", (iteration,)).rowcount
    sqlite.execute("DELETE FROM groups WHERE id NOT IN (SELECT group_id FROM episodes)")
    query = "DELETE FROM metrics WHERE iteration > ? AND phase IN ('train', 'validation')"
    sqlite.execute(query, (iteration,))
    return num_deleted
