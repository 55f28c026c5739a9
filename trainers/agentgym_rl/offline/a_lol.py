"""Advantage-leftover-lunch as a learner: V of the starting policy first, then the stored messages that beat it.

Not here: the loss (hierarchical/actor_losses.py). V reads the frozen starting policy's hidden states.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float64

from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics, mean_by_name
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.core.packing import pack
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.hierarchical.actor_losses import a_lol_loss, a_lol_priorities
from agentgym_rl.hierarchical.critic.encoding import encode
from agentgym_rl.hierarchical.critic.fresh_values import has_return
from agentgym_rl.hierarchical.critic.losses import critic_loss
from agentgym_rl.hierarchical.critic.network import TurnCritic, TurnStates
from agentgym_rl.hierarchical.critic.step import critic_optimiser, critic_step
from agentgym_rl.hierarchical.critic.targets import monte_carlo_targets
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.options import CriticConfig, CriticStepConfig
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.maths.calibration import calibration_metrics
from agentgym_rl.offline.options import AlolOptions
from agentgym_rl.offline.stored_episodes import StoredEpisodes


class AlolLearner:
    """Learns from turns of stored episodes in proportion to their advantage over the starting policy.

    Turns are not drawn by advantage but weighted by it: the same mean with less noise.

    Args:
        place: What it works with; there is a reference.
        episodes: What is learnt from.
    """

    def __init__(self, place: Workplace[AlolOptions], episodes: StoredEpisodes) -> None:
        assert place.reference is not None
        self.place, self.episodes, self.reference = place, episodes, place.reference
        self.options = place.config.algorithm
        self.step = CriticStepConfig(learning_rate=self.options.value_learning_rate)
        model = place.model.causal_lm
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw_seed(place.config.run.seed, "a_lol"))
            size = int(model.config.get_text_config().hidden_size)
            self.critic = TurnCritic(size, CriticConfig(width=self.options.width)).to(model.device)
        self.optimiser = critic_optimiser(self.critic, self.step)

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """The updates of an iteration; in the first ones of V alone."""
        rows: list[Metrics] = []
        judged: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(self.options.updates):
            drawn = self.episodes.draw(self.options.batch)
            state.seen_hashes.update(each.content_hash for each in drawn)
            batch = TrainBatch.of_trajectories(drawn)
            turns = turn_transitions(batch)
            returns = monte_carlo_targets(
                turns.rewards, turns.successor, np.zeros(turns.num_turns), self.options.discount
            )
            states = self._states(batch, turns)
            row, values = self._fit_value(states, returns)
            is_whole = np.array([has_return(each) for each in drawn])[turns.trajectory]
            judged.append((values[is_whole], returns[is_whole]))
            if state.iteration >= self.options.warmup:
                row |= self._update_policy(batch, turns, returns - self._values(states))
            rows.append(row)
        metrics = mean_by_name(rows) | self.episodes.metrics() | calibration_metrics(*zip(*judged, strict=True))
        return metrics | ({"updates": sum(row["updates"] for row in rows)} if "updates" in metrics else {})

    def parts(self) -> Mapping[str, Part]:
        """Where the draws stand, and V."""
        return {"offline": self.episodes, "value": ModulePart(self.critic, self.optimiser)}

    def close(self) -> None:
        """Close the runs that are learnt from."""
        self.episodes.close()

    def _states(self, batch: TrainBatch, turns: TurnTransitions) -> TurnStates:
        experience = Experience(batch, turns, np.full((1, turns.num_turns), 1 / turns.num_turns))
        return encode(self.critic.online, experience, self.place.config.packing, self.reference).stored

    def _fit_value(
        self, states: TurnStates, returns: Float64[np.ndarray, " N"]
    ) -> tuple[Metrics, Float64[np.ndarray, " N"]]:
        """One step of V towards the returns that followed, and V before it."""
        outputs = self.critic.online(states).v
        targets = torch.from_numpy(returns).to(outputs).expand_as(outputs)
        loss = critic_loss(outputs, targets, torch.full_like(outputs[0], 1 / len(returns)))
        critic_step(self.critic, self.optimiser, [loss], self.step)
        metrics = {"critic/v_loss": float(loss.detach()), "critic/v": float(outputs.detach().mean())}
        return metrics, outputs.detach().mean(0).double().cpu().numpy()

    @torch.no_grad()
    def _values(self, states: TurnStates) -> Float64[np.ndarray, " N"]:
        values: Float64[np.ndarray, " N"] = self.critic.online(states).v.mean(0).double().cpu().numpy()
        return values

    def _update_policy(
        self, batch: TrainBatch, turns: TurnTransitions, advantages: Float64[np.ndarray, " N"]
    ) -> Metrics:
        """One step on the turns that beat the starting policy; none where no turn does."""
        metrics = {"advantage/mean": float(advantages.mean()), "advantage/std": float(advantages.std())}
        kept = float((advantages > 0).mean())
        if not kept:
            return {**metrics, "offline/better_share": 0.0, "loss/entropy": 0.0, "grad_norm/mean": 0.0, "updates": 0.0}
        place, config = self.place, self.place.config
        priorities = a_lol_priorities(torch.from_numpy(advantages)).numpy()
        reference, _ = score_segments(self.reference, batch.segments, config.packing, 1.0)
        place.optimiser.zero_grad(set_to_none=True)
        entropy = tokens = 0.0
        for micro in pack(batch.segments, config.packing):
            moved = micro.to(place.model.causal_lm.device)
            logprobs, entropies, _ = place.model.score(moved)
            positions = turn_positions(moved)
            mine = turns.entries(positions)
            gain, weights = (torch.from_numpy(each[mine]).to(logprobs) for each in (advantages, priorities))
            frozen = moved.flatten(reference)
            torch.autograd.backward(a_lol_loss(logprobs, frozen, gain, positions, weights, self.options.loss))
            entropy, tokens = entropy + float(entropies.sum()), tokens + len(entropies)
        norms = distributed.clip_groups(place.optimiser, config.optimiser.max_grad_norm)
        is_finite = bool(np.isfinite(norms).all())
        if is_finite:
            place.optimiser.step()
        return {
            **metrics,
            "offline/better_share": kept,
            "loss/entropy": entropy / tokens,
            "grad_norm/mean": norms[0],
            "updates": float(is_finite),
        }
