"""Learning from whole groups: score -> credit -> update, the group policy-gradient family and PPO.

What is learnt again from earlier iterations is the work of `replay.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.kept_credit import BY_CRITIC, IN_TRAINING, CriticAdvantages, keep_trained_on
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.scoring import fill_scores
from agentgym_rl.curricula.durations import weigh_by_duration
from agentgym_rl.groups.credit import CreditReport, assign_credit
from agentgym_rl.groups.metrics import learning_metrics
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.groups.proxy import ProxyPart
from agentgym_rl.groups.replay import GroupReplay
from agentgym_rl.groups.update import learn
from agentgym_rl.learned_attribution.in_training import TrainingPredictors


class GroupLearner:
    """Learns from the groups of an iteration, and again from earlier ones where replay is on.

    Args:
        place: What it works with.
    """

    def __init__(self, place: Workplace[GroupOptions]) -> None:
        self.place = place
        self.replay = GroupReplay(place)
        attribution = place.config.algorithm.attribution
        self.predictors = TrainingPredictors(attribution, place.model.causal_lm, place.store)
        self.proxy = ProxyPart(place.config.watch.proxy if attribution.method else None)

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Score, credit, update; what a method of attribution gave is kept with the run."""
        config, place, replay = self.place.config, self.place, self.replay
        batch = self.score(replay.fill(groups, state))
        replay.weigh(batch)
        fitted = self.predictors.refresh(groups, state.iteration)
        batch, credit = assign_credit(
            batch,
            config.algorithm,
            drop_flat_groups=config.group.dynamic_sampling != "keep",
            predictors=self.predictors.all,
            iteration=state.iteration,
        )
        self._keep(groups, batch, credit, state.iteration)
        durations = config.curriculum.durations
        weighed = {} if durations is None else weigh_by_duration(batch, durations)
        further = replay.objectives(batch, groups, state)
        seed = draw_seed(config.run.seed, "minibatches", state.iteration)
        report = learn(place.model, place.optimiser, batch, config, seed=seed, version=state.version, further=further)
        metrics = learning_metrics(batch, credit, report, len(groups)) | weighed | replay.keep(state)
        return metrics | fitted | self.proxy.update(credit.shaped)

    def _keep(self, groups: list[Group], batch: TrainBatch, credit: CreditReport, iteration: int) -> None:
        """What the turns of fresh episodes were credited with, by a method of attribution and by a critic."""
        store, algorithm = self.place.store, self.place.config.algorithm
        if store is None:
            return
        fresh = [member for group in groups for member in group.members]
        if credit.turns:
            keep_trained_on(store, IN_TRAINING, algorithm.attribution.formula, fresh, credit.turns, iteration)
        if algorithm.has_value_head:
            by_critic = CriticAdvantages(algorithm.credit.kind)
            keep_trained_on(store, BY_CRITIC, by_critic, fresh, batch.turn_advantages(), iteration)

    def score(self, groups: list[Group]) -> TrainBatch:
        """The batch with what the forward passes before learning give."""
        batch, config = TrainBatch.of(groups), self.place.config
        self.place.model.eval()
        fill_scores(
            batch,
            self.place.model,
            self.place.reference,
            config.packing,
            config.rollout.sampling.temperature,
            recompute_prox=config.algorithm.prox == "recompute",
        )
        self.place.model.train()
        return batch

    def parts(self) -> Mapping[str, Part]:
        """The memories of replay, of predictors of credit and of the proxy watch; all else is the model's."""
        return {**self.replay.parts(), **self.predictors.parts(), **self.proxy.parts()}

    def close(self) -> None:
        """Close what replay has open; twice is harmless."""
        self.replay.close()
