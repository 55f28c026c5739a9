"""Predictors of credit inside a training run: fitted every few iterations, kept in checkpoints.

Making them is the work of `making`; the credit itself that of `attributed`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentgym.attribution.learned.predicted import Predictor
from agentgym.attribution.steps import Floats
from agentgym.errors import CheckpointError, ConfigError
from agentgym.store import RunStore
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.core.attributed import AttributionConfig
from agentgym_rl.core.part_state import Part, PartState
from agentgym_rl.learned_attribution.estimator import Estimator
from agentgym_rl.learned_attribution.making import make_predictors

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class OnOneRank:
    """What a predictor says on rank 0, on every rank: a judge that is asked again may answer otherwise."""

    predictor: Predictor
    """Who is asked."""

    def predict(self, trajectories: Sequence[Trajectory]) -> dict[str, list[Floats]]:
        """The predictions of rank 0; a collective call. See `Predictor.predict`."""
        found = dict(self.predictor.predict(trajectories)) if distributed.rank() == 0 else {}
        return distributed.broadcast(found)


class TrainingPredictors:
    """The predictors of a run's method of attribution.

    Args:
        config: The method.
        policy: The weights that training starts from.
        store: The run's database, which may hold demonstrations.

    Raises:
        ConfigError: Demonstrations are missing, or several processes would fit predictors of their own.
    """

    def __init__(self, config: AttributionConfig, policy: PreTrainedModel, store: RunStore | None) -> None:
        made = make_predictors(config.formula, store, policy) if config.method and config.formula.reads else []
        self.learning = [each for each in made if isinstance(each, Estimator)]
        self.all = [each if isinstance(each, Estimator) else OnOneRank(each) for each in made]
        if self.learning and distributed.is_distributed():
            raise ConfigError(
                f"algorithm.credit.attribution.method {config.method!r} fits a predictor, which several processes "
                "cannot share yet; train in one process, or choose a method that learns nothing"
            )

    def refresh(self, groups: Sequence[Group], iteration: int) -> dict[str, float]:
        """Take up the episodes of an iteration, and fit where a fit is due.

        Args:
            groups: All that were collected; episodes whose return is not finite are left out.
            iteration: Counted from 0.

        Returns:
            By name: `attribution/NAME_loss` and `attribution/NAME_episodes` of each that was fitted.
        """
        members = [member for group in groups for member in group.members]
        finite = [each for each in members if math.isfinite(float(each.step_rewards().sum()))]
        metrics: dict[str, float] = {}
        for estimator in self.learning:
            estimator.observe(finite)
            if iteration % estimator.config.every == 0 or estimator.num_fits == 0:
                found = estimator.fit()
                metrics |= {f"attribution/{estimator.name}_{name}": value for name, value in found.items()}
        return metrics

    def parts(self) -> Mapping[str, Part]:
        """Itself, where any of them learns."""
        return {"attribution": self} if self.learning else {}

    def state(self) -> PartState:
        """All their states as one."""
        states = {estimator.name: estimator.state() for estimator in self.learning}
        tensors = {f"{name}/{key}": each for name, state in states.items() for key, each in state.tensors.items()}
        return PartState({name: dict(state.record) for name, state in states.items()}, tensors)

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is of other predictors.
        """
        expected = [estimator.name for estimator in self.learning]
        if sorted(state.record) != sorted(expected):
            raise CheckpointError(
                f"the checkpoint holds predictors of credit {sorted(state.record)}, this run has {expected}; resume "
                "with the run's own configuration"
            )
        for estimator in self.learning:
            prefix = f"{estimator.name}/"
            tensors = {key.removeprefix(prefix): each for key, each in state.tensors.items() if key.startswith(prefix)}
            estimator.restore(PartState(state.record[estimator.name], tensors))
