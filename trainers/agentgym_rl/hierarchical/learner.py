"""Learning from replay under a critic of turns: draw -> critic updates -> actor updates (ArCHer and its relatives).

Not here: collecting (trainer.py), the updates (critic_updates.py, actor.py), what is drawn from (agentgym_rl.replay).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float64

from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.checkpoint import TrainerState
from agentgym_rl.hierarchical.actor import ActorUpdates
from agentgym_rl.hierarchical.building import make_critic, make_token_baseline, open_replay
from agentgym_rl.hierarchical.critic_updates import CriticReport, CriticUpdates
from agentgym_rl.hierarchical.experience import Drawn, Experience, experience_of
from agentgym_rl.hierarchical.fresh_values import fresh_calibration
from agentgym_rl.hierarchical.options import FROZEN
from agentgym_rl.hierarchical.resampling import sample_branches
from agentgym_rl.importance import importance_weights
from agentgym_rl.learner import Workplace
from agentgym_rl.metrics import Metrics
from agentgym_rl.module_part import ModulePart
from agentgym_rl.part_state import Part
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.replay.draw import Draw
from agentgym_rl.scoring import score_segments


class ActorCriticLearner:
    """Learns from what the replay buffer gives: the critic first, then, after its warm-up, the policy.

    Args:
        place: What it works with; there must be a store.

    Raises:
        ConfigError: There are several processes, or the tower has another vocabulary.
        StoreError: An earlier run cannot be replayed.
    """

    def __init__(self, place: Workplace) -> None:
        self.place = place
        algorithm = place.config.algorithm
        self.critic = make_critic(place)
        read = place.reference if algorithm.critic.tower == FROZEN else place.model
        self.critic_updates = CriticUpdates(self.critic, algorithm.critic, place.config.packing, read or place.model)
        self.baseline = make_token_baseline(place)
        self.actor_updates = ActorUpdates(place, self.critic, algorithm.actor, self.baseline)
        self.replay = open_replay(place)

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Refresh the buffer, update the critic, then the actor."""
        critic, actor = self.place.config.algorithm.critic, self.place.config.algorithm.actor
        number = state.iteration + 1
        self.replay.relabel([member for group in groups for member in group.members], number)
        metrics = self._calibration(groups)
        metrics |= self.replay.refresh(number, state.version)
        draws = [self.replay.draw(critic.batch) for _ in range(critic.updates)]
        metrics |= self.replay.draw_metrics([draw for update in draws for draw in update])
        metrics |= self._train_critic(draws, state)
        if state.iteration < critic.warmup:
            return metrics
        rows = [self._train_actor(state, update) for update in range(actor.updates)]
        metrics |= {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        return metrics | {"updates": float(sum(row["updates"] for row in rows))}

    def parts(self) -> Mapping[str, Part]:
        """The replay buffer, the critic with its copy, and the baseline of tokens."""
        parts: dict[str, Part] = {
            "replay": self.replay,
            "critic": ModulePart(self.critic, self.critic_updates.optimiser),
        }
        if self.baseline is not None:
            parts["token_baseline"] = ModulePart(self.baseline, self.baseline.optimiser)
        return parts

    def close(self) -> None:
        """Close earlier runs that are replayed, and the environment of hindsight."""
        self.replay.close()

    def _calibration(self, groups: list[Group]) -> Metrics:
        """Of the critic on fresh episodes, before it learns."""
        updates = self.critic_updates
        self.place.model.eval()
        metrics = fresh_calibration(self.critic.online, groups, updates.options, updates.packing, updates.policy)
        self.place.model.train()
        return metrics

    def _train_critic(self, draws: list[list[Draw]], state: TrainerState) -> Metrics:
        experience, drawn = experience_of(draws)
        state.seen_hashes.update(each.content_hash for each in experience.batch.trajectories)
        kind = self.place.config.algorithm.actor.kind
        ratios = None
        self.place.model.eval()
        if kind == "resampled":
            experience = self._with_branches(experience, state.iteration)
        elif kind == "in_sample":
            ratios = self._ratios(experience)
        report = self.critic_updates.learn(experience, ratios)
        self.place.model.train()
        set_priorities(self.replay, draws, drawn, report)
        return dict(report.metrics)

    def _train_actor(self, state: TrainerState, update: int) -> Metrics:
        algorithm, seed = self.place.config.algorithm, self.place.config.run.seed
        experience, _ = experience_of([self.replay.draw(algorithm.actor.batch)])
        state.seen_hashes.update(each.content_hash for each in experience.batch.trajectories)
        return self.actor_updates.learn(experience, draw_seed(seed, "actor", state.iteration, update))

    def _with_branches(self, experience: Experience, iteration: int) -> Experience:
        """An action of the present policy for each turn that was drawn."""
        config, rows = self.place.config, np.flatnonzero(experience.weights.any(axis=0))
        seed = draw_seed(config.run.seed, "critic", iteration)
        segments, sampling = experience.batch.segments, config.rollout.sampling
        branches = sample_branches(self.place.policy, segments, experience.turns, rows, sampling, seed)
        return replace(experience, branches=tuple(branches), branched=rows)

    def _ratios(self, experience: Experience) -> Float64[np.ndarray, " N"]:
        """Importance weight of each stored action, for the present policy."""
        config, batch = self.place.config, experience.batch
        logprobs, _ = score_segments(
            self.place.model, batch.segments, config.packing, config.rollout.sampling.temperature
        )
        behaviour = [segment.behaviour_logprobs.astype(np.float64) for segment in batch.segments]
        ratios: list[np.ndarray] = [np.zeros(0)]
        for index in range(batch.num_sequences):
            now, then, turn = batch.sampled(logprobs, index), batch.sampled(behaviour, index), batch.turn_index(index)
            _, first, unit = np.unique(turn, return_index=True, return_inverse=True)
            weights = importance_weights(
                torch.from_numpy(now),
                torch.from_numpy(then),
                torch.from_numpy(unit),
                config.algorithm.actor.importance,
            )
            ratios.append(weights.numpy()[first])
        return np.concatenate(ratios)


def set_priorities(
    replay: ReplayBuffer, draws: list[list[Draw]], drawn: list[list[Drawn]], report: CriticReport
) -> None:
    """For prioritised replay: the TD error of each entry, the mean over its turns."""
    if replay.options.kind != "prioritised" or replay.options.priority.by == "return":
        return
    for update, parts, errors in zip(draws, drawn, report.td_errors, strict=True):
        for draw, part in zip(update, parts, strict=True):
            replay.update(draw, _mean_by_entry(part, errors, len(draw.entries)))


def _mean_by_entry(drawn: Drawn, values: Float64[np.ndarray, " N"], size: int) -> Float64[np.ndarray, " n"]:
    """The mean over the turns that each entry of a draw stands for; 0 for none."""
    counts = np.bincount(drawn.of_entry, minlength=size)
    means: Float64[np.ndarray, " n"] = np.bincount(drawn.of_entry, values[drawn.turn], size) / np.maximum(counts, 1)
    return means
