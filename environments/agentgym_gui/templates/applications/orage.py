"""Templates for Orage, a calendar kept in one file. They are for the test split alone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_gui.templates.making import calendar_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, call, click, filled, finish, if_there, menu, press
from agentgym_gui.templates.words import TOPICS, TOWNS, person, some

APP = "orage"
PATH = ".local/share/orage/orage.ics"
KEEPING = (".config/orage/*", ".local/share/orage/orage_*.txt")
_LOCATION, _TITLE = 2, 3
"""Which of the fields of an appointment."""
_HOUR = ((7, "14"), (6, "0"), (2, "1"), (1, "0"))
"""Which of its numbers are hour and minute of the start, and hours and minutes that it lasts, and what they are."""
Events = list[dict[str, str]]


def _event(day: int, hour: int, title: str, town: str) -> dict[str, str]:
    start, end = f"202611{day:02}T{hour:02}0000", f"202611{day:02}T{hour + 1:02}0000"
    return {"DTSTART": start, "DTEND": end, "SUMMARY": title, "LOCATION": town}


def _events(rng: random.Random) -> Events:
    days = sorted(rng.sample(range(2, 28), 4))
    towns = some(rng, TOWNS, 4)
    titles = [f"{topic.title()} with {person(rng)}" for topic in some(rng, TOPICS, 4)]
    return [_event(day, 9 + place, titles[place], towns[place]) for place, day in enumerate(days)]


def _day(day: int) -> Steps:
    """A click on a day of November 2026 in the small window, which shows March; both months begin on a Sunday."""
    row, column = divmod(day - 1, 7)
    return (press("ctrl+Right", 8), call("click_at", x=568 + 28 * column, y=414 + 17 * row))


def _listed(event: Mapping[str, str]) -> Steps:
    """An appointment in the list of its day."""
    return (
        *_day(int(event["DTSTART"][6:8])),
        *menu("View", "View selected date"),
        click("table cell", event["SUMMARY"]),
    )


def _opened(event: Mapping[str, str]) -> Steps:
    """An appointment in a window of its own. Now and then the list stays above it and is closed."""
    *_, entry = _listed(event)
    return (*_listed(event), {**entry, "arguments": {"count": 2}}, if_there(click("push button", "Close")))


def _plan(words: str, old: Events, new: Events, wrong: list[Events], *, steps: Steps, num_mistakes: int = 0) -> Plan:
    source: dict[str, Any] = {"path": PATH}
    goals = [goal("number", "ics", **source, count=len(new))]
    goals += [goal(each["SUMMARY"], "ics", **source, contains=[each]) for each in new]
    return Plan(
        goal=words,
        applications=(APP,),
        start=((APP,),),
        files={PATH: calendar_file(old)},
        goals=tuple(goals),
        may_change=(PATH, *KEEPING),
        ending=Ending({PATH: calendar_file(new)}),
        near_misses=tuple(Ending({PATH: calendar_file(each)}) for each in wrong),
        oracle=(*steps, finish()),
        num_mistakes=num_mistakes,
    )


def _add(rng: random.Random) -> Plan:
    events = _events(rng)
    new = _event(28, 14, f"Call {person(rng)}", rng.choice(TOWNS))
    words = f'Add an appointment "{new["SUMMARY"]}" in {new["LOCATION"]} on 28 November 2026 from 14:00 to 15:00.'
    late = {**new, "DTSTART": "20261128T150000", "DTEND": "20261128T160000"}
    steps = (
        *_day(28),
        press("ctrl+n"),
        *filled(new["SUMMARY"], nth=_TITLE),
        *filled(new["LOCATION"], nth=_LOCATION),
        *(step for place, value in _HOUR for step in (*filled(value, "spin button", nth=place), press("Tab"))),
        click("push button", "Save and close"),
    )
    return _plan(words, events, [*events, new], [[*events, late], [*events[1:], new]], steps=steps)


def _delete(rng: random.Random) -> Plan:
    events = _events(rng)
    gone, other = rng.sample(events, 2)
    words = f'Delete the appointment "{gone["SUMMARY"]}".'
    return _plan(
        words,
        events,
        [e for e in events if e is not gone],
        [[e for e in events if e is not other]],
        steps=(
            *_listed(gone),
            click("push button", "Delete"),
            click("push button", "Yes, remove them"),
        ),
    )


def _retitle(rng: random.Random) -> Plan:
    events = _events(rng)
    old = rng.choice(events)
    title = f"Lunch with {person(rng)}"
    new = [{**each, "SUMMARY": title} if each is old else each for each in events]
    more = [*events, {**old, "SUMMARY": title}]
    steps = (*_opened(old), *filled(title, nth=_TITLE), click("push button", "Save and close"))
    return _plan(
        f'Change the title of the appointment "{old["SUMMARY"]}" to "{title}".', events, new, [more], steps=steps
    )


def _relocate(rng: random.Random) -> Plan:
    events = _events(rng)
    old = rng.choice(events)
    town = next(each for each in TOWNS if all(each != event["LOCATION"] for event in events))
    slipped = [{**each, "LOCATION": town} if each is old else each for each in events]
    wrong = f'The appointment "{old["SUMMARY"]}" has the wrong place {town} by mistake.'
    words = f"{wrong} Set its place to {old['LOCATION']} again."
    near = [{**each, "LOCATION": ""} if each is old else each for each in events]
    steps = (
        *_opened(old),
        *filled(old["LOCATION"], nth=_LOCATION),
        click("push button", "Save and close"),
    )
    return _plan(words, slipped, events, [near], steps=steps, num_mistakes=1)


TEMPLATES = (
    Template("orage.add", _add),
    Template("orage.delete", _delete),
    Template("orage.new_title", _retitle),
    Template("orage.right_place", _relocate),
)
