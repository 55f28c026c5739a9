"""Speed of Repair-v0, each row beside what does the same plainly, in the same run: wall time, and CPU time of a run.

- run_tests: the warm process of the agent's sandbox against `python -m pytest` of the same tests there.
- verdict: a right repair judged, against the same tests in a fresh process of a fresh sandbox, and against SWE-bench's
  steps (see `benchmarks.verdicts.repair_grading`).
- reset: from reset to the first observation, against one `git init, add, commit` in the same sandbox.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from agentgym.sandbox.lender import lender_of
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges, sandbox_spec
from agentgym_swe.repair.link import WarmLink
from agentgym_swe.repair.state import beginning, lay_out
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Judge
from benchmarks.measure import Spread, interleaved, ratios
from benchmarks.report import Goal, Report, main
from benchmarks.swe.planted import planted_tasks
from benchmarks.verdicts.repair_grading import diff_in_fresh_tree, plain_pytest

PACKAGES = ("agentgymnasium",)
PAUSE_S = 1.5
"""Between two measurements, so that what a pool makes ready in the background is ready."""


def timed(run: Callable[[], object]) -> float:
    """Seconds that something takes."""
    time.sleep(PAUSE_S)
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def measure(quick: bool) -> Report:
    """Take the figures."""
    name = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    relaxed = () if name == "docker" else ("cpus", "memory_mib")
    lender = lender_of(name, relaxed)
    judge = Judge(lender)
    task = planted_tasks(True)[0]
    repair = read_task(task)
    layer, start = repair.layer, beginning(repair, "all")
    spec = lender.fitted(sandbox_spec(lender.provider, str(layer.folder)))
    right = from_texts(layer, repair.case.given, {path: layer.text(path) for path in repair.case.given})
    env = RepairEnv(sandbox=name, relaxed=relaxed)
    ids = [*repair.case.failing, *repair.case.kept]
    commit = "rm -rf .git && git init -q -b main . && git add -A -f . && git commit -q -m Import"

    def fresh() -> None:
        with lender.lease(spec) as sandbox:
            lay_out(sandbox, layer, beginning(repair, "all"))
            for path in repair.case.given:
                sandbox.write_file(path, layer.text(path).encode())
            plain_pytest(sandbox, repair, ("-q",), ids)

    def steps() -> None:
        with lender.lease(spec) as sandbox:
            lay_out(sandbox, layer, start)
            for path in repair.case.given:
                sandbox.write_file(path, layer.text(path).encode())
            diff_in_fresh_tree(sandbox, lender, repair)

    with lender.lease(spec) as sandbox:
        lay_out(sandbox, layer, start)
        link = WarmLink(sandbox)
        judge.verdict(repair.case, right)
        link.run(sandbox.spec.work_dir, layer.python_path, ids)
        sides: dict[str, Callable[[], float]] = {
            "run_tests": lambda: timed(lambda: link.run(sandbox.spec.work_dir, layer.python_path, ids)),
            "pytest": lambda: timed(lambda: plain_pytest(sandbox, repair, ("-q",), ids)),
            "verdict": lambda: timed(lambda: judge.verdict(repair.case, right)),
            "fresh": lambda: timed(fresh),
            "steps": lambda: timed(steps),
            "commit": lambda: timed(lambda: sandbox.exec(["sh", "-c", commit])),
            "reset": lambda: timed(lambda: env.reset(options={"task": task})),
        }
        found = interleaved(sides, 3 if quick else 9)
        link.close()
    env.close()
    close_judges()
    report = Report(setting={"sandbox": name, "package": layer.name, "tests": len(ids)})
    rows = (("pytest", "run_tests", 3.0), ("fresh", "verdict", 4.0), ("steps", "verdict", 6.0))
    for slow, quick_side, goal in rows:
        ratio = ratios(found[slow], found[quick_side])
        report.goals.append(Goal(f"{slow} / {quick_side}, wall", ratio.median, goal, "at least"))
    report.goals.append(Goal("reset / commit, wall", ratios(found["reset"], found["commit"]).median, 1.2, "at most"))
    report.figures = {f"{side}_s": Spread.of(values).to_json() for side, values in found.items()}
    return report


if __name__ == "__main__":
    sys.exit(main("swe", measure, PACKAGES))
