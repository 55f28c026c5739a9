"""Pages of numbers: the dashboard, and reports of sales with a chart and a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.access import show
from agentgym_web.sites.admin.charts import bar_chart, column_chart
from agentgym_web.sites.admin.data import MONTHS
from agentgym_web.sites.core.page import Visit, needs_login, route

GROUPS = {
    "region": ("Region", "region"),
    "location": ("Location", "locations.name"),
    "kind": ("Kind of location", "kind"),
    "month": ("Month", "month"),
}
"""What rows of a report can stand for: label and expression."""
MEASURES = {"revenue": ("Revenue in euros", "sum(revenue)"), "sales": ("Number of sales", "sum(num_sales)")}
UNRESOLVED = "state IN ('open', 'in progress', 'waiting')"


def dashboard(visit: Visit) -> Response:
    """The first page: what stands out today."""
    db, today = visit.db, visit.now.date().isoformat()
    statuses = {row[0]: row[1] for row in db.execute("SELECT status, count(*) FROM machines GROUP BY status")}
    priorities = {
        row[0]: row[1]
        for row in db.execute(f"SELECT priority, count(*) FROM tickets WHERE {UNRESOLVED} GROUP BY priority")  # noqa: S608
    }
    revenue = db.execute("SELECT month, sum(revenue) FROM sales GROUP BY month ORDER BY month DESC LIMIT 12").fetchall()
    jobs = db.execute(
        """SELECT jobs.*, people.name AS owner FROM jobs JOIN people ON people.id = owner_id
           WHERE day = ? ORDER BY start, jobs.id""",
        (today,),
    ).fetchall()
    newest = db.execute(
        """SELECT tickets.*, code FROM tickets JOIN machines ON machines.id = machine_id
           ORDER BY opened_at DESC, tickets.id DESC LIMIT 6"""
    ).fetchall()
    shown: dict[str, Any] = {
        "statuses": [(name, statuses.get(name, 0)) for name in words.STATUSES],
        "priorities": [(name, priorities.get(name, 0)) for name in reversed(words.PRIORITIES)],
        "chart": column_chart("Revenue by month in euros", [(row[0], row[1]) for row in reversed(revenue)]),
        "jobs": jobs,
        "newest": newest,
    }
    return show(visit, "dashboard.html", **shown)


def report(visit: Visit) -> Response:
    """Sales added up by region, location, kind of location or month."""
    by = visit.query.get("by", "region") if visit.query.get("by") in GROUPS else "region"
    measure = visit.query.get("measure", "revenue") if visit.query.get("measure") in MEASURES else "revenue"
    first = visit.query.get("first", "") if visit.query.get("first") in MONTHS else MONTHS[-12]
    last = visit.query.get("last", "") if visit.query.get("last") in MONTHS else MONTHS[-1]
    region = visit.query.get("region", "") if visit.query.get("region") in words.REGIONS else ""
    rows = _totals(visit, (by, measure), (first, last), region)
    title = f"{MEASURES[measure][0]} by {GROUPS[by][0].lower()}, {first} to {last}" + (f", {region}" if region else "")
    shown = {
        "by": by,
        "measure": measure,
        "first": first,
        "last": last,
        "region": region,
        "rows": rows,
        "total": sum(row["value"] for row in rows),
        "title": title,
        "chart": (column_chart if by == "month" else bar_chart)(title, [(row["label"], row["value"]) for row in rows]),
    }
    choices: dict[str, Any] = {"groups": GROUPS, "measures": MEASURES, "months": MONTHS, "regions": words.REGIONS}
    return show(visit, "report.html", **shown, **choices)


def _totals(visit: Visit, what: tuple[str, str], months: tuple[str, str], region: str) -> Sequence[sqlite3.Row]:
    label, value = GROUPS[what[0]][1], MEASURES[what[1]][1]
    sql = f"""SELECT {label} AS label, {value} AS value FROM sales JOIN locations ON locations.id = location_id
              WHERE month BETWEEN ? AND ? AND (? = '' OR region = ?) GROUP BY 1 ORDER BY 1"""  # noqa: S608 - GROUPS
    return visit.db.execute(sql, (*months, region, region)).fetchall()


ROUTES = (route("/", needs_login(dashboard)), route("/reports", needs_login(report)))
