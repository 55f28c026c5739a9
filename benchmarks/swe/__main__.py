"""Speed of Repair-v0, each row beside what does the same plainly, in the same run: wall time, and CPU time beside it.

- run_tests: the warm process of the agent's sandbox against `python -m pytest` of the same tests there.
- verdict: a right repair judged, against the same tests in a fresh process of a fresh sandbox, and against SWE-bench's
  steps (see `benchmarks.verdicts.repair_grading`). `first_verdict` finds out first what tests, twins and probes come to
  on the original, as the first verdict on a task does in each process.
- reset: from reset to the first observation, against one `git init, add, commit` in the same sandbox. `first_reset` is
  that of tasks that this process has not seen before.

CPU time is that of this process and of all sandboxes, also of those that end meanwhile or are made ready for the next
time. To count it takes time, so rounds of their own do, after those of wall time. That of containers is not seen, and
left out.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Literal

from agentgym.sandbox.lender import lender_of
from agentgym.suite import load_suite
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.link import WarmLink
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.measure import Spread, interleaved, ratios, significant
from benchmarks.report import Goal, Report, main
from benchmarks.swe.planted import SUITE, planted_tasks
from benchmarks.swe.spent import spent_seconds
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, plain_pytest

PACKAGES = ("agentgymnasium",)
PAUSE_S = 2.0
"""Before and after a measurement: what a pool makes ready in the background is ready, and its time is counted."""
ROUNDS, QUICK_ROUNDS, CPU_ROUNDS = 9, 3, 3
ROWS = (
    ("pytest", "run_tests", 3.0),
    ("fresh", "verdict", 4.0),
    ("steps", "verdict", 6.0),
    ("reset", "commit", 1.2),
    ("first_reset", "commit", 1.2),
)
"""What is divided by what, and the bound of the wall ratio: a most over a commit, a least over others."""
Side = Callable[[], object]


Times = dict[str, list[float]]


def timed(run: Side, clock: Callable[[], float], rest_s: float) -> float:
    """Seconds of a clock that one thing takes.

    Args:
        run: The thing.
        clock: Tells seconds.
        rest_s: A pause behind it that counts too.
    """
    time.sleep(PAUSE_S)
    before = clock()
    run()
    time.sleep(rest_s)
    took = clock() - before
    time.sleep(PAUSE_S - rest_s)
    return took


def taken(name: str, relaxed: tuple[str, ...], rounds: int) -> tuple[Times, Times, dict[str, object]]:
    """Seconds on the wall and of processors that all sides take, and the setting; no processors' in containers."""
    lender = lender_of(name, relaxed)
    judge = Judge(lender)
    task = planted_tasks(True)[0]
    repair = read_task(task)
    layer, start = repair.layer, beginning(repair, "all")
    spec = lender.fitted(sandbox_spec(lender.provider, str(layer.folder)))
    right = from_texts(layer, repair.case.given, {path: layer.text(path) for path in repair.case.given})
    env = RepairEnv(sandbox=name, relaxed=relaxed)
    ids = [*repair.case.failing, *repair.case.kept]
    others = iter([each for each in load_suite(SUITE).train_tasks() if each.config["package"] == layer.name][1:])
    new_cases = (replace(repair.case, key=f"new {number}") for number in count())
    commit = "rm -rf .git && git init -q -b main . && git add -A -f . && git commit -q -m Import"

    def with_repair(then: Callable[..., object]) -> Side:
        def run() -> None:
            with lender.lease(spec) as sandbox:
                lay_out(sandbox, layer, start)
                for path in repair.case.given:
                    sandbox.write_file(path, layer.text(path).encode())
                then(sandbox)

        return run

    with lender.lease(spec) as sandbox:
        lay_out(sandbox, layer, start)
        link = WarmLink(sandbox)
        judge.verdict(repair.case, right)
        link.run(sandbox.spec.work_dir, layer.python_path, ids)
        sides: dict[str, Side] = {
            "run_tests": lambda: link.run(sandbox.spec.work_dir, layer.python_path, ids),
            "pytest": lambda: plain_pytest(sandbox, repair, ("-q",), ids),
            "verdict": lambda: judge.verdict(repair.case, right),
            "first_verdict": lambda: judge.verdict(next(new_cases), right),
            "fresh": with_repair(lambda fresh: plain_pytest(fresh, repair, ("-q",), ids)),
            "steps": with_repair(lambda fresh: diff_in_fresh_tree(fresh, lender, repair)),
            "commit": lambda: sandbox.exec(["sh", "-c", commit]),
            "reset": lambda: env.reset(options={"task": task}),
            "first_reset": lambda: env.reset(options={"task": next(others)}),
        }
        env.reset(options={"task": task})
        walls = {side: partial(timed, run, time.perf_counter, 0.0) for side, run in sides.items()}
        wall = interleaved(walls, rounds)
        cpu: Times = {}
        if name != "docker":
            with spent_seconds() as spent:
                cpu = interleaved(
                    {side: partial(timed, run, spent, PAUSE_S) for side, run in sides.items()}, CPU_ROUNDS
                )
        link.close()
    env.close()
    close_judges()
    return wall, cpu, {"sandbox": name, "package": layer.name, "tests": len(ids)}


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    relaxed = () if name == "docker" else ("cpus", "memory_mib")
    wall, cpu, setting = taken(name, relaxed, QUICK_ROUNDS if quick else ROUNDS)
    report = Report(setting=setting)
    report.figures = {"wall_s": {side: Spread.of(values).to_json() for side, values in wall.items()}}
    for above, below, goal in ROWS:
        ratio = ratios(wall[above], wall[below]).median
        sense: Literal["at most", "at least"] = "at most" if below == "commit" else "at least"
        report.goals.append(Goal(f"{above} / {below}, wall", ratio, goal, sense))
    if cpu:
        report.figures["cpu_s"] = {side: Spread.of(values).to_json() for side, values in cpu.items()}
        shown = [(above, below) for above, below, _ in ROWS if min(cpu[below]) > 0]
        report.figures["cpu_ratio"] = {
            f"{above} / {below}": significant(ratios(cpu[above], cpu[below]).median) for above, below in shown
        }
    return report


if __name__ == "__main__":
    sys.exit(main("swe", measure, PACKAGES))
