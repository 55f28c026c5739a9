"""The console as a site: its routes, which each area has in its own module, and who may sign in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agentgym_web.sites.admin import configuration, jobs, machines, people, reports, tables, tickets
from agentgym_web.sites.admin.data import fill
from agentgym_web.sites.core.logging_in import login_routes
from agentgym_web.sites.core.site import Site


def _refuse(person: sqlite3.Row) -> str:
    return "" if person["is_active"] else "This login is inactive."


SITE = Site(
    name="admin",
    title="Fernhill Console",
    folder=Path(__file__).parent,
    fill=fill,
    users="SELECT login FROM people",
    routes=(
        *login_routes("people", label="Login", refuse=_refuse),
        *reports.ROUTES,
        *machines.ROUTES,
        *tickets.ROUTES,
        *jobs.ROUTES,
        *people.ROUTES,
        *configuration.ROUTES,
        *tables.ROUTES,
    ),
    unwatched=frozenset({"audit_log"}),
)
