"""Templates over the calendar of jobs: planning, moving, handing over, and planning failed ones again."""

from __future__ import annotations

import random
import sqlite3
from datetime import date, timedelta

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.data import TODAY
from agentgym_web.sites.admin.jobs import end_of
from agentgym_web.sites.admin.tasks.draws import (
    MANAGERS,
    Steps,
    area,
    change_every,
    filled,
    filtered,
    open_job,
    selected,
    user_with,
)
from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import one_row, pick, require, rows
from agentgym_web.sites.core.row_checks import num_rows, row_comes, row_is, rows_are, rows_come

PLANNERS = (*MANAGERS, "Planner")
TITLES = ("Spring check", "Night stock count", "Deep clean", "Coin box swap", "Door seal repair", "Price label change")
PARTS = {"place and time": ["location_id", "day", "start"], "kind and owner": ["kind", "owner_id"]}
"""Milestones on the way to a new job."""
JOB_NOTES = ("Bring spare labels.", "Call the caretaker first.", "Use the service lift.", "Keys are in box 7.")


def plan_job(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Plan a job with everything given."""
    place, owner = pick(db, rng, "SELECT * FROM locations ORDER BY id"), _owner(db, rng)
    title, kind, day = rng.choice(TITLES), rng.choice(words.JOB_KINDS), _weekday(rng)
    start, minutes = f"{rng.randint(7, 15):02d}:{rng.choice(('00', '30'))}", rng.choice((45, 60, 90, 120))
    require(_is_free(db, place["id"], day, start, minutes))
    notes = rng.choice(JOB_NOTES)
    wanted = {
        "kind": kind,
        "location_id": place["id"],
        "owner_id": owner["id"],
        "day": day,
        "start": start,
        "minutes": minutes,
        "state": "planned",
        "notes": notes,
    }
    return Draft(
        instruction=f"Please put a job into the calendar: “{title}”, kind {kind}, at {place['name']}, on "
        f"{date.fromisoformat(day):%A} {day} at {start}, for {minutes} minutes, owner {owner['name']}, with the notes "
        f"“{notes}”",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[row_is("jobs", {"title": title}, wanted), *row_comes("jobs", {"title": title}, wanted, PARTS)],
        touched={"jobs": [1, 0, 0]},
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "New job"],
            *filled({"Title": title, "Day": day, "Start": start, "Notes": notes}),
            *selected({"Kind": kind, "Location": place["name"], "Owner": owner["name"]}),
            ["fill", "spinbutton", "Minutes", str(minutes)],
            ["click", "button", "Save job"],
        ],
    )


def first_free(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Plan a job in the first gap of a location's day."""
    taken = pick(
        db,
        rng,
        """SELECT location_id, day, locations.name FROM jobs JOIN locations ON locations.id = location_id
           WHERE state = 'planned' AND day > '2026-03-02' AND start < '11:00' ORDER BY jobs.id""",
    )
    owner, title = _owner(db, rng), rng.choice(TITLES)
    minutes, day = rng.choice((60, 90, 120)), taken["day"]
    begins = [f"{hour:02d}:{minute:02d}" for hour in range(8, 17) for minute in (0, 30)]
    start = next((start for start in begins if _is_free(db, taken["location_id"], day, start, minutes)), None)
    require(start is not None and start != "08:00")
    wanted = {
        "kind": "inspection",
        "location_id": taken["location_id"],
        "owner_id": owner["id"],
        "day": day,
        "start": start,
        "minutes": minutes,
        "state": "planned",
        "notes": "",
    }
    return Draft(
        instruction=f"We need an inspection “{title}” at {taken['name']} on {day}, {minutes} minutes long, owner "
        f"{owner['name']}, no notes. Plan it as early as possible, but not before 08:00, starting on the full or half "
        "hour, so that it does not overlap any planned or paused job at that location.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[row_is("jobs", {"title": title}, wanted), *row_comes("jobs", {"title": title}, wanted, PARTS)],
        touched={"jobs": [1, 0, 0]},
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "Table"],
            *filtered({"Location": taken["name"], "From day": day, "To day": day}),
            *area("Jobs"),
            ["click", "link", "New job"],
            *filled({"Title": title, "Day": day, "Start": str(start)}),
            *selected({"Kind": "inspection", "Location": taken["name"], "Owner": owner["name"]}),
            ["fill", "spinbutton", "Minutes", str(minutes)],
            ["click", "button", "Save job"],
        ],
    )


def move_jobs(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move two jobs to other times and pause a third."""
    sql = f"SELECT * FROM jobs WHERE state = 'planned' AND day > '{TODAY}' ORDER BY id"  # noqa: S608 - a constant
    first, second, third = rng.sample(rows(db, sql), 3)
    moved, said, steps = [], [], []
    for job in (first, second):
        require(one_row(db, "SELECT count(*) FROM jobs WHERE title = ? AND day = ?", job["title"], job["day"])[0] == 1)
        day, start = _weekday(rng), f"{rng.randint(7, 15):02d}:00"
        require(day != job["day"] and _is_free(db, job["location_id"], day, start, job["minutes"]))
        moved.append((job, day, start))
        said.append(f"“{job['title']}” from {job['day']} to {day} at {start}")
        steps += [
            *open_job(job),
            ["click", "link", "Edit job"],
            *filled({"Day": day, "Start": start}),
            ["click", "button", "Save job"],
        ]
    require(one_row(db, "SELECT count(*) FROM jobs WHERE title = ? AND day = ?", third["title"], third["day"])[0] == 1)
    require(first["location_id"] != second["location_id"])
    checks = [row_is("jobs", {"id": job["id"]}, {"day": day, "start": start}) for job, day, start in moved]
    return Draft(
        instruction=f"Some changes to the calendar: move {said[0]}, and {said[1]}. Pause “{third['title']}” on "
        f"{third['day']}. Nothing else about these jobs changes.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[
            *checks,
            row_is("jobs", {"id": third["id"]}, {"state": "paused", "day": third["day"]}, "paused"),
            *(
                num_rows("jobs", {"id": job["id"], "day": day}, 1, f"job {job['id']} moved", milestone=True)
                for job, day, _ in moved
            ),
        ],
        touched={"jobs": [0, 3, 0]},
        walkthrough=[*steps, *open_job(third), ["click", "button", "Pause job"]],
    )


def hand_over_jobs(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Give somebody's coming jobs of a kind of days to another owner."""
    first, last = rng.choice((("2026-03-02", "2026-03-14"), ("2026-03-09", "2026-03-28"), ("2026-03-16", "2026-04-04")))
    person = pick(
        db,
        rng,
        """SELECT people.id, people.name, count(*) AS num FROM jobs JOIN people ON people.id = owner_id
           WHERE state IN ('planned', 'paused') AND day BETWEEN ? AND ?
           GROUP BY people.id HAVING num BETWEEN 2 AND 10 ORDER BY people.id""",
        first,
        last,
    )
    owner = _owner(db, rng, person["id"])
    found = rows(
        db,
        "SELECT id FROM jobs WHERE state IN ('planned', 'paused') AND owner_id = ? AND day BETWEEN ? AND ?",
        person["id"],
        first,
        last,
    )
    ids = [row["id"] for row in found]
    return Draft(
        instruction=f"From {first} to {last}, both days included, {owner['name']} takes over the jobs of "
        f"{person['name']}: make {owner['name']} the owner of each planned or paused job of those days. Later and "
        "earlier jobs stay.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[
            rows_are("jobs", ids, {"owner_id": owner["id"]}),
            *rows_come(db, "jobs", ids, {"owner_id": owner["id"]}),
        ],
        touched={"jobs": [0, len(ids), 0]},
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "Table"],
            *filtered({"Owner": person["name"], "From day": first, "To day": last}),
            *change_every(len(ids), {"Set owner": owner["name"]}),
        ],
    )


def cancel_kind(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Cancel all coming jobs of a kind in a region after a day."""
    kind, region = rng.choice(words.JOB_KINDS), rng.choice(words.REGIONS)
    day = rng.choice(("2026-03-09", "2026-03-16", "2026-03-23"))
    found = rows(
        db,
        """SELECT jobs.id, state FROM jobs JOIN locations ON locations.id = location_id
           WHERE jobs.kind = ? AND region = ? AND day >= ?""",
        kind,
        region,
        day,
    )
    ids = [row["id"] for row in found]
    require(1 < len(ids) < 25)
    return Draft(
        instruction=f"All {kind} jobs in region {region} from {day} on, that day included, are off: cancel them, "
        "paused ones too.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[
            rows_are("jobs", ids, {"state": "cancelled"}),
            *rows_come(db, "jobs", ids, {"state": "cancelled"}),
        ],
        touched={"jobs": [0, len(ids), 0]},
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "Table"],
            *filtered({"Kind": kind, "Region": region, "From day": day}),
            *change_every(len(ids), {"Set state": "cancelled"}),
        ],
    )


def repeat_failed(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Plan the failed jobs of a kind of the last weeks once more, on a given day."""
    kind, first = rng.choice(words.JOB_KINDS), rng.choice(("2026-02-09", "2026-02-16", "2026-02-02"))
    failed = rows(db, "SELECT * FROM jobs WHERE state = 'failed' AND kind = ? AND day >= ? ORDER BY id", kind, first)
    require(0 < len(failed) < 4)
    day = _weekday(rng)
    require(all(_is_free(db, job["location_id"], day, job["start"], job["minutes"]) for job in failed))
    require(len({job["location_id"] for job in failed}) == len(failed))
    same = ("title", "kind", "location_id", "owner_id", "start", "minutes", "notes")
    require(not rows(db, "SELECT 1 FROM jobs WHERE day = ? AND kind = ?", day, kind))
    checks = [
        num_rows("jobs", {**{column: job[column] for column in same}, "day": day, "state": "planned"}, 1, job["title"])
        for job in failed
    ]
    steps: Steps = []
    for job in failed:
        steps += [
            *open_job(job),
            ["click", "link", "Plan again"],
            *filled({"Day": day}),
            ["click", "button", "Save job"],
        ]
    return Draft(
        instruction=f"Every {kind} job that failed since {first} has to be repeated on {day}: plan each of them once "
        "more for that day, with the same title, kind, location, owner, start, length and notes as before. The failed "
        "jobs themselves stay as they are.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[
            *checks,
            num_rows("jobs", {"day": day, "kind": kind}, len(failed), "all are planned", milestone=True),
            num_rows("jobs", {"day": day, "title": failed[0]["title"]}, 1, "first is planned", milestone=True),
        ],
        touched={"jobs": [len(failed), 0, 0]},
        walkthrough=steps,
    )


def restock_emptiest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Plan a restock at the location of the emptiest machine of a region."""
    region, day = rng.choice(words.REGIONS), _weekday(rng)
    found = rows(
        db,
        """SELECT machines.*, locations.name FROM machines JOIN locations ON locations.id = location_id
           WHERE region = ? AND status = 'online' ORDER BY fill""",
        region,
    )
    require(found[0]["fill"] < found[1]["fill"])
    machine, start = found[0], rng.choice(("08:00", "09:30", "10:00", "14:00"))
    require(_is_free(db, machine["location_id"], day, start, 60))
    owner = _owner(db, rng)
    title = f"Refill {machine['code']}"
    wanted = {
        "kind": "restock",
        "location_id": machine["location_id"],
        "owner_id": owner["id"],
        "day": day,
        "start": start,
        "minutes": 60,
        "state": "planned",
        "notes": "",
    }
    return Draft(
        instruction=f"Which online machine in region {region} has the lowest fill level? Plan a restock at its "
        f"location on {day} at {start}, 60 minutes, owner {owner['name']}, without notes. The title is “Refill ” and "
        "the code of the machine.",
        user=user_with(db, rng, PLANNERS)["login"],
        checks=[row_is("jobs", {"title": title}, wanted), *row_comes("jobs", {"title": title}, wanted, PARTS)],
        touched={"jobs": [1, 0, 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Status": "online"}),
            ["click", "link", "Fill %"],
            *area("Jobs"),
            ["click", "link", "New job"],
            *filled({"Title": title, "Day": day, "Start": start}),
            *selected({"Kind": "restock", "Location": machine["name"], "Owner": owner["name"]}),
            ["fill", "spinbutton", "Minutes", "60"],
            ["click", "button", "Save job"],
        ],
    )


def _owner(db: sqlite3.Connection, rng: random.Random, *besides: int) -> sqlite3.Row:
    found = rows(db, "SELECT * FROM people WHERE is_active AND role_id IN (2, 3, 4) ORDER BY id")
    return rng.choice([row for row in found if row["id"] not in besides])


def _weekday(rng: random.Random) -> str:
    day = TODAY + timedelta(days=rng.randint(1, 33))
    return (day + timedelta(days=1) if day.weekday() == 6 else day).isoformat()


def _is_free(db: sqlite3.Connection, location: int, day: str, start: str, minutes: int) -> bool:
    found = rows(
        db, "SELECT * FROM jobs WHERE location_id = ? AND day = ? AND state IN ('planned', 'paused')", location, day
    )
    end = end_of(start, minutes)
    return end <= "20:00" and all(end_of(job["start"], job["minutes"]) <= start or end <= job["start"] for job in found)


TEMPLATES = (
    Template("plan_job", "seen", plan_job),
    Template("first_free", "unseen", first_free),
    Template("move_jobs", "seen", move_jobs),
    Template("hand_over_jobs", "seen", hand_over_jobs),
    Template("cancel_kind", "seen", cancel_kind),
    Template("repeat_failed", "unseen", repeat_failed),
    Template("restock_emptiest", "seen", restock_emptiest),
)
