"""Charts as inline SVG: curves with intervals, stacked shares, bars with whiskers.

The functions turn numbers into markup. Hovering shows titles, and nothing needs a script.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym.view.markup import Html, join, tag

Floats = NDArray[np.float64]
_MAX_HOVER = 400


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve over iterations.

    Attributes:
        label: Its name.
        x: int64[N], iterations, ascending; of a scatter chart float64[N], in any order.
        y: float64[N]; NaN leaves a gap.
        low, high: float64[N], ends of an interval around it, or None.
        colour: Number of its colour in the style sheet, from 1.
        is_dotted: Whether its points are marked.
    """

    label: str
    x: NDArray[np.int64] | Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    colour: int = 1
    is_dotted: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """The plotting area and its scales, in the units of the drawing."""

    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float = 44
    right: float = 10
    top: float = 10
    bottom: float = 24

    def x(self, value: float) -> float:
        """Horizontal place of an iteration."""
        low, high = self.x_range
        return self.left + (value - low) / ((high - low) or 1) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Vertical place of a value, clipped to the area."""
        low, high = self.y_range
        share = min(max((value - low) / ((high - low) or 1), 0.0), 1.0)
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)


def percent(value: float) -> str:
    """A share as per cent, with a decimal if it is small or nearly whole."""
    if math.isnan(value):
        return "–"
    digits = 0 if 0.095 < value < 0.905 else 1
    return f"{100 * value:.{digits}f}".removesuffix(".0") + "\N{NO-BREAK SPACE}%"


def number(value: float) -> str:
    """A number with about three significant digits."""
    if math.isnan(value):
        return "–"
    if value == 0 or 0.001 <= abs(value) < 10_000:
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:.1e}"


def line_chart(
    curves: Sequence[Curve],
    *,
    size: tuple[int, int],
    y_range: tuple[float, float] | None = None,
    show: Callable[[float], str] = number,
    label: str = "",
) -> Html:
    """Curves over iterations with their intervals as bands.

    Args:
        curves: What to draw; those without points are left out.
        size: Width and height in the drawing's units.
        y_range: Lowest and highest value; None takes them from the curves.
        show: Writes a value.
        label: What the picture is, for screen readers.
    """
    curves = [curve for curve in curves if np.isfinite(curve.y).any()]
    if not curves:
        return tag("p", "No values.", class_="empty")
    xs = np.concatenate([curve.x for curve in curves])
    frame = Frame(
        *size, (float(xs.min()), float(max(xs.max(), xs.min() + 1))), y_range or _span(curves, is_share=show is percent)
    )
    drawn = [_grid(frame, show)]
    drawn += [_band(frame, curve) for curve in curves]
    drawn += [_stroke(frame, curve) for curve in curves]
    return _svg(frame, label, *drawn, _hover(frame, curves, show))


def stacked_chart(curves: Sequence[Curve], *, size: tuple[int, int], label: str = "") -> Html:
    """Shares that add up to one, stacked over iterations.

    Args:
        curves: The shares, all over the same iterations.
        size: Width and height in the drawing's units.
        label: What the picture is, for screen readers.
    """
    curves = [curve for curve in curves if np.nan_to_num(curve.y).any()]
    if not curves:
        return tag("p", "No values.", class_="empty")
    x = curves[0].x
    frame = Frame(*size, (float(x.min()), float(max(x.max(), x.min() + 1))), (0.0, 1.0))
    areas, floor = [], np.zeros(len(x))
    for curve in curves:
        ceiling = floor + np.nan_to_num(curve.y)
        areas.append(_area(frame, x, floor, ceiling, f"area c{curve.colour}"))
        floor = ceiling
    return _svg(frame, label, _grid(frame, percent), *areas, _hover(frame, curves, percent))


def scatter_chart(curves: Sequence[Curve], *, size: tuple[int, int], x_name: str, y_name: str) -> Html:
    """Points of two quantities of one kind, against the line on which they are equal.

    Args:
        curves: Their x and y; x need not be whole numbers.
        size: Width and height in the drawing's units.
        x_name: What lies on the horizontal axis.
        y_name: What lies on the vertical one.
    """
    both = np.concatenate([np.concatenate([curve.x, curve.y]) for curve in curves])
    both = both[np.isfinite(both)]
    margin = float(np.ptp(both)) * 0.06 or 0.5
    span = (float(both.min()) - margin, float(both.max()) + margin)
    frame = Frame(*size, span, span, bottom=40)
    ends = [(_n(frame.x(end)), _n(frame.y(end))) for end in span]
    parts = [_grid(frame, number, is_whole=False)]
    parts.append(tag("path", d="M" + "L".join(f"{x} {y}" for x, y in ends), class_="diagonal"))
    for curve in curves:
        for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
            title = tag("title", f"{curve.label}\n{x_name} {number(x)}, {y_name} {number(y)}")
            place = {"cx": _n(frame.x(x)), "cy": _n(frame.y(y)), "r": "4.2"}
            parts.append(tag("circle", title, **place, class_=f"point c{curve.colour}"))
    middle = _n(frame.left + (frame.width - frame.left - frame.right) / 2)
    parts.append(tag("text", x_name, x=middle, y=_n(frame.height - 4), text_anchor="middle"))
    parts.append(tag("text", y_name, x=_n(frame.left), y=_n(frame.top - 1)))
    return _svg(frame, f"{y_name} against {x_name}", *parts)


def bar(mean: float, low: float, high: float, colour: int, label: str) -> Html:
    """A horizontal bar for a rate in [0, 1] with its interval as a whisker."""
    width, height, middle = 600.0, 26.0, 13
    x = [min(max(0.0 if math.isnan(value) else value, 0.0), 1.0) * width for value in (mean, low, high)]
    parts = [
        tag("rect", x=0, y=3, width=_n(width), height=20, rx=3, class_="track"),
        tag("rect", x=0, y=3, width=_n(max(x[0], 1.5)), height=20, rx=3, class_=f"bar c{colour}"),
    ]
    if not math.isnan(low):
        path = f"M{_n(x[1])} {middle}H{_n(x[2])}M{_n(x[1])} 8V18M{_n(x[2])} 8V18"
        parts += [tag("path", d=path, class_="halo"), tag("path", d=path, class_="whisker")]
    drawn = (tag("title", label), *parts)
    return tag(
        "svg",
        *drawn,
        viewBox=f"-2 0 {_n(width + 4)} {_n(height)}",
        role="img",
        class_="bars",
        preserveAspectRatio="none",
    )


def legend(curves: Sequence[Curve]) -> Html:
    """Names of curves beside their colours."""
    names = (tag("span", tag("i", class_=f"dot c{curve.colour}"), curve.label) for curve in curves)
    return tag("div", *names, class_="legend")


def _span(curves: Sequence[Curve], is_share: bool) -> tuple[float, float]:
    """The values with a margin; no share is below 0 or above 1."""
    values = np.concatenate([curve.y for curve in curves])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    if low >= 0 and low < 0.5 * high:
        low = 0.0
    margin = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    bottom, top = (low if low == 0 else low - margin), high + margin
    return (max(bottom, 0.0), min(top, 1.0)) if is_share and low >= 0 and high <= 1 else (bottom, top)


def ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers inside a span, about as many as a count; the span must not be empty."""
    raw = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [float(f"{tick * step:.12g}") for tick in range(first, math.floor(high / step + 1e-9) + 1)]


def _grid(frame: Frame, show: Callable[[float], str], is_whole: bool = True) -> Html:
    parts = []
    for tick in ticks(*frame.y_range, 4 if frame.height > 160 else 3):
        y = _n(frame.y(tick))
        parts.append(tag("path", d=f"M{_n(frame.left)} {y}H{_n(frame.width - frame.right)}", class_="grid"))
        parts.append(tag("text", show(tick), x=_n(frame.left - 6), y=y, dy="0.32em", text_anchor="end"))
    for tick in ticks(*frame.x_range, max(2, int(frame.width / 70))):
        if tick == int(tick) or not is_whole:
            place = {"x": _n(frame.x(tick)), "y": _n(frame.height - frame.bottom + 18)}
            parts.append(tag("text", f"{tick:.0f}" if is_whole else show(tick), **place, text_anchor="middle"))
    return join(*parts)


def _stroke(frame: Frame, curve: Curve) -> Html:
    parts = []
    for run in _finite_runs(curve.y):
        points = [(_n(frame.x(curve.x[i])), _n(frame.y(curve.y[i]))) for i in run]
        if len(points) > 1:
            path = "M" + "L".join(f"{x} {y}" for x, y in points)
            parts.append(tag("path", d=path, class_=f"line c{curve.colour}"))
        if curve.is_dotted or len(points) == 1:
            parts += [tag("circle", cx=x, cy=y, r="3.2", class_=f"point c{curve.colour}") for x, y in points]
    return join(*parts)


def _band(frame: Frame, curve: Curve) -> Html:
    if curve.low is None or curve.high is None:
        return join()
    runs = [run for run in _finite_runs(curve.low + curve.high) if len(run) > 1]
    return join(*(_area(frame, curve.x[run], curve.low[run], curve.high[run], f"band c{curve.colour}") for run in runs))


def _area(frame: Frame, x: NDArray[np.int64] | Floats, low: Floats, high: Floats, class_: str) -> Html:
    above = [f"{_n(frame.x(a))} {_n(frame.y(b))}" for a, b in zip(x, high, strict=True)]
    below = [f"{_n(frame.x(a))} {_n(frame.y(b))}" for a, b in zip(x[::-1], low[::-1], strict=True)]
    return tag("path", d="M" + "L".join(above + below) + "Z", class_=class_)


def _finite_runs(values: Floats) -> list[NDArray[np.int64]]:
    places = np.flatnonzero(np.isfinite(values))
    if not len(places):
        return []
    return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)


def _hover(frame: Frame, curves: Sequence[Curve], show: Callable[[float], str]) -> Html:
    """One strip for each iteration, which lights up under the pointer and names the values there."""
    notes: dict[int, list[str]] = {}
    for curve in curves:
        for i, (x, y) in enumerate(zip(curve.x.tolist(), curve.y.tolist(), strict=True)):
            if math.isfinite(y):
                interval = ""
                if curve.low is not None and curve.high is not None:
                    interval = f" [{show(float(curve.low[i]))}, {show(float(curve.high[i]))}]"
                notes.setdefault(x, []).append(f"{curve.label} {show(y)}{interval}")
    xs = sorted(notes)
    xs = xs[:: max(1, math.ceil(len(xs) / _MAX_HOVER))]
    half = max(1.5, (frame.width - frame.left - frame.right) / max(1, len(xs) - 1) / 2)
    area = {"y": _n(frame.top), "height": _n(frame.height - frame.top - frame.bottom), "class_": "hover"}
    return join(
        *(
            tag(
                "rect",
                tag("title", "\n".join([f"iteration {x}", *notes[x]])),
                x=_n(frame.x(x) - half),
                width=_n(2 * half),
                **area,
            )
            for x in xs
        )
    )


def _svg(frame: Frame, label: str, *parts: Html) -> Html:
    box = f"0 0 {_n(frame.width)} {_n(frame.height)}"
    return tag("svg", *parts, viewBox=box, role="img", aria_label=label or None, class_="chart")


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
