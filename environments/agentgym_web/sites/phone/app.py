"""The phone as a site: the lock, the screen of today and the settings here, each app in its own module."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, local_path, needs_login, route
from agentgym_web.sites.core.site import Site
from agentgym_web.sites.phone import chats, clock, contacts, events, lists
from agentgym_web.sites.phone.data import OWNER, PIN, fill
from agentgym_web.sites.phone.screen import show

RINGTONES = ("Marimba", "Chimes", "Bell tower", "Rain", "Silent")
TEXT_SIZES = ("small", "medium", "large", "huge")
BACKUPS = ("never", "daily", "weekly", "monthly")
YES_NO = ("yes", "no")
CHOICES = {
    "ringtone": RINGTONES,
    "text_size": TEXT_SIZES,
    "backup": BACKUPS,
    "dark": YES_NO,
    "airplane": YES_NO,
    "read_receipts": YES_NO,
}


def lock(visit: Visit) -> Response:
    """The lock."""
    return visit.render("lock.html", problem="", next=local_path(visit.query.get("next", "/")))


def unlock(visit: Visit) -> Response:
    """Unlock the phone with its PIN."""
    wanted = local_path(visit.text("next", "/"))
    if visit.text("pin") != PIN:
        return visit.render("lock.html", 422, problem="Wrong PIN.", next=wanted)
    visit.login(OWNER)
    return visit.redirect(wanted)


def close(visit: Visit) -> Response:
    """Lock the phone."""
    visit.logout()
    return visit.redirect("/login")


def today(visit: Visit) -> Response:
    """What today holds: events, unread chats, flagged items."""
    day = visit.now.date().isoformat()
    found = visit.db.execute("SELECT * FROM events WHERE day = ? ORDER BY start, id", (day,)).fetchall()
    unread = visit.db.execute(
        """SELECT chats.*, number FROM chats JOIN unread ON chat_id = chats.id
           WHERE number > 0 AND NOT is_archived AND NOT is_muted ORDER BY chats.id LIMIT 6"""
    ).fetchall()
    flagged = visit.db.execute(
        """SELECT items.*, lists.title FROM items JOIN lists ON lists.id = list_id
           WHERE is_flagged AND NOT is_checked ORDER BY items.id LIMIT 8"""
    ).fetchall()
    return show(visit, "today.html", f"{visit.now:%A}", events=found, unread=unread, flagged=flagged)


def more(visit: Visit) -> Response:
    """The other apps."""
    return show(visit, "more.html", "More")


def show_settings(visit: Visit) -> Response:
    """The form of the settings."""
    values = {row["key"]: row["value"] for row in visit.db.execute("SELECT * FROM settings")}
    return _form(visit, values, {})


def save_settings(visit: Visit) -> Response:
    """Keep the settings."""
    values, problems = _read(visit)
    if problems:
        return _form(visit, values, problems)
    for key, value in values.items():
        visit.db.execute("UPDATE settings SET value = ? WHERE key = ?", (value, key))
    visit.flash("Settings saved.")
    return visit.redirect("/settings")


def _read(visit: Visit) -> tuple[dict[str, str], dict[str, str]]:
    keys = [row["key"] for row in visit.db.execute("SELECT key FROM settings")]
    values = {key: visit.text(key) for key in keys}
    problems = {key: "Choose a value." for key, choices in CHOICES.items() if values[key] not in choices}
    if not 1 <= len(values["name"]) <= 40:
        problems["name"] = "Name is required, at most 40 characters."
    if len(values["auto_reply"]) > 200:
        problems["auto_reply"] = "The reply is longer than 200 characters."
    if not (values["volume"].isdecimal() and len(values["volume"]) < 4 and int(values["volume"]) <= 100):
        problems["volume"] = "Volume must be a number from 0 to 100."
    for key in ("quiet_from", "quiet_to"):
        if not events.is_time(values[key]):
            problems[key] = "Must be a time such as 22:30."
    return values, problems


def _form(visit: Visit, values: Mapping[str, Any], problems: Mapping[str, str]) -> Response:
    shown = {"v": values, "problems": problems, "choices": CHOICES}
    return show(visit, "settings.html", "Settings", 422 if problems else 200, back="/more", **shown)


SITE = Site(
    name="phone",
    title="Lark",
    folder=Path(__file__).parent,
    fill=fill,
    users=f"SELECT '{OWNER}'",
    routes=(
        route("/login", lock),
        route("/login", unlock, methods=["POST"]),
        route("/lock", close, methods=["POST"]),
        route("/", needs_login(today)),
        route("/more", needs_login(more)),
        route("/settings", needs_login(show_settings)),
        route("/settings", needs_login(save_settings), methods=["POST"]),
        *chats.ROUTES,
        *events.ROUTES,
        *lists.ROUTES,
        *contacts.ROUTES,
        *clock.ROUTES,
    ),
    unwatched=frozenset({"waiting", "unread"}),
)
