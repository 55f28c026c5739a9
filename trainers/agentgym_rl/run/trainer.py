"""The training loop: collect -> learn -> publish -> log, an iteration a cycle.

What is learnt from the collected episodes is up to a learner (`learners.py`); stages before and after the loop (warm
start, final test, report) are in `job.py`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import torch

from agentgym.errors import LearningStalledError
from agentgym.policies.sampler import Sampler
from agentgym.rollout import GroupCollector, RolloutEngine, draw_seed, game_maker
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym.trajectory import Group
from agentgym_rl.core import distributed
from agentgym_rl.core.checkpoint import TrainerState, save_checkpoint
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.learner import Learner, Workplace
from agentgym_rl.core.metrics import Metrics, collection_metrics
from agentgym_rl.core.models import PolicyModel, trainable_groups
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.publishing import publish
from agentgym_rl.core.roles import training_cast
from agentgym_rl.curricula.requirements import make_curriculum
from agentgym_rl.replay.recordings import Rendering, rendered_runs
from agentgym_rl.run.interrupt import Interrupt
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.learners import kind_of
from agentgym_rl.run.run_folder import config_digest
from agentgym_rl.run.watch import Watch

Validate = Callable[["Trainer"], float | None]


class Trainer:
    """Trains a policy by reinforcement learning on the train split of a suite.

    Args:
        config: The run's configuration.
        suite: The suite.
        model: The model, possibly sharded.
        policy: Samples from the same weights, which are published to it after each iteration.
        reference: The frozen reference policy, where the algorithm has one.
        store: The run's database; None on ranks other than 0.
        folder: The run's folder.
        journal: Takes the metrics.
        validate: Called every n iterations; returns the validation score and exports the best model.
    """

    def __init__(
        self,
        config: TrainConfig,
        suite: Suite,
        model: PolicyModel,
        policy: Sampler,
        *,
        reference: PolicyModel | None,
        store: RunStore | None,
        folder: Path,
        journal: Journal,
        validate: Validate | None = None,
    ) -> None:
        self.config, self.suite, self.model, self.policy = config, suite, model, policy
        self.store, self.folder, self.journal = store, folder, journal
        self.validate = validate
        self.cast = training_cast(config.roles, suite)
        self.curriculum = make_curriculum(config.curriculum, suite, self.cast, config.run.seed)
        self.state = TrainerState()
        self.optimiser = make_optimiser(model, config)
        self.kind = kind_of(config)
        self.learner: Learner = self.kind.make(
            Workplace(
                config, suite, model, policy, self.optimiser, reference=reference, store=store, runs=self._stored_runs()
            )
        )
        self._watch = Watch(config.watch)
        self._interrupt = Interrupt()

    def run(self) -> None:
        """Train until the configured number of iterations, or until the time is up.

        Raises:
            LearningStalledError: A fail-fast threshold was crossed; the last checkpoint stays.
            InfrastructureError: Too many episodes failed.
            KeyboardInterrupt: Ctrl-C; the iteration that ran then is complete and has a checkpoint.
        """
        if not self.config.algorithm.collects:
            with self._interrupt:
                while not self.is_over():
                    self._iterate(None)
            return
        settings = replace(
            self.config.rollout,
            is_lockstep=self.config.rollout.is_lockstep or self.config.group.staleness == 0,
            record_final_prompt=self.config.algorithm.bootstraps,
            # Episodes are cut where they would not fit into a row any more, rather than fail when they are packed.
            max_context=self.config.longest_context(self.policy.max_context),
        )
        make_game = game_maker(self.suite, settings.runtime, self.cast)
        policies = self.cast.policies(self.policy, self.config.roles.partner_sampling, self.folder)
        with RolloutEngine(make_game, policies, settings) as engine, self._interrupt:
            collector = self._make_collector(engine)
            while not self.is_over():
                self._iterate(collector)

    def _stored_runs(self) -> tuple[str, ...]:
        """The runs that are learnt from beside this one; recordings are rendered on rank 0, into the run's folder."""
        runs = self.config.algorithm.runs
        if not runs or distributed.rank() != 0:
            return runs
        return rendered_runs(
            runs, Rendering.of(self.config, self.suite, self.policy), self.folder, say=self.journal.say
        )

    def is_over(self) -> bool:
        """Whether no further iteration starts: there were as many as configured, or the time is up."""
        limit = self.config.run.max_seconds
        is_out_of_time = limit is not None and self.state.seconds >= limit
        return self.state.iteration >= self.config.run.iterations or is_out_of_time

    def _iterate(self, collector: GroupCollector | None) -> None:
        began = time.monotonic()
        everything = [] if collector is None else self.collect(collector)
        collected = time.monotonic()
        metrics: Metrics = {}
        if collector is not None:
            metrics |= collection_metrics(everything, self.state.version)
            metrics |= self.curriculum.observe(everything, self.state.iteration)
        self._set_learning_rate()
        metrics |= self.learner.learn(self.choose(everything), self.state)
        self.publish()
        seconds = time.monotonic() - began
        metrics |= {"time/iteration_s": seconds, "time/collect_s": collected - began}
        self._conclude(collector, metrics, seconds)

    def collect(self, collector: GroupCollector) -> list[Group]:
        """The groups of one iteration, from all ranks; with refilling, until enough of them have variance.

        Raises:
            LearningStalledError: Refilling ran out of attempts.
        """
        wanted = self._num_groups()
        groups = self._collect_once(collector)
        if self.config.group.dynamic_sampling != "refill":
            return groups
        collections = 1
        while (missing := wanted - sum(self._has_signal(group) for group in groups)) > 0:
            if collections >= self.config.group.max_refills:
                raise LearningStalledError(
                    f"{collections} collections of {wanted} groups gave {wanted - missing} groups whose returns differ "
                    f"instead of {wanted}: the tasks are too hard or too easy for this policy. Choose easier tasks, a "
                    f'longer warm start, a larger group.size, or group.dynamic_sampling = "drop".'
                )
            groups += self._collect_once(collector)
            collections += 1
        return groups

    def choose(self, groups: list[Group]) -> list[Group]:
        """The groups that are learnt from: all, or with refilling the first ones with variance."""
        if self.config.group.dynamic_sampling != "refill":
            return groups
        return [group for group in groups if self._has_signal(group)][: self._num_groups()]

    def _num_groups(self) -> int:
        """Groups of an iteration: one of each task and role of the learner."""
        return self.config.group.tasks * max(1, len(self.cast.learning))

    def _has_signal(self, group: Group) -> bool:
        return self.kind.has_signal is None or self.kind.has_signal(group, self.config.algorithm)

    def parts(self) -> Mapping[str, Part]:
        """What a checkpoint keeps beside the model, its optimiser and the loop's state, by name."""
        return {**self.learner.parts(), **self.curriculum.parts()}

    def publish(self) -> None:
        """Hand the new weights to the policy that samples."""
        self.state.version += 1
        publish(self.model, self.policy, self.state.version)

    def checkpoint(self) -> Path:
        """Write a checkpoint of the present state."""
        if self.store is not None:
            self.state.watermark = self.store.watermark()
        folder, keep = self.folder / "checkpoints", self.config.checkpoint.keep
        parts = {name: part.state() for name, part in self.parts().items()}
        digest = config_digest(self.folder, self.config)
        return save_checkpoint(folder, self.model, self.optimiser, self.state, digest=digest, keep=keep, parts=parts)

    def _make_collector(self, engine: RolloutEngine) -> GroupCollector:
        config, rank, world = self.config, distributed.rank(), distributed.world_size()
        first = self.state.next_group
        return GroupCollector(
            engine,
            self.curriculum.tasks(first, rank, world),
            group_size=config.group.size,
            max_in_flight=(config.group.staleness + 1) * config.group.tasks // world,
            seed=draw_seed(config.run.seed, "groups"),
            first_index=first + rank,
            index_step=world,
            prepare=self.curriculum.prepare,
        )

    def _collect_once(self, collector: GroupCollector) -> list[Group]:
        share = self.config.group.tasks // distributed.world_size()
        mine = collector.collect(share)
        groups = sorted((group for part in distributed.gather(mine) for group in part), key=lambda group: group.id)
        missing = [member for group in groups for member in group.missing]
        self.journal.left_out(missing, len(missing) + sum(len(group.members) for group in groups), "episodes")
        for group in groups:
            members = [*group.members, *group.missing]
            self.state.seen_hashes.update(member.content_hash for member in members)
            if self.store is not None:
                self.store.write_group(group, self.state.iteration + 1)
        return groups

    def _conclude(self, collector: GroupCollector | None, metrics: Metrics, seconds: float) -> None:
        state, config = self.state, self.config
        state.iteration += 1
        if collector is not None:
            state.next_group = min(distributed.gather(collector.next_index))
        state.seconds += max(distributed.gather(seconds))  # all ranks must agree on when the time is up
        self.journal.record(state.iteration, metrics)
        self.journal.iteration(state.iteration, config.run.iterations, metrics, seconds)
        self._watch.count(state, metrics)
        is_last = self.is_over()
        is_due = config.validation.every > 0 and (state.iteration % config.validation.every == 0 or is_last)
        if self.validate is not None and is_due:
            self.validate(self)
        is_interrupted = any(distributed.gather(self._interrupt.is_asked))
        if state.iteration % config.checkpoint.every == 0 or is_last or is_interrupted:
            self.checkpoint()
        self._watch.check(state, metrics)
        if is_interrupted:
            raise KeyboardInterrupt

    def _set_learning_rate(self) -> None:
        factor = schedule(self.state.iteration, self.config)
        for group in self.optimiser.param_groups:
            group["lr"] = group["peak"] * factor


def make_optimiser(model: PolicyModel, config: TrainConfig) -> torch.optim.AdamW:
    """AdamW with the policy's parameters in one group and the value head's in another."""
    optimiser = config.optimiser
    head = config.algorithm.head_learning_rate
    peaks = {"policy": optimiser.learning_rate, "value": optimiser.learning_rate if head is None else head}
    groups = [
        {"params": parameters, "lr": peaks[name], "peak": peaks[name]}
        for name, parameters in trainable_groups(model).items()
    ]
    betas = (optimiser.betas[0], optimiser.betas[1])
    return torch.optim.AdamW(groups, betas=betas, weight_decay=optimiser.weight_decay)


def schedule(iteration: int, config: TrainConfig) -> float:
    """Factor of the learning rate in an iteration, counted from 0: linear warm-up, then a decay to 0.1 in the last."""
    optimiser = config.optimiser
    if iteration < optimiser.warmup:
        return (iteration + 1) / (optimiser.warmup + 1)
    share = (iteration - optimiser.warmup) / max(1, config.run.iterations - 1 - optimiser.warmup)
    if optimiser.decay == "linear":
        return 1.0 - 0.9 * share
    if optimiser.decay == "cosine":
        return 0.1 + 0.45 * (1 + math.cos(math.pi * share))
    return 1.0
