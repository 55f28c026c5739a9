"""What a curriculum decides about one group before it is played, and what came of it.

A plan is a JSON object in checkpoints, so that a resumed run plays again what was in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agentgym.rollout import Opening
from agentgym.task import Task
from agentgym.trajectory import Group, Trajectory

Source = Literal["stream", "band", "level", "retry", "recorded"]
"""Where a group's task came from: all tasks in turn, the band, a level of difficulty, failures, recorded successes."""


@dataclass(frozen=True)
class Plan:
    """One group before it is played.

    Attributes:
        index: Of the group, counted over the run.
        task: Its task, with the task's own limits.
        source: Where the task came from.
        rung: Level of difficulty or of starts that it was drawn for; 0 elsewhere.
        hint_probability: How likely each episode is shown the hint.
        opening: Recorded turns before the policy's own.
        horizon: Most turns of the policy that the stage allows; None for no such limit.
        blame: What the environment said of the task's last failed episode, for the hint.
    """

    index: int
    task: Task
    source: Source = "stream"
    rung: int = 0
    hint_probability: float = 0.0
    opening: Opening | None = None
    horizon: int | None = None
    blame: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def is_capped(self) -> bool:
        """Whether the stage's limit of turns is smaller than the task's own."""
        own = self.task.limits.max_turns
        return self.horizon is not None and (own is None or self.horizon + self.num_opened < own)

    @property
    def num_opened(self) -> int:
        """Turns that are played before the policy's own."""
        return 0 if self.opening is None else len(self.opening.actions)

    @property
    def played(self) -> Task:
        """The task as it is played: the environment truncates at the smaller limit of turns."""
        if self.horizon is None or not self.is_capped:
            return self.task
        return replace(self.task, limits=replace(self.task.limits, max_turns=self.horizon + self.num_opened))

    @property
    def is_plain(self) -> bool:
        """Whether the policy played the task from its start without help."""
        return self.opening is None and self.source != "retry"

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "index": self.index,
            "task": self.task.to_json(),
            "source": self.source,
            "rung": self.rung,
            "hint_probability": self.hint_probability,
            "opening": None if self.opening is None else self.opening.to_json(),
            "horizon": self.horizon,
            "blame": dict(self.blame),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Plan:
        """The inverse of `to_json`."""
        opening = None if fields["opening"] is None else Opening.from_json(fields["opening"])
        return cls(**{**fields, "task": Task.from_json(fields["task"]), "opening": opening})


@dataclass(frozen=True)
class Result:
    """What came of a plan.

    Attributes:
        plan: The plan.
        members: The graded episodes of its groups, of all roles that learn.
        attempts: How many say something about success: all, or none where the stage's limit cut any of them, since
            those that it left would tell too good or too bad a tale.
        successes: How many of these succeeded.
        num_cut: Episodes that the stage's limit cut.
    """

    plan: Plan
    members: Sequence[Trajectory]
    attempts: int
    successes: int
    num_cut: int

    @classmethod
    def of(cls, plan: Plan, groups: Sequence[Group]) -> Result:
        """The result of a plan's groups."""
        members = [member for group in groups for member in group.members]
        num_cut = sum(plan.is_capped and was_out_of_turns(member) for member in members)
        telling = [] if num_cut else members
        return cls(plan, members, len(telling), sum(bool(each.success) for each in telling), num_cut)

    @property
    def success(self) -> float | None:
        """Share of successes; None where nothing is known."""
        return self.successes / self.attempts if self.attempts else None


def was_out_of_turns(member: Trajectory) -> bool:
    """Whether an episode ended because its turns were used up."""
    return member.outcome is not None and member.outcome.kind == "truncated" and member.outcome.cause == "turns"
