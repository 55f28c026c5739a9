"""How long each closed formula of step credit takes on a batch of 512 trajectories of 50 turns.

Columnar arrays go in, as a trainer has them once a batch is collected: rewards by component, anchors, progress, tool
calls, 64 groups of 8. Each method is one side; sides take turns. A chain and a sum, as they would be used, have rows of
their own.

- columns: `credit` on steps that are laid out anew for each repeat, so that nothing of an earlier one is kept.
- trajectories: laying the same batch out from `Trajectory` objects (`Steps.of`), which is done once for any number of
  methods; it has no goal.

Learned methods and forks of environments cost what their models and environments cost; they have no part in this.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from agentgym.attribution import METHODS, Steps, make_attribution
from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import FINAL_PROGRESS, Trajectory, Turn
from benchmarks.measure import Spread, interleaved
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "numpy")
TRAJECTORIES, TURNS, GROUP = 512, 50, 8
STATES = 60
"""Different states of a task."""
GOAL_MS = 50.0
COMPOSED = ("gated,potential,bounded,return_to_go", "episode_groups+anchors")


@dataclass(frozen=True)
class Size:
    """Of a batch."""

    trajectories: int = TRAJECTORIES
    turns: int = TURNS


def make_steps(size: Size) -> Steps:
    """A batch of random columns, alike each time."""
    rng = np.random.default_rng(0)
    total = size.trajectories * size.turns
    success, step = np.zeros(total), np.where(rng.random(total) < 0.5, -0.01, 0.0)
    success[size.turns - 1 :: size.turns] = rng.integers(0, 2, size.trajectories)
    return Steps(
        success + step,
        np.arange(0, total + 1, size.turns),
        np.arange(size.trajectories) // GROUP,
        rng.random(size.trajectories) < 0.2,
        anchors=rng.integers(0, STATES, total),
        progress=rng.random(total),
        final_progress=rng.random(size.trajectories),
        tool_calls=rng.integers(0, 2, total),
        parts={"success": success, "step": step},
    )


def make_trajectories(size: Size) -> list[Trajectory]:
    """The same batch as trajectories without messages."""
    steps = make_steps(size)
    assert steps.parts is not None
    return [_trajectory(steps, index, size.turns) for index in range(size.trajectories)]


def _trajectory(steps: Steps, index: int, num_turns: int) -> Trajectory:
    assert steps.anchors is not None
    assert steps.progress is not None
    assert steps.final_progress is not None
    assert steps.parts is not None
    first = index * num_turns
    turns = [
        Turn(turn, [], {}, "", anchor=str(steps.anchors[first + turn]), progress=float(steps.progress[first + turn]))
        for turn in range(num_turns)
    ]
    events = [
        RewardEvent(turn, turn, "agent", component, float(part[first + turn]))
        for component, part in steps.parts.items()
        for turn in range(num_turns)
        if part[first + turn]
    ]
    return Trajectory(
        f"t{index}",
        "task",
        group_id=f"g{steps.groups[index]}",
        turns=turns,
        events=events,
        weights={"success": 1.0, "step": 1.0},
        outcome=Outcome("truncated", "turns") if steps.is_truncated[index] else Outcome("terminated"),
        metadata={FINAL_PROGRESS: float(steps.final_progress[index])},
    )


def sides(size: Size) -> dict[str, Callable[[], float]]:
    """Milliseconds of each method on fresh steps."""
    methods: dict[str, Callable[[], float]] = {}
    for name in (*METHODS, *COMPOSED):
        methods[name] = partial(_time_method, name, size)
    return methods


def _time_method(name: str, size: Size) -> float:
    method, steps = make_attribution(name), make_steps(size)
    began = time.perf_counter()
    method.credit(steps)
    return 1e3 * (time.perf_counter() - began)


def _time_layout(size: Size) -> float:
    trajectories = make_trajectories(size)
    began = time.perf_counter()
    Steps.of(trajectories)
    return 1e3 * (time.perf_counter() - began)


def measure(is_quick: bool) -> Report:
    """Time every method."""
    size, repeats = Size(), 5 if is_quick else 30
    progress(f"{len(METHODS) + len(COMPOSED)} methods, {repeats} rounds")
    timed = sides(size)
    timed["layout"] = partial(_time_layout, size)
    found = interleaved(timed, repeats)
    spreads = {name: Spread.of(times) for name, times in found.items()}
    goals = [
        Goal(f"{name}, ms", spread.median, GOAL_MS, "at most") for name, spread in spreads.items() if name != "layout"
    ]
    layout = spreads.pop("layout")
    return Report(
        goals=goals,
        figures={
            "columns_ms": {name: spread.to_json() for name, spread in spreads.items()},
            "trajectories_ms": layout.to_json(),
        },
        setting={"trajectories": size.trajectories, "turns": size.turns, "group": GROUP, "states": STATES},
    )


if __name__ == "__main__":
    sys.exit(main("attribution", measure, PACKAGES))
