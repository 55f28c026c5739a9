"""Speed of Repair-v0, each row beside what does the same plainly, in the same run: wall time, and CPU time beside it.

- run_tests: the warm process of the agent's sandbox against `python -m pytest` of the same tests there.
- verdict: a right repair judged, against the same tests in a fresh process of a fresh sandbox, and against SWE-bench's
  steps (see `benchmarks.verdicts.repair_grading`).
- reset: from reset to the first observation, against one `git init, add, commit` in the same sandbox. `first_reset` is
  that of tasks that this process has not seen before.

CPU time is given for the sides that stay in one sandbox. That of a sandbox that is thrown away is lost with it. That of
containers is not seen.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from agentgym.sandbox.lender import lender_of
from agentgym.suite import load_suite
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.link import WarmLink
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.measure import Spread, cpu_seconds, interleaved, ratios
from benchmarks.report import Goal, Report, main
from benchmarks.swe.planted import SUITE, planted_tasks
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, plain_pytest

PACKAGES = ("agentgymnasium",)
PAUSE_S = 2.0
"""Before and after a measurement: what a pool makes ready in the background is ready, and its time is counted."""
ROUNDS, QUICK_ROUNDS = 5, 3
LASTING = ("run_tests", "pytest", "commit")
"""Sides that stay in one sandbox."""
Side = Callable[[], object]


class Taken(NamedTuple):
    """Seconds that something takes, on the wall and of processors."""

    wall_s: float
    cpu_s: float


def timed(run: Side) -> Taken:
    """Measure one thing."""
    time.sleep(PAUSE_S)
    spent, began = cpu_seconds(), time.perf_counter()
    run()
    wall_s = time.perf_counter() - began
    time.sleep(PAUSE_S)
    return Taken(wall_s, cpu_seconds() - spent)


def taken(name: str, relaxed: tuple[str, ...], rounds: int) -> tuple[dict[str, list[Taken]], dict[str, object]]:
    """What all sides take, and the setting."""
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
            "fresh": with_repair(lambda fresh: plain_pytest(fresh, repair, ("-q",), ids)),
            "steps": with_repair(lambda fresh: diff_in_fresh_tree(fresh, lender, repair)),
            "commit": lambda: sandbox.exec(["sh", "-c", commit]),
            "reset": lambda: env.reset(options={"task": task}),
            "first_reset": lambda: env.reset(options={"task": next(others)}),
        }
        env.reset(options={"task": task})
        found = interleaved({side: partial(timed, run) for side, run in sides.items()}, rounds)
        link.close()
    env.close()
    close_judges()
    return found, {"sandbox": name, "package": layer.name, "tests": len(ids)}


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    found, setting = taken(name, () if name == "docker" else ("cpus", "memory_mib"), QUICK_ROUNDS if quick else ROUNDS)
    wall = {side: [each.wall_s for each in values] for side, values in found.items()}
    cpu = {side: [each.cpu_s for each in values] for side, values in found.items()}
    report = Report(setting=setting)
    rows = (("pytest", "run_tests", 3.0), ("fresh", "verdict", 4.0), ("steps", "verdict", 6.0))
    for slow, quick_side, goal in rows:
        ratio = ratios(wall[slow], wall[quick_side]).median
        report.goals.append(Goal(f"{slow} / {quick_side}, wall", ratio, goal, "at least"))
    for side in ("reset", "first_reset"):
        ratio = ratios(wall[side], wall["commit"]).median
        report.goals.append(Goal(f"{side} / commit, wall", ratio, 1.2, "at most"))
    report.figures = {
        "wall_s": {side: Spread.of(values).to_json() for side, values in wall.items()},
        "cpu_s": {side: Spread.of(cpu[side]).to_json() for side in LASTING},
    }
    return report


if __name__ == "__main__":
    sys.exit(main("swe", measure, PACKAGES))
