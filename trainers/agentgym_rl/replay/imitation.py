"""Self-imitation: good episodes of the recent past are learnt from again, judged by what is good now.

After SPEAR (Qin et al. 2025, arXiv 2509.22601): advantages are recalibrated by the median of recent group means, only
positive ones are replayed, and their loss is ramped up. Ageing is that of the index. Differs: a few episodes are drawn
in every iteration, where the released code saves up thousands and then takes them all; whole episodes are judged,
never single rows. The mask that keeps entropy is in `covariance`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import CheckpointError, ConfigError, ContractError
from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex


@dataclass(frozen=True)
class ImitationConfig:
    """How the past is judged and how much it counts."""

    history: int = 10240
    """Groups whose mean and deviation of returns are remembered."""
    is_scaled: bool = False
    """Divide recalibrated advantages by the median deviation."""
    coefficient: float = 1.0
    """Weight of the replayed loss when the ramp has ended."""
    ramp: int = 100
    """Iterations over which the weight rises from 0 along half a cosine; 0 for none."""

    def __post_init__(self) -> None:
        if self.history < 1 or self.coefficient < 0 or self.ramp < 0:
            raise ConfigError(
                f"self-imitation needs history >= 1, coefficient >= 0 and ramp >= 0: got {self.history}, "
                f"{self.coefficient}, {self.ramp}"
            )


class SelfImitation:
    """Draws episodes that are better than what is usual now.

    Args:
        index: Where from; `max_age` of its bounds is SPEAR's tolerance (5 to 10).
        generator: Of the draws.
        config: Judgement and weight.
    """

    def __init__(self, index: ReplayIndex, generator: np.random.Generator, config: ImitationConfig) -> None:
        self.index, self.config = index, config
        self._generator = generator
        self._means: list[float] = []
        self._deviations: list[float] = []

    def observe(self, returns: NDArray[np.float64]) -> None:
        """Remember how a fresh group fared; float64[G], its returns. Empty groups are passed over.

        Raises:
            ContractError: A return is no finite number.
        """
        if not np.isfinite(returns).all():
            raise ContractError(f"returns of a group are {returns.tolist()}; expected finite numbers")
        if len(returns):
            self._means.append(float(returns.mean()))
            self._deviations.append(float(returns.std()))
            del self._means[: -self.config.history], self._deviations[: -self.config.history]

    def recalibrated(self, returns: NDArray[np.float64]) -> NDArray[np.float64]:
        """A' = R - P50(group means) [/ P50(group deviations)]; all 0 before any group was observed."""
        if not self._means:
            return np.zeros(len(returns))
        advantages: NDArray[np.float64] = returns - np.median(self._means)
        if self.config.is_scaled:
            advantages = advantages / max(float(np.median(self._deviations)), 1e-6)
        return advantages

    def draw(self, count: int) -> tuple[Draw, NDArray[np.float64]]:
        """Episodes of positive recalibrated advantage, with replacement, and those advantages.

        Returns:
            So many episodes and float64[count]; both empty where none is better than usual, as at the start.
        """
        require_count(count)
        advantages = self.recalibrated(self.index.reward)
        better = np.flatnonzero(advantages > 0)
        if not len(better):
            return Draw.of(self.index, "episode", np.zeros(0, np.int64)), np.zeros(0)
        entries = better[self._generator.integers(0, len(better), count)]
        return Draw.of(self.index, "episode", entries), advantages[entries]

    def coefficient(self, iteration: int) -> float:
        """Weight of the replayed loss: coefficient * (1 - cos(pi min(iteration / ramp, 1))) / 2."""
        if self.config.ramp == 0:
            return self.config.coefficient
        share = min(iteration / self.config.ramp, 1.0)
        return self.config.coefficient * (1.0 - math.cos(math.pi * share)) / 2.0

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, as JSON."""
        return {"rng": generator_state(self._generator), "means": [*self._means], "deviations": [*self._deviations]}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Go on from a checkpoint; restore the index first."""
        restore_generator(self._generator, record)
        if "means" not in record or "deviations" not in record:
            raise CheckpointError("the checkpoint's replay was no self-imitation; resume with the same settings")
        self._means, self._deviations = list(record["means"]), list(record["deviations"])
