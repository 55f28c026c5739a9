"""What a method of attribution is: `Attribution` for any method, `StepFormula` for formulas on flat arrays.

Each method has its own file; `registry` chooses one by name, and `compose` combines several.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, Self

import numpy as np

from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ContractError
from agentgym.trajectory import Trajectory

Yields = Literal["rewards", "returns", "advantages"]
"""What a method's numbers are: rewards of single steps (to be summed over the future, or fed to a critic); returns,
already summed over the future (to be compared with a baseline); or advantages (a baseline is subtracted already)."""


class Credited(Protocol):
    """What is stored with credit: how it was made, and what its numbers are."""

    @property
    def name(self) -> str:
        """Its name on the command line and in reports."""

    @property
    def conserves(self) -> bool:
        """Whether the credit of an episode adds up to its undiscounted return."""

    @property
    def yields(self) -> Yields:
        """What the numbers are."""


class Attribution(Credited, Protocol):
    """A way to say what each step of an episode earned."""

    def attribute(self, group: Sequence[Trajectory]) -> list[Floats]:
        """The credit of each turn, float64[T_i] for each trajectory.

        Args:
            group: Finished, graded trajectories. They may be of several groups, which are credited separately.

        Raises:
            ConfigError: The method does not apply to them; the message says why, and what would help.
        """


class StepFormula(ABC):
    """A method that is a closed formula on `Steps`.

    A subclass is a frozen dataclass of its options. It writes `credit`, and sets `name` and those other attributes that
    differ.

    Attributes:
        name: Its name.
        yields: What its numbers are.
        is_conserving: Whether a trajectory's credit adds up to the rewards that it was given.
        is_restoring: Whether it adds up to the recorded return, whichever rewards it was given.
    """

    name: ClassVar[str]
    yields: ClassVar[Yields] = "rewards"
    is_conserving: ClassVar[bool] = False
    is_restoring: ClassVar[bool] = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The predictions that it reads, as `Steps.predictions` names them; none for most methods."""
        return ()

    @property
    def conserves(self) -> bool:
        """Whether the credit of an episode adds up to its undiscounted return."""
        return self.is_conserving

    @property
    def restores(self) -> bool:
        """Whether it does so even if the method before it in a chain did not."""
        return self.is_restoring

    @abstractmethod
    def credit(self, steps: Steps) -> Floats:
        """float64[S], the credit of each turn.

        Raises:
            ConfigError: The method does not apply to these steps.
        """

    def at(self, iteration: int) -> Self:
        """The method in an iteration, counted from 0: fading bonuses have the weight of that iteration."""
        return self

    def apply(self, steps: Steps) -> Steps:
        """The steps with this credit as rewards, for the next method of a chain."""
        return steps.with_rewards(self.credit(steps))

    def attribute(
        self, group: Sequence[Trajectory], predictions: Mapping[str, Sequence[Floats]] | None = None
    ) -> list[Floats]:
        """The credit of each turn; see `Attribution.attribute`.

        Args:
            group: The trajectories.
            predictions: Outputs of learned predictors, for the methods that use them; see `Steps.of`.
        """
        steps = Steps.of(group, predictions)
        return steps.split(self.credit(steps))


def require_finite(method: str, trajectories: Sequence[Trajectory], credit: Sequence[Floats]) -> None:
    """Refuse credit that is not finite, before it is silently learned from or stored.

    Args:
        method: The method that gave it.
        trajectories: Whose turns it is of.
        credit: float64[T_i] for each trajectory.

    Raises:
        ContractError: The credit is not finite; names the first such turn.
    """
    for trajectory, found in zip(trajectories, credit, strict=True):
        if not np.isfinite(found).all():
            turn = int(np.flatnonzero(~np.isfinite(found))[0])
            raise ContractError(
                f"{method} gives turn {turn} of episode {trajectory.id!r} the credit {found[turn]}; expected a finite "
                "number: mend what it is made of, such as options so large that sums overflow"
            )
