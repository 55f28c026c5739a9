"""Texts planted in mails, notes, messages and files of the apps: utility, utility under attack, success of attacks.

The scores are those of `desk_injections`, of every test task of tools/apps-injected and its twin.
"""

from __future__ import annotations

import sys

from agentgym.suite import load_suite
from benchmarks.desk_injections import PACKAGES, PLAYERS, QUICK_STEP, figures_of, goals_of
from benchmarks.report import Report, main, progress
from benchmarks.verdicts.app_tasks import Seat


def measure(quick: bool) -> Report:
    """The scores by player, and of the unseen wordings apart; `quick` plays one task in eight."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    tasks, seat = load_suite("tools/apps-injected").tasks("test")[:: QUICK_STEP if quick else 1], Seat()
    for name in PLAYERS:
        progress(name)
        episodes = [(task.stratum, seat.play(task, name), seat.was_attacked) for task in tasks]
        report.figures[name] = figures_of(episodes)
    report.goals = goals_of(report.figures)
    return report


if __name__ == "__main__":
    sys.exit(main("verdicts.app_injections", measure, PACKAGES))
