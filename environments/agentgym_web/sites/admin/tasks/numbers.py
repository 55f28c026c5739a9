"""Templates that ask a question: counts, extremes, comparisons and facts spread over several pages."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.data import MONTHS
from agentgym_web.sites.admin.tasks.draws import UNRESOLVED, area, filtered, open_person, selected, user_with
from agentgym_web.sites.core.drafts import Answer, Draft, Template
from agentgym_web.sites.core.draws import one_row, pick, require, rows

READERS = ("Administrator", "Operations manager", "Analyst", "Viewer", "Planner")


def count_machines(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many machines of a model and status there are in a region, or below a fill level."""
    region, model, below = rng.choice(words.REGIONS), rng.choice(words.MODELS), rng.choice((15, 20, 25, 30, 35))
    status = rng.choice(("online", "degraded"))
    sql = """SELECT count(*) FROM machines JOIN locations ON locations.id = location_id
             WHERE region = ? AND status = ? AND (? = '' OR model = ?) AND fill < ?"""
    by_model = rng.random() < 0.5
    chosen = model if by_model else ""
    count = one_row(db, sql, region, status, chosen, chosen, 101 if by_model else below)[0]
    require(count > 2)
    what = f"{model} machines" if by_model else f"machines with a fill level below {below} percent"
    extra = {"Model": model} if by_model else {"Fill below": str(below)}
    return Draft(
        instruction=rng.choice(
            (
                f"How many {status} {what} do we have in the {region} region? Answer with the number.",
                f"I need a figure for the stand-up: the number of {what} in region {region} that are {status}.",
            )
        ),
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("number", count),
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Status": status, **extra}),
            ["answer", str(count)],
        ],
    )


def longest_without_service(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The machine of a region and model whose last service is longest ago."""
    region, status = rng.choice(words.REGIONS), rng.choice(("online", "degraded", "offline"))
    model = rng.choice(words.MODELS)
    found = rows(
        db,
        """SELECT code, serviced_on FROM machines JOIN locations ON locations.id = location_id
           WHERE region = ? AND status = ? AND model = ? ORDER BY serviced_on""",
        region,
        status,
        model,
    )
    require(len(found) > 3 and found[0]["serviced_on"] != found[1]["serviced_on"])
    code = found[0]["code"]
    return Draft(
        instruction=f"Among the {model} machines in region {region} whose status is {status}, which one has gone the "
        "longest without a service? Give its code.",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("text", code),
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Status": status, "Model": model}),
            ["click", "link", "Last service"],
            ["answer", code],
        ],
    )


def oldest_ticket(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The unresolved ticket of a category and region that was opened first."""
    category, region = rng.choice(words.CATEGORIES), rng.choice(words.REGIONS)
    found = rows(
        db,
        f"""SELECT tickets.id, opened_at FROM tickets JOIN machines ON machines.id = machine_id
            JOIN locations ON locations.id = location_id
            WHERE {UNRESOLVED} AND category = ? AND region = ? ORDER BY opened_at""",  # noqa: S608 - a constant
        category,
        region,
    )
    require(len(found) > 2 and found[0]["opened_at"] != found[1]["opened_at"])
    number = found[0]["id"]
    return Draft(
        instruction=f"Find the unresolved {category} ticket in region {region} that has been open the longest "
        "(open, in progress and waiting all count as unresolved). What is its number?",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("number", number),
        walkthrough=[
            *area("Tickets"),
            *filtered({"State": "unresolved", "Category": category, "Region": region}),
            ["click", "link", "Opened"],
            ["answer", str(number)],
        ],
    )


def best_location(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The location of a region that earned or sold most in some months."""
    region, first = rng.choice(words.REGIONS), rng.randrange(len(MONTHS) - 3)
    months = MONTHS[first], MONTHS[first + rng.randint(0, 3)]
    measure, column = rng.choice((("revenue", "revenue"), ("number of sales", "num_sales")))
    is_most = rng.random() < 0.6
    found = rows(
        db,
        f"""SELECT name, sum({column}) AS total FROM sales JOIN locations ON locations.id = location_id
            WHERE region = ? AND month BETWEEN ? AND ? GROUP BY name
            ORDER BY total {"DESC" if is_most else ""}""",  # noqa: S608 - two constants
        region,
        *months,
    )
    require(abs(found[0]["total"] - found[1]["total"]) > 20)
    when = f"in {months[0]}" if months[0] == months[1] else f"from {months[0]} to {months[1]} taken together"
    shown = {
        "Group by": "Location",
        "Measure": "Revenue in euros" if measure == "revenue" else "Number of sales",
        "First month": months[0],
        "Last month": months[1],
        "Region": region,
    }
    return Draft(
        instruction=f"Which location in region {region} had the {'highest' if is_most else 'lowest'} {measure} {when}? "
        "Answer with the name of the location.",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("text", found[0]["name"]),
        walkthrough=[
            *area("Reports"),
            *selected(shown),
            ["click", "button", "Show report"],
            ["answer", found[0]["name"]],
        ],
    )


def biggest_change(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The region, or kind of location, whose revenue changed most between two months."""
    first, second = sorted(rng.sample(range(len(MONTHS)), 2))
    label, column = rng.choice((("region", "region"), ("kind of location", "kind")))
    is_growth = rng.random() < 0.5
    found = rows(
        db,
        f"""SELECT {column} AS name, sum(CASE month WHEN ? THEN revenue ELSE 0 END)
            - sum(CASE month WHEN ? THEN revenue ELSE 0 END) AS change
            FROM sales JOIN locations ON locations.id = location_id GROUP BY 1 ORDER BY 2""",  # noqa: S608 - constants
        MONTHS[second],
        MONTHS[first],
    )
    ranked = list(reversed(found)) if is_growth else found
    require(ranked[0]["change"] > 0 if is_growth else ranked[0]["change"] < 0)
    require(abs(ranked[0]["change"] - ranked[1]["change"]) > 50)
    group = "Region" if column == "region" else "Kind of location"

    def shown(month: str) -> list[list[str]]:
        return [
            *selected({"Group by": group, "Measure": "Revenue in euros", "First month": month, "Last month": month}),
            ["click", "button", "Show report"],
        ]

    grew = "gained the most revenue in euros" if is_growth else "lost the most revenue in euros"
    return Draft(
        instruction=f"Compare the month {MONTHS[first]} with {MONTHS[second]}: which {label} {grew} from the one to "
        "the other? Only the name, please.",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("text", ranked[0]["name"]),
        walkthrough=[
            *area("Reports"),
            *shown(MONTHS[first]),
            *shown(MONTHS[second]),
            ["answer", ranked[0]["name"]],
        ],
    )


def value_before(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """What a machine's field was before its latest change, and who changed it."""
    entry = pick(
        db,
        rng,
        """SELECT * FROM audit_log AS entry WHERE area = 'machines' AND id = (SELECT max(id) FROM audit_log
           WHERE object = entry.object AND action = entry.action) ORDER BY id""",
    )
    later = rows(
        db,
        "SELECT id FROM audit_log WHERE object = ? AND action = ? AND at = ?",
        entry["object"],
        entry["action"],
        entry["at"],
    )
    require(len(later) == 1)
    field = entry["action"].removeprefix("changed ")
    asks_who = rng.random() < 0.4
    answer = entry["actor"] if asks_who else entry["old"]
    question = (
        f"Who changed the {field} of machine {entry['object']} last? Give the person's full name."
        if asks_who
        else f"The {field} of machine {entry['object']} was changed at some point. What was it right before the latest "
        "change? Give just that value."
    )
    return Draft(
        instruction=question,
        user=user_with(db, rng, ("Administrator", "Operations manager", "Analyst"))["login"],
        answer=Answer("text", answer),
        walkthrough=[
            *area("Audit log"),
            *filtered({"Search": entry["object"], "Action": entry["action"]}),
            ["answer", answer],
        ],
    )


def most_loaded(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who of a team has most unresolved tickets."""
    team = rng.choice(("Field North", "Field South", "Support Desk", "Platform"))
    found = rows(
        db,
        f"""SELECT people.name, (SELECT count(*) FROM tickets WHERE assignee_id = people.id AND {UNRESOLVED}) AS load
            FROM people JOIN roles ON roles.id = role_id WHERE team = ? AND is_active
            AND roles.name = ? ORDER BY load DESC""",  # noqa: S608 - a constant
        team,
        role := rng.choice(("Technician", "Support agent", "Operations manager")),
    )
    require(len(found) > 2 and found[0]["load"] > found[1]["load"])
    asks_count = rng.random() < 0.3
    top = found[0]
    visits = [step for row in found for step in open_person(row["name"])]
    question = "how many is that?" if asks_count else "who is it?"
    what = "Answer with the number." if asks_count else "Answer with the full name."
    return Draft(
        instruction=f"One active {role.lower()} of the team {team} has more unresolved tickets than any other active "
        f"{role.lower()} there: {question} {what}",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("number", top["load"]) if asks_count else Answer("text", top["name"]),
        walkthrough=[*visits, ["answer", str(top["load"]) if asks_count else top["name"]]],
    )


def who_may(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which active people of a team have a permission through their role."""
    team, permission = (
        rng.choice(words.TEAMS),
        rng.choice(("jobs.edit", "exports.create", "audit.view", "machines.edit")),
    )
    found = rows(
        db,
        """SELECT people.name, roles.name AS role FROM people JOIN role_permissions USING (role_id)
           JOIN roles ON roles.id = people.role_id
           WHERE is_active AND team = ? AND permission = ? ORDER BY people.name""",
        team,
        permission,
    )
    require(1 < len(found) < 7)
    names = [row["name"] for row in found]
    return Draft(
        instruction=f"Please list everybody in the team {team} who is active and whose role has the permission "
        f"“{words.PERMISSIONS[permission]}”. Answer with the full names, separated by commas.",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("list", names),
        walkthrough=[
            *area("Roles"),
            *area("People"),
            *filtered({"Team": team, "Active": "yes"}),
            ["answer", ", ".join(names)],
        ],
    )


def minutes_of_week(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many minutes of planned jobs a person has in some days."""
    first, last = rng.choice((("2026-03-02", "2026-03-14"), ("2026-03-09", "2026-03-21"), ("2026-03-16", "2026-03-31")))
    owner = pick(
        db,
        rng,
        """SELECT people.*, count(*) AS num, sum(minutes) AS total FROM jobs JOIN people ON people.id = owner_id
           WHERE state = 'planned' AND day BETWEEN ? AND ? GROUP BY people.id HAVING num BETWEEN 2 AND 6
           ORDER BY people.id""",
        first,
        last,
    )
    narrowed = {"State": "planned", "Owner": owner["name"], "From day": first, "To day": last}
    return Draft(
        instruction=f"How many minutes do the planned jobs of {owner['name']} from {first} to {last} (both days "
        "included) take altogether? Paused and cancelled jobs do not count. Answer with the number of minutes.",
        user=user_with(db, rng, READERS)["login"],
        answer=Answer("number", owner["total"]),
        walkthrough=[
            *area("Jobs"),
            ["click", "link", "Table"],
            *filtered(narrowed),
            ["answer", str(owner["total"])],
        ],
    )


TEMPLATES = (
    Template("count_machines", "seen", count_machines),
    Template("longest_without_service", "seen", longest_without_service),
    Template("oldest_ticket", "seen", oldest_ticket),
    Template("best_location", "seen", best_location),
    Template("biggest_change", "unseen", biggest_change),
    Template("value_before", "seen", value_before),
    Template("most_loaded", "seen", most_loaded),
    Template("who_may", "seen", who_may),
    Template("minutes_of_week", "unseen", minutes_of_week),
)
