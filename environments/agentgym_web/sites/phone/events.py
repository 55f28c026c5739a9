"""The calendar: a month with the events of a day below it, search, one event and its form."""

from __future__ import annotations

import calendar
import re
import sqlite3
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.phone.screen import missing, return_to, show

REMINDERS = (("0", "none"), ("10", "10 minutes before"), ("30", "30 minutes before"), ("60", "1 hour before"))
FIELDS = ("calendar_id", "title", "day", "start", "end", "place", "notes", "remind")
_SELECT = "SELECT events.*, calendars.name AS calendar FROM events JOIN calendars ON calendars.id = calendar_id"


def show_calendar(visit: Visit) -> Response:
    """A month, and the events of the day chosen in it."""
    day = read_day(visit.query.get("day", "")) or visit.now.date()
    chosen = visit.query.get("calendar", "")
    weeks = calendar.Calendar().monthdatescalendar(day.year, day.month)
    sql = "SELECT day, count(*) AS number FROM events WHERE day BETWEEN ? AND ? GROUP BY day"
    span = weeks[0][0].isoformat(), weeks[-1][-1].isoformat()
    counts = {row["day"]: row["number"] for row in visit.db.execute(sql, span)}
    events = visit.db.execute(
        f"{_SELECT} WHERE day = ? AND (? = '' OR calendars.name = ?) ORDER BY start, events.id",
        (day.isoformat(), chosen, chosen),
    ).fetchall()
    first = day.replace(day=1)
    shown: dict[str, Any] = {
        "day": day,
        "weeks": weeks,
        "counts": counts,
        "events": events,
        "chosen": chosen,
        "calendars": _calendars(visit),
        "earlier": (first - timedelta(days=1)).replace(day=1),
        "later": (first + timedelta(days=32)).replace(day=1),
        "weekdays": calendar.day_abbr,
        "here": f"/calendar?day={day}",
    }
    return show(visit, "calendar.html", f"{day:%B %Y}", **shown)


def search(visit: Visit) -> Response:
    """Events by words of their title, place or notes."""
    query = visit.query.get("q", "").strip()[:100]
    events = visit.db.execute(
        f"{_SELECT} WHERE ? != '' AND title || ' ' || place || ' ' || notes LIKE ? ORDER BY day, start, events.id",
        (query, f"%{query}%"),
    ).fetchall()
    return show(
        visit, "event_search.html", "Search events", back="/calendar", events=events, query=query, weekday=weekday
    )


def show_event(visit: Visit) -> Response:
    """One event."""
    event = _find(visit)
    if event is None:
        return missing(visit)
    reminder = dict(REMINDERS).get(str(event["remind"]), "none")
    return show(
        visit, "event.html", event["title"], back=f"/calendar?day={event['day']}", event=event, reminder=reminder
    )


def new_event(visit: Visit) -> Response:
    """The form of a new event."""
    day = read_day(visit.query.get("day", "")) or visit.now.date()
    return _form(visit, {"day": day.isoformat(), "remind": "0"}, {}, None)


def add_event(visit: Visit) -> Response:
    """Add an event."""
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, None)
    cursor = visit.db.execute(
        "INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", tuple(values[column] for column in FIELDS)
    )
    visit.flash(f"Added {values['title']}.")
    return visit.redirect(f"/events/{cursor.lastrowid}")


def edit_event(visit: Visit) -> Response:
    """The form of an event."""
    event = _find(visit)
    return missing(visit) if event is None else _form(visit, dict(event), {}, event)


def save_event(visit: Visit) -> Response:
    """Keep what the form of an event says."""
    event = _find(visit)
    if event is None:
        return missing(visit)
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, event)
    visit.db.execute(
        """UPDATE events SET calendar_id = ?, title = ?, day = ?, start = ?, end = ?, place = ?, notes = ?, remind = ?
           WHERE id = ?""",
        (*(values[column] for column in FIELDS), event["id"]),
    )
    visit.flash(f"Saved {values['title']}.")
    return visit.redirect(f"/events/{event['id']}")


def change_event(visit: Visit) -> Response:
    """Delete an event, or copy it to the next week."""
    event, move = _find(visit), visit.path["move"]
    if event is None or move not in ("delete", "repeat"):
        return missing(visit)
    if move == "delete":
        visit.db.execute("DELETE FROM events WHERE id = ?", (event["id"],))
        visit.flash(f"Deleted {event['title']}.")
    else:
        later = (date.fromisoformat(event["day"]) + timedelta(days=7)).isoformat()
        values = tuple(later if column == "day" else event[column] for column in FIELDS)
        visit.db.execute("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        visit.flash(f"Copied {event['title']} to {later}.")
    return return_to(visit, f"/calendar?day={event['day']}")


def read_day(text: str) -> date | None:
    """The date that a text means, if it is one of this century or the last."""
    if not re.fullmatch(r"(19|20)\d\d-\d\d-\d\d", text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def weekday(day: str) -> str:
    """The name of the weekday of an ISO date."""
    return f"{date.fromisoformat(day):%A}"


def is_time(text: str) -> bool:
    """Whether a text is a time such as 09:30."""
    return re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text) is not None


def _read(visit: Visit) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {column: visit.text(column) for column in FIELDS}
    problems = {}
    if not 1 <= len(values["title"]) <= 60:
        problems["title"] = "Title is required, at most 60 characters."
    if values["calendar_id"] not in {str(row["id"]) for row in _calendars(visit)}:
        problems["calendar_id"] = "Choose a calendar."
    if read_day(values["day"]) is None:
        problems["day"] = "Day must be a date such as 2026-03-31."
    for column, label in (("start", "Start"), ("end", "End")):
        if not is_time(values[column]):
            problems[column] = f"{label} must be a time such as 09:30."
    if "start" not in problems and "end" not in problems and values["end"] <= values["start"]:
        problems["end"] = "The end must be after the start."
    for column, label in (("place", "Place"), ("notes", "Notes")):
        if len(values[column]) > 300:
            problems[column] = f"{label} is longer than 300 characters."
    if values["remind"] not in dict(REMINDERS):
        problems["remind"] = "Choose a reminder."
    if not problems:
        values["calendar_id"], values["remind"] = int(values["calendar_id"]), int(values["remind"])
    return values, problems


def _calendars(visit: Visit) -> list[sqlite3.Row]:
    return visit.db.execute("SELECT * FROM calendars ORDER BY id").fetchall()


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute(f"{_SELECT} WHERE events.id = ?", (visit.path["id"],)).fetchone()
    return row


def _form(visit: Visit, values: Mapping[str, Any], problems: Mapping[str, str], event: sqlite3.Row | None) -> Response:
    calendars = [(row["id"], row["name"]) for row in _calendars(visit)]
    back = f"/events/{event['id']}" if event else "/calendar"
    shown = {"v": values, "problems": problems, "calendars": calendars, "reminders": REMINDERS}
    heading = "Edit event" if event else "New event"
    return show(visit, "event_form.html", heading, 422 if problems else 200, back=back, **shown)


ROUTES = (
    route("/calendar", needs_login(show_calendar)),
    route("/calendar/search", needs_login(search)),
    route("/events/new", needs_login(new_event)),
    route("/events/new", needs_login(add_event), methods=["POST"]),
    route("/events/{id:int}", needs_login(show_event)),
    route("/events/{id:int}/edit", needs_login(edit_event)),
    route("/events/{id:int}/edit", needs_login(save_event), methods=["POST"]),
    route("/events/{id:int}/{move}", needs_login(change_event), methods=["POST"]),
)
