"""A run of an arm: from the model that all arms of a seed start from, to its scores on held-out tasks."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.config import Source, merged
from agentgym.reward import by_component
from agentgym.store import RunStore
from agentgym.store.run_reader import RunReader
from agentgym.trajectory import Trajectory
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from benchmarks.learning import Family, headline_scores, settings_of
from benchmarks.measure import cpu_seconds, significant
from benchmarks.studies.arms import MENU, STUDIES, Arm, Base, digest_of, suite_of

_MODEL = re.compile(r'"model": "([a-z]+)"')

Part = dict[str, Any]
"""One run: study, arm, seed, seconds on the clock and of the processor, by stage the score of each test task, and
`earned`. Of a run on the menu also what `spent` says of training and of the trained model in the test."""


def shipped_tables(base: Base, seed: int, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The shipped configuration with another seed and some changes, on one core."""
    tables = settings_of(Family({base.suite: base.config}, 0, 0, base.suite), base.suite, seed, changed)[0]
    return merged(tables, {"run": {"threads": 1}})


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
            parts_of_reward = earned(Path(run) / "run")
        found = {
            "seconds": round(time.monotonic() - began, 1),
            "cpu_seconds": round(cpu_seconds() - began_cpu, 1),
            "scores": {stage: _by_number(headline_scores(held_out)) for stage, held_out in result.held_out.items()},
            **parts_of_reward,
        }
        if arm.base is MENU:
            found["spent"] = of_menu
        kept.write_text(json.dumps(found))
    return {"study": study, "arm": name, "seed": seed, **json.loads(kept.read_text())}


def episodes_of_test(store: RunReader) -> Iterator[Trajectory]:
    """Those of the trained model."""
    return store.episodes(with_tokens=False, purpose="test", policy="trained")


def earned(run: Path) -> dict[str, Any]:
    """Turns of training, and what an episode of the trained model's test earns by component, before weights.

    Args:
        run: The run's folder.
    """
    sums, episodes, turns = Counter[str](), 0, 0
    with RunStore.open(run, read_only=True) as store:
        for episode in store.episodes(with_tokens=False, purpose="train"):
            turns += len(episode.turns)
        for episode in episodes_of_test(store):
            episodes += 1
            sums.update(by_component(episode.events))
    return {"turns": turns, "components": {name: significant(each / episodes, 3) for name, each in sums.items()}}


def spent(run: Path, purpose: str) -> dict[str, Any]:
    """What episodes of the menu took: mean seconds of the environment, and how often each model was trained.

    Args:
        run: The run's folder.
        purpose: "train" for all episodes of training, "test" for those of the trained model.
    """
    seconds, models, submitted = [], Counter[str](), Counter[str]()
    with RunStore.open(run, read_only=True) as store:
        is_test = purpose == "test"
        for episode in episodes_of_test(store) if is_test else store.episodes(with_tokens=False, purpose=purpose):
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
