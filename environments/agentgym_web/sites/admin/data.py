"""The generated state of the console: people, locations, machines, tickets, jobs, sales, rules and the audit log.

Words and fixed lists are in `vocabulary`; tasks over the data are in `tasks`.
"""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

from agentgym_web.sites.admin import vocabulary as words

TODAY = date(2026, 3, 2)
NUM_PEOPLE = 58
NUM_MACHINES = 384
NUM_TICKETS = 540
NUM_JOBS = 190
MONTHS = tuple(f"{year}-{month:02d}" for year in (2025, 2026) for month in range(1, 13) if (year, month) < (2026, 3))
FIRST_TICKET = 1001

_ROLES_BY_TEAM = {
    "Field North": ("Technician", "Technician", "Technician", "Operations manager", "Viewer"),
    "Field South": ("Technician", "Technician", "Technician", "Operations manager", "Planner"),
    "Support Desk": ("Support agent", "Support agent", "Support agent", "Operations manager", "Viewer"),
    "Planning": ("Planner", "Planner", "Operations manager", "Analyst"),
    "Finance": ("Analyst", "Analyst", "Viewer", "Viewer"),
    "Platform": ("Administrator", "Technician", "Analyst", "Viewer"),
}


def fill(db: sqlite3.Connection) -> None:
    """Fill every table; the same rows each time.

    Args:
        db: A database with the empty tables of schema.sql.
    """
    rng = random.Random(20260302)
    _fill_roles(db)
    _insert(db, "people", _people(rng))
    _insert(db, "locations", _locations(db, rng))
    _insert(db, "machines", _machines(rng))
    _insert(db, "tickets", _tickets(db, rng))
    _insert(db, "comments", _comments(db, rng))
    _insert(db, "jobs", _jobs(db, rng))
    _insert(db, "sales", _sales(rng))
    _insert(db, "alert_rules", _alert_rules(db, rng))
    _insert(db, "settings", ((key, value) for key, (_, _, value) in words.SETTINGS.items()))
    _insert(db, "audit_log", _audit_log(db, rng))


def _insert(
    db: sqlite3.Connection, table: str, rows: Iterator[tuple[object, ...]] | Sequence[tuple[object, ...]]
) -> None:
    rows = list(rows)
    marks = ",".join("?" * len(rows[0]))
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - names of our own tables


def _fill_roles(db: sqlite3.Connection) -> None:
    for number, (name, description, permissions) in enumerate(words.ROLES, start=1):
        db.execute("INSERT INTO roles VALUES (?, ?, ?)", (number, name, description))
        db.executemany("INSERT INTO role_permissions VALUES (?, ?)", [(number, entry) for entry in permissions])


def _people(rng: random.Random) -> Iterator[tuple[object, ...]]:
    first_names = rng.sample(words.FIRST_NAMES, NUM_PEOPLE)
    last_names = rng.sample(words.LAST_NAMES * 2, NUM_PEOPLE)
    role_ids = {name: number for number, (name, _, _) in enumerate(words.ROLES, start=1)}
    for number, (first, last) in enumerate(zip(first_names, last_names, strict=True), start=1):
        team = words.TEAMS[number % len(words.TEAMS)]
        roles = _ROLES_BY_TEAM[team]
        role = roles[(number // len(words.TEAMS)) % len(roles)]
        login = f"{first}.{last}".lower()
        is_active = number % 11 != 7
        phone = f"+351 9{rng.randint(10, 69)} {rng.randint(100, 999)} {rng.randint(100, 999)}"
        joined = date(2017, 1, 9) + timedelta(days=rng.randrange(3200))
        password = f"{rng.choice(words.CATEGORIES)}-{rng.choice(words.REGIONS).lower()}-{rng.randint(100, 999)}"
        yield (
            number,
            login,
            f"{first} {last}",
            f"{login}@fernhill.test",
            phone,
            team,
            role_ids[role],
            int(is_active),
            int(rng.random() < 0.6),
            joined.isoformat(),
            password,
        )


def _locations(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    managers = [row[0] for row in db.execute("SELECT id FROM people WHERE is_active AND role_id IN (2, 3) ORDER BY id")]
    for number, (name, region, kind) in enumerate(words.LOCATIONS, start=1):
        yield number, name, region, kind, rng.choice(managers)


def _machines(rng: random.Random) -> Iterator[tuple[object, ...]]:
    codes = sorted(rng.sample(range(1000, 2900), NUM_MACHINES))
    for number, code in enumerate(codes, start=1):
        model = rng.choices(words.MODELS, (5, 4, 4, 3, 2, 2))[0]
        status = rng.choices(words.STATUSES, (70, 14, 11, 5))[0]
        installed = date(2018, 3, 1) + timedelta(days=rng.randrange(2800))
        serviced = max(installed, TODAY - timedelta(days=rng.randrange(5, 400)))
        firmware = rng.choices(words.FIRMWARE[model], (2, 3, 4))[0]
        filled = 0 if status == "retired" else rng.randint(4, 98)
        yield (
            number,
            f"FK-{code}",
            model,
            rng.randint(1, len(words.LOCATIONS)),
            status,
            firmware,
            filled,
            int(rng.random() < 0.55),
            installed.isoformat(),
            serviced.isoformat(),
            rng.choice(words.MACHINE_NOTES),
        )


def _tickets(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    helpers = _active_with(db, "tickets.edit")
    machines = [row[0] for row in db.execute("SELECT id FROM machines WHERE status != 'retired' ORDER BY id")]
    moments = sorted(_moment(rng, 180 * rng.random() ** 1.4) for _ in range(NUM_TICKETS))
    for number, moment in enumerate(moments, start=FIRST_TICKET):
        age = (datetime(2026, 3, 2, 9) - moment).days
        state = _ticket_state(rng, age)
        is_taken = state != "open" or rng.random() < 0.5
        category = rng.choice(words.CATEGORIES)
        subject, body = _ticket_text(rng, category)
        yield (
            number,
            rng.choice(machines),
            subject,
            body,
            category,
            rng.choices(words.PRIORITIES, (3, 6, 3, 1))[0],
            state,
            rng.choice(helpers) if is_taken else None,
            rng.choice(words.REPORTERS),
            moment.strftime("%Y-%m-%d %H:%M"),
        )


def _moment(rng: random.Random, days: float) -> datetime:
    day = TODAY - timedelta(days=int(days) + 1)
    return datetime(day.year, day.month, day.day, rng.randint(6, 21), rng.randrange(60))


def _ticket_state(rng: random.Random, age: int) -> str:
    if age > 60:
        weights = (1, 1, 2, 8, 30)
    elif age > 20:
        weights = (4, 4, 4, 10, 10)
    else:
        weights = (12, 8, 4, 4, 2)
    return rng.choices(words.TICKET_STATES, weights)[0]


def _ticket_text(rng: random.Random, category: str) -> tuple[str, str]:
    subject, body = rng.choice(words.TICKETS[category])
    values = {
        "extra": rng.choice(words.EXTRAS),
        "amount": f"{rng.randint(1, 4)}.{rng.choice(('20', '50', '80'))}",
        "weekday": rng.choice(words.WEEKDAYS),
        "seconds": rng.randint(12, 40),
        "degrees": rng.randint(9, 17),
        "slot": f"{rng.choice('ABCDE')}{rng.randint(1, 8)}",
        "hour": rng.randint(1, 4),
    }
    return subject.format(**values), body.format(**values)


def _comments(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    helpers = _active_with(db, "tickets.edit")
    number = 0
    for ticket, opened, assignee in db.execute("SELECT id, opened_at, assignee_id FROM tickets ORDER BY id").fetchall():
        moment = datetime.fromisoformat(opened)
        for text in rng.sample(words.COMMENTS, rng.choices((0, 1, 2, 3), (4, 4, 2, 1))[0]):
            moment += timedelta(minutes=rng.randint(20, 1500))
            if moment >= datetime(2026, 3, 2, 8, 55):
                break
            number += 1
            author = assignee if assignee and rng.random() < 0.7 else rng.choice(helpers)
            yield number, ticket, author, moment.strftime("%Y-%m-%d %H:%M"), text


def _active_with(db: sqlite3.Connection, permission: str) -> list[int]:
    query = """SELECT people.id FROM people JOIN role_permissions USING (role_id)
               WHERE is_active AND permission = ? AND role_id != 1 ORDER BY people.id"""
    return [row[0] for row in db.execute(query, (permission,))]


def _jobs(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    owners = [
        row[0] for row in db.execute("SELECT id FROM people WHERE is_active AND role_id IN (2, 3, 4) ORDER BY id")
    ]
    taken: dict[tuple[int, str], list[tuple[int, int]]] = {}
    drafts: list[tuple[object, ...]] = []
    while len(drafts) < NUM_JOBS:
        location = rng.randint(1, len(words.LOCATIONS))
        day = date(2026, 2, 2) + timedelta(days=rng.randrange(62))
        begin, minutes = rng.randrange(7 * 60, 17 * 60, 30), rng.choice((30, 60, 90, 120, 180))
        spans = taken.setdefault((location, day.isoformat()), [])
        if day.weekday() == 6 or any(begin < end and start < begin + minutes for start, end in spans):
            continue
        spans.append((begin, begin + minutes))
        kind = rng.choice(words.JOB_KINDS)
        if day < TODAY:
            state = rng.choices(("finished", "failed", "cancelled"), (8, 2, 1))[0]
        else:
            state = rng.choices(("planned", "paused"), (9, 1))[0]
        title = f"{kind.capitalize()} at {words.LOCATIONS[location - 1][0]}"
        start = f"{begin // 60:02d}:{begin % 60:02d}"
        notes = rng.choice(words.JOB_NOTES)
        drafts.append((title, kind, location, rng.choice(owners), day.isoformat(), start, minutes, state, notes))
    for number, draft in enumerate(sorted(drafts, key=lambda row: (row[4], row[5], row[2])), start=1):
        yield number, *draft


def _sales(rng: random.Random) -> Iterator[tuple[object, ...]]:
    for location in range(1, len(words.LOCATIONS) + 1):
        base, slope = rng.randint(1800, 9200), rng.uniform(-0.02, 0.03)
        for index, month in enumerate(MONTHS):
            season = 1 + 0.18 * math.sin((int(month[-2:]) - 4) / 12 * 2 * math.pi)
            revenue = int(base * season * (1 + slope * index) * rng.uniform(0.9, 1.1))
            yield location, month, revenue, int(revenue / rng.uniform(1.9, 2.6))


def _alert_rules(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    people = [row[0] for row in db.execute("SELECT id FROM people WHERE is_active ORDER BY id")]
    limits = {"fill level": (10, 40), "offline machines": (2, 9), "open tickets": (8, 30), "daily revenue": (100, 900)}
    number = 0
    for region in words.REGIONS:
        for metric in rng.sample(words.METRICS, 3):
            number += 1
            comparison = "below" if metric in ("fill level", "daily revenue") else "above"
            threshold = rng.randint(*limits[metric])
            name = f"{region}: {metric} {comparison} {threshold}"
            yield number, name, metric, comparison, threshold, region, rng.choice(people), int(rng.random() < 0.75)


def _audit_log(db: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[object, ...]]:
    actors = [
        row[0] for row in db.execute("SELECT name FROM people WHERE is_active AND role_id IN (1, 2, 4) ORDER BY id")
    ]
    locations = [row[0] for row in db.execute("SELECT name FROM locations ORDER BY id")]
    entries: list[tuple[str, ...]] = []
    for code, model, status, firmware, place in db.execute(
        """SELECT code, model, status, firmware, locations.name FROM machines
           JOIN locations ON locations.id = location_id ORDER BY machines.id"""
    ).fetchall():
        for field, value, choices in (
            ("status", status, words.STATUSES[:3]),
            ("firmware", firmware, words.FIRMWARE[model]),
            ("location", place, locations),
        ):
            entries += _history(rng, actors, code, (field, value, tuple(choices)))
    entries.sort()
    for number, entry in enumerate(entries, start=1):
        yield number, *entry


def _history(
    rng: random.Random, actors: Sequence[str], code: str, change: tuple[str, str, tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Changes of one field that end at its value of today, newest first."""
    field, value, choices = change
    entries: list[tuple[str, ...]] = []
    days = 0.0
    for _ in range(rng.choices((0, 1, 2), (6, 3, 1))[0]):
        days += rng.uniform(1, 90)
        old = rng.choice([choice for choice in choices if choice != value])
        at = _moment(rng, days).strftime("%Y-%m-%d %H:%M")
        entries.append((at, rng.choice(actors), "machines", code, f"changed {field}", old, value))
        value = old
    return entries
