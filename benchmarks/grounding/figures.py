"""What the runs of one mode found together: means over seeds with intervals, at the end and along the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.evaluation import mean_interval

MODES = ("supervised", "hit", "dense")
Part = Mapping[str, Any]


def figures_of(parts: Sequence[Part]) -> dict[str, Any]:
    """What came of one mode.

    Args:
        parts: A run each.

    Returns:
        The number of seeds; of the hits at the end, of their mean over the run, and of the last median distance in
        pixels, the mean over seeds with its 95 % interval and each seed's value; each seed's hits in episodes with
        their interval over targets; the processor time; and the curves.
    """
    if not parts:
        return {"seeds": 0}
    ordered = sorted(parts, key=lambda part: int(part["seed"]))
    curves = [part["curves"] for part in ordered]
    return {
        "seeds": len(ordered),
        "targets": ordered[0]["targets"],
        "episodes": ordered[0]["episodes"],
        "hits": _told([curve["hits"][-1] for curve in curves]),
        "hits in episodes": [part["trained"] for part in ordered],
        "hits in episodes, untrained": _told([part["untrained"]["mean"] for part in ordered]),
        "hits, mean over the run": _told([sum(curve["hits"]) / len(curve["hits"]) for curve in curves]),
        "distance": _told([curve["distance"][-1] for curve in curves]),
        "cpu_s": [part["cpu_s"] for part in ordered],
        "curves": {str(part["seed"]): part["curves"] for part in ordered},
    }


def _told(values: Sequence[float]) -> dict[str, Any]:
    found = mean_interval(values)
    ends = {"low": round(found.low, 4), "high": round(found.high, 4)} if len(values) > 1 else {}
    return {"mean": round(found.mean, 4), **ends, "each": [round(value, 4) for value in values]}
