"""Rows of the data sets that scikit-learn brings, with noise on every number, so that no known row is found again.

They are read on the harness's side; the image of the sandbox does not have them.
"""

from __future__ import annotations

import importlib

import numpy as np

from agentgym.errors import MissingExtraError
from agentgym_swe.experiment.table import Table
from agentgym_swe.experiment.themes import Column, Theme

NOISE = 0.6
"""Standard deviation of the noise on a column, in units of the column's own."""
MAX_COLUMNS = 10


def load_bundled(theme: Theme, is_shifted: bool, max_rows: int, rng: np.random.RandomState) -> Table:
    """Rows of a bundled data set in a random order.

    Args:
        theme: Its theme.
        is_shifted: Whether rows with large values of the first column come last, where they are to be predicted.
        max_rows: Most rows.
        rng: The randomness.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        datasets = importlib.import_module("sklearn.datasets")
    except ImportError:
        raise MissingExtraError(f"the theme of {theme.bundled}", "experiment") from None
    loaded = getattr(datasets, f"load_{theme.bundled}")()
    rows = rng.permutation(len(loaded.target))[:max_rows]
    numbers = np.asarray(loaded.data, np.float64)[rows]
    kept = np.argsort(-numbers.std(0), kind="stable")[:MAX_COLUMNS] if theme.bundled == "digits" else range(MAX_COLUMNS)
    numbers = numbers[:, [index for index in kept if index < numbers.shape[1]]]
    target = np.asarray(loaded.target, np.float64)[rows]
    numbers = numbers + NOISE * numbers.std(0) * rng.standard_normal(numbers.shape)
    if is_shifted:
        place = numbers[:, 0] / numbers[:, 0].std() + 0.5 * rng.standard_normal(len(rows))
        order = np.argsort(place, kind="stable")
        numbers, target = numbers[order], target[order]
    columns = tuple(
        Column(
            f"m{number}", float(values.mean()), float(values.std()), "unit", "centi-unit" if number == 1 else "", 100.0
        )
        for number, values in enumerate(numbers.T, start=1)
    )
    return Table(columns, numbers, rng.randint(len(theme.groups), size=len(rows)), target)
