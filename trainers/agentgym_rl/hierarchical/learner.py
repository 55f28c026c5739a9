"""Learning from replay under a critic of turns: draw -> critic updates -> actor updates (ArCHer and its relatives).

Not here: collecting (trainer.py), the updates (critic/updates.py, actor.py), what is drawn from (agentgym_rl.replay).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float64

from agentgym.rollout import draw_seed
from agentgym.trajectory import Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics, mean_by_name
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.hierarchical.actor import ActorUpdates
from agentgym_rl.hierarchical.branches import Branch
from agentgym_rl.hierarchical.building import make_critic, make_token_baseline
from agentgym_rl.hierarchical.critic.encoding import encode
from agentgym_rl.hierarchical.critic.fresh_values import TurnValues
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import as_values
from agentgym_rl.hierarchical.critic.updates import CriticReport, CriticUpdates
from agentgym_rl.hierarchical.critic.valuation import value_turns
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.offline_start import play_random_episodes
from agentgym_rl.hierarchical.options import (
    FROZEN,
    ActorOptions,
    AlolActor,
    AwrActor,
    InSampleActor,
    ResampledActor,
    UnderTurnCritic,
)
from agentgym_rl.hierarchical.ranking import ForkedRanking, Pair
from agentgym_rl.hierarchical.replay_learner import FAR, ReplayLearner
from agentgym_rl.hierarchical.resampling import first_sampled, sample_branches
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.options import TurnImportance

_LEAST_SPREAD = 1e-6


class ActorCriticLearner(ReplayLearner):
    """Learns from what the replay buffer gives: the critic first, then, after its warm-up, the policy.

    Args:
        place: What it works with; there must be a store.

    Raises:
        ConfigError: There are several processes, or the tower has another vocabulary.
        StoreError: An earlier run cannot be replayed.
    """

    place: Workplace[UnderTurnCritic]

    def __init__(self, place: Workplace[UnderTurnCritic]) -> None:
        algorithm = place.config.algorithm
        self.critic = make_critic(place)
        frozen = None
        if algorithm.critic.tower == FROZEN:
            assert place.reference is not None, "the trainer makes one where the critic reads it"
            frozen = FrozenPolicy(place.reference)
        packing = place.config.packing
        self.critic_updates = CriticUpdates(self.critic, algorithm.critic, packing, frozen or place.model)
        self.baseline = make_token_baseline(place)
        self.actor_updates = ActorUpdates(place, self.critic, algorithm.actor, self.baseline, frozen)
        self.ranking = None
        if algorithm.critic.ranking.states:
            self.ranking = ForkedRanking(place.suite, algorithm.critic.ranking, algorithm.critic.discount)
        super().__init__(place)

    @property
    def extra_critic_updates(self) -> int:
        """Those of the start."""
        return self.place.config.algorithm.start.critic_updates

    @property
    def first_policy_updates(self) -> int:
        """Those of the start."""
        return self.place.config.algorithm.start.policy_updates

    @property
    def needed_better_episodes(self) -> int:
        """As the start has it."""
        return self.place.config.algorithm.start.better_episodes

    def prepare(self) -> Metrics:
        """Random episodes, where the start has any."""
        count = self.place.config.algorithm.start.random_episodes
        return play_random_episodes(self.place, count) if count else {}

    def first_phase(self, draw: Callable[[], Experience]) -> Metrics:
        """Advantage-weighted regression, or A-LoL, on the stored messages, where the start has such updates."""
        start, config = self.place.config.algorithm.start, self.place.config
        if not start.policy_updates:
            return {}
        count, batch = start.policy_updates, config.algorithm.actor.batch
        options: ActorOptions | AlolActor = AwrActor(updates=count, batch=batch, awr=start.awr)
        if start.phase == "a_lol":
            options = AlolActor(updates=count, batch=batch, a_lol=start.a_lol)
        updates = ActorUpdates(self.place, self.critic, options, frozen=self.actor_updates.frozen)
        updates.spread = self.actor_updates.spread
        rows = [
            updates.learn(draw(), draw_seed(config.run.seed, "start", number)) for number in range(start.policy_updates)
        ]
        return {f"start/{name}": value for name, value in mean_by_name(rows).items()}

    def parts(self) -> Mapping[str, Part]:
        """The replay buffer with the policy's progress, the critic with its copy, and the baseline of tokens."""
        parts: dict[str, Part] = {
            "replay": self.replay_part(),
            "critic": ModulePart(self.critic, self.critic_updates.optimiser),
        }
        if self.baseline is not None:
            parts["token_baseline"] = ModulePart(self.baseline, self.baseline.optimiser)
        return parts

    def value(self, batch: TrainBatch, turns: TurnTransitions) -> TurnValues:
        """By the heads: V as their mean, Q - V as of the lesser ones."""
        updates = self.critic_updates
        value_range = updates.options.network.value_range
        q, v = value_turns(self.critic.online, batch.segments, updates.packing, updates.policy, value_range)
        return TurnValues(v.mean(axis=0), q.min(axis=0) - v.min(axis=0))

    def rank_forks(self, members: list[Trajectory], iteration: int) -> Metrics:
        """Where the options have it, in iterations that are due."""
        config, every = self.place.config, self.place.config.algorithm.critic.ranking.every
        if self.ranking is None or iteration % every:
            return {}
        return self.ranking.measure(members, self._rank, draw_seed(config.run.seed, "ranking", iteration))

    @torch.no_grad()
    def _rank(self, members: Sequence[Trajectory], pairs: Sequence[Pair]) -> Float64[np.ndarray, " P"]:
        """Q of what was said, less Q of the other message; 0 for a turn without sampled tokens."""
        batch = TrainBatch.of_trajectories(list(members))
        turns = turn_transitions(batch)
        places = {key: n for n, key in enumerate(zip(turns.trajectory.tolist(), turns.turn.tolist(), strict=True))}
        rows = np.array([places[pair.episode, pair.turn] for pair in pairs], np.int64)
        starts = [int(first_sampled(batch.segments[turns.segment[n]], int(turns.turn[n]))) for n in rows]
        branches = tuple(
            Branch(int(turns.segment[n]), start, int(turns.turn[n]), np.asarray(pair.other, np.int32))
            for n, start, pair in zip(rows, starts, pairs, strict=True)
        )
        found = Experience(batch, turns, np.ones((1, turns.num_turns)), branches, rows)
        updates, online = self.critic_updates, self.critic.online
        read = encode(online, found, updates.packing, updates.policy)
        mine = read.stored.at(torch.from_numpy(rows).to(read.sampled.device))
        both = (online(mine).q, online(replace(mine, action=read.sampled)).q)
        span = updates.options.network.value_range
        said, other = (as_values(q, span).min(dim=0).values.double().cpu().numpy() for q in both)
        gaps: Float64[np.ndarray, " P"] = said - other
        return gaps

    def update_critic(self, experience: Experience, iteration: int) -> CriticReport:
        """With new actions, or with the weights of the stored ones, where the actor's kind asks for either."""
        actor = self.place.config.algorithm.actor
        follows = self.place.config.algorithm.critic.follows
        if isinstance(actor, ResampledActor) and follows == "policy":
            experience = self._with_branches(experience, iteration)
        ratios = self._ratios(experience, actor.importance) if isinstance(actor, InSampleActor) else None
        report = self.critic_updates.learn(experience, ratios)
        assert report.advantages is not None, "V has heads"
        self.actor_updates.spread = max(float(np.nanmean(report.advantages)), _LEAST_SPREAD)
        return report

    def update_actor(self, experience: Experience, iteration: int, number: int) -> Metrics:
        """One update of the policy."""
        seed = self.place.config.run.seed
        algorithm = self.place.config.algorithm
        before = self.progress.num_updates
        metrics = self.actor_updates.learn(experience, draw_seed(seed, "actor", iteration, number), number, before)
        max_kl = algorithm.actor.max_kl
        is_far = max_kl is not None and metrics["actor/kl"] > max_kl
        return metrics | ({} if max_kl is None else {FAR: float(is_far)})

    def _with_branches(self, experience: Experience, iteration: int) -> Experience:
        """An action of the present policy for each turn that was drawn."""
        config, rows = self.place.config, np.flatnonzero(experience.weights.any(axis=0))
        seed = draw_seed(config.run.seed, "critic", iteration)
        segments, sampling = experience.batch.segments, config.rollout.sampling
        branches = sample_branches(self.place.policy, segments, experience.turns, rows, sampling, seed)
        return replace(experience, branches=tuple(branches), branched=rows)

    def _ratios(self, experience: Experience, importance: TurnImportance) -> Float64[np.ndarray, " N"]:
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
                torch.from_numpy(now), torch.from_numpy(then), torch.from_numpy(unit), importance
            )
            ratios.append(weights.numpy()[first])
        return np.concatenate(ratios)
