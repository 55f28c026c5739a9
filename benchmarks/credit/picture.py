"""Learning curves as one SVG: a row a task, a column a family of methods, terminal credit as reference in each panel.

Lines are means over seeds. Bands of many methods on one another could not be told apart: only the reference has one,
the others have their interval where they end. The picture stands alone: nothing needs a script or a style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.view.charts import Frame
from agentgym.view.markup import Html, join, tag
from benchmarks.pictures.curves import COLOURS, GREY, WIDTH, band, grid, line, n, page

_REFERENCE = "terminal"
_FAMILIES = (
    ("Baselines", ("trajectory", "actor_critic")),
    ("Step credit", ("step",)),
    ("Replay, hierarchical, offline", ("replay", "archer", "offline")),
)
_DASHED_FROM = 3
"""Number of the first colour whose lines are dashed."""
_HEAD, _ROW, _PLOT, _TITLE = 96, 174, 120, 28
_LEFT, _GAP, _WHISKER, _KEY, _LINE, _LETTER = 38, 14, 4.5, 21, 12.5, 6.3
"""Margin, space between columns and marks, width of a label's line, height of a label, width of its letters."""
_STEP = 0.1
"""The scale of a row begins and ends at multiples of this."""
Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Look:
    colour: str
    dashes: str | None = None
    width: float = 1.8


@dataclass(frozen=True, slots=True)
class _Column:
    """A family's methods by name, after the reference, and what lies beside each of its plots."""

    title: str
    looks: Mapping[str, _Look]
    beside: float
    max_seeds: int


@dataclass(frozen=True, slots=True)
class _Ending:
    """Where a method ends: its label, and the heights of its mark and of the label, which makes way for others."""

    own: Figures
    look: _Look
    text: str
    mark: float
    label: float


def draw(figures: Figures) -> str:
    """The picture of all tasks that were run.

    Args:
        figures: By task what `report.task_figures` found.
    """
    columns = _columns(figures)
    beside = [column.beside for column in columns]
    plot = (WIDTH - _LEFT - sum(beside)) / len(columns)
    places = [_LEFT + number * plot + sum(beside[:number]) for number in range(len(columns))]
    parts = [_head(figures)]
    for column, x in zip(columns, places, strict=True):
        parts.append(tag("text", column.title, x=n(x), y=_HEAD - 14, class_="title"))
    for row, found in enumerate(figures.values()):
        panels = [
            tag("g", _panel(found, column, plot, x == _LEFT), transform=f"translate({n(x)} 0)")
            for column, x in zip(columns, places, strict=True)
        ]
        parts.append(tag("g", _row_title(found), *panels, transform=f"translate(0 {_HEAD + row * _ROW})"))
    height = _HEAD + _ROW * len(figures)
    return page(height, "Held-out score over environment turns by task and method", *parts)


def _columns(figures: Figures) -> list[_Column]:
    """The families that anything was run of; a method looks the same in all rows."""
    known = {name: own for found in figures.values() for name, own in found["methods"].items()}
    reference = {name: _Look(GREY, width=2.2) for name, own in known.items() if own["kind"] == _REFERENCE}
    columns = []
    for title, kinds in _FAMILIES:
        names = sorted(name for name, own in known.items() if own["kind"] in kinds)
        if names:
            columns.append((title, reference | {name: _look(number) for number, name in enumerate(names)}))
    columns = columns or [("", reference)]
    seeds = _max_seeds(figures)
    return [_Column(title, looks, _beside(figures, looks, seeds), seeds) for title, looks in columns]


def _beside(figures: Figures, looks: Mapping[str, _Look], max_seeds: int) -> float:
    drawn = [own for found in figures.values() for name, own in found["methods"].items() if name in looks]
    longest = max((len(_label(own, max_seeds)) for own in drawn), default=0)
    return _WHISKER * (len(looks) + 1) + _KEY + _LETTER * longest + _GAP


def _label(own: Figures, max_seeds: int) -> str:
    """Its title without what it is called besides, and its seeds where others have more."""
    seeds = len(own["seeds"])
    return str(own["title"]).partition(" (")[0] + (f" ({seeds})" if seeds < max_seeds else "")


def _max_seeds(figures: Figures) -> int:
    return max((len(own["seeds"]) for found in figures.values() for own in found["methods"].values()), default=0)


def _look(number: int) -> _Look:
    return _Look(COLOURS[number % len(COLOURS)], "5 3" if number >= _DASHED_FROM else None)


def _head(figures: Figures) -> Html:
    seeds = _max_seeds(figures)
    lines = (
        "Line: mean over seeds of the score on held-out tasks (0 to 1), all methods of a task from one start. "
        "Grey, with its 95 % interval as band: terminal credit (LOOP).",
        "Mark at the right: the score at the end with its 95 % interval over seeds. "
        "A mark without line: learns offline, once all turns are spent. Scales differ by row.",
    )
    over = f", {seeds} seeds (where fewer, in brackets)" if seeds else ""
    return join(
        tag("text", f"Held-out score over environment turns{over}", x=10, y=20, class_="head"),
        *(tag("text", line, x=10, y=38 + 15 * number, class_="quiet") for number, line in enumerate(lines)),
    )


def _row_title(found: Figures) -> Html:
    facts = f"start {found['start']['score']:.3f}, oracle {found['oracle']:g}"
    told = tag("tspan", facts, class_="quiet", dx=8, font_weight="normal", font_size=11)
    return tag("text", found["title"], told, x=_LEFT, y=18, class_="title")


def _panel(found: Figures, column: _Column, plot: float, is_first: bool) -> Html:
    """The reference and one family's methods on one task; nothing where the family was not run on it."""
    methods = {name: own for name, own in found["methods"].items() if name in column.looks}
    reference = [name for name, own in methods.items() if own["kind"] == _REFERENCE]
    others = [name for name in methods if name not in reference]
    if not others and len(column.looks) > len(reference):
        return join()
    span = (0.0, float(found["turns"])), _scores(found)
    beneath = _ROW - _TITLE - _PLOT
    frame = Frame(plot, _ROW, *span, left=0, right=0, top=_TITLE, bottom=beneath)
    drawn = [(methods[name], column.looks[name]) for name in [*reference, *others]]
    return join(
        _axes(frame, is_first),
        *(_band(frame, methods[name]["curve"]) for name in reference),
        *(_line(frame, *each) for each in drawn),
        _endings(frame, drawn, column.max_seeds),
    )


def _scores(found: Figures) -> tuple[float, float]:
    """The scale of a task's row: it holds every mean, and every interval that is drawn."""
    every = found["methods"].values()
    values = [value for own in every for value in (*own["curve"]["mean"], *_ends(own["last"]))]
    values += [value for own in every if own["kind"] == _REFERENCE for value in own["curve"]["low"]]
    values += [value for own in every if own["kind"] == _REFERENCE for value in own["curve"]["high"]]
    known = [value for value in values if value is not None]
    low, high = math.floor(min(known) / _STEP) * _STEP, math.ceil(max(known) / _STEP) * _STEP
    return low, max(high, low + _STEP)


def _ends(last: Figures) -> tuple[float | None, ...]:
    return last["mean"], last["low"], last["high"]


def _axes(frame: Frame, is_first: bool) -> Html:
    parts = [grid(frame, is_first)]
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        turns = share * frame.x_range[1]
        place = {"x": n(frame.x(turns)), "y": n(_TITLE + _PLOT + 15), "text_anchor": anchor}
        parts.append(tag("text", f"{turns:,.0f}", **place, class_="quiet"))
    return join(*parts)


def _band(frame: Frame, curve: Figures) -> Html:
    if None in curve["low"]:  # a single seed
        return join()
    low, high = (list(zip(curve["turns"], curve[end], strict=True)) for end in ("low", "high"))
    return band(frame, low, high, GREY)


def _line(frame: Frame, own: Figures, look: _Look) -> Html:
    curve = own["curve"]
    if len(set(curve["mean"])) == 1:  # learns offline
        return join()
    points = zip(curve["turns"], curve["mean"], strict=True)
    return line(frame, points, look.colour, look.width, look.dashes or "")


def _endings(frame: Frame, methods: Sequence[tuple[Figures, _Look]], max_seeds: int) -> Html:
    """Marks side by side beyond the last turn, and a label for each."""
    ordered = sorted(methods, key=lambda each: -each[0]["last"]["mean"])
    marks = [frame.y(own["last"]["mean"]) for own, _ in ordered]
    labels = spread(marks, _LINE, frame.height - frame.bottom)
    endings = [
        _Ending(own, look, _label(own, max_seeds), mark, label)
        for (own, look), mark, label in zip(ordered, marks, labels, strict=True)
    ]
    return join(*(_ending(frame, ending, number, len(endings)) for number, ending in enumerate(endings)))


def _ending(frame: Frame, ending: _Ending, number: int, count: int) -> Html:
    own, look = ending.own, ending.look
    x = frame.width + _WHISKER * (number + 1)
    beside = frame.width + _WHISKER * (count + 1)
    last = own["last"]
    stroke = {"stroke": look.colour}
    parts = [tag("title", f"{own['title']}: {last['mean']:g} at the end, {len(own['seeds'])} seeds")]
    if last["low"] is not None:
        path = f"M{n(x)} {n(frame.y(last['low']))}V{n(frame.y(last['high']))}"
        parts.append(tag("path", d=path, **stroke, stroke_width="1.4"))
    leader = f"M{n(x)} {n(ending.mark)}L{n(beside)} {n(ending.label)}h5"
    parts.append(tag("path", d=leader, **stroke, stroke_width="0.6"))
    key = f"M{n(beside + 3)} {n(ending.label)}h12"
    parts.append(tag("path", d=key, **stroke, stroke_width="2.4", stroke_dasharray=look.dashes))
    parts.append(tag("circle", cx=n(x), cy=n(ending.mark), r="2.6", fill=look.colour))
    parts.append(tag("text", ending.text, x=n(beside + _KEY - 2), y=n(ending.label), dy="0.32em"))
    return tag("g", *parts)


def spread(heights: Sequence[float], gap: float, lowest: float) -> list[float]:
    """Heights that keep a distance: each as high as wanted or lower, and all moved up where they pass the lowest.

    Args:
        heights: Ascending; down is positive.
        gap: The distance.
        lowest: The largest height that is allowed.
    """
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + gap) if found else height)
    limit = lowest
    for number in range(len(found) - 1, -1, -1):
        found[number] = min(found[number], limit)
        limit = found[number] - gap
    return found
