"""The tasks that benchmarks of repairs take: the first of each wanted package in the suite's train split."""

from __future__ import annotations

import os

from agentgym.suite import load_suite
from agentgym.task import Task

SUITE = "swe/repair"
DEFAULT = "toolz,semver,inflection"


def planted_tasks(quick: bool) -> list[Task]:
    """One task a package; AGENTGYM_SWE_PACKAGES names packages, which must be prepared."""
    wanted = os.environ.get("AGENTGYM_SWE_PACKAGES", DEFAULT).split(",")[: 1 if quick else None]
    found: dict[str, Task] = {}
    for task in load_suite(SUITE).train_tasks():
        package = str(task.config["package"])
        if package in wanted:
            found.setdefault(package, task)
    return [found[name] for name in wanted if name in found]
