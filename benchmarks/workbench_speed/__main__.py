"""What grading an entry of the workbench costs, beside the checker of bfcl-eval's multi-turn part.

Both sides get the right calls of an entry. bfcl-eval's checker, in its own interpreter, carries them out, carries out
its reference calls, and compares objects after each turn. The workbench carries them out, makes the right changes of
each request in a draft, and compares rows. Parsing of messages is on neither side.

`grading` leaves out the agent's calls: an episode carries them out anyway, and the workbench does not repeat them.
Strata are compared with those that are alike: base, a missing tool, a missing value, and long results. Each entry is
graded once before it is timed. Times are CPU times of one thread in one run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.errors import ConfigError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.workbench.plan import Plan, read_plan
from agentgym_tools.workbench.planning import next_calls
from agentgym_tools.workbench.scripts import follow
from agentgym_tools.workbench.session import Session
from agentgym_tools.workbench.sets.all_sets import TOOLS
from agentgym_tools.worlds.calls import Call
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "numpy")
VARIABLE = "AGENTGYM_BFCL_PYTHON"
"""Names the interpreter that has bfcl-eval."""
ALIKE = {
    "base": "base",
    "missing_tool": "miss_func",
    "missing_parameter": "miss_param",
    "long_results": "long_context",
}
"""By stratum of tools/workbench the category of bfcl-eval that is like it."""
QUICK_EVERY = 20
REPEATS = 5


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer entries."""
    every = QUICK_EVERY if quick else 1
    progress("bfcl-eval")
    theirs = of_bfcl(every)
    tasks = load_suite("tools/workbench").tasks("test")
    report = Report(setting={"entries": f"one in {every}"})
    for stratum, category in ALIKE.items():
        progress(stratum)
        ours = [seconds_of(task) for task in tasks if task.stratum == stratum][::every]
        whole, alone = np.array(ours).T
        peer = np.array(theirs[category]["seconds"])
        row: dict[str, Any] = {}
        for name, seconds in (("grading", alone), ("calls and grading", whole), ("bfcl-eval", peer)):
            p50, p95 = np.percentile(seconds, (50, 95)) * 1e3
            row[name] = {"p50, CPU ms": significant(p50), "p95, CPU ms": significant(p95), "entries": len(seconds)}
        row["bfcl-eval"]["valid"] = theirs[category]["valid"]
        report.figures[stratum] = row
        for name, seconds in (("grading", alone), ("calls and grading", whole)):
            times = float(np.median(peer) / np.median(seconds))
            report.goals.append(Goal(f"{stratum}: {name}, times as fast as {category}", times, 1.0, "at least"))
    return report


def of_bfcl(every: int) -> dict[str, Any]:
    """What the driver found, by category.

    Raises:
        ConfigError: There is no interpreter with bfcl-eval.
    """
    python = os.environ.get(VARIABLE, "")
    if not Path(python).is_file():
        raise ConfigError(
            f"{VARIABLE} must name an interpreter with bfcl-eval: got {python!r}; make a venv, and in it run "
            "pip install --no-deps bfcl-eval==2026.3.23 mpmath==1.3.0"
        )
    driver = Path(__file__).with_name("bfcl_driver.py")
    answer = subprocess.run(
        [python, str(driver), str(every), str(REPEATS), *ALIKE.values()],
        capture_output=True,
        check=True,
        text=True,
        cwd="/",
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def seconds_of(task: Task) -> tuple[float, float]:
    """Seconds for carrying out the oracle's calls and grading, and for grading alone; the mean of some repeats."""
    plan = read_plan(task)
    calls = _right_calls(plan)
    _play(plan, calls)
    start = time.thread_time()
    for _ in range(REPEATS):
        _play(plan, calls)
    whole = time.thread_time() - start
    return whole / REPEATS, sum(_grading(plan, calls) for _ in range(REPEATS)) / REPEATS


def _right_calls(plan: Plan) -> list[Call]:
    session, calls = Session(plan), []
    while found := next_calls(session):
        calls.append(found[0])
        follow(session, found[0])
    session.close()
    return calls


def _play(plan: Plan, calls: Sequence[Call]) -> None:
    session = Session(plan)
    for call in calls:
        follow(session, call)
    assert session.is_right
    session.close()


def _grading(plan: Plan, calls: Sequence[Call]) -> float:
    """Seconds for what the requests come to and the verdicts, without the calls of tools."""
    start = time.thread_time()
    session = Session(plan)
    seconds = time.thread_time() - start
    for call in calls:
        start = time.thread_time()
        follow(session, call)
        seconds += 0.0 if call.tool in TOOLS else time.thread_time() - start
    session.close()
    return seconds


if __name__ == "__main__":
    sys.exit(main("workbench_speed", measure, PACKAGES))
