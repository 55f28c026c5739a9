"""The index of a run for replay, as columns in memory: episodes, their age and returns; tokens stay on disk.

The selectors beside this file choose entries, and `reading` reads them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.errors import CheckpointError, ContractError, StoreError
from agentgym.store import RunStore
from agentgym.store.columns import EpisodeColumns
from agentgym_rl.core.part_state import PartState
from agentgym_rl.replay.tables import ReplayConfig, Unit


class Refreshed(NamedTuple):
    """The changes by a refresh, in turns; `refused` counts those of new episodes that may not enter."""

    added: int
    dropped: int
    refused: int


class ReplayIndex:
    """The graded training episodes of one run that may be drawn, in order of writing; E episodes, N turns.

    Episodes of validation, tests and demonstrations never enter. Entries are numbered from 0 and move at a refresh.

    Args:
        store: The run.
        config: Bounds.
        suite: The suite that is trained on.

    Attributes:
        number: int64[E], the episodes' numbers in the store.
        task: int32[E], index into `tasks`.
        tasks: Task id and role of each task with an episode here, and of some that had one.
        iteration: int32[E], the iteration that collected it, -1 if unknown.
        version: int32[E], the oldest weights that sampled a turn of it, -1 if there are none.
        success: int8[E], -1 if unknown.
        reward: float64[E], the return.
        is_truncated, is_derived: bool[E].
        starts: int64[E + 1], the first turn of each episode, and N.
        turn_reward: float64[N].
        turn_version: int32[N].
        opens_segment: bool[N].
        turn_priority, episode_priority: float64[N] and float64[E], NaN before one is set.
        watermark: Number of the newest episode that was looked at.
        generation: Grows whenever entries move.
        left_out: Number of episodes that were dropped as out of bounds since the index was made.
    """

    def __init__(self, store: RunStore, config: ReplayConfig, *, suite: str) -> None:
        self.store, self.config, self.suite = store, config, suite
        self.watermark = self.generation = self.left_out = 0
        self.now_iteration = self.now_version = 0
        self.tasks: list[tuple[str, str]] = []
        self._task_codes: dict[tuple[str, str], int] = {}
        self._clear()

    def _clear(self) -> None:
        self.number, self.starts = np.zeros(0, np.int64), np.zeros(1, np.int64)
        self.task, self.iteration, self.version = (np.zeros(0, np.int32) for _ in range(3))
        self.success = np.zeros(0, np.int8)
        self.reward, self.episode_priority, self.turn_reward, self.turn_priority = (np.zeros(0) for _ in range(4))
        self.is_truncated, self.is_derived, self.opens_segment = (np.zeros(0, np.bool_) for _ in range(3))
        self.turn_version = np.zeros(0, np.int32)

    @property
    def num_turns(self) -> int:
        """N."""
        return len(self.turn_reward)

    @property
    def num_episodes(self) -> int:
        """E."""
        return len(self.number)

    def size(self, unit: Unit) -> int:
        """Number of entries of a unit."""
        return self.num_turns if unit == "turn" else self.num_episodes

    def largest_return(self) -> float:
        """The largest return of all episodes, with rewards taken without sign; 0 if there is none."""
        sums = np.concatenate([[0.0], np.cumsum(np.abs(self.turn_reward))])
        return float(np.diff(sums[self.starts]).max(initial=0.0))

    def returns(self) -> NDArray[np.float64]:
        """The return of each episode."""
        sums = np.concatenate([[0.0], np.cumsum(self.turn_reward)])
        found: NDArray[np.float64] = np.diff(sums[self.starts])
        return found

    def require_entries(self, unit: Unit) -> int:
        """The number of entries.

        Raises:
            ContractError: There are no entries.
        """
        size = self.size(unit)
        if size == 0:
            raise ContractError(
                f"the replay buffer of {self.store.folder} is empty: no graded training episode within capacity "
                f"{self.config.capacity}, max_age {self.config.max_age} and max_lag {self.config.max_lag}; refresh it "
                "after episodes were collected, or widen the bounds"
            )
        return size

    def episode_of(self, turns: NDArray[np.int64]) -> NDArray[np.int64]:
        """The episode of each turn."""
        return np.searchsorted(self.starts, turns, side="right") - 1

    def ages(self) -> NDArray[np.int64]:
        """int64[E]: iterations since each episode was collected; 0 if unknown."""
        return np.where(self.iteration < 0, 0, self.now_iteration - self.iteration.astype(np.int64))

    def lags(self) -> NDArray[np.int64]:
        """int64[E]: versions by which the oldest weights that sampled the episode lie behind; 0 if unknown."""
        return _behind(self.version, self.now_version)

    def turn_lags(self, turns: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64: the same for single turns."""
        return _behind(self.turn_version[turns], self.now_version)

    # Growing and ageing.

    def refresh(self, *, iteration: int, version: int) -> Refreshed:
        """Add newly stored episodes, and drop those out of bounds.

        Args:
            iteration: The present iteration; ages count from it.
            version: The present version of the weights; lags count from it.

        Raises:
            StoreError: A new episode is of another suite, has no finite return, or the file is damaged.
        """
        self.now_iteration, self.now_version = iteration, version
        dropped = self._drop_beyond_bounds()
        added = refused = 0
        for found in self.store.columns(purpose="train", after=self.watermark):
            self._require_suite(found)
            is_admitted = found.num_turns > 0
            if self.config.admitted != "all":
                is_admitted &= found.is_derived == (self.config.admitted == "derived")
            refused += int(found.num_turns[~is_admitted].sum())
            before = self.num_turns
            self._append(found, is_admitted)
            added += self.num_turns - before
            self.watermark = int(found.number[-1])
            dropped += self._drop_beyond_bounds()
        if added or dropped:
            self.generation += 1
        return Refreshed(added, dropped, refused)

    def _drop_beyond_bounds(self) -> int:
        is_kept = np.ones(self.num_episodes, np.bool_)
        if self.config.max_age is not None:
            is_kept &= self.ages() <= self.config.max_age
        if self.config.max_lag is not None:
            is_kept &= self.lags() <= self.config.max_lag
        if self.config.capacity is not None:
            lengths = np.diff(self.starts) * is_kept
            turns_from_here = np.cumsum(lengths[::-1])[::-1]
            is_kept &= turns_from_here <= self.config.capacity
        self.left_out += int((~is_kept).sum())
        return self._keep(is_kept)

    def _keep(self, is_kept: NDArray[np.bool_]) -> int:
        """Drop the other episodes, and return the number of dropped turns."""
        if is_kept.all():
            return 0
        before, lengths = self.num_turns, np.diff(self.starts)
        is_turn_kept = np.repeat(is_kept, lengths)
        for name in _EPISODE_COLUMNS:
            setattr(self, name, getattr(self, name)[is_kept])
        for name in _TURN_COLUMNS:
            setattr(self, name, getattr(self, name)[is_turn_kept])
        self.starts = _starts(lengths[is_kept])
        self._forget_tasks()
        return before - self.num_turns

    def _forget_tasks(self) -> None:
        """Drop the names of tasks without an episode if they are the majority, because a made task comes only once."""
        if len(self.tasks) > 2 * self.num_episodes:
            used, codes = np.unique(self.task, return_inverse=True)
            self.task = codes.astype(np.int32)
            self.tasks = [self.tasks[code] for code in used.tolist()]
            self._task_codes = {task: code for code, task in enumerate(self.tasks)}

    def _append(self, found: EpisodeColumns, is_admitted: NDArray[np.bool_]) -> None:
        lengths = found.num_turns[is_admitted].astype(np.int64)
        if not len(lengths):
            return
        is_turn = np.repeat(is_admitted, found.num_turns)
        starts, versions = _starts(lengths), found.turn_version[is_turn]
        codes = [self._code(task) for task, is_in in zip(found.task, is_admitted, strict=True) if is_in]
        new = {
            "number": found.number[is_admitted],
            "task": np.array(codes, np.int32),
            "iteration": found.iteration[is_admitted],
            "version": _oldest(versions, starts),
            "success": found.success[is_admitted],
            "reward": found.reward[is_admitted],
            "is_truncated": found.is_truncated[is_admitted],
            "is_derived": found.is_derived[is_admitted],
            "episode_priority": np.full(len(lengths), np.nan),
            "turn_reward": found.turn_reward[is_turn],
            "turn_version": versions,
            "opens_segment": found.opens_segment[is_turn],
            "turn_priority": np.full(len(versions), np.nan),
        }
        for name, column in new.items():
            setattr(self, name, np.concatenate([getattr(self, name), column]))
        self.starts = _starts(np.concatenate([np.diff(self.starts), lengths]))

    def _code(self, task: tuple[str, str]) -> int:
        code = self._task_codes.setdefault(task, len(self.tasks))
        if code == len(self.tasks):
            self.tasks.append(task)
        return code

    def _require_suite(self, found: EpisodeColumns) -> None:
        for suite, number in zip(found.suite, found.number.tolist(), strict=True):
            if suite != self.suite:
                raise StoreError(
                    f"episode {number} of {self.store.folder} is of the suite {suite!r}, expected {self.suite!r}; "
                    "replay runs of the same suite only"
                )

    # Checkpoints.

    def state(self) -> PartState:
        """The state of the index for a checkpoint: its episodes, and their priorities."""
        record = {"watermark": self.watermark, "iteration": self.now_iteration, "version": self.now_version}
        columns = ("number", "turn_priority", "episode_priority")
        return PartState(record, {name: torch.from_numpy(getattr(self, name).copy()) for name in columns})

    def restore(self, state: PartState) -> None:
        """Restore the state of a checkpoint, with the same entries in the same order.

        Raises:
            CheckpointError: The store lacks episodes that the checkpoint names, or the state is of another index.
            StoreError: The store cannot be read.
        """
        try:
            watermark = int(state.record["watermark"])
            self.now_iteration, self.now_version = int(state.record["iteration"]), int(state.record["version"])
            columns = ("number", "turn_priority", "episode_priority")
            wanted, turns, episodes = (state.tensors[name].numpy() for name in columns)
        except KeyError as error:
            raise CheckpointError(
                f"the state of the replay buffer lacks {error}; resume from another checkpoint"
            ) from None
        self._clear()
        after = int(wanted[0]) - 1 if len(wanted) else watermark  # what left the buffer before need not be read again
        for found in self.store.columns(purpose="train", after=after, upto=watermark):
            self._append(found, np.isin(found.number, wanted))
        if not np.array_equal(self.number, wanted) or len(turns) != self.num_turns:
            raise CheckpointError(
                f"the checkpoint's replay buffer holds {len(wanted)} episodes of {len(turns)} turns, of which "
                f"{self.store.folder} has {self.num_episodes} of {self.num_turns}; restore the run's database from a "
                "copy, or resume from another checkpoint"
            )
        self.turn_priority, self.episode_priority = turns.copy(), episodes.copy()
        self.watermark = watermark
        self.generation += 1


_EPISODE_COLUMNS = (
    "number",
    "task",
    "iteration",
    "version",
    "success",
    "reward",
    "is_truncated",
    "is_derived",
    "episode_priority",
)
_TURN_COLUMNS = ("turn_reward", "turn_version", "opens_segment", "turn_priority")


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _oldest(versions: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The smallest version of each episode's turns that have one."""
    highest = np.iinfo(np.int32).max
    oldest = np.minimum.reduceat(np.where(versions < 0, highest, versions), starts[:-1])
    return np.where(oldest == highest, -1, oldest).astype(np.int32)


def _behind(versions: NDArray[np.int32], now: int) -> NDArray[np.int64]:
    return np.where(versions < 0, 0, now - versions.astype(np.int64))
