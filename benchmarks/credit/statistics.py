"""Numbers of learning curves: means over turns, turns to a level, and differences paired by seed.

Curves are lists of probes as `budget.Probe.to_json` writes them; a score between two of them is on the line between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.evaluation import Estimate, mean_interval

Probes = Sequence[Mapping[str, float]]
Floats = NDArray[np.float64]


def scores_at(probes: Probes, turns: Floats) -> Floats:
    """Scores at some numbers of turns; after the last probe its own score."""
    return np.interp(turns, [probe["turns"] for probe in probes], [probe["score"] for probe in probes])


def mean_over_turns(probes: Probes, budget: int) -> float:
    """The mean score over the turns of the budget: the area below the curve, over its width."""
    at = np.unique(np.clip([0.0, *(probe["turns"] for probe in probes), float(budget)], 0, budget))
    return float(np.trapezoid(scores_at(probes, at), at) / budget)


def turns_to(probes: Probes, level: float) -> float | None:
    """Turns at which the curve is at a level for the first time; None where it never is."""
    before: Mapping[str, float] | None = None
    for probe in probes:
        if probe["score"] >= level:
            if before is None:
                return float(probe["turns"])
            share = (level - before["score"]) / (probe["score"] - before["score"])
            return float(before["turns"] + share * (probe["turns"] - before["turns"]))
        before = probe
    return None


def band(curves: Sequence[Probes], turns: Floats) -> dict[str, list[float | None]]:
    """The mean of several seeds' curves with its interval over seeds: `turns`, `mean`, `low`, `high`.

    The ends are None for one seed, and the mean where all seeds agree.
    """
    at = np.stack([scores_at(probes, turns) for probes in curves])
    rows = [mean_interval(column).to_json() for column in at.T]
    found: dict[str, list[float | None]] = {"turns": [round(float(value)) for value in turns]}
    for key in ("mean", "low", "high"):
        found[key] = [None if row[key] is None else round(min(max(row[key], 0.0), 1.0), 4) for row in rows]
    return found


def paired(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Estimate:
    """The mean difference over the seeds that both have, with its interval over seeds."""
    seeds = sorted(ours.keys() & theirs.keys())
    return mean_interval([ours[seed] - theirs[seed] for seed in seeds])


def median_reached(reached: Sequence[float | None]) -> dict[str, Any]:
    """The median of turns to a level over seeds, those that never got there being the slowest; None where it is one."""
    ordered = sorted(reached, key=lambda turns: np.inf if turns is None else turns)
    middle = ordered[len(ordered) // 2] if ordered else None
    return {
        "median": None if middle is None else round(middle),
        "reached": sum(turns is not None for turns in reached),
        "seeds": len(reached),
    }
