"""The goals of the benchmark, each with the reason why it is met or missed, in words made of the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any

from benchmarks.credit.chain import Plan
from benchmarks.credit.tables import methods, tasks
from benchmarks.report import Goal

TURN_RATIO, ARCHER_TASKS = 10.0, 3
STEP_TASK, OTHER_STEP_TASKS = "key-door", 3
SEEDS, MAX_CPU_S = 5, 180.0
_TERMINAL = "loop"
Figures = Mapping[str, Any]


def goals_of(figures: Figures) -> tuple[list[Goal], dict[str, str]]:
    """The goals, and by their names why they are met or missed.

    Args:
        figures: By task what `report.task_figures` found.
    """
    found = [_archer(figures), *_step(figures), _replay(figures), _seeds(figures), _slowest(figures)]
    return [goal for goal, _ in found], {goal.name: reason for goal, reason in found}


def _archer(figures: Figures) -> tuple[Goal, str]:
    won, told = [], []
    for task, found in figures.items():
        for method, others in found["turn_ratios"].items():
            rising = {name: ratios for name, ratios in others.items() if _rose(found["methods"][name])}
            middle = min((median(ratios) for ratios in rising.values() if ratios), default=None)
            if middle is None:
                told.append(f"{task}: no trajectory method rose above its start, so {method} has no score to reach")
                continue
            told.append(
                f"{task}: {method} {f'{middle:.3g} times fewer turns' if middle else 'does not reach their score'}"
            )
            if middle >= TURN_RATIO and task not in won:
                won.append(task)
    name = f"tasks on which ArCHer needs {TURN_RATIO:g} times fewer turns than trajectory methods that improved"
    return Goal(name, len(won), ARCHER_TASKS, "at least"), "; ".join(
        told
    ) or "no run of ArCHer beside a trajectory method"


def _step(figures: Figures) -> list[tuple[Goal, str]]:
    ahead, told = {}, {}
    for task, found in figures.items():
        rows = {
            method: others[_TERMINAL]["mean_over_turns"]
            for method, others in found["paired"].items()
            if found["methods"][method]["kind"] == "step" and _TERMINAL in others
        }
        ahead[task] = [method for method, row in rows.items() if row["low"] is not None and row["low"] > 0]
        told[task] = f"{task}: " + (", ".join(f"{method} {_shown(row)}" for method, row in rows.items()) or "not run")
    others = [task for task in ahead if task != STEP_TASK and ahead[task]]
    first = Goal(
        f"methods of step credit above terminal credit on {STEP_TASK}", len(ahead.get(STEP_TASK, ())), 1, "at least"
    )
    second = Goal(
        "other tasks on which a method of step credit is above terminal credit",
        len(others),
        OTHER_STEP_TASKS,
        "at least",
    )
    rest = "; ".join(text for task, text in told.items() if task != STEP_TASK)
    return [(first, told.get(STEP_TASK, "not run")), (second, rest or "not run")]


def _replay(figures: Figures) -> tuple[Goal, str]:
    won, told = [], []
    for task, found in figures.items():
        plain, kinds = found["methods"].get(_TERMINAL), found["methods"].items()
        replays = {name: own for name, own in kinds if own["kind"] == "replay"}
        if found["is_sparse"] and plain is not None and replays:
            stays = not _rose(plain)
            lifted = [name for name, own in replays.items() if _rose(own)]
            told.append(
                f"{task}: terminal credit {'stays at' if stays else 'rises above'} its start; "
                f"replay that rises: {', '.join(lifted) or 'none'}"
            )
            won += [task] if stays and lifted else []
    name = "sparse tasks where terminal credit stays at its start and replay rises above it"
    return Goal(name, len(won), 1, "at least"), "; ".join(told) or "no replay method was run on a sparse task"


def _seeds(figures: Figures) -> tuple[Goal, str]:
    """Over all that the files declare, whatever a report was asked for."""
    pairs = Plan([*tasks()], [*methods()], range(SEEDS)).pairs()
    wanted = Counter(task for task, _ in pairs)
    run = Counter(
        task
        for task, method in pairs
        if len(figures.get(task, {}).get("methods", {}).get(method, {}).get("seeds", ())) >= SEEDS
    )
    goal = Goal(f"pairs of task and method that were run with {SEEDS} seeds", run.total(), len(pairs), "at least")
    return goal, ", ".join(f"{task} {run[task]} of {count}" for task, count in wanted.items())


def _slowest(figures: Figures) -> tuple[Goal, str]:
    costs = {
        f"{task}/{method}": own["cost"]["slowest_cpu_s"]
        for task, found in figures.items()
        for method, own in found["methods"].items()
    }
    slowest = max(costs, key=lambda name: costs[name], default="nothing")
    goal = Goal(
        "CPU seconds of the slowest run, start and test included", costs.get(slowest, 0.0), MAX_CPU_S, "at most"
    )
    return goal, f"{slowest} was the slowest"


def _rose(method: Figures) -> bool:
    """Whether a method's last score is above its start's, with its interval."""
    low = method["gain"]["low"]
    return bool(low is not None and low > 0)


def _shown(row: Figures) -> str:
    if row["low"] is None:
        return f"{row['mean']:+.3f} (one seed)" if row["mean"] is not None else "no common seed"
    return f"{row['mean']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
