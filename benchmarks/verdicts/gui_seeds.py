"""Oracles of twenty templates of gui/desktop on living desktops, each with twenty seeds that no shipped task has.

`--quick` plays two templates with two seeds.
"""

from __future__ import annotations

import sys
from itertools import product

from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.templates.tasks import task_of
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts.gui_desktop import Row, played, tasks_by_template

PACKAGES = ("agentgymnasium",)
NUM_TEMPLATES, NUM_SEEDS, FIRST_SEED = 20, 20, 1_000_000


def measure(quick: bool) -> Report:
    """The table of oracles; `quick` plays four episodes."""
    names = list(tasks_by_template())
    names = names[:: len(names) // NUM_TEMPLATES][: 2 if quick else NUM_TEMPLATES]
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else NUM_SEEDS))
    rows: dict[str, list[Row]] = {name: [] for name in names}
    env = DesktopEnv()
    try:
        for name, seed in product(names, seeds):
            rows[name].append(played(env, task_of(name, seed), "oracle"))
            if seed == seeds[-1]:
                progress(f"{name}: {sum(bool(row['success']) for row in rows[name])} of {len(seeds)}")
    finally:
        env.close()
    failed = {
        name: [{"seed": seed, **row} for seed, row in zip(seeds, each, strict=True) if row["success"] is not True]
        for name, each in rows.items()
    }
    report = Report(setting={"templates": len(names), "seeds": len(seeds), "first_seed": FIRST_SEED})
    report.figures = {
        "succeeded": {name: len(seeds) - len(failed[name]) for name in names},
        "failed": {name: each for name, each in failed.items() if each},
        "turns": sum(row.get("turns", 0) for each in rows.values() for row in each),
    }
    report.goals = [Goal("oracles that fail", sum(map(len, failed.values())), 0, "at most")]
    return report


if __name__ == "__main__":
    sys.exit(main("gui_seeds", measure, PACKAGES))
