"""Reading episodes: which ones, their columns alone, or the whole trajectories.

Writing is in `run_store`.
"""

# ruff: noqa: S608 - queries are put together from names in this file; values are bound
from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

from agentgym.errors import StoreError, UnknownNameError
from agentgym.outcome import Outcome
from agentgym.picture import Image
from agentgym.store.codec import read_events, read_turn, swap_last_pictures, unpack_tokens
from agentgym.store.connection import Connection
from agentgym.store.images import SCHEME, put_back
from agentgym.trajectory import Trajectory, Turn

Purpose = Literal["train", "validation", "test", "demo"]
"""What an episode was collected for; only "train" is ever learned from."""

_CHUNK = 256
"""Episodes that are read at once: bounds memory and how long writers wait."""


class EpisodeFilter(TypedDict, total=False):
    """Which episodes: each given key must match; None matches a missing value."""

    id: str
    purpose: str
    iteration: int | None
    policy: str
    suite: str
    split: str | None
    stratum: str
    task_id: str
    role: str
    attempt: int
    group_id: str
    outcome: str


class EpisodeRow(NamedTuple):
    """The data of an episode without its turns.

    `number` grows in the order of writing; `outcome` is the kind; `reward` is the undiscounted return, None for faults.
    """

    number: int
    id: str
    purpose: str
    iteration: int | None
    policy: str
    suite: str
    split: str | None
    stratum: str
    task_id: str
    role: str
    attempt: int
    group_id: str
    outcome: str
    cause: str
    success: bool | None
    score: float | None
    reward: float | None
    num_turns: int
    num_action_tokens: int


def episode_rows(connection: Connection, where: Mapping[str, Any], after: int = 0) -> list[EpisodeRow]:
    """The columns of the matching episodes with a number above `after`, in order of writing."""
    known = EpisodeFilter.__annotations__
    for key in where:
        if key not in known:
            raise UnknownNameError("episode filter", key, known)
    conditions = "".join(f" AND {key} IS ?" for key in where)
    return _rows(connection, f"number > ?{conditions}", (after, *where.values()))


def rows_of_policies(rows: Sequence[EpisodeRow], policies: Sequence[str]) -> list[EpisodeRow]:
    """The episodes of these policies; all if none is named.

    Raises:
        UnknownNameError: One of them played none of the episodes.
    """
    known = sorted({row.policy for row in rows})
    for name in policies:
        if name not in known:
            raise UnknownNameError("policy", name, known, [f"the episodes to export are of: {', '.join(known)}"])
    return [row for row in rows if not policies or row.policy in policies]


def numbered_rows(connection: Connection, numbers: Sequence[int]) -> list[EpisodeRow]:
    """The columns of episodes by their numbers, in the order of the numbers; one may be asked for several times.

    Raises:
        StoreError: One of them is not there.
    """
    found = {row.number: row for row in _rows(connection, f"number IN ({','.join(map(str, numbers))})", ())}
    missing = sorted(set(numbers) - found.keys())
    if missing:
        raise StoreError(
            f"{connection.path} has no episode of number {missing[0]} ({len(missing)} of {len(numbers)} are gone); "
            "read the run again: episodes were dropped from it"
        )
    return [found[number] for number in numbers]


def _rows(connection: Connection, condition: str, values: Sequence[Any]) -> list[EpisodeRow]:
    query = f"SELECT {', '.join(EpisodeRow._fields)} FROM episodes WHERE {condition} ORDER BY number"
    success = EpisodeRow._fields.index("success")
    rows = connection.rows(query, values)
    return [
        EpisodeRow._make((*row[:success], None if row[success] is None else bool(row[success]), *row[success + 1 :]))
        for row in rows
    ]


def trajectories(connection: Connection, rows: Sequence[EpisodeRow], with_tokens: bool) -> Iterator[Trajectory]:
    """The whole trajectories of rows, in their order; episodes dropped meanwhile are left out.

    Args:
        connection: The database.
        rows: Which.
        with_tokens: Whether to read token arrays; without them the turns carry empty ones and no log-probabilities.

    Raises:
        StoreError: An episode is damaged.
    """
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        wanted = f"IN ({','.join(str(row.number) for row in chunk)})"
        records = dict(connection.rows(f"SELECT number, record FROM episodes WHERE number {wanted}"))
        turns = _turn_rows(connection, wanted)
        blobs: dict[int, bytes] = {}
        if with_tokens:
            blobs = dict(connection.rows(f"SELECT episode, arrays FROM tokens WHERE episode {wanted}"))
        for row in chunk:
            if row.number not in records:
                continue
            with connection.decoding(f"episode {row.id!r}"):
                own = [_turn(connection, each) for each in turns.get(row.number, [])]
                record = json.loads(records[row.number])
                trajectory = _trajectory(row, record, own, blobs.get(row.number))
                if SCHEME in records[row.number]:
                    trajectory.metadata = swap_last_pictures(
                        trajectory.metadata,
                        lambda message: put_back(message, lambda key: stored_image(connection, key)),
                    )
                if "last_screenshot" in record:
                    trajectory.last_screenshot = stored_image(connection, record["last_screenshot"])
            yield trajectory


def _turn_rows(connection: Connection, wanted: str) -> dict[int, list[Sequence[Any]]]:
    turns: dict[int, list[Sequence[Any]]] = {}
    columns = (
        "turn, record, version, opens_segment, was_cut, was_invalid, queue_s, model_s, env_s, verify_s, progress, "
        "pictures, screenshot"
    )
    query = f"SELECT episode, {columns} FROM turns WHERE episode {wanted} ORDER BY episode, position"
    for episode, *row in connection.rows(query):
        turns.setdefault(episode, []).append(row)
    return turns


def _turn(connection: Connection, row: Sequence[Any]) -> Turn:
    turn = read_turn(row)
    if row[-1] is not None:
        turn.screenshot = stored_image(connection, row[-1])
    if SCHEME in row[1]:
        turn.messages = [put_back(message, lambda key: stored_image(connection, key)) for message in turn.messages]
        turn.reply = put_back(turn.reply, lambda key: stored_image(connection, key))
    return turn


def stored_image(connection: Connection, key: str) -> Image | None:
    """The picture with that hash; None if the store has no such picture."""
    found = connection.rows("SELECT hash, media_type, content FROM images WHERE hash = ?", (key,))
    return Image(*found[0]) if found else None


def _trajectory(row: EpisodeRow, record: dict[str, Any], turns: list[Turn], arrays: bytes | None) -> Trajectory:
    if len(turns) != row.num_turns:
        raise ValueError(f"{len(turns)} stored turns, expected {row.num_turns}")
    if arrays is not None:
        unpack_tokens(arrays, turns)
    return Trajectory(
        id=row.id,
        task_id=row.task_id,
        role=row.role,
        suite=row.suite,
        split=row.split,
        stratum=row.stratum,
        content_hash=record["content_hash"],
        seed=record["seed"],
        attempt=row.attempt,
        group_id=row.group_id,
        policy=row.policy,
        turns=turns,
        events=read_events(record),
        weights=record["weights"],
        outcome=Outcome(row.outcome, row.cause),  # type: ignore[arg-type]  # checked by Outcome itself
        score=row.score,
        success=row.success,
        is_derived=record["is_derived"],
        parent_id=record["parent_id"],
        parent_turn=record["parent_turn"],
        usage=record["usage"],
        error=record["error"],
        metadata=record["metadata"],
    )
