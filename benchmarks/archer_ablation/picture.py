"""Held-out scores and, beside them, how the critic ranked: a row a task, a line a variant, the mean over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.view.charts import Frame
from agentgym.view.markup import Html, join, tag
from benchmarks.pictures.curves import COLOURS, GREY, WIDTH, grid, line, mean_curve, page

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
    frame = Frame(plot, _ROW - 20, (0, turns), (0, 1), left=0, right=0, top=20)
    keys = [
        join(
            tag("path", d=f"M0 {40 + 16 * number}h14", stroke=_COLOURS[number], stroke_width="2.2"),
            tag("text", name, x=20, y=40 + 16 * number, dy="0.32em"),
        )
        for number, name in enumerate(variants)
    ]
    return join(
        tag("text", task, x=_LEFT, y=12, class_="title"),
        tag("g", _panel(frame, rows, variants, _scores), transform=f"translate({_LEFT} 0)"),
        tag("g", _panel(frame, rows, variants, _ranking), transform=f"translate({_LEFT + plot + _GAP} 0)"),
        tag("g", *keys, transform=f"translate({WIDTH - _KEYS + 20} 0)"),
    )


def _panel(frame: Frame, rows: Rows, variants: Sequence[str], curve_of: Any) -> Html:
    parts = [
        grid(frame),
        *(
            tag("text", f"{turn:,.0f}", x=f"{frame.x(turn):.1f}", y=frame.height - 8, text_anchor="middle")
            for turn in (0, frame.x_range[1])
        ),
    ]
    for number, name in enumerate(variants):
        curves = [curve_of(row) for row in rows if row["variant"] == name]
        if curves:
            parts.append(line(frame, mean_curve(curves), _COLOURS[number]))
    return join(*parts)


def _scores(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(probe["turns"], probe["score"]) for probe in row["probes"]]


def _ranking(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(turns, share) for turns, share in row["ranking"]]
