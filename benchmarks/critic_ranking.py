"""How well a critic of turns ranks messages while the policy stays as it was cloned, by what it reads of a state.

The critic learns from the clone's episodes as they come, as in a warm-up; nothing moves the policy. Its ranking of two
messages in forked states of fresh episodes is compared with what comes of both when the oracle plays on. Tasks and
starts are those of `benchmarks.credit`: one that the latest observation says all of, and a partially observed one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.credit.budget import Curve
from benchmarks.credit.runs import Places, trainer_of
from benchmarks.credit.starts import cloned_start
from benchmarks.credit.suites import register_suite
from benchmarks.credit.tables import QUICK, Piece, task_named
from benchmarks.report import Goal, Report, main, own_options, progress

PACKAGES = ("agentgymnasium", "torch", "transformers")
TASKS, SEEDS = ("key-door", "maze"), 5
METHOD = "archer_awr"
READS = ("history", "observation", "both", "opening", "all")
ITERATIONS, EVERY, STATES = 13, 3, 48
"""Of 8 episodes each; between two measures; states of each."""
LAST = 3
"""Measures that the figure of a run is the mean of."""
Row = dict[str, Any]


def settings(reads: str, iterations: int, states: int) -> Row:
    """Dotted keys and values of a critic's run: the policy's only update is the last thing that happens, and tiny."""
    return {
        "run.iterations": iterations,
        "algorithm.critic.warmup": iterations - 1,
        "algorithm.critic.network.reads": reads,
        "algorithm.critic.ranking.states": states,
        "algorithm.critic.ranking.every": EVERY,
        "algorithm.actor.updates": 1,
        "algorithm.start.critic_updates": 0,
        "algorithm.start.policy_updates": 0,
        "optimiser.learning_rate": 1e-12,
    }


def ranked(task: str, reads: str, seed: int, iterations: int = ITERATIONS, states: int = STATES) -> Row:
    """The curve of one critic: turns of the clone's episodes, and the share of pairs that it ranks right."""
    chosen = settings(reads, iterations, states)
    piece = Piece(task, METHOD, seed, chosen, is_trial=True)
    register_suite(task_named(task).suite)
    start = cloned_start(task, seed, Places().starts)
    with tempfile.TemporaryDirectory() as folder, trainer_of(piece, start, Path(folder) / "run") as trainer:
        trainer.run()
    curve = trainer.journal
    assert isinstance(curve, Curve)
    pairs = zip(trainer.course, curve.rows, strict=True)
    shares = [[course[0], round(row["critic/ranking"], 4)] for course, row in pairs if "critic/ranking" in row]
    cpu_s = round(trainer.spent.cpu_s["learn"], 1)
    return {"task": task, "reads": reads, "seed": seed, "curve": shares, "learn_cpu_s": cpu_s}


def measure(is_quick: bool, tasks: Sequence[str] = TASKS, seeds: int = SEEDS) -> Report:
    """All critics; quick: one of each kind on next to nothing."""
    report = Report(setting={"episodes": 8 * ITERATIONS, "updates": 100 * ITERATIONS, "states": STATES, "seeds": seeds})
    if is_quick:
        report.figures["rows"] = [ranked(QUICK, reads, 0, 2, 4) for reads in READS]
        return report
    rows = []
    for task in tasks:
        for seed in range(seeds):
            for reads in READS:
                rows.append(ranked(task, reads, seed))
                progress(f"{task}, {reads}, seed {seed}: {rows[-1]['curve']}")
    report.figures["rows"] = rows
    report.figures["mean"] = {task: {reads: _mean(rows, task, reads) for reads in READS} for task in tasks}
    for task in tasks:
        means = report.figures["mean"][task]
        better = max(mean for reads, mean in means.items() if reads != "history") - means["history"]
        report.goals.append(
            Goal(f"{task}: pairs ranked right with the observation apart, beyond history", better, 0, "at least")
        )
    return report


def _mean(rows: Sequence[Row], task: str, reads: str) -> float:
    """Over seeds, of the last measures."""
    mine = [row["curve"][-LAST:] for row in rows if (row["task"], row["reads"]) == (task, reads)]
    return round(float(np.mean([share for curve in mine for _, share in curve])), 4)


def command(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--tasks", default=",".join(TASKS), help="tasks of benchmarks.credit, with commas between")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each, from 0")
    own, rest = own_options("critic_ranking", parser, argv)
    tasks = [name for name in own.tasks.split(",") if name]
    return main("critic_ranking", lambda is_quick: measure(is_quick, tasks, own.seeds), PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
