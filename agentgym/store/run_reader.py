"""What can be read of a run, by its writer and by others.

The SQL is in `query`, `columns`, `credit` and `metrics`; writing is in `run_store`.
"""

# ruff: noqa: S608 - queries are put together from names in this file; values are bound
from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Unpack

from agentgym.errors import UnknownNameError
from agentgym.picture import Image
from agentgym.reward import RewardEvent
from agentgym.store import codec
from agentgym.store.columns import EpisodeColumns, episode_columns, token_arrays
from agentgym.store.connection import Connection
from agentgym.store.credit import credit_of, credited_numbers, labels
from agentgym.store.metrics import Curve, metric_curves, metric_phases
from agentgym.store.query import (
    EpisodeFilter,
    EpisodeRow,
    Purpose,
    episode_rows,
    numbered_rows,
    stored_image,
    trajectories,
)
from agentgym.trajectory import Group, Trajectory


class RunReader:
    """The records of one run.

    Args:
        connection: To its database.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.folder = connection.path.parent

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the run, by key."""
        rows = self._connection.rows("SELECT key, value FROM meta")
        with self._connection.decoding("what is known about the run"):
            return {key: json.loads(value) for key, value in rows}

    def tasks(self) -> dict[str, dict[str, Any]]:
        """The public part of each recorded task and its `content_hash`, by id."""
        rows = self._connection.rows("SELECT id, content_hash, record FROM tasks")
        with self._connection.decoding("the list of tasks"):
            return {id_: {**json.loads(record), "content_hash": content_hash} for id_, content_hash, record in rows}

    def episodes(
        self, *, with_tokens: bool = True, after: int = 0, **where: Unpack[EpisodeFilter]
    ) -> Iterator[Trajectory]:
        """The matching trajectories, in order of writing, exactly as they were written.

        Args:
            with_tokens: Whether to read token arrays; without them it is faster and turns carry empty ones.
            after: Read only episodes with a greater number, such as those after a watermark.
            where: What must match, such as `purpose="train"` and `iteration=3`.
        """
        return trajectories(self._connection, self.episode_rows(after=after, **where), with_tokens)

    def episode_rows(self, *, after: int = 0, **where: Unpack[EpisodeFilter]) -> list[EpisodeRow]:
        """The columns of the matching episodes, in order of writing; no turn is read."""
        return episode_rows(self._connection, where, after)

    def load(self, rows: Sequence[EpisodeRow], *, with_tokens: bool = True) -> Iterator[Trajectory]:
        """The trajectories of chosen rows, in the order of the rows."""
        return trajectories(self._connection, rows, with_tokens)

    def numbered(self, numbers: Sequence[int], *, with_tokens: bool = True) -> list[Trajectory]:
        """Trajectories by their numbers, in the order of the numbers; a number that occurs twice gives two copies.

        Raises:
            StoreError: One of them is not there.
        """
        rows = numbered_rows(self._connection, numbers)
        if len(set(numbers)) == len(numbers):
            return list(trajectories(self._connection, rows, with_tokens))
        return [one for row in rows for one in trajectories(self._connection, [row], with_tokens)]

    def columns(
        self, *, purpose: Purpose = "train", after: int = 0, upto: int | None = None
    ) -> Iterator[EpisodeColumns]:
        """The graded episodes of a purpose with numbers in (after, upto] as columns, some thousand at a time.

        Raises:
            StoreError: An episode has no finite return although it was graded, or the file is damaged.
        """
        return episode_columns(self._connection, purpose, after, upto)

    def token_arrays(self, numbers: Sequence[int]) -> dict[int, codec.PackedTokens]:
        """The token arrays of episodes, turn by turn, by number; far faster than whole trajectories.

        Raises:
            StoreError: The arrays of an episode are damaged.
        """
        return token_arrays(self._connection, numbers)

    def image(self, key: str) -> Image:
        """A picture by its hash, which turns and segments hold.

        Raises:
            UnknownNameError: There is none.
        """
        found = stored_image(self._connection, key)
        if found is None:
            raise UnknownNameError("picture", key, ())
        return found

    def watermark(self) -> int:
        """Number of the newest episode; 0 if there is none."""
        number: int | None = self._connection.rows("SELECT max(number) FROM episodes")[0][0]
        return number or 0

    def groups(self, *, sealed: bool = True, iteration: int | None = None, with_tokens: bool = True) -> Iterator[Group]:
        """Groups with their trajectories, in the order in which they were first written.

        Args:
            sealed: True for the groups that may be trained on, False for those that were in flight.
            iteration: Only groups of that iteration.
            with_tokens: As in `episodes`. The size of an unsealed group is the number of its stored episodes.
        """
        query = (
            "SELECT id, task_id, size, (SELECT min(number) FROM episodes WHERE group_id = groups.id) AS number "
            "FROM groups WHERE is_sealed = ? AND (? IS NULL OR iteration = ?) ORDER BY number"
        )
        for id_, task_id, size, _ in self._connection.rows(query, (sealed, iteration, iteration)):
            found = list(self.episodes(with_tokens=with_tokens, group_id=id_))
            group = Group(id_, task_id, size or len(found) + 1)
            for trajectory in found:
                group.add(trajectory)
            group.size = size or len(found)
            yield group

    def credit(self, label: str, numbers: Collection[int] | None = None) -> dict[int, list[RewardEvent]]:
        """The events kept under a label, by the number of each episode that was attributed; none if it earned nothing.

        Args:
            label: The label.
            numbers: Of the episodes to read; None reads all.

        Raises:
            UnknownNameError: There is no such label.
            StoreError: An entry is damaged.
        """
        return credit_of(self._connection, label, numbers)

    def credited(self, label: str) -> set[int]:
        """The numbers of the episodes that were attributed under a label; no event is read.

        Raises:
            UnknownNameError: There is no such label.
        """
        return credited_numbers(self._connection, label)

    def credit_labels(self) -> dict[str, dict[str, Any]]:
        """How the credit of each label was made."""
        return labels(self._connection)

    def metrics(self, names: Iterable[str] | None = None, phase: str = "train") -> dict[str, Curve]:
        """The curve of each metric: iterations int64[N], ascending, and values float64[N].

        Args:
            names: Which; None for all. A name without values gets an empty curve.
            phase: Of which phase, such as "train" or "validation".
        """
        return metric_curves(self._connection, names, phase)

    def phases(self) -> list[str]:
        """The phases that have metrics."""
        return metric_phases(self._connection)

    def counts(self) -> dict[str, int]:
        """Number of rows of each table."""
        tables = ("tasks", "episodes", "turns", "metrics", "groups", "images")
        return {table: self._connection.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}
