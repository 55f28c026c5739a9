"""Starts in the middle: recorded successes of a task, of which a group plays the last turns alone.

That the environment comes to the recorded state again is checked where the turns are played (`agentgym.rollout`).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agentgym.rollout import Opening
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_rl.core.config.curriculum import StartConfig
from agentgym_rl.curricula.ladder import Ladder
from agentgym_rl.curricula.plan import Result


class Start(NamedTuple):
    """A task, the turns that are played before the policy's, and the rung that this is."""

    task: Task
    opening: Opening
    rung: int


class RecordedStarts:
    """The shortest recorded success of each train task, and how far back groups start.

    Of a success of T turns, rung j of n leaves the last ceil(T (j + 1) / n) to the policy.

    Args:
        config: The starts.
        tasks: The train tasks.
    """

    def __init__(self, config: StartConfig, tasks: Sequence[Task]) -> None:
        self.config = config
        self.ladder = Ladder(config.stages, config.raise_above, config.window)
        self._tasks = {task.id: task for task in tasks}
        self._recorded: dict[str, Opening] = {}

    def __len__(self) -> int:
        return len(self._recorded)

    def take(self, trajectories: Iterable[Trajectory]) -> None:
        """Keep successes that are shorter than what is known of their task."""
        for each in trajectories:
            opening = Opening.of(each) if each.success and each.task_id in self._tasks else None
            known = self._recorded.get(each.task_id)
            if opening is not None and (known is None or len(opening.actions) < len(known.actions)):
                self._recorded[each.task_id] = opening

    def draw(self, rng: random.Random, busy: Collection[str]) -> Start | None:
        """A start in a task that is not in flight; None for a group from the beginning."""
        if rng.random() >= self.config.share:
            return None
        gone = self.config.stages - 1 - self.ladder.rung
        begun = {
            task_id: (len(opening.actions) + 1) * gone // self.config.stages
            for task_id, opening in self._recorded.items()
            if task_id not in busy
        }
        chosen = sorted(task_id for task_id, turns in begun.items() if turns > 0)
        if not chosen:
            return None
        task_id = rng.choice(chosen)
        return Start(self._tasks[task_id], self._recorded[task_id].first(begun[task_id]), self.ladder.rung)

    def record(self, result: Result) -> None:
        """Take up a group: its success where it had such a start, and its successful episodes."""
        if result.plan.opening is not None:
            self.ladder.record(result.plan.rung, result.success)
        self.take(result.members)

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        recorded = {task_id: opening.to_json() for task_id, opening in self._recorded.items()}
        return {"ladder": self.ladder.to_json(), "recorded": recorded}

    def restore(self, fields: Mapping[str, Any]) -> None:
        """The inverse of `to_json`."""
        self.ladder.restore(fields["ladder"])
        self._recorded = {task_id: Opening.from_json(each) for task_id, each in fields["recorded"].items()}
