"""Office files and pictures for the pairs, made with the libraries that write them, and slightly changed copies."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import docx
import numpy as np
import openpyxl
import PIL.Image
import pptx
from docx.enum.text import WD_BREAK, WD_PARAGRAPH_ALIGNMENT
from docx.shared import Pt
from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from pptx.dml.color import RGBColor
from pptx.enum.text import PP_ALIGN
from pptx.util import Inches
from pptx.util import Pt as SlidePt

from agentgym_gui.templates.words import THINGS, TOPICS, sentences, some


def _saved(save: Callable[[io.BytesIO], Any]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def _colour(digits: str) -> RGBColor:
    made: Any = RGBColor
    return made(*bytes.fromhex(digits))  # type: ignore[no-any-return]


def picture(seed: int, width: int, height: int, noise: int) -> bytes:
    """A picture with a soft pattern of a seed, and noise of so many levels."""
    rng = np.random.default_rng(seed)
    down, right = np.mgrid[0:height, 0:width] / 7.0
    shades = [127 + 90 * np.sin(down * a + right * b) for a, b in rng.uniform(0.3, 2.0, (3, 2))]
    pixels = np.stack(shades, axis=2) + rng.normal(0, 1, (height, width, 3)) * noise
    image = PIL.Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    return _saved(lambda stream: image.save(stream, "PNG"))


def document(
    lines: Sequence[str],
    *,
    centred: bool = False,
    font: str | None = None,
    spacing: float | None = None,
    breaks: int = 0,
    table: Sequence[Sequence[str]] = (),
) -> bytes:
    """A document in docx."""
    found = docx.Document()
    for number, line in enumerate(lines):
        paragraph = found.add_paragraph(line)
        if centred and number == 0:
            paragraph.alignment = WD_PARAGRAPH_ALIGNMENT.CENTER
        if spacing is not None:
            paragraph.paragraph_format.line_spacing = spacing
        for run in paragraph.runs:
            run.font.size = Pt(11)
            if font is not None:
                run.font.name = font
        if number < breaks:
            paragraph.runs[0].add_break(WD_BREAK.PAGE)
    if table:
        made = found.add_table(len(table), max(map(len, table)))
        for row, texts in enumerate(table):
            for column, text in enumerate(texts):
                made.cell(row, column).text = text
    return _saved(found.save)


@dataclass(frozen=True)
class Book:
    """A workbook with one sheet of things, prices and counts, and how it looks."""

    sheet: str
    rows: tuple[tuple[str, float, int], ...]
    bold: bool = True
    fill: str = "FFFFFF00"
    number_format: str = "0.00"
    freeze: str | None = "A2"
    zoom: int = 120
    width: float = 20.0
    height: float = 18.0
    chart: str = "bar"
    choices: str = '"a,b"'
    is_filtered: bool = True

    def content(self) -> bytes:
        """The file."""
        book = openpyxl.Workbook()
        sheet: Any = book.active
        sheet.title = self.sheet
        for row in (("Item", "Price", "Count"), *self.rows):
            sheet.append(row)
        for cell in sheet[1]:
            cell.font = Font(name="Arial", size=12, bold=self.bold)
            cell.fill = PatternFill("solid", fgColor=self.fill)
        for cell in sheet["B"][1:]:
            cell.number_format = self.number_format
        sheet.freeze_panes = self.freeze
        sheet.sheet_view.zoomScale = self.zoom
        sheet.column_dimensions["A"].width = self.width
        sheet.row_dimensions[2].height = self.height
        if self.is_filtered:
            sheet.auto_filter.ref = "A1:C4"
        validation = DataValidation(type="list", formula1=self.choices)
        validation.add("D2:D5")
        sheet.add_data_validation(validation)
        chart = BarChart() if self.chart == "bar" else LineChart()
        chart.title = "Prices"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=4), titles_from_data=True)
        sheet.add_chart(chart, "F2")
        return _saved(book.save)


def drawn_book(rng: random.Random) -> Book:
    """A workbook."""
    rows = tuple((thing, rng.randrange(2, 90) / 8, rng.randrange(1, 9)) for thing in some(rng, THINGS, 3))
    return Book(rng.choice(TOPICS), rows)


def nearly(rng: random.Random, book: Book) -> Book:
    """The workbook with a few of its properties changed, or none."""
    first = book.rows[0]
    kinds: tuple[dict[str, Any], ...] = (
        {},
        {"sheet": "Other"},
        {"rows": ((first[0].upper(), first[1] + 0.001, first[2]), *book.rows[1:])},
        {"rows": ((first[0], first[1] + 0.00001, first[2]), *book.rows[1:])},
        {"bold": False, "zoom": 90},
        {"fill": "FFFF0000", "width": 21.0},
        {"number_format": "0.0", "freeze": None, "is_filtered": False},
        {"chart": "line", "height": 19.0, "choices": '"b,a"'},
    )
    return replace(book, **{**rng.choice(kinds), **rng.choice(kinds)})


@dataclass(frozen=True)
class Deck:
    """A presentation: the lines of each slide, and how they look."""

    slides: tuple[tuple[str, ...], ...]
    bold: bool | None = None
    underline: bool | None = None
    colour: str = "112233"
    alignment: PP_ALIGN | None = None
    left: float = 1.0
    size: int = 20
    level: int = 0
    note: str = ""
    background: str = ""

    def content(self) -> bytes:
        """The file."""
        deck = pptx.Presentation()
        for lines in self.slides:
            slide = deck.slides.add_slide(deck.slide_layouts[6])
            if self.background:
                slide.background.fill.solid()
                slide.background.fill.fore_color.rgb = _colour(self.background)
            frame = slide.shapes.add_textbox(Inches(self.left), Inches(1), Inches(5), Inches(3)).text_frame
            for number, line in enumerate(lines):
                paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
                paragraph.alignment = self.alignment
                paragraph.level = self.level
                run = paragraph.add_run()
                run.text = line
                run.font.bold, run.font.underline, run.font.size = self.bold, self.underline, SlidePt(self.size)
                run.font.color.rgb = _colour(self.colour)
            table = slide.shapes.add_table(1, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
            table.cell(0, 0).text = lines[0][:8]
            slide.notes_slide.notes_text_frame.text = self.note
        return _saved(deck.save)


def drawn_deck(rng: random.Random) -> Deck:
    """A presentation of two slides."""
    return Deck(tuple(tuple(sentences(rng, 2)) for _ in range(2)))


def nearly_deck(rng: random.Random, deck: Deck) -> Deck:
    """The presentation with one property changed, or none."""
    kinds: tuple[dict[str, Any], ...] = (
        {},
        {"bold": rng.choice((True, False))},
        {"underline": True},
        {"underline": False},
        {"colour": "AA0000"},
        {"alignment": rng.choice((PP_ALIGN.LEFT, PP_ALIGN.CENTER))},
        {"left": rng.choice((1.001, 1.5))},
        {"size": 24},
        {"level": 1},
        {"note": "A note."},
        {"background": "00FF00"},
        {"slides": (deck.slides[0], tuple(reversed(deck.slides[1])))},
        {"slides": deck.slides[:1]},
    )
    return replace(deck, **rng.choice(kinds))
