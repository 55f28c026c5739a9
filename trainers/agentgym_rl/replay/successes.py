"""One stored success for a group that has none, so that a task which is seldom solved still has a gradient.

This is the replay of ARPO (Lu et al. 2025, arXiv 2505.16282), which keeps the last few successes of each task. Differs:
the success is added to the group and does not replace a fresh episode. It keeps the log-probabilities of its sampling,
and counts in the group's baseline with its own weight. The released code recomputes them, which would make its weight
1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agentgym.errors import ConfigError, ContractError
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.reading import read_episodes

REPLAYED = "replayed_from"
"""Key of a replayed trajectory's metadata: its id in the store."""


class TaskSuccesses:
    """The newest successes of each task and role; those without behaviour log-probabilities are left out.

    Args:
        index: The index to draw from; its bounds apply here too.
        generator: Makes the draws.
        per_task: Most successes that are kept of a task; the oldest go first.

    Attributes:
        filled: The successes that the last `fill` added.
    """

    def __init__(self, index: ReplayIndex, generator: np.random.Generator, per_task: int = 8) -> None:
        if per_task < 1:
            raise ConfigError(f"replay.per_task is {per_task}; expected at least 1 success a task")
        self.index, self.per_task = index, per_task
        self.filled = Draw.of(index, "episode", np.zeros(0, np.int64))
        self._generator = generator
        self._by_task: dict[tuple[str, str], list[int]] = {}
        self._generation = -1

    def of_task(self, task_id: str, role: str = "agent") -> list[int]:
        """The kept successes of a task as entries of the index, oldest first."""
        if self._generation != self.index.generation:
            self._by_task = {}
            for entry in np.flatnonzero((self.index.success == 1) & ~self.index.is_derived).tolist():
                kept = self._by_task.setdefault(self.index.tasks[self.index.task[entry]], [])
                kept.append(entry)
                del kept[: -self.per_task]
            self._generation = self.index.generation
        return self._by_task.get((task_id, role), [])

    def draw(self, count: int) -> Draw:
        """Draw that many successes of any task, with replacement.

        Raises:
            ContractError: There are no successes.
        """
        require_count(count)
        self.index.require_entries("episode")
        self.of_task("")
        kept = np.array([entry for entries in self._by_task.values() for entry in entries], np.int64)
        if not len(kept):
            raise ContractError("no success is stored yet; fill groups, or draw once an episode succeeded")
        return Draw.of(self.index, "episode", self._generator.choice(kept, count))

    def fill(self, groups: Sequence[Group], fits: Callable[[Trajectory], bool] = lambda _: True) -> list[Group]:
        """Add one stored success to each group without a success, and return other groups unchanged.

        The added episode has its own id and attempt, and its metadata name the stored episode (`REPLAYED`).

        Args:
            groups: Fresh groups.
            fits: Whether a success can be learned from; one that cannot is drawn, but not added.
        """
        chosen = [self._choose(group) for group in groups]
        added = [entry for entry in chosen if entry is not None]
        self.filled = Draw.of(self.index, "episode", np.array(added, np.int64))
        drawn = iter(read_episodes(self.filled))
        successes = [None if entry is None else next(drawn) for entry in chosen]
        return [
            group if success is None or not fits(success) else _joined(group, success)
            for group, success in zip(groups, successes, strict=True)
        ]

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        return {"rng": generator_state(self._generator)}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint; restore the index first."""
        restore_generator(self._generator, record)
        self._generation = -1

    def _choose(self, group: Group) -> int | None:
        """One of the stored successes of a group's task; None if the group needs none, or there is none."""
        if not group.members or any(member.success for member in group.members):
            return None
        stored = self.of_task(group.task_id, group.members[0].role)
        return stored[int(self._generator.integers(0, len(stored)))] if stored else None


def _joined(group: Group, found: Trajectory) -> Group:
    added = replace(
        found,
        id=f"{found.id}@{group.id}",
        group_id=group.id,
        attempt=group.size,
        metadata={**found.metadata, REPLAYED: found.id},
    )
    return replace(group, size=group.size + 1, members=[*group.members, added])


def is_replayed(trajectory: Trajectory) -> bool:
    """Whether a group's member came from replay."""
    return REPLAYED in trajectory.metadata
