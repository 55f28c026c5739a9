"""The days of a desk: whole numbers from an epoch, which agents read as dates and as days since or until."""

from __future__ import annotations

from datetime import date, timedelta

EPOCH = date(2029, 1, 1)
TODAY = 1000
"""The day on which episodes take place, counted from `EPOCH`."""


def date_of(day: int) -> str:
    """A day as text, such as 2031-09-28."""
    return (EPOCH + timedelta(days=day)).isoformat()


def dated(what: str, day: int | None) -> dict[str, str | int]:
    """What a tool says of a day: its date, and how many days it is past or ahead.

    Args:
        what: What happens on it, such as "start".
        day: The day; None where there is none, and nothing is said.
    """
    if day is None:
        return {}
    apart = {f"days_since_{what}": TODAY - day} if day <= TODAY else {f"days_until_{what}": day - TODAY}
    return {f"{what}_on": date_of(day), **apart}
