"""The start that all methods share: a tiny model, cloned once for each task and seed from an imperfect demonstrator.

What it costs is kept beside it and stated apart: it is no part of any method's cost.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentgym.config import Source
from agentgym.store import RunStore
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from benchmarks.credit.suites import register_suite
from benchmarks.credit.tables import start_digest, start_tables, task_named

FACTS = "start.json"


def cloned_start(task: str, seed: int, folder: Path) -> Path:
    """The folder of the model that runs of a task and seed start from; made where it is missing.

    Args:
        task: Name of the task.
        seed: Of model, demonstrations and cloning.
        folder: Where starts are kept.
    """
    table = task_named(task)
    target = folder / f"{task}-{seed}-{start_digest(table, seed)}"
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder / f"{target.name}.lock"):
        if not (target / FACTS).exists():
            _make(task, seed, target)
    return target


def cost_of(start: Path) -> dict[str, Any]:
    """What making a start took: `cpu_s`, `wall_s`, `demonstrations`, `demonstration_turns`."""
    facts: dict[str, Any] = json.loads((start / FACTS).read_text())
    return facts


def _make(task: str, seed: int, target: Path) -> None:
    register_suite(task_named(task).suite)
    run = target.with_suffix(".partial")
    shutil.rmtree(run, ignore_errors=True)
    began, cpu = time.monotonic(), time.process_time()
    config = config_from_tables(start_tables(task_named(task), seed), Source())
    train(config, run)
    with RunStore.open(run, read_only=True) as store:
        lengths = [row.num_turns for row in store.episode_rows(purpose="demo")]
    facts = {
        "cpu_s": round(time.process_time() - cpu, 1),
        "wall_s": round(time.monotonic() - began, 1),
        "demonstrations": config.warm_start.demonstrations,
        "demonstration_turns": sum(lengths),
    }
    shutil.rmtree(target, ignore_errors=True)
    (run / "models" / "cloned").rename(target)
    shutil.rmtree(run)
    (target / FACTS).write_text(json.dumps(facts))


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a lock among processes; it goes with the process that holds it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
