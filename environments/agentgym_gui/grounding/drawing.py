"""Drawing a recorded scene without its application: windows, controls and their names where they were.

It is no screenshot: icons are left out, and a control shows its name. Live screens have real pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.scenes import Item, Scene

Pixels = NDArray[np.uint8]
TITLE_BAR = 20
_PIXELS_A_POINT = 1.33
_PAD = 4
Colour = tuple[int, int, int]


class Palette(NamedTuple):
    """Colours of a theme."""

    window: Colour
    field: Colour
    edge: Colour
    text: Colour
    accent: Colour
    title: Colour


_GREY = Palette((246, 245, 244), (255, 255, 255), (190, 185, 180), (46, 52, 54), (53, 132, 228), (120, 160, 210))
PALETTES: Mapping[str, Palette] = {
    "Adwaita": _GREY,
    "HighContrast": Palette((255, 255, 255), (255, 255, 255), (0, 0, 0), (0, 0, 0), (0, 0, 0), (90, 90, 90)),
    "Greybird": Palette((206, 206, 206), (252, 252, 252), (150, 150, 150), (60, 60, 60), (57, 140, 220), (80, 80, 80)),
    "Arc": Palette((245, 246, 247), (255, 255, 255), (207, 214, 230), (92, 97, 108), (82, 148, 226), (120, 130, 150)),
}
_FLAT = ("menu", "page tab", "label", "statusbar", "menu item", "check menu item", "radio menu item", "table cell")
_FIELDS = ("text", "password text", "spin button", "table", "tree table", "list box", "terminal", "cell")
_TICKS = ("check box", "radio button", "check menu item", "radio menu item")
_NOT_DRAWN = ("panel", "filler", "drawing area", "scroll bar")


@lru_cache(maxsize=8)
def draw_scene(scene: Scene) -> Pixels:
    """The picture of a scene, uint8[H, W, 3]; equal scenes have equal pictures."""
    image = Image.new("RGB", (scene.width, scene.height), (0, 0, 0))
    pen = ImageDraw.Draw(image)
    palette = PALETTES.get(scene.theme, _GREY)
    size = scene.font_size * _PIXELS_A_POINT
    for title, box in scene.windows:
        _window(pen, title, box, palette)
    for item in sorted(scene.items, key=lambda each: -each.box.area):
        if item.role not in _NOT_DRAWN:
            _item(pen, item, palette, size)
    pixels = np.asarray(image, np.uint8).copy()
    pixels.flags.writeable = False
    return pixels


def _window(pen: ImageDraw.ImageDraw, title: str, box: Box, palette: Palette) -> None:
    pen.rectangle(_corners(box), palette.window, palette.text)
    bar = Box(box.x, box.y, box.width, min(TITLE_BAR, box.height))
    pen.rectangle(_corners(bar), palette.title, palette.text)
    _write(pen, title, bar, (255, 255, 255), 12.0, is_centred=True)


def _item(pen: ImageDraw.ImageDraw, item: Item, palette: Palette, size: float) -> None:
    is_selected = "selected" in item.states and item.role != "page tab"
    paper = palette.accent if is_selected else palette.field if item.role in _FIELDS else palette.window
    is_flat = item.role in _FLAT and not is_selected
    pen.rectangle(_corners(item.box), paper, paper if is_flat and item.role != "page tab" else palette.edge)
    ink = (255, 255, 255) if is_selected else palette.edge if "disabled" in item.states else palette.text
    inner = item.box
    if item.role in _TICKS:
        side = min(14, inner.height - 2)
        mark = Box(inner.x + 1, inner.y + (inner.height - side) // 2, side, side)
        shape = pen.ellipse if "radio" in item.role else pen.rectangle
        shape(_corners(mark), palette.accent if "checked" in item.states else palette.field, palette.text)
        inner = Box(inner.x + side + _PAD, inner.y, inner.width - side - _PAD, inner.height)
    name = "" if item.role == "cell" else item.name
    _write(pen, name, inner, ink, size, is_centred=item.role.endswith("button"))


def _write(pen: ImageDraw.ImageDraw, text: str, box: Box, ink: Colour, size: float, *, is_centred: bool) -> None:
    """Text in a box, smaller where it does not fit, and cut where that does not help."""
    room = box.width - 2
    if not text or room < 4 or box.height < 6:
        return
    font = _font(round(min(size, box.height - 1), 1))
    length = font.getlength(text)
    if length > room:
        font = _font(max(round(font.size * room / length, 1), 7.0))
        while len(text) > 1 and font.getlength(text) > room:
            text = text[:-1]
        length = font.getlength(text)
    x = box.x + (room - length) / 2 + 1 if is_centred else box.x + min(_PAD, (room - length) / 2 + 1)
    pen.text((round(x), box.y + box.height // 2), text, ink, font, anchor="lm")


@lru_cache(maxsize=64)
def _font(size: float) -> Any:
    return ImageFont.load_default(size)


def _corners(box: Box) -> tuple[int, int, int, int]:
    return box.x, box.y, box.x + max(box.width - 1, 0), box.y + max(box.height - 1, 0)
