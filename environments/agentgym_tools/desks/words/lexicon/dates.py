"""Days and times that are not written as the tools write them: "October 3rd at 5:40 pm" is 2031-10-03 17:40."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.words.lexicon.sentences import Token

_MONTHS = {
    name[:3]: (name, number)
    for number, name in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
            *("october", "november", "december"),
        ),
        1,
    )
}
_WRITTEN = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_NEAR = 6
"""Tokens of a date in words, with a time."""
_NOW = date.fromisoformat(date_of(TODAY))


class Dated(NamedTuple):
    """A day that was found.

    Attributes:
        text: As the tools write it, with its time if it has one.
        end: Number of the token after it.
    """

    text: str
    end: int


def dated(tokens: Sequence[Token], place: int) -> Dated | None:
    """The day that begins at a token; None if none does."""
    token = tokens[place]
    if token.kind == "date":
        return _written(tokens, place)
    if place + 2 < len(tokens) and tokens[place + 1].text == ":":
        return _timed_before(tokens, place)
    if not any(near.word[:3] in _MONTHS for near in tokens[place : place + 3]):
        return None
    near = [number for number in range(place, min(len(tokens), place + _NEAR)) if tokens[number].kind != "comma"]
    near = [number for number in near if tokens[number].word not in ("of", "the") or number == place]
    texts = [tokens[number].text.casefold() for number in near]
    found = _day_and_month(texts[:2])
    if found is None:
        return None
    has_year = len(texts) > 2 and re.fullmatch(r"\d{4}", texts[2]) is not None
    year = int(texts[2]) if has_year else _nearest_year(*found)
    return _with_time(tokens, f"{year}-{found[1]:02}-{found[0]:02}", near[2 if has_year else 1] + 1)


def _timed_before(tokens: Sequence[Token], place: int) -> Dated | None:
    """A day whose time stands before it, as in "at 5:40 pm on October 3rd"."""
    at = place + 3
    while at < len(tokens) and tokens[at].word in ("am", "pm", "on", "the", "o", "m", ","):
        at += 1
    found = dated(tokens, at) if place + 3 < at < len(tokens) else None
    if found is None or ":" in found.text:
        return None
    time = _with_time(tokens, found.text, place)
    return Dated(time.text, found.end) if ":" in time.text else None


def _day_and_month(texts: Sequence[str]) -> tuple[int, int] | None:
    """The day and the month that two words name, in either order; "may" and "march" alone are no months."""
    if len(texts) < 2:
        return None
    for day, month in (texts, texts[::-1]):
        number, known = _DAY.fullmatch(day), _MONTHS.get(month[:3])
        if number is None or known is None or len(month) < 3 or not known[0].startswith(month):
            continue
        if 1 <= int(number[1]) <= 31:
            return int(number[1]), known[1]
    return None


def _nearest_year(day: int, month: int) -> int:
    """The year in which a day is nearest to the day of the talk."""
    years = (_NOW.year - 1, _NOW.year, _NOW.year + 1)
    return min(years, key=lambda year: abs((date(year, month, min(day, 28)) - _NOW).days))


def _written(tokens: Sequence[Token], place: int) -> Dated | None:
    """A day in figures: as the tools write it, or with dots or strokes where these leave no doubt."""
    text = tokens[place].text
    figures = _WRITTEN.fullmatch(text)
    if figures is None:
        return _with_time(tokens, re.sub(r"(?: at|,)?[ T](?=\d\d:)", " ", text), place + 1)
    day, month, year = (int(figures[number]) for number in (1, 2, 3))
    if "/" in text and day <= 12 and month <= 12 and day != month:
        return None
    if month > 12:
        day, month = month, day
    if month > 12 or not 1 <= day <= 31:
        return None
    return _with_time(tokens, f"{year}-{month:02}-{day:02}", place + 1)


def _with_time(tokens: Sequence[Token], day: str, end: int) -> Dated:
    """A day with the time that stands after it."""
    if ":" in day:
        return Dated(day, end)
    at = end
    while at < len(tokens) and (tokens[at].word == "at" or tokens[at].text == ","):
        at += 1
    texts = [token.text for token in tokens[at : at + 4]]
    if len(texts) < 3 or texts[1] != ":" or re.fullmatch(r"\d\d", texts[2]) is None or not texts[0].isdecimal():
        return Dated(day, end)
    hour, after = int(texts[0]), texts[3].casefold() if len(texts) > 3 else ""
    if after in ("am", "pm"):
        hour = hour % 12 + 12 * (after == "pm")
    return Dated(f"{day} {hour:02}:{texts[2]}", at + 3 + (after in ("am", "pm"))) if hour < 24 else Dated(day, end)
