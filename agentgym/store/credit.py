"""Credit that was assigned afterwards: reward events under a label, beside the recorded ones.

The methods of `agentgym.attribution` assign it. If an episode is dropped, its credit is dropped too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agentgym.errors import StoreError, UnknownNameError
from agentgym.reward import RewardEvent
from agentgym.store.codec import to_json_text
from agentgym.store.connection import Connection


def write_credit(
    sqlite: sqlite3.Connection,
    label: str,
    record: Mapping[str, Any],
    events: Mapping[int, Sequence[RewardEvent]],
    is_replacement: bool,
) -> None:
    """Write all events of a label inside the transaction of the caller; see `RunStore.write_credit`."""
    if is_replacement:
        sqlite.execute("DELETE FROM attributions WHERE label = ?", (label,))
    elif sqlite.execute("SELECT 1 FROM attributions WHERE label = ?", (label,)).fetchone():
        raise StoreError(f"the run holds credit under the label {label!r} already; choose another label, or replace it")
    sqlite.execute("INSERT INTO attributions VALUES (?, ?)", (label, to_json_text(record, f"credit {label!r}")))
    rows = [
        (label, number, to_json_text(list(found), f"credit {label!r} of episode {number}"))
        for number, found in events.items()
    ]
    try:
        sqlite.executemany("INSERT INTO credit VALUES (?, ?, ?)", rows)
    except sqlite3.IntegrityError as error:
        raise StoreError(
            f"credit {label!r} names an episode that is not stored: {error}; read the run again"
        ) from error


def credited_numbers(connection: Connection, label: str) -> set[int]:
    """The numbers of the episodes of a label."""
    _require(connection, label)
    return {number for (number,) in connection.rows("SELECT episode FROM credit WHERE label = ?", (label,))}


def credit_of(
    connection: Connection, label: str, numbers: Collection[int] | None = None
) -> dict[int, list[RewardEvent]]:
    """The events of a label, by the episode's number; of some episodes alone, or of all."""
    _require(connection, label)
    query = "SELECT episode, events FROM credit WHERE label = ?"
    if numbers is not None:
        query += f" AND episode IN ({','.join(map(str, numbers))})"
    rows = connection.rows(f"{query} ORDER BY episode", (label,))
    with connection.decoding(f"credit {label!r}"):
        return {number: [RewardEvent(*fields) for fields in json.loads(events)] for number, events in rows}


def _require(connection: Connection, label: str) -> None:
    known = labels(connection)
    if label not in known:
        raise UnknownNameError("credit label", label, known)


def labels(connection: Connection) -> dict[str, dict[str, Any]]:
    """The record of each label."""
    rows = connection.rows("SELECT label, record FROM attributions ORDER BY label")
    with connection.decoding("the list of credit labels"):
        return {label: json.loads(record) for label, record in rows}
