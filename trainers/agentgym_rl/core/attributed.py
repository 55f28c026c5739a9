"""Step credit of `agentgym.attribution` in training: which method, what it needs of the record, what it gives.

Laying the credit out over tokens is the work of `credit.py`; keeping it with the run that of `kept_credit.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from agentgym.attribution import StepFormula, Steps, make_attribution
from agentgym.attribution.compose import comparing_states, leaves, shaped_rewards
from agentgym.attribution.contract import require_finite
from agentgym.attribution.groups.step_groups import GroupSizes
from agentgym.attribution.learned.predicted import FitConfig, Predictor, predictions_of
from agentgym.attribution.steps import Floats
from agentgym.errors import ConfigError
from agentgym.game import Game
from agentgym.task import Task
from agentgym.trajectory import Trajectory


@dataclass(frozen=True)
class AttributionConfig:
    """Which turns of an episode earned what."""

    method: str = ""
    """Methods of agentgym.attribution, such as "episode_groups+anchors". "" leaves rewards where the environment's
    events put them."""
    options: tuple[str, ...] = ()
    """Options of the methods, such as "anchors.gamma=0.9"."""

    def __post_init__(self) -> None:
        if self.method:
            _ = self.formula
        elif self.options:
            raise ConfigError(
                "algorithm.credit.attribution.options belong to no method; set algorithm.credit.attribution.method"
            )

    @cached_property
    def formula(self) -> StepFormula:
        """The method.

        Raises:
            UnknownNameError: No method has that name.
            ConfigError: An option is no good.
        """
        return make_attribution(self.method, self.options)


_SAME = 1e-9
"""Totals that differ by no more were not shaped."""


class Shaped(NamedTuple):
    """What an episode was paid after shaping, and what it was worth."""

    reward: float
    score: float | None


@dataclass(frozen=True)
class Attributed:
    """The credit of an iteration's trajectories.

    Attributes:
        turns: float64[T_i] for each trajectory.
        sizes: How many turns had others in the same state to be compared with; None for methods that compare no states.
        shaped: Of each trajectory; empty where the method leaves all returns as they are.
    """

    turns: list[Floats]
    sizes: GroupSizes | None
    shaped: list[Shaped]


def attribute(
    trajectories: Sequence[Trajectory],
    config: AttributionConfig,
    predictors: Sequence[Predictor] = (),
    iteration: int = 0,
) -> Attributed:
    """Credit the turns of graded trajectories with finite rewards, of several groups.

    Args:
        trajectories: The trajectories.
        config: The method.
        predictors: Who says what it reads.
        iteration: That they are learnt from in, counted from 0.

    Raises:
        ConfigError: The record lacks what the method needs, or a predictor says what is no finite number.
        ContractError: The credit is no finite number somewhere.
        InfrastructureError: A judge failed.
    """
    formula = config.formula.at(iteration)
    steps = Steps.of(trajectories, predictions_of(predictors, trajectories))
    credit = formula.credit(steps)
    turns = steps.split(credit)
    require_finite(formula.name, trajectories, turns)
    compared = comparing_states(formula)
    sizes = None if compared is None else compared.sizes(steps)
    paid = steps.totals(credit if formula.yields == "rewards" else shaped_rewards(formula, steps))
    is_shaped = np.abs(paid - steps.totals(steps.rewards)).max(initial=0.0) > _SAME
    scores = [trajectory.score for trajectory in trajectories]
    shaped = list(map(Shaped, paid.tolist(), scores)) if is_shaped else []
    return Attributed(turns, sizes, shaped)


def require_recordable(config: AttributionConfig, make_game: Callable[[Task], Game], task: Task) -> None:
    """Refuse a method that needs what the environment does not tell, before anything is collected.

    Args:
        config: The method.
        make_game: Makes the environment as rollouts do.
        task: One of those trained on.

    Raises:
        ConfigError: Says what is missing.
    """
    game = make_game(task)
    try:
        game.reset(task)
        assert game.acting_role is not None
        anchor, progress = game.anchor(), game.progress(game.acting_role)
        components, has_tools = game.reward_weights, bool(game.tools.get(game.acting_role))
    finally:
        game.close()
    one = np.zeros(1)
    config.formula.credit(
        Steps(
            rewards=one,
            offsets=np.array([0, 1]),
            groups=np.zeros(1, np.int64),
            is_truncated=np.zeros(1, np.bool_),
            anchors=None if anchor is None else np.zeros(1, np.int64),
            progress=None if progress is None else one,
            tool_calls=np.zeros(1, np.int64) if has_tools else None,
            is_valid=np.ones(1, np.bool_),
            parts=dict.fromkeys(components, one),
            predictions=dict.fromkeys(config.formula.reads, one),
        )
    )


def equations(config: AttributionConfig) -> list[str]:
    """What each method of the formula does, a line each, and how what it reads is learnt."""
    methods = {type(leaf): leaf for leaf in leaves(config.formula)}.values()
    lines = [f"{leaf.name}: {(type(leaf).__doc__ or '').partition(chr(10))[0]}" for leaf in methods]
    fits = [(leaf.name, getattr(leaf, "fit", None)) for leaf in methods]
    return lines + [_fitting(name, fit) for name, fit in fits if isinstance(fit, FitConfig)]


def _fitting(name: str, fit: FitConfig) -> str:
    when = "every iteration" if fit.every == 1 else f"every {fit.every} iterations"
    return (
        f"{name} learns {when} from the newest {fit.window} episodes, {fit.epochs} passes ({fit.first_epochs} at "
        f"first), tower {fit.tower}"
    )
