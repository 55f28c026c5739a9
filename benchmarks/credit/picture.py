"""Learning curves as one SVG: a panel a task, held-out score over environment turns, with intervals over seeds.

A dot is the score at the end, which methods that learn offline come to once all turns are spent. The picture stands
alone: colours are in the file, and nothing needs a script.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.view.charts import Frame
from agentgym.view.markup import Html, join, tag

WIDTH, HEIGHT, LEGEND, COLUMNS = 470, 300, 22, 2
_COLOURS = (
    "#4a4a4a",
    "#1f77b4",
    "#d62728",
    "#2ca02c",
    "#9467bd",
    "#ff7f0e",
    "#17becf",
    "#8c564b",
    "#e377c2",
    "#7f9f00",
    "#003f8a",
    "#a8003f",
    "#00735c",
    "#b07aa1",
    "#c9a000",
    "#5b5ea6",
    "#9c755f",
)
_DASHED = ("terminal", "trajectory", "actor_critic")
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#333}.title{font-size:13px;font-weight:600}"
    ".grid{stroke:#ddd}.oracle{stroke:#999;stroke-dasharray:2 3}"
)
Figures = Mapping[str, Any]


def draw(figures: Figures) -> str:
    """The picture of all tasks that were run.

    Args:
        figures: By task what `report.task_figures` found.
    """
    names = sorted({name for found in figures.values() for name in found["methods"]}, key=_order(figures))
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(names)}
    panels = []
    for number, found in enumerate(figures.values()):
        x, y = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
        panels.append(tag("g", _panel(found, colours), transform=f"translate({x} {y})"))
    rows = -(-len(figures) // COLUMNS)
    lines = -(-len(names) // 4)
    legend = tag("g", _legend(figures, colours), transform=f"translate(0 {rows * HEIGHT + 8})")
    width, height = WIDTH * min(COLUMNS, max(1, len(figures))), rows * HEIGHT + 16 + lines * LEGEND
    width = max(width, 2 * WIDTH)
    background = tag("rect", width=width, height=height, fill="white")
    return str(
        tag(
            "svg",
            tag("style", Html(_STYLE)),
            background,
            *panels,
            legend,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
            role="img",
            aria_label="Held-out score over environment turns by task and method",
        )
    )


def _order(figures: Figures) -> Any:
    """Baselines first, then by name."""
    kinds = {name: own["kind"] for found in figures.values() for name, own in found["methods"].items()}
    return lambda name: (kinds[name] not in _DASHED, name)


def _panel(found: Figures, colours: Mapping[str, str]) -> Html:
    frame = Frame(WIDTH, HEIGHT, (0.0, float(found["turns"])), (0.0, 1.0), top=28, bottom=34)
    curves = [(colours[name], own) for name, own in found["methods"].items()]
    return join(
        tag("text", f"{found['title']} (start {found['start']['score']:.3f})", x=44, y=18, class_="title"),
        _axes(frame, found["oracle"]),
        *(_band(frame, own["curve"], colour) for colour, own in curves),
        *(_line(frame, own, colour) for colour, own in curves),
        *(_end(frame, own["last"]["mean"], colour) for colour, own in curves),
    )


def _axes(frame: Frame, oracle: float) -> Html:
    right = frame.width - frame.right
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _n(frame.y(tick))
        parts.append(tag("path", d=f"M{frame.left} {y}H{right}", class_="grid"))
        parts.append(tag("text", f"{tick:g}", x=frame.left - 6, y=y, dy="0.32em", text_anchor="end"))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        turns = share * frame.x_range[1]
        anchor = "end" if share == 1.0 else "middle"
        place = {"x": _n(frame.x(turns)), "y": frame.height - 18, "text_anchor": anchor}
        parts.append(tag("text", f"{turns:,.0f}", **place))
    top = _n(frame.y(oracle))
    parts.append(tag("path", tag("title", f"oracle {oracle:g}"), d=f"M{frame.left} {top}H{right}", class_="oracle"))
    parts.append(tag("text", "environment turns", x=right, y=frame.height - 4, text_anchor="end"))
    return join(*parts)


def _band(frame: Frame, curve: Figures, colour: str) -> Html:
    if None in curve["low"]:  # a single seed
        return join()
    above = [_point(frame, *pair) for pair in zip(curve["turns"], curve["high"], strict=True)]
    below = [_point(frame, *pair) for pair in zip(curve["turns"][::-1], curve["low"][::-1], strict=True)]
    return tag("path", d=f"M{'L'.join(above + below)}Z", fill=colour, opacity="0.13")


def _line(frame: Frame, own: Figures, colour: str) -> Html:
    points = [_point(frame, *pair) for pair in zip(own["curve"]["turns"], own["curve"]["mean"], strict=True)]
    dashes = "6 3" if own["kind"] in _DASHED else None
    title = tag("title", f"{own['title']}: {own['last']['mean']:g} at the end, {len(own['seeds'])} seeds")
    path = f"M{'L'.join(points)}"
    return tag("path", title, d=path, fill="none", stroke=colour, stroke_width="1.8", stroke_dasharray=dashes)


def _end(frame: Frame, score: float, colour: str) -> Html:
    return tag("circle", cx=_n(frame.x(frame.x_range[1])), cy=_n(frame.y(score)), r=3, fill=colour)


def _legend(figures: Figures, colours: Mapping[str, str]) -> Html:
    known = {name: own for found in figures.values() for name, own in found["methods"].items()}
    parts = []
    for number, (name, colour) in enumerate(colours.items()):
        x, y = 44 + number % 4 * 225, number // 4 * LEGEND + 8
        dashes = "6 3" if known[name]["kind"] in _DASHED else None
        parts.append(tag("path", d=f"M{x} {y}h26", stroke=colour, stroke_width="2", stroke_dasharray=dashes))
        parts.append(tag("text", known[name]["title"], x=x + 32, y=y, dy="0.32em"))
    return join(*parts)


def _point(frame: Frame, turns: float, score: float) -> str:
    return f"{_n(frame.x(turns))} {_n(frame.y(score))}"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
