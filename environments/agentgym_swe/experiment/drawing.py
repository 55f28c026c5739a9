"""Draws the tables of a task from its seed: rows to learn from, rows to predict, and the labels of these.

The generator's streams are fixed for good (`RandomState`), so that a seed gives the same table with any numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.errors import TaskError
from agentgym_swe.experiment.bundled import load_bundled
from agentgym_swe.experiment.hardships import HARDSHIPS, harden
from agentgym_swe.experiment.table import Floats, Table
from agentgym_swe.experiment.themes import THEMES, Theme

NUM_TRAIN, NUM_TEST = 500, 400
IMBALANCE = 1.6
"""How much the rare class is pushed back where classes are out of balance: about one row in five is left."""


@dataclass(frozen=True)
class Data:
    """What a task is worked on and graded with.

    Attributes:
        train: The file with targets.
        test: The file without.
        ids: The ids of the rows to be predicted, in the order of the file.
        labels: Their targets.
        about: What the agent is told of columns and target, as JSON values.
    """

    train: str
    test: str
    ids: Sequence[str]
    labels: Floats
    about: Mapping[str, Any]


def draw_data(theme_name: str, hardships: Sequence[str], seed: int) -> Data:
    """The tables of a task.

    Raises:
        TaskError: No such theme or hardship.
    """
    theme = THEMES.get(theme_name)
    unknown = [name for name in hardships if name not in HARDSHIPS]
    if theme is None or unknown:
        raise TaskError(f"no such theme or hardship: {theme_name!r}, {unknown}; there are {', '.join(THEMES)}")
    digest = hashlib.sha256(f"{theme_name} {seed}".encode()).digest()[:4]
    rng = np.random.RandomState(int.from_bytes(digest))
    if theme.bundled:
        table = load_bundled(theme, "shift" in hardships, NUM_TRAIN + NUM_TEST, rng)
    else:
        table = _drawn(theme, hardships, rng)
    shown = len(table.target) * NUM_TRAIN // (NUM_TRAIN + NUM_TEST)
    hard = harden(theme, table, shown, hardships, rng)
    ids = [f"r{number}" for number in rng.permutation(9000)[: len(table.target)] + 1000]
    header = ["id", *hard.names]
    train = [[*line, f"{target:.10g}"] for line, target in zip(hard.lines[:shown], table.target[:shown], strict=True)]
    return Data(
        _csv([*header, theme.target], ids[:shown], train),
        _csv(header, ids[shown:], hard.lines[shown:]),
        ids[shown:],
        table.target[shown:],
        {"target": theme.target, "kind": theme.kind, "columns": hard.about, "units": hard.units},
    )


def _drawn(theme: Theme, hardships: Sequence[str], rng: np.random.RandomState) -> Table:
    """Rows of a theme: a sum of effects of the columns, with interactions and a curve if these are among hardships."""
    num_rows, num_columns = NUM_TRAIN + NUM_TEST, len(theme.columns)
    z = rng.standard_normal((num_rows, num_columns))
    if "shift" in hardships:
        z[NUM_TRAIN:, 1] += 1.0
    groups = rng.randint(len(theme.groups), size=num_rows)
    signs = rng.choice([-1.0, 1.0], num_columns + 2)
    signal = z @ (signs[:num_columns] * rng.uniform(0.4, 0.9, num_columns)) + (groups - 1.0) * 0.6 * signs[-1]
    if "interactions" in hardships:
        signal += 1.2 * signs[-2] * z[:, 1] * z[:, 2] + 0.9 * signs[-1] * z[:, 3] * np.where(groups == 0, 1.0, -1.0)
    numbers = np.array([c.mean for c in theme.columns]) + z * np.array([c.spread for c in theme.columns])
    if theme.kind == "binary":
        away = IMBALANCE if "imbalance" in hardships else 0.0
        target = (rng.uniform(size=num_rows) < 1 / (1 + np.exp(-2.0 * (signal - away)))).astype(np.float64)
    else:
        noisy = signal / signal.std() + 0.3 * rng.standard_normal(num_rows)
        target = np.round(theme.centre + theme.scale * noisy, 3)
    return Table(theme.columns, numbers, groups, target)


def _csv(header: Sequence[str], ids: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [header, *([own, *line] for own, line in zip(ids, lines, strict=True))]
    return "".join(",".join(row) + "\n" for row in rows)
