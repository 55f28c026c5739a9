"""The wiki's markup: its links, categories, sections and redirects, and how it is shown as HTML.

It has headings (== History ==), lists (* item), '''bold''', ''italic'', [[links|with a text]], [[Category:Name]], an
infobox ({{Infobox, lines of | key = value, }}) and #REDIRECT [[Page]]. Everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

from markupsafe import Markup, escape

_LINK = re.compile(r"\[\[(?!Category:)([^\[\]|\n]{1,120})(?:\|([^\[\]\n]{1,120}))?\]\]")
_CATEGORY = re.compile(r"\[\[Category:([^\[\]|\n]{1,80})\]\]")
_REDIRECT = re.compile(r"^#REDIRECT \[\[([^\[\]|\n]{1,120})\]\]")
_HEADING = re.compile(r"^== *(.+?) *==$", re.MULTILINE)
_BOX = re.compile(r"^\{\{Infobox\n(.*?)^\}\}\n?", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| *([^=\n]+?) *= *(.*?) *$", re.MULTILINE)


def links_in(body: str) -> list[str]:
    """Titles that a text links to, each once, in their order."""
    return list(dict.fromkeys(match[1].strip() for match in _LINK.finditer(body)))


def categories_in(body: str) -> list[str]:
    """Categories that a text names, each once, in their order."""
    return list(dict.fromkeys(match[1].strip() for match in _CATEGORY.finditer(body)))


def redirect_in(body: str) -> str | None:
    """The title that a text redirects to, or None."""
    match = _REDIRECT.match(body)
    return match[1].strip() if match else None


def with_categories(body: str, names: list[str]) -> str:
    """The text with other categories, which stand at its end."""
    plain = _CATEGORY.sub("", body).rstrip()
    lines = "\n".join(f"[[Category:{name}]]" for name in names)
    return f"{plain}\n\n{lines}".strip()


def plain_text(body: str) -> str:
    """The text without its markup, as the search finds and shows it."""
    text = _CATEGORY.sub("", _ROW.sub(r"\1: \2.", body).replace("{{Infobox\n", "").replace("\n}}\n", "\n"))
    text = _LINK.sub(lambda match: match[2] or match[1], _HEADING.sub(r"\1:", text))
    return " ".join(re.sub("'{2,3}", "", text).split())


def sections_of(body: str) -> list[tuple[str, str]]:
    """Heading and text of each section; the first one has no heading. Joined with `join_sections` they are the text."""
    starts = [match.start() for match in _HEADING.finditer(body)]
    cuts = [0, *starts, len(body)] if not starts or starts[0] > 0 else [*starts, len(body)]
    parts = [body[begin:end] for begin, end in pairwise(cuts)]
    named = [(match[1] if (match := _HEADING.match(part)) else "", part) for part in parts]
    return named if named and named[0][0] == "" else [("", ""), *named]


@dataclass(frozen=True)
class Shown:
    """A text as HTML."""

    box: list[tuple[str, Markup]]
    """Keys and values of the infobox."""
    intro: Markup
    sections: list[tuple[str, Markup]]
    """Headings and texts of the sections after the first."""


def show(body: str, exists: Callable[[str], bool]) -> Shown:
    """A text as HTML, with everything that is no markup escaped.

    Args:
        body: The text.
        exists: Whether there is a page of a title; links to others lead to the form of a new page.
    """
    match = _BOX.search(body)
    box = [(row[1], _inline(row[2], exists)) for row in _ROW.finditer(match[1])] if match else []
    plain = _CATEGORY.sub("", body if match is None else body[: match.start()] + body[match.end() :])
    (_, intro), *rest = sections_of(plain.strip())
    shown = [(heading, _blocks(_HEADING.sub("", text, count=1), exists)) for heading, text in rest]
    return Shown(box, _blocks(intro, exists), shown)


def path_of(title: str, place: str = "wiki") -> str:
    """The address of a page, or of another view of it such as its history."""
    return f"/{place}/{quote(title.replace(' ', '_'), safe='')}"


def _blocks(text: str, exists: Callable[[str], bool]) -> Markup:
    pieces: list[Markup] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line for line in block.split("\n") if line.strip()]
        items = [line for line in lines if line.startswith("* ")]
        others = [line for line in lines if not line.startswith("* ")]
        if others:
            pieces.append(Markup("<p>{}</p>").format(_inline("\n".join(others), exists)))
        if items:
            entries = Markup("").join(Markup("<li>{}</li>").format(_inline(item[2:], exists)) for item in items)
            pieces.append(Markup("<ul>{}</ul>").format(entries))
    return Markup("\n").join(pieces)


def _inline(text: str, exists: Callable[[str], bool]) -> Markup:
    return Markup("").join(_pieces(text, exists))


def _pieces(text: str, exists: Callable[[str], bool]) -> Iterator[Markup]:
    end = 0
    for match in _LINK.finditer(text):
        yield _marks(text[end : match.start()])
        title = match[1].strip()
        kind = Markup("") if exists(title) else Markup(' class="missing"')
        href = path_of(title) if exists(title) else path_of(title, "edit")
        yield Markup('<a href="{}"{}>{}</a>').format(href, kind, (match[2] or title).strip())
        end = match.end()
    yield _marks(text[end:])


def _marks(text: str) -> Markup:
    # Both marks may stand around a link and so in different pieces; each is closed by the next one of its kind.
    shown = str(escape(text)).replace("&#39;", "'")
    shown = re.sub(r"'''([^'\n]+(?:'[^'\n]+)*)'''", r"<strong>\1</strong>", shown)
    shown = re.sub(r"''([^'\n]+(?:'[^'\n]+)*)''", r"<em>\1</em>", shown)
    return Markup(shown.replace("''", ""))  # noqa: S704 - escaped above, but for apostrophes
