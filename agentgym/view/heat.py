"""Heat maps as inline SVG: colours show the size of values, with different colours above and below zero.

The caller decides what rows and columns are. `charts` draws curves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym.view.charts import number, ticks
from agentgym.view.markup import Html, join, tag

Floats = NDArray[np.float64]
LEVELS = 8
"""Strengths of colour of the style sheet."""
_WIDTH, _LEFT, _ROW, _GAP, _PROFILE, _AXIS = 300.0, 38.0, 9.0, 7.0, 48.0, 16.0


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row: its values, the title of each under the pointer, and the mark at the edge."""

    values: Floats
    titles: Sequence[str]
    mark: str


def heat_class(value: float, full: float) -> str:
    """The class of a value's colour: e1 to e8 above zero, l1 to l8 below, "" for zero and NaN.

    Args:
        value: The value to show.
        full: The value of full colour; larger values have this colour too.
    """
    if not math.isfinite(value) or not full or not value:
        return ""
    level = min(LEVELS, max(1, math.ceil(LEVELS * abs(value) / full - 1e-9)))
    return f"{'e' if value > 0 else 'l'}{level}"


def ragged_map(rows: Sequence[HeatRow], num_columns: int, full: float, label: str) -> Html:
    """A map of rows of different length, with a gap where the mark changes, and the column means below.

    Args:
        rows: From top to bottom; values beyond the columns are not drawn.
        num_columns: Number of columns to draw.
        full: The value of full colour.
        label: What the picture is, for screen readers.
    """
    width = min(44.0, (_WIDTH - _LEFT) / max(1, num_columns))
    parts, y, before = [], 0.0, rows[0].mark if rows else ""
    for row in rows:
        y += _GAP if row.mark != before else 0.0
        before = row.mark
        parts.append(_row(row, y, width, num_columns, full))
        y += _ROW
    parts += [_profile(rows, y + 8, width, num_columns), _columns(y + 8 + _PROFILE, width, num_columns)]
    box = f"0 0 {_n(_WIDTH)} {_n(y + 8 + _PROFILE + _AXIS)}"
    return tag("svg", *parts, viewBox=box, role="img", aria_label=label, class_="chart")


def _row(row: HeatRow, y: float, width: float, num_columns: int, full: float) -> Html:
    shown = row.values[:num_columns]
    place = {"y": _n(y), "height": _n(_ROW - 1)}
    parts = [
        tag("rect", x=_n(_LEFT - 8), width=3, **place, class_=f"mark {row.mark}"),
        tag("rect", x=_n(_LEFT), width=_n(width * len(shown)), **place, class_="track"),
    ]
    for column, value in enumerate(shown.tolist()):
        colour = heat_class(value, full)
        if colour:
            title = tag("title", row.titles[column])
            x, wide = _n(_LEFT + width * column), _n(max(1.0, width - 1))
            parts.append(tag("rect", title, x=x, width=wide, **place, class_=f"cell {colour}"))
    return join(*parts)


def _profile(rows: Sequence[HeatRow], y: float, width: float, num_columns: int) -> Html:
    """The mean of each column over the rows that reach it, as bars about a line, with their scale."""
    columns = [
        [float(row.values[at]) for row in rows if len(row.values) > at and math.isfinite(row.values[at])]
        for at in range(num_columns)
    ]
    means = [float(np.mean(values)) if values else 0.0 for values in columns]
    top, bottom = max([0.0, *means]), min([0.0, *means])
    scale = (_PROFILE - 8) / ((top - bottom) or 1.0)
    zero = y + top * scale
    parts = []
    around = ticks(bottom, top, 4) if top > bottom else [0.0]
    for tick in {0.0, max(around, key=abs)}:
        at_tick = _n(zero - tick * scale)
        parts.append(tag("path", d=f"M{_n(_LEFT)} {at_tick}H{_n(_LEFT + width * num_columns)}", class_="grid"))
        parts.append(tag("text", number(tick), x=_n(_LEFT - 6), y=at_tick, dy="0.32em", text_anchor="end"))
    for at, mean in enumerate(means):
        title = tag("title", f"turn {at + 1}\nmean {mean:+.3g} of {len(columns[at])} episodes")
        height = max(abs(mean) * scale, 0.0)
        place = {"x": _n(_LEFT + width * at), "width": _n(max(1.0, width - 1)), "height": _n(height)}
        look = "earned" if mean > 0 else "lost"
        parts.append(tag("rect", title, y=_n(zero - height if mean > 0 else zero), **place, class_=look))
    return join(*parts)


def _columns(y: float, width: float, num_columns: int) -> Html:
    step = next(each for each in (1, 2, 5, 10, 20, 50) if each * width >= 18 or each == 50)
    places = [at for at in range(num_columns) if at == 0 or (at + 1) % step == 0]
    texts = (tag("text", at + 1, x=_n(_LEFT + width * (at + 0.5)), y=_n(y + 13), text_anchor="middle") for at in places)
    return join(*texts)


def heat_table(
    columns: Sequence[int],
    names: Sequence[str],
    shares: Floats,
    size: tuple[int, int],
    show: Callable[[float], str],
    label: str,
) -> Html:
    """Shares of a few named bands over iterations, the first band at the bottom.

    Args:
        columns: Iterations.
        names: Names of the bands.
        shares: float64[bands, iterations], NaN if an iteration has none.
        size: Width and height in the drawing's units.
        show: Writes a share.
        label: What the picture is, for screen readers.
    """
    left, bottom = 62.0, 20.0
    width = (size[0] - left) / max(1, len(columns))
    height = (size[1] - bottom) / max(1, len(names))
    largest = float(np.nanmax(shares)) if np.isfinite(shares).any() else 0.0
    parts = []
    for band, name in enumerate(names):
        y = size[1] - bottom - height * (band + 1)
        parts.append(tag("text", name, x=_n(left - 8), y=_n(y + height / 2), dy="0.32em", text_anchor="end"))
        parts.append(tag("rect", x=_n(left), y=_n(y), width=_n(size[0] - left), height=_n(height - 1), class_="track"))
        for at, share in enumerate(shares[band].tolist()):
            colour = heat_class(share, largest)
            if colour:
                title = tag("title", f"iteration {columns[at]}\n{name}: {show(share)}")
                place = {"x": _n(left + width * at), "width": _n(width + 0.2), "y": _n(y), "height": _n(height - 1)}
                parts.append(tag("rect", title, **place, class_=f"cell {colour}"))
    for at in sorted({0, len(columns) // 2, len(columns) - 1}):
        anchor = "start" if at == 0 else "end" if at == len(columns) - 1 else "middle"
        x = left + width * (at + {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor])
        parts.append(tag("text", columns[at], x=_n(x), y=_n(size[1] - 4), text_anchor=anchor))
    return tag("svg", *parts, viewBox=f"0 0 {size[0]} {size[1]}", role="img", aria_label=label, class_="chart")


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
