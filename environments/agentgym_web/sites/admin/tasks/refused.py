"""Templates that ask for what cannot be: entries that do not exist, and changes that the console does not allow."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.tasks.draws import (
    ADMINISTRATORS,
    MANAGERS,
    UNRESOLVED,
    area,
    filled,
    filtered,
    open_machine,
    open_person,
    selected,
    user_with,
)
from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import one_row, pick, require, rows


def unknown_machine(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A machine that does not exist."""
    code = f"FK-{rng.randint(5000, 9000)}"
    status, fill = rng.choice(words.STATUSES[:3]), rng.randint(30, 90)
    return Draft(
        instruction=f"Set machine {code} to {status} and its fill level to {fill} percent.",
        user=user_with(db, rng)["login"],
        infeasible=True,
        walkthrough=[*area("Machines"), *filtered({"Search": code}), ["infeasible", f"There is no machine {code}."]],
    )


def lacking_permission(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A change that the visitor's role does not permit."""
    role, wish = rng.choice(
        (
            ("Viewer", "machine"),
            ("Planner", "machine"),
            ("Analyst", "machine"),
            ("Technician", "person"),
            ("Operations manager", "person"),
            ("Support agent", "machine"),
        )
    )
    user = user_with(db, rng, (role,))
    if wish == "machine":
        machine = pick(db, rng, "SELECT * FROM machines WHERE status = 'online' ORDER BY id")
        instruction = f"Machine {machine['code']} is broken. Please set its status to offline."
        steps = open_machine(machine["code"])
    else:
        person = pick(
            db, rng, "SELECT * FROM people WHERE is_active AND role_id > 1 AND id != ? ORDER BY id", user["id"]
        )
        team = rng.choice([team for team in words.TEAMS if team != person["team"]])
        instruction = f"{person['name']} moves to the team {team}. Change that in the console."
        steps = open_person(person["name"])
    return Draft(
        instruction=instruction,
        user=user["login"],
        infeasible=True,
        walkthrough=[*steps, ["infeasible", f"The role {role} does not permit this."]],
    )


def taken_slot(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A job at a time at which its location has another one."""
    job = pick(
        db,
        rng,
        """SELECT jobs.*, locations.name FROM jobs JOIN locations ON locations.id = location_id
           WHERE state = 'planned' AND day > '2026-03-02' AND minutes >= 60 ORDER BY jobs.id""",
    )
    owner = pick(db, rng, "SELECT * FROM people WHERE is_active AND role_id = 3 ORDER BY id")
    title, kind = rng.choice(("Fan swap", "Glass polish", "Lock check")), rng.choice(words.JOB_KINDS)
    return Draft(
        instruction=f"Plan a {kind} job “{title}” at {job['name']} on {job['day']}, starting at {job['start']} "
        f"exactly, 30 minutes, owner {owner['name']}. The crew has no other slot, and the jobs that are there already "
        "must not be touched.",
        user=user_with(db, rng, (*MANAGERS, "Planner"))["login"],
        infeasible=True,
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "New job"],
            *filled({"Title": title, "Day": job["day"], "Start": job["start"]}),
            *selected({"Kind": kind, "Location": job["name"], "Owner": owner["name"]}),
            ["fill", "spinbutton", "Minutes", "30"],
            ["click", "button", "Save job"],
            ["infeasible", f"{job['name']} has another job then."],
        ],
    )


def still_busy(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Deactivating somebody who has unresolved tickets that must not be touched."""
    person = pick(
        db,
        rng,
        f"""SELECT people.* FROM people WHERE is_active AND role_id > 1
            AND (SELECT count(*) FROM tickets WHERE assignee_id = people.id AND {UNRESOLVED}) > 2
            ORDER BY people.id""",  # noqa: S608 - a constant
    )
    return Draft(
        instruction=f"Deactivate the account of {person['name']} right away, but leave every ticket and job as it is; "
        "they are not to be handed to anybody else.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        infeasible=True,
        walkthrough=[
            *open_person(person["name"]),
            ["click", "button", "Deactivate"],
            ["infeasible", "Tickets have to be handed over first."],
        ],
    )


def wrong_firmware(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A firmware that a machine's model does not run."""
    machine = pick(db, rng, "SELECT * FROM machines WHERE status = 'online' ORDER BY id")
    version = rng.choice([name for name in words.ALL_FIRMWARE if name not in words.FIRMWARE[machine["model"]]])
    return Draft(
        instruction=f"Machine {machine['code']} needs firmware {version}. Enter that for it; model and everything else "
        "must stay as they are.",
        user=user_with(db, rng)["login"],
        infeasible=True,
        walkthrough=[
            *open_machine(machine["code"]),
            ["click", "link", "Edit machine"],
            *selected({"Firmware": version}),
            ["click", "button", "Save machine"],
            ["infeasible", f"The model does not run firmware {version}."],
        ],
    )


def unknown_person(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """An assignment to somebody who is not among the people."""
    first = pick(db, rng, "SELECT * FROM people ORDER BY id")["name"].split()[0]
    last = rng.choice(("Ferreira", "Lundgren", "Castlemaine", "Okafor", "Winterbourne"))
    name = f"{first} {last}"
    require(not rows(db, "SELECT 1 FROM people WHERE name = ?", name))
    ticket = one_row(db, "SELECT id FROM tickets WHERE state = 'open' ORDER BY id DESC")
    return Draft(
        instruction=f"Assign ticket {ticket['id']} to {name}.",
        user=user_with(db, rng)["login"],
        infeasible=True,
        walkthrough=[*area("People"), *filtered({"Search": last}), ["infeasible", f"There is nobody named {name}."]],
    )


TEMPLATES = (
    Template("unknown_machine", "seen", unknown_machine),
    Template("lacking_permission", "seen", lacking_permission),
    Template("taken_slot", "unseen", taken_slot),
    Template("still_busy", "seen", still_busy),
    Template("wrong_firmware", "unseen", wrong_firmware),
    Template("unknown_person", "seen", unknown_person),
)
