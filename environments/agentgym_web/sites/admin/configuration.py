"""Pages of what the console is set to: alert rules and settings, and the audit log of all changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import guarded, missing, record, show
from agentgym_web.sites.admin.forms import Form
from agentgym_web.sites.admin.listings import AUDIT, OWNERS
from agentgym_web.sites.admin.tables import show_table
from agentgym_web.sites.core.page import Visit, needs_login, route

FIELDS = ("name", "metric", "comparison", "threshold", "region", "notify_id", "is_on")


def list_audit(visit: Visit) -> Response:
    """The audit log."""
    return show_table(visit, AUDIT, "audit.html")


def list_alerts(visit: Visit) -> Response:
    """All alert rules."""
    rows = visit.db.execute(
        """SELECT alert_rules.*, people.name AS person FROM alert_rules JOIN people ON people.id = notify_id
           ORDER BY alert_rules.name"""
    ).fetchall()
    return show(visit, "alerts.html", alerts=rows)


def new_alert(visit: Visit) -> Response:
    """The form of a new rule."""
    return _form(visit, {"is_on": 1}, {}, None)


def add_alert(visit: Visit) -> Response:
    """Add a rule."""
    form = Form(visit)
    values = _read(visit, form, 0)
    if form.errors:
        return _form(visit, visit.form, form.errors, None)
    visit.db.execute(
        """INSERT INTO alert_rules (name, metric, comparison, threshold, region, notify_id, is_on)
           VALUES (?, ?, ?, ?, ?, ?, ?)""",
        tuple(values[column] for column in FIELDS),
    )
    record(visit, "alerts", values["name"], "added")
    visit.flash(f"Added the rule “{values['name']}”.")
    return visit.redirect("/alerts")


def edit_alert(visit: Visit) -> Response:
    """The form of a rule."""
    alert = _find(visit)
    return missing(visit) if alert is None else _form(visit, dict(alert), {}, alert)


def save_alert(visit: Visit) -> Response:
    """Keep what the form of a rule says."""
    alert = _find(visit)
    if alert is None:
        return missing(visit)
    form = Form(visit)
    values = _read(visit, form, alert["id"])
    if form.errors:
        return _form(visit, visit.form, form.errors, alert)
    visit.db.execute(
        """UPDATE alert_rules SET name = ?, metric = ?, comparison = ?, threshold = ?, region = ?, notify_id = ?,
           is_on = ? WHERE id = ?""",
        (*(values[column] for column in FIELDS), alert["id"]),
    )
    record(visit, "alerts", values["name"], "changed")
    visit.flash(f"Saved the rule “{values['name']}”.")
    return visit.redirect("/alerts")


def switch_alert(visit: Visit) -> Response:
    """Switch a rule on or off."""
    alert = _find(visit)
    if alert is None:
        return missing(visit)
    visit.db.execute("UPDATE alert_rules SET is_on = 1 - is_on WHERE id = ?", (alert["id"],))
    now = "off" if alert["is_on"] else "on"
    record(visit, "alerts", alert["name"], f"switched {now}")
    visit.flash(f"“{alert['name']}” is {now} now.")
    return visit.redirect("/alerts")


def delete_alert(visit: Visit) -> Response:
    """Delete a rule."""
    alert = _find(visit)
    if alert is None:
        return missing(visit)
    visit.db.execute("DELETE FROM alert_rules WHERE id = ?", (alert["id"],))
    record(visit, "alerts", alert["name"], "deleted")
    visit.flash(f"Deleted the rule “{alert['name']}”.")
    return visit.redirect("/alerts")


def show_settings(visit: Visit) -> Response:
    """The form of the settings."""
    values = {row["key"]: row["value"] for row in visit.db.execute("SELECT * FROM settings")}
    return _settings_form(visit, values, {})


def save_settings(visit: Visit) -> Response:
    """Keep the settings."""
    form = Form(visit)
    values = {key: _read_setting(form, key) for key in words.SETTINGS}
    if form.errors:
        return _settings_form(visit, {**values, **visit.form}, form.errors)
    before = {row["key"]: row["value"] for row in visit.db.execute("SELECT * FROM settings")}
    for key, value in values.items():
        if before[key] != value:
            visit.db.execute("UPDATE settings SET value = ? WHERE key = ?", (value, key))
            record(visit, "settings", words.SETTINGS[key][0], "changed value", before[key], value)
    visit.flash("Settings saved.")
    return visit.redirect("/settings")


def _settings_form(visit: Visit, values: Mapping[str, Any], errors: Mapping[str, str]) -> Response:
    choices = {"zone": words.ZONES, "weekday": words.WEEKDAYS, "yes-no": ("yes", "no")}
    shown = {"v": values, "errors": errors, "settings": words.SETTINGS, "choices": choices}
    return show(visit, "settings.html", 422 if errors else 200, **shown)


def _read_setting(form: Form, key: str) -> str:
    label, kind, _ = words.SETTINGS[key]
    if kind == "text":
        return form.text(key, label)
    if kind == "email":
        return form.email(key, label)
    if kind in ("zone", "weekday", "yes-no"):
        return form.choice(key, label, {"zone": words.ZONES, "weekday": words.WEEKDAYS}.get(kind, ("yes", "no")))
    least, most = map(int, kind.split("-"))
    return str(form.number(key, label, least, most))


def _find(visit: Visit) -> sqlite3.Row | None:
    row: sqlite3.Row | None = visit.db.execute("SELECT * FROM alert_rules WHERE id = ?", (visit.path["id"],)).fetchone()
    return row


def _owners(visit: Visit) -> list[tuple[str, str]]:
    return [(str(row["id"]), row["name"]) for row in visit.db.execute(OWNERS)]


def _form(visit: Visit, values: Mapping[str, Any], errors: Mapping[str, str], alert: sqlite3.Row | None) -> Response:
    shown = {"v": values, "errors": errors, "alert": alert, "owners": _owners(visit), "words": words}
    return show(visit, "alert_form.html", 422 if errors else 200, **shown)


def _read(visit: Visit, form: Form, number: int) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": form.text("name", "Name", 60),
        "metric": form.choice("metric", "Metric", words.METRICS),
        "comparison": form.choice("comparison", "Comparison", words.COMPARISONS),
        "threshold": form.number("threshold", "Threshold", 0, 10_000),
        "region": form.choice("region", "Region", words.REGIONS),
        "notify_id": form.choice("notify_id", "Notify", {value for value, _ in _owners(visit)}),
        "is_on": form.ticked("is_on"),
    }
    same = visit.db.execute("SELECT 1 FROM alert_rules WHERE name = ? AND id != ?", (values["name"], number))
    if same.fetchone():
        form.errors["name"] = "There is a rule of this name already."
    if not form.errors:
        values["notify_id"] = int(values["notify_id"])
    return values


ROUTES = (
    route("/audit", guarded("audit.view", list_audit)),
    route("/alerts", needs_login(list_alerts)),
    route("/alerts/new", guarded("settings.edit", new_alert)),
    route("/alerts/new", guarded("settings.edit", add_alert), methods=["POST"]),
    route("/alerts/{id:int}", guarded("settings.edit", edit_alert)),
    route("/alerts/{id:int}", guarded("settings.edit", save_alert), methods=["POST"]),
    route("/alerts/{id:int}/switch", guarded("settings.edit", switch_alert), methods=["POST"]),
    route("/alerts/{id:int}/delete", guarded("settings.edit", delete_alert), methods=["POST"]),
    route("/settings", guarded("settings.edit", show_settings)),
    route("/settings", guarded("settings.edit", save_settings), methods=["POST"]),
)
