"""Pages of scheduled jobs: a month's calendar, a day, the table with its bulk edits, one job and its form."""

from __future__ import annotations

import calendar
import re
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import guarded, missing, record, refuse, show
from agentgym_web.sites.admin.forms import Form
from agentgym_web.sites.admin.listings import JOBS, LOCATION_CHOICES, OWNERS
from agentgym_web.sites.admin.tables import back_to, chosen_rows, show_table
from agentgym_web.sites.core.page import Visit, needs_login, route

FIELDS = ("title", "kind", "location_id", "owner_id", "day", "start", "minutes", "notes")
EARLIEST, LATEST = "06:00", "20:00"
LIVE = ("planned", "paused")
"""States of jobs that can still be changed."""
MOVES: Mapping[str, tuple[str, str]] = {
    "pause": ("planned", "paused"),
    "resume": ("paused", "planned"),
    "cancel": ("", "cancelled"),
}
"""What a button does: the state it starts from (empty: any live one) and the state it leads to."""


def show_month(visit: Visit) -> Response:
    """The calendar of a month."""
    wanted = visit.query.get("month", "")
    if not re.fullmatch(r"20[12]\d-(0[1-9]|1[0-2])", wanted):
        wanted = visit.now.strftime("%Y-%m")
    year, month = int(wanted[:4]), int(wanted[5:])
    first = date(year, month, 1)
    weeks = calendar.Calendar().monthdatescalendar(year, month)
    by_day: dict[str, list[sqlite3.Row]] = {}
    for row in _rows(visit, weeks[0][0].isoformat(), weeks[-1][-1].isoformat()):
        by_day.setdefault(row["day"], []).append(row)
    earlier, later = (first - timedelta(days=1)).strftime("%Y-%m"), (first + timedelta(days=31)).strftime("%Y-%m")
    shown: dict[str, Any] = {"first": first, "weeks": weeks, "by_day": by_day, "earlier": earlier, "later": later}
    return show(visit, "calendar.html", weekdays=words.WEEKDAYS, today=visit.now.date(), **shown)


def show_day(visit: Visit) -> Response:
    """The jobs of a day."""
    try:
        day = date.fromisoformat(visit.path["day"])
    except ValueError:
        return missing(visit)
    if not 2000 <= day.year < 2100:
        return missing(visit)
    rows = _rows(visit, day.isoformat(), day.isoformat())
    near = (day - timedelta(days=1)).isoformat(), (day + timedelta(days=1)).isoformat()
    return show(visit, "day.html", day=day, jobs=rows, near=near, end_of=end_of)


def list_jobs(visit: Visit) -> Response:
    """The table of jobs."""
    return show_table(visit, JOBS, "jobs.html", owners=_owners(visit), words=words)


def show_job(visit: Visit) -> Response:
    """One job."""
    job = _find(visit)
    return missing(visit) if job is None else show(visit, "job.html", job=job, end=end_of(job["start"], job["minutes"]))


def new_job(visit: Visit) -> Response:
    """The form of a new job; `copy` in the query names a job that it starts from, `day` a day."""
    copied = visit.query.get("copy", "")
    row = None
    if copied.isdecimal() and len(copied) < 10:
        row = visit.db.execute("SELECT * FROM jobs WHERE id = ?", (int(copied),)).fetchone()
    values: dict[str, Any] = {"minutes": "60", "day": visit.query.get("day", "")}
    return _form(visit, {key: row[key] for key in FIELDS if key != "day"} if row else values, {}, None)


def add_job(visit: Visit) -> Response:
    """Plan a job."""
    form = Form(visit)
    values = _read(visit, form, 0)
    if form.errors:
        return _form(visit, visit.form, form.errors, None)
    cursor = visit.db.execute(
        """INSERT INTO jobs (title, kind, location_id, owner_id, day, start, minutes, notes, state)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'planned')""",
        tuple(values[column] for column in FIELDS),
    )
    record(visit, "jobs", values["title"], "planned", "", f"{values['day']} {values['start']}")
    visit.flash("Job planned.")
    return visit.redirect(f"/jobs/{cursor.lastrowid}")


def edit_job(visit: Visit) -> Response:
    """The form of a job."""
    job = _find(visit)
    if job is None:
        return missing(visit)
    if job["state"] not in LIVE:
        return refuse(visit, f"The job is {job['state']}; only planned and paused jobs can be edited.")
    return _form(visit, {key: job[key] for key in FIELDS}, {}, job)


def save_job(visit: Visit) -> Response:
    """Keep what the form of a job says."""
    job = _find(visit)
    if job is None:
        return missing(visit)
    if job["state"] not in LIVE:
        return refuse(visit, f"The job is {job['state']}; only planned and paused jobs can be edited.")
    form = Form(visit)
    values = _read(visit, form, job["id"])
    if form.errors:
        return _form(visit, visit.form, form.errors, job)
    for column in FIELDS:
        _set(visit, job, column, values[column])
    visit.flash("Job saved.")
    return visit.redirect(f"/jobs/{job['id']}")


def move_job(visit: Visit) -> Response:
    """Pause, resume or cancel a job."""
    job = _find(visit)
    if job is None or visit.path["move"] not in MOVES:
        return missing(visit)
    start, end = MOVES[visit.path["move"]]
    if job["state"] not in LIVE or start not in ("", job["state"]):
        return refuse(visit, f"The job is {job['state']}; this is not possible.")
    _set(visit, job, "state", end)
    visit.flash(f"The job is {end} now.")
    return visit.redirect(f"/jobs/{job['id']}")


def change_many(visit: Visit) -> Response:
    """Change the state or the owner of many jobs."""
    ids = chosen_rows(visit, JOBS)
    wanted: dict[str, Any] = {}
    if visit.text("state") in (*LIVE, "cancelled"):
        wanted["state"] = visit.text("state")
    if visit.text("owner_id") in {value for value, _ in _owners(visit)}:
        wanted["owner_id"] = int(visit.text("owner_id"))
    if not ids or not wanted:
        return back_to(visit, JOBS, "Nothing changed: tick jobs and choose what to change.")
    jobs = [visit.db.execute("SELECT * FROM jobs WHERE id = ?", (number,)).fetchone() for number in ids]
    if any(job["state"] not in LIVE for job in jobs):
        return back_to(visit, JOBS, "Nothing changed: only planned and paused jobs can be changed.")
    for job in jobs:
        for column, value in wanted.items():
            _set(visit, job, column, value)
    return back_to(visit, JOBS, f"Changed {len(ids)} jobs.")


def end_of(start: str, minutes: int) -> str:
    """When a job that starts at HH:MM ends."""
    total = int(start[:2]) * 60 + int(start[3:]) + minutes
    return f"{total // 60:02d}:{total % 60:02d}"


def _set(visit: Visit, job: sqlite3.Row, column: str, value: object) -> None:
    assert column in (*FIELDS, "state")
    if job[column] != value:
        visit.db.execute(f"UPDATE jobs SET {column} = ? WHERE id = ?", (value, job["id"]))  # noqa: S608 - one of FIELDS
        record(visit, "jobs", job["title"], f"changed {column.removesuffix('_id')}", job[column], value)


def _rows(visit: Visit, first: str, last: str) -> Sequence[sqlite3.Row]:
    return visit.db.execute(
        """SELECT jobs.*, locations.name AS location, people.name AS owner FROM jobs
           JOIN locations ON locations.id = location_id JOIN people ON people.id = owner_id
           WHERE day BETWEEN ? AND ? ORDER BY day, start, jobs.id""",
        (first, last),
    ).fetchall()


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute(
        """SELECT jobs.*, locations.name AS location, people.name AS owner FROM jobs
           JOIN locations ON locations.id = location_id JOIN people ON people.id = owner_id WHERE jobs.id = ?""",
        (visit.path["id"],),
    ).fetchone()
    return row


def _owners(visit: Visit) -> list[tuple[str, str]]:
    return [(str(row["id"]), row["name"]) for row in visit.db.execute(OWNERS)]


def _form(visit: Visit, values: Mapping[str, Any], errors: Mapping[str, str], job: sqlite3.Row | None) -> Response:
    choices = {"locations": LOCATION_CHOICES(visit.db), "owners": _owners(visit), "kinds": words.JOB_KINDS}
    return show(visit, "job_form.html", 422 if errors else 200, v=values, errors=errors, job=job, **choices)


def _read(visit: Visit, form: Form, number: int) -> dict[str, Any]:
    values: dict[str, Any] = {
        "title": form.text("title", "Title"),
        "kind": form.choice("kind", "Kind", words.JOB_KINDS),
        "location_id": form.choice("location_id", "Location", {value for value, _ in LOCATION_CHOICES(visit.db)}),
        "owner_id": form.choice("owner_id", "Owner", {value for value, _ in _owners(visit)}),
        "day": form.day("day", "Day"),
        "start": form.time("start", "Start"),
        "minutes": form.number("minutes", "Minutes", 15, 480),
        "notes": form.text("notes", "Notes", 400, is_needed=False),
    }
    if values["day"] and values["day"] < visit.now.date().isoformat():
        form.errors["day"] = "Day cannot be in the past."
    elif values["day"] and date.fromisoformat(values["day"]).weekday() == 6:
        form.errors["day"] = "There are no jobs on Sundays."
    if "start" not in form.errors and "minutes" not in form.errors:
        end = end_of(values["start"], values["minutes"])
        if values["start"] < EARLIEST or end > LATEST:
            form.errors["start"] = f"Jobs run between {EARLIEST} and {LATEST}."
        elif other := _clash(visit, values, end, number):
            until = end_of(other["start"], other["minutes"])
            form.errors["start"] = f"“{other['title']}” is at this location from {other['start']} to {until}."
    if not form.errors:
        values["location_id"], values["owner_id"] = int(values["location_id"]), int(values["owner_id"])
    return values


def _clash(visit: Visit, values: Mapping[str, Any], end: str, number: int) -> sqlite3.Row | None:
    for row in visit.db.execute(
        "SELECT * FROM jobs WHERE location_id = ? AND day = ? AND id != ? AND state IN ('planned', 'paused')",
        (values["location_id"], values["day"], number),
    ):
        if row["start"] < end and values["start"] < end_of(row["start"], row["minutes"]):
            found: sqlite3.Row = row
            return found
    return None


ROUTES = (
    route("/jobs", needs_login(show_month)),
    route("/jobs/list", needs_login(list_jobs)),
    route("/jobs/list/bulk", guarded("jobs.edit", change_many), methods=["POST"]),
    route("/jobs/day/{day}", needs_login(show_day)),
    route("/jobs/new", guarded("jobs.edit", new_job)),
    route("/jobs/new", guarded("jobs.edit", add_job), methods=["POST"]),
    route("/jobs/{id:int}", needs_login(show_job)),
    route("/jobs/{id:int}/edit", guarded("jobs.edit", edit_job)),
    route("/jobs/{id:int}/edit", guarded("jobs.edit", save_job), methods=["POST"]),
    route("/jobs/{id:int}/{move}", guarded("jobs.edit", move_job), methods=["POST"]),
)
