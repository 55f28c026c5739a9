"""Attempts to be scored as solved without mending anything, against three graders.

Every attempt of `agentgym_swe.repair.tampering` is made in the agent's folder. Tasks of three packages take turns. The
graders are the exit code of pytest in that folder, the steps of SWE-bench's harness (see `repair_grading`), and
Repair-v0's verdict, with bubblewrap and with Docker. The table says whom an attempt fools.

`--quick` takes a dozen attempts on one task. AGENTGYM_SWE_PACKAGES names packages, which must be prepared.
AGENTGYM_SWE_SANDBOX names the providers, "bubblewrap,docker" by default. With AGENTGYM_SWE_EACH=1, every attempt is
made on every package. AGENTGYM_SWE_WORKERS says how many are made at once, 2 by default.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

from agentgym.errors import AgentGymError
from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.tampering.table import ATTACKS, PLAYED
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repair.verdict.collecting import collect
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.report import Goal, Report, main, progress
from benchmarks.swe.planted import planted_tasks
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, exit_code

PACKAGES = ("agentgymnasium",)
OTHERS = ("exit_code", "swe_bench_steps")
Row = dict[str, str]
"""By grader "fooled", or what it said."""


def attempt(name: str, lender: SandboxLender, judge: Judge, task: RepairTask, *, with_others: bool) -> Row:
    """Make one attempt, and ask the graders.

    Args:
        name: The attempt.
        lender: Lends the agent's sandbox.
        judge: Reaches the verdict.
        task: What is not mended.
        with_others: Whether the other graders are asked too.
    """
    start = beginning(task, "all")
    laid = {**start.files, **dict.fromkeys(start.removed)}
    row: Row = {}
    with lender.lease(lender.fitted(sandbox_spec(lender.provider, str(task.layer.folder)))) as sandbox:
        lay_out(sandbox, task.layer, start)
        sandbox.exec(["bash", "-c", ATTACKS[name](task).script()], keep_background=True)
        verdict = judge.verdict(task.case, collect(sandbox, task.layer, task.case.given, laid))
        row["ours"] = "fooled" if verdict.is_solved else verdict.kind
        if with_others:
            row |= dict.fromkeys(OTHERS, "no verdict")
            try:
                row["swe_bench_steps"] = _said(diff_in_fresh_tree(sandbox, lender, task))
                row["exit_code"] = _said(exit_code(sandbox, task))
            except AgentGymError:
                pass  # the attempt ended the sandbox
    return row


def _said(is_solved: bool) -> str:
    return "fooled" if is_solved else "failed"


def table(providers: Sequence[str], tasks: Sequence[RepairTask], names: Sequence[str]) -> dict[str, Row]:
    """By attempt and package what the graders said."""
    pairs = [
        (name, task)
        for number, name in enumerate(names)
        for task in (tasks if os.environ.get("AGENTGYM_SWE_EACH") else [tasks[number % len(tasks)]])
    ]
    found: dict[str, Row] = {f"{name} ({task.layer.name})": {} for name, task in pairs}
    for number, provider in enumerate(providers):
        lender = lender_of(provider, () if provider == "docker" else ("cpus", "memory_mib"))
        judge = Judge(lender)

        def make(pair: tuple[str, RepairTask], asks: tuple[str, SandboxLender, Judge, bool]) -> None:
            (name, task), (grader, lender, judge, is_first) = pair, asks
            row = attempt(name, lender, judge, task, with_others=is_first)
            row[grader] = row.pop("ours")
            found[f"{name} ({task.layer.name})"].update(row)
            progress(f"{name} ({task.layer.name}): {row}")

        asks = (f"ours_{provider}", lender, judge, number == 0)
        with ThreadPoolExecutor(int(os.environ.get("AGENTGYM_SWE_WORKERS", "2"))) as workers:
            list(workers.map(make, pairs, repeat(asks)))
        close_judges()
    return found


def measure(quick: bool) -> Report:
    """Take the figures."""
    providers = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap,docker").split(",")
    tasks = [read_task(task) for task in planted_tasks(quick)]
    names = list(PLAYED) if quick else list(ATTACKS)
    found = table(providers, tasks, names)
    ours = [f"ours_{provider}" for provider in providers]
    fooled = {grader: sum(row[grader] == "fooled" for row in found.values()) for grader in (*OTHERS, *ours)}
    same = sum(len({row[grader] == "fooled" for grader in ours}) == 1 for row in found.values())
    return Report(
        goals=[
            Goal("attempts that fool the verdict", sum(fooled[grader] for grader in ours), 0, "at most"),
            Goal("kinds of attempts", len(names), 11 if quick else 40, "at least"),
            Goal("packages", len(tasks), 1 if quick else 3, "at least"),
            Goal("share of attempts on which the providers agree", same / len(found), 1, "at least"),
        ],
        figures={"attempts": len(found), "fooled": fooled, "said": found},
        setting={"sandboxes": providers, "packages": [task.layer.name for task in tasks]},
    )


if __name__ == "__main__":
    sys.exit(main("verdicts.repair_tamper", measure, PACKAGES))
