"""The policy's updates of discrete soft actor-critic: every legal action of a state scored, and normalised over them.

Not here: the formulas (discrete_sac.py), the critic's updates (critic.py), playing by such a policy
(agentgym.policies.torch.listed).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from agentgym_rl.core import distributed
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.hierarchical.critic.network import TurnCritic, TurnStates, hidden_for
from agentgym_rl.hierarchical.critic.valuation import encode_actions, prompt_states
from agentgym_rl.hierarchical.entropy_temperature import EntropyTemperature
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.listed.choices import Choices, ListPolicy
from agentgym_rl.hierarchical.listed.discrete_sac import soft_policy_loss, soft_values


@dataclass(frozen=True)
class PolicyStep:
    """How the weights of the policy are moved."""

    optimiser: torch.optim.Optimizer
    """Of the model."""
    max_grad_norm: float
    """Of the gradient, which is scaled down to it."""
    publish: Callable[[], None]
    """Hands the new weights to what plays."""


class SoftActorUpdates:
    """Trains the policy towards the softmax of Q over the list.

    L = mean_s sum_a pi(a|s) (alpha log pi(a|s) - min_j Q_j(s, a)), pi(a|s) = softmax_a(log p(a|s) / temperature). The
    critic is one of stored states at any age and the sum is over all actions: no ratio is needed, nothing is sampled.

    Args:
        policy: With the model that is trained.
        critic: Read only.
        entropy: alpha; tuned beside the policy.
        step: How the weights are moved.
        read: Whose hidden states a critic without a tower reads; None: the policy's.
    """

    def __init__(
        self,
        policy: ListPolicy,
        critic: TurnCritic,
        entropy: EntropyTemperature,
        step: PolicyStep,
        read: PolicyModel | None = None,
    ) -> None:
        self.policy, self.critic, self.entropy, self.step, self.read = policy, critic, entropy, step, read

    def learn(self, experience: Experience) -> dict[str, float]:
        """One update on update 0 of an experience.

        Returns:
            For the log.

        Raises:
            ContractError: A drawn turn was recorded without its legal actions.
        """
        optimiser, rows = self.step.optimiser, experience.rows(0)
        choices = self.policy.lists.choices(experience, listed=rows)
        weights = torch.from_numpy(experience.weights[0][rows])
        optimiser.zero_grad(set_to_none=True)
        sums: dict[str, float] = defaultdict(float)
        actions = self._actions(choices)
        for micro, positions, mine in choices.micro_batches(self.policy.packing, self.policy.device):
            own = actions[torch.from_numpy(mine).to(actions.device)]
            for name, each in self._learn_from(micro, positions, choices.taken(mine), own, weights).items():
                sums[name] += each
        norms = distributed.clip_groups(optimiser, self.step.max_grad_norm)
        is_finite = all(np.isfinite(norm) for norm in norms)
        if is_finite:
            optimiser.step()
            self.step.publish()
            self.entropy.step()
        else:
            self.entropy.forget()
        metrics = {f"actor/{name}": sums[name] for name in ("value", "entropy_share", "num_actions")}
        metrics |= {"actor/alpha": self.entropy.alpha, "loss/entropy": sums["entropy"]}
        return metrics | {"grad_norm/mean": norms[0], "updates": float(is_finite)}

    def _learn_from(
        self,
        micro: MicroBatch,
        positions: TurnPositions,
        taken: tuple[Choices, Int64[np.ndarray, " s"]],
        actions: Float[Tensor, "m D"],
        weights: Float[Tensor, " S"],
    ) -> dict[str, float]:
        """Leave the gradient of a micro-batch, whose states are whole; returns sums for the log."""
        part, states = taken
        model = self.policy.model
        hidden = model.hidden_states(micro.tokens, micro.position_ids, micro.attention_mask())
        token_logprobs, _ = model.read(hidden, micro.tokens, micro.completion_mask, entropy="none")
        logprobs = self.policy.logprobs(part, positions.sum_of_tokens(token_logprobs))
        q = part.padded(self._q(micro, positions, hidden.detach(), actions))
        share = weights[torch.from_numpy(states)].to(logprobs)
        torch.autograd.backward(soft_policy_loss(logprobs, q, self.entropy.alpha, share))
        fixed, sizes = logprobs.detach(), part.is_available.sum(-1).to(logprobs)
        self.entropy.observe(fixed, sizes, share)
        entropy = soft_values(fixed, torch.zeros_like(q), 1.0)
        seen = {
            "value": soft_values(fixed, q, 0.0),
            "entropy": entropy,
            "entropy_share": entropy / sizes.log().clamp(min=1e-9),
            "num_actions": sizes,
        }
        return {name: float((share * each).sum()) for name, each in seen.items()}

    @torch.no_grad()
    def _actions(self, choices: Choices) -> Float[Tensor, "M D"]:
        """What the critic reads of all actions."""
        read = self.read or self.policy.model
        return encode_actions(self.critic.online, choices.apart(), self.policy.packing, read)

    @torch.no_grad()
    def _q(
        self,
        micro: MicroBatch,
        positions: TurnPositions,
        hidden: Float[Tensor, "R L D"],
        actions: Float[Tensor, "m D"],
    ) -> Float[Tensor, "2 m"]:
        """By the online critic, on the hidden states that it reads: the policy's, or others."""
        network = self.critic.online
        if network.tower is not None or self.read is not None:
            hidden = hidden_for(network, micro, self.read)
        q: Tensor = network(TurnStates(prompt_states(hidden, positions), actions)).q
        return q
