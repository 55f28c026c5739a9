"""Verdicts of Repair-v0 beside plain runs of whole test suites, on right and wrong repairs.

Repairs are made in `repair_patches`, for tasks of many packages in turns. Each is judged, and the whole suite is run
plainly in a fresh sandbox. Every disagreement is listed with the verdict's reasons. Probes make a verdict stricter than
a plain run: a repair that the tests let pass is refused where it computes other values than the original.

`--quick` takes 16 repairs. AGENTGYM_SWE_SANDBOX names a provider, AGENTGYM_SWE_WORKERS how many are judged at once.
AGENTGYM_SWE_PARTS names a file that keeps what each repair came to: a run that was stopped goes on from there.
AGENTGYM_SWE_REPAIRS says how many repairs are judged, 200 by default.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.report import Goal, Report, main, progress
from benchmarks.swe.planted import SUITE
from benchmarks.verdicts.repair_grading import whole_suite
from benchmarks.verdicts.repair_patches import Patch, patches
from benchmarks.verdicts.repair_probes import in_turns

PACKAGES = ("agentgymnasium",)
TASKS, REPAIRS = 24, 200
QUICK_TASKS, QUICK_REPAIRS = 2, 16


def compared(judge: Judge, lender: SandboxLender, task: Task, patch: Patch) -> dict[str, Any]:
    """What the verdict and a plain run of the whole suite say of one repair."""
    repair = read_task(task)
    verdict = judge.verdict(repair.case, from_texts(repair.layer, repair.case.given, patch.files))
    with lender.lease(lender.fitted(sandbox_spec(lender.provider, str(repair.layer.folder)))) as sandbox:
        for path, text in patch.files.items():
            sandbox.write_file(path, str(text).encode())
        passes = whole_suite(sandbox, repair)
    found = {"task": task.id, "package": repair.layer.name, "patch": patch.kind, "about": patch.about}
    progress(f"{found}: plain run {'passes' if passes else 'fails'}, verdict {verdict.kind}")
    return {**found, "plain": passes, "verdict": verdict.kind, "reasons": list(verdict.reasons[:3])}


class Parts:
    """What repairs came to, kept in a file of JSON lines where one is named."""

    def __init__(self, path: str) -> None:
        self._path, self._lock = path, threading.Lock()
        self._rows: dict[str, dict[str, Any]] = {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self._rows = {_key(row): row for row in map(json.loads, file)}

    def row(self, task: Task, patch: Patch, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The kept row of a repair, or one that is made now."""
        key = _key({"task": task.id, "patch": patch.kind, "about": patch.about})
        if key not in self._rows:
            made = make()
            with self._lock:
                self._rows[key] = made
                if self._path:
                    with open(self._path, "a", encoding="utf-8") as file:
                        file.write(json.dumps(made) + "\n")
        return self._rows[key]


def _key(row: dict[str, Any]) -> str:
    return f"{row['task']} {row['patch']} {row['about']}"


def chosen(quick: bool) -> list[tuple[Task, Patch]]:
    """The repairs: of each task as many as of the others, right ones among them; tasks with two faults come first."""
    count = QUICK_REPAIRS if quick else int(os.environ.get("AGENTGYM_SWE_REPAIRS", REPAIRS))
    first = sorted(load_suite(SUITE).tasks("test"), key=lambda task: task.config["kind"] != "double")
    tasks = in_turns(first, QUICK_TASKS if quick else TASKS)
    waiting = [(task, list(patches(task, task.id))) for task in tasks]
    found: list[tuple[Task, Patch]] = []
    while any(own for _, own in waiting):
        found += [(task, own.pop(0)) for task, own in waiting if own]
    return found[:count]


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    lender = lender_of(name, () if name == "docker" else ("cpus", "memory_mib"))
    judge = Judge(lender)
    pairs, parts = chosen(quick), Parts(os.environ.get("AGENTGYM_SWE_PARTS", ""))
    with ThreadPoolExecutor(int(os.environ.get("AGENTGYM_SWE_WORKERS", "2"))) as workers:
        rows = list(
            workers.map(lambda pair: parts.row(pair[0], pair[1], lambda: compared(judge, lender, *pair)), pairs)
        )
    close_judges()
    disagreements = [row for row in rows if row["plain"] != (row["verdict"] == "solved")]
    lenient = [row for row in disagreements if row["verdict"] == "solved"]
    wronged = [row for row in disagreements if row["patch"] in ("original", "equivalent")]
    said: Counter[str] = Counter(
        f"{row['patch']}: plain run {'passes' if row['plain'] else 'fails'}, verdict {row['verdict']}" for row in rows
    )
    return Report(
        goals=[
            Goal("repairs judged", len(rows), QUICK_REPAIRS if quick else REPAIRS, "at least"),
            Goal("repairs that a plain run refuses and the verdict accepts", len(lenient), 0, "at most"),
            Goal("originals and equivalent rewrites that only the verdict refuses", len(wronged), 0, "at most"),
            Goal("share on which both agree", 1 - len(disagreements) / len(rows), 0.9, "at least"),
        ],
        figures={"said": dict(sorted(said.items())), "disagreements": disagreements},
        setting={"sandbox": name, "tasks": len({task.id for task, _ in pairs})},
    )


if __name__ == "__main__":
    sys.exit(main("verdicts.repair_agreement", measure, PACKAGES))
