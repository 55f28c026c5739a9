"""Small charts of metrics, in groups under headings; those that are read rarely are folded.

Which metrics belong together is said by `sections` and `diagnosis`; how a curve is drawn by `charts`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agentgym.view.charts import Curve, line_chart, number
from agentgym.view.markup import Html, tag
from agentgym.view.run_data import RunData

_SIZE = (290, 130)


class Metric(NamedTuple):
    """A metric to draw.

    Attributes:
        name: Its name in the run.
        title: Its title on the page.
        show: Writes a value of it.
    """

    name: str
    title: str
    show: Callable[[float], str] = number


def figure(run: RunData, metric: Metric, size: tuple[int, int] = _SIZE) -> Html | None:
    """The chart of a metric; None if it has fewer than two values, or is 0 throughout."""
    curve = run.curve(metric.name, label=metric.title)
    if curve is None or not _says_something(curve):
        return None
    caption = tag("figcaption", metric.title, tag("b", metric.show(_latest(curve))))
    return tag("figure", caption, line_chart([curve], size=size, show=metric.show, label=metric.title))


def group(run: RunData, heading: str, metrics: Sequence[Metric]) -> Html | None:
    """Charts side by side under a heading; None without any."""
    figures = [drawn for metric in metrics if (drawn := figure(run, metric)) is not None]
    if not figures:
        return None
    return tag("div", tag("h3", heading), tag("div", *figures, class_="small"), class_="group")


def folded(run: RunData, heading: str, metrics: Sequence[Metric]) -> Html | None:
    """Charts that open with a click; metrics that never change are named in a line below. None without any."""
    figures, constant = [], []
    for metric in metrics:
        curve = run.curve(metric.name)
        if curve is not None and _says_something(curve) and np.ptp(_finite(curve)) == 0:
            constant.append(f"{metric.title} {metric.show(_latest(curve))}")
        elif (drawn := figure(run, metric)) is not None:
            figures.append(drawn)
    if not figures and not constant:
        return None
    same = tag("p", "The same in all iterations: ", ", ".join(constant), ".", class_="note") if constant else None
    count = f"{len(figures)} chart{'' if len(figures) == 1 else 's'}" if figures else "nothing that changes"
    summary = tag("summary", tag("span", heading), tag("span", count, class_="quiet"))
    charts = tag("div", *figures, class_="small") if figures else None
    return tag("details", summary, charts, same, class_="more")


def _says_something(curve: Curve) -> bool:
    values = _finite(curve)
    return len(values) > 1 and bool(values.any())


def _latest(curve: Curve) -> float:
    return float(_finite(curve)[-1])


def _finite(curve: Curve) -> np.ndarray:
    return curve.y[np.isfinite(curve.y)]
