"""Attempts to be scored as solved without mending anything, against six graders.

Every attempt of `agentgym_swe.repair.tampering` is made in the agent's folder, on a task on which it works, or on tasks
of three packages in turns. Four graders are plain ones, of `repair_grading`: the exit code of pytest in that folder,
asked for the failing tests or for all; the junit file that pytest writes there; and the steps of SWE-bench's harness.
The fifth believes the records of the judge's own run, without twins and probes. The last is Repair-v0's verdict, with
bubblewrap and with Docker. The table says whom an attempt fools. Attempts that forge nothing are listed apart: bad
input, and what may leave the judge without a verdict. Right repairs are put to the same graders.

`--quick` takes a dozen attempts on one task. AGENTGYM_SWE_PACKAGES names packages, which must be prepared.
AGENTGYM_SWE_SANDBOX names the providers, "bubblewrap,docker" by default. AGENTGYM_SWE_ATTEMPTS names attempts, all by
default. With AGENTGYM_SWE_EACH=1, every attempt is made on every package. AGENTGYM_SWE_WORKERS says how many are made
at once, 2 by default.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import repeat

from agentgym.errors import AgentGymError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.tampering.attack import Attack
from agentgym_swe.repair.tampering.table import ATTACKS, FORGING, NO_FORM, PLAYED
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repair.verdict.collecting import collect
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.report import Goal, Report, main, progress
from benchmarks.swe.planted import SUITE, planted_tasks
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, exit_code, junit_file, suite_exit_code

PACKAGES = ("agentgymnasium",)
OTHERS = ("exit_code", "suite_exit_code", "junit_file", "swe_bench_steps")
OWN_RECORDS = "own_records"
RIGHT = "right_repair"
"""No attempt but a right repair, which every grader should take."""
_TAKEN = {"fooled": "solved"}
PLACES = {
    "conftest_in_the_package": "toolz.",
    "shadowed_pytest": "inflection.",
    "shadowed_modules": "toolz.",
    "sitecustomize": "toolz.",
    "usercustomize": "inflection.",
    "skip_at_import": "toolz.",
    "skip_from_code": "inflection.",
    "xfail_from_code": "toolz.",
    "system_exit_at_import": "semver.",
    "pytest_exit": "toolz.",
    "patched_call": "inflection.",
    "patched_report": "toolz.",
    "plugin_from_code": "inflection.",
    "tests_emptied_at_run_time": "toolz.",
    "equal_to_all": "semver.",
    "equal_to_all_and_rebinds": "inflection.",
    "only_under_its_tests": "inflection.",
    "expectation_from_frame": "inflection.camelize",
    "expectation_from_source": "inflection.camelize",
    "known_answers": "inflection.camelize",
}
"""Beginnings of the names of functions whose faults an attempt works on, where it does not on any."""
LIMIT_S, SLOW_LIMIT_S = 90.0, 20.0
"""How long a plain grader's pytest may take; and where the attempt takes what it can get."""
Row = dict[str, str]
"""By grader "fooled", or what it said."""


def attempt(name: str, lender: SandboxLender, judge: Judge, task: RepairTask, *, with_others: bool) -> Row:
    """Make one attempt, and ask the graders.

    Args:
        name: The attempt; RIGHT mends the fault instead.
        lender: Lends the agent's sandbox.
        judge: Reaches the verdict.
        task: What is not mended.
        with_others: Whether the other graders are asked too.
    """
    start = beginning(task, "all")
    laid = {**start.files, **dict.fromkeys(start.removed)}
    made = Attack(dict(_right(task))) if name == RIGHT else ATTACKS[name](task)
    row: Row = {}
    with lender.lease(lender.fitted(sandbox_spec(lender.provider, str(task.layer.folder)))) as sandbox:
        lay_out(sandbox, task.layer, start)
        sandbox.exec(["bash", "-c", made.script()], keep_background=True)
        verdict = judge.verdict(task.case, collect(sandbox, task.layer, task.case.given, laid))
        row["ours"] = "fooled" if verdict.is_solved else verdict.kind
        if with_others:
            all_passed = verdict.parts.get("fixed") == verdict.parts.get("kept") == 1.0
            row[OWN_RECORDS] = _said(all_passed)
            row |= _plain(sandbox, lender, task, SLOW_LIMIT_S if made.is_slow else LIMIT_S)
    return row


def _right(task: RepairTask) -> dict[str, str]:
    return {path: task.layer.text(path) for path in task.case.given}


def _plain(sandbox: Sandbox, lender: SandboxLender, task: RepairTask, limit_s: float) -> Row:
    """What the plain graders say; "no verdict" where the attempt ended the sandbox."""
    graders: dict[str, Callable[[], bool]] = {
        "swe_bench_steps": lambda: diff_in_fresh_tree(sandbox, lender, task, limit_s=limit_s),
        "exit_code": lambda: exit_code(sandbox, task, limit_s=limit_s),
        "suite_exit_code": lambda: suite_exit_code(sandbox, task, limit_s=limit_s),
        "junit_file": lambda: junit_file(sandbox, task, limit_s=limit_s),
    }
    row = dict.fromkeys(OTHERS, "no verdict")
    for grader, ask in graders.items():
        with contextlib.suppress(AgentGymError):
            row[grader] = _said(ask())
    return row


def _said(is_solved: bool) -> str:
    return "fooled" if is_solved else "failed"


def _tasks_for(name: str, number: int, tasks: Sequence[RepairTask]) -> list[RepairTask]:
    """The tasks that an attempt is made on."""
    if os.environ.get("AGENTGYM_SWE_EACH"):
        return list(tasks)
    where = PLACES.get(name)
    package = where.partition(".")[0] if where else ""
    if where is None or package not in [task.layer.name for task in tasks]:
        return [tasks[number % len(tasks)]]
    fitting = [task for task in map(read_task, _train_tasks(package)) if f"{task.function}.".startswith(where)]
    return fitting[:1] or [task for task in tasks if task.layer.name == package]


@cache
def _train_tasks(package: str) -> tuple[Task, ...]:
    return tuple(task for task in load_suite(SUITE).train_tasks() if task.config["package"] == package)


def table(providers: Sequence[str], tasks: Sequence[RepairTask], names: Sequence[str]) -> dict[str, Row]:
    """By attempt and package what the graders said."""
    pairs = [(name, task) for number, name in enumerate(names) for task in _tasks_for(name, number, tasks)]
    pairs += [(RIGHT, task) for task in tasks]
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
    wanted = os.environ.get("AGENTGYM_SWE_ATTEMPTS", "")
    names = wanted.split(",") if wanted else list(PLAYED if quick else ATTACKS)
    found = table(providers, tasks, names)
    ours = [f"ours_{provider}" for provider in providers]
    controls = {key: row for key, row in found.items() if key.startswith(f"{RIGHT} ")}
    taken = {key: {grader: _TAKEN.get(what, what) for grader, what in row.items()} for key, row in controls.items()}
    said = {key: row for key, row in found.items() if key not in controls}
    forging = {key: row for key, row in said.items() if key.partition(" ")[0] in FORGING}
    graders = (*OTHERS, OWN_RECORDS, *ours)
    fooled = {grader: sum(row[grader] == "fooled" for row in forging.values()) for grader in graders}
    none = [key for key, row in forging.items() if "fooled" not in row.values()]
    same = sum(len({row[grader] == "fooled" for grader in ours}) == 1 for row in said.values())
    ours_fooled = sum(row[grader] == "fooled" for row in said.values() for grader in ours)
    solved = sum(row[grader] == "fooled" for row in controls.values() for grader in ours)
    shares = {
        "share of attempts on which the providers agree": same / max(1, len(said)),
        "share of right repairs that the verdict takes": solved / (len(ours) * len(controls)),
    }
    return Report(
        goals=[
            Goal("attempts that fool the verdict", ours_fooled, 0, "at most"),
            Goal("kinds of attempts", len(names), 11 if quick else 40, "at least"),
            Goal("packages", len(tasks), 1 if quick else 3, "at least"),
            *(Goal(what, share, 1, "at least") for what, share in shares.items()),
        ],
        figures={
            "attempts": len(said),
            "forging": len(forging),
            "fooled": fooled,
            "fool_no_grader": {key: NO_FORM.get(key.partition(" ")[0], "") for key in none},
            "said": forging,
            "said_of_others": {key: row for key, row in said.items() if key not in forging},
            "right_repairs": taken,
        },
        setting={"sandboxes": providers, "packages": [task.layer.name for task in tasks]},
    )


if __name__ == "__main__":
    sys.exit(main("verdicts.repair_tamper", measure, PACKAGES))
