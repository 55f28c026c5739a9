"""compare_pptx_files: two presentations compared slide by slide, each property unless an option leaves it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pptx
from pptx.enum.text import PP_ALIGN

from agentgym_gui.osworld.metrics.documents import office_file
from agentgym_gui.osworld.metrics.texts import File
from agentgym_gui.osworld.metrics.values import Metric
from agentgym_gui.verify.reading import UnreadableFileError

_TABLE = 19
_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
UNSUPPORTED_OPTIONS = frozenset(
    {
        "examine_title_bottom_position",
        "examine_table_bottom_position",
        "examine_right_position",
        "examine_top_position",
        "examine_shape_for_shift_size",
        "examine_image_size",
        "examine_modify_height",
    }
)
"""Options that hold for one task each in OSWorld, whose texts and places stand in its code: refused."""


class _Options:
    """Which properties count; `examine_` stands before each name, and all count unless an option says otherwise."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self.tolerance: float = options.get("approximately_tolerance", 0.005)

    def has(self, name: str) -> bool:
        return bool(self._options.get(f"examine_{name}", True))

    def near(self, first: int | None, second: int | None) -> bool:
        if first == second:
            return True
        if not first or not second:
            return False
        return abs(first - second) / max(abs(first), abs(second)) <= self.tolerance


def _presentation(content: bytes) -> Any:
    try:
        return pptx.Presentation(office_file(content))
    except UnreadableFileError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"no presentation in pptx: {error}") from error


def compare_pptx_files(result: File, expected: File, **options: Any) -> float:
    """Whether two presentations agree in every property that counts."""
    if not result or not expected:
        return 0.0
    wanted = _Options(options)
    first, second = (list(_presentation(each).slides) for each in (result, expected))
    if len(first) != len(second) and wanted.has("number_of_slides"):
        return 0.0
    return float(all(_same_slides(one, other, wanted) for one, other in zip(first, second, strict=False)))


def check_slide_orientation_Portrait(result: File) -> float:  # noqa: N802 - OSWorld's name
    """Whether a presentation is higher than wide."""
    if not result:
        return 0.0
    found = _presentation(result)
    return float(found.slide_height > found.slide_width)


def _same_slides(one: Any, other: Any, wanted: _Options) -> bool:
    if wanted.has("background_color") and _background(one) != _background(other):
        return False
    if wanted.has("note") and _note(one) != _note(other):
        return False
    if len(one.shapes) != len(other.shapes):
        return False
    if not all(_same_shapes(*pair, wanted) for pair in zip(one.shapes, other.shapes, strict=True)):
        return False
    return not wanted.has("alignment") or _same_texts(list(_texts(one.shapes)), list(_texts(other.shapes)), wanted)


def _background(slide: Any) -> Any:
    fill = slide.background.fill
    if fill.type == 5:  # the master's
        fill = slide.slide_layout.slide_master.background.fill
    return fill.fore_color.rgb if fill.type == 1 else None


def _note(slide: Any) -> str:
    # has_notes_slide first: to ask for the notes makes them.
    return str(slide.notes_slide.notes_text_frame.text).strip() if slide.has_notes_slide else ""


def _texts(shapes: Any) -> Iterator[Any]:
    """Every shape with text, those within groups too."""
    for shape in shapes:
        if hasattr(shape, "text") and hasattr(shape, "text_frame"):
            yield shape
        if hasattr(shape, "shapes"):
            yield from _texts(shape.shapes)


def _same_texts(first: list[Any], second: list[Any], wanted: _Options) -> bool:
    if len(first) != len(second):
        return False
    for one, other in zip(first, second, strict=True):
        if wanted.has("text") and one.text.strip() != other.text.strip():
            return False
        paragraphs = [each.text_frame.paragraphs for each in (one, other)]
        if [_aligned(each) for each in paragraphs[0]] != [_aligned(each) for each in paragraphs[1]]:
            return False
    return True


def _aligned(paragraph: Any) -> Any:
    return PP_ALIGN.LEFT if paragraph.alignment is None else paragraph.alignment


def _same_shapes(one: Any, other: Any, wanted: _Options) -> bool:
    if wanted.has("shape") and not all(
        wanted.near(getattr(one, side), getattr(other, side)) for side in ("left", "top", "width", "height")
    ):
        return False
    if one.shape_type == _TABLE and not _same_tables(one, other, wanted):
        return False
    if not (hasattr(one, "text") and hasattr(other, "text")):
        return True
    if wanted.has("text") and one.text.strip() != other.text.strip():
        return False
    paragraphs = [each.text_frame.paragraphs for each in (one, other)]
    if len(paragraphs[0]) != len(paragraphs[1]):
        return False
    return all(_same_paragraphs(*pair, wanted) for pair in zip(paragraphs[0], paragraphs[1], strict=True))


def _same_tables(one: Any, other: Any, wanted: _Options) -> bool:
    if not other.has_table:
        return False
    cells = [[[cell.text_frame.paragraphs for cell in row.cells] for row in each.table.rows] for each in (one, other)]
    if [[[len(each.runs) for each in cell] for cell in row] for row in cells[0]] != [
        [[len(each.runs) for each in cell] for cell in row] for row in cells[1]
    ]:
        return False
    runs = [[run for row in each for cell in row for one in cell for run in one.runs] for each in cells]
    return all(
        (_same_colour(a, b) or not wanted.has("color_rgb"))
        and bool(a.font.bold) == bool(b.font.bold)
        and bool(a.font.italic) == bool(b.font.italic)
        and _same_underline(a, b)
        for a, b in zip(*runs, strict=True)
    )


def _same_paragraphs(one: Any, other: Any, wanted: _Options) -> bool:
    if wanted.has("alignment") and _aligned(one) != _aligned(other):
        return False
    if wanted.has("text") and one.text != other.text:
        return False
    if wanted.has("indent") and one.level != other.level:
        return False
    if len(one.runs) != len(other.runs):
        return False
    return all(_same_runs(*pair, wanted) for pair in zip(one.runs, other.runs, strict=True))


def _same_runs(one: Any, other: Any, wanted: _Options) -> bool:
    checks = {
        "font_name": one.font.name == other.font.name,
        "font_size": one.font.size == other.font.size,
        "font_bold": bool(one.font.bold) == bool(other.font.bold),
        "font_italic": bool(one.font.italic) == bool(other.font.italic),
        "color_rgb": _same_colour(one, other),
        "font_underline": _same_underline(one, other),
        "strike_through": _strike(one) == _strike(other),
        "bullets": _bullets(one) == _bullets(other),
    }
    return all(holds or not wanted.has(name) for name, holds in checks.items())


def _same_colour(one: Any, other: Any) -> bool:
    """Whether two runs have the same colour, or one of them has none of its own."""
    colours = [each.font.color for each in (one, other)]
    if not all(hasattr(each, "rgb") for each in colours):
        return True
    return bool(colours[0].rgb == colours[1].rgb)


def _same_underline(one: Any, other: Any) -> bool:
    first, second = one.font.underline, other.font.underline
    return bool(first == second or (None in (first, second) and True not in (first, second)))


def _strike(run: Any) -> str:
    return str(run.font._element.attrib.get("strike", "noStrike"))


def _bullets(run: Any) -> list[tuple[str, str, str]]:
    """Level, sign and text of every paragraph of the slide that a run is on."""
    found = []
    for paragraph in run.part._element.iter(f"{_MAIN}p"):
        text = "".join(each.text or "" for each in paragraph.iter(f"{_MAIN}t"))
        properties = paragraph.find(f"{_MAIN}pPr")
        level, sign = "No Level", "No Bullet"
        if properties is not None:
            level = properties.get("lvl") or "0"
            character = properties.find(f"{_MAIN}buChar")
            sign = character.get("char") if character is not None else sign
        if text.strip():
            found.append((level, sign, text))
    return found


METRICS: Mapping[str, Metric] = {
    "compare_pptx_files": compare_pptx_files,
    "check_slide_orientation_Portrait": check_slide_orientation_Portrait,
}
"""The metrics over presentations, by name."""
