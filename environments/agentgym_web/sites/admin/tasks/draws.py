"""How templates draw from the console's database, and the steps that their walkthroughs share."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_web.sites.core.draws import pick, require, rows

Steps = list[list[Any]]
MANAGERS = ("Administrator", "Operations manager")
ADMINISTRATORS = ("Administrator",)
UNRESOLVED = "state IN ('open', 'in progress', 'waiting')"
"""Condition on tickets."""
FIELD_ROLES = {"Search": "searchbox", "Fill below": "spinbutton"}
DATES = ("Serviced before", "Opened from", "Opened to", "From day", "To day")


def user_with(db: sqlite3.Connection, rng: random.Random, roles: Sequence[str] = MANAGERS) -> sqlite3.Row:
    """An active person with one of some roles, who does the task."""
    marks = ",".join("?" * len(roles))
    sql = f"""SELECT people.* FROM people JOIN roles ON roles.id = role_id
              WHERE is_active AND roles.name IN ({marks}) ORDER BY people.id"""  # noqa: S608 - marks
    return pick(db, rng, sql, *roles)


def helper(db: sqlite3.Connection, rng: random.Random, *besides: int) -> sqlite3.Row:
    """An active person who tickets can be assigned to, other than some."""
    sql = """SELECT people.* FROM people JOIN role_permissions USING (role_id)
             WHERE is_active AND permission = 'tickets.edit' ORDER BY people.id"""
    found = [row for row in rows(db, sql) if row["id"] not in besides]
    require(bool(found))
    return rng.choice(found)


def area(label: str) -> Steps:
    """Steps that open an area of the side bar."""
    return [["click", "link", label]]


def filtered(choices: Mapping[str, str]) -> Steps:
    """Steps that set filters above a table, by label."""
    steps: Steps = []
    for label, value in choices.items():
        if label in FIELD_ROLES:
            steps.append(["fill", FIELD_ROLES[label], label, value])
        elif label in DATES:
            steps.append(["fill", "textbox", label, value])
        else:
            steps.append(["select", "combobox", label, value])
    return [*steps, ["click", "button", "Filter"]]


def open_machine(code: str) -> Steps:
    """Steps from anywhere to a machine's page."""
    return [*area("Machines"), *filtered({"Search": code}), ["click", "link", code]]


def open_ticket(number: int) -> Steps:
    """Steps from anywhere to a ticket's page."""
    return [*area("Tickets"), *filtered({"Search": str(number)}), ["click", "link", str(number)]]


def open_person(name: str) -> Steps:
    """Steps from anywhere to a person's page."""
    return [*area("People"), *filtered({"Search": name}), ["click", "link", name, {"within": name}]]


def open_job(job: sqlite3.Row) -> Steps:
    """Steps from anywhere to a job's page."""
    narrowed = filtered({"Search": job["title"], "From day": job["day"], "To day": job["day"]})
    return [*area("Jobs"), ["click", "link", "Table"], *narrowed, ["click", "link", job["title"]]]


def change_every(count: int, choices: Mapping[str, str]) -> Steps:
    """Steps that change every row of the view below the filters, by the labels of the bulk fields."""
    ticked = ["click", "checkbox", f"Every row of this view ({count})"]
    chosen = [["select", "combobox", label, value] for label, value in choices.items()]
    return [ticked, *chosen, ["click", "button", "Apply to selected"]]


def filled(values: Mapping[str, str], role: str = "textbox") -> Steps:
    """Steps that fill fields of a form, by label."""
    return [["fill", role, label, value] for label, value in values.items()]


def selected(values: Mapping[str, str]) -> Steps:
    """Steps that choose options of a form, by label."""
    return [["select", "combobox", label, value] for label, value in values.items()]
