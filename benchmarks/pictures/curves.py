"""What pictures of learning curves have in common: the page, the grid, lines, bands, and the mean of several curves.

What is drawn where is the work of each benchmark's own picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from agentgym.view.charts import Frame, ticks
from agentgym.view.markup import Html, join, tag

WIDTH = 1000
GREY = "#4a4a4a"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#882255")
"""Told apart by the colour-blind too (Okabe and Ito 2008; the last one of Tol's "muted")."""
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#333}.head{font-size:14px;font-weight:600}.quiet{fill:#666}"
    ".title{font-size:13px;font-weight:600}.grid{stroke:#ddd}path{fill:none}"
)
Points = Sequence[tuple[float, float]]


def page(height: int, label: str, *parts: Html) -> str:
    """A picture that stands alone: nothing needs a script or a style sheet.

    Args:
        height: Its height; it is `WIDTH` wide.
        label: What it shows, for those who do not see it.
        parts: What is drawn.
    """
    return str(
        tag(
            "svg",
            tag("style", Html(_STYLE)),
            tag("rect", width=WIDTH, height=height, fill="white"),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {height}",
            width=WIDTH,
            height=height,
            role="img",
            aria_label=label,
        )
    )


def grid(frame: Frame, has_labels: bool = True) -> Html:
    """Lines across at round values, with the values at the left."""
    parts = []
    for value in ticks(*frame.y_range, 3):
        y = n(frame.y(value))
        parts.append(tag("path", d=f"M0 {y}H{n(frame.width)}", class_="grid"))
        if has_labels:
            parts.append(tag("text", f"{value:g}", x=-6, y=y, dy="0.32em", text_anchor="end", class_="quiet"))
    return join(*parts)


def line(
    frame: Frame, points: Iterable[tuple[float, float]], colour: str, width: float = 1.8, dashes: str = ""
) -> Html:
    """A curve."""
    path = "L".join(_point(frame, *pair) for pair in points)
    return tag("path", d=f"M{path}", stroke=colour, stroke_width=width, stroke_dasharray=dashes or None)


def band(frame: Frame, low: Points, high: Points, colour: str) -> Html:
    """What lies between two curves."""
    path = "L".join(_point(frame, *pair) for pair in (*high, *reversed(low)))
    return tag("path", d=f"M{path}Z", style=f"fill:{colour};opacity:0.15")


def mean_curve(curves: Sequence[Points], num_points: int = 17) -> list[tuple[float, float]]:
    """The mean of curves, where all of them have values.

    Args:
        curves: Each ascending in its first number.
        num_points: Of the mean.
    """
    low, high = max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)
    at = np.linspace(low, high, num_points)
    every = [np.array(curve, np.float64) for curve in curves]
    mean = np.mean([np.interp(at, curve[:, 0], curve[:, 1]) for curve in every], axis=0)
    return [(float(x), float(y)) for x, y in zip(at, mean, strict=True)]


def n(value: float) -> str:
    """A coordinate as it is written."""
    return f"{value:.1f}".removesuffix(".0")


def _point(frame: Frame, x: float, y: float) -> str:
    return f"{n(frame.x(x))} {n(frame.y(y))}"
