"""RunStore: everything that a run recorded, in one object.

Reading is in `run_reader`; the SQL of writing is in `writing`, `credit` and `metrics`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agentgym.errors import StoreError, WrongRunError
from agentgym.reward import RewardEvent
from agentgym.store import codec
from agentgym.store.connection import Connection
from agentgym.store.credit import write_credit
from agentgym.store.lock import WriterLock, refuse_network_file_system
from agentgym.store.metrics import write_metrics
from agentgym.store.query import Purpose
from agentgym.store.run_reader import RunReader
from agentgym.store.writing import delete_after, insert_episode, seal
from agentgym.task import Task
from agentgym.trajectory import Group, Trajectory

DATABASE = "run.db"
"""Name of the database in a run folder."""


class RunStore(RunReader):
    """The database of one run; make it with `create` or `open`.

    Any thread of the process may call any method. An episode is in the file as soon as `write_episode` returns.
    """

    def __init__(self, connection: Connection, lock: WriterLock | None) -> None:
        super().__init__(connection)
        self._lock = lock

    @classmethod
    def create(cls, folder: Path | str, meta: Mapping[str, Any]) -> Self:
        """Start the record of a new run.

        Args:
            folder: The run folder; created if it is missing.
            meta: Information about the run, by key; JSON values.

        Raises:
            WrongRunError: The folder holds a run already.
            StoreError: It has another writer, cannot be written or is on a network.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the run folder {folder}: {error.strerror}; choose another one") from error
        store = cls._open(folder, read_only=False)
        try:
            if store.meta:
                raise WrongRunError(f"{folder} holds a run already; resume that one, or choose another run folder")
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
            read_only: Whether to read only, which is possible beside a writer. Nothing can be written then, and an
                older file is not changed.
            expected_meta: Values that the run's meta must have, so that no other run is continued.

        Raises:
            WrongRunError: There is no run, or it is another one.
            StoreError: It has another writer, is damaged or on a network.
        """
        folder = Path(folder)
        if not (folder / DATABASE).is_file():
            why = f"there is no {DATABASE} in it" if folder.is_dir() else "there is no folder of that name"
            raise WrongRunError(f"{folder} holds no run: {why}; check the path")
        store = cls._open(folder, read_only)
        try:
            meta = store.meta
            if not meta:
                raise WrongRunError(
                    f"{folder} holds a run that was never started; delete the folder and start it again"
                )
            for key, value in (expected_meta or {}).items():
                if meta.get(key) != value:
                    raise WrongRunError(
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

    def set_meta(self, values: Mapping[str, Any]) -> None:
        """Add or replace information about the run."""
        rows = [(key, codec.to_json_text(value, f"meta {key!r}")) for key, value in values.items()]
        with self._connection.transaction() as sqlite:
            sqlite.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def write_tasks(self, tasks: Iterable[Task]) -> None:
        """Record tasks without their private parts, because run folders may be shared and answers should not be."""
        rows = []
        for task in tasks:
            record = {key: value for key, value in task.to_json().items() if key != "private"}
            rows.append((task.id, task.content_hash, codec.to_json_text(record, f"task {task.id!r}")))
        with self._connection.transaction() as sqlite:
            sqlite.executemany("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?)", rows)

    def write_episode(
        self,
        trajectory: Trajectory,
        iteration: int | None = None,
        purpose: Purpose = "train",
        *,
        is_replacement: bool = False,
    ) -> int:
        """Record an episode that ended, as a whole or not at all.

        Args:
            trajectory: The record; its group, if it has one, is noted as open.
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
            return insert_episode(sqlite, rows, self._connection.path)

    def write_group(self, group: Group, iteration: int | None = None, purpose: Purpose = "train") -> None:
        """Record the episodes of a sealed group and the group, all or nothing; faster than one after another.

        Raises:
            StoreError: The group is not sealed, an id is taken, or writing failed.
            ContractError: An episode holds something that is not JSON.
        """
        encoded = [codec.encode(member, iteration, purpose) for member in (*group.members, *group.missing)]
        with self._connection.transaction() as sqlite:
            for rows in encoded:
                insert_episode(sqlite, rows, self._connection.path)
            seal(sqlite, group, iteration)

    def seal_group(self, group: Group, iteration: int | None = None) -> None:
        """Record that every episode of a group is accounted for; all of them must have been written.

        Raises:
            StoreError: The group is not sealed itself or one of its episodes is not in the file.
        """
        with self._connection.transaction() as sqlite:
            seal(sqlite, group, iteration)

    def write_credit(
        self,
        label: str,
        record: Mapping[str, Any],
        events: Mapping[int, Sequence[RewardEvent]],
        *,
        is_replacement: bool = False,
    ) -> None:
        """Store credit under a label, in addition to the recorded events, which stay unchanged.

        Args:
            label: Names the credit; unique in a run.
            record: How it was made, as JSON values.
            events: Reward events by the episode's number; episodes without any may be left out.
            is_replacement: Whether it replaces the credit of that label.

        Raises:
            StoreError: The label is taken, an episode does not exist, or writing failed; nothing was written then.
        """
        with self._connection.transaction() as sqlite:
            write_credit(sqlite, label, record, events, is_replacement)

    def log_metrics(self, iteration: int, values: Mapping[str, float], phase: str = "train") -> None:
        """Record numbers of an iteration; a name that is there already is replaced. NaN reads back as NaN."""
        with self._connection.transaction() as sqlite:
            write_metrics(sqlite, iteration, values, phase)

    def rollback_after(self, iteration: int) -> int:
        """Remove what a killed run wrote after its checkpoint: later iterations, and groups that were in flight.

        Args:
            iteration: The last iteration that the checkpoint holds. What has no iteration (demonstrations, evaluations
                outside the loop) is kept, and so are the metrics of other phases, which count updates of their own.

        Returns:
            Number of episodes that were dropped.
        """
        with self._connection.transaction() as sqlite:
            return delete_after(sqlite, iteration)
