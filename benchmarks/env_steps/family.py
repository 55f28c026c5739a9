"""What a step and a reset cost in each game of the dialogue family: the rows of `benchmarks.env_steps` without peers.

The demonstrator's messages on test tasks are written down first, then replayed: timed are `reset` to the task and each
`step`, partners' turns included, on environments as `agentgym.make` makes them. Every episode is replayed several times
and the fastest time of each call counts, since other work on the machine only ever adds to it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import agentgym
from agentgym.registration import EnvSpec, spec
from agentgym.suite import Suite, load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from benchmarks.measure import significant
from benchmarks.report import Goal

EPISODES, REPLAYS = 40, 5
QUICK_EPISODES, QUICK_REPLAYS = 4, 2
MAX_STEP_MS, MAX_RESET_MS, MAX_ENGINE_STEP_MS = 1.0, 5.0, 15.0
ENGINE_EXTRA = "chess"
"""Games with this extra ask an engine for the opponent's moves and have a bound of their own."""


def own_games() -> list[EnvSpec]:
    """The dialogue family but for what it adapts from other packages."""
    return [spec(each.id) for each in agentgym.specs() if each.family == "dialogue" and not each.adapts]


def figures(game: EnvSpec, is_quick: bool = False) -> dict[str, float]:
    """Times of one game, over all its suites.

    Returns:
        `step_ms_median`, `step_ms_p95`, `reset_ms_median`, `reset_ms_p95`, and the numbers `episodes` and `steps`.
    """
    count, replays = (QUICK_EPISODES, QUICK_REPLAYS) if is_quick else (EPISODES, REPLAYS)
    resets: list[float] = []
    steps: list[float] = []
    for name in game.suites:
        suite = load_suite(name)
        env = agentgym.make(game.id, **suite.env_options)
        try:
            for task in _spread(suite.tasks("test"), max(1, count // len(game.suites))):
                actions = _demonstrated(game, suite, env, task)
                best = np.min([_timed(env, task, actions) for _ in range(replays)], axis=0)
                resets.append(best[0])
                steps += best[1:].tolist()
        finally:
            env.close()
    found = {"episodes": float(len(resets)), "steps": float(len(steps))}
    for kind, times in (("step", steps), ("reset", resets)):
        found[f"{kind}_ms_median"] = significant(float(np.median(times)) * 1e3)
        found[f"{kind}_ms_p95"] = significant(float(np.quantile(times, 0.95)) * 1e3)
    return found


def goals(game: EnvSpec, found: dict[str, float]) -> Iterator[Goal]:
    """What a step and a reset may cost."""
    name = game.id.partition("/")[2]
    bound = MAX_ENGINE_STEP_MS if game.extra == ENGINE_EXTRA else MAX_STEP_MS
    yield Goal(f"{name}: ms a step, p95", found["step_ms_p95"], bound, "at most")
    yield Goal(f"{name}: ms a reset, p95", found["reset_ms_p95"], MAX_RESET_MS, "at most")


def _spread(tasks: Sequence[Task], count: int) -> list[Task]:
    return [tasks[index * len(tasks) // count] for index in range(min(count, len(tasks)))]


def _demonstrated(game: EnvSpec, suite: Suite, env: Any, task: Task) -> list[str]:
    """What the demonstrator says in an episode."""
    scripts = game.load_scripts(suite.role or (game.roles[0] if game.roles else ""))
    return play_script(env, task, scripts["demo"](task, 0)).actions


def _timed(env: Any, task: Task, actions: Sequence[str]) -> list[float]:
    """Seconds of the reset and of each step."""
    began = time.perf_counter()
    env.reset(options={"task": task})
    times = [time.perf_counter() - began]
    for action in actions:
        began = time.perf_counter()
        env.step(action)
        times.append(time.perf_counter() - began)
    return times
