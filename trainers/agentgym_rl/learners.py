"""Which learner a run has: `algorithm.learner` by name.

Not here: what a learner is (learner.py), the loop around it (trainer.py).
"""

from __future__ import annotations

from agentgym_rl.group_learner import GroupLearner
from agentgym_rl.learner import Learner, Workplace


def make_learner(place: Workplace) -> Learner:
    """The learner that the configuration names.

    Args:
        place: What it works with.
    """
    return GroupLearner(place)
