"""StepAgent by its implicit reward: the agent acts in each state of an expert, whose action is to be preferred.

Not here: the loss (step_preference.py); the paper's other reward, a discriminator's, which episodes are
played for: preset step_agent_inverse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from agentgym.errors import ConfigError
from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics, mean_by_name
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.publishing import publish
from agentgym_rl.hierarchical.listed.choices import Choices, StateActions, read_actions
from agentgym_rl.hierarchical.resampling import sample_branches
from agentgym_rl.hierarchical.transitions import turn_transitions
from agentgym_rl.offline.options import StepPreferenceOptions
from agentgym_rl.offline.step_preference import step_preference_loss
from agentgym_rl.offline.stored_episodes import StoredEpisodes

EXPERT, OWN = 0, 1
"""Places of both actions of a state."""


@dataclass(frozen=True)
class Pairs:
    """In each of N states of the expert its action and one that the policy samples now."""

    choices: Choices
    """First the expert's, then the policy's own."""
    share_same: float
    """Share of states in which both say the same, which teach nothing."""


class StepAgentLearner:
    """L = -mean_s log sigmoid(beta [log pi(a|s)/pi_0(a|s) - log pi(b|s)/pi_0(b|s)]), a the expert's, b ~ pi(.|s).

    Deng et al. 2024, arXiv 2411.03817. Differs: the reference is the policy at the start of the run, not that of the
    round before; states in which both say the same count in the mean and move nothing.

    Args:
        place: What it works with; there is a reference.
        episodes: The expert's.
    """

    def __init__(self, place: Workplace[StepPreferenceOptions], episodes: StoredEpisodes) -> None:
        if place.reference is None:
            raise ConfigError("step_preference compares with the policy at the start, and no copy of it was kept")
        self.place, self.episodes, self.reference = place, episodes, place.reference
        self.options = place.config.algorithm

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """The updates of an iteration, each on actions that the policy samples right before it."""
        rows = []
        for update in range(self.options.updates):
            drawn = self.episodes.draw(self.options.batch)
            state.seen_hashes.update(each.content_hash for each in drawn)
            seed = draw_seed(self.place.config.run.seed, "inspect", state.iteration, update)
            pairs = self.inspect(TrainBatch.of_trajectories(drawn), seed)
            rows.append(self.reflect(pairs))
        return mean_by_name(rows) | {"updates": sum(row["updates"] for row in rows), **self.episodes.metrics()}

    def inspect(self, batch: TrainBatch, seed: int) -> Pairs:
        """What the policy would say now in each state of the expert."""
        config, turns = self.place.config, turn_transitions(batch)
        wanted = np.arange(turns.num_turns)
        own = sample_branches(self.place.policy, batch.segments, turns, wanted, config.rollout.sampling, seed)
        states = []
        for branch in own:
            segment = batch.segments[branch.trunk]
            expert = segment.tokens[segment.completion_mask & (segment.turn_index == branch.turn)]
            states.append(StateActions(segment, branch.start, branch.turn, [expert, branch.action_ids]))
        same = [np.array_equal(each.actions[EXPERT], each.actions[OWN]) for each in states]
        return Pairs(Choices.of(states, config.packing.micro_batch_tokens), float(np.mean(same)))

    def reflect(self, pairs: Pairs) -> Metrics:
        """One step towards the expert's actions and away from the policy's own."""
        place, choices = self.place, pairs.choices
        reference = read_actions(self.reference, choices, place.config.packing).scores
        place.optimiser.zero_grad(set_to_none=True)
        sums: dict[str, float] = defaultdict(float)
        for micro, positions, mine in choices.micro_batches(place.config.packing, place.model.causal_lm.device):
            part, _ = choices.taken(mine)
            token_logprobs, entropies, _ = place.model.score(micro)
            scores = part.padded(positions.sum_of_tokens(token_logprobs))
            frozen = part.padded(reference[torch.from_numpy(mine).to(reference.device)])
            loss, margin = self._loss(scores, frozen, choices.num_states)
            torch.autograd.backward(loss)
            sums["loss/preference"] += float(loss.detach())
            sums["offline/margin"] += float(margin.sum()) / choices.num_states
            sums["entropy"] += float(entropies.sum())
            sums["tokens"] += len(entropies)
        norms = distributed.clip_groups(place.optimiser, place.config.optimiser.max_grad_norm)
        is_finite = bool(np.isfinite(norms).all())
        if is_finite:
            place.optimiser.step()
            publish(place.model, place.policy, place.policy.version)
        return {
            "loss/preference": sums["loss/preference"],
            "offline/margin": sums["offline/margin"],
            "offline/same_share": pairs.share_same,
            "loss/entropy": sums["entropy"] / sums["tokens"],
            "grad_norm/mean": norms[0],
            "updates": float(is_finite),
        }

    def parts(self) -> Mapping[str, Part]:
        """Where the draws stand."""
        return {"offline": self.episodes}

    def close(self) -> None:
        """Close the runs that are learnt from."""
        self.episodes.close()

    def _loss(
        self, scores: Float[torch.Tensor, "N 2"], reference: Float[torch.Tensor, "N 2"], num_states: int
    ) -> tuple[Float[torch.Tensor, ""], Float[torch.Tensor, " N"]]:
        """The loss of some states, and beta times how much more than the reference the expert's action is preferred."""
        weights = torch.full_like(scores[:, EXPERT], 1 / num_states)
        beta = self.options.beta
        loss = step_preference_loss(
            scores[:, EXPERT], scores[:, OWN], reference[:, EXPERT], reference[:, OWN], weights, beta
        )
        gains = (scores - reference).detach()
        return loss, beta * (gains[:, EXPERT] - gains[:, OWN])
