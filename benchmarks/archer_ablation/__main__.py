"""The command line: `python -m benchmarks.archer_ablation [--tasks NAMES] [--variants NAMES] [--seeds N] …`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.archer_ablation.picture import draw
from benchmarks.archer_ablation.runs import AS_IT_IS, TURNS, VARIANTS, mean_of, row_of, variants_of
from benchmarks.report import Goal, Report, main, own_options

PACKAGES = ("agentgymnasium", "torch", "transformers")
SEEDS = 5


@dataclass(frozen=True)
class Choice:
    """What is run.

    Attributes:
        tasks: Names of tasks.
        variants: Names of variants.
        seeds: Of each, from 0.
        picture: Where the curves are drawn; None: nowhere.
    """

    tasks: Sequence[str]
    variants: Sequence[str]
    seeds: int
    picture: Path | None = None


def measure(is_quick: bool, own: Choice) -> Report:
    """All runs that were chosen; quick: one run of the first task within few turns."""
    if is_quick:
        return Report(figures={"rows": [row_of(own.tasks[0], AS_IT_IS, 0, 100)]})
    seeds_of_tasks = product(range(own.seeds), own.tasks)
    wanted = [(seed, task, name) for seed, task in seeds_of_tasks for name in variants_of(task, own.variants)]
    rows = [row_of(task, variant, seed, TURNS[task]) for seed, task, variant in wanted]
    changed = {name: dict(VARIANTS[name]) for name in own.variants}
    report = Report(setting={"turns": dict(TURNS), "seeds": own.seeds, "variants": changed})
    means = {task: {name: mean_of(rows, task, name) for name in variants_of(task, own.variants)} for task in own.tasks}
    report.figures |= {"rows": rows, "mean": means}
    if own.picture is not None:
        own.picture.write_text(draw(rows, TURNS, own.variants), encoding="utf-8")
    for task, found in means.items():
        scores = {name: each["mean_over_turns"]["mean"] for name, each in found.items()}
        others = [score for name, score in scores.items() if name != AS_IT_IS]
        if AS_IT_IS in scores and others:
            beyond = scores[AS_IT_IS] - max(others)
            name = f"{task}: mean score over turns, beyond the best with a part left out"
            report.goals.append(Goal(name, beyond, 0, "at least"))
    return report


def command(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--tasks", default=",".join(TURNS), help="tasks, with commas between")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="variants, with commas between")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each, from 0")
    parser.add_argument("--picture", type=Path, help="also draw the curves into this SVG file")
    own, rest = own_options("archer_ablation", parser, argv)
    tasks, variants = ([name for name in text.split(",") if name] for text in (own.tasks, own.variants))
    choice = Choice(tasks, variants, own.seeds, own.picture)
    return main("archer_ablation", lambda is_quick: measure(is_quick, choice), PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
