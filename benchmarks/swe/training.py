"""What changes how a tiny model learns. On swe/patch-line: what a fix is answered by, parts that can be farmed, hints.

On swe/experiment-menu: weights by how long a turn took.

The arms of a study start from the same cloned models, one a seed, and play equally many groups. They are compared by
their success on held-out tasks, paired by seed and task. The start is that of the shipped configuration.

    python -m benchmarks.swe.training --study answers --seeds 3 --out FILE

Each run is kept in the folder of parts, and is not run again with the same settings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.config import Source, merged
from agentgym.store import RunStore
from agentgym.suite import load_suite, register_suites
from agentgym.task import Task
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from benchmarks.credit.suites import write_suite
from benchmarks.learning import PACKAGES, Family, headline_scores, settings_of, stage_interval, task_interval
from benchmarks.measure import cpu_seconds, significant
from benchmarks.report import Goal, Report, main, own_options, progress

PARTS = Path("runs/swe-training")
SEEDS, SUCCESS = 3, 0.9
TWO = "two_mistakes"
CONFIGS = Family({"patch-line": "patch_line", "experiment-menu": "experiment_menu"}, 0, 0, "patch-line")


@dataclass(frozen=True)
class Base:
    """What the arms of a study have in common.

    Attributes:
        task: The suite, without "swe/", whose shipped configuration is changed.
        iterations: Of training.
        tests: How many test tasks a model is tested on.
    """

    task: str
    iterations: int
    tests: int

    @property
    def suite(self) -> str:
        """The name of the suite."""
        return f"swe/{self.task}"


PATCH_LINE = Base("patch-line", 24, 100)
MENU = Base("experiment-menu", 6, 48)


@dataclass(frozen=True)
class Arm:
    """One way to train.

    Attributes:
        options: Options of the environment over those of the suite.
        settings: Settings of the run over those of the shipped configuration.
        stratum: The only stratum of training and testing; "" for those of the suite.
        base: What is trained on.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    stratum: str = ""
    base: Base = PATCH_LINE


_MODEL = re.compile(r'"model": "([a-z]+)"')
_PARTS = {"parts_weight": 0.1}
_GUIDANCE = {"share": 0.25, "max_tries": 4}
_HINTED = {"algorithm": {"prox": "recompute", "importance": {"mode": "token_tis", "max_weight": 2.0}}}
STUDIES: Mapping[str, Mapping[str, Arm]] = {
    "answers": {"tests": Arm(), "verdict": Arm({"feedback": "verdict"})},
    "parts": {
        "success": Arm(),
        "farmable": Arm(_PARTS),
        "gated": Arm(
            _PARTS,
            {"algorithm": {"credit": {"kind": "attribution", "attribution": {"method": "gated,episode_groups"}}}},
        ),
    },
    "hints": {
        "none": Arm(settings=_HINTED, stratum=TWO),
        "hints": Arm(settings=merged(_HINTED, {"curriculum": {"guidance": _GUIDANCE}}), stratum=TWO),
    },
    "durations": {
        "plain": Arm(base=MENU),
        "durations": Arm(settings={"curriculum": {"durations": {"min_weight": 0.25, "max_weight": 4.0}}}, base=MENU),
    },
}
"""By study the arms; the first is what the others are compared with."""


Part = dict[str, Any]
"""One run: study, arm, seed, seconds on the clock and of the processor, and by stage the score of each test task. Of a
run on the menu also what `spent` says of training and of the trained model in the test."""


def suite_of(arm: Arm) -> str:
    """The name of an arm's suite."""
    return f"{arm.base.suite}-{digest_of([dict(arm.options), arm.stratum])}"


def register_arms(root: Path) -> None:
    """Make the suites of all arms known to this process, each written below the folder if it is not there."""
    for arm in (arm for arms in STUDIES.values() for arm in arms.values()):
        shipped = load_suite(arm.base.suite)
        if not (root / suite_of(arm)).exists():
            options = {**shipped.env_options, **arm.options}
            write_suite(root, suite_of(arm), shipped.env, options, partial(_tasks, arm))
    register_suites(root)


def _tasks(arm: Arm, name: str, split: str) -> Iterator[Task]:
    """The tasks of a split; of the test split those of the headline alone."""
    shipped = load_suite(arm.base.suite)
    wanted = arm.stratum or (shipped.headline if split == "test" else "")
    for task in shipped.tasks(split):
        if wanted in ("", task.stratum):
            yield Task.from_json(task.to_json() | {"id": f"{name}:{task.id.partition(':')[2]}"})


def digest_of(value: Any) -> str:
    """A short digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def shipped_tables(base: Base, seed: int, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The shipped configuration with another seed and some changes."""
    return settings_of(CONFIGS, base.task, seed, changed)[0]


def cloned(base: Base, seed: int, folder: Path, changed: Mapping[str, Any]) -> Path:
    """The folder of the model that all arms of a seed start from, as cloning in the shipped configuration makes it."""
    tables = merged(shipped_tables(base, seed, changed), {"run": {"iterations": 0}, "validation": {"test_tasks": 1}})
    kept = folder / f"cloned-{seed}-{digest_of(tables)}"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as run:
            train(config_from_tables(tables, Source()), Path(run) / "run")
            part = kept.with_suffix(".partial")
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(Path(run) / "run" / "models" / "cloned", part)
            part.rename(kept)
    return kept


def tables_of(arm: Arm, seed: int, start: str, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a run that trains a cloned model, the folder `start`, as an arm says."""
    base = arm.base
    own = {"run": {"suite": suite_of(arm), "iterations": base.iterations}, "validation": {"test_tasks": base.tests}}
    tables = shipped_tables(base, seed, merged(merged(dict(arm.settings), own), changed))
    del tables["warm_start"]
    tables["model"] = {"path": start}
    return tables


def run_part(study: str, name: str, seed: int, folder: Path, changed: Mapping[str, Any]) -> Part:
    """Train and test one arm with one seed, or read what an earlier call came to."""
    arm = STUDIES[study][name]
    start = cloned(arm.base, seed, folder, changed)
    tables = tables_of(arm, seed, str(start), changed)
    digest = digest_of(merged(tables, {"model": {"path": start.name}}))
    kept = folder / f"{digest}.json"  # arms of several studies may be the same run
    if not kept.exists():
        began, began_cpu = time.monotonic(), cpu_seconds()
        with tempfile.TemporaryDirectory() as run:
            result = train(config_from_tables(tables, Source()), Path(run) / "run")
            of_menu = {purpose: spent(Path(run) / "run", purpose) for purpose in ("train", "test")}
        found = {
            "seconds": round(time.monotonic() - began, 1),
            "cpu_seconds": round(cpu_seconds() - began_cpu, 1),
            "scores": {stage: _by_number(headline_scores(held_out)) for stage, held_out in result.held_out.items()},
        }
        if arm.base is MENU:
            found["spent"] = of_menu
        kept.write_text(json.dumps(found))
    return {"study": study, "arm": name, "seed": seed, **json.loads(kept.read_text())}


def spent(run: Path, purpose: str) -> dict[str, Any]:
    """What episodes of the menu took: mean seconds of the environment, and how often each model was trained.

    Args:
        run: The run's folder.
        purpose: "train" for all episodes of training, "test" for those of the trained model.
    """
    seconds, models, submitted = [], Counter[str](), Counter[str]()
    with RunStore.open(run, read_only=True) as store:
        for episode in store.episodes(with_tokens=False, purpose=purpose):
            if purpose == "test" and episode.policy != "trained":
                continue
            seconds.append(sum(turn.times.env_s for turn in episode.turns))
            trained = [found for turn in episode.turns for found in _MODEL.findall(turn.text)]
            models.update(trained)
            submitted.update(trained[-1:])
    return {
        "env_seconds": significant(float(np.mean(seconds)), 3) if seconds else None,
        "models": {name: significant(count / len(seconds), 3) for name, count in models.most_common()},
        "last_models": {name: significant(count / len(seconds), 3) for name, count in submitted.most_common()},
    }


def _by_number(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores by what the tasks of all arms are called alike."""
    return {task.partition(":")[2]: score for task, score in scores.items()}


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
            report.goals.append(Goal(f"{study}: seeds of each arm", fewest, SEEDS, "at least"))
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


def measure(is_quick: bool, studies: Sequence[str], seeds: int, folder: Path) -> Report:
    """Run what is missing and report on all."""
    register_arms(folder / "suites")
    parts = []
    for seed in range(1 if is_quick else seeds):
        for study in studies:
            for name in STUDIES[study]:
                progress(f"{study}, {name}, seed {seed}")
                parts.append(run_part(study, name, seed, folder, QUICK if is_quick else {}))
    return reported(parts)


def command(argv: Sequence[str] | None = None) -> int:
    """The command line: the options of all benchmarks, and which studies to run."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--study", choices=STUDIES, action="append", help="what is compared; all by default")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each arm, from 0")
    parser.add_argument("--parts", type=Path, default=PARTS, help="folder of the parts")
    own, rest = own_options("swe.training", parser, argv)

    def chosen(is_quick: bool) -> Report:
        if not is_quick:
            return measure(False, own.study or list(STUDIES), own.seeds, own.parts)
        with tempfile.TemporaryDirectory() as folder:
            return measure(True, own.study or ["answers"], 1, Path(folder))

    return main("swe.training", chosen, PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
