"""What a critic says of episodes that it has not learnt from, beside what came of them.

Not here: how turns are valued (valuation.py), the bands that are logged (maths/calibration.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.hierarchical.critic.targets import monte_carlo_targets
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.maths.calibration import calibration_metrics

MAX_EPISODES = 64
"""Episodes of an iteration that are valued for this alone."""


class TurnValues(NamedTuple):
    """What a critic says of N turns.

    Attributes:
        state: float64[N], V of the state before each.
        advantage: float64[N], Q - V of what was said in it, as the actor reckons it.
    """

    state: Float64[np.ndarray, " N"]
    advantage: Float64[np.ndarray, " N"]


Valuing = Callable[[TrainBatch, TurnTransitions], TurnValues]


@dataclass(frozen=True)
class FreshValues:
    """Values of the turns of fresh episodes, by a critic that has not learnt from them."""

    batch: TrainBatch
    """The episodes."""
    turns: TurnTransitions
    """Their N turns."""
    values: TurnValues
    """Of these turns."""

    def calibration(self, discount: float) -> dict[str, float]:
        """`calibration_metrics` of V at the turns of episodes that ended.

        Episodes that a limit cut have no return to compare with, and are left out, as they are for a value head.
        """
        nothing = np.zeros(self.turns.num_turns)
        returns = monte_carlo_targets(self.turns.rewards, self.turns.successor, nothing, discount)
        is_whole = np.array([has_return(each) for each in self.batch.trajectories], np.bool_)
        mine = is_whole[self.turns.trajectory]
        return calibration_metrics([self.values.state[mine]], [returns[mine]])

    def advantages(self) -> dict[str, Float64[np.ndarray, " T"]]:
        """float64[T_i] of each episode by its id; 0 for a turn without sampled tokens, which no critic values."""
        found: dict[str, Float64[np.ndarray, " T"]] = {}
        for index, each in enumerate(self.batch.trajectories):
            mine = self.turns.trajectory == index
            found[each.id] = np.zeros(len(each.turns))
            found[each.id][self.turns.turn[mine]] = self.values.advantage[mine]
        return found


def fresh_values(groups: Sequence[Group], value: Valuing) -> FreshValues | None:
    """Value fresh episodes; None where none has sampled tokens.

    Args:
        groups: Collected just now; of more than `MAX_EPISODES` graded episodes, so many evenly among them.
        value: The critic, before it has learnt from these episodes.
    """
    return values_of([member for group in groups for member in group.members], value)


def values_of(members: Sequence[Trajectory], value: Valuing) -> FreshValues | None:
    """The same of any episodes, such as stored ones, of which a critic may have learnt."""
    graded = [member for member in members if _is_graded(member)]
    chosen = np.unique(np.linspace(0, len(graded) - 1, min(len(graded), MAX_EPISODES)).astype(np.int64))
    batch = TrainBatch.of_trajectories([graded[index] for index in chosen])
    turns = turn_transitions(batch)
    return FreshValues(batch, turns, value(batch, turns)) if turns.num_turns else None


def has_return(member: Trajectory) -> bool:
    """Whether no limit cut the episode, so that its return is that of all that would have followed."""
    return not member.is_truncated


def _is_graded(member: Trajectory) -> bool:
    return member.total_reward is not None and math.isfinite(member.total_reward)
