"""Learning from whole groups: score -> credit -> update, the group policy-gradient family and PPO."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.batch import TrainBatch
from agentgym_rl.checkpoint import TrainerState
from agentgym_rl.credit import assign_credit
from agentgym_rl.curricula.durations import weigh_by_duration
from agentgym_rl.learner import Workplace
from agentgym_rl.metrics import Metrics, learning_metrics
from agentgym_rl.part_state import Part
from agentgym_rl.scoring import fill_scores
from agentgym_rl.update import learn


class GroupLearner:
    """Learns from the groups of an iteration and forgets them.

    Args:
        place: What it works with.
    """

    def __init__(self, place: Workplace) -> None:
        self.place = place

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Score, credit, update."""
        config, place = self.place.config, self.place
        batch, credit = assign_credit(
            self.score(groups), config.algorithm, drop_flat_groups=config.group.dynamic_sampling != "keep"
        )
        durations = config.curriculum.durations
        weighed = {} if durations is None else weigh_by_duration(batch, durations)
        order_seed = draw_seed(config.run.seed, "minibatches", state.iteration)
        report = learn(place.model, place.optimiser, batch, config, seed=order_seed, version=state.version)
        return learning_metrics(batch, credit, report, len(groups)) | weighed

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
        """Nothing: its memory is the model's."""
        return {}
