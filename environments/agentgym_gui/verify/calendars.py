"""Calendars in iCalendar's form (RFC 5545): the events and to-dos with their plain properties."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta

from agentgym_gui.verify.reading import UnreadableFileError

MAX_ITEMS = 10_000
_KINDS = ("VEVENT", "VTODO", "VJOURNAL")
_DURATION = re.compile(r"P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?(?:(\d{1,5})S)?)?")
_MOMENT = "%Y%m%dT%H%M%S"
_ESCAPE = re.compile(r"\\([nN,;\\])")

Item = dict[str, str]
"""An event or to-do: its `kind`, and each property by its upper-case name, unescaped, without parameters. A property
that is written twice keeps both values, a line each. An end that is told by a duration is told as DTEND too. Alarms
within it are left out, but for `ALARMS`, their number."""


def items(text: str) -> list[Item]:
    """The events, to-dos and journal entries of a calendar, in order.

    Raises:
        UnreadableFileError: It is no calendar, or holds too many items.
    """
    lines = re.sub(r"\r?\n[ \t]", "", text).splitlines()
    if not lines or lines[0].strip().upper() != "BEGIN:VCALENDAR":
        raise UnreadableFileError("no calendar: it does not begin with BEGIN:VCALENDAR")
    found: list[Item] = []
    current: Item | None = None
    inner = 0
    for line in lines:
        name, _, value = line.partition(":")
        key = name.partition(";")[0].strip().upper()
        if key == "BEGIN" and current is not None:
            inner += 1
            current["ALARMS"] = str(int(current.get("ALARMS", "0")) + (value.strip().upper() == "VALARM"))
        elif key == "BEGIN" and value.strip().upper() in _KINDS:
            current = {"kind": value.strip().upper()}
        elif key == "END" and current is not None:
            if inner:
                inner -= 1
                continue
            found.append(_with_end(current))
            current = None
        elif current is not None and not inner and key:
            plain = _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
            current[key] = f"{current[key]}\n{plain}" if key in current else plain
        if len(found) > MAX_ITEMS:
            raise UnreadableFileError(f"over {MAX_ITEMS} items")
    return found


def _with_end(item: Item) -> Item:
    """An item with its end, if it tells a start and a duration."""
    match = _DURATION.fullmatch(item.get("DURATION", ""))
    if match is None or "DTEND" in item:
        return item
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    with suppress(ValueError, OverflowError):
        start = datetime.strptime(item.get("DTSTART", ""), _MOMENT)
        end = start + timedelta(days, seconds, minutes=minutes, hours=hours)
        return {**item, "DTEND": end.strftime(_MOMENT)}
    return item
