"""Whole episodes of Tuning-v0 on live servers, beside the same episodes on recorded measurements.

The tasks are the twelve of swe/tuning with loads that training never shows, four of each, and the six of validation.
Each is played by the oracle and the imperfect demonstrator. `--quick` takes one task of each of those loads. How far
single counters repeat is measured in `tuning_spread`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from statistics import median
from typing import Any

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_swe.tuning.drawing import HELD_OUT
from agentgym_swe.tuning.env import TuningEnv
from agentgym_swe.tuning.scripts import SCRIPTS
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

SUITE = "swe/tuning"
PLAYERS = ("oracle", "demo")


def measure(quick: bool) -> Report:
    """The figures; `quick` takes three tasks."""
    suite = load_suite(SUITE)
    headline = [task for task in suite.tasks("test") if task.stratum == suite.headline]
    tasks = [*headline, *suite.tasks("validation")]
    if quick:
        tasks = [next(task for task in tasks if task.config["load"] == name) for name in HELD_OUT]
    rows = []
    with closing(TuningEnv(sandbox="docker")) as live, closing(TuningEnv(source="recorded")) as recorded:
        for number, task in enumerate(tasks):
            for player in PLAYERS:
                rows.append(compared(live, recorded, task, player, number))
                progress(str(rows[-1]))
    report = Report(setting={"suite": SUITE, "tasks": len(tasks), "players": list(PLAYERS)})
    names = list(dict.fromkeys(str(task.config["load"]) for task in tasks))
    report.figures = {
        "loads": {name: summary([row for row in rows if row["load"] == name]) for name in names},
        "all": summary(rows),
        "episodes": rows,
    }
    found, oracle = report.figures["all"], [row for row in rows if row["player"] == "oracle"]
    report.goals += [
        Goal("share of episodes with the same success", found["same success"], 0.95, "at least"),
        Goal("score, live against recorded, median distance", found["score, median distance"], 0.05, "at most"),
        Goal("score of the oracle on live servers, lowest", min(row["live"] for row in oracle), 0.75, "at least"),
    ]
    return report


def compared(live: TuningEnv, recorded: TuningEnv, task: Task, player: str, seed: int) -> dict[str, Any]:
    """One episode of a player on both, with the scores, the costs and what was violated."""
    row: dict[str, Any] = {"task": task.id, "load": task.config["load"], "player": player}
    for name, env in (("live", live), ("recorded", recorded)):
        record = play_script(env, task, SCRIPTS[player](task, seed))
        (verdict,) = [event for event in record.steps[-1].events if event.component == "score"]
        row |= {name: significant(verdict.value), f"{name} success": record.success}
        detail = verdict.detail or {}
        row |= {f"{name} cost": detail["cost"]} if "cost" in detail else {f"{name} violated": detail["why"][0][:80]}
    return row


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How far the scores of some episodes lie apart, and how often success is the same."""
    distances = [abs(row["live"] - row["recorded"]) for row in rows]
    costs = [abs(row["live cost"] - row["recorded cost"]) for row in rows if {"live cost", "recorded cost"} <= {*row}]
    return {
        "episodes": len(rows),
        "same success": significant(sum(row["live success"] == row["recorded success"] for row in rows) / len(rows)),
        "score, median distance": significant(median(distances)),
        "score, largest distance": significant(max(distances)),
        "cost, median distance": significant(median(costs)),
        "cost, largest distance": significant(max(costs)),
    }


if __name__ == "__main__":
    sys.exit(main("verdicts.tuning_episodes", measure, ("agentgymnasium",)))
