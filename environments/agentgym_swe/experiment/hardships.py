"""What makes a table hard: missing values, mixed units, a column that leaks; and how its rows are then written.

Shift, imbalance and interactions are drawn with the rows, in `drawing` and `bundled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from agentgym_swe.experiment.table import Floats, Table
from agentgym_swe.experiment.themes import Theme

HARDSHIPS = ("missing", "units", "shift", "imbalance", "interactions", "leak")
MISSING_SHARE = 0.12


class Hard(NamedTuple):
    """Rows as they are written.

    Attributes:
        names: The columns but for id and target.
        lines: Their texts, row by row.
        about: What is said of each column.
        units: For a column of mixed units: the column that names the unit, the usual unit, the other, and the factor.
    """

    names: Sequence[str]
    lines: Sequence[Sequence[str]]
    about: Mapping[str, str]
    units: Mapping[str, Sequence[str | float]]


def harden(theme: Theme, table: Table, shown: int, hardships: Sequence[str], rng: np.random.RandomState) -> Hard:
    """Write the rows of a table with its hardships.

    Args:
        theme: What the table is about.
        table: Its rows; the first `shown` are to be learned from.
        shown: How many these are.
        hardships: Those of `HARDSHIPS` that apply.
        rng: The randomness.
    """
    num_rows = len(table.target)
    numbers = table.numbers.copy()
    names = [column.name for column in table.columns]
    about = {c.name: f"A number in {c.unit}." if c.unit else "A number." for c in table.columns}
    written = [[] for _ in range(num_rows)]  # type: list[list[str]]
    units: dict[str, Sequence[str | float]] = {}
    is_other = rng.uniform(size=num_rows) < 0.5
    if "units" in hardships:
        first = table.columns[0]
        numbers[is_other, 0] *= first.factor
        units[first.name] = [f"{first.name}_unit", first.unit, first.other_unit, first.factor]
        about[first.name] = f"A number in {first.unit} or {first.other_unit}, as {first.name}_unit says."
    is_missing = rng.uniform(size=numbers.shape) < (MISSING_SHARE if "missing" in hardships else 0.0)
    for row in range(num_rows):
        written[row] += [
            "" if gap else f"{value:.6g}" for value, gap in zip(numbers[row], is_missing[row], strict=True)
        ]
        written[row].append(theme.groups[table.groups[row]])
    names.append(theme.group)
    about[theme.group] = f"One of {', '.join(theme.groups)}."
    for of_units in units.values():
        names.append(str(of_units[0]))
        for row in range(num_rows):
            written[row].append(str(of_units[2] if is_other[row] else of_units[1]))
    if "leak" in hardships:
        names.append(theme.leak)
        about[theme.leak] = f"{theme.leak_text} Known later than the rest; in rows to be predicted it is a stand-in."
        for row, value in enumerate(_leak(table.target, shown, rng)):
            written[row].append(f"{value:.5g}")
    return Hard(names, written, about, units)


def _leak(target: Floats, shown: int, rng: np.random.RandomState) -> Floats:
    """A column that says the target in the rows to be learned from, and means nothing in the others."""
    said: Floats = 50 + 10 * (target - target.mean()) / target.std() + 0.3 * rng.standard_normal(len(target))
    said[shown:] = rng.choice(said[:shown], len(target) - shown)
    return said
