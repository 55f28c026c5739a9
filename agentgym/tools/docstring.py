"""What a docstring with Google's sections says: the description, and a text for each argument.

Types in docstrings are left out: annotations state them.
"""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

_SECTION = re.compile(r"([A-Z][A-Za-z ]*):\s*")
_ARGUMENTS = {"Args", "Arguments", "Parameters", "Attributes"}
_ENTRY = re.compile(r"(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


class Docstring(NamedTuple):
    """A docstring, read.

    Attributes:
        description: The text before the first section, each paragraph on a line of its own.
        arguments: For each documented argument or attribute its text, on one line.
    """

    description: str
    arguments: dict[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Reads a docstring; None and "" give an empty description."""
    described: list[str] = []
    arguments: dict[str, str] = {}
    section, indent, entry = "", 0, ""
    for line in inspect.cleandoc(text or "").splitlines():
        heading = _SECTION.fullmatch(line)
        depth = len(line) - len(line.lstrip())
        if heading:
            section, indent, entry = heading[1], 0, ""
        elif not section:
            described.append(line.strip())
        elif section in _ARGUMENTS and line.strip():
            indent = indent or depth
            found = _ENTRY.fullmatch(line.strip()) if depth == indent else None
            if found:
                entry, arguments[found[1]] = found[1], found[2]
            elif entry:
                arguments[entry] = f"{arguments[entry]} {line.strip()}".strip()
    paragraphs = re.split(r"\n{2,}", "\n".join(described).strip())
    return Docstring("\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs), arguments)
