"""Oracles of pages with a calendar to pick a day from, and of the booking of flights that needs one."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.listing import minutes, price
from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, solves
from agentgym_web.reading import Reading

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MAX_CALLS = 8


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_date(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A day in the calendar below a field, then Submit."""
    date = re.search(r"\d\d/\d\d/\d{4}", instruction)[0]  # type: ignore[index]
    field = seen.find("textbox")
    if field is not None and field.value == date:
        return lines(click(seen.find("button", "Submit")))
    return pick_date(seen, date)


def pick_date(seen: Reading, date: str) -> str:
    """The next message on the way to a day: open the calendar, turn to the month, click the day.

    Args:
        seen: The page, whose only readonly field is the one for the date.
        date: Month, day and year, such as "01/14/2016".
    """
    month, day, year = map(int, date.split("/"))
    shown = next((node for node in seen.nodes if node.name in MONTHS), None)
    if shown is None:
        return lines(click(next((node for node in seen.all("textbox") if "readonly" in node.properties), None)))
    shown_year = int(seen.nodes[shown.index + 1].name)
    back = (shown_year - year) * 12 + MONTHS.index(shown.name) + 1 - month
    if back:
        key = "PageUp" if back > 0 else "PageDown"
        return lines(*[do("keyboard_press", key)] * min(abs(back), MAX_CALLS))
    return lines(click(seen.find("link", str(day))))


@solves("book-flight", "book-flight-nodelay")
def book_flight(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The two cities, the day, and the cheapest or shortest of the flights found."""
    found = re.search(r"Book the (\w+) one-way flight from: (.*) to: (.*) on (\S+)\.", instruction)
    wish, start, goal, date = found.groups()  # type: ignore[union-attr]
    fields = seen.all("textbox")
    if not fields:
        return _book(seen, wish)
    for field, city in zip(fields, (start, goal), strict=False):
        if not field.value:
            return do("fill", field.id, city, True)
        if "focused" in field.properties and field.value == city:
            names = [f" ({city})", f"{city} ("]
            fitting = [node for node in seen.all("listitem") if any(name in node.name for name in names)]
            return click(fitting[0]) if fitting else NOTHING
    if fields[2].value != date:
        return pick_date(seen, date)
    return lines(click(seen.find("button", "Search")))


def _book(seen: Reading, wish: str) -> str:
    offers = [button for button in seen.all("button") if button.name.startswith("Book flight")]
    if not offers:
        return NOTHING
    if wish == "cheapest":
        return click(min(offers, key=lambda offer: price(offer.name)))
    return click(min(offers, key=lambda offer: minutes(offer, seen)))
