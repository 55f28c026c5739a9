"""Numbers of a run by iteration: written under a phase and a name, read back as curves.

Drawing them is the work of `agentgym.view`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from agentgym.store.connection import Connection

Curve = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Iterations int64[N], ascending, and values float64[N]."""


def write_metrics(sqlite: sqlite3.Connection, iteration: int, values: Mapping[str, float], phase: str) -> None:
    """Record numbers of an iteration; a name that is there already is replaced."""
    rows = [(phase, name, iteration, float(value)) for name, value in values.items()]
    sqlite.executemany("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?, ?)", rows)


def metric_curves(connection: Connection, names: Iterable[str] | None, phase: str) -> dict[str, Curve]:
    """The curve of each metric of a phase.

    Args:
        connection: To the run.
        names: Which; None for all. A name without values gets an empty curve.
        phase: Of which phase.
    """
    rows = connection.rows("SELECT name, iteration, value FROM metrics WHERE phase = ?", (phase,))
    points: dict[str, list[tuple[int, float]]] = {} if names is None else {name: [] for name in names}
    for name, iteration, value in rows:
        if names is None or name in points:
            points.setdefault(name, []).append((iteration, np.nan if value is None else value))
    return {name: _curve(curve) for name, curve in points.items()}


def metric_phases(connection: Connection) -> list[str]:
    """The phases that have metrics."""
    return [phase for (phase,) in connection.rows("SELECT DISTINCT phase FROM metrics ORDER BY phase")]


def _curve(points: list[tuple[int, float]]) -> Curve:
    points.sort()
    iterations = np.array([iteration for iteration, _ in points], np.int64)
    return iterations, np.array([value for _, value in points], np.float64)
