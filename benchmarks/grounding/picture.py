"""Held-out hits and, beside them, the median distance over processor time: thin lines are seeds, thick ones means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.view.charts import Frame
from agentgym.view.markup import Html, join, tag
from benchmarks.pictures.curves import COLOURS, WIDTH, Points, grid, line, mean_curve, n, page

_HEIGHT, _HEAD, _LEFT, _GAP, _KEYS = 270, 50, 40, 56, 150
_LOOKS = {"supervised": COLOURS[2], "hit": COLOURS[1], "dense": COLOURS[0]}
Figures = Mapping[str, Any]


def draw(figures: Figures) -> str:
    """The picture as SVG.

    Args:
        figures: Of `figures_of`, by mode.
    """
    known = {mode: found for mode, found in figures.items() if found["seeds"]}
    plot = (WIDTH - _KEYS - _LEFT - _GAP) / 2
    seconds = max((curve["cpu_s"][-1] for found in known.values() for curve in found["curves"].values()), default=1.0)
    farthest = max(
        (max(curve["distance"]) for found in known.values() for curve in found["curves"].values()), default=1
    )
    panels = []
    for number, (name, title, top) in enumerate(
        (("hits", "Held-out hits", 1.0), ("distance", "Median distance to the target, pixels", float(farthest)))
    ):
        frame = Frame(plot, _HEIGHT - _HEAD, (0, seconds), (0, top), left=0, right=0, top=20)
        x = _LEFT + number * (plot + _GAP)
        panels.append(tag("g", _panel(frame, known, name, title), transform=f"translate({n(x)} {_HEAD})"))
    seeds = max((found["seeds"] for found in known.values()), default=0)
    text = f"Pointing from nothing: {seeds} seeds each (thin) and their mean (thick) over seconds of processor time"
    keys = tag("g", *_keys(known), transform=f"translate({WIDTH - _KEYS + 20} {_HEAD + 30})")
    head = tag("text", text, x=10, y=22, class_="head")
    return page(
        _HEIGHT, "Held-out hits and distance over processor time, by what was learned from", head, *panels, keys
    )


def _panel(frame: Frame, known: Figures, name: str, title: str) -> Html:
    parts = [tag("text", title, x=0, y=8, class_="title"), grid(frame)]
    for at in (0.0, frame.x_range[1] / 2, frame.x_range[1]):
        place = {"x": n(frame.x(at)), "y": n(frame.height - 10), "text_anchor": "middle"}
        parts.append(tag("text", f"{at:.0f} s", **place, class_="quiet"))
    for mode, found in known.items():
        curves: list[Points] = [
            list(zip(curve["cpu_s"], curve[name], strict=True)) for curve in found["curves"].values()
        ]
        parts += [tag("g", line(frame, curve, _LOOKS[mode], 0.6), opacity=0.6) for curve in curves]
        parts.append(line(frame, mean_curve(curves, 60), _LOOKS[mode], 2.4))
    return join(*parts)


def _keys(known: Figures) -> list[Html]:
    return [
        join(
            tag("path", d=f"M0 {18 * number}h14", stroke=_LOOKS[mode], stroke_width="2.4"),
            tag("text", f"{mode} {found['hits']['mean']:.2f}", x=20, y=18 * number, dy="0.32em"),
        )
        for number, (mode, found) in enumerate(known.items())
    ]
