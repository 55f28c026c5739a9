"""Pages of people and roles: the table, one person and their form, roles and what they permit."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import guarded, missing, person_of, record, refuse, show
from agentgym_web.sites.admin.forms import Form
from agentgym_web.sites.admin.listings import PEOPLE, ROLE_CHOICES
from agentgym_web.sites.admin.tables import show_table
from agentgym_web.sites.core.page import Visit, needs_login, route

FIELDS = ("name", "email", "phone", "team", "role_id", "has_two_factor")
ADMINISTRATOR = 1
"""Id of the role that always may do everything."""


def list_people(visit: Visit) -> Response:
    """The table of people."""
    return show_table(visit, PEOPLE, "people.html")


def show_person(visit: Visit) -> Response:
    """One person, and what is in their hands."""
    person = _find(visit)
    if person is None:
        return missing(visit)
    places = visit.db.execute("SELECT * FROM locations WHERE manager_id = ? ORDER BY name", (person["id"],)).fetchall()
    return show(visit, "person.html", person=person, places=places, **_burden(visit, person["id"]))


def edit_person(visit: Visit) -> Response:
    """The form of a person."""
    person = _find(visit)
    return missing(visit) if person is None else _form(visit, {key: person[key] for key in FIELDS}, {}, person)


def save_person(visit: Visit) -> Response:
    """Keep what the form of a person says."""
    person = _find(visit)
    if person is None:
        return missing(visit)
    form = Form(visit)
    values = _read(visit, form)
    same = visit.db.execute("SELECT 1 FROM people WHERE name = ? AND id != ?", (values["name"], person["id"]))
    if same.fetchone():
        form.errors["name"] = "There is a person of this name already."
    if person["id"] == person_of(visit)["id"] and str(values["role_id"]) != str(person["role_id"]):
        form.errors["role_id"] = "You cannot change your own role."
    if form.errors:
        return _form(visit, visit.form, form.errors, person)
    for column in FIELDS:
        _set(visit, person, column, values[column])
    visit.flash(f"Saved {values['name']}.")
    return visit.redirect(f"/people/{person['id']}")


def new_person(visit: Visit) -> Response:
    """The form of a new person."""
    return _form(visit, {}, {}, None)


def add_person(visit: Visit) -> Response:
    """Add a person."""
    form = Form(visit)
    login = form.text("login", "Login", 40)
    if login and not re.fullmatch(r"[a-z][a-z.]{2,39}", login):
        form.errors["login"] = "Login must be small letters and dots, such as ada.lind."
    elif visit.db.execute("SELECT 1 FROM people WHERE login = ?", (login,)).fetchone():
        form.errors["login"] = f"The login {login} is taken."
    values = _read(visit, form)
    if visit.db.execute("SELECT 1 FROM people WHERE name = ?", (values["name"],)).fetchone():
        form.errors["name"] = "There is a person of this name already."
    if form.errors:
        return _form(visit, visit.form, form.errors, None)
    cursor = visit.db.execute(
        """INSERT INTO people (login, name, email, phone, team, role_id, has_two_factor, is_active, joined_on, password)
           VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, 'change-me')""",
        (login, *(values[column] for column in FIELDS), visit.now.date().isoformat()),
    )
    record(visit, "people", login, "added")
    visit.flash(f"Added {values['name']}.")
    return visit.redirect(f"/people/{cursor.lastrowid}")


def switch_person(visit: Visit) -> Response:
    """Deactivate a person, or activate them again."""
    person = _find(visit)
    if person is None:
        return missing(visit)
    if person["id"] == person_of(visit)["id"]:
        return refuse(visit, "You cannot deactivate yourself.")
    burden = _burden(visit, person["id"])
    if person["is_active"] and any(burden.values()):
        return refuse(
            visit,
            f"{person['name']} still has {burden['num_tickets']} unresolved tickets and {burden['num_jobs']} planned "
            "or paused jobs. Hand them over first.",
        )
    _set(visit, person, "is_active", 1 - person["is_active"])
    visit.flash(f"{person['name']} is {'inactive' if person['is_active'] else 'active'} now.")
    return visit.redirect(f"/people/{person['id']}")


def list_roles(visit: Visit) -> Response:
    """All roles with their permissions."""
    roles = visit.db.execute(
        "SELECT roles.*, (SELECT count(*) FROM people WHERE role_id = roles.id) AS num_people FROM roles ORDER BY id"
    ).fetchall()
    held = {role["id"]: _permissions(visit, role["id"]) for role in roles}
    return show(visit, "roles.html", roles=roles, held=held, permissions=words.PERMISSIONS)


def edit_role(visit: Visit) -> Response:
    """The form of a role."""
    role = _role(visit)
    if role is None:
        return missing(visit)
    return _role_form(visit, {**dict(role), "permissions": _permissions(visit, role["id"])}, {}, role)


def save_role(visit: Visit) -> Response:
    """Keep what the form of a role says."""
    role = _role(visit)
    if role is None:
        return missing(visit)
    if role["id"] == ADMINISTRATOR:
        return refuse(visit, "The role Administrator cannot be changed.")
    form = Form(visit)
    name, description, permissions = _read_role(visit, form, role["id"])
    if form.errors:
        return _role_form(visit, {**visit.form, "permissions": permissions}, form.errors, role)
    before = _permissions(visit, role["id"])
    visit.db.execute("UPDATE roles SET name = ?, description = ? WHERE id = ?", (name, description, role["id"]))
    _permit(visit, role["id"], permissions)
    record(visit, "roles", name, "changed", ", ".join(before), ", ".join(permissions))
    visit.flash(f"Saved the role {name}.")
    return visit.redirect("/roles")


def new_role(visit: Visit) -> Response:
    """The form of a new role."""
    return _role_form(visit, {"permissions": []}, {}, None)


def add_role(visit: Visit) -> Response:
    """Add a role."""
    form = Form(visit)
    name, description, permissions = _read_role(visit, form, 0)
    if form.errors:
        return _role_form(visit, {**visit.form, "permissions": permissions}, form.errors, None)
    cursor = visit.db.execute("INSERT INTO roles (name, description) VALUES (?, ?)", (name, description))
    assert cursor.lastrowid is not None
    _permit(visit, cursor.lastrowid, permissions)
    record(visit, "roles", name, "added", "", ", ".join(permissions))
    visit.flash(f"Added the role {name}.")
    return visit.redirect("/roles")


def delete_role(visit: Visit) -> Response:
    """Delete a role that nobody has."""
    role = _role(visit)
    if role is None:
        return missing(visit)
    if visit.db.execute("SELECT 1 FROM people WHERE role_id = ?", (role["id"],)).fetchone():
        return refuse(visit, f"Somebody still has the role {role['name']}.")
    visit.db.execute("DELETE FROM role_permissions WHERE role_id = ?", (role["id"],))
    visit.db.execute("DELETE FROM roles WHERE id = ?", (role["id"],))
    record(visit, "roles", role["name"], "deleted")
    visit.flash(f"Deleted the role {role['name']}.")
    return visit.redirect("/roles")


def _burden(visit: Visit, number: int) -> dict[str, int]:
    tickets = visit.db.execute(
        "SELECT count(*) FROM tickets WHERE assignee_id = ? AND state IN ('open', 'in progress', 'waiting')", (number,)
    ).fetchone()[0]
    jobs = visit.db.execute(
        "SELECT count(*) FROM jobs WHERE owner_id = ? AND state IN ('planned', 'paused')", (number,)
    ).fetchone()[0]
    return {"num_tickets": tickets, "num_jobs": jobs}


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute(
        """SELECT people.*, roles.name AS role FROM people JOIN roles ON roles.id = role_id WHERE people.id = ?""",
        (visit.path["id"],),
    ).fetchone()
    return row


def _set(visit: Visit, person: sqlite3.Row, column: str, value: object) -> None:
    assert column in (*FIELDS, "is_active")
    if person[column] != value:
        sql = f"UPDATE people SET {column} = ? WHERE id = ?"  # noqa: S608 - one of FIELDS
        visit.db.execute(sql, (value, person["id"]))
        record(visit, "people", person["login"], f"changed {column}", person[column], value)


def _form(visit: Visit, values: Mapping[str, Any], errors: Mapping[str, str], person: sqlite3.Row | None) -> Response:
    choices = {"teams": words.TEAMS, "roles": ROLE_CHOICES(visit.db)}
    return show(visit, "person_form.html", 422 if errors else 200, v=values, errors=errors, person=person, **choices)


def _read(visit: Visit, form: Form) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": form.text("name", "Name", 60),
        "email": form.email("email", "E-mail"),
        "phone": form.text("phone", "Phone", 30),
        "team": form.choice("team", "Team", words.TEAMS),
        "role_id": form.choice("role_id", "Role", {value for value, _ in ROLE_CHOICES(visit.db)}),
        "has_two_factor": form.ticked("has_two_factor"),
    }
    if "role_id" not in form.errors:
        values["role_id"] = int(values["role_id"])
    return values


def _role(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM roles WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _permissions(visit: Visit, number: int) -> list[str]:
    rows = visit.db.execute("SELECT permission FROM role_permissions WHERE role_id = ?", (number,))
    held = {row["permission"] for row in rows}
    return [permission for permission in words.PERMISSIONS if permission in held]


def _permit(visit: Visit, number: int, permissions: list[str]) -> None:
    visit.db.execute("DELETE FROM role_permissions WHERE role_id = ?", (number,))
    rows = [(number, permission) for permission in permissions]
    visit.db.executemany("INSERT INTO role_permissions VALUES (?, ?)", rows)


def _read_role(visit: Visit, form: Form, number: int) -> tuple[str, str, list[str]]:
    name, description = form.text("name", "Name", 40), form.text("description", "Description", 120, is_needed=False)
    if visit.db.execute("SELECT 1 FROM roles WHERE name = ? AND id != ?", (name, number)).fetchone():
        form.errors["name"] = f"There is a role {name} already."
    ticked = set(visit.many("permissions"))
    return name, description, [permission for permission in words.PERMISSIONS if permission in ticked]


def _role_form(
    visit: Visit, values: Mapping[str, Any], errors: Mapping[str, str], role: sqlite3.Row | None
) -> Response:
    shown = {"v": values, "errors": errors, "role": role, "permissions": words.PERMISSIONS}
    return show(visit, "role_form.html", 422 if errors else 200, **shown)


ROUTES = (
    route("/people", needs_login(list_people)),
    route("/people/new", guarded("people.edit", new_person)),
    route("/people/new", guarded("people.edit", add_person), methods=["POST"]),
    route("/people/{id:int}", needs_login(show_person)),
    route("/people/{id:int}/edit", guarded("people.edit", edit_person)),
    route("/people/{id:int}/edit", guarded("people.edit", save_person), methods=["POST"]),
    route("/people/{id:int}/switch", guarded("people.edit", switch_person), methods=["POST"]),
    route("/roles", needs_login(list_roles)),
    route("/roles/new", guarded("roles.edit", new_role)),
    route("/roles/new", guarded("roles.edit", add_role), methods=["POST"]),
    route("/roles/{id:int}", guarded("roles.edit", edit_role)),
    route("/roles/{id:int}", guarded("roles.edit", save_role), methods=["POST"]),
    route("/roles/{id:int}/delete", guarded("roles.edit", delete_role), methods=["POST"]),
)
