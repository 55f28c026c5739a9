"""What changes how a tiny model learns, one thing at a time.

On swe/patch-line: what a fix is answered by, parts of the reward that can be farmed, hints. On swe/experiment-menu:
weights by how long a turn took. On tools/desk-shop-small: which parts of the reward count.

The arms of a study start from the same cloned models, one a seed, and play equally many groups. They are compared by
their success on held-out tasks, paired by seed and task. The start is that of the shipped configuration.

    python -m benchmarks.studies --study answers --out FILE

Each run is kept in the folder of parts, and is not run again with the same settings. It takes one core: several
commands with seeds of their own may fill one folder, and a last one reports on all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learning import PACKAGES, stage_interval, task_interval
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, own_options, progress
from benchmarks.studies.arms import NUM_SEEDS, STUDIES, register_arms
from benchmarks.studies.runs import Part, run_part

PARTS = Path("runs/studies")
SUCCESS = 0.9


def reported(parts: Sequence[Part]) -> Report:
    """Held-out success of each arm, and what it gains on the first arm of its study."""
    used = {study: next(iter(arms.values())).base for study, arms in STUDIES.items()}
    report = Report(
        setting={study: {"suite": base.suite, "iterations": base.iterations} for study, base in used.items()}
    )
    for study, arms in STUDIES.items():
        by_arm = {name: [part for part in parts if part["study"] == study and part["arm"] == name] for name in arms}
        first = next(iter(arms))
        found = {name: _figures(own, by_arm[first]) for name, own in by_arm.items() if own}
        if found:
            report.figures[study] = found
            fewest = min(len(each["by_seed"]) for each in found.values())
            report.goals.append(Goal(f"{study}: seeds of each arm", fewest, used[study].num_seeds, "at least"))
    return report


def _figures(own: Sequence[Part], first: Sequence[Part]) -> dict[str, Any]:
    by_seed = _solved(own, "trained")
    figures = {
        "trained": stage_interval([{"scores": {"trained": solved}} for solved in by_seed.values()], "trained"),
        "over_first": _gain(by_seed, _solved(first, "trained")),
        "by_seed": _means(by_seed),
        "minutes": [significant(part["seconds"] / 60, 3) for part in own],
        "processor_minutes": [significant(part["cpu_seconds"] / 60, 3) for part in own],
    }
    if "turns" in own[0]:
        figures["turns"] = [part["turns"] for part in own]
        figures["components"] = {str(part["seed"]): part["components"] for part in own}
    if "spent" in own[0]:
        started = _solved(own, "untrained")
        figures["start"] = stage_interval([{"scores": {"start": solved}} for solved in started.values()], "start")
        figures["start_by_seed"] = _means(started)
        figures["over_start"] = _gain(by_seed, started)
        figures["spent"] = {str(part["seed"]): part["spent"] for part in own}
    return figures


def _solved(parts: Sequence[Part], stage: str) -> dict[int, dict[str, float]]:
    """By seed and task 1 for a success and 0 for a failure."""
    return {
        part["seed"]: {task: float(score >= SUCCESS) for task, score in part["scores"][stage].items()} for part in parts
    }


def _means(solved: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    """The success of each seed."""
    return {str(seed): significant(float(np.mean(list(each.values())))) for seed, each in solved.items()}


def _gain(solved: Mapping[int, Mapping[str, float]], base: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    """The mean difference, paired by seed and task, with its interval over tasks."""
    pairs = [
        (task, success - base[seed][task])
        for seed, each in solved.items()
        if seed in base
        for task, success in each.items()
    ]
    return task_interval([gain for _, gain in pairs], [task for task, _ in pairs])


QUICK = {
    "warm_start": {"demonstrations": 16},
    "group": {"size": 2, "tasks": 2},
    "run": {"iterations": 1},
    "validation": {"test_tasks": 2},
}


def measure(is_quick: bool, studies: Sequence[str], seeds: Sequence[int], folder: Path) -> Report:
    """Run what is missing and report on all."""
    register_arms(folder / "suites")
    parts = []
    for seed in seeds[:1] if is_quick else seeds:
        for study in studies:
            for name in STUDIES[study]:
                progress(f"{study}, {name}, seed {seed}")
                parts.append(run_part(study, name, seed, folder, QUICK if is_quick else {}))
    return reported(parts)


def command(argv: Sequence[str] | None = None) -> int:
    """The command line: the options of all benchmarks, and which studies to run."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--study", choices=STUDIES, action="append", help="what is compared; all by default")
    parser.add_argument("--seeds", type=int, default=NUM_SEEDS, help="number of seeds of each arm")
    parser.add_argument("--first-seed", type=int, default=0, help="the first of these seeds")
    parser.add_argument("--parts", type=Path, default=PARTS, help="folder of the parts")
    own, rest = own_options("studies", parser, argv)

    def chosen(is_quick: bool) -> Report:
        if not is_quick:
            seeds = range(own.first_seed, own.first_seed + own.seeds)
            return measure(False, own.study or list(STUDIES), seeds, own.parts)
        with tempfile.TemporaryDirectory() as folder:
            return measure(True, own.study or ["answers"], [0], Path(folder))

    return main("studies", chosen, PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
