"""compare_table: a workbook in xlsx judged by a list of rules, each about one property of a sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import openpyxl
from openpyxl.cell.cell import MergedCell
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.worksheet import Worksheet

from agentgym.errors import TaskError
from agentgym_gui.osworld.metrics.documents import office_file
from agentgym_gui.osworld.metrics.similarity import ratio
from agentgym_gui.osworld.metrics.texts import File
from agentgym_gui.osworld.metrics.values import Metric, matches_rule
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.workbooks import Sheet, cell_name, workbook

Rule = Mapping[str, Any]
_MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
"""Texts that count as an empty cell where sheets are compared as data."""
MAX_COMPARED = 200_000


@dataclass(frozen=True)
class Book:
    """A workbook, read in two ways: as stored values, and with its styles."""

    content: bytes

    @cached_property
    def styled(self) -> Any:
        """The workbook with formulas and styles."""
        return _opened(self.content, data_only=False)

    @cached_property
    def shown(self) -> Any:
        """The workbook with the values that its formulas had when it was saved."""
        return _opened(self.content, data_only=True)

    @cached_property
    def raw(self) -> Mapping[str, Sheet]:
        """The cells by sheet, as they are written."""
        return workbook(self.content, "book.xlsx")


@dataclass(frozen=True)
class Place:
    """A sheet that a rule names: the workbook and the sheet's name."""

    book: Book
    name: str

    @property
    def sheet(self) -> Worksheet:
        """The sheet with its styles."""
        return _sheet(self.book.styled, self.name)

    def value(self, cell: str) -> Any:
        """What a cell holds; None where it is empty or true or false."""
        found = self.book.raw[self.name].values.get(cell) if self.name in self.book.raw else None
        return None if found in ("TRUE", "FALSE") else found


def _opened(content: bytes, *, data_only: bool) -> Any:
    try:
        return openpyxl.load_workbook(office_file(content), data_only=data_only)
    except UnreadableFileError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"no workbook in xlsx: {error}") from error


def _sheet(book: Any, name: str) -> Worksheet:
    if name not in book.sheetnames or not isinstance(book[name], Worksheet):
        raise UnreadableFileError(f"the workbook has no sheet {name!r}")
    found: Worksheet = book[name]
    if found.max_row * found.max_column > MAX_COMPARED:
        raise UnreadableFileError(f"the sheet {name!r} spans over {MAX_COMPARED} cells")
    return found


def compare_table(result: File, expected: File = None, **options: Any) -> float:
    """Whether a workbook fits every rule of `rules`; each names its `type` and the sheets that it is about."""
    if result is None:
        return 0.0
    books = (Book(result), Book(expected) if expected is not None else None)
    for rule in options["rules"]:
        if rule["type"] not in RULES:
            raise TaskError(f"compare_table has the rules {', '.join(RULES)}: got {rule['type']!r}")
        if not RULES[rule["type"]](rule, books):
            return 0.0
    return 1.0


Books = tuple[Book, Book | None]


def _place(index: Any, books: Books) -> Place:
    """The sheet behind a number, or RI, RN, EI, EN with a number or name: of result or expected, by index or name."""
    text = f"RI{index}" if isinstance(index, int) else str(index)
    book = books[0] if text.startswith("R") else books[1]
    if text[:2] not in ("RI", "RN", "EI", "EN") or book is None:
        raise TaskError(f"a rule names a sheet by a number, RI, RN, EI or EN: got {index!r}")
    if text[1] == "N":
        return Place(book, text[2:])
    names = book.styled.sheetnames
    number = int(text[2:])
    return Place(book, names[number] if -len(names) <= number < len(names) else "")


def _pair(rule: Rule, books: Books) -> tuple[Place, Place]:
    return _place(rule["sheet_idx0"], books), _place(rule["sheet_idx1"], books)


def _same(read: Callable[[Place, Rule], Any]) -> Callable[[Rule, Books], bool]:
    """A rule that holds where two sheets have the same property."""

    def holds(rule: Rule, books: Books) -> bool:
        first, second = _pair(rule, books)
        return bool(read(first, rule) == read(second, rule))

    return holds


def _sheet_name(rule: Rule, books: Books) -> bool:
    return books[1] is not None and books[0].styled.sheetnames == books[1].styled.sheetnames


def _data(place: Place, rule: Rule) -> list[list[Any]]:
    """The columns below the head, rounded where they hold numbers alone, with every empty cell as None."""
    sheet = _sheet(place.book.shown, place.name)
    rows = [[_plain(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    while rows and all(value is None for value in rows[-1]):
        rows.pop()
    width = max((number + 1 for row in rows for number, value in enumerate(row) if value is not None), default=0)
    columns = [[row[number] for row in rows] for number in range(width)]
    return [[column[0], *_rounded(column[1:], rule.get("precision", 4))] for column in columns if column]


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None if isinstance(value, str) and value in _MISSING else value


def _rounded(values: list[Any], digits: int) -> list[Any]:
    if not all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
        return [(type(value).__name__, value) for value in values]
    return [None if value is None or math.isnan(value) else round(float(value), digits) for value in values]


def _sheet_fuzzy(rule: Rule, books: Books) -> bool:
    first, second = _pair(rule, books)
    return all(
        _fits(str(first.value(cell)), str(second.value(cell)), each)
        for each in rule["rules"]
        for cell in _cells(each["range"])
    )


def _cells(ranges: Sequence[str]) -> list[str]:
    found = [
        cell_name(row - 1, column - 1) for each in MultiCellRange(list(ranges)).ranges for row, column in each.cells
    ]
    if len(found) > MAX_COMPARED:
        raise TaskError(f"a rule spans over {MAX_COMPARED} cells")
    return found


def _fits(value: str, wanted: str, rule: Rule) -> bool:
    pair = []
    for text in (value, wanted):
        for old, new in rule.get("normalization", []):
            text = text.replace(old, new)
        text = text.lstrip(rule["trim_leadings"]) if "trim_leadings" in rule else text
        text = text.rstrip(rule["trim_trailings"]) if "trim_trailings" in rule else text
        text = "".join(each for each in text if each not in rule.get("ignore_chars", ""))
        pair.append(text.lower() if rule.get("ignore_case", False) else text)
    kinds = {
        "includes": pair[1] in pair[0],
        "included_by": pair[0] in pair[1],
        "fuzzy_match": 100 * ratio(*pair) >= rule.get("threshold", 85.0),
        "exact_match": pair[0] == pair[1],
    }
    return bool(kinds[rule["type"]])


def _chart(place: Place, rule: Rule) -> dict[str, dict[str, Any]]:
    if place.name not in place.book.styled.sheetnames:
        return {}
    found = {}
    for chart in getattr(place.sheet, "_charts", ()):
        series = ";".join(f"{_reference(each.val)},{_reference(each.cat)}" for each in chart.series)
        found[series] = {name: _CHART[name](chart) for name in rule.get("chart_props", ()) if name in _CHART}
    return found


def _reference(source: Any) -> str:
    for kind in ("numRef", "strRef"):
        reference = getattr(source, kind, None)
        if reference is not None:
            return str(reference.f)
    return ""


def _title(holder: Any) -> str | None:
    try:
        return str(holder.title.tx.rich.p[0].r[0].t)
    except (AttributeError, IndexError, TypeError):
        return None


_CHART: Mapping[str, Callable[[Any], Any]] = {
    "title": _title,
    "legend": lambda chart: chart.legend.position if chart.legend is not None else None,
    "width": lambda chart: chart.width,
    "height": lambda chart: chart.height,
    "type": lambda chart: chart.tagname,
    "direction": lambda chart: chart.barDir,
    "xtitle": lambda chart: _title(getattr(chart, "x_axis", None)),
    "ytitle": lambda chart: _title(getattr(chart, "y_axis", None)),
    "ztitle": lambda chart: _title(getattr(chart, "z_axis", None)),
}


def cell_style(name: str, cell: Any) -> Any:
    """One property of how a cell looks, in OSWorld's names; None for most of them where the cell is empty."""
    if name == "merge":
        return isinstance(cell, MergedCell)
    if name == "fill_type":
        return cell.fill.tagname if cell.has_style else "patternFill"
    if name in ("bgcolor", "fgcolor"):
        return cell.fill.fgColor.rgb
    if cell.value is None:
        return None
    if name == "number_format":
        return cell.number_format if cell.data_type == "n" else None
    if name == "hyperlink":
        return cell.hyperlink or ""
    if name == "font_color":
        return cell.font.color.rgb if cell.font.color is not None else None
    return getattr(cell.font, _FONT[name])


_FONT = {
    "font_name": "name",
    "font_family": "family",
    "font_bold": "bold",
    "font_italic": "italic",
    "font_underline": "underline",
    "font_size": "size",
}
STYLES = (*_FONT, "font_color", "number_format", "fill_type", "bgcolor", "fgcolor", "hyperlink", "merge")
"""The properties that `cell_style` knows."""


def _style(place: Place, rule: Rule) -> dict[str, list[Any]]:
    if place.name not in place.book.styled.sheetnames:
        return {}
    if place.sheet.conditional_formatting:
        raise UnreadableFileError(f"the sheet {place.name!r} has conditional formats, which are not computed")
    return {
        cell.coordinate: [cell_style(name, cell) for name in rule.get("props", ())]
        for row in place.sheet.iter_rows()
        for cell in row
    }


def _dimensions(kind: str) -> Callable[[Place, Rule], Any]:
    def read(place: Place, rule: Rule) -> dict[Any, dict[str, Any]]:
        if place.name not in place.book.styled.sheetnames:
            return {}
        holder = getattr(place.sheet, f"{kind}_dimensions")
        return {key: {name: getattr(each, name) for name in rule.get("props", ())} for key, each in holder.items()}

    return read


def _filter(place: Place, rule: Rule) -> Any:
    if place.name not in place.book.styled.sheetnames:
        return {}
    found = place.sheet.auto_filter
    columns = []
    for each in sorted(found.filterColumn, key=lambda column: column.colId):
        plain = (each.filters.blank, set(each.filters.filter)) if each.filters is not None else None
        custom = each.customFilters
        own = {(one.operator, one.val) for one in custom.customFilter} if custom is not None else None
        both = custom._and if custom is not None else None
        columns.append((each.colId, each.hiddenButton, each.showButton, plain, both, own))
    order = found.sortState
    sort = [(one.descending, one.sortBy, one.ref, one.customList) for one in order.sortCondition] if order else None
    return found.ref, columns, order and (order.columnSort, order.caseSensitive, order.sortMethod, order.ref), sort


def _zoom(rule: Rule, books: Books) -> bool:
    return matches_rule(_place(rule["sheet_idx"], books).sheet.sheet_view.zoomScale or 100.0, rule)


def _data_validation(rule: Rule, books: Books) -> bool:
    found = _place(rule["sheet_idx"], books).sheet.data_validations.dataValidation
    wanted = rule["dv_props"]

    def fits(validation: Any) -> bool:
        return any(all(matches_rule(getattr(validation, name), one) for name, one in each.items()) for each in wanted)

    return len(found) >= len(wanted) and all(map(fits, found))


def _check_cell(rule: Rule, books: Books) -> bool:
    place = _place(rule["sheet_idx"], books)
    cell = place.sheet[rule["coordinate"]]
    return all(
        matches_rule(place.value(rule["coordinate"]) if name == "value" else cell_style(name, cell), each)
        for name, each in rule["props"].items()
    )


RULES: Mapping[str, Callable[[Rule, Books], bool]] = {
    "sheet_name": _sheet_name,
    "sheet_data": _same(_data),
    "sheet_fuzzy": _sheet_fuzzy,
    "chart": _same(_chart),
    "style": _same(_style),
    "freeze": _same(lambda place, rule: place.sheet.freeze_panes),
    "row_props": _same(_dimensions("row")),
    "col_props": _same(_dimensions("column")),
    "filter": _same(_filter),
    "zoom": _zoom,
    "data_validation": _data_validation,
    "check_cell": _check_cell,
}
"""The rules that are computed here. Refused when a task is loaded: sheet_print, sparkline and pivot_table."""

METRICS: Mapping[str, Metric] = {"compare_table": compare_table}
"""The metrics over workbooks, by name."""
