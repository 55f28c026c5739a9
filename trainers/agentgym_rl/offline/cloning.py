"""Behaviour cloning of stored episodes, all or the best, as a learner of the loop.

Not here: the update itself, which is that of the warm start (agentgym_rl/core/cloning.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from agentgym.trajectory import Group
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.cloning import clone_step
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.part_state import Part
from agentgym_rl.offline.options import CloningOptions
from agentgym_rl.offline.stored_episodes import StoredEpisodes


class CloningLearner:
    """L = -(1/N) sum_k log pi(token_k), over the N sampled tokens of the episodes of an update.

    Args:
        place: What it works with.
        episodes: What is learnt from.
    """

    def __init__(self, place: Workplace[CloningOptions], episodes: StoredEpisodes) -> None:
        self.place, self.episodes = place, episodes

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """The updates of an iteration; there are no groups."""
        place, options = self.place, self.place.config.algorithm
        steps, returns = [], []
        for _ in range(options.updates):
            drawn = self.episodes.draw(options.batch)
            state.seen_hashes.update(each.content_hash for each in drawn)
            returns += [each.total_reward or 0.0 for each in drawn]
            max_norm = place.config.optimiser.max_grad_norm
            steps.append(clone_step(place.model, place.optimiser, drawn, place.config.packing, max_norm))
        return {
            "loss/cloning": float(np.mean([step.loss for step in steps])),
            "grad_norm/mean": float(np.mean([step.grad_norm for step in steps])),
            "updates": float(sum(step.is_taken for step in steps)),
            **self.episodes.metrics(),
            "offline/kept_share": self.episodes.num_episodes / self.episodes.total,
            "offline/return": float(np.mean(returns)),
        }

    def parts(self) -> Mapping[str, Part]:
        """Where the draws stand."""
        return {"offline": self.episodes}

    def close(self) -> None:
        """Close the runs that are learnt from."""
        self.episodes.close()
