"""Metrics over written documents in docx, and the texts of odt."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

import docx
from docx.document import Document
from docx.enum.text import WD_PARAGRAPH_ALIGNMENT

from agentgym_gui.osworld.metrics.similarity import ratio
from agentgym_gui.osworld.metrics.texts import File
from agentgym_gui.osworld.metrics.values import Metric
from agentgym_gui.verify import archives, xml_trees
from agentgym_gui.verify.reading import UnreadableFileError

_BREAK = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}br"
_TYPE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}type"


def office_file(content: bytes) -> io.BytesIO:
    """An office document for a library to read, after its parts were unpacked within limits and found free of entities.

    Raises:
        UnreadableFileError: It is no such document, or one that must not be read.
    """
    for name, part in archives.zip_members(content).items():
        if name.endswith((".xml", ".rels")):
            xml_trees.xml_root(part)
    return io.BytesIO(content)


def document(content: bytes) -> Document:
    """A document in docx.

    Raises:
        UnreadableFileError: It is no document in docx.
    """
    try:
        return docx.Document(office_file(content))
    except UnreadableFileError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"no document in docx: {error}") from error


def compare_docx_files(result: File, expected: File, **options: Any) -> float:
    """Whether two documents have the same paragraphs, or how alike they are, as the options say.

    Without options, the texts are compared as one, every run of blanks as one space.
    """
    if not result or not expected:
        return 0.0
    texts = [_paragraphs(each) for each in (result, expected)]
    if options.get("ignore_order", False):
        texts = [sorted(each) for each in texts]
    if options.get("delete_empty_lines", False):
        texts = [[line for line in each if line.strip()] for each in texts]
    if options.get("ignore_case", False):
        texts = [[line.lower() for line in each] for each in texts]
    is_fuzzy = options.get("fuzzy_match", False)
    if options.get("content_only", False) or options.get("ignore_blanks", True):
        first, second = (re.sub(r"\s+", " ", "\n".join(each)).strip() for each in texts)
        return ratio(first, second) if is_fuzzy or options.get("content_only", False) else float(first == second)
    if not is_fuzzy or len(texts[0]) != len(texts[1]):
        return float(texts[0] == texts[1])
    return sum(map(ratio, *texts)) / len(texts[0]) if texts[0] else 1.0


def _paragraphs(content: bytes) -> list[str]:
    parts = archives.zip_members(content)
    if "content.xml" not in parts:
        return [each.text for each in document(content).paragraphs]
    root = xml_trees.xml_root(parts["content.xml"])
    found = []
    for element in root.iter():
        if xml_trees.local(element) == "p":
            pieces = [element.text or ""]
            for child in element:
                # As in OSWorld: the text of a span itself, and what follows a child; nothing that lies deeper.
                is_span = xml_trees.local(child) == "span"
                inner = [child.text or "", *(each.tail or "" for each in child)] if is_span else []
                pieces += [*inner, child.tail or ""]
            found.append("".join(pieces))
    return found


def compare_docx_files_and_ignore_new_lines(result: File, expected: File, **options: Any) -> float:
    """Whether two documents have the same paragraphs but for empty ones."""
    if not result or not expected:
        return 0.0
    texts = [[each.text for each in document(content).paragraphs if each.text] for content in (result, expected)]
    if options.get("ignore_blanks", True):
        texts = [[re.sub(r"\s+", " ", "\n".join(each)).strip()] for each in texts]
    return float(texts[0] == texts[1])


def compare_docx_lines(result: File, expected: File) -> float:
    """Whether two documents have the same set of lines."""
    if not result or not expected:
        return 0.0
    lines = [{each.text.strip() for each in document(content).paragraphs} - {""} for content in (result, expected)]
    return float(lines[0] == lines[1])


def compare_init_lines(result: File, expected: File) -> float:
    """Whether one of two documents begins with the paragraphs of the other."""
    if not result or not expected:
        return 0.0
    texts = [[each.text for each in document(content).paragraphs] for content in (result, expected)]
    return float(all(one == other for one, other in zip(*texts, strict=False)))


def compare_line_spacing(result: File, expected: File) -> float:
    """Whether two documents have the same text and the same line spacing in each paragraph."""
    if not result or not expected or not compare_docx_files(result, expected):
        return 0.0
    spacings = [
        [each.paragraph_format.line_spacing for each in document(content).paragraphs] for content in (result, expected)
    ]
    return float(spacings[0] == spacings[1])


def compare_docx_tables(result: File, expected: File) -> float:
    """Whether two documents have the same tables, by the texts of their cells."""
    if not result or not expected:
        return 0.0
    tables = [
        [[[cell.text.strip() for cell in row.cells] for row in table.rows] for table in document(content).tables]
        for content in (result, expected)
    ]
    return float(tables[0] == tables[1])


def is_first_line_centered(result: File) -> float:
    """Whether the first paragraph of a document is centred."""
    paragraphs = document(result).paragraphs if result else []
    return float(bool(paragraphs) and paragraphs[0].paragraph_format.alignment == WD_PARAGRAPH_ALIGNMENT.CENTER)


def compare_font_names(result: File, rules: Mapping[str, Any]) -> float:
    """Whether every piece of text in a document names the expected font."""
    if not result:
        return 0.0
    fonts = {run.font.name for paragraph in document(result).paragraphs for run in paragraph.runs}
    return float(fonts <= {rules["font_name"]})


def contains_page_break(result: File, rules: Mapping[str, Any] | None = None) -> float:
    """Whether a document has page breaks, as many as `page_break_count` says if it does."""
    if not result:
        return 0.0
    runs = [run for paragraph in document(result).paragraphs for run in paragraph.runs]
    count = sum(each.get(_TYPE) == "page" for run in runs for each in run.element.iter(_BREAK))
    wanted = (rules or {}).get("page_break_count")
    return float(count > 0 and wanted in (None, count))


METRICS: Mapping[str, Metric] = {
    each.__name__: each
    for each in (
        compare_docx_files,
        compare_docx_files_and_ignore_new_lines,
        compare_docx_lines,
        compare_init_lines,
        compare_line_spacing,
        compare_docx_tables,
        is_first_line_centered,
        compare_font_names,
        contains_page_break,
    )
}
"""The metrics over documents, by name."""
