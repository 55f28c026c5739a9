"""What a critic says of episodes that it has not learnt from, beside what came of them.

Not here: the bands that are logged (agentgym_rl/calibration.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from agentgym.trajectory import Group, Trajectory
from agentgym_rl.batch import TrainBatch
from agentgym_rl.calibration import calibration_metrics
from agentgym_rl.hierarchical.critic import CriticNetwork
from agentgym_rl.hierarchical.options import CriticOptions
from agentgym_rl.hierarchical.targets import monte_carlo_targets
from agentgym_rl.hierarchical.transitions import turn_transitions
from agentgym_rl.hierarchical.valuation import encode_prompts, state_values
from agentgym_rl.models import PolicyModel
from agentgym_rl.packing import PackingConfig

MAX_EPISODES = 64
"""Episodes of an iteration that are valued for this alone."""


@torch.no_grad()
def fresh_calibration(
    network: CriticNetwork,
    groups: Sequence[Group],
    options: CriticOptions,
    packing: PackingConfig,
    policy: PolicyModel | None,
) -> dict[str, float]:
    """`calibration_metrics` of V at the turns of fresh episodes that ended, the mean of both heads.

    Episodes that a limit cut have no return to compare with, and are left out, as they are for a value head.

    Args:
        network: Before it has learnt from these episodes.
        groups: Collected just now; of more than `MAX_EPISODES` episodes, so many evenly among them.
        options: Discount and range of values.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower.
    """
    ended = [member for group in groups for member in group.members if _has_return(member)]
    chosen = np.unique(np.linspace(0, len(ended) - 1, min(len(ended), MAX_EPISODES)).astype(np.int64))
    batch = TrainBatch.of_trajectories([ended[index] for index in chosen])
    turns = turn_transitions(batch)
    if not turns.num_turns:
        return {}
    states = encode_prompts(network, batch.segments, packing, policy)
    values = state_values(network, states, options.network.value_range)
    nothing = np.zeros(turns.num_turns)
    returns = monte_carlo_targets(turns.rewards, turns.successor, nothing, options.discount)
    return calibration_metrics([values.mean(axis=0)], [returns])


def _has_return(member: Trajectory) -> bool:
    is_cut = member.outcome is not None and member.outcome.kind == "truncated"
    return not is_cut and member.total_reward is not None and math.isfinite(member.total_reward)
