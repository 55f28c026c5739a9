"""Pages of machines: the table with its bulk edits, one machine, and the forms for a new and a changed one."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import guarded, missing, record, show
from agentgym_web.sites.admin.forms import Form
from agentgym_web.sites.admin.listings import LOCATION_CHOICES, MACHINES
from agentgym_web.sites.admin.tables import back_to, chosen_rows, show_table
from agentgym_web.sites.core.page import Visit, needs_login, route

FIELDS = {
    "model": "model",
    "location_id": "location",
    "status": "status",
    "firmware": "firmware",
    "fill": "fill level",
    "takes_cash": "takes cash",
    "installed_on": "installed on",
    "serviced_on": "last service",
    "notes": "notes",
}
"""Columns that the form changes, with their names in the audit log."""


def list_machines(visit: Visit) -> Response:
    """The table of machines."""
    return show_table(visit, MACHINES, "machines.html", locations=LOCATION_CHOICES(visit.db), words=words)


def show_machine(visit: Visit) -> Response:
    """One machine with its tickets."""
    machine = _find(visit)
    if machine is None:
        return missing(visit)
    tickets = visit.db.execute(
        """SELECT tickets.*, coalesce(people.name, 'nobody') AS assignee FROM tickets
           LEFT JOIN people ON people.id = assignee_id WHERE machine_id = ? ORDER BY tickets.id DESC""",
        (machine["id"],),
    ).fetchall()
    return show(visit, "machine.html", machine=machine, tickets=tickets)


def edit_machine(visit: Visit) -> Response:
    """The form of a machine."""
    machine = _find(visit)
    return missing(visit) if machine is None else _form(visit, machine, {}, machine)


def save_machine(visit: Visit) -> Response:
    """Keep what the form of a machine says."""
    machine = _find(visit)
    if machine is None:
        return missing(visit)
    form = Form(visit)
    values = _read(visit, form)
    if form.errors:
        return _form(visit, visit.form, form.errors, machine)
    for column, label in FIELDS.items():
        if values[column] != machine[column]:
            _set(visit, machine["id"], column, values[column])
            record(visit, "machines", machine["code"], f"changed {label}", machine[column], values[column])
    visit.flash(f"Saved {machine['code']}.")
    return visit.redirect(f"/machines/{machine['id']}")


def new_machine(visit: Visit) -> Response:
    """The form of a new machine."""
    today = visit.now.date().isoformat()
    return _form(visit, {"fill": "0", "status": "offline", "installed_on": today, "serviced_on": today}, {}, None)


def add_machine(visit: Visit) -> Response:
    """Add a machine."""
    form = Form(visit)
    code = form.text("code", "Code")
    if code and not re.fullmatch(r"FK-\d{4}", code):
        form.errors["code"] = "Code must be FK- and four digits, such as FK-1234."
    elif visit.db.execute("SELECT 1 FROM machines WHERE code = ?", (code,)).fetchone():
        form.errors["code"] = f"There is a machine {code} already."
    values = _read(visit, form)
    if form.errors:
        return _form(visit, visit.form, form.errors, None)
    cursor = visit.db.execute(
        """INSERT INTO machines (code, model, location_id, status, firmware, fill, takes_cash, installed_on,
           serviced_on, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (code, *(values[column] for column in FIELDS)),
    )
    record(visit, "machines", code, "added")
    visit.flash(f"Added {code}.")
    return visit.redirect(f"/machines/{cursor.lastrowid}")


def change_many(visit: Visit) -> Response:
    """Change the status, firmware or location of many machines."""
    ids = chosen_rows(visit, MACHINES)
    locations = {value for value, _ in LOCATION_CHOICES(visit.db)}
    wanted: dict[str, Any] = {
        column: visit.text(column)
        for column, values in (
            ("status", words.STATUSES),
            ("firmware", words.ALL_FIRMWARE),
            ("location_id", locations),
        )
        if visit.text(column) in values
    }
    if "location_id" in wanted:
        wanted["location_id"] = int(wanted["location_id"])
    if not ids or not wanted:
        return back_to(visit, MACHINES, "Nothing changed: tick machines and choose what to change.")
    machines = [visit.db.execute("SELECT * FROM machines WHERE id = ?", (number,)).fetchone() for number in ids]
    misfits = [row["code"] for row in machines if wanted.get("firmware", "") not in ("", *words.FIRMWARE[row["model"]])]
    if misfits:
        text = f"Nothing changed: firmware {wanted['firmware']} does not run on {', '.join(misfits[:5])}."
        return back_to(visit, MACHINES, text)
    for machine in machines:
        for column, value in wanted.items():
            if machine[column] != value:
                _set(visit, machine["id"], column, value)
                record(visit, "machines", machine["code"], f"changed {FIELDS[column]}", machine[column], value)
    return back_to(visit, MACHINES, f"Changed {len(ids)} machines.")


def _set(visit: Visit, number: int, column: str, value: object) -> None:
    assert column in FIELDS
    visit.db.execute(f"UPDATE machines SET {column} = ? WHERE id = ?", (value, number))  # noqa: S608 - one of FIELDS


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute(
        """SELECT machines.*, locations.name AS location, region FROM machines
           JOIN locations ON locations.id = location_id WHERE machines.id = ?""",
        (visit.path["id"],),
    ).fetchone()
    return row


def _form(visit: Visit, values: Any, errors: Mapping[str, str], machine: sqlite3.Row | None) -> Response:
    values = dict(values) if isinstance(values, Mapping) else {key: values[key] for key in values.keys()}  # noqa: SIM118
    locations = LOCATION_CHOICES(visit.db)
    status = 422 if errors else 200
    return show(
        visit, "machine_form.html", status, v=values, errors=errors, machine=machine, locations=locations, words=words
    )


def _read(visit: Visit, form: Form) -> dict[str, Any]:
    today = visit.now.date().isoformat()
    locations = {value for value, _ in LOCATION_CHOICES(visit.db)}
    values: dict[str, Any] = {
        "model": form.choice("model", "Model", words.MODELS),
        "location_id": form.choice("location_id", "Location", locations),
        "status": form.choice("status", "Status", words.STATUSES),
        "firmware": form.choice("firmware", "Firmware", words.ALL_FIRMWARE),
        "fill": form.number("fill", "Fill level", 0, 100),
        "takes_cash": form.ticked("takes_cash"),
        "installed_on": form.day("installed_on", "Installed on"),
        "serviced_on": form.day("serviced_on", "Last service"),
        "notes": form.text("notes", "Notes", 400, is_needed=False),
    }
    if values["model"] in words.FIRMWARE and values["firmware"] not in words.FIRMWARE[values["model"]]:
        runs = ", ".join(words.FIRMWARE[values["model"]])
        form.errors["firmware"] = f"{values['model']} runs firmware {runs}."
    for column, label in (("installed_on", "Installed on"), ("serviced_on", "Last service")):
        if values[column] > today:
            form.errors[column] = f"{label} cannot be in the future."
    if values["serviced_on"] and values["serviced_on"] < values["installed_on"]:
        form.errors.setdefault("serviced_on", "Last service cannot be before the installation.")
    if not form.errors:
        values["location_id"] = int(values["location_id"])
    return values


ROUTES = (
    route("/machines", needs_login(list_machines)),
    route("/machines/bulk", guarded("machines.edit", change_many), methods=["POST"]),
    route("/machines/new", guarded("machines.edit", new_machine)),
    route("/machines/new", guarded("machines.edit", add_machine), methods=["POST"]),
    route("/machines/{id:int}", needs_login(show_machine)),
    route("/machines/{id:int}/edit", guarded("machines.edit", edit_machine)),
    route("/machines/{id:int}/edit", guarded("machines.edit", save_machine), methods=["POST"]),
)
