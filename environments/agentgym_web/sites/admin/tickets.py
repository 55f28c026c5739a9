"""Pages of tickets: the table with its bulk edits, one ticket with its comments, and the form of a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import guarded, missing, person_of, record, show
from agentgym_web.sites.admin.forms import Form
from agentgym_web.sites.admin.listings import HELPERS, TICKETS
from agentgym_web.sites.admin.tables import back_to, chosen_rows, show_table
from agentgym_web.sites.core.page import Visit, needs_login, route

FIELDS = {"state": "state", "priority": "priority", "category": "category", "assignee_id": "assignee"}
"""Columns that can be changed, with their names in the audit log."""


def list_tickets(visit: Visit) -> Response:
    """The table of tickets."""
    return show_table(visit, TICKETS, "tickets.html", helpers=_helpers(visit), words=words)


def show_ticket(visit: Visit) -> Response:
    """One ticket."""
    ticket = _find(visit)
    return missing(visit) if ticket is None else _page(visit, ticket, {})


def save_ticket(visit: Visit) -> Response:
    """Keep the state, priority, category and assignee of a ticket."""
    ticket = _find(visit)
    if ticket is None:
        return missing(visit)
    form = Form(visit)
    values: dict[str, Any] = {
        "state": form.choice("state", "State", words.TICKET_STATES),
        "priority": form.choice("priority", "Priority", words.PRIORITIES),
        "category": form.choice("category", "Category", words.CATEGORIES),
        "assignee_id": form.choice("assignee_id", "Assignee", _assignees(visit, ticket)),
    }
    if form.errors:
        return _page(visit, ticket, form.errors)
    _change(visit, ticket, {**values, "assignee_id": int(values["assignee_id"]) or None})
    visit.flash(f"Saved ticket {ticket['id']}.")
    return visit.redirect(f"/tickets/{ticket['id']}")


def add_comment(visit: Visit) -> Response:
    """Add a comment to a ticket."""
    ticket = _find(visit)
    if ticket is None:
        return missing(visit)
    form = Form(visit)
    text = form.text("text", "Comment", 1000)
    if form.errors:
        return _page(visit, ticket, form.errors)
    visit.db.execute(
        "INSERT INTO comments (ticket_id, author_id, at, text) VALUES (?, ?, ?, ?)",
        (ticket["id"], person_of(visit)["id"], visit.stamp, text),
    )
    record(visit, "tickets", str(ticket["id"]), "commented")
    visit.flash("Comment added.")
    return visit.redirect(f"/tickets/{ticket['id']}")


def new_ticket(visit: Visit) -> Response:
    """The form of a new ticket for a machine."""
    machine = _machine(visit)
    if machine is None:
        return missing(visit)
    return show(visit, "ticket_form.html", machine=machine, v={"priority": "normal"}, errors={}, words=words)


def add_ticket(visit: Visit) -> Response:
    """Open a ticket for a machine."""
    machine = _machine(visit)
    if machine is None:
        return missing(visit)
    form = Form(visit)
    values = (
        form.text("subject", "Subject"),
        form.text("body", "Description", 1000),
        form.choice("category", "Category", words.CATEGORIES),
        form.choice("priority", "Priority", words.PRIORITIES),
    )
    if form.errors:
        shown = {"machine": machine, "v": visit.form, "errors": form.errors, "words": words}
        return show(visit, "ticket_form.html", 422, **shown)
    cursor = visit.db.execute(
        """INSERT INTO tickets (machine_id, subject, body, category, priority, state, assignee_id, reporter, opened_at)
           VALUES (?, ?, ?, ?, ?, 'open', NULL, ?, ?)""",
        (machine["id"], *values, person_of(visit)["name"], visit.stamp),
    )
    record(visit, "tickets", str(cursor.lastrowid), "opened")
    visit.flash(f"Opened ticket {cursor.lastrowid}.")
    return visit.redirect(f"/tickets/{cursor.lastrowid}")


def change_many(visit: Visit) -> Response:
    """Change the state, priority or assignee of many tickets."""
    ids = chosen_rows(visit, TICKETS)
    helpers = {value for value, _ in _helpers(visit)}
    wanted: dict[str, Any] = {
        column: visit.text(column)
        for column, values in (
            ("state", words.TICKET_STATES),
            ("priority", words.PRIORITIES),
            ("assignee_id", helpers),
        )
        if visit.text(column) in values
    }
    if "assignee_id" in wanted:
        wanted["assignee_id"] = int(wanted["assignee_id"]) or None
    if not ids or not wanted:
        return back_to(visit, TICKETS, "Nothing changed: tick tickets and choose what to change.")
    for number in ids:
        _change(visit, visit.db.execute("SELECT * FROM tickets WHERE id = ?", (number,)).fetchone(), wanted)
    return back_to(visit, TICKETS, f"Changed {len(ids)} tickets.")


def _change(visit: Visit, ticket: sqlite3.Row, values: Mapping[str, Any]) -> None:
    for column, value in values.items():
        assert column in FIELDS
        if ticket[column] == value:
            continue
        visit.db.execute(f"UPDATE tickets SET {column} = ? WHERE id = ?", (value, ticket["id"]))  # noqa: S608 - FIELDS
        old, new = ticket[column], value
        if column == "assignee_id":
            old, new = _name(visit, old), _name(visit, new)
        record(visit, "tickets", str(ticket["id"]), f"changed {FIELDS[column]}", old, new)


def _name(visit: Visit, number: int | None) -> str:
    row = visit.db.execute("SELECT name FROM people WHERE id = ?", (number,)).fetchone()
    return "nobody" if row is None else row["name"]


def _helpers(visit: Visit) -> list[tuple[str, str]]:
    return [("0", "nobody"), *((str(row["id"]), row["name"]) for row in visit.db.execute(HELPERS))]


def _assignees(visit: Visit, ticket: sqlite3.Row) -> dict[str, str]:
    found = dict(_helpers(visit))
    if ticket["assignee_id"]:
        found.setdefault(str(ticket["assignee_id"]), _name(visit, ticket["assignee_id"]))
    return found


def _page(visit: Visit, ticket: sqlite3.Row, errors: Mapping[str, str]) -> Response:
    comments = visit.db.execute(
        """SELECT comments.*, people.name AS author FROM comments JOIN people ON people.id = author_id
           WHERE ticket_id = ? ORDER BY at, comments.id""",
        (ticket["id"],),
    ).fetchall()
    helpers = list(_assignees(visit, ticket).items())
    shown = {"ticket": ticket, "comments": comments, "helpers": helpers, "errors": errors, "words": words}
    return show(visit, "ticket.html", 422 if errors else 200, **shown)


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute(
        """SELECT tickets.*, code, locations.name AS location, coalesce(people.name, 'nobody') AS assignee FROM tickets
           JOIN machines ON machines.id = machine_id JOIN locations ON locations.id = location_id
           LEFT JOIN people ON people.id = assignee_id WHERE tickets.id = ?""",
        (visit.path["id"],),
    ).fetchone()
    return row


def _machine(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM machines WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


ROUTES = (
    route("/tickets", needs_login(list_tickets)),
    route("/tickets/bulk", guarded("tickets.edit", change_many), methods=["POST"]),
    route("/tickets/{id:int}", needs_login(show_ticket)),
    route("/tickets/{id:int}", guarded("tickets.edit", save_ticket), methods=["POST"]),
    route("/tickets/{id:int}/comments", guarded("tickets.edit", add_comment), methods=["POST"]),
    route("/machines/{id:int}/ticket", guarded("tickets.edit", new_ticket)),
    route("/machines/{id:int}/ticket", guarded("tickets.edit", add_ticket), methods=["POST"]),
)
