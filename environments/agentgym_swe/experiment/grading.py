"""Reads a file of predictions and scores it against the hidden labels, on the harness's side.

The score is 0 up to a floor a little above a dummy, and 1 from the reference on.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from agentgym_swe.experiment.table import Floats
from agentgym_swe.experiment.themes import Kind

MAX_BYTES = 1 << 20
HEADER = ["id", "prediction"]
FLOOR = 0.25
"""Share of the way from the dummy to the reference that earns nothing: chance reaches that far."""
SUCCESS = 0.9
METRICS: dict[Kind, str] = {
    "binary": "area under the ROC curve", "classes": "share of right classes", "regression": "R2",
}  # fmt: skip
ASKS: dict[Kind, str] = {
    "binary": "a number that is larger the likelier the target is 1",
    "classes": "the class, a whole number",
    "regression": "the value",
}


class Reading(NamedTuple):
    """What was read of a file.

    Attributes:
        values: Predictions in the order of the rows; None for a file that is refused.
        why: Why it is refused; "" if it is not.
    """

    values: Floats | None
    why: str = ""


MISSING = Reading(None, "There is no predictions.csv.")


def read_predictions(content: bytes, ids: Sequence[str]) -> Reading:
    """Read a file of predictions: a header, and a number for each row exactly once."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    except (UnicodeDecodeError, csv.Error):
        return Reading(None, "predictions.csv is no readable table.")
    if not rows or [name.strip() for name in rows[0]] != HEADER:
        return Reading(None, "The first line of predictions.csv must be id,prediction.")
    wanted, found = set(ids), dict[str, float]()
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != 2 or row[0] not in wanted:
            return Reading(None, f"Line {number} of predictions.csv has no id of test.csv and one prediction.")
        if row[0] in found:
            return Reading(None, f"Line {number} of predictions.csv repeats the id {row[0]}.")
        value = _number(row[1])
        if value is None:
            return Reading(None, f"Line {number} of predictions.csv has no finite number.")
        found[row[0]] = value
    if len(found) < len(ids):
        return Reading(None, f"predictions.csv lacks {len(ids) - len(found)} of {len(ids)} ids.")
    return Reading(np.array([found[each] for each in ids]))


def metric(kind: Kind, values: Floats, labels: Floats) -> float:
    """The metric of the task; more is better.

    Args:
        kind: Of the target.
        values: float64[rows]; finite.
        labels: float64[rows].
    """
    if kind == "binary":
        return _area(values, labels)
    if kind == "classes":
        return float(np.mean(values == labels))
    return float(1 - np.sum((values - labels) ** 2) / np.sum((labels - labels.mean()) ** 2))


def dummy_metric(kind: Kind, labels: Floats) -> float:
    """What a constant prediction reaches at best."""
    if kind == "classes":
        return float(np.unique(labels, return_counts=True)[1].max() / len(labels))
    return 0.5 if kind == "binary" else 0.0


def score(reached: float, dummy: float, reference: float) -> float:
    """Where a metric lies between dummy and reference, in [0, 1]; the first quarter of the way earns nothing."""
    share = (reached - dummy) / (reference - dummy)
    return round(min(1.0, max(0.0, (share - FLOOR) / (1 - FLOOR))), 6)


def _area(values: Floats, labels: Floats) -> float:
    """Share of pairs of a 1 and a 0 that stand in the right order; ties count half."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    ones = labels == 1
    num_ones, num_zeros = int(ones.sum()), int((~ones).sum())
    return float((ranks[ones].sum() - num_ones * (num_ones + 1) / 2) / (num_ones * num_zeros))


def _number(text: str) -> float | None:
    if len(text) > 40:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < 1e12 else None
