"""The console as a site: signing in and out here, all other pages in the module of their area."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

from agentgym_web.sites.admin import configuration, jobs, machines, people, reports, tables, tickets
from agentgym_web.sites.admin.data import fill
from agentgym_web.sites.core.page import Visit, local_path, route
from agentgym_web.sites.core.site import Site


def login_form(visit: Visit) -> Response:
    """The page to sign in on."""
    return visit.render("login.html", problem="", login="", next=local_path(visit.query.get("next", "/")))


def login(visit: Visit) -> Response:
    """Sign in."""
    found = visit.db.execute(
        "SELECT * FROM people WHERE login = ? AND password = ?", (visit.text("login"), visit.text("password"))
    ).fetchone()
    wanted = local_path(visit.text("next", "/"))
    if found is None or not found["is_active"]:
        problem = "This login is inactive." if found else "Login or password is wrong."
        return visit.render("login.html", 422, problem=problem, login=visit.text("login"), next=wanted)
    visit.login(found["login"])
    return visit.redirect(wanted)


def logout(visit: Visit) -> Response:
    """Sign out."""
    visit.logout()
    return visit.redirect("/login")


SITE = Site(
    name="admin",
    title="Fernhill Console",
    folder=Path(__file__).parent,
    fill=fill,
    routes=(
        route("/login", login_form),
        route("/login", login, methods=["POST"]),
        route("/logout", logout, methods=["POST"]),
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
