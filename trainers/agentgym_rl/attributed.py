"""Step credit of `agentgym.attribution` in training: which method, what it needs of the record, what it gives.

Laying the credit out over tokens is the work of `credit.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agentgym.attribution import StepFormula, Steps, make_attribution
from agentgym.attribution.anchors import Anchors
from agentgym.attribution.compose import Chain, Sum
from agentgym.attribution.step_groups import GroupSizes
from agentgym.attribution.steps import Floats
from agentgym.errors import ConfigError
from agentgym.game import GameEnv
from agentgym.task import Task
from agentgym.trajectory import Trajectory


@dataclass(frozen=True)
class AttributionConfig:
    """Which turns of an episode earned what."""

    method: str = ""
    """Methods of agentgym.attribution, such as "episode_groups+anchors"; "" leaves rewards where the environment's
    events put them."""
    options: tuple[str, ...] = ()
    """Their options, such as "anchors.gamma=0.9"."""

    def __post_init__(self) -> None:
        if self.method:
            _ = self.formula
        elif self.options:
            raise ConfigError("algorithm.attribution.options are of no method; set algorithm.attribution.method")

    @cached_property
    def formula(self) -> StepFormula:
        """The method.

        Raises:
            UnknownNameError: There is none of that name.
            ConfigError: An option is no good.
        """
        return make_attribution(self.method, self.options)


@dataclass(frozen=True)
class Attributed:
    """The credit of an iteration's trajectories.

    Attributes:
        turns: float64[T_i] for each trajectory.
        sizes: How many turns had others in the same state to be compared with; None for methods that compare no states.
    """

    turns: list[Floats]
    sizes: GroupSizes | None


def attribute(trajectories: Sequence[Trajectory], config: AttributionConfig) -> Attributed:
    """Credit the turns of graded trajectories with finite rewards, of several groups.

    Raises:
        ConfigError: The record lacks what the method needs.
    """
    steps = Steps.of(trajectories)
    compared = next((leaf for leaf in _leaves(config.formula) if isinstance(leaf, Anchors)), None)
    sizes = None if compared is None else compared.sizes(steps)
    return Attributed(steps.split(config.formula.credit(steps)), sizes)


def require_recordable(config: AttributionConfig, make_game: Callable[[Task], GameEnv], task: Task) -> None:
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
        components = game.reward_weights
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
            tool_calls=np.zeros(1, np.int64),
            parts=dict.fromkeys(components, one),
        )
    )


def equations(config: AttributionConfig) -> list[str]:
    """What each method of the formula does, a line each."""
    methods = {type(leaf): leaf for leaf in _leaves(config.formula)}.values()
    return [f"{leaf.name}: {(type(leaf).__doc__ or '').partition(chr(10))[0]}" for leaf in methods]


def _leaves(formula: StepFormula) -> Iterator[StepFormula]:
    parts = formula.stages if isinstance(formula, Chain) else formula.terms if isinstance(formula, Sum) else ()
    for part in parts:
        yield from _leaves(part)
    if not parts:
        yield formula
