"""Charts as inline SVG whose numbers stand beside their bars as text, so that they can be read without colours."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

Points = Sequence[tuple[str, int]]
_WIDTH = 760
_ROW = 26
_LABEL_WIDTH = 190
_HEIGHT = 240


def bar_chart(title: str, points: Points) -> Markup:
    """Horizontal bars, one below the other.

    Args:
        title: Its accessible name.
        points: Label and value (0 or more) of each bar.
    """
    most = max((value for _, value in points), default=0) or 1
    room = _WIDTH - _LABEL_WIDTH - 80
    parts = []
    for index, (label, value) in enumerate(points):
        top, width = index * _ROW + 4, round(value / most * room)
        parts.append(_text(_LABEL_WIDTH - 8, top + 13, label, "end"))
        parts.append(
            Markup('<rect class="bar" x="{}" y="{}" width="{}" height="18"/>').format(_LABEL_WIDTH, top, width)
        )
        parts.append(_text(_LABEL_WIDTH + width + 6, top + 13, f"{value:,}", "start"))
    return _svg(title, len(points) * _ROW + 8, parts)


def column_chart(title: str, points: Points) -> Markup:
    """Upright bars side by side.

    Args:
        title: Its accessible name.
        points: Label and value (0 or more) of each bar.
    """
    most = max((value for _, value in points), default=0) or 1
    step = _WIDTH / max(1, len(points))
    parts = []
    for index, (label, value) in enumerate(points):
        height = round(value / most * (_HEIGHT - 56))
        left, top = index * step, _HEIGHT - 28 - height
        box = Markup('<rect class="bar" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>')
        parts.append(box.format(left + step * 0.14, top, step * 0.72, height))
        parts.append(_text(left + step / 2, top - 6, f"{value:,}", "middle"))
        parts.append(_text(left + step / 2, _HEIGHT - 10, label, "middle"))
    return _svg(title, _HEIGHT, parts)


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)


def _svg(title: str, height: int, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg class="chart" role="group" aria-label="{}" viewBox="0 0 {} {}">').format(title, _WIDTH, height)
    return head + Markup("").join(escape(part) for part in parts) + Markup("</svg>")
