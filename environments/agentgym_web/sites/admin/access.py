"""Who may do what on the console, and the audit log that every change leaves a line in.

Roles and their permissions are rows of the database; `people` edits them.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin.vocabulary import PERMISSIONS
from agentgym_web.sites.core.page import Handler, Visit, needs_login

AREAS = (
    ("/", "Dashboard"),
    ("/machines", "Machines"),
    ("/tickets", "Tickets"),
    ("/jobs", "Jobs"),
    ("/people", "People"),
    ("/roles", "Roles"),
    ("/reports", "Reports"),
    ("/alerts", "Alert rules"),
    ("/audit", "Audit log"),
    ("/exports", "Exports"),
    ("/settings", "Settings"),
)
"""Path and label of each entry of the side bar."""


def person_of(visit: Visit) -> sqlite3.Row:
    """The row of whoever is logged in."""
    row: sqlite3.Row = visit.db.execute(
        """SELECT people.*, roles.name AS role FROM people JOIN roles ON roles.id = role_id WHERE login = ?""",
        (visit.user,),
    ).fetchone()
    return row


def may(visit: Visit, permission: str) -> bool:
    """Whether the role of whoever is logged in has a permission."""
    found = visit.db.execute(
        """SELECT 1 FROM people JOIN role_permissions USING (role_id)
           WHERE login = ? AND permission = ? AND is_active""",
        (visit.user, permission),
    )
    return found.fetchone() is not None


def guarded(permission: str, handler: Handler) -> Handler:
    """Let a handler run only for a person whose role has a permission; others get status 403."""

    def checked(visit: Visit) -> Response:
        if not may(visit, permission):
            return refuse(visit, f"Your role lacks the permission “{PERMISSIONS[permission]}”.")
        return handler(visit)

    checked.__name__ = getattr(handler, "__name__", "page")
    return needs_login(checked)


def refuse(visit: Visit, text: str) -> Response:
    """The page that says why something is not allowed; nothing that was written stays."""
    return show(visit, "refused.html", status=403, heading="Not allowed", text=text)


def missing(visit: Visit) -> Response:
    """The page for an address that leads nowhere."""
    return show(visit, "refused.html", status=404, heading="Not found", text="There is no such page or entry.")


def show(visit: Visit, template: str, status: int = 200, **values: Any) -> Response:
    """A page of the console: the side bar, the person and what they may do, and the template's own values."""
    me = person_of(visit)
    allowed = {permission for permission in PERMISSIONS if may(visit, permission)}
    path = visit.request.url.path
    current = max((link for link, _ in AREAS if path == link or path.startswith(f"{link}/")), key=len, default="/")
    return visit.render(template, status=status, me=me, allowed=allowed, areas=AREAS, current=current, **values)


def record(visit: Visit, area: str, subject: str, action: str, old: object = "", new: object = "") -> None:
    """Write a line of the audit log.

    Args:
        visit: Whose it is.
        area: Part of the console, such as "machines".
        subject: What was changed, such as a machine's code.
        action: What happened, such as "changed status".
        old: The value before.
        new: The value now.
    """
    visit.db.execute(
        "INSERT INTO audit_log (at, actor, area, object, action, old, new) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (visit.stamp, person_of(visit)["name"], area, subject, action, str(old), str(new)),
    )
