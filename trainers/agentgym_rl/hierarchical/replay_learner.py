"""The iteration that learners under a critic of turns share: refresh the buffer, draw, the critic, then the policy.

Not here: what the updates are (learner.py, listed/learner.py), what is drawn from (agentgym_rl.replay).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.kept_credit import BY_CRITIC, CriticAdvantages, keep_trained_on
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics, mean_by_name
from agentgym_rl.core.part_state import Part
from agentgym_rl.hierarchical.building import open_replay
from agentgym_rl.hierarchical.critic.fresh_values import TurnValues, fresh_values
from agentgym_rl.hierarchical.critic.updates import CriticReport
from agentgym_rl.hierarchical.experience import Drawn, Experience, experience_of
from agentgym_rl.hierarchical.options import UnderCritic
from agentgym_rl.hierarchical.policy_progress import PolicyProgress, WithProgress
from agentgym_rl.hierarchical.transitions import TurnTransitions
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.options import PrioritisedBuffer, StoredPrioritised

FAR = "actor/stopped"
"""Metric of an update of the policy after which none may follow in the iteration: 1 or 0."""
LACKING = "start/lacking_episodes"
"""Metric of an iteration after the critic's warm-up without an update of the policy: episodes that it waits for."""


class ReplayLearner(ABC):
    """Learns from what the replay buffer gives: the critic first, then, after its warm-up, the policy.

    Args:
        place: What it works with; there must be a store.

    Raises:
        ConfigError: There are several processes.
        StoreError: An earlier run cannot be replayed.
    """

    def __init__(self, place: Workplace[UnderCritic]) -> None:
        self.place = place
        self.replay = open_replay(place)
        self.progress = PolicyProgress(place.optimiser, self.first_policy_updates)

    def replay_part(self) -> Part:
        """The replay buffer, and how far the policy is, for a checkpoint."""
        return WithProgress(self.replay, self.progress)

    @property
    def first_policy_updates(self) -> int:
        """Updates of the policy in its first phase."""
        return 0

    @property
    def extra_critic_updates(self) -> int:
        """Further updates of the critic in the iteration of the policy's first."""
        return 0

    @property
    def needed_better_episodes(self) -> int:
        """Stored episodes above the worst that the policy's updates wait for."""
        return 0

    def prepare(self) -> Metrics:
        """Before the first iteration: whatever is to be in the buffer then."""
        return {}

    def first_phase(self, draw: Callable[[], Experience]) -> Metrics:
        """Before the policy's first ordinary update: whatever else it learns from what `draw` gives."""
        return {}

    @abstractmethod
    def value(self, batch: TrainBatch, turns: TurnTransitions) -> TurnValues:
        """What the critic says of the turns of episodes; the policy is in evaluation mode."""

    @abstractmethod
    def update_critic(self, experience: Experience, iteration: int) -> CriticReport:
        """An update of the critic for each row of the experience's weights; the policy is in evaluation mode."""

    @abstractmethod
    def update_actor(self, experience: Experience, iteration: int, number: int) -> Metrics:
        """One update of the policy, counted from 0 within the iteration; "updates" is 0 where it changed nothing."""

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """One iteration, and how the critic's values compare with returns: before it, and in size after it."""
        prepared = {} if state.iteration else self.prepare()
        metrics = (
            prepared | self._rank_fresh(groups, state) | self._judge_fresh(groups, state) | self._learn(groups, state)
        )
        largest = self.replay.largest_return()
        return metrics | {"critic/value_ratio": abs(metrics["critic/q"]) / largest if largest else 0.0}

    def rank_forks(self, members: list[Trajectory], iteration: int) -> Metrics:
        """How well the critic ranks messages in forked states of fresh episodes; the policy is in evaluation mode."""
        return {}

    def _rank_fresh(self, groups: list[Group], state: TrainerState) -> Metrics:
        self.place.model.eval()
        members = [member for group in groups for member in group.members]
        found = self.rank_forks(members, state.iteration) if members else {}
        self.place.model.train()
        return found

    def _judge_fresh(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Value fresh episodes before the critic learns from them; its advantages are kept with the run."""
        self.place.model.eval()
        fresh = fresh_values(groups, self.value)
        self.place.model.train()
        if fresh is None:
            return {}
        if self.place.store is not None:
            keep_trained_on(
                self.place.store,
                BY_CRITIC,
                CriticAdvantages("Q - V"),
                fresh.batch.trajectories,
                fresh.advantages(),
                state.iteration,
            )
        return fresh.calibration(self.place.config.algorithm.critic.discount)

    def _learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        critic, updates = self.place.config.algorithm.critic, self.place.config.algorithm.actor.updates
        number = state.iteration + 1
        self.replay.relabel([member for group in groups for member in group.members], number)
        needed = self.needed_better_episodes
        metrics = self.replay.refresh(number, state.version)
        is_first = not self.progress.has_started and self._is_ready(state)
        self.progress.has_started |= is_first
        draws = [self.replay.draw(critic.batch) for _ in range(critic.updates + is_first * self.extra_critic_updates)]
        metrics |= self.replay.draw_metrics([draw for update in draws for draw in update])
        metrics |= self._train_critic(draws, state)
        if not self.progress.has_started:
            lacking = needed - self.replay.better_episodes()
            return metrics | ({LACKING: float(lacking)} if state.iteration >= critic.warmup else {})
        if is_first:
            batch = self.place.config.algorithm.actor.batch
            metrics |= self.first_phase(lambda: self._experience([self.replay.draw(batch)], state)[0])
        rows: list[Metrics] = []
        for update in range(updates):
            rows.append(self._train_actor(state, update))
            if rows[-1].get(FAR):
                break
        return metrics | mean_by_name(rows) | {"updates": float(sum(row["updates"] for row in rows))}

    def _is_ready(self, state: TrainerState) -> bool:
        """Whether the policy's learning can start; it then goes on, whatever leaves the buffer."""
        is_warm = state.iteration >= self.place.config.algorithm.critic.warmup
        return is_warm and self.replay.better_episodes() >= self.needed_better_episodes

    def close(self) -> None:
        """Close earlier runs that are replayed, and the environment of hindsight."""
        self.replay.close()

    def _train_critic(self, draws: list[list[Draw]], state: TrainerState) -> Metrics:
        experience, drawn = self._experience(draws, state)
        self.place.model.eval()
        report = self.update_critic(experience, state.iteration)
        self.place.model.train()
        self._set_priorities(draws, drawn, report)
        return dict(report.metrics)

    def _train_actor(self, state: TrainerState, number: int) -> Metrics:
        """One update of the policy on a batch of its own."""
        batch = self.place.config.algorithm.actor.batch
        experience, _ = self._experience([self.replay.draw(batch)], state)
        metrics = self.update_actor(experience, state.iteration, number)
        self.progress.num_updates += int(metrics["updates"])
        return metrics

    def _experience(self, draws: list[list[Draw]], state: TrainerState) -> tuple[Experience, list[list[Drawn]]]:
        """What was drawn, whose tasks count as seen."""
        experience, drawn = experience_of(draws)
        state.seen_hashes.update(each.content_hash for each in experience.batch.trajectories)
        return experience, drawn

    def _set_priorities(self, draws: list[list[Draw]], drawn: list[list[Drawn]], report: CriticReport) -> None:
        """For prioritised replay: the TD error or |advantage| of each entry, the mean over its turns."""
        options = self.replay.options
        if not isinstance(options, PrioritisedBuffer | StoredPrioritised) or options.priority.by == "return":
            return
        found = report.td_errors if options.priority.by == "td_error" else report.advantages
        assert found is not None, "refused at the start, where V has no heads"
        for update, parts, values in zip(draws, drawn, found, strict=True):
            for draw, part in zip(update, parts, strict=True):
                self.replay.update(draw, _mean_by_entry(part, values, len(draw.entries)))


def _mean_by_entry(drawn: Drawn, values: Float64[np.ndarray, " N"], size: int) -> Float64[np.ndarray, " n"]:
    """The mean over the turns that each entry of a draw stands for; 0 for none."""
    counts = np.bincount(drawn.of_entry, minlength=size)
    means: Float64[np.ndarray, " n"] = np.bincount(drawn.of_entry, values[drawn.turn], size) / np.maximum(counts, 1)
    return means
