"""Tool use: a bonus for turns that call a tool, which fades during the run.

The environment's own rewards say whether the call was useful.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.shaping.schedule import Schedule
from agentgym.attribution.steps import Floats, Ints, Steps
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class ToolUse(StepFormula):
    """r_t + weight where turn t holds a valid tool call; the fading bonus of SPEAR, Qin et al. 2025, arXiv 2509.22601.

    Differs: only a limited number of turns of an episode get the bonus, so that useless calls do not pay.
    """

    weight: Schedule = field(default_factory=Schedule)
    """The bonus by iteration."""
    max_paid: int | None = 4
    """Most turns of an episode that get it; None for all."""

    name = "tool_use"

    def __post_init__(self) -> None:
        if self.max_paid is not None and self.max_paid < 0:
            raise ConfigError(f"tool_use.max_paid must be at least 0, or none: got {self.max_paid}")

    def at(self, iteration: int) -> Self:
        """With the bonus of then."""
        return replace(self, weight=self.weight.held(iteration))

    def credit(self, steps: Steps) -> Floats:
        """float64[S], with the bonus of iteration 0 unless `at` says another.

        Raises:
            ConfigError: It is not known which turns called tools.
        """
        if steps.tool_calls is None:
            raise ConfigError(
                "tool_use pays turns that call tools, and there is nothing that says which do; choose an environment "
                "that has tools, or another method; from Python give Steps.tool_calls"
            )
        is_paid = steps.tool_calls > 0
        if self.max_paid is not None:
            before: Ints = np.cumsum(is_paid) - is_paid
            nth: Ints = before - before[steps.offsets[:-1][steps.owner]]
            is_paid &= nth < self.max_paid
        return steps.rewards + self.weight.at(0) * is_paid
