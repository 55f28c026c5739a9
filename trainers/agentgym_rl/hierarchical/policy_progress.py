"""How far the policy's own learning is, and how a checkpoint keeps it: in the record of another part.

Not here: when the policy learns (replay_learner.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from agentgym_rl.core.part_state import Part, PartState

_NAME = "policy"


class PolicyProgress:
    """What the policy has learnt so far.

    Args:
        optimiser: The policy's; its steps tell the progress of a checkpoint that does not say it.
        num_first: Updates of the first phase, which are not counted.

    Attributes:
        has_started: Whether it learns: once it does, it goes on.
        num_updates: Updates that changed the policy, without those of the first phase.
    """

    def __init__(self, optimiser: torch.optim.Optimizer, num_first: int) -> None:
        self._optimiser, self._num_first = optimiser, num_first
        self.has_started = False
        self.num_updates = 0

    def record(self) -> dict[str, Any]:
        """A JSON object."""
        return {"has_started": self.has_started, "num_updates": self.num_updates}

    def restore(self, record: Mapping[str, Any] | None) -> None:
        """Go on from a record; None: from an estimate, by an optimiser that is restored already."""
        if record is not None:
            self.has_started, self.num_updates = bool(record["has_started"]), int(record["num_updates"])
            return
        steps = max((int(moments["step"]) for moments in self._optimiser.state.values()), default=0)
        self.has_started, self.num_updates = steps > 0, max(0, steps - self._num_first)


class WithProgress:
    """A part of a checkpoint, with the policy's progress in its record.

    Args:
        part: What the record is of otherwise.
        progress: Of the policy.
    """

    def __init__(self, part: Part, progress: PolicyProgress) -> None:
        self._part, self._progress = part, progress

    def state(self) -> PartState:
        """That of the part, and the progress."""
        state = self._part.state()
        return PartState({**state.record, _NAME: self._progress.record()}, state.tensors)

    def restore(self, state: PartState) -> None:
        """Go on from a state; one without progress is of an older release.

        Raises:
            CheckpointError: The part cannot.
        """
        self._part.restore(state)
        self._progress.restore(state.record.get(_NAME))
