"""Duration-aware weights: a turn's term of the policy gradient counts by the time that the environment took for it.

They correct learning from whatever ends first; groups that are handed out in the order of their admission, as here,
need no such correction, and an environment whose turns all take alike is left as it is.
"""

from __future__ import annotations

import numpy as np

from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.curriculum import DurationConfig
from agentgym_rl.core.metrics import Metrics


def weigh_by_duration(batch: TrainBatch, config: DurationConfig) -> Metrics:
    """Multiply the advantages of each turn's tokens by w = clip(dt / mean dt, min_weight, max_weight).

    dt is the wall time of the environment's step, without the policy's and without waiting; the mean is over all turns
    of the batch. g = sum_i (dt_i / mean dt) grad logp_i A_i: Yang et al. 2025, arXiv 2509.01684. Differs: the clamp,
    since one slow turn would else outweigh the batch.

    Args:
        batch: With advantages, which are changed in place.
        config: The edges.

    Returns:
        `curriculum/duration_mean_s`, `curriculum/duration_weight_mean` and `curriculum/duration_clamped_share` of
        turns; nothing for a batch without turns.
    """
    seconds = [np.array([turn.times.env_s for turn in each.turns]) for each in batch.trajectories]
    flat = np.concatenate([*seconds, np.zeros(0)])
    if not flat.any():
        return {}
    mean = float(flat.mean())
    for index, own in enumerate(seconds):
        weights = np.clip(own / mean, config.min_weight, config.max_weight)
        advantages = batch.sampled(batch.advantages, index) * weights[batch.turn_index(index)]
        batch.spread(advantages, index, batch.advantages)
    free = flat / mean
    weights = np.clip(free, config.min_weight, config.max_weight)
    return {
        "curriculum/duration_mean_s": mean,
        "curriculum/duration_weight_mean": float(weights.mean()),
        "curriculum/duration_clamped_share": float((weights != free).mean()),
    }
