"""Recorded pages that are too long, cut between elements: the head stays, and the part with the element that is wanted.

The parts of a page do not depend on where in them the element stands, so that the cut tells little about it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

_TAG = re.compile(r"""<(/?)(?:"[^"]*"|'[^']*'|[^'"<>])*+>""")
_HEAD = 4
"""The head of a page gets this part of its characters."""
_LEFT_OUT = "\n(a part of the page is left out)\n"


def has_element(page: str, number: str) -> bool:
    """Whether an element of this backend_node_id is on a page."""
    return _element(number).search(page) is not None


def cut_page(page: str, number: str, max_characters: int) -> str | None:
    """A page of at most so many characters, without the notes of what is left out.

    Args:
        page: HTML.
        number: The backend_node_id of an element of it that stays, with its text up to its first child.
        max_characters: Most characters that are kept.

    Returns:
        The page; None if the element is too long.
    """
    if len(page) <= max_characters:
        return page
    cuts = _cuts(page)
    found = _element(number).search(page)
    assert found is not None
    start = cuts[bisect_right(cuts, found.start()) - 1]
    end = cuts[bisect_right(cuts, start)]
    if end <= max_characters:
        return page[: _before(cuts, max_characters)] + _LEFT_OUT
    head = _before(cuts, max_characters // _HEAD)
    room = max_characters - head
    part = min(head + (start - head) // room * room, len(page) - room)
    first = cuts[bisect_left(cuts, part)]
    last = _before(cuts, first + room)
    if first > start or last < end:  # the element lies across two parts
        last = end
        first = cuts[bisect_left(cuts, end - room)]
    if first > start:
        return None
    after = _LEFT_OUT if last < len(page) else ""
    return f"{page[:head]}{_LEFT_OUT}{page[first:last]}{after}"


def _element(number: str) -> re.Pattern[str]:
    """The attribute with this number, in an opening tag."""
    return re.compile(rf"""\sbackend_node_id=(["']?){re.escape(number)}\1(?=[\s/>])""")


def _cuts(page: str) -> list[int]:
    """Where a page may be cut: before opening tags and after closing ones, so that no tag loses its text."""
    cuts = {0, len(page)}
    for tag in _TAG.finditer(page):
        cuts.add(tag.end() if tag[1] else tag.start())
    return sorted(cuts)


def _before(cuts: list[int], position: int) -> int:
    """The last cut that is not after a position."""
    return cuts[bisect_right(cuts, position) - 1]
