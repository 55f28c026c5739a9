"""Contacts: their list, one contact and its form."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login, route
from agentgym_web.sites.phone.chats import open_chat
from agentgym_web.sites.phone.events import read_day
from agentgym_web.sites.phone.screen import missing, refuse, return_to, show

FIELDS = ("name", "phone", "email", "address", "birthday", "note")
SWITCHES = {"favourite": "is_favourite", "block": "is_blocked"}


def list_contacts(visit: Visit) -> Response:
    """All contacts by name; favourites stand on top once more."""
    query = visit.query.get("q", "").strip()[:100]
    rows = visit.db.execute("SELECT * FROM contacts WHERE name LIKE ? ORDER BY name", (f"%{query}%",)).fetchall()
    favourites = [row for row in rows if row["is_favourite"]]
    others = [row for row in rows if not row["is_favourite"]]
    shown: dict[str, Any] = {"favourites": favourites, "others": others, "query": query}
    return show(visit, "contacts.html", "Contacts", back="/more", **shown)


def show_contact(visit: Visit) -> Response:
    """One contact."""
    contact = _find(visit)
    if contact is None:
        return missing(visit)
    groups = visit.db.execute(
        "SELECT chats.* FROM chats JOIN members ON chat_id = chats.id WHERE is_group AND contact_id = ? ORDER BY title",
        (contact["id"],),
    ).fetchall()
    return show(visit, "contact.html", contact["name"], back="/contacts", contact=contact, groups=groups)


def new_contact(visit: Visit) -> Response:
    """The form of a new contact."""
    return _form(visit, {}, {}, None)


def add_contact(visit: Visit) -> Response:
    """Add a contact."""
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, None)
    cursor = visit.db.execute(
        "INSERT INTO contacts VALUES (NULL, ?, ?, ?, ?, ?, ?, 0, 0)", tuple(values[column] for column in FIELDS)
    )
    visit.flash(f"Added {values['name']}.")
    return visit.redirect(f"/contacts/{cursor.lastrowid}")


def edit_contact(visit: Visit) -> Response:
    """The form of a contact."""
    contact = _find(visit)
    return missing(visit) if contact is None else _form(visit, dict(contact), {}, contact)


def save_contact(visit: Visit) -> Response:
    """Keep what the form of a contact says."""
    contact = _find(visit)
    if contact is None:
        return missing(visit)
    values, problems = _read(visit)
    if problems:
        return _form(visit, visit.form, problems, contact)
    visit.db.execute(
        "UPDATE contacts SET name = ?, phone = ?, email = ?, address = ?, birthday = ?, note = ? WHERE id = ?",
        (*(values[column] for column in FIELDS), contact["id"]),
    )
    visit.flash(f"Saved {values['name']}.")
    return visit.redirect(f"/contacts/{contact['id']}")


def change_contact(visit: Visit) -> Response:
    """Make somebody a favourite, or block them; or take it back."""
    contact, move = _find(visit), visit.path["move"]
    if contact is None or move not in (*SWITCHES, "message"):
        return missing(visit)
    if move == "message":
        if contact["is_blocked"]:
            return refuse(visit, f"{contact['name']} is blocked.", f"/contacts/{contact['id']}")
        return visit.redirect(f"/chats/{open_chat(visit, [contact['id']], '')}")
    column = SWITCHES[move]
    visit.db.execute(f"UPDATE contacts SET {column} = 1 - {column} WHERE id = ?", (contact["id"],))  # noqa: S608
    texts = {"favourite": ("is a favourite now", "is no favourite any more"), "block": ("is blocked", "is unblocked")}
    visit.flash(f"{contact['name']} {texts[move][contact[column]]}.")
    return return_to(visit, "/contacts")


def _read(visit: Visit) -> tuple[dict[str, str], dict[str, str]]:
    values = {column: visit.text(column) for column in FIELDS}
    problems = {}
    if not 1 <= len(values["name"]) <= 60:
        problems["name"] = "Name is required, at most 60 characters."
    if not re.fullmatch(r"\+?[\d ]{5,20}", values["phone"]):
        problems["phone"] = "Phone must be digits and spaces, perhaps with a + in front."
    if values["email"] and not re.fullmatch(r"[^@\s]{1,60}@[^@\s]+\.[a-z]{2,10}", values["email"]):
        problems["email"] = "E-mail must be an address such as ada@letterbox.test."
    if values["birthday"] and read_day(values["birthday"]) is None:
        problems["birthday"] = "Birthday must be a date such as 1990-05-31."
    for column, label in (("address", "Address"), ("note", "Note")):
        if len(values[column]) > 200:
            problems[column] = f"{label} is longer than 200 characters."
    return values, problems


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM contacts WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _form(
    visit: Visit, values: Mapping[str, Any], problems: Mapping[str, str], contact: sqlite3.Row | None
) -> Response:
    heading, back = ("Edit contact", f"/contacts/{contact['id']}") if contact else ("New contact", "/contacts")
    status = 422 if problems else 200
    return show(visit, "contact_form.html", heading, status, back=back, v=values, problems=problems)


ROUTES = (
    route("/contacts", needs_login(list_contacts)),
    route("/contacts/new", needs_login(new_contact)),
    route("/contacts/new", needs_login(add_contact), methods=["POST"]),
    route("/contacts/{id:int}", needs_login(show_contact)),
    route("/contacts/{id:int}/edit", needs_login(edit_contact)),
    route("/contacts/{id:int}/edit", needs_login(save_contact), methods=["POST"]),
    route("/contacts/{id:int}/{move}", needs_login(change_contact), methods=["POST"]),
)
