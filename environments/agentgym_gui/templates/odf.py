"""OpenDocument files, written by hand: the same arguments give the same bytes.

Source: OASIS, Open Document Format for Office Applications 1.3, parts 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from agentgym_gui.templates.making import Cell, shown, text, zip_file

_NAMESPACES = "".join(
    f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
        ("presentation", "presentation"),
    )
)
_KIND = "application/vnd.oasis.opendocument."


def ods_file(rows: Sequence[Sequence[Cell]]) -> bytes:
    """A workbook of one sheet, Sheet1."""
    lines = "".join(
        f"<table:table-row>{''.join(map(_cell, row)) or '<table:table-cell/>'}</table:table-row>" for row in rows
    )
    return _package("spreadsheet", f'<table:table table:name="Sheet1">{lines}</table:table>')


def odt_file(paragraphs: Sequence[str]) -> bytes:
    """A text of paragraphs."""
    return _package("text", "".join(f"<text:p>{escape(each)}</text:p>" for each in paragraphs))


def odp_file(titles: Sequence[str]) -> bytes:
    """A presentation; each slide has a box with its title."""
    place = 'svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="4cm"'
    pages = "".join(
        f"<draw:page draw:name={quoteattr(f'page{number}')}><draw:frame {place}><draw:text-box>"
        f"<text:p>{escape(title)}</text:p></draw:text-box></draw:frame></draw:page>"
        for number, title in enumerate(titles, 1)
    )
    return _package("presentation", pages)


def _cell(value: Cell) -> str:
    if value == "":
        return "<table:table-cell/>"
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    number = shown(value)
    said = f'office:value-type="float" office:value="{number}"'
    return f"<table:table-cell {said}><text:p>{number}</text:p></table:table-cell>"


def _package(kind: str, body: str) -> bytes:
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content{_NAMESPACES} office:version="1.3">'
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3"'
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media}"/>'
        for path, media in (("/", f"{_KIND}{kind}"), ("content.xml", "text/xml"))
    )
    manifest = f'<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest {space}>{entries}</manifest:manifest>'
    members = {"mimetype": f"{_KIND}{kind}", "META-INF/manifest.xml": manifest, "content.xml": content}
    return zip_file({name: text(each) for name, each in members.items()})
