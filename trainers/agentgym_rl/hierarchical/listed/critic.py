"""The critic's updates of discrete soft actor-critic: Q of stored actions, towards expectations over listed ones.

Not here: the formulas (discrete_sac.py), the policy's updates (actor.py). V has no heads of its own: it is the
expectation of Q and of the entropy over the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.metrics import mean_by_name
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic.fresh_values import TurnValues
from agentgym_rl.hierarchical.critic.losses import critic_loss
from agentgym_rl.hierarchical.critic.network import CriticNetwork, TurnCritic, TurnStates
from agentgym_rl.hierarchical.critic.step import critic_optimiser, critic_step
from agentgym_rl.hierarchical.critic.updates import CriticReport
from agentgym_rl.hierarchical.critic.valuation import encode_actions, prompt_states
from agentgym_rl.hierarchical.entropy_temperature import EntropyTemperature
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.listed.choices import ActionLists, Choices, ListPolicy, read_actions, states_of_actions
from agentgym_rl.hierarchical.listed.discrete_sac import soft_targets, soft_values
from agentgym_rl.hierarchical.options import SoftCriticOptions
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL, TurnTransitions


@dataclass(frozen=True)
class SoftTransitions:
    """The drawn turns of an experience, and the states that follow them with their legal actions."""

    rows: Int64[np.ndarray, " K"]
    """The turns, as numbered in the experience."""
    weights: Float64[np.ndarray, "U K"]
    """Share of each in each update."""
    rewards: Float64[np.ndarray, " K"]
    """r."""
    following: Int64[np.ndarray, " K"]
    """The state after each, counted among those that follow any; 0 after an end, where it is not read."""
    is_terminal: Bool[np.ndarray, " K"]
    """True: the episode ended."""
    stored: Choices
    """Of each turn the action that was done in it."""
    listed: Choices
    """Of each state that follows its legal actions."""

    @classmethod
    def of(cls, experience: Experience, lists: ActionLists) -> SoftTransitions:
        """The turns that were drawn for any update.

        Raises:
            ContractError: What follows one was recorded without its legal actions.
        """
        rows = np.flatnonzero(experience.weights.any(axis=0))
        turns, successor = experience.turns, experience.turns.successor[rows]
        has_next, is_cut = successor >= 0, successor == CUT
        following = np.unique(successor[has_next])
        ends = np.unique(turns.trajectory[rows[is_cut]])
        place = np.zeros(len(rows), np.int64)
        place[has_next] = np.searchsorted(following, successor[has_next])
        place[is_cut] = len(following) + np.searchsorted(ends, turns.trajectory[rows[is_cut]])
        return cls(
            rows,
            experience.weights[:, rows],
            turns.rewards[rows],
            place,
            successor == TERMINAL,
            lists.choices(experience, stored=rows),
            lists.choices(experience, listed=following, ends=ends),
        )

    def followed(self, update: int) -> Int64[np.ndarray, " L"]:
        """The states that follow the turns of an update."""
        return np.unique(self.following[(self.weights[update] > 0) & ~self.is_terminal])


class SoftCriticUpdates:
    """Trains a critic on what was drawn.

    y = r + gamma sum_a' pi(a'|s') (min_j Q'_j(s', a') - alpha log pi(a'|s')), L_Q = mean sum_j (Q_j(s, a) - y)^2. The
    sum is over all actions that are legal in s', so nothing is sampled; the stored a may be any message.

    Args:
        policy: Read only.
        critic: Trained in place; its V heads are not.
        options: How.
        entropy: alpha.
        read: Whose hidden states a critic without a tower reads; None: the policy's.
    """

    def __init__(
        self,
        policy: ListPolicy,
        critic: TurnCritic,
        options: SoftCriticOptions,
        entropy: EntropyTemperature,
        read: PolicyModel | None = None,
    ) -> None:
        self.policy, self.critic, self.options, self.entropy, self.read = policy, critic, options, entropy, read
        self.optimiser = critic_optimiser(critic, options.optimiser)

    def learn(self, experience: Experience) -> CriticReport:
        """One update for each row of the experience's weights.

        Raises:
            ContractError: What follows a drawn turn was recorded without its legal actions.
        """
        self.critic.train()
        drawn = SoftTransitions.of(experience, self.policy.lists)
        logprobs, states = self._following(drawn.listed)
        network, packing = self.critic.target, self.policy.packing
        read = None if network.tower is not None else self.read or self.policy.model
        stored = states_of_actions(network, drawn.stored, packing, read)
        self.critic.standardise(stored)
        rows: list[Mapping[str, float]] = []
        td_errors = np.full(experience.weights.shape, np.nan)
        for update, weights in enumerate(drawn.weights):
            targets = self._targets(drawn, update, logprobs, states)
            step = _Step(self, drawn, None if read is None else stored, targets, torch.from_numpy(weights).to(targets))
            norms = critic_step(self.critic, self.optimiser, step.losses(), self.options.optimiser)
            td_errors[update, drawn.rows] = np.where(weights > 0, step.td_errors, np.nan)
            modules = {f"grad_norm_{name}": norm for name, norm in norms.items() if name != "v"}
            rows.append(step.metrics() | modules)
        means = {f"critic/{name}": mean for name, mean in mean_by_name(rows).items()}
        return CriticReport(means, td_errors)

    @torch.no_grad()
    def value(self, batch: TrainBatch, turns: TurnTransitions) -> TurnValues:
        """V(s) = sum_a pi(a|s) (min_j Q_j(s, a) - alpha log pi(a|s)) of each turn, and min_j Q_j(s, a) - V(s).

        Raises:
            ContractError: A turn was recorded without its legal actions.
        """
        rows = np.arange(turns.num_turns)
        experience, lists = Experience(batch, turns, np.zeros((0, len(rows)))), self.policy.lists
        listed, stored = lists.choices(experience, listed=rows), lists.choices(experience, stored=rows)
        network, packing = self.critic.online, self.policy.packing
        read = None if network.tower is not None else self.read or self.policy.model
        logprobs, states = self._following(listed)
        if states is None:
            states = states_of_actions(network, listed, packing, None)
        v = soft_values(logprobs, listed.padded(network(states).q), self.entropy.alpha)
        q = network(states_of_actions(network, stored, packing, read)).q.amin(0)
        return TurnValues(v.double().cpu().numpy(), (q - v).double().cpu().numpy())

    def _following(self, listed: Choices) -> tuple[Float[Tensor, "S A"], TurnStates | None]:
        """Log pi over the lists of all states that follow, and the states that heads without a tower read."""
        policy = self.policy
        if not listed.num_states:
            return torch.zeros(0, 1, device=policy.device), None
        found = read_actions(policy.model, listed, policy.packing)
        network, states = self.critic.target, None
        if network.tower is None and self.read is not None:
            states = states_of_actions(network, listed, policy.packing, self.read)
        elif network.tower is None:
            actions = encode_actions(network, listed.apart(), policy.packing, policy.model)
            states = TurnStates(found.prompts, actions)
        return policy.logprobs(listed, found.scores), states

    @torch.no_grad()
    def _targets(
        self, drawn: SoftTransitions, update: int, logprobs: Float[Tensor, "S A"], states: TurnStates | None
    ) -> Float[Tensor, " K"]:
        """Y of each turn that was drawn for an update, by the copy."""
        following = torch.zeros(len(drawn.rows), device=logprobs.device)
        read = drawn.followed(update)
        if len(read):
            listed = drawn.listed
            if states is None:
                listed, _ = listed.part(read)
                logprobs = logprobs[torch.from_numpy(read).to(logprobs.device), : listed.is_available.shape[1]]
                states = states_of_actions(self.critic.target, listed, self.policy.packing, None)
            else:
                read = np.arange(listed.num_states)
            values = soft_values(logprobs, listed.padded(self.critic.target(states).q), self.entropy.alpha)
            place = np.searchsorted(read, drawn.following).clip(max=len(read) - 1)
            following = values[torch.from_numpy(place).to(values.device)]
        rewards, is_terminal = (
            torch.from_numpy(each).to(following.device) for each in (drawn.rewards, drawn.is_terminal)
        )
        return soft_targets(rewards.to(following), following, is_terminal, self.options.discount)


class _Step:
    """One update: its losses, and what is to be said of it afterwards."""

    def __init__(
        self,
        updates: SoftCriticUpdates,
        drawn: SoftTransitions,
        stored: TurnStates | None,
        targets: Float[Tensor, " K"],
        weights: Float[Tensor, " K"],
    ) -> None:
        self.updates, self.drawn, self.stored = updates, drawn, stored
        self.targets, self.weights = targets, weights
        self.td_errors = np.zeros(len(targets))
        self.q_loss = self.q_mean = 0.0

    def losses(self) -> Iterator[Tensor]:
        """The loss of each micro-batch."""
        for mine, q in self._outputs(self.updates.critic.online):
            targets = self.targets[mine].to(q).expand_as(q)
            loss = critic_loss(q, targets, self.weights[mine].to(q))
            self.q_loss += float(loss.detach())
            self.q_mean += float((self.weights[mine] * q.detach().mean(0)).sum())
            self.td_errors[mine.cpu().numpy()] = (targets - q.detach()).abs().mean(0).double().cpu().numpy()
            yield loss

    def metrics(self) -> dict[str, float]:
        """Loss, mean values and mean error."""
        return {
            "q_loss": self.q_loss,
            "q": self.q_mean,
            "target": float((self.weights * self.targets).sum()),
            "td_error": float((self.weights.cpu().numpy() * self.td_errors).sum()),
        }

    def _outputs(self, online: CriticNetwork) -> Iterator[tuple[Tensor, Float[Tensor, "2 K"]]]:
        device = self.targets.device
        if self.stored is not None:
            yield torch.arange(len(self.targets), device=device), online(self.stored).q
            return
        drawn, rows = self.drawn.stored.part(np.flatnonzero(self.weights.cpu().numpy()))
        packing, actions = self.updates.policy.packing, drawn.apart()
        for micro, positions, mine in drawn.micro_batches(packing, device):
            prompts = prompt_states(online.encode(micro), positions)
            states = TurnStates(prompts, encode_actions(online, [actions[index] for index in mine], packing, None))
            yield torch.from_numpy(rows[mine]).to(device), online(states).q
