"""Whether GRPO improves on its cloned start with a tiny model made from nothing, in the tasks of a family.

Each task that has a shipped configuration is trained with several seeds: `agentgym train` clones a demonstrator,
trains, and tests both models on the test split. Their scores on the suite's headline stratum are compared by seed and
task. The families are LMRL-Gym's eight tasks, pages in a real browser, tools, short programs, and applications on a
desktop.

A run takes minutes and all of them hours, so each is a part of its own: what lies in the folder of parts and was made
with the same configuration is not run again, and a run that was stopped goes on. The report is on all parts that are
there. Of other tasks it keeps what the file of `--out` says, if they have the same configuration today.

    python -m benchmarks.learning --family dialogue --tasks maze,guess-my-city --seeds 1 --out FILE

`--quick` trains one task for two iterations, to see that it works; its goals mean nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.config import Source, merged
from agentgym.errors import UnknownNameError
from agentgym.evaluation import mean_interval, task_means
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from benchmarks.measure import cpu_seconds, machine, significant
from benchmarks.report import Goal, Report, main, own_options, progress

PACKAGES = ("agentgymnasium", "torch", "transformers")


@dataclass(frozen=True)
class Family:
    """What is trained together.

    Attributes:
        configs: The configuration of each task; those whose file does not exist are not run.
        wanted: How many tasks should improve.
        max_minutes: Of the slowest run.
        quick_task: The task of the quick version.
        num_seeds: Runs of each task.
    """

    configs: Mapping[str, str]
    wanted: int
    max_minutes: float
    quick_task: str
    num_seeds: int = 3


FAMILIES = {
    "dialogue": Family(
        {
            "maze": "maze_partial",
            "text-nav": "text_nav_small",
            "wordle": "wordle_tries",
            "chess": "chess",
            "chess-endgames": "chess_endgames",
            "twenty-questions": "twenty_questions",
            "guess-my-city": "guess_my_city",
            "car-dealer": "car_dealer",
        },
        wanted=5,
        max_minutes=10,
        quick_task="guess-my-city",
    ),
    "web": Family({"miniwob": "web_miniwob", "shop": "web_shop"}, wanted=2, max_minutes=20, quick_task="miniwob"),
    "tools": Family(
        {"sql": "tools_sql", "shop": "tools_shop", "telecom": "tools_telecom", "search": "tools_search"},
        wanted=4,
        max_minutes=15,
        quick_task="sql",
    ),
    "swe": Family({"patch-line": "patch_line"}, wanted=1, max_minutes=15, quick_task="patch-line", num_seeds=5),
    "gui": Family({"desktop": "gui_desktop"}, wanted=1, max_minutes=20, quick_task="desktop"),
}
"""LMRL-Gym trains the seller of its car dealer, whose reward for any sale taught a tiny model nothing; here it is the
buyer."""
PARTS = Path("runs/learning")
STAGES = ("cloned", "trained")
RUN_CONFIG, SPENT = "config.json", ".spent.json"
"""In a run's folder: its configuration, and what stopped calls spent on it."""
QUICK = {
    "run": {"iterations": 2},
    "warm_start": {"demonstrations": 64},
    "group": {"tasks": 2, "size": 2},
    "validation": {"every": 0, "test_tasks": 10},
}

_MINUTES_NOTE = "processor time with that of all processes, where that is less than the time on the clock"
Part = dict[str, Any]
"""One run: task, seed, digest of its configuration, seconds, seconds of processor time with those of the browser and of
other processes that it began, and by stage the score of each test task."""
Figures = dict[str, Any]
"""What the parts of one task came to; see `improvement`."""


def config_text(family: Family, task: str) -> str | None:
    """The shipped configuration of a task; None where there is none."""
    path = resources.files("agentgym_rl") / "configs" / f"{family.configs[task]}.toml"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def run_part(family: Family, task: str, seed: int, folder: Path, changed: Mapping[str, Any] | None = None) -> Part:
    """Train and test one task with one seed, or read what an earlier call came to; a run that was stopped goes on.

    Args:
        family: The task's.
        task: The task.
        seed: Of the run.
        folder: Where parts are kept.
        changed: Settings over those of the file.
    """
    tables, digest = settings_of(family, task, seed, changed)
    kept = kept_part(folder, task, seed, digest)
    if kept is not None:
        return kept
    described = machine()
    run = folder / f"{task}-{seed}-{digest}"
    before = _spent_before(run)
    began, began_cpu = time.monotonic(), cpu_seconds()
    spent = dict(before)
    try:
        config = config_from_tables(tables, Source())
        result = train(config, run, resume=(run / RUN_CONFIG).exists())
    finally:
        spent["seconds"] += time.monotonic() - began
        spent["cpu_seconds"] += cpu_seconds() - began_cpu
        if run.is_dir():
            (run / SPENT).write_text(json.dumps(spent))
    part = {
        "task": task,
        "suite": tables["run"]["suite"],
        "seed": seed,
        "digest": digest,
        **{name: round(seconds, 1) for name, seconds in spent.items()},
        "load_1min_at_start": described["load_1min_at_start"],
        "scores": {stage: headline_scores(result.held_out[stage]) for stage in STAGES},
    }
    (folder / f"{task}-{seed}.json").write_text(json.dumps(part))
    shutil.rmtree(run)
    return part


def _spent_before(run: Path) -> dict[str, float]:
    """What earlier calls spent on a run that was stopped."""
    path = run / SPENT
    found: dict[str, float] = json.loads(path.read_text()) if path.exists() else {"seconds": 0.0, "cpu_seconds": 0.0}
    return found


def settings_of(
    family: Family, task: str, seed: int, changed: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], str]:
    """The tables of a run's configuration, and their digest."""
    text = config_text(family, task)
    assert text is not None, f"{task} has no configuration"
    tables = merged(merged(tomllib.loads(text), dict(changed or {})), {"run": {"seed": seed}})
    return tables, hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]


def kept_part(folder: Path, task: str, seed: int, digest: str) -> Part | None:
    """What an earlier call came to with the same configuration; None where there is no such part."""
    path = folder / f"{task}-{seed}.json"
    part: Part | None = json.loads(path.read_text()) if path.exists() else None
    return part if part is not None and part["digest"] == digest else None


def known_tasks(family: Family) -> list[str]:
    """The tasks that have a configuration."""
    return [task for task in family.configs if config_text(family, task) is not None]


def kept_parts(family: Family, folder: Path) -> list[Part]:
    """All parts that were made with the configurations as they are now."""
    wanted = [(task, seed) for task in known_tasks(family) for seed in range(family.num_seeds)]
    found = [kept_part(folder, task, seed, settings_of(family, task, seed)[1]) for task, seed in wanted]
    return [part for part in found if part is not None]


def headline_scores(held_out: Mapping[str, Any]) -> dict[str, float]:
    """The score of each task of the headline stratum, as a result on the test split says."""
    headline = held_out["headline"]
    own = [each for each in held_out["tasks"] if each["stratum"] == headline]
    return {each["id"]: each["score"] for each in own if each["score"] is not None}


def improvement(parts: Sequence[Part]) -> dict[str, Any]:
    """How much the trained models score over their starts: paired by seed and task, the intervals over tasks."""
    differences, tasks = [], []
    for part in parts:
        cloned, trained = part["scores"]["cloned"], part["scores"]["trained"]
        both = [task for task in cloned if task in trained]
        differences += [trained[task] - cloned[task] for task in both]
        tasks += both
    by_stage = {
        stage: significant(float(np.mean([np.mean(list(part["scores"][stage].values())) for part in parts])))
        for stage in STAGES
    }
    return {
        "suite": parts[0]["suite"],
        **by_stage,
        "intervals": {stage: stage_interval(parts, stage) for stage in STAGES},
        "improvement": task_interval(differences, tasks),
        "improvement_by_seed": {str(part["seed"]): significant(_mean_difference(part)) for part in parts},
        "minutes": [significant(part["seconds"] / 60, 3) for part in parts],
        "processor_minutes": [significant(_processor_seconds(part) / 60, 3) for part in parts],
        "load_at_start": [part["load_1min_at_start"] for part in parts],
        "digest": parts[0]["digest"],
    }


def _processor_seconds(part: Part) -> float:
    """Those of a part that was kept before they were counted are not known; its time on the clock bounds them."""
    seconds: float = part["cpu_seconds"] if "cpu_seconds" in part else part["seconds"]
    return seconds


def stage_interval(parts: Sequence[Part], stage: str) -> dict[str, float]:
    """The mean score of a stage over test tasks, each averaged over seeds, with its interval."""
    scores = [(task, score) for part in parts for task, score in part["scores"][stage].items()]
    return task_interval([score for _, score in scores], [task for task, _ in scores])


def task_interval(values: Sequence[float], tasks: Sequence[str]) -> dict[str, float]:
    """The mean of values with its interval over tasks; values of one task are averaged first."""
    means = task_means(values, tasks)[1]
    return {key: significant(value) for key, value in mean_interval(means).to_json().items()}


def _mean_difference(part: Part) -> float:
    cloned, trained = part["scores"]["cloned"], part["scores"]["trained"]
    return float(np.mean([trained[task] - cloned[task] for task in cloned if task in trained]))


def reported(family: Family, parts: Sequence[Part], former: Mapping[str, Figures] | None = None) -> Report:
    """Goals and figures of all parts that there are.

    Args:
        family: Whose they are.
        parts: Of any of its tasks.
        former: By task, figures of an earlier report, for tasks without parts.
    """
    tasks = list(family.configs)
    by_task: dict[str, list[Part]] = {}
    for part in sorted(parts, key=lambda part: part["seed"]):
        by_task.setdefault(part["task"], []).append(part)
    found = {**(former or {}), **{task: improvement(own) for task, own in by_task.items()}}
    report = Report(
        setting={"tasks": tasks, "seeds": family.num_seeds},
        figures={task: found[task] for task in tasks if task in found},
    )
    figures = report.figures.values()
    improved = [task for task, each in report.figures.items() if each["improvement"]["low"] > 0]
    report.setting["without_configuration"] = [task for task in tasks if task not in known_tasks(family)]
    report.setting["improved"] = improved
    complete = min((len(each["improvement_by_seed"]) for each in figures), default=0)
    slowest = max((minutes for each in figures for minutes in _least_minutes(each)), default=float("inf"))
    wanted = f"of {len(tasks)} tasks improved over the cloned start, interval above zero"
    report.goals = [
        Goal(wanted, len(improved), family.wanted, "at least"),
        Goal("seeds of each task that was run", complete, family.num_seeds, "at least"),
        Goal("minutes of the slowest run", slowest, family.max_minutes, "at most", _MINUTES_NOTE),
    ]
    return report


def _least_minutes(figures: Figures) -> list[float]:
    """How long each run takes at most on an idle machine."""
    minutes: list[float] = figures["minutes"]
    processor: list[float] = figures.get("processor_minutes", minutes)
    return [min(pair) for pair in zip(minutes, processor, strict=True)]


def former_figures(family: Family, path: Path | None) -> dict[str, Figures]:
    """By task, what a report in a file says of runs with the configurations as they are now."""
    if path is None or not path.exists():
        return {}
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    known = {task: settings_of(family, task, 0)[1] for task in known_tasks(family)}
    return {task: each for task, each in figures.items() if task in known and each["digest"] == known[task]}


def measure(
    is_quick: bool, family: Family, tasks: Sequence[str], seeds: int, folder: Path, out: Path | None = None
) -> Report:
    """Run the parts that are asked for and missing; report on all, and on what the file `out` says of other tasks."""
    if is_quick:
        with tempfile.TemporaryDirectory() as quick:
            return reported(family, [run_part(family, family.quick_task, 0, Path(quick), QUICK)])
    for seed in range(seeds):  # all tasks with one seed before the next, so that an early end tells of all tasks
        for task in tasks:
            progress(f"{task}, seed {seed}")
            run_part(family, task, seed, folder)
    return reported(family, kept_parts(family, folder), former_figures(family, out))


def command(argv: Sequence[str] | None = None) -> int:
    """The command line: the options of all benchmarks, and which parts to run."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--family", choices=FAMILIES, required=True, help="what is trained")
    parser.add_argument("--tasks", help="tasks, with commas between; all by default")
    parser.add_argument("--seeds", type=int, help="seeds of each, from 0; the family's by default")
    parser.add_argument("--parts", type=Path, default=PARTS, help="folder of the parts")
    parser.add_argument("--out", type=Path, help="also write the JSON to this file")
    own, rest = own_options("learning", parser, argv)
    family = FAMILIES[own.family]
    known = known_tasks(family)
    tasks = known if own.tasks is None else [task for task in own.tasks.split(",") if task]
    for task in tasks:
        if task not in known:
            raise UnknownNameError("task with a configuration", task, known)
    seeds = family.num_seeds if own.seeds is None else own.seeds
    chosen = partial(measure, family=family, tasks=tasks, seeds=seeds, folder=own.parts, out=own.out)
    if own.out is not None:
        rest += ["--out", str(own.out)]
    return main("learning", chosen, PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
