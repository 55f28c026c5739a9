"""Attempts to be scored as solved without mending anything, against three graders; and agreement with plain runs.

- tamper: every attempt of `agentgym_swe.repair.tampering` is made in the agent's folder. The graders are the exit code
  in that folder, the steps of SWE-bench's harness (see `repair_grading`), and Repair-v0's verdict. None may be fooled
  by code that mends nothing; Repair-v0 must not be.
- agreement: other faults put in the place of the task's, and right repairs, are judged by the verdict and by one plain
  run of the whole suite in a fresh sandbox.

`--quick` takes a dozen attempts and 16 repairs. AGENTGYM_SWE_PACKAGES names packages, AGENTGYM_SWE_SANDBOX a provider.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator

from agentgym.errors import AgentGymError
from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym.task import Task
from agentgym_swe.making.candidates import Sources, candidates
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.tampering.table import ATTACKS, PLAYED
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repair.verdict.collecting import collect, from_texts
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.report import Goal, Report, main, progress
from benchmarks.swe.planted import planted_tasks
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, exit_code, whole_suite

PACKAGES = ("agentgymnasium",)
REPAIRS = 200
QUICK_REPAIRS = 16


def attempts(judge: Judge, lender: SandboxLender, task: RepairTask, names: list[str]) -> dict[str, dict[str, bool]]:
    """By attempt which graders are fooled."""
    found: dict[str, dict[str, bool]] = {}
    start = beginning(task, "all")
    laid = {**start.files, **dict.fromkeys(start.removed)}
    for name in names:
        with lender.lease(lender.fitted(sandbox_spec(lender.provider, str(task.layer.folder)))) as sandbox:
            lay_out(sandbox, task.layer, start)
            sandbox.exec(["bash", "-c", ATTACKS[name](task).script()], keep_background=True)
            verdict = judge.verdict(task.case, collect(sandbox, task.layer, task.case.given, laid))
            fooled = {"ours": verdict.is_solved}
            try:
                fooled["swe_bench_steps"] = diff_in_fresh_tree(sandbox, lender, task)
                fooled["exit_code"] = exit_code(sandbox, task)
            except AgentGymError:  # the attempt ended the sandbox: no verdict of theirs
                fooled |= dict.fromkeys({"swe_bench_steps", "exit_code"} - fooled.keys(), False)
        found[name] = fooled
        progress(f"{task.layer.name} {name}: {verdict.kind}, fooled {[key for key, value in fooled.items() if value]}")
    return found


def repairs(task: RepairTask, count: int) -> Iterator[dict[str, str | None]]:
    """New texts of the sources: every second one right, the others with another fault instead of the task's."""
    layer = task.layer
    right: dict[str, str | None] = {path: layer.text(path) for path in task.case.given}
    sources = Sources(layer)
    others = [each for each in candidates(sources, "repairs") if each.edits[0].file in task.case.given]
    for number in range(count // 2):
        yield {path: f"{text}\n# repair {number}\n" for path, text in right.items()}
        changed = sources.changed(others[number % len(others)].edits)
        if changed is not None:
            yield {**right, **changed}


def agreement(judge: Judge, lender: SandboxLender, task: RepairTask, count: int) -> Counter[str]:
    """How often the verdict and a plain run of the whole suite say the same."""
    said: Counter[str] = Counter()
    for files in repairs(task, count):
        verdict = judge.verdict(task.case, from_texts(task.layer, task.case.given, files))
        with lender.lease(lender.fitted(sandbox_spec(lender.provider, str(task.layer.folder)))) as sandbox:
            for path, text in files.items():
                sandbox.write_file(path, str(text).encode())
            is_right = whole_suite(sandbox, task)
        said[f"plain run {'right' if is_right else 'wrong'}, verdict {verdict.kind}"] += 1
        said["same"] += is_right == verdict.is_solved
        said["all"] += 1
    return said


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    lender = lender_of(name, () if name == "docker" else ("cpus", "memory_mib"))
    judge = Judge(lender)
    report = Report()
    table: dict[str, dict[str, dict[str, bool]]] = {}
    said: Counter[str] = Counter()
    tasks: list[Task] = planted_tasks(quick)
    for each in tasks:
        task = read_task(each)
        names = list(PLAYED) if quick else list(ATTACKS)
        table[task.layer.name] = attempts(judge, lender, task, names)
        said += agreement(judge, lender, task, (QUICK_REPAIRS if quick else REPAIRS) // len(tasks))
    close_judges()
    graders = ("exit_code", "swe_bench_steps", "ours")
    count = {grader: sum(row[grader] for rows in table.values() for row in rows.values()) for grader in graders}
    num_attempts = sum(map(len, table.values()))
    fooled = {package: {key: "+".join(g for g in graders if row[g]) or "none" for key, row in rows.items()}
              for package, rows in table.items()}  # fmt: skip
    report.goals = [
        Goal("attempts that fool the verdict", count["ours"], 0, "at most"),
        Goal("attempts made", num_attempts, 11 if quick else 40, "at least"),
        Goal("share of repairs on which verdict and plain run agree", said["same"] / said["all"], 0.97, "at least"),
    ]
    report.figures = {"fooled": count, "attempts": num_attempts, "table": fooled, "agreement": dict(said)}
    report.setting = {"sandbox": name, "packages": sorted(table)}
    return report


if __name__ == "__main__":
    sys.exit(main("verdicts.repair_tamper", measure, PACKAGES))
