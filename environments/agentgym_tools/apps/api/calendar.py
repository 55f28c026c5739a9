"""Calendar: events with guests, invitations, reminders, and free times."""

# ruff: noqa: S608 - parts of statements are written in this package

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from agentgym_tools.apps.api.app import App, change, days, look, pattern, text, within
from agentgym_tools.apps.calendar_days import DAY, clock, date_of, read_day, read_time
from agentgym_tools.worlds.toolbox import ToolFailure

OPENING, CLOSING = 8 * 60, 20 * 60
"""The times between which free times are looked for."""
_MINE = "(owner = ? OR id IN (SELECT event_id FROM guests WHERE person_id = ? AND response = 'accepted'))"


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    when = {"day": date_of(row["day"]), "start": clock(row["start"]), "minutes": row["minutes"]}
    return {"event_id": row["id"], "title": row["title"], **when, "place": row["place"]}


class Calendar(App):
    """The calendar app."""

    about = "events of yours and of others who invite you, guests, reminders, free times"

    @look
    def list_events(self, day: str) -> Any:
        """List the events of a day: yours, and those to which you have said yes."""
        sql = f"SELECT * FROM events WHERE {_MINE} AND day = ? ORDER BY start, id"
        return self.page_of("events", _entry, sql, self.user, self.user, read_day(day), page=0, limit=20)

    @look
    def list_between(self, first_day: str, last_day: str, page: int = 0, limit: int = 10) -> Any:
        """List the events of some days: yours, and those to which you have said yes."""
        first, last = days(first_day, last_day)
        sql = f"SELECT * FROM events WHERE {_MINE} AND day BETWEEN ? AND ? ORDER BY day, start, id"
        return self.page_of("events", _entry, sql, self.user, self.user, first, last, page=page, limit=limit)

    @look
    def search_events(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find your own events by a part of their title or place."""
        sql = "SELECT * FROM events WHERE owner = ? AND instr(lower(title || ' ' || place), ?) ORDER BY day, start, id"
        return self.page_of("events", _entry, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def get_event(self, event_id: int) -> Any:
        """Read an event with its note, reminder and guests."""
        row = self._seen_event(event_id)
        guests = self.world.rows(
            "SELECT name, email, response FROM guests JOIN people ON people.id = person_id WHERE event_id = ? "
            "ORDER BY name",
            event_id,
        )
        self.show("event guests", event_id)
        more = {"note": row["note"], "reminder_minutes": row["reminder"], "organiser": self.name_of(row["owner"])}
        return {**_entry(row), **more, "guests": [dict(guest) for guest in guests]}

    @look
    def list_invitations(self) -> Any:
        """List the events to which you are invited and have not answered yet."""
        sql = (
            "SELECT events.*, people.name AS organiser FROM events JOIN guests ON event_id = events.id JOIN people ON "
            "people.id = owner WHERE person_id = ? AND response = 'pending' ORDER BY day, start, events.id"
        )
        return self.page_of(
            "events", lambda row: {**_entry(row), "organiser": row["organiser"]}, sql, self.user, page=0, limit=20
        )

    @look
    def list_free_times(self, day: str, minutes: int) -> Any:
        """List the times between 08:00 and 20:00 at which something of this length fits, each as early as possible."""
        wanted, length = read_day(day), within(minutes, 5, DAY, "minutes")
        sql = f"SELECT start, minutes FROM events WHERE {_MINE} AND day = ? ORDER BY start"
        self.show("free times", wanted)
        free, found = OPENING, []
        for row in self.world.rows(sql, self.user, self.user, wanted):
            if row["start"] - free >= length:
                found.append(clock(free))
            free = max(free, row["start"] + row["minutes"])
        return [*found, clock(free)] if CLOSING - free >= length else found

    @change
    def create_event(self, title: str, day: str, start: str, minutes: int, place: str = "", note: str = "") -> Any:
        """Make an event without guests."""
        number = self.add(
            "events",
            owner=self.user,
            title=text(title, "title", most=100),
            day=self._day_ahead(day),
            start=read_time(start),
            minutes=within(minutes, 5, DAY, "minutes"),
            place=text(place, "place", may_be_empty=True, most=100),
            note=text(note, "note", may_be_empty=True),
            reminder=None,
        )
        return {"event_id": number}

    @change
    def move_event(self, event_id: int, day: str, start: str) -> Any:
        """Move an event of yours to another time; guests keep their answers."""
        self._own_ahead(event_id)
        self.update("events", event_id, day=self._day_ahead(day), start=read_time(start))
        return "Moved."

    @change
    def set_length(self, event_id: int, minutes: int) -> Any:
        """Change how long an event of yours takes."""
        self._own_ahead(event_id)
        self.update("events", event_id, minutes=within(minutes, 5, DAY, "minutes"))
        return "Changed."

    @change
    def rename_event(self, event_id: int, title: str) -> Any:
        """Change the title of an event of yours."""
        self._own_ahead(event_id)
        self.update("events", event_id, title=text(title, "title", most=100))
        return "Changed."

    @change
    def set_place(self, event_id: int, place: str) -> Any:
        """Change the place of an event of yours."""
        self._own_ahead(event_id)
        self.update("events", event_id, place=text(place, "place", may_be_empty=True, most=100))
        return "Changed."

    @change
    def set_event_note(self, event_id: int, note: str) -> Any:
        """Change the note of an event of yours."""
        self.own("events", event_id, "event")
        self.update("events", event_id, note=text(note, "note", may_be_empty=True))
        return "Changed."

    @change
    def set_reminder(self, event_id: int, minutes_before: int) -> Any:
        """Be reminded of an event of yours.

        Args:
            minutes_before: How long before it, 0 to 1440.
        """
        self._own_ahead(event_id)
        self.update("events", event_id, reminder=within(minutes_before, 0, DAY, "minutes_before"))
        return "Set."

    @change
    def clear_reminder(self, event_id: int) -> Any:
        """No longer be reminded of an event of yours."""
        self.own("events", event_id, "event")
        self.update("events", event_id, reminder=None)
        return "Cleared."

    @change
    def delete_event(self, event_id: int) -> Any:
        """Delete an event of yours, for its guests too."""
        self._own_ahead(event_id)
        self.world.write("DELETE FROM guests WHERE event_id = ?", event_id)
        self.remove("events", event_id)
        return "Deleted."

    @change
    def invite(self, event_id: int, email: str) -> Any:
        """Invite a person to an event of yours."""
        self._own_ahead(event_id)
        person = self.person("email", email)["id"]
        if person == self.user or self._is_guest(event_id, person):
            raise ToolFailure("That person takes part already.")
        self.world.write("INSERT INTO guests VALUES (?, ?, 'pending')", event_id, person)
        return "Invited."

    @change
    def remove_guest(self, event_id: int, email: str) -> Any:
        """Take a guest off an event of yours."""
        self._own_ahead(event_id)
        person = self.person("email", email)["id"]
        if not self._is_guest(event_id, person):
            raise ToolFailure("That person is no guest of it.")
        self.world.write("DELETE FROM guests WHERE event_id = ? AND person_id = ?", event_id, person)
        return "Removed."

    @change
    def respond(self, event_id: int, response: Literal["accepted", "declined"]) -> Any:
        """Answer an invitation, or change your answer.

        Args:
            response: Your answer.
        """
        if not self._is_guest(event_id, self.user):
            raise ToolFailure(f"You are not invited to an event {event_id}.")
        self.show("events", event_id)
        sql = "UPDATE guests SET response = ? WHERE event_id = ? AND person_id = ?"
        self.world.write(sql, response, event_id, self.user)
        return "Answered."

    def _day_ahead(self, day: str) -> int:
        found = read_day(day)
        if found < self.today:
            raise ToolFailure(f"{day} is in the past.")
        return found

    def _own_ahead(self, number: int) -> sqlite3.Row:
        row = self.own("events", number, "event of your own")
        if row["day"] < self.today:
            raise ToolFailure(f"Event {number} is over; it can no longer be changed.")
        return row

    def _is_guest(self, number: int, person: int) -> bool:
        sql = "SELECT 1 FROM guests WHERE event_id = ? AND person_id = ?"
        return self.world.row(sql, number, person) is not None

    def _seen_event(self, number: int) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM events WHERE id = ?", number)
        if row is None or (row["owner"] != self.user and not self._is_guest(number, self.user)):
            raise ToolFailure(f"You have no event {number}.")
        self.show("events", number)
        return row
