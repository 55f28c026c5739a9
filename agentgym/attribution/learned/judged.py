"""Judged: a judge rates each turn in several dimensions; the rating weights what the episode reached in each.

`judge_rater` asks the judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.learned.predicted import require_predictions
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError

LOWEST, HIGHEST = -1, 3
"""Ratings: 3 decisive, 0 irrelevant, -1 harmful."""
GOAL = "goal"
"""The dimension that the official score measures, whatever reward components are called."""
RULES = "rules"
"""The name for rating by rules instead of a judge."""


def rating_name(dimension: str) -> str:
    """Name of the prediction that holds a turn's rating in a dimension."""
    return f"judge/{dimension}"


def reached_name(dimension: str) -> str:
    """Name of the prediction that holds how far the episode came in a dimension, the same on each turn."""
    return f"judge/{dimension}/reached"


@dataclass(frozen=True)
class Judged(StepFormula):
    """sum_d weight_d v_d, v = rating / 3 x how far the episode came in dimension d; -1 for a harmful turn.

    Utterance-level attribution of Sotopia-RL, Yu et al. 2025, arXiv 2508.03905. Differs: ratings are the reward itself
    instead of the target of a reward model, and the environment measures how far an episode came.
    """

    judge: str = RULES
    """Who judges: "rules", or a policy that works on text, such as endpoint:URL#MODEL."""
    dimensions: tuple[str, ...] = (GOAL,)
    """What is judged. A dimension with the name of a reward component is measured by this component; "goal" and any
    other dimension by the official score."""
    weights: tuple[float, ...] = (1.0,)
    """Of each dimension."""
    about: tuple[str, ...] = ()
    """What each dimension means, for the judge; if empty, its name must suffice."""
    answers: str = ""
    """File that keeps the judge's answers across runs."""
    attempts: int = 3
    """The most times that a judge is asked while its answers have the wrong form."""

    name = "judged"

    def __post_init__(self) -> None:
        if not self.dimensions or len(self.dimensions) != len(self.weights) or self.attempts < 1:
            raise ConfigError(
                f"judged needs a weight for each dimension and attempts >= 1: got {self.dimensions}, {self.weights}, "
                f"{self.attempts}"
            )
        if self.about and len(self.about) != len(self.dimensions):
            raise ConfigError(f"judged.about needs a text for each of {self.dimensions}: got {len(self.about)}")
        if self.judge == RULES and (self.answers or self.about):
            raise ConfigError('judged.answers and judged.about are for a judge behind an endpoint, not for "rules"')

    @property
    def reads(self) -> tuple[str, ...]:
        """The ratings, and how far episodes came, in each dimension."""
        return tuple(name(each) for each in self.dimensions for name in (rating_name, reached_name))

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        credit = np.zeros(len(steps.rewards))
        for dimension, weight in zip(self.dimensions, self.weights, strict=True):
            rating = require_predictions(steps, self.name, rating_name(dimension))
            reached = require_predictions(steps, self.name, reached_name(dimension))
            credit += weight * np.where(rating < 0, -1.0, rating / HIGHEST * reached)
        return credit
