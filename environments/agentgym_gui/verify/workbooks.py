"""Spreadsheets as the programs of the desktop write them: xlsx, ods, gnumeric's XML and csv, each to the same cells.

Formulas are read as text with the value that the program stored; nothing is computed. Macros are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from agentgym_gui.verify.archives import gunzipped, zip_members
from agentgym_gui.verify.plain_text import csv_rows, decoded
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.xml_trees import all_text, attribute, local, xml_root

MAX_CELLS = 200_000
MAX_REPEAT = 2_000
"""A cell that is said to be repeated more often than this is a filler at the end of a row; fillers hold nothing."""
_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")

Value = str | float


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook.

    Attributes:
        values: What each filled cell shows, by its name such as "B2": numbers as floats, all else as text.
        formulas: The formula of each cell that has one, without the equals sign in front.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)


def workbook(content: bytes, name: str) -> dict[str, Sheet]:
    """The sheets of a workbook by name, in order.

    Args:
        content: The bytes of the file.
        name: Its name, whose ending tells the format.

    Raises:
        UnreadableFileError: The format is unknown, or the file is broken or too large.
    """
    ending = name.rpartition(".")[2].lower()
    if ending not in _READERS:
        raise UnreadableFileError(f"{name}: no spreadsheet; expected {', '.join(sorted(_READERS))}")
    return _READERS[ending](content)


def cell_name(row: int, column: int) -> str:
    """The name of a cell by row and column, both from 0: (0, 0) is A1."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


def cell_place(name: str) -> tuple[int, int]:
    """Row and column of a cell, both from 0.

    Raises:
        UnreadableFileError: It is no name of a cell.
    """
    match = _REFERENCE.fullmatch(name)
    if match is None:
        raise UnreadableFileError(f"{name!r} names no cell")
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def number_or_text(text: str) -> Value:
    """A number where the text is one, such as "3" or "2.50"; else the text."""
    return float(text) if re.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+", text.strip()) else text


def _csv(content: bytes) -> dict[str, Sheet]:
    cells = {
        cell_name(row, column): number_or_text(text)
        for row, texts in enumerate(csv_rows(decoded(content)))
        for column, text in enumerate(texts)
        if text
    }
    return {"": Sheet(_bounded(cells))}


# xlsx: a zip of XML parts; a workbook names its sheets, and relations say where each lies.


def _xlsx(content: bytes) -> dict[str, Sheet]:
    parts = zip_members(content)
    places = {attribute(each, "Id"): attribute(each, "Target") for each in _part(parts, "xl/_rels/workbook.xml.rels")}
    shared = []
    if "xl/sharedStrings.xml" in parts:
        shared = [_rich_text(each) for each in _part(parts, "xl/sharedStrings.xml")]
    found = {}
    for sheet in _part(parts, "xl/workbook.xml").iter():
        if local(sheet) == "sheet":
            target = places.get(attribute(sheet, "id"), "")
            path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
            found[attribute(sheet, "name")] = _xlsx_sheet(_part(parts, path), shared)
    return found


def _part(parts: Mapping[str, bytes], name: str) -> Element:
    if name not in parts:
        raise UnreadableFileError(f"the document has no part {name}")
    return xml_root(parts[name])


def _rich_text(element: Element) -> str:
    """The text of a shared or inline string, without its phonetic reading."""
    runs = [
        run for child in element for run in ([child] if local(child) == "t" else child if local(child) == "r" else ())
    ]
    return "".join(run.text or "" for run in runs if local(run) == "t")


def _xlsx_sheet(root: Element, shared: list[str]) -> Sheet:
    values: dict[str, Value] = {}
    formulas: dict[str, str] = {}
    for cell in (each for each in root.iter() if local(each) == "c"):
        name, kind = attribute(cell, "r"), attribute(cell, "t", "n")
        cell_place(name)
        for part in cell:
            if local(part) == "f" and part.text:
                formulas[name] = part.text
            elif local(part) == "is":
                values[name] = _rich_text(part)
            elif local(part) == "v" and part.text is not None:
                values[name] = _xlsx_value(part.text, kind, shared)
        _bounded(values)
    return Sheet(values, formulas)


def _xlsx_value(text: str, kind: str, shared: list[str]) -> Value:
    if kind == "s":
        index = int(text) if text.isdigit() else len(shared)
        if index >= len(shared):
            raise UnreadableFileError(f"a cell shows the shared text {text[:20]}, which is not there")
        return shared[index]
    if kind == "b":
        return "TRUE" if text == "1" else "FALSE"
    return number_or_text(text) if kind == "n" else text


# ods: a zip with content.xml; equal cells and rows in a row are written once, with a number.


def _ods(content: bytes) -> dict[str, Sheet]:
    root = _part(zip_members(content), "content.xml")
    return {attribute(each, "name"): _ods_sheet(each) for each in root.iter() if local(each) == "table"}


def _ods_sheet(table: Element) -> Sheet:
    values: dict[str, Value] = {}
    formulas: dict[str, str] = {}
    row = 0
    for line in (each for each in table.iter() if local(each) == "table-row"):
        height = _repeat(line, "number-rows-repeated")
        column = 0
        for cell in line:
            width = _repeat(cell, "number-columns-repeated")
            value, formula = _ods_value(cell), attribute(cell, "formula")
            if value is not None and (height > MAX_REPEAT or width > MAX_REPEAT):
                raise UnreadableFileError(f"a filled cell is repeated over {MAX_REPEAT} times")
            for place in _block(row, column, height, width) if value is not None else ():
                values[place] = value  # type: ignore[assignment]
                if formula:
                    formulas[place] = formula.partition("=")[2]
            _bounded(values)
            column += width
        row += height
    return Sheet(values, formulas)


def _block(row: int, column: int, height: int, width: int) -> Iterator[str]:
    return (cell_name(row + down, column + right) for down in range(height) for right in range(width))


def _repeat(element: Element, name: str) -> int:
    text = attribute(element, name, "1")
    if not text.isdigit():
        raise UnreadableFileError(f"{name} is no number: {text[:20]!r}")
    return int(text)


def _ods_value(cell: Element) -> Value | None:
    kind = attribute(cell, "value-type")
    if kind in ("float", "percentage", "currency"):
        return number_or_text(attribute(cell, "value"))
    if kind in ("date", "time", "boolean"):
        return attribute(cell, f"{kind}-value")
    texts = [all_text(each) for each in cell if local(each) == "p"]
    return "\n".join(texts) if any(texts) else None


# gnumeric: XML, packed with gzip; a formula that several cells share is written at the first.


def _gnumeric(content: bytes) -> dict[str, Sheet]:
    root = xml_root(gunzipped(content))
    found = {}
    for sheet in (each for each in root.iter() if local(each) == "Sheet"):
        name = next((each.text or "" for each in sheet if local(each) == "Name"), "")
        found[name] = _gnumeric_sheet(sheet)
    return found


def _gnumeric_sheet(sheet: Element) -> Sheet:
    values: dict[str, Value] = {}
    formulas: dict[str, str] = {}
    shared: dict[str, str] = {}
    for cell in (each for each in sheet.iter() if local(each) == "Cell"):
        row, column, text = attribute(cell, "Row"), attribute(cell, "Col"), cell.text or ""
        if not (row.isdigit() and column.isdigit()):
            raise UnreadableFileError("a cell has no place")
        name, kind, expression = (
            cell_name(int(row), int(column)),
            attribute(cell, "ValueType"),
            attribute(cell, "ExprID"),
        )
        if not kind:  # a formula; what it gives is not stored
            shared.setdefault(expression, text) if expression and text else None
            formulas[name] = (text or shared.get(expression, "")).removeprefix("=")
        else:
            values[name] = number_or_text(text) if kind in ("30", "40") else text
        _bounded(values)
    return Sheet(values, formulas)


def _bounded(cells: dict[str, Value]) -> dict[str, Value]:
    if len(cells) > MAX_CELLS:
        raise UnreadableFileError(f"over {MAX_CELLS} filled cells")
    return cells


_READERS: Mapping[str, Callable[[bytes], dict[str, Sheet]]] = {
    "csv": _csv,
    "xlsx": _xlsx,
    "ods": _ods,
    "gnumeric": _gnumeric,
}
