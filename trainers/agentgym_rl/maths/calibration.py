"""Calibration: a comparison of values with the returns that followed, in bands of equal size, for the report.

The algorithm decides what a value is trained on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NUM_BANDS = 10
_FLAT = 1e-12


def calibration_metrics(predicted: Sequence[Floats], realised: Sequence[Floats]) -> dict[str, float]:
    """Compare values with returns.

    Args:
        predicted: float64[N_i], V of some steps of each episode that ended, as it was when the batch was scored.
        realised: float64[N_i], the discounted sum of the rewards that followed each of them.

    Returns:
        By name: `calibration/predicted/BAND` and `calibration/realised/BAND`, the means of each tenth of the steps by
        their value (fewer steps per band if there are few); `calibration/error`, the mean distance of the two over
        bands; `calibration/explained_variance`, 1 - var(G - V) / var(G), left out if all returns are equal. Empty
        without steps.
    """
    values, returns = (np.concatenate([np.zeros(0), *arrays]) for arrays in (predicted, realised))
    if not len(values):
        return {}
    order = np.argsort(values, kind="stable")
    bands = np.array_split(order, min(NUM_BANDS, len(order)))
    means = np.array([[values[band].mean(), returns[band].mean()] for band in bands])
    sizes = np.array([len(band) for band in bands])
    metrics = {"calibration/error": float(np.average(np.abs(means[:, 0] - means[:, 1]), weights=sizes))}
    for place, (value, came) in enumerate(means.tolist()):
        metrics[f"calibration/predicted/{place:02d}"] = value
        metrics[f"calibration/realised/{place:02d}"] = came
    spread = float(returns.var())
    if spread > _FLAT:
        metrics["calibration/explained_variance"] = 1.0 - float((returns - values).var()) / spread
    return metrics
