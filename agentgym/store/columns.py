"""Episodes and turns as columns, and the token arrays of chosen turns, for replay and statistics over a large run.

`query` reads whole trajectories; a trainer chooses which entries are drawn.
"""

# ruff: noqa: S608 - queries are put together from names in this file; values are bound
from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import StoreError
from agentgym.outcome import GRADED
from agentgym.store.codec import PackedTokens, read_events
from agentgym.store.connection import Connection
from agentgym.trajectory import rewards_by_turn

_CHUNK = 2048
"""Episodes that are read at once: bounds memory and how long writers wait."""

_EPISODE = "number, id, task_id, role, suite, iteration, success, reward, outcome, num_turns, record"


class EpisodeColumns(NamedTuple):
    """Graded episodes in order of writing, E of them, with their N turns one after another.

    Attributes:
        number: int64[E].
        task: Task id and role of each.
        suite: Suite of each.
        content_hash: Content hash of each one's task.
        iteration: int32[E], -1 outside a training loop.
        success: int8[E], -1 where unknown.
        reward: float64[E], the undiscounted return.
        is_truncated: bool[E].
        is_derived: bool[E]: without behaviour log-probabilities.
        num_turns: int32[E]; they add up to N.
        turn_reward: float64[N].
        turn_version: int32[N], of the weights that sampled; -1 where there are none.
        opens_segment: bool[N].
    """

    number: NDArray[np.int64]
    task: list[tuple[str, str]]
    suite: list[str]
    content_hash: list[str]
    iteration: NDArray[np.int32]
    success: NDArray[np.int8]
    reward: NDArray[np.float64]
    is_truncated: NDArray[np.bool_]
    is_derived: NDArray[np.bool_]
    num_turns: NDArray[np.int32]
    turn_reward: NDArray[np.float64]
    turn_version: NDArray[np.int32]
    opens_segment: NDArray[np.bool_]


def episode_columns(connection: Connection, purpose: str, after: int, upto: int | None) -> Iterator[EpisodeColumns]:
    """The graded episodes of a purpose with numbers in (after, upto], some thousand at a time.

    Raises:
        StoreError: An episode has no finite return or reward although it was graded, or lacks turns.
    """
    last = (1 << 62) if upto is None else upto
    kinds = ",".join(f"'{kind}'" for kind in sorted(GRADED))
    query = (
        f"SELECT {_EPISODE} FROM episodes WHERE number > ? AND number <= ? AND purpose = ? AND outcome IN ({kinds}) "
        f"ORDER BY number LIMIT {_CHUNK}"
    )
    while rows := connection.rows(query, (after, last, purpose)):
        yield _columns(connection, rows)
        after = rows[-1][0]


def _columns(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> EpisodeColumns:
    numbers, ids, tasks, roles, suites, iterations, successes, rewards, outcomes, lengths, texts = zip(
        *rows, strict=True
    )
    total = np.array([np.nan if reward is None else reward for reward in rewards], np.float64)
    if not np.isfinite(total).all():
        broken = int(np.flatnonzero(~np.isfinite(total))[0])
        raise StoreError(
            f"{connection.path}: episode {ids[broken]!r} was graded, but its return is {rewards[broken]}, expected a "
            "finite number; correct its reward events, or leave this run out"
        )
    read = [_read(connection, *each) for each in zip(ids, texts, lengths, strict=True)]
    hashes, is_derived, turn_rewards = zip(*read, strict=True)
    _require_finite(connection, ids, turn_rewards)
    versions, opens = _turn_columns(connection, numbers, sum(lengths))
    return EpisodeColumns(
        number=np.array(numbers, np.int64),
        task=list(zip(tasks, roles, strict=True)),
        suite=list(suites),
        content_hash=list(hashes),
        iteration=np.array([-1 if iteration is None else iteration for iteration in iterations], np.int32),
        success=np.array([-1 if success is None else success for success in successes], np.int8),
        reward=total,
        is_truncated=np.array([outcome == "truncated" for outcome in outcomes], np.bool_),
        is_derived=np.array(is_derived, np.bool_),
        num_turns=np.array(lengths, np.int32),
        turn_reward=np.concatenate(turn_rewards),
        turn_version=versions,
        opens_segment=opens,
    )


def _read(connection: Connection, episode: str, text: str, length: int) -> tuple[str, bool, NDArray[np.float64]]:
    """The content hash of an episode's task, whether the episode is derived, and its rewards by turn."""
    with connection.decoding(f"episode {episode!r}"):
        record = json.loads(text)
        rewards = rewards_by_turn(read_events(record), record["weights"], length)
        return str(record["content_hash"]), bool(record["is_derived"]), rewards


def _require_finite(connection: Connection, ids: Sequence[str], turn_rewards: Sequence[NDArray[np.float64]]) -> None:
    for episode, rewards in zip(ids, turn_rewards, strict=True):
        if not np.isfinite(rewards).all():
            turn = int(np.flatnonzero(~np.isfinite(rewards))[0])
            raise StoreError(
                f"{connection.path}: turn {turn} of episode {episode!r} has reward {rewards[turn]}, expected a finite "
                "number; correct its reward events, or leave this run out"
            )


def _turn_columns(
    connection: Connection, numbers: Sequence[int], expected: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    # The numbers rather than a range: episodes of other purposes lie between them.
    wanted = f"IN ({','.join(map(str, numbers))})"
    query = f"SELECT version, opens_segment FROM turns WHERE episode {wanted} ORDER BY episode, position"
    found = connection.rows(query)
    if len(found) != expected:
        raise StoreError(
            f"{connection.path}: {len(numbers)} episodes have {len(found)} stored turns, expected {expected}; the file "
            "is damaged: restore the run folder from a copy"
        )
    table = np.array(found, np.int32).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].astype(np.bool_)


def token_arrays(connection: Connection, numbers: Sequence[int]) -> dict[int, PackedTokens]:
    """The token arrays of episodes, by the episode's number; those without any are not there.

    Raises:
        StoreError: The arrays of an episode are damaged.
    """
    wanted = f"IN ({','.join(map(str, numbers))})"
    blobs = connection.rows(f"SELECT episode, arrays FROM tokens WHERE episode {wanted}")
    found = {}
    for number, blob in blobs:
        with connection.decoding(f"the token array of episode number {number}"):
            found[number] = PackedTokens(blob)
    return found
