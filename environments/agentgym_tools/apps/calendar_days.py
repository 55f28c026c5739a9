"""Days and times as apps show and take them: 2031-09-28, and 14:30."""

from __future__ import annotations

from datetime import date

from agentgym_tools.desks.setting.days import EPOCH, TODAY, date_of
from agentgym_tools.worlds.toolbox import ToolFailure

DAY = 24 * 60
"""Minutes of a day."""
_LAST_DAY = 20_000

__all__ = ["DAY", "TODAY", "clock", "date_of", "moment", "read_day", "read_time"]


def clock(minutes: int) -> str:
    """A time of day, such as 14:30."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def moment(minutes: int) -> str:
    """A day and a time of it, such as 2031-09-28 14:30."""
    return f"{date_of(minutes // DAY)} {clock(minutes % DAY)}"


def read_day(text: str) -> int:
    """The inverse of `date_of`.

    Raises:
        ToolFailure: It is no such day.
    """
    try:
        day = (date.fromisoformat(text.strip()) - EPOCH).days
    except ValueError:
        raise ToolFailure(f"{text[:40]!r} is no day; write it as 2031-09-28.") from None
    if not 0 <= day <= _LAST_DAY:
        raise ToolFailure(f"{text[:40]!r} is outside the calendar.")
    return day


def read_time(text: str) -> int:
    """The inverse of `clock`.

    Raises:
        ToolFailure: It is no time of day.
    """
    hours, colon, minutes = text.strip().partition(":")
    is_written = colon and hours.isascii() and minutes.isascii() and hours.isdigit() and minutes.isdigit()
    if not is_written or len(hours) > 2 or len(minutes) != 2 or int(hours) > 23 or int(minutes) > 59:
        raise ToolFailure(f"{text[:40]!r} is no time of day; write it as 14:30.")
    return int(hours) * 60 + int(minutes)
