"""The updates of a critic in an iteration: targets by the copy, regression of the heads, one step after another.

Not here: what was drawn (experience.py), the formulas (targets.py, losses.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.metrics import mean_by_name
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import TurnPositions, turn_positions
from agentgym_rl.hierarchical.critic.encoding import EncodedTurns, encode
from agentgym_rl.hierarchical.critic.losses import critic_loss, expectile_loss
from agentgym_rl.hierarchical.critic.network import CriticOutputs, TurnCritic, TurnStates, as_values
from agentgym_rl.hierarchical.critic.observations import encode_observations, observations, openings
from agentgym_rl.hierarchical.critic.pooling import Observed
from agentgym_rl.hierarchical.critic.step import critic_optimiser, critic_step
from agentgym_rl.hierarchical.critic.targets import next_values, one_step_targets
from agentgym_rl.hierarchical.critic.valuation import encode_actions, prompt_states, stored_actions
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.options import CriticOptions


class CriticTargets(NamedTuple):
    """What the heads regress to in one update; values, not outputs.

    Attributes:
        q: y of each turn, by head.
        v: Q of the copy: at the new action of each turn that has one, else at its stored action.
    """

    q: Float64[np.ndarray, "K N"]
    v: Float64[np.ndarray, "K N"]


class CriticReport(NamedTuple):
    """What the updates of an iteration did.

    Attributes:
        metrics: For the log.
        td_errors: By update |y - Q| of each turn of the experience before the step, the mean of the heads; NaN where
            the turn was not drawn.
        advantages: Likewise |Q - V| of each turn's stored action, as the actor reckons it; None where V has no heads.
    """

    metrics: dict[str, float]
    td_errors: Float64[np.ndarray, "U N"]
    advantages: Float64[np.ndarray, "U N"] | None = None


class CriticUpdates:
    """Trains a critic on what was drawn.

    Args:
        critic: Trained in place.
        options: How.
        packing: The shape of micro-batches.
        policy: Whose hidden states a critic without a tower reads; they stay as they are during the updates.
    """

    def __init__(self, critic: TurnCritic, options: CriticOptions, packing: PackingConfig, policy: PolicyModel) -> None:
        self.critic, self.options, self.packing, self.policy = critic, options, packing, policy
        self.optimiser = critic_optimiser(critic, options.optimiser)

    def learn(self, experience: Experience, ratios: Float64[np.ndarray, " N"] | None = None) -> CriticReport:
        """One update for each row of the experience's weights.

        V regresses to Q of the copy at the branches where there are any, by squares or cross-entropy; else to the
        expectile of Q at the stored actions.

        Args:
            experience: What was drawn.
            ratios: Importance weight of each turn's stored action in the loss of V; None: 1.
        """
        self.critic.train()
        encoded = None
        if self.critic.online.tower is None:
            encoded = encode(self.critic.online, experience, self.packing, self.policy)
        rows: list[Mapping[str, float]] = []
        td_errors, advantages = (np.full(experience.weights.shape, np.nan) for _ in range(2))
        for update in range(len(experience.weights)):
            part, masks = experience.part(update)
            mine = encode(self.critic.target, part, self.packing, None) if encoded is None else encoded.part(masks)
            if update == 0:
                self.critic.standardise((encoded or mine).stored)
            own_ratios = np.ones(part.turns.num_turns) if ratios is None else ratios[masks.is_turn]
            step = _Step(self, part, mine, own_ratios)
            norms = critic_step(self.critic, self.optimiser, step.losses(), self.options.optimiser)
            for found, own in ((td_errors, step.td_errors), (advantages, step.advantages)):
                found[update, masks.is_turn] = np.where(part.weights[0] > 0, own, np.nan)
            rows.append(step.metrics() | {f"grad_norm_{name}": norm for name, norm in norms.items()})
        means = {f"critic/{name}": mean for name, mean in mean_by_name(rows).items()}
        return CriticReport(means, td_errors, advantages)


class _Step:
    """One update: its losses, and what is to be said of it afterwards."""

    def __init__(
        self, updates: CriticUpdates, part: Experience, encoded: EncodedTurns, ratios: Float64[np.ndarray, " N"]
    ) -> None:
        self.updates, self.part, self.encoded = updates, part, encoded
        self.span = updates.options.network.value_range
        self.targets = critic_targets(updates.critic, part, encoded, updates.options)
        self.weights = part.weights[0]
        has_branch = np.zeros(len(self.weights), np.bool_)
        has_branch[part.branched] = True
        self.v_weights = self.weights * has_branch if part.branches else self.weights * ratios
        self.td_errors, self.advantages = np.zeros(len(self.weights)), np.zeros(len(self.weights))
        self.q_loss = self.v_loss = self.q_mean = self.v_mean = 0.0

    def losses(self) -> Iterator[Tensor]:
        """The loss of each micro-batch."""
        for rows, outputs in self._outputs():
            arrays = (self.targets.q, self.weights, self.targets.v, self.v_weights)
            q_targets, q_weights, v_targets, v_weights = (
                torch.from_numpy(each[..., rows]).to(outputs.q) for each in arrays
            )
            q_loss = critic_loss(outputs.q, q_targets, q_weights, self.span)
            if self.part.branches:
                v_loss = critic_loss(outputs.v, v_targets, v_weights, self.span)
            else:
                v_loss = expectile_loss(outputs.v, v_targets, v_weights, self.updates.options.expectile, self.span)
            self._note(rows, outputs, q_loss, v_loss)
            yield q_loss + v_loss

    def metrics(self) -> dict[str, float]:
        """Losses, mean values and mean error."""
        target = float((self.weights * self.targets.q.mean(0)).sum())
        td_error = float((self.weights * self.td_errors).sum())
        return {
            "q_loss": self.q_loss,
            "v_loss": self.v_loss,
            "q": self.q_mean,
            "v": self.v_mean,
            "target": target,
            "td_error": td_error,
        }

    def _outputs(self) -> Iterator[tuple[Int64[np.ndarray, " M"], CriticOutputs]]:
        online = self.updates.critic.online
        if online.tower is None:
            yield np.arange(len(self.weights)), online(self.encoded.stored)
            return
        device, packing = self.encoded.sampled.device, self.updates.packing
        actions = stored_actions(self.part.batch.segments)
        for micro in pack(self.part.batch.segments, packing):
            moved = micro.to(device)
            positions = turn_positions(moved)
            mine = self.part.turns.entries(positions)
            action = encode_actions(online, [actions[index] for index in mine], packing, None)
            yield mine, online(TurnStates(self._histories(moved, positions), action, self._seen(mine)))

    def _histories(self, micro: MicroBatch, positions: TurnPositions) -> Tensor:
        """With gradient for the tower; of width 0 where the network reads none."""
        online = self.updates.critic.online
        if not online.reads_history:
            return next(online.v_heads.parameters()).new_zeros(positions.num_turns, 0)
        return prompt_states(online.encode(micro), positions)

    def _seen(self, turns: Int64[np.ndarray, " M"]) -> Observed | None:
        """With gradient for the tower."""
        online = self.updates.critic.online
        if online.seen is None:
            return None
        segments = self.part.batch.segments
        seen, opened = ([each[index] for index in turns] for each in (observations(segments), openings(segments)))
        return encode_observations(online, seen, opened, self.updates.packing, None)

    @torch.no_grad()
    def _note(self, rows: Int64[np.ndarray, " M"], outputs: CriticOutputs, q_loss: Tensor, v_loss: Tensor) -> None:
        q, v = (as_values(each, self.span).double().cpu().numpy() for each in (outputs.q, outputs.v))
        self.td_errors[rows] = np.abs(self.targets.q[:, rows] - q).mean(0)
        self.advantages[rows] = np.abs(q.min(0) - v.min(0))
        self.q_loss += float(q_loss.detach())
        self.v_loss += float(v_loss.detach())
        self.q_mean += float((self.weights[rows] * q.mean(0)).sum())
        self.v_mean += float((self.weights[rows] * v.mean(0)).sum())


@torch.no_grad()
def critic_targets(
    critic: TurnCritic, part: Experience, encoded: EncodedTurns, options: CriticOptions
) -> CriticTargets:
    """Y = r + gamma V(s') and Q of new or stored actions, all by the copy."""
    span, turns = options.network.value_range, part.turns

    def valued(outputs: Tensor) -> Float64[np.ndarray, "K N"]:
        values: Float64[np.ndarray, "K N"] = as_values(outputs, span).double().cpu().numpy()
        return values

    stored = critic.target(encoded.stored)
    ends = valued(critic.target(encoded.ends).v)
    following = next_values(valued(stored.v), ends[:, turns.trajectory], turns.successor)
    v_targets = valued(stored.q)
    if part.branches:
        states = replace(encoded.stored.at(torch.from_numpy(part.branched)), action=encoded.sampled)
        v_targets[:, part.branched] = valued(critic.target(states).q)
    return CriticTargets(one_step_targets(turns.rewards, following, options.discount), v_targets)
