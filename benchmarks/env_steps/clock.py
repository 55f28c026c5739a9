"""How `benchmarks.env_steps` times an environment of any library: steps within episodes, and resets, a second.

Which games are played, and how a library plays them, is in `env_steps` and `pairs`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measure import Spread, interleaved, ratios

EPISODES = 100
"""Episodes of a pass; the figure of `textarena` depends on it."""


@dataclass(frozen=True)
class Player:
    """One environment of a library with the messages that are played on it.

    Attributes:
        reset: Starts an episode from a seed, drawing its secret.
        prepare: Starts the episode that `play` plays, with as many tries as the other sides have.
        play: Plays that episode, the seed being given again; returns the number of steps.
    """

    reset: Callable[[int], object]
    prepare: Callable[[int], object]
    play: Callable[[int], int]


Side = Callable[[], Player]
"""Makes a player with an environment of its own."""


def steps_per_s(side: Side, seconds: float) -> float:
    """Steps a second within episodes, resets not counted; whole passes, at least one."""
    num_steps, spent = 0, 0.0
    while spent < seconds:
        player = side()
        for seed in range(EPISODES):
            player.prepare(seed)
            began = time.perf_counter()
            num_steps += player.play(seed)
            spent += time.perf_counter() - began
    return num_steps / spent


def resets_per_s(side: Side, seconds: float) -> float:
    """Resets a second, each with another seed; whole passes, at least one."""
    num_resets, spent = 0, 0.0
    while spent < seconds:
        player = side()
        began = time.perf_counter()
        for seed in range(EPISODES):
            player.reset(seed)
        spent += time.perf_counter() - began
        num_resets += EPISODES
    return num_resets / spent


def compared(sides: Mapping[str, Side], seconds: float, repeats: int) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """The figures of a game on all sides, ours being called "agentgym…", and the steps a second of each repeat."""
    steps = interleaved(_timed(sides, steps_per_s, seconds), repeats)
    resets = interleaved(_timed(sides, resets_per_s, seconds / 2), repeats)
    found = {
        "steps_per_s": {side: Spread.of(values).to_json() for side, values in steps.items()},
        "resets_per_s": {side: Spread.of(values).to_json() for side, values in resets.items()},
        "times_the_peers_steps_per_s": {
            side: ratios(steps["agentgym"], values).to_json()
            for side, values in steps.items()
            if not side.startswith("agentgym")
        },
    }
    return found, steps


def _timed(
    sides: Mapping[str, Side], clock: Callable[[Side, float], float], seconds: float
) -> dict[str, Callable[[], float]]:
    return {name: lambda side=side: clock(side, seconds) for name, side in sides.items()}  # type: ignore[misc]
