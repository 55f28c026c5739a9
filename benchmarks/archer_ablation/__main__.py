"""The command line: `python -m benchmarks.archer_ablation [--tasks NAMES] [--seeds N] [--picture FILE]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from benchmarks.archer_ablation.picture import draw
from benchmarks.archer_ablation.runs import TURNS, VARIANTS, mean_of, row_of
from benchmarks.report import Goal, Report, main

PACKAGES = ("agentgymnasium", "torch", "transformers")
SEEDS = 3


def measure(is_quick: bool, tasks: Sequence[str], seeds: int, picture: Path | None = None) -> Report:
    """All variants; quick: one run of the first task within few turns."""
    if is_quick:
        return Report(figures={"rows": [row_of(tasks[0], "as it is", 0, 100)]})
    rows = [row_of(task, variant, seed, TURNS[task]) for seed, task, variant in product(range(seeds), tasks, VARIANTS)]
    report = Report(
        setting={"turns": dict(TURNS), "seeds": seeds, "variants": {k: dict(v) for k, v in VARIANTS.items()}}
    )
    report.figures["rows"] = rows
    report.figures["mean"] = means = {task: {name: mean_of(rows, task, name) for name in VARIANTS} for task in tasks}
    if picture is not None:
        picture.write_text(draw(rows, TURNS, [*VARIANTS]), encoding="utf-8")
    for task in tasks:
        ours = means[task]["as it is"]["mean_over_turns"]["mean"]
        others = [own["mean_over_turns"]["mean"] for name, own in means[task].items() if name != "as it is"]
        report.goals.append(
            Goal(
                f"{task}: mean score over turns, beyond the best with a part left out",
                ours - max(others),
                0,
                "at least",
            )
        )
    return report


def command(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--tasks", default=",".join(TURNS), help="tasks, with commas between")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each, from 0")
    parser.add_argument("--picture", type=Path, help="also draw the curves into this SVG file")
    own, rest = parser.parse_known_args(argv)
    tasks = [name for name in own.tasks.split(",") if name]
    return main("archer_ablation", lambda is_quick: measure(is_quick, tasks, own.seeds, own.picture), PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
