"""Alarms: their list, and the form of one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.phone.events import is_time
from agentgym_web.sites.phone.screen import missing, show

DAYS = ("once", "daily", "weekdays", "weekend")


def list_alarms(visit: Visit) -> Response:
    """All alarms by time."""
    rows = visit.db.execute("SELECT * FROM alarms ORDER BY time, id").fetchall()
    return show(visit, "alarms.html", "Alarms", back="/more", alarms=rows)


def new_alarm(visit: Visit) -> Response:
    """The form of a new alarm."""
    return _form(visit, {"days": "once"}, {}, None)


def add_alarm(visit: Visit) -> Response:
    """Add an alarm; it is on."""
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, None)
    visit.db.execute("INSERT INTO alarms VALUES (NULL, ?, ?, ?, 1)", values)
    visit.flash(f"Alarm set for {values[0]}.")
    return visit.redirect("/alarms")


def edit_alarm(visit: Visit) -> Response:
    """The form of an alarm."""
    alarm = _find(visit)
    return missing(visit) if alarm is None else _form(visit, dict(alarm), {}, alarm)


def save_alarm(visit: Visit) -> Response:
    """Keep what the form of an alarm says."""
    alarm = _find(visit)
    if alarm is None:
        return missing(visit)
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, alarm)
    visit.db.execute("UPDATE alarms SET time = ?, label = ?, days = ? WHERE id = ?", (*values, alarm["id"]))
    visit.flash("Alarm saved.")
    return visit.redirect("/alarms")


def change_alarm(visit: Visit) -> Response:
    """Switch an alarm on or off, or delete it."""
    alarm, move = _find(visit), visit.path["move"]
    if alarm is None or move not in ("switch", "delete"):
        return missing(visit)
    if move == "switch":
        visit.db.execute("UPDATE alarms SET is_on = 1 - is_on WHERE id = ?", (alarm["id"],))
    else:
        visit.db.execute("DELETE FROM alarms WHERE id = ?", (alarm["id"],))
        visit.flash(f"Deleted the alarm at {alarm['time']}.")
    return visit.redirect("/alarms")


def _read(visit: Visit) -> tuple[tuple[str, str, str], dict[str, str]]:
    time, label, days = visit.text("time"), visit.text("label"), visit.text("days")
    problems = {}
    if not is_time(time):
        problems["time"] = "Time must be a time such as 06:45."
    if not 1 <= len(label) <= 40:
        problems["label"] = "Label is required, at most 40 characters."
    if days not in DAYS:
        problems["days"] = "Choose the days."
    return (time, label, days), problems


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM alarms WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _form(visit: Visit, values: Mapping[str, Any], problems: Mapping[str, str], alarm: sqlite3.Row | None) -> Response:
    heading = "Edit alarm" if alarm else "New alarm"
    shown = {"v": values, "problems": problems, "days": DAYS}
    return show(visit, "alarm_form.html", heading, 422 if problems else 200, back="/alarms", **shown)


ROUTES = (
    route("/alarms", needs_login(list_alarms)),
    route("/alarms/new", needs_login(new_alarm)),
    route("/alarms/new", needs_login(add_alarm), methods=["POST"]),
    route("/alarms/{id:int}", needs_login(edit_alarm)),
    route("/alarms/{id:int}", needs_login(save_alarm), methods=["POST"]),
    route("/alarms/{id:int}/{move}", needs_login(change_alarm), methods=["POST"]),
)
