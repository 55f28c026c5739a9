"""Proxy watch: whether shaped reward still goes with the official score, and when it has ceased to for too long.

Keeping shaping small is the work of `bounded`; stopping the run that of its trainer.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from agentgym.errors import ConfigError
from agentgym.ranges import Range, Ranged


@dataclass(frozen=True)
class WatchConfig(Ranged):
    """When shaped reward counts as hacked."""

    window: Annotated[int, Range(1)] = 8
    """Iterations whose episodes are pooled for a correlation."""
    min_correlation: Annotated[float, Range(-1, 1)] = 0.1
    """Below this, an iteration counts as astray."""
    patience: Annotated[int, Range(1)] = 5
    """After this many iterations astray in a row, it is time to stop. It must be below `window` for scores that cease
    to vary to be noticed: a window of equal scores has no correlation."""
    min_episodes: Annotated[int, Range(2)] = 32
    """Episodes in the window below which no correlation is taken."""


@dataclass(frozen=True)
class WatchReading:
    """What one iteration showed.

    Attributes:
        num_episodes: Those in the window that have a score.
        correlation: Pearson's, over the window; None where it says nothing (few episodes, or no variance).
        num_astray: Iterations astray one after another, this one included.
        should_stop: Whether patience has run out.
    """

    num_episodes: int
    correlation: float | None
    num_astray: int
    should_stop: bool


class ProxyWatch:
    """Follows the correlation of a proxy with the score over iterations.

    Args:
        config: When to stop.
    """

    def __init__(self, config: WatchConfig | None = None) -> None:
        self.config = config or WatchConfig()
        self._pairs: deque[list[tuple[float, float]]] = deque(maxlen=self.config.window)
        self._num_astray = 0

    def update(self, proxies: Sequence[float], scores: Sequence[float | None]) -> WatchReading:
        """Take up one iteration.

        Args:
            proxies: What each episode's shaped rewards, or its shaping alone, came to.
            scores: The official score of each; an episode without one is left out.

        Returns:
            What it showed. Where the correlation says nothing the count of iterations astray stays as it is.

        Raises:
            ConfigError: There is not one score for each proxy, or one of either is no finite number.
        """
        if len(proxies) != len(scores):
            raise ConfigError(f"{len(proxies)} proxies but {len(scores)} scores; give one of each for every episode")
        given = zip(proxies, scores, strict=True)
        pairs = [(float(proxy), float(score)) for proxy, score in given if score is not None]
        for pair in pairs:
            if not all(map(math.isfinite, pair)):
                raise ConfigError(
                    f"an episode has the proxy {pair[0]} and the score {pair[1]}; expected finite numbers: leave it "
                    "out, it counts as not graded"
                )
        self._pairs.append(pairs)
        correlation = self._correlation()
        if correlation is not None:
            self._num_astray = self._num_astray + 1 if correlation < self.config.min_correlation else 0
        num_episodes = sum(map(len, self._pairs))
        return WatchReading(num_episodes, correlation, self._num_astray, self._num_astray >= self.config.patience)

    def state(self) -> dict[str, object]:
        """JSON values that `load` takes up, for checkpoints."""
        return {"pairs": [[list(pair) for pair in pairs] for pairs in self._pairs], "num_astray": self._num_astray}

    def load(self, state: dict[str, object]) -> None:
        """Go on from a `state`."""
        pooled: list[list[tuple[float, float]]] = [
            [(proxy, score) for proxy, score in pairs]
            for pairs in state["pairs"]  # type: ignore[attr-defined]  # what `state` wrote
        ]
        self._pairs = deque(pooled, self.config.window)
        self._num_astray = int(state["num_astray"])  # type: ignore[call-overload]

    def _correlation(self) -> float | None:
        pooled = np.array([pair for pairs in self._pairs for pair in pairs]).reshape(-1, 2)
        if len(pooled) < self.config.min_episodes:
            return None
        centred = pooled - pooled.mean(axis=0)
        spread = np.sqrt((centred**2).sum(axis=0))
        if (spread <= 1e-9 * np.maximum(1.0, np.abs(pooled).max(axis=0))).any():
            return None
        return float(centred[:, 0] @ centred[:, 1] / (spread[0] * spread[1]))
