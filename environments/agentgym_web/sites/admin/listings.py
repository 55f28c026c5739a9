"""The tables of the console: machines, tickets, jobs, people and the audit log, with their columns and filters."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.listing import Choices, Column, Filter, Listing


def _of(values: Sequence[str]) -> Callable[[sqlite3.Connection], Choices]:
    return lambda db: [(value, value) for value in values]


def _from(sql: str, *first: tuple[str, str]) -> Callable[[sqlite3.Connection], Choices]:
    return lambda db: [*first, *((str(row[0]), str(row[1])) for row in db.execute(sql))]


def _rank(column: str, values: Sequence[str]) -> str:
    return f"instr('|{'|'.join(values)}|', '|' || {column} || '|')"


LOCATION_CHOICES = _from("SELECT id, name FROM locations ORDER BY name")
ROLE_CHOICES = _from("SELECT id, name FROM roles ORDER BY id")
HELPERS = """SELECT people.id, people.name FROM people JOIN role_permissions USING (role_id)
             WHERE is_active AND permission = 'tickets.edit' ORDER BY people.name"""
"""Who tickets can be assigned to."""
OWNERS = "SELECT id, name FROM people WHERE is_active ORDER BY name"
"""Who jobs and alerts can be given to."""

_YES_NO: Choices = (("1", "yes"), ("0", "no"))
_REGION = Filter("region", "Region", "locations.region = ?", _of(words.REGIONS))

MACHINES = Listing(
    name="machines",
    path="/machines",
    id_sql="machines.id",
    source="machines JOIN locations ON locations.id = location_id",
    columns=(
        Column("code", "Code", "machines.code", link="/machines/"),
        Column("model", "Model", "machines.model"),
        Column("location", "Location", "locations.name"),
        Column("region", "Region", "locations.region"),
        Column("status", "Status", "machines.status", order=_rank("machines.status", words.STATUSES)),
        Column("firmware", "Firmware", "machines.firmware"),
        Column("fill", "Fill %", "machines.fill", is_number=True),
        Column("serviced", "Last service", "machines.serviced_on"),
    ),
    filters=(
        Filter("status", "Status", "machines.status = ?", _of(words.STATUSES)),
        Filter("model", "Model", "machines.model = ?", _of(words.MODELS)),
        _REGION,
        Filter("location", "Location", "machines.location_id = ?", LOCATION_CHOICES),
        Filter("firmware", "Firmware", "machines.firmware = ?", _of(words.ALL_FIRMWARE)),
        Filter("cash", "Takes cash", "machines.takes_cash = ?", lambda db: _YES_NO),
        Filter("fill_below", "Fill below", "machines.fill < CAST(? AS INTEGER)", kind="number"),
        Filter("serviced_before", "Serviced before", "machines.serviced_on < ?", kind="date"),
    ),
    searched=("machines.code", "machines.notes"),
    sort="code",
)

TICKETS = Listing(
    name="tickets",
    path="/tickets",
    id_sql="tickets.id",
    source="""tickets JOIN machines ON machines.id = machine_id JOIN locations ON locations.id = location_id
              LEFT JOIN people ON people.id = assignee_id""",
    columns=(
        Column("number", "Number", "tickets.id", link="/tickets/"),
        Column("subject", "Subject", "tickets.subject"),
        Column("machine", "Machine", "machines.code"),
        Column("location", "Location", "locations.name"),
        Column("category", "Category", "tickets.category"),
        Column("priority", "Priority", "tickets.priority", order=_rank("tickets.priority", words.PRIORITIES)),
        Column("state", "State", "tickets.state", order=_rank("tickets.state", words.TICKET_STATES)),
        Column("assignee", "Assignee", "coalesce(people.name, 'nobody')"),
        Column("opened", "Opened", "tickets.opened_at"),
    ),
    filters=(
        Filter(
            "state",
            "State",
            """CASE ? WHEN 'unresolved' THEN tickets.state IN ('open', 'in progress', 'waiting')
               WHEN tickets.state THEN 1 ELSE 0 END""",
            _of(("unresolved", *words.TICKET_STATES)),
        ),
        Filter("priority", "Priority", "tickets.priority = ?", _of(words.PRIORITIES)),
        Filter("category", "Category", "tickets.category = ?", _of(words.CATEGORIES)),
        Filter(
            "assignee",
            "Assignee",
            "coalesce(tickets.assignee_id, 0) = CAST(? AS INTEGER)",
            _from("SELECT id, name FROM people ORDER BY name", ("0", "nobody")),
        ),
        _REGION,
        Filter("location", "Location", "machines.location_id = ?", LOCATION_CHOICES),
        Filter("from", "Opened from", "date(tickets.opened_at) >= ?", kind="date"),
        Filter("to", "Opened to", "date(tickets.opened_at) <= ?", kind="date"),
    ),
    searched=("tickets.id", "tickets.subject", "tickets.body", "machines.code"),
    sort="number",
    order="desc",
)

JOBS = Listing(
    name="jobs",
    path="/jobs/list",
    id_sql="jobs.id",
    source="jobs JOIN locations ON locations.id = location_id JOIN people ON people.id = owner_id",
    columns=(
        Column("title", "Title", "jobs.title", link="/jobs/"),
        Column("kind", "Kind", "jobs.kind"),
        Column("location", "Location", "locations.name"),
        Column("day", "Day", "jobs.day", order="jobs.day || jobs.start"),
        Column("start", "Start", "jobs.start"),
        Column("minutes", "Minutes", "jobs.minutes", is_number=True),
        Column("owner", "Owner", "people.name"),
        Column("state", "State", "jobs.state", order=_rank("jobs.state", words.JOB_STATES)),
    ),
    filters=(
        Filter("state", "State", "jobs.state = ?", _of(words.JOB_STATES)),
        Filter("kind", "Kind", "jobs.kind = ?", _of(words.JOB_KINDS)),
        Filter("owner", "Owner", "jobs.owner_id = ?", _from("SELECT id, name FROM people ORDER BY name")),
        _REGION,
        Filter("location", "Location", "jobs.location_id = ?", LOCATION_CHOICES),
        Filter("from", "From day", "jobs.day >= ?", kind="date"),
        Filter("to", "To day", "jobs.day <= ?", kind="date"),
    ),
    searched=("jobs.title", "jobs.notes"),
    sort="day",
)

PEOPLE = Listing(
    name="people",
    path="/people",
    id_sql="people.id",
    source="people JOIN roles ON roles.id = role_id",
    columns=(
        Column("name", "Name", "people.name", link="/people/"),
        Column("login", "Login", "people.login"),
        Column("team", "Team", "people.team"),
        Column("role", "Role", "roles.name", order="roles.id"),
        Column("active", "Active", "CASE is_active WHEN 1 THEN 'yes' ELSE 'no' END"),
        Column("two_factor", "Two-factor", "CASE has_two_factor WHEN 1 THEN 'yes' ELSE 'no' END"),
        Column("joined", "Joined", "people.joined_on"),
    ),
    filters=(
        Filter("team", "Team", "people.team = ?", _of(words.TEAMS)),
        Filter("role", "Role", "people.role_id = ?", ROLE_CHOICES),
        Filter("active", "Active", "people.is_active = ?", lambda db: _YES_NO),
        Filter("two_factor", "Two-factor", "people.has_two_factor = ?", lambda db: _YES_NO),
    ),
    searched=("people.name", "people.login", "people.email"),
    sort="name",
)

AUDIT = Listing(
    name="audit_log",
    path="/audit",
    id_sql="audit_log.id",
    source="audit_log",
    columns=(
        Column("at", "Time", "audit_log.at"),
        Column("actor", "Person", "audit_log.actor"),
        Column("area", "Area", "audit_log.area"),
        Column("object", "Object", "audit_log.object"),
        Column("action", "Action", "audit_log.action"),
        Column("old", "Before", "audit_log.old"),
        Column("new", "After", "audit_log.new"),
    ),
    filters=(
        Filter("actor", "Person", "audit_log.actor = ?", _from("SELECT name, name FROM people ORDER BY name")),
        Filter(
            "area",
            "Area",
            "audit_log.area = ?",
            _of(("machines", "tickets", "jobs", "people", "roles", "alerts", "exports", "settings")),
        ),
        Filter(
            "action",
            "Action",
            "audit_log.action = ?",
            _from("SELECT DISTINCT action, action FROM audit_log ORDER BY action"),
        ),
        Filter("from", "From day", "date(audit_log.at) >= ?", kind="date"),
        Filter("to", "To day", "date(audit_log.at) <= ?", kind="date"),
    ),
    searched=("audit_log.object", "audit_log.old", "audit_log.new"),
    sort="at",
    order="desc",
)

LISTINGS: Mapping[str, Listing] = MappingProxyType(
    {listing.name: listing for listing in (MACHINES, TICKETS, JOBS, PEOPLE, AUDIT)}
)
"""The tables that can be exported and whose views can be saved, by name."""
