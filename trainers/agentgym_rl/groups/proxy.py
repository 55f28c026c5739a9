"""The proxy watch inside a training run: fed with what each iteration paid, logged, kept in checkpoints.

What counts as astray is `agentgym.attribution.proxy_watch`; stopping the run is the work of `watch.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.attribution.proxy_watch import ProxyWatch, WatchConfig
from agentgym_rl.core.attributed import Shaped
from agentgym_rl.core.part_state import Part, PartState


class ProxyPart:
    """Follows how shaped reward goes with the score.

    Args:
        config: When it counts as gone astray; None where no reward is shaped, so that there is nothing to follow.
    """

    def __init__(self, config: WatchConfig | None) -> None:
        self._watch = None if config is None else ProxyWatch(config)

    def update(self, shaped: Sequence[Shaped]) -> dict[str, float]:
        """Take up an iteration.

        Args:
            shaped: Its episodes; none where the method left their returns as they were.

        Returns:
            By name: `proxy/episodes` of the last iterations that have a score; `proxy/correlation` over them and
            `proxy/iterations_astray`, one after another, both left out while the correlation says nothing.
        """
        if self._watch is None or not shaped:
            return {}
        reading = self._watch.update([each.reward for each in shaped], [each.score for each in shaped])
        metrics = {"proxy/episodes": float(reading.num_episodes)}
        if reading.correlation is None:
            return metrics
        return metrics | {
            "proxy/correlation": reading.correlation,
            "proxy/iterations_astray": float(reading.num_astray),
        }

    def parts(self) -> Mapping[str, Part]:
        """Itself, where it follows anything."""
        return {} if self._watch is None else {"proxy_watch": self}

    def state(self) -> PartState:
        """The iterations that it remembers."""
        return PartState({} if self._watch is None else self._watch.state())

    def restore(self, state: PartState) -> None:
        """Go on from a state."""
        if self._watch is not None:
            self._watch.load(dict(state.record))
