"""Guidance: tasks whose whole group failed wait for another try with a hint in the prompt.

The rollout keeps the hint out of the recorded prompts, so that the update trains pi(a|s) on samples of pi(a|s, hint)
with the importance weights of `importance.py`: W = min(exp(logp(a|s) - logp(a|s, hint)), cap) where they are truncated.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.reward import BLAME
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_rl.core.config.curriculum import GuidanceConfig
from agentgym_rl.curricula.plan import Result


@dataclass(frozen=True)
class Failure:
    """A task that waits for a try with help.

    Attributes:
        task: The task.
        success: Of its last group of which it is known.
        tries: Groups with help so far.
        blame: What the environment said of its last failed episode, as in `last_blame`.
    """

    task: Task
    success: float = 0.0
    tries: int = 0
    blame: Mapping[str, Any] = field(default_factory=dict, hash=False)


class Guidance:
    """The tasks that wait, in order of their failures.

    Args:
        config: The guidance.
    """

    def __init__(self, config: GuidanceConfig) -> None:
        self.config = config
        self._waiting: OrderedDict[str, Failure] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def draw(self, rng: random.Random, busy: Collection[str]) -> Failure | None:
        """The task that has waited longest; None for a group without help."""
        if rng.random() >= self.config.share:
            return None
        return next((failure for task_id, failure in self._waiting.items() if task_id not in busy), None)

    def probability(self, failure: Failure) -> float:
        """How likely each episode of a try is shown the hint: p (1 - success of the last group)."""
        return self.config.probability * (1.0 - failure.success)

    def record(self, result: Result) -> None:
        """Take up a group: a try that was good enough, or the last one, ends the waiting; a failure begins it.

        A try of which nothing is known, such as one that a stage of the horizon cut, counts as a try.
        """
        task, success = result.plan.task, result.success
        waiting, blame = self._waiting.get(task.id), last_blame(result.members)
        if result.plan.source == "retry" and waiting is not None:
            del self._waiting[task.id]
            last = waiting.success if success is None else success
            if last < self.config.enough and waiting.tries + 1 < self.config.max_tries:
                self._waiting[task.id] = Failure(waiting.task, last, waiting.tries + 1, blame or waiting.blame)
        elif success == 0.0 and result.plan.opening is None and waiting is None:
            self._waiting[task.id] = Failure(task, blame=blame)
            if len(self._waiting) > self.config.capacity:
                self._waiting.popitem(last=False)

    def to_json(self) -> list[dict[str, Any]]:
        """JSON objects."""
        return [
            {"task": each.task.to_json(), "success": each.success, "tries": each.tries, "blame": dict(each.blame)}
            for each in self._waiting.values()
        ]

    def restore(self, failures: Sequence[dict[str, Any]]) -> None:
        """The inverse of `to_json`."""
        found = [Failure(**{**each, "task": Task.from_json(each["task"])}) for each in failures]
        self._waiting = OrderedDict((failure.task.id, failure) for failure in found)


def last_blame(members: Sequence[Trajectory]) -> Mapping[str, Any]:
    """The detail of the event `blame` of the last failed episode that has one; {} where none has."""
    said = (
        event.detail
        for member in reversed(members)
        if not member.success
        for event in member.events
        if event.component == BLAME and event.detail
    )
    return dict(next(said, {}))
