"""Return to go: each turn has the discounted sum of what came from it on.

No baseline is subtracted here: `anchors` and `turn_groups` compare, a critic may too.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps, require_discount, returns_to_go


@dataclass(frozen=True)
class ReturnToGo(StepFormula):
    """G_t = r_t + gamma G_{t+1}."""

    gamma: float = 1.0
    """Discount of a turn."""

    name = "return_to_go"
    yields = "returns"

    def __post_init__(self) -> None:
        require_discount("return_to_go.gamma", self.gamma)

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        return returns_to_go(steps.rewards, steps.pieces, self.gamma)
