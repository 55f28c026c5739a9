"""What the turns of an iteration were credited with, kept with the run for its report, instead of that of the last one.

Not here: assigning credit (credit.py, attributed.py, hierarchical/critic/fresh_values.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.attribution.contract import Credited, Yields
from agentgym.attribution.offline import keep_credit
from agentgym.attribution.steps import Floats
from agentgym.outcome import GRADED
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory

IN_TRAINING = "in training"
"""What the credit of a method of attribution is kept under."""
BY_CRITIC = "critic"
"""What the advantages of turns under a critic are kept under."""
_MAX_KEPT = 256
"""Episodes of an iteration whose credit is kept."""


@dataclass(frozen=True)
class CriticAdvantages:
    """Advantages of turns: what the policy learnt from under a critic."""

    name: str
    """How they are made of values."""
    conserves: bool = False
    yields: Yields = "advantages"


def keep_trained_on(
    store: RunStore,
    label: str,
    method: Credited,
    trajectories: Sequence[Trajectory],
    turns: Mapping[str, Floats],
    iteration: int,
) -> None:
    """Keep with the run what an iteration's episodes were given, instead of what those of the one before were.

    Args:
        store: The run's database, which holds the episodes.
        label: What it is kept under.
        method: What gave it.
        trajectories: Those of the iteration; what was replayed beside them is of earlier ones and not kept again.
        turns: float64[T_i] of each that was credited, by id; where a critic has diverged, an episode is left out.
        iteration: Counted from 0.

    Raises:
        StoreError: Writing failed.
    """
    policies = sorted({each.policy for each in trajectories})
    found = [store.episode_rows(purpose="train", policy=name, iteration=iteration + 1) for name in policies]
    rows = [row for of_policy in found for row in of_policy]
    is_kept = {name: bool(np.isfinite(credit).all()) for name, credit in turns.items()}
    fresh = {each.id: each for each in trajectories if each.turns and is_kept.get(each.id)}
    credited = [row for row in rows if row.id in fresh]
    chosen = credited[:_MAX_KEPT]
    num_creditable = sum(row.outcome in GRADED and row.num_turns > 0 for row in rows)
    keep_credit(
        store,
        label,
        method,
        [(row.number, fresh[row.id]) for row in chosen],
        [turns[row.id] for row in chosen],
        purpose="train",
        left_out=len(rows) - num_creditable,
    )
