"""The text of written documents and slides: odt, odp, docx and pptx, read from their XML parts.

Macros, links and embedded objects are never opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from agentgym_gui.verify.archives import zip_members
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.xml_trees import attribute, local, xml_root


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a document: its text, and the name of its style as the file says it."""

    text: str
    style: str = ""


def paragraphs(content: bytes, name: str) -> list[Paragraph]:
    """The paragraphs of a document in order; those of all slides for a presentation.

    Raises:
        UnreadableFileError: The format is unknown, or the file is broken or too large.
    """
    ending = name.rpartition(".")[2].lower()
    parts = zip_members(content)
    if ending in ("odt", "odp"):
        return list(_odt(_part(parts, "content.xml")))
    if ending == "docx":
        return list(_office(_part(parts, "word/document.xml")))
    if ending == "pptx":
        return [each for slide in slides(parts) for each in slide]
    raise UnreadableFileError(f"{name}: no document; expected odt, odp, docx or pptx")


def slides(parts: Mapping[str, bytes]) -> list[list[Paragraph]]:
    """The paragraphs of each slide of a presentation, in the order in which they are shown."""
    relations = {
        attribute(each, "Id"): attribute(each, "Target") for each in _part(parts, "ppt/_rels/presentation.xml.rels")
    }
    shown = [each for each in _part(parts, "ppt/presentation.xml").iter() if local(each) == "sldId"]
    # A slide has two identities: its own number, and the relation that says where it lies.
    keys = [next((value for key, value in each.items() if key.endswith("}id")), "") for each in shown]
    return [list(_office(_part(parts, "ppt/" + relations.get(key, "").removeprefix("/ppt/")))) for key in keys]


def _part(parts: Mapping[str, bytes], name: str) -> Element:
    if name not in parts:
        raise UnreadableFileError(f"the document has no part {name}")
    return xml_root(parts[name])


def _odt(root: Element) -> Iterator[Paragraph]:
    for element in root:
        if local(element) in ("p", "h"):
            yield Paragraph(_odt_text(element), attribute(element, "style-name"))
        if local(element) != "notes":  # what a speaker reads, behind each slide
            yield from _odt(element)


def _odt_text(element: Element) -> str:
    pieces = [element.text or ""]
    for child in element:
        kind = local(child)
        if kind == "s":
            count = attribute(child, "c", "1")
            pieces.append(" " * min(int(count) if count.isdigit() else 1, 1_000))
        elif kind in ("tab", "line-break"):
            pieces.append("\t" if kind == "tab" else "\n")
        elif kind not in ("note", "annotation", "tracked-changes"):
            pieces.append(_odt_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _office(root: Element) -> Iterator[Paragraph]:
    for element in root.iter():
        if local(element) == "p" and not element.tag.startswith("{http://schemas.openxmlformats.org/presentationml"):
            style = next((attribute(each, "val") for each in element.iter() if local(each) == "pStyle"), "")
            yield Paragraph("".join(_office_pieces(element)), style)


def _office_pieces(paragraph: Element) -> Iterator[str]:
    for element in paragraph.iter():
        kind = local(element)
        if kind == "t":
            yield element.text or ""
        elif kind in ("tab", "br", "cr") and not re.search("tabs$", kind):
            yield "\t" if kind == "tab" else "\n"
