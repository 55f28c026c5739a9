"""Templates over people and roles: new ones, changed ones, and somebody who leaves."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.tasks.draws import (
    ADMINISTRATORS,
    UNRESOLVED,
    area,
    change_every,
    filled,
    filtered,
    helper,
    open_person,
    selected,
    user_with,
)
from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.core.row_checks import IdOf, as_milestone, num_rows, row_comes, row_is, rows_are

NEW_FIRST, NEW_LAST = (
    ("Aino", "Bastian", "Clio", "Darko", "Elif", "Fabio", "Greta"),
    ("Holm", "Iwata", "Kranz", "Lobo", "Nyberg"),
)
NEW_ROLES = (
    ("Auditor", "Reads the audit log and exports it."),
    ("Night shift", "Keeps things running after dark."),
    ("Trainee", "Learns the work of the field teams."),
    ("Fleet lead", "Looks after machines and jobs."),
)


def new_person(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add a person."""
    first, last = rng.choice(NEW_FIRST), rng.choice(NEW_LAST)
    login, name = f"{first}.{last}".lower(), f"{first} {last}"
    phone = f"+351 9{rng.randint(10, 69)} {rng.randint(100, 999)} {rng.randint(100, 999)}"
    team, role = rng.choice(words.TEAMS), pick(db, rng, "SELECT * FROM roles WHERE id > 1 ORDER BY id")
    two_factor = rng.randint(0, 1)
    wanted = {
        "name": name,
        "email": f"{login}@fernhill.test",
        "phone": phone,
        "team": team,
        "role_id": role["id"],
        "has_two_factor": two_factor,
        "is_active": 1,
    }
    return Draft(
        instruction=f"{name} starts today in the team {team} as {role['name']}. Create the account: login {login}, "
        f"e-mail {login}@fernhill.test, phone {phone}, {'with' if two_factor else 'without'} two-factor sign-in.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            row_is("people", {"login": login}, wanted),
            *row_comes(
                "people",
                {"login": login},
                wanted,
                {"name and addresses": ["name", "email", "phone"], "team and role": ["team", "role_id"]},
            ),
        ],
        touched={"people": [1, 0, 0]},
        walkthrough=[
            *area("People"),
            ["click", "link", "New person"],
            *filled({"Login": login, "Name": name, "E-mail": f"{login}@fernhill.test", "Phone": phone}),
            *selected({"Team": team, "Role": role["name"]}),
            *([["click", "checkbox", "Two-factor sign-in"]] if two_factor else []),
            ["click", "button", "Save person"],
        ],
    )


def new_role(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add a role with some permissions, and give it to two people."""
    name, description = rng.choice(NEW_ROLES)
    permissions = rng.sample([key for key in words.PERMISSIONS if key not in ("roles.edit", "people.edit")], 3)
    people = rng.sample(rows(db, "SELECT * FROM people WHERE is_active AND role_id > 1 ORDER BY id"), 2)
    labels = [words.PERMISSIONS[key] for key in permissions]
    new = IdOf("roles", {"name": name})
    given = [
        step
        for person in people
        for step in (
            *open_person(person["name"]),
            ["click", "link", "Edit person"],
            *selected({"Role": name}),
            ["click", "button", "Save person"],
        )
    ]
    return Draft(
        instruction=f"Set up a role “{name}” with the description “{description}” and exactly these permissions: "
        f"{labels[0]}, {labels[1]} and {labels[2]}. Then give the role to {people[0]['name']} and {people[1]['name']}.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            row_is("roles", {"name": name}, {"description": description}, "role"),
            num_rows("role_permissions", {"role_id": new}, 3, "three permissions"),
            *(num_rows("role_permissions", {"role_id": new, "permission": key}, 1, key) for key in permissions),
            rows_are("people", [person["id"] for person in people], {"role_id": new}, "given"),
            num_rows("roles", {"name": name}, 1, "role exists", milestone=True),
            num_rows("people", {"id": people[0]["id"], "role_id": new}, 1, "first has it", milestone=True),
        ],
        touched={"roles": [1, 0, 0], "role_permissions": [3, 0, 0], "people": [0, 2, 0]},
        walkthrough=[
            *area("Roles"),
            ["click", "link", "New role"],
            *filled({"Name": name, "Description": description}),
            *(["click", "checkbox", label] for label in labels),
            ["click", "button", "Save role"],
            *given,
        ],
    )


def change_role(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Grant a role one permission and take another away."""
    role = pick(db, rng, "SELECT * FROM roles WHERE id > 1 AND name != 'Viewer' ORDER BY id")
    held = [row["permission"] for row in rows(db, "SELECT * FROM role_permissions WHERE role_id = ?", role["id"])]
    taken = rng.choice(sorted(held))
    granted = rng.choice([key for key in words.PERMISSIONS if key not in held and key != "roles.edit"])
    checks = [
        num_rows("role_permissions", {"role_id": role["id"], "permission": granted}, 1, "granted"),
        num_rows("role_permissions", {"role_id": role["id"], "permission": taken}, 0, "taken away"),
    ]
    return Draft(
        instruction=f"The role {role['name']} should get the permission “{words.PERMISSIONS[granted]}” and lose "
        f"“{words.PERMISSIONS[taken]}”. Its other permissions stay.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[*checks, *map(as_milestone, checks)],
        touched={"role_permissions": [1, 0, 1]},
        walkthrough=[
            *area("Roles"),
            ["click", "link", "Edit role", {"within": role["description"]}],
            ["click", "checkbox", words.PERMISSIONS[granted]],
            ["click", "checkbox", words.PERMISSIONS[taken]],
            ["click", "button", "Save role"],
        ],
    )


def require_two_factor(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Switch on two-factor sign-in for everybody active of a team and role who lacks it."""
    team = rng.choice(words.TEAMS)
    found = rows(db, "SELECT * FROM people WHERE is_active AND NOT has_two_factor AND team = ? ORDER BY name", team)
    require(1 < len(found) < 5)
    steps = [
        step
        for person in found
        for step in (
            *area("People"),
            *filtered({"Team": team, "Active": "yes", "Two-factor": "no"}),
            ["click", "link", person["name"]],
            ["click", "link", "Edit person"],
            ["click", "checkbox", "Two-factor sign-in"],
            ["click", "button", "Save person"],
        )
    ]
    ids = [person["id"] for person in found]
    return Draft(
        instruction=f"Everybody active in the team {team} must use two-factor sign-in. Switch it on for those of them "
        "who do not have it yet; inactive accounts stay untouched.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            rows_are("people", ids, {"has_two_factor": 1}),
            num_rows("people", {"id": ids[0], "has_two_factor": 1}, 1, "first", milestone=True),
            num_rows("people", {"id": ids[-1], "has_two_factor": 1}, 1, "last", milestone=True),
        ],
        touched={"people": [0, len(ids), 0]},
        walkthrough=steps,
    )


def offboard(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Hand over the tickets and jobs of somebody who leaves, then deactivate them."""
    person = pick(
        db,
        rng,
        f"""SELECT people.* FROM people WHERE is_active AND role_id = 4
            AND (SELECT count(*) FROM tickets WHERE assignee_id = people.id AND {UNRESOLVED}) BETWEEN 1 AND 20
            AND (SELECT count(*) FROM jobs WHERE owner_id = people.id AND state IN ('planned', 'paused')) > 0
            ORDER BY people.id""",  # noqa: S608 - a constant
    )
    heir = helper(db, rng, person["id"])
    tickets = rows(db, f"SELECT id FROM tickets WHERE assignee_id = ? AND {UNRESOLVED}", person["id"])  # noqa: S608
    jobs = rows(db, "SELECT * FROM jobs WHERE owner_id = ? AND state IN ('planned', 'paused')", person["id"])
    owner = pick(db, rng, "SELECT * FROM people WHERE is_active AND role_id = 3 ORDER BY id")
    states = sorted({job["state"] for job in jobs})
    over = []
    for state in states:
        count = sum(job["state"] == state for job in jobs)
        over += [
            *area("Jobs"),
            ["click", "link", "Table"],
            *filtered({"State": state, "Owner": person["name"]}),
            *change_every(count, {"Set owner": owner["name"]}),
        ]
    ticket_ids, job_ids = [row["id"] for row in tickets], [row["id"] for row in jobs]
    return Draft(
        instruction=f"{person['name']} has left. Give all unresolved tickets of {person['name']} to {heir['name']}, "
        f"make {owner['name']} the owner of all their planned and paused jobs, and then deactivate the account. "
        "Everything that is resolved, closed, finished, failed or cancelled keeps its name.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            rows_are("tickets", ticket_ids, {"assignee_id": heir["id"]}, "tickets"),
            rows_are("jobs", job_ids, {"owner_id": owner["id"]}, "jobs"),
            row_is("people", {"id": person["id"]}, {"is_active": 0}, "inactive"),
            rows_are("tickets", ticket_ids, {"assignee_id": heir["id"]}, "tickets are over", milestone=True),
            rows_are("jobs", job_ids, {"owner_id": owner["id"]}, "jobs are over", milestone=True),
        ],
        touched={"tickets": [0, len(tickets), 0], "jobs": [0, len(jobs), 0], "people": [0, 1, 0]},
        walkthrough=[
            *area("Tickets"),
            *filtered({"State": "unresolved", "Assignee": person["name"]}),
            *change_every(len(tickets), {"Assign to": heir["name"]}),
            *over,
            *open_person(person["name"]),
            ["click", "button", "Deactivate"],
        ],
    )


TEMPLATES = (
    Template("new_person", "seen", new_person),
    Template("new_role", "seen", new_role),
    Template("change_role", "seen", change_role),
    Template("require_two_factor", "seen", require_two_factor),
    Template("offboard", "unseen", offboard),
)
