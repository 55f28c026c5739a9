"""Pages of Zim, a wiki kept as text files: each begins with a few header lines, then an empty one, then the page."""

from __future__ import annotations

import re

from agentgym_gui.verify.reading import UnreadableFileError


def page_text(text: str) -> str:
    """What a page holds below its headers and the title that Zim writes itself, without empty lines at both ends.

    Raises:
        UnreadableFileError: It is no page of Zim.
    """
    head, separator, body = text.partition("\n\n")
    if not separator or not head.startswith("Content-Type: text/x-zim-wiki"):
        raise UnreadableFileError("no page of Zim: its headers are missing")
    return re.sub(r"\A\s*={6} [^\n]* ={6}\n", "", body).strip("\n")


def page_title(text: str) -> str:
    """The title on top of a page; "" where it has none."""
    match = re.search(r"^={6} ([^\n]*) ={6}$", text, re.MULTILINE)
    return match[1] if match else ""


def checkboxes(text: str) -> dict[str, str]:
    """The items of check lists by their text: "open" for [ ], "done" for [*], "failed" for [x], "moved" for [>]."""
    kinds = {" ": "open", "*": "done", "x": "failed", ">": "moved", "<": "back"}
    return {
        match[2].strip(): kinds[match[1]] for match in re.finditer(r"^\t*\[([ *x><])\] ([^\n]*)$", text, re.MULTILINE)
    }
