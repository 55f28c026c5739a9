"""How templates show values: filters of Jinja2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from markupsafe import Markup, escape


def money(cents: int) -> str:
    """An amount in cents, such as "$1,234.50"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


def day(stamp: str | datetime) -> str:
    """A date or time as a day, such as "2 March 2026"."""
    moment = _read(stamp)
    return f"{moment.day} {moment:%B %Y}"


def moment(stamp: str | datetime) -> str:
    """A time with its day, such as "2 Mar 2026, 09:05"."""
    read = _read(stamp)
    return f"{read.day} {read:%b %Y, %H:%M}"


def paragraphs(text: str) -> Markup:
    """Text that a person typed as paragraphs, with its line breaks, escaped."""
    parts = [part.strip() for part in text.replace("\r\n", "\n").split("\n\n")]
    return Markup("").join(Markup("<p>{}</p>").format(_lines(part)) for part in parts if part)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, such as "1 reply" or "1,200 replies"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _lines(text: str) -> Markup:
    return Markup("<br>").join(escape(line) for line in text.split("\n"))


def _read(stamp: str | datetime) -> datetime:
    return stamp if isinstance(stamp, datetime) else datetime.fromisoformat(stamp)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "money": money,
    "day": day,
    "moment": moment,
    "paragraphs": paragraphs,
    "plural": plural,
}
"""The filters by the names that templates use."""
