"""Pages of a list: which rows a page holds, and the links to the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

MAX_DIGITS = 6
"""Longer page numbers are read as 1."""


@dataclass(frozen=True)
class Pager:
    """A page of a list, for the macro `parts.pages`."""

    total: int
    """Number of rows of the whole list."""
    number: int = 1
    """The page's number; one that does not exist is read as the nearest that does."""
    size: int = 20
    """Rows on a page."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The other parameters of the address, which links keep."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", min(max(self.number, 1), self.num_pages))

    @property
    def num_pages(self) -> int:
        """Number of pages, at least 1."""
        return max(1, -(-self.total // self.size))

    @property
    def offset(self) -> int:
        """Rows before this page, for OFFSET."""
        return (self.number - 1) * self.size

    def link(self, number: int) -> str:
        """The address of another page, relative to this one."""
        kept = {name: value for name, value in self.query.items() if name != "page" and value}
        return "?" + urlencode({**kept, "page": number})

    def shown(self) -> list[int | None]:
        """Numbers that get a link: the first, the last and those around; None is a gap."""
        near = sorted({1, *range(self.number - 2, self.number + 3), self.num_pages} & {*range(1, self.num_pages + 1)})
        shown: list[int | None] = []
        for number in near:
            if shown and shown[-1] is not None and number > shown[-1] + 1:
                shown.append(None)
            shown.append(number)
        return shown


def page_number(query: Mapping[str, str]) -> int:
    """The number that an address asks for with `page`; 1 if it is none."""
    text = query.get("page", "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 1
