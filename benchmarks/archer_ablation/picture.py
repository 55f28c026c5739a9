"""Held-out scores and, beside them, how the critic ranked: a row a task, a line a variant, the mean over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.view.charts import Frame
from agentgym.view.markup import Html, join, tag
from benchmarks.pictures.curves import COLOURS, GREY, WIDTH, Points, grid, line, mean_curve, page

_HEAD, _ROW, _LEFT, _GAP, _KEYS = 58, 190, 40, 50, 250
_COLOURS = (GREY, *COLOURS)
Rows = Sequence[Mapping[str, Any]]


def draw(rows: Rows, turns: Mapping[str, int], variants: Sequence[str]) -> str:
    """The picture as SVG.

    Args:
        rows: Of `runs.row_of`.
        turns: Of each task, those that a run may take.
        variants: In the order of their colours.
    """
    tasks = [task for task in turns if any(row["task"] == task for row in rows)]
    height = _HEAD + _ROW * len(tasks)
    parts = [
        tag(
            "text",
            "Held-out score (left) and the critic's ranking of messages (right) over environment turns",
            x=10,
            y=22,
            class_="title",
        )
    ]
    for number, task in enumerate(tasks):
        mine = [row for row in rows if row["task"] == task]
        parts.append(
            tag("g", _task(task, mine, turns[task], variants), transform=f"translate(0 {_HEAD + number * _ROW})")
        )
    label = "Held-out score and ranking of messages over environment turns, by what was left out"
    return page(height, label, *parts)


def _task(task: str, rows: Rows, turns: int, variants: Sequence[str]) -> Html:
    plot = (WIDTH - _KEYS - _LEFT - _GAP) / 2
    # A run ends with the iteration in which its turns are spent, so some turns later.
    end = max(turns, *(row["probes"][-1]["turns"] for row in rows))
    frame = Frame(plot, _ROW - 20, (0, end), (0, 1), left=0, right=0, top=20)
    drawn = {name: number for number, name in enumerate(variants) if any(row["variant"] == name for row in rows)}
    keys = [
        join(
            tag("path", d=f"M0 {40 + 16 * place}h18", **_stroke(number), stroke_width="2.2"),
            tag("text", name, x=24, y=40 + 16 * place, dy="0.32em"),
        )
        for place, (name, number) in enumerate(drawn.items())
    ]
    return join(
        tag("text", task, x=_LEFT, y=12, class_="title"),
        tag("g", _panel(frame, rows, drawn, turns, _scores), transform=f"translate({_LEFT} 0)"),
        tag("g", _panel(frame, rows, drawn, turns, _ranking), transform=f"translate({_LEFT + plot + _GAP} 0)"),
        tag("g", *keys, transform=f"translate({WIDTH - _KEYS + 20} 0)"),
    )


def _panel(frame: Frame, rows: Rows, drawn: Mapping[str, int], turns: int, curve_of: Any) -> Html:
    """Lines of variants by their places among all; the first of them on top, dashed, so that what it covers shows."""
    parts = [
        grid(frame),
        *(
            tag("text", f"{turn:,.0f}", x=f"{frame.x(turn):.1f}", y=frame.height - 8, text_anchor="middle")
            for turn in (0, turns)
        ),
    ]
    for name, number in reversed([*drawn.items()]):
        curves = [curve_of(row) for row in rows if row["variant"] == name]
        stroke = _stroke(number)
        points = mean_curve([_held(curve, frame.x_range[1]) for curve in curves])
        parts.append(line(frame, points, stroke["stroke"], dashes=stroke.get("stroke_dasharray", "")))
    return join(*parts)


def _stroke(number: int) -> dict[str, str]:
    """Colour of a variant, and dashes for the first one."""
    return {"stroke": _COLOURS[number]} | ({} if number else {"stroke_dasharray": "5 3"})


def _held(curve: Points, end: float) -> Points:
    """A curve up to a number of turns, its last value standing for the turns behind it."""
    return curve if curve[-1][0] >= end else [*curve, (end, curve[-1][1])]


def _scores(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(probe["turns"], probe["score"]) for probe in row["probes"]]


def _ranking(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(turns, share) for turns, share in row["ranking"]]
