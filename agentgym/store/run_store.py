"""RunStore: everything a run recorded, behind one object.

Metrics are kept here as numbers by iteration; drawing them is the work of `agentgym.view`.
"""

# ruff: noqa: S608 - queries are put together from names in this file; values are bound
from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import StoreError
from agentgym.reward import RewardEvent
from agentgym.store import codec
from agentgym.store.columns import EpisodeColumns, episode_columns, token_arrays
from agentgym.store.connection import Connection
from agentgym.store.credit import credit_of, credited_numbers, labels, write_credit
from agentgym.store.lock import WriterLock, refuse_network_file_system
from agentgym.store.query import EpisodeFilter, EpisodeRow, Purpose, episode_rows, numbered_rows, trajectories
from agentgym.task import Task
from agentgym.trajectory import Group, Trajectory

DATABASE = "run.db"
"""Name of the database in a run folder."""

_INSERT_EPISODE = (
    f"INSERT INTO episodes ({codec.EPISODE_COLUMNS}) VALUES ({','.join('?' * len(codec.EPISODE_COLUMNS.split(',')))})"
)
_INSERT_TURN = f"INSERT INTO turns VALUES ({','.join('?' * 13)})"


class RunStore:
    """The database of one run; make it with `create` or `open`.

    Any thread of the process may call any method. An episode is in the file as soon as `write_episode` returns.
    """

    def __init__(self, connection: Connection, lock: WriterLock | None) -> None:
        self._connection, self._lock = connection, lock
        self.folder = connection.path.parent

    @classmethod
    def create(cls, folder: Path | str, meta: Mapping[str, Any]) -> Self:
        """Start the record of a new run.

        Args:
            folder: The run folder; made where it is missing.
            meta: What to know about the run, by key; JSON values.

        Raises:
            StoreError: The folder holds a run already, has another writer, cannot be written or is on a network.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the run folder {folder}: {error.strerror}; choose another one") from error
        store = cls._open(folder, read_only=False)
        try:
            if store.meta:
                raise StoreError(f"{folder} holds a run already; resume that one, or choose another run folder")
            store.set_meta({"created_at": datetime.now(UTC).isoformat(timespec="seconds"), **meta})
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open(
        cls, folder: Path | str, *, read_only: bool = False, expected_meta: Mapping[str, Any] | None = None
    ) -> Self:
        """Open the record of a run that exists.

        Args:
            folder: The run folder.
            read_only: Whether to read beside a writer; nothing can be written then, and an older file stays as it is.
            expected_meta: Values that must be found in the run's meta, so that no other run is continued.

        Raises:
            StoreError: There is no run, it is another one, has another writer, is damaged or on a network.
        """
        folder = Path(folder)
        if not (folder / DATABASE).is_file():
            raise StoreError(f"{folder} holds no run: there is no {DATABASE} in it; check the path")
        store = cls._open(folder, read_only)
        try:
            meta = store.meta
            if not meta:
                raise StoreError(f"{folder} holds a run that was never started; delete the folder and start it again")
            for key, value in (expected_meta or {}).items():
                if meta.get(key) != value:
                    raise StoreError(
                        f"{folder} holds another run: its {key} is {meta.get(key)!r}, expected {value!r}; choose that "
                        "run's folder, or a new one"
                    )
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _open(cls, folder: Path, read_only: bool) -> Self:
        refuse_network_file_system(folder)
        lock = None if read_only else WriterLock(folder)
        try:
            return cls(Connection(folder / DATABASE, read_only), lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def close(self) -> None:
        """Close the file and let the next writer in; a second call does nothing."""
        self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the run, by key."""
        rows = self._connection.rows("SELECT key, value FROM meta")
        with self._connection.decoding("what is known about the run"):
            return {key: json.loads(value) for key, value in rows}

    def set_meta(self, values: Mapping[str, Any]) -> None:
        """Add or replace what is known about the run."""
        rows = [(key, codec.to_json_text(value, f"meta {key!r}")) for key, value in values.items()]
        with self._connection.transaction() as sqlite:
            sqlite.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def write_tasks(self, tasks: Iterable[Task]) -> None:
        """Record tasks without their private parts; run folders are passed around, answers should not be."""
        rows = []
        for task in tasks:
            record = {key: value for key, value in task.to_json().items() if key != "private"}
            rows.append((task.id, task.content_hash, codec.to_json_text(record, f"task {task.id!r}")))
        with self._connection.transaction() as sqlite:
            sqlite.executemany("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?)", rows)

    def tasks(self) -> dict[str, dict[str, Any]]:
        """The public part of each recorded task and its `content_hash`, by id."""
        rows = self._connection.rows("SELECT id, content_hash, record FROM tasks")
        with self._connection.decoding("the list of tasks"):
            return {id_: {**json.loads(record), "content_hash": content_hash} for id_, content_hash, record in rows}

    def write_episode(
        self,
        trajectory: Trajectory,
        iteration: int | None = None,
        purpose: Purpose = "train",
        *,
        is_replacement: bool = False,
    ) -> int:
        """Record an episode that ended, whole or not at all.

        Args:
            trajectory: The record; its group, where it has one, is noted as open.
            iteration: The iteration that collected it; None outside the training loop.
            purpose: What it was collected for.
            is_replacement: Whether it takes the place of a stored episode of the same id (a fault that was run again).

        Returns:
            The episode's number: numbers grow in the order of writing.

        Raises:
            StoreError: The id is taken, or writing failed.
            ContractError: The episode has not ended or holds something that is not JSON.
        """
        rows = codec.encode(trajectory, iteration, purpose)
        with self._connection.transaction() as sqlite:
            if is_replacement:
                sqlite.execute("DELETE FROM episodes WHERE id = ?", (trajectory.id,))
            return self._insert(sqlite, rows)

    def write_group(self, group: Group, iteration: int | None = None, purpose: Purpose = "train") -> None:
        """Record the episodes of a sealed group and the group, all or nothing; faster than one after another.

        Raises:
            StoreError: The group is not sealed, an id is taken, or writing failed.
            ContractError: An episode holds something that is not JSON.
        """
        encoded = [codec.encode(member, iteration, purpose) for member in (*group.members, *group.missing)]
        with self._connection.transaction() as sqlite:
            for rows in encoded:
                self._insert(sqlite, rows)
            self._seal(sqlite, group, iteration)

    def _insert(self, sqlite: sqlite3.Connection, rows: codec.Encoded) -> int:
        number = self._insert_episode(sqlite, rows.episode)
        sqlite.executemany(_INSERT_TURN, [(number, *turn) for turn in rows.turns])
        if rows.tokens is not None:
            sqlite.execute("INSERT INTO tokens VALUES (?, ?)", (number, rows.tokens))
        if rows.images:
            sqlite.executemany("INSERT OR IGNORE INTO images VALUES (?, ?, ?)", rows.images)
        if rows.group is not None:
            sqlite.execute("INSERT OR IGNORE INTO groups VALUES (?, ?, NULL, ?, 0)", rows.group)
        return number

    def _insert_episode(self, sqlite: sqlite3.Connection, episode: tuple[Any, ...]) -> int:
        try:
            number = sqlite.execute(_INSERT_EPISODE, episode).lastrowid
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f"{self._connection.path} holds an episode {episode[0]!r} already; ids are unique in a run"
            ) from error
        assert number is not None
        return number

    def episodes(
        self, *, with_tokens: bool = True, after: int = 0, **where: Unpack[EpisodeFilter]
    ) -> Iterator[Trajectory]:
        """The matching trajectories, in order of writing, exactly as they were written.

        Args:
            with_tokens: Whether to read token arrays; without them it is faster and turns carry empty ones.
            after: Number of the last episode to leave out, such as a watermark.
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
        """Trajectories by their numbers, in the order of the numbers; each time one is asked for it is its own copy.

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

    def watermark(self) -> int:
        """Number of the newest episode, 0 where there is none."""
        number: int | None = self._connection.rows("SELECT max(number) FROM episodes")[0][0]
        return number or 0

    def seal_group(self, group: Group, iteration: int | None = None) -> None:
        """Record that every episode of a group is accounted for; all of them must have been written.

        Raises:
            StoreError: The group is not sealed itself or one of its episodes is not in the file.
        """
        with self._connection.transaction() as sqlite:
            self._seal(sqlite, group, iteration)

    def _seal(self, sqlite: sqlite3.Connection, group: Group, iteration: int | None) -> None:
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

    def write_credit(
        self,
        label: str,
        record: Mapping[str, Any],
        events: Mapping[int, Sequence[RewardEvent]],
        *,
        is_replacement: bool = False,
    ) -> None:
        """Keep a second reading of who earned what beside the recorded events, which stay as they are.

        Args:
            label: Names the reading; unique in a run.
            record: How it was made, as JSON values.
            events: Reward events by the episode's number; episodes without any may be left out.
            is_replacement: Whether it takes the place of the reading of that label.

        Raises:
            StoreError: The label is taken, an episode does not exist, or writing failed; nothing was written then.
        """
        with self._connection.transaction() as sqlite:
            write_credit(sqlite, label, record, events, is_replacement)

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
        """How each kept reading of credit was made, by its label."""
        return labels(self._connection)

    def log_metrics(self, iteration: int, values: Mapping[str, float], phase: str = "train") -> None:
        """Record numbers of an iteration; a name that is there already is replaced. NaN reads back as NaN."""
        rows = [(phase, name, iteration, float(value)) for name, value in values.items()]
        with self._connection.transaction() as sqlite:
            sqlite.executemany("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?, ?)", rows)

    def metrics(
        self, names: Iterable[str] | None = None, phase: str = "train"
    ) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """The curve of each metric: iterations int64[N], ascending, and values float64[N].

        Args:
            names: Which; None for all. A name without values gets an empty curve.
            phase: Of which phase, such as "train" or "validation".
        """
        rows = self._connection.rows("SELECT name, iteration, value FROM metrics WHERE phase = ?", (phase,))
        points: dict[str, list[tuple[int, float]]] = {} if names is None else {name: [] for name in names}
        for name, iteration, value in rows:
            if names is None or name in points:
                points.setdefault(name, []).append((iteration, np.nan if value is None else value))
        return {name: _curve(curve) for name, curve in points.items()}

    def phases(self) -> list[str]:
        """The phases that have metrics."""
        return [phase for (phase,) in self._connection.rows("SELECT DISTINCT phase FROM metrics ORDER BY phase")]

    def rollback_after(self, iteration: int) -> int:
        """Drop what a killed run wrote after its checkpoint: later iterations, and groups that were in flight.

        Args:
            iteration: The last iteration that the checkpoint holds. What has no iteration (demonstrations, evaluations
                outside the loop) is kept, and so are the metrics of other phases, which count updates of their own.

        Returns:
            Number of episodes that were dropped.
        """
        in_flight = "purpose = 'train' AND group_id IN (SELECT id FROM groups WHERE NOT is_sealed)"
        with self._connection.transaction() as sqlite:
            dropped = sqlite.execute(f"DELETE FROM episodes WHERE iteration > ? OR {in_flight}", (iteration,)).rowcount
            sqlite.execute("DELETE FROM groups WHERE id NOT IN (SELECT group_id FROM episodes)")
            query = "DELETE FROM metrics WHERE iteration > ? AND phase IN ('train', 'validation')"
            sqlite.execute(query, (iteration,))
        return dropped

    def counts(self) -> dict[str, int]:
        """Number of rows of each table."""
        tables = ("tasks", "episodes", "turns", "metrics", "groups", "images")
        return {table: self._connection.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def _curve(points: list[tuple[int, float]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    points.sort()
    iterations = np.array([iteration for iteration, _ in points], np.int64)
    return iterations, np.array([value for _, value in points], np.float64)
