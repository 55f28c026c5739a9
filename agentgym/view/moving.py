"""The mean of a moving window of iterations, with the interval of that mean.

The intervals of single iterations rest on few tasks, and come from `agentgym.evaluation`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from agentgym.view.charts import Curve

WINDOW = 9
"""Iterations of a window, in whose middle its mean is drawn; an odd number."""
_STUDENT = 2.306
"""97.5 % quantile of Student's t with WINDOW - 1 degrees of freedom."""


def moving_mean(rates: Curve, label: str, colour: int) -> Curve:
    """The mean of each window of a curve of rates in [0, 1], with its 95 % interval.

    The interval is Student's, from the spread of the iterations in a window. Each iteration plays its own tasks, and
    learning within the window widens the interval. An incomplete window, at both ends of the curve and around an
    iteration without a rate, has neither mean nor interval.

    Args:
        rates: One for each iteration, WINDOW of them or more.
        label: The curve's name.
        colour: Number of its colour.
    """
    windows = np.lib.stride_tricks.sliding_window_view(rates.y, WINDOW)
    mean = windows.mean(axis=1)
    margin = _STUDENT * windows.std(axis=1, ddof=1) / math.sqrt(WINDOW)
    half = WINDOW // 2
    return replace(
        rates,
        label=label,
        x=rates.x[half : len(rates.x) - half],
        y=mean,
        low=np.clip(mean - margin, 0.0, 1.0),
        high=np.clip(mean + margin, 0.0, 1.0),
        colour=colour,
    )
