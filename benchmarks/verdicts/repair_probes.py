"""Shares of Repair-v0's test tasks that have a value probe that tells, and that have twins.

A probe tells if the original and the broken package give different values. Probes are made of calls recorded on the
original, of slices of tests, and of both with changed inputs; see `agentgym_swe.repair.verdict.probes`. A share is
given for each kind. A task has twins if a copy of a test comes out on the original as it was meant to; see
`agentgym_swe.repair.verdict.twins`. Tasks of all packages take turns.

`--quick` takes 8 tasks. AGENTGYM_SWE_SANDBOX names a provider, AGENTGYM_SWE_TASKS how many tasks (0 for all),
AGENTGYM_SWE_WORKERS how many are looked at once.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from agentgym.sandbox.lender import lender_of
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.bench import Bench
from agentgym_swe.repair.verdict.case import Prepared
from agentgym_swe.repair.verdict.preparing import prepare_case
from agentgym_swe.repair.verdict.probes import kind_of
from benchmarks.measure import Spread
from benchmarks.report import Goal, Report, main, progress
from benchmarks.swe.planted import SUITE

PACKAGES = ("agentgymnasium",)
QUICK, WANTED = 8, 64
TWINS = ("that must pass", "that must fail")


def in_turns(tasks: Iterable[Task], count: int) -> list[Task]:
    """So many tasks, of all packages in turns; 0 for all."""
    waiting: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        waiting[str(task.config["package"])].append(task)
    found: list[Task] = []
    while any(waiting.values()):
        found += [own.pop(0) for own in waiting.values() if own]
    return found[: count or None]


class Facts(NamedTuple):
    """What preparing a task found: kinds of probes, those that tell, kinds of twins that work, and how many values."""

    asked: set[str]
    telling: set[str]
    twins: set[str]
    num_values: int


def facts_of(prepared: Prepared) -> Facts:
    """What counts of it."""
    probes = prepared.probes
    twins = {f"that must {'pass' if outcome == 'passed' else 'fail'}" for outcome in prepared.planned.values()}
    return Facts(set(map(kind_of, probes.expected)), set(map(kind_of, probes.telling)), twins, len(probes.expected))


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    bench = Bench(lender_of(name, () if name == "docker" else ("cpus", "memory_mib")))
    count = QUICK if quick else int(os.environ.get("AGENTGYM_SWE_TASKS", WANTED))
    tasks = in_turns(load_suite(SUITE).tasks("test"), count)

    def prepared(task: Task) -> Facts:
        facts = facts_of(prepare_case(bench, read_task(task).case))
        progress(f"{task.id} {task.config['package']}: {facts}")
        return facts

    with ThreadPoolExecutor(int(os.environ.get("AGENTGYM_SWE_WORKERS", "2"))) as workers:
        found = list(workers.map(prepared, tasks))
    close_judges()
    telling: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    twins: Counter[str] = Counter()
    by_package: dict[str, list[bool]] = defaultdict(list)
    without: dict[str, list[str]] = {"a telling probe": [], "twins": [], "both": []}
    for task, facts in zip(tasks, found, strict=True):
        asked.update(facts.asked)
        telling.update(facts.telling | ({"any"} if facts.telling else set()))
        twins.update(facts.twins | ({"any"} if facts.twins else set()))
        by_package[str(task.config["package"])].append(bool(facts.telling))
        lacks = {"a telling probe": not facts.telling, "twins": not facts.twins}
        for what in [what for what, is_so in {**lacks, "both": all(lacks.values())}.items() if is_so]:
            without[what].append(f"{task.id} {task.config['kind']} {', '.join(task.private['functions'])}")
    kinds = ("calls", "slices", "fresh calls", "fresh slices")
    return Report(
        goals=[
            Goal("share of test tasks with a probe that tells", telling["any"] / len(tasks), 0.7, "at least"),
            Goal("test tasks looked at", len(tasks), QUICK if quick else 60, "at least"),
        ],
        figures={
            "share_with_a_telling_probe": {kind: round(telling[kind] / len(tasks), 3) for kind in kinds},
            "share_with_a_probe": {kind: round(asked[kind] / len(tasks), 3) for kind in kinds},
            "share_with_any_telling_probe": round(telling["any"] / len(tasks), 3),
            "share_with_twins": {kind: round(twins[kind] / len(tasks), 3) for kind in (*TWINS, "any")},
            "values_per_task": Spread.of([facts.num_values for facts in found]).to_json(),
            "by_package": {package: f"{sum(own)} of {len(own)}" for package, own in by_package.items()},
            "num_without": {what: len(which) for what, which in without.items()},
            "without": without,
        },
        setting={"sandbox": name, "tasks": len(tasks), "packages": len(by_package)},
    )


if __name__ == "__main__":
    sys.exit(main("verdicts.repair_probes", measure, PACKAGES))
