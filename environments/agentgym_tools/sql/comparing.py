"""Whether two results say the same: typed multisets of rows, in order only where the question asks for one.

Carrying out the queries is the work of `judging`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_DIGITS = 9
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Form:
    """What a question asks of its result beyond the rows.

    Attributes:
        order: Places of the columns by which the rows are ordered; empty where any order is right. Rows with equal
            values there may stand in either order.
        limit: How many of the ordered rows are asked for; 0 for all. Among equal rows at the end, any may be given.
    """

    order: tuple[int, ...] = ()
    limit: int = 0


def canonical(value: Any) -> tuple[str, Any]:
    """A value with its type: whole floats are ints, other floats have nine digits, and NULL is not the empty text."""
    if value is None:
        return "null", 0
    if isinstance(value, float):
        if not math.isfinite(value):
            return "number", str(value)
        rounded = float(f"{value:.{_DIGITS}g}")
        return "number", int(rounded) if rounded.is_integer() else rounded
    if isinstance(value, int):
        return "number", value
    return ("text" if isinstance(value, str) else "blob"), value


def same_rows(found: Sequence[Row], reference: Sequence[Row], form: Form) -> bool:
    """Whether a result is right.

    Args:
        found: The rows to judge.
        reference: All right rows, in order where the form has one; more than its limit where it has a limit.
        form: What the question asks for.
    """
    rows, right = ([tuple(map(canonical, row)) for row in each] for each in (found, reference))
    wanted = right[: form.limit] if form.limit else right
    if len(rows) != len(wanted) or any(len(row) != len(right[0]) for row in rows):
        return False
    if form.limit:
        left = Counter(rows)
        left.subtract(right)
        is_same = all(count <= 0 for count in left.values())
    else:
        is_same = Counter(rows) == Counter(wanted)
    in_order = all(row[place] == other[place] for row, other in zip(rows, wanted, strict=True) for place in form.order)
    return is_same and in_order
