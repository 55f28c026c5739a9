"""What the runs come to: curves, turns to levels, differences paired by seed, costs, and the goals.

Pictures are drawn in `picture.py`, pages written in `page.py`; this makes the numbers that both are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from agentgym.evaluation import Estimate, mean_interval
from benchmarks.credit.archive import Record
from benchmarks.credit.chain import Plan
from benchmarks.credit.goals import goals_of
from benchmarks.credit.picture import draw
from benchmarks.credit.runs import kept, oracle_score
from benchmarks.credit.statistics import band, mean_over_turns, median_reached, paired, turns_to
from benchmarks.credit.tables import NUM_RATES, NUM_VALUES, TaskTable, method_named, task_named
from benchmarks.measure import significant
from benchmarks.report import Report

LEVELS = (0.5, 0.8, 0.95)
BASELINES = ("terminal", "trajectory", "actor_critic")
"""Kinds that the others are compared with."""
_POINTS = 21
Figures = dict[str, Any]


def reported(plan: Plan, picture: Path | None = None) -> Report:
    """Figures and goals of all runs of a plan that are there.

    Args:
        plan: What is wanted.
        picture: Where the learning curves are drawn; None: nowhere.
    """
    figures: Figures = {}
    for task in plan.tasks:
        records = _records(plan, task)
        if records:
            figures[task] = task_figures(task_named(task), records, oracle_score(task, plan.places))
    goals, reasons = goals_of(figures)
    setting = {
        "tasks": list(plan.tasks),
        "methods": {name: method_named(name).title for name in plan.methods},
        "seeds": list(plan.seeds),
        "trials_of_each_method": NUM_RATES * NUM_VALUES if plan.is_tuned else 0,
        "levels_of_the_oracle": list(LEVELS),
        "reasons": reasons,
    }
    if picture is not None:
        picture.write_text(draw(figures), encoding="utf-8")
    return Report(goals, figures, setting)


def _records(plan: Plan, task: str) -> dict[str, list[Record]]:
    """Runs of each method of a task that are there, in order of seeds."""
    found = {}
    for own, method in plan.pairs():
        if own == task:
            records = [kept(piece, plan.places) for piece in plan.runs(task, method)]
            found[method] = [record for record in records if record is not None]
    return {method: records for method, records in found.items() if records}


def task_figures(table: TaskTable, records: Mapping[str, Sequence[Record]], oracle: float) -> Figures:
    """Everything about one task.

    Args:
        table: The task.
        records: Runs of each method.
        oracle: The oracle's score.
    """
    some = next(iter(records.values()))
    return {
        "title": table.title,
        "oracle": oracle,
        "turns": table.turns,
        "is_sparse": table.sparse,
        "start": {
            "score": significant(float(np.mean([record["probes"][0]["score"] for record in some]))),
            **{key: median(record["start"][key] for record in some) for key in some[0]["start"]},
        },
        "methods": {name: method_figures(name, table, own, oracle) for name, own in records.items()},
        "paired": comparisons(table, records),
        "turn_ratios": turn_ratios(records),
    }


def method_figures(name: str, table: TaskTable, records: Sequence[Record], oracle: float) -> Figures:
    """Curve, scores, turns to levels and cost of one method on one task."""
    curves = [record["probes"] for record in records]
    return {
        "title": method_named(name).title,
        "kind": method_named(name).kind,
        "chosen": records[0]["chosen"],
        "seeds": [record["seed"] for record in records],
        "curve": band(curves, np.linspace(0, table.turns, _POINTS)),
        **{key: _estimate([value(record, table) for record in records]) for key, value in _SCORES.items()},
        "gain": _estimate([record["probes"][-1]["score"] - record["probes"][0]["score"] for record in records]),
        "turns_to": {
            f"{level:.0%}": median_reached([turns_to(probes, level * oracle) for probes in curves]) for level in LEVELS
        },
        "cost": _cost(records),
        "metrics": _metrics(records),
        "cut_short": sum(record["is_cut"] for record in records),
        "stopped": sum("stall" in record for record in records),
    }


def comparisons(table: TaskTable, records: Mapping[str, Sequence[Record]]) -> Figures:
    """Each method that is no baseline against each that is: differences paired by seed."""
    baselines = [name for name in records if method_named(name).kind in BASELINES]
    others = [name for name in records if name not in baselines]
    return {
        ours: {
            theirs: {
                key: _rounded(paired(_by_seed(records[ours], table, key), _by_seed(records[theirs], table, key)))
                for key in _SCORES
            }
            for theirs in baselines
        }
        for ours in others
    }


def turn_ratios(records: Mapping[str, Sequence[Record]]) -> Figures:
    """How many times fewer turns ArCHer takes to where trajectory methods end, seed by seed; 0: it never gets there.

    Seeds whose trajectory method did not end above its start are left out: there is nothing to reach.
    """
    found: Figures = {}
    for ours in (name for name in records if method_named(name).kind == "archer"):
        own = {record["seed"]: record for record in records[ours]}
        for theirs in (name for name in records if method_named(name).kind == "trajectory"):
            rising = [other for other in records[theirs] if other["probes"][-1]["score"] > other["probes"][0]["score"]]
            pairs = [(own[other["seed"]], other) for other in rising if other["seed"] in own]
            found.setdefault(ours, {})[theirs] = [_ratio(*pair) for pair in pairs]
    return found


def _ratio(ours: Record, theirs: Record) -> float:
    last = theirs["probes"][-1]
    reached = turns_to(ours["probes"], last["score"])
    return 0.0 if reached is None else significant(last["turns"] / max(reached, 1.0), 3)


_SCORES: Mapping[str, Callable[[Record, TaskTable], float]] = {
    "mean_over_turns": lambda record, table: mean_over_turns(record["probes"], table.turns),
    "last": lambda record, table: record["probes"][-1]["score"],
    "test": lambda record, table: record["test"]["score"],
}
"""What is compared: the mean held-out score over the turns, the last one, and that on the test split."""


def _by_seed(records: Sequence[Record], table: TaskTable, key: str) -> dict[int, float]:
    return {record["seed"]: _SCORES[key](record, table) for record in records}


def _cost(records: Sequence[Record]) -> Figures:
    """Medians over seeds."""
    training = [record["cost"]["collect_cpu_s"] + record["cost"]["learn_cpu_s"] for record in records]
    thousands = [max(record["turns"], 1) / 1000 for record in records]
    each = [cpu_s / count for cpu_s, count in zip(training, thousands, strict=True)]
    found = {"training_cpu_s_per_1000_turns": significant(median(each), 3)}
    for key in ("learn_cpu_s", "cpu_s", "wall_s", "peak_mib"):
        found[key] = significant(median(record["cost"][key] for record in records), 3)
    return found | {"slowest_cpu_s": max(record["cost"]["cpu_s"] for record in records)}


def _metrics(records: Sequence[Record]) -> dict[str, float]:
    names = sorted({name for record in records for name in record["metrics"]})
    found = {name: [record["metrics"][name] for record in records if name in record["metrics"]] for name in names}
    return {name: significant(float(np.mean(values)), 3) for name, values in found.items()}


def _estimate(values: Sequence[float]) -> dict[str, Any]:
    return _rounded(mean_interval(values))


def _rounded(estimate: Estimate) -> dict[str, Any]:
    fields = {key: None if value is None else round(value, 4) for key, value in estimate.to_json().items()}
    return fields | {"seeds": estimate.num_tasks}
