"""Predicted: methods that are formulas over a predictor's outputs for each turn, and what joins the two.

Predictors that learn need torch and live with the trainer; the judge's is `judge_rater`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from agentgym.attribution.contract import StepFormula, Yields
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError
from agentgym.trajectory import Trajectory

Predictions = Mapping[str, list[Floats]]
"""By name, float64[T_i] for each trajectory."""


class Predictor(Protocol):
    """Predicts something for each turn, from the whole record of its episode."""

    def predict(self, trajectories: Sequence[Trajectory]) -> Predictions:
        """The predictions for `Steps.predictions`.

        Raises:
            InfrastructureError: Who is asked outside this process failed.
        """


@dataclass(frozen=True)
class FitConfig:
    """How a predictor that learns is fitted."""

    every: int = 1
    """Iterations of training between fits."""
    first_epochs: int = 20
    """Passes over the episodes at the first fit, which starts from nothing; a finished run has only this fit."""
    epochs: int = 2
    """Passes at each later fit."""
    window: int = 512
    """Number of newest episodes that it is fitted to."""
    batch_episodes: int = 16
    """Episodes per update."""
    learning_rate: float = 2e-3
    """Learning rate of AdamW; about 1e-5 for a pretrained tower."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this norm."""
    tower: str = "tiny"
    """What reads the episodes: "tiny", two layers over words, built from nothing; "policy", a copy of the weights that
    training starts from, over tokens; or the folder of a causal model with the run's tokenizer."""
    trains_tower: bool = True
    """Whether the tower learns together with its heads; a tower from nothing must."""
    seed: int = 0
    """Seed of its weights and of the order of episodes."""

    def __post_init__(self) -> None:
        counts = (self.every, self.first_epochs, self.epochs, self.window, self.batch_episodes)
        if min(counts) < 1 or self.seed < 0:
            raise ConfigError(
                "fit needs every, first_epochs, epochs, window and batch_episodes of at least 1 and a seed of at least "
                f"0: got {counts} and {self.seed}"
            )
        if not (self.learning_rate > 0 and self.max_grad_norm > 0):
            raise ConfigError(
                f"fit needs a positive learning_rate and max_grad_norm: got {self.learning_rate}, {self.max_grad_norm}"
            )
        if not self.tower or (self.tower == "tiny" and not self.trains_tower):
            raise ConfigError('fit.tower is empty, or "tiny" with trains_tower = false, which leaves random features')


@dataclass(frozen=True)
class Predicting:
    """A formula with the predictors of what it reads: a method like any other (`Attribution`)."""

    formula: StepFormula
    """The method."""
    predictors: Sequence[Predictor]
    """Who says what it reads."""

    @property
    def name(self) -> str:
        """What the formula is called."""
        return self.formula.name

    @property
    def conserves(self) -> bool:
        """Whether the formula does."""
        return self.formula.conserves

    @property
    def yields(self) -> Yields:
        """What the formula's numbers are."""
        return self.formula.yields

    def at(self, iteration: int) -> Predicting:
        """The method as it is in an iteration; see `StepFormula.at`."""
        return replace(self, formula=self.formula.at(iteration))

    def attribute(self, group: Sequence[Trajectory]) -> list[Floats]:
        """The credit of each turn; see `Attribution.attribute`."""
        return self.formula.attribute(group, predictions_of(self.predictors, group))

    def __repr__(self) -> str:
        return repr(self.formula)


def predictions_of(predictors: Sequence[Predictor], trajectories: Sequence[Trajectory]) -> dict[str, list[Floats]]:
    """What several predictors say, together."""
    found: dict[str, list[Floats]] = {}
    for predictor in predictors:
        found |= predictor.predict(trajectories)
    return found


def require_predictions(steps: Steps, method: str, name: str) -> Floats:
    """float64[S], what a predictor said.

    Raises:
        ConfigError: Nobody said it, or it is no finite number somewhere.
    """
    found = (steps.predictions or {}).get(name)
    if found is None:
        raise ConfigError(
            f"{method} reads what a predictor says of each turn ({name!r}), which is not there; `agentgym attribute` "
            "and training bring it, from Python give it as `predictions`"
        )
    if not np.isfinite(found).all():
        at = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ConfigError(
            f"{method} reads {found[at]} as the prediction {name!r} of turn {steps.position[at]} of trajectory "
            f"{steps.owner[at]}; expected a finite number: mend the predictor, such as by a lower learning rate"
        )
    return found
