"""Every template of desktop tasks, drawn with many seeds and judged as data: the end pays, and nothing else does."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.staging import misjudged
from agentgym_gui.templates.tasks import task_of
from benchmarks.report import Goal, Report, main

PACKAGES = ("agentgymnasium",)


def measure(quick: bool) -> Report:
    """Plans that are judged wrongly, and tasks that are equal; `quick` draws two seeds in place of twenty."""
    seeds = range(2 if quick else 20)
    wrong, hashes, num_ends, plain = [], set(), 0, 0
    for name, template in TEMPLATES.items():
        for seed in seeds:
            plan = template.plan(seed)
            with tempfile.TemporaryDirectory() as folder:
                wrong += [f"{name} {seed}: {fault}" for fault in misjudged(plan, Path(folder))]
            num_ends += 3 + len(plan.near_misses)
            hashes.add(task_of(name, seed).content_hash)
            plain += 1
    report = Report(setting={"templates": len(TEMPLATES), "seeds": len(seeds), "ends": num_ends})
    report.figures = {"wrong": wrong[:20], "equal_tasks": plain - len(hashes)}
    report.goals = [
        Goal("ends that are judged wrongly", len(wrong), 0, "at most"),
        Goal("share of plans that differ", len(hashes) / plain, 0.9, "at least"),
    ]
    return report


if __name__ == "__main__":
    sys.exit(main("gui_templates", measure, PACKAGES))
