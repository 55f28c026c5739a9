"""Rows of a task of Experiment-v0 before they are made hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym_swe.experiment.themes import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """Rows before they are made hard.

    Attributes:
        columns: Numeric columns.
        numbers: float64[rows, columns].
        groups: The index of each row's text.
        target: float64[rows].
    """

    columns: tuple[Column, ...]
    numbers: Floats
    groups: NDArray[np.int64]
    target: Floats
