"""Everything but messages: contacts, folders, labels, rules and settings."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.mail.lists import own, show

FIELDS = ("Sender", "Subject", "Recipient")
ACTS = ("Move to folder", "Add label", "Star", "Delete")
CONTACT_FIELDS = {"name": "Name", "email": "E-mail", "phone": "Phone", "circle": "Circle", "note": "Note"}
_MAX = 120
_COLUMNS = {"Sender": "sender_name || ' ' || sender", "Subject": "subject", "Recipient": "recipients || ' ' || copies"}


@needs_login
def contacts(visit: Visit) -> Response:
    """The contacts, by a word or a circle."""
    query, circle = visit.query.get("q", "").strip()[:100], visit.query.get("circle", "")
    rows = visit.db.execute(
        "SELECT * FROM contact WHERE login = ? AND (? = '' OR instr(lower(name || ' ' || email || ' ' || phone), ?))"
        " AND (? = '' OR circle = ?) ORDER BY name, id",
        (visit.user, query, query.lower(), circle, circle),
    ).fetchall()
    sql = "SELECT DISTINCT circle FROM contact WHERE login = ? AND circle != '' ORDER BY 1"
    circles = [row[0] for row in visit.db.execute(sql, (visit.user,))]
    values: dict[str, Any] = {"contacts": rows, "query": query, "circle": circle, "circles": circles}
    return show(visit, "contacts.html", here="contacts", **values)


@needs_login
def new_contact(visit: Visit) -> Response:
    """The form of a new contact."""
    values = {name: visit.query.get(name, "") for name in CONTACT_FIELDS}
    return show(visit, "contact.html", here="contacts", values=values, problems={}, fields=CONTACT_FIELDS, contact=None)


@needs_login
def contact_page(visit: Visit) -> Response:
    """The form of a contact."""
    contact = own(visit, "contact")
    if isinstance(contact, Response):
        return contact
    values: dict[str, Any] = {"values": dict(contact), "problems": {}, "fields": CONTACT_FIELDS, "contact": contact}
    return show(visit, "contact.html", here="contacts", **values)


@needs_login
def save_contact(visit: Visit) -> Response:
    """Write a contact, new or known, or delete it."""
    contact = own(visit, "contact") if "id" in visit.path else None
    if isinstance(contact, Response):
        return contact
    if contact and visit.text("act") == "delete":
        visit.db.execute("DELETE FROM contact WHERE id = ?", (contact["id"],))
        visit.flash("The contact has been deleted.")
        return visit.redirect("/contacts")
    values = {name: visit.text(name) for name in CONTACT_FIELDS}
    problems = {name: "This is too long." for name, value in values.items() if len(value) > _MAX}
    if not values["name"]:
        problems["name"] = "Type a name."
    if values["email"] and not re.fullmatch(r"[^@\s,]+@[^@\s,]+\.[^@\s,]+", values["email"]):
        problems["email"] = "Type an e-mail address, such as name@postbox.test."
    if values["phone"] and not re.fullmatch(r"\+?[\d ]{6,20}", values["phone"]):
        problems["phone"] = "A phone number has 6 to 20 digits and spaces."
    if problems:
        shown = {"values": values, "problems": problems, "fields": CONTACT_FIELDS, "contact": contact}
        return show(visit, "contact.html", status=422, here="contacts", **shown)
    if contact:
        sql = "UPDATE contact SET name = ?, email = ?, phone = ?, circle = ?, note = ? WHERE id = ?"
        visit.db.execute(sql, (*values.values(), contact["id"]))
    else:
        sql = "INSERT INTO contact (name, email, phone, circle, note, login) VALUES (?, ?, ?, ?, ?, ?)"
        visit.db.execute(sql, (*values.values(), visit.user))
    visit.flash("The contact has been saved.")
    return visit.redirect("/contacts")


@needs_login
def organise_page(visit: Visit) -> Response:
    """Folders and labels, to add, rename and delete."""
    return _show_organise(visit)


def _show_organise(visit: Visit, problem: str = "") -> Response:
    return show(visit, "organise.html", status=422 if problem else 200, here="organise", problem=problem)


@needs_login
def add_folder(visit: Visit) -> Response:
    """Add a folder or a label."""
    table = "label" if visit.path["what"] == "label" else "folder"
    name = visit.text("name")
    problem = _name_problem(visit, table, name)
    if problem:
        return _show_organise(visit, problem)
    more = ", kind" if table == "folder" else ""
    marks = ", 'own'" if table == "folder" else ""
    visit.db.execute(f"INSERT INTO {table} (login, name{more}) VALUES (?, ?{marks})", (visit.user, name))  # noqa: S608
    visit.flash(f"The {table} {name} has been added.")
    return visit.redirect("/organise")


def _name_problem(visit: Visit, table: str, name: str) -> str:
    if not name or len(name) > 30:
        return f"A {table} needs a name of at most 30 characters."
    sql = f"SELECT 1 FROM {table} WHERE login = ? AND name = ?"  # noqa: S608
    return f"There is a {table} {name} already." if visit.db.execute(sql, (visit.user, name)).fetchone() else ""


@needs_login
def change_folder(visit: Visit) -> Response:
    """Rename or delete a folder or a label; a folder must be empty for that."""
    table = "label" if visit.path["what"] == "label" else "folder"
    row = own(visit, table)
    if isinstance(row, Response):
        return row
    if table == "folder" and row["kind"] != "own":
        return visit.forbidden("This folder cannot be changed.")
    if visit.text("act") == "delete":
        sql = "SELECT count(*) FROM message WHERE folder_id = ?"
        if table == "folder" and visit.db.execute(sql, (row["id"],)).fetchone()[0]:
            return _show_organise(visit, f"The folder {row['name']} is not empty.")
        visit.db.execute(f"DELETE FROM {table} WHERE id = ?", (row["id"],))  # noqa: S608
        visit.flash(f"The {table} {row['name']} has been deleted.")
        return visit.redirect("/organise")
    problem = _name_problem(visit, table, visit.text("name"))
    if problem:
        return _show_organise(visit, problem)
    visit.db.execute(f"UPDATE {table} SET name = ? WHERE id = ?", (visit.text("name"), row["id"]))  # noqa: S608
    visit.flash(f"The {table} is now called {visit.text('name')}.")
    return visit.redirect("/organise")


@needs_login
def rules(visit: Visit) -> Response:
    """The rules for what comes in, and the form of a new one."""
    return _show_rules(visit, {"field": "Sender", "words": "", "act": ACTS[0], "target": ""}, "")


def _show_rules(visit: Visit, values: dict[str, Any], problem: str) -> Response:
    rows = visit.db.execute("SELECT * FROM rule WHERE login = ? ORDER BY id", (visit.user,)).fetchall()
    status = 422 if problem else 200
    shown = {"rules": rows, "values": values, "problem": problem, "fields": FIELDS, "acts": ACTS}
    return show(visit, "rules.html", status=status, here="rules", **shown)


@needs_login
def add_rule(visit: Visit) -> Response:
    """Add a rule, and carry it out on what is in the inbox if that is ticked."""
    values = {name: visit.text(name) for name in ("field", "words", "act", "target")}
    target = _target(visit, values["act"], values["target"])
    if values["field"] not in FIELDS or values["act"] not in ACTS:
        return _show_rules(visit, values, "Choose what the rule looks at and what it does.")
    if not values["words"] or len(values["words"]) > _MAX:
        return _show_rules(visit, values, f"Type the words that the rule looks for, at most {_MAX} characters.")
    if target is None:
        return _show_rules(visit, values, "This kind of rule needs a folder or label from the list.")
    name = target["name"] if isinstance(target, sqlite3.Row) else ""
    sql = "INSERT INTO rule (login, field, words, act, target, is_active) VALUES (?, ?, ?, ?, ?, 1)"
    visit.db.execute(sql, (visit.user, values["field"], values["words"], values["act"], name))
    count = _carry_out(visit, values, target) if visit.text("now") else 0
    visit.flash(
        f"The rule has been added. It changed {count} messages of the inbox." if count else "The rule has been added."
    )
    return visit.redirect("/rules")


def _target(visit: Visit, act: str, name: str) -> sqlite3.Row | bool | None:
    """The folder or label that a rule names; True if it needs none, None if it does not exist."""
    table = {"Move to folder": "folder", "Add label": "label"}.get(act)
    if table is None:
        return True
    kind, _, rest = name.partition(": ")
    if kind.lower() != table:
        return None
    sql = f"SELECT * FROM {table} WHERE login = ? AND name = ?"  # noqa: S608
    row: sqlite3.Row | None = visit.db.execute(sql, (visit.user, rest)).fetchone()
    return row


def _carry_out(visit: Visit, values: dict[str, str], target: sqlite3.Row | bool) -> int:
    column = _COLUMNS[values["field"]]
    where = f"m.login = ? AND f.kind = 'inbox' AND instr(lower({column}), ?)"
    sql = f"SELECT m.id FROM message m JOIN folder f ON f.id = m.folder_id WHERE {where}"  # noqa: S608
    numbers = [row[0] for row in visit.db.execute(sql, (visit.user, values["words"].lower()))]
    change = {
        "Move to folder": "UPDATE message SET folder_id = :target WHERE id = :id",
        "Add label": "INSERT OR IGNORE INTO message_label VALUES (:id, :target)",
        "Star": "UPDATE message SET is_starred = 1 WHERE id = :id",
        "Delete": "UPDATE message SET folder_id = (SELECT id FROM folder WHERE login = :login AND kind = 'trash')"
        " WHERE id = :id",
    }[values["act"]]
    place = target["id"] if isinstance(target, sqlite3.Row) else None
    visit.db.executemany(change, [{"id": number, "target": place, "login": visit.user} for number in numbers])
    return len(numbers)


@needs_login
def change_rule(visit: Visit) -> Response:
    """Switch a rule on or off, or delete it."""
    rule = own(visit, "rule")
    if isinstance(rule, Response):
        return rule
    if visit.text("act") == "delete":
        visit.db.execute("DELETE FROM rule WHERE id = ?", (rule["id"],))
        visit.flash("The rule has been deleted.")
    else:
        visit.db.execute("UPDATE rule SET is_active = NOT is_active WHERE id = ?", (rule["id"],))
        visit.flash("The rule is off." if rule["is_active"] else "The rule is on.")
    return visit.redirect("/rules")


@needs_login
def settings_page(visit: Visit) -> Response:
    """The signature and the reply while away."""
    account = visit.db.execute("SELECT * FROM account WHERE login = ?", (visit.user,)).fetchone()
    return show(visit, "settings.html", here="settings", values=dict(account), problems={})


@needs_login
def save_settings(visit: Visit) -> Response:
    """Change the settings."""
    values = {name: visit.text(name) for name in ("signature", "away_from", "away_until", "away_text")}
    is_away = int(bool(visit.text("is_away")))
    problems = {}
    for name in ("away_from", "away_until"):
        if values[name] and not re.fullmatch(r"2\d{3}-[01]\d-[0-3]\d", values[name]):
            problems[name] = "Type a day such as 2026-03-20."
    if is_away and not (values["away_from"] and values["away_until"] and values["away_text"]):
        problems["away_text"] = "The reply while away needs both days and a text."
    if values["away_from"] > values["away_until"] and values["away_until"]:
        problems["away_until"] = "The last day is before the first."
    if len(values["signature"]) > 300 or len(values["away_text"]) > 1000:
        problems["signature"] = "A signature has at most 300 characters, the reply 1,000."
    if problems:
        return show(
            visit,
            "settings.html",
            status=422,
            here="settings",
            values={**values, "is_away": is_away},
            problems=problems,
        )
    visit.db.execute(
        "UPDATE account SET signature = ?, away_from = ?, away_until = ?, away_text = ?, is_away = ? WHERE login = ?",
        (*values.values(), is_away, visit.user),
    )
    visit.flash("The settings have been saved.")
    return visit.redirect("/settings")
