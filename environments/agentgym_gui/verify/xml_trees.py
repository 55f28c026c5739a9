"""XML parsed without entities, external files or document types: a document that brings them is refused."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from agentgym_gui.verify.reading import UnreadableFileError

MAX_DEPTH = 200


def xml_root(content: bytes, *, may_have_doctype: bool = False) -> Element:
    """The root of a document.

    Args:
        content: The bytes of the document.
        may_have_doctype: Whether it may name its document type, as files of GTK's programs do; entities never pass.

    Raises:
        UnreadableFileError: It is no XML, brings a document type or entities, or is nested too deeply.
    """
    try:
        root: Element = fromstring(content, forbid_dtd=not may_have_doctype)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise UnreadableFileError(f"no XML that can be read: {str(error) or type(error).__name__}") from error
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise UnreadableFileError(f"XML nested over {MAX_DEPTH} deep")
        level = [child for element in level for child in element]
    return root


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Element, name: str, default: str = "") -> str:
    """An attribute by its name without a namespace."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return value
    return default


def all_text(element: Element) -> str:
    """The text within an element, in order."""
    return "".join(element.itertext())
