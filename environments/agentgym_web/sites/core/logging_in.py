"""Logging in by name and password, and out: the pages `/login` and `/logout` of the sites whose members have both."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from starlette.responses import Response
from starlette.routing import Route

from agentgym_web.sites.core.page import Visit, local_path, route


def login_routes(
    table: str, column: str = "login", label: str = "Login name", refuse: Callable[[sqlite3.Row], str] | None = None
) -> tuple[Route, ...]:
    """The routes of `/login` and `/logout`.

    Args:
        table: The table of the members, with a column `password`.
        column: The column of the name that a member logs in by; capital letters do not matter.
        label: What the form calls this name.
        refuse: Why a member may not log in, or ""; None lets everybody in whose password is right.
    """

    def form(visit: Visit, wanted: str, typed: str = "", problem: str = "") -> Response:
        status = 422 if problem else 200
        return visit.render("login.html", status, label=label, typed=typed, problem=problem, next=wanted)

    def login_page(visit: Visit) -> Response:
        """The form to log in."""
        return form(visit, local_path(visit.query.get("next", "/")))

    def login(visit: Visit) -> Response:
        """Log in, and go to the page that was wanted."""
        wanted, typed = local_path(visit.text("next", "/")), visit.text("login")
        sql = f"SELECT * FROM {table} WHERE {column} = ? COLLATE NOCASE AND password = ?"  # noqa: S608 - a site's own
        found = visit.db.execute(sql, (typed, visit.text("password"))).fetchone()
        problem = f"The {label.lower()} or the password is wrong." if found is None else refuse(found) if refuse else ""
        if problem:
            return form(visit, wanted, typed, problem)
        visit.login(found[column])
        visit.flash(f"Welcome back, {found[column]}.")
        return visit.redirect(wanted)

    return (route("/login", login_page), route("/login", login, ("POST",)), route("/logout", _logout, ("POST",)))


def _logout(visit: Visit) -> Response:
    visit.logout()
    visit.flash("You are logged out.")
    return visit.redirect("/")
