"""Templates that change tickets and alert rules: triage, handing over, and tidying up."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.tasks.draws import (
    ADMINISTRATORS,
    MANAGERS,
    UNRESOLVED,
    area,
    change_every,
    filled,
    filtered,
    helper,
    open_machine,
    open_ticket,
    selected,
    user_with,
)
from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.core.row_checks import as_milestone, num_rows, row_comes, row_is, rows_are, rows_come

REMARKS = (
    "Part ordered, arrives on Thursday.",
    "Looked at it on site, seal is worn.",
    "Customer was called back.",
    "Going there tomorrow before noon.",
    "Second visit needed, bring the ladder.",
    "Waiting for the key from reception.",
)


def triage(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Give a ticket a priority, an assignee and a state, and comment on it."""
    ticket = pick(db, rng, "SELECT * FROM tickets WHERE state = 'open' AND assignee_id IS NULL ORDER BY id")
    assignee, remark = helper(db, rng), rng.choice(REMARKS)
    priority = rng.choice([name for name in words.PRIORITIES if name != ticket["priority"]])
    user = user_with(db, rng, (*MANAGERS, "Support agent"))
    return Draft(
        instruction=f"Take care of ticket {ticket['id']}: give it to {assignee['name']}, set its priority to "
        f"{priority} and its state to in progress, and add the comment “{remark}”",
        user=user["login"],
        checks=[
            row_is(
                "tickets",
                {"id": ticket["id"]},
                {"assignee_id": assignee["id"], "priority": priority, "state": "in progress"},
                "ticket is set",
            ),
            num_rows("comments", {"ticket_id": ticket["id"], "author_id": user["id"], "text": remark}, 1, "comment"),
            num_rows("tickets", {"id": ticket["id"], "assignee_id": assignee["id"]}, 1, "assigned", milestone=True),
            num_rows("comments", {"ticket_id": ticket["id"], "text": remark}, 1, "commented", milestone=True),
        ],
        touched={"tickets": [0, 1, 0], "comments": [1, 0, 0]},
        walkthrough=[
            *open_ticket(ticket["id"]),
            *selected({"State": "in progress", "Priority": priority, "Assignee": assignee["name"]}),
            ["click", "button", "Save ticket"],
            *filled({"Comment": remark}),
            ["click", "button", "Add comment"],
        ],
    )


def hand_over_tickets(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Give somebody's unresolved tickets to two colleagues, by priority."""
    person = pick(
        db,
        rng,
        f"""SELECT people.id, people.name FROM people JOIN tickets ON assignee_id = people.id WHERE {UNRESOLVED}
            GROUP BY people.id HAVING count(*) BETWEEN 3 AND 20 ORDER BY people.id""",  # noqa: S608 - a constant
    )
    first = helper(db, rng, person["id"])
    second = helper(db, rng, person["id"], first["id"])
    urgent = rng.choice(("urgent", "high"))
    found = rows(db, f"SELECT * FROM tickets WHERE {UNRESOLVED} AND assignee_id = ?", person["id"])  # noqa: S608
    chosen = [row["id"] for row in found if row["priority"] == urgent]
    rest = [row["id"] for row in found if row["priority"] != urgent]
    require(bool(chosen) and bool(rest))
    narrowed = {"State": "unresolved", "Assignee": person["name"]}
    return Draft(
        instruction=f"{person['name']} is on leave from today. Hand over all unresolved tickets of {person['name']}: "
        f"those with priority {urgent} go to {first['name']}, all the others to {second['name']}. Resolved and closed "
        "tickets stay where they are.",
        user=user_with(db, rng, (*MANAGERS, "Support agent"))["login"],
        checks=[
            rows_are("tickets", chosen, {"assignee_id": first["id"]}, f"{urgent} ones"),
            rows_are("tickets", rest, {"assignee_id": second["id"]}, "the others"),
            rows_are("tickets", chosen, {"assignee_id": first["id"]}, "first half", milestone=True),
            rows_are("tickets", rest, {"assignee_id": second["id"]}, "second half", milestone=True),
        ],
        touched={"tickets": [0, len(found), 0]},
        walkthrough=[
            *area("Tickets"),
            *filtered({**narrowed, "Priority": urgent}),
            *change_every(len(chosen), {"Assign to": first["name"]}),
            *filtered({**narrowed, "Priority": "any"}),
            *change_every(len(rest), {"Assign to": second["name"]}),
        ],
    )


def close_resolved(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Close all resolved tickets of a category and region that were opened before a day."""
    category, region = rng.choice(words.CATEGORIES), rng.choice(words.REGIONS)
    day = rng.choice(("2025-12-31", "2026-01-15", "2026-01-31"))
    found = rows(
        db,
        """SELECT tickets.id FROM tickets JOIN machines ON machines.id = machine_id
           JOIN locations ON locations.id = location_id
           WHERE state = 'resolved' AND category = ? AND region = ? AND date(opened_at) <= ?""",
        category,
        region,
        day,
    )
    require(1 < len(found) < 25)
    ids = [row["id"] for row in found]
    return Draft(
        instruction=f"Close every resolved {category} ticket in region {region} that was opened on {day} or earlier.",
        user=user_with(db, rng, (*MANAGERS, "Support agent"))["login"],
        checks=[
            rows_are("tickets", ids, {"state": "closed"}),
            *rows_come(db, "tickets", ids, {"state": "closed"}),
        ],
        touched={"tickets": [0, len(ids), 0]},
        walkthrough=[
            *area("Tickets"),
            *filtered({"State": "resolved", "Category": category, "Region": region, "Opened to": day}),
            *change_every(len(ids), {"Set state": "closed"}),
        ],
    )


def finish_machine(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Resolve all unresolved tickets of a machine with a comment each, and set it online."""
    machine = pick(
        db,
        rng,
        f"""SELECT machines.* FROM machines JOIN tickets ON machine_id = machines.id
            WHERE {UNRESOLVED} AND status IN ('offline', 'degraded')
            GROUP BY machines.id HAVING count(*) IN (2, 3) ORDER BY machines.id""",  # noqa: S608 - a constant
    )
    tickets = rows(
        db,
        f"SELECT * FROM tickets WHERE {UNRESOLVED} AND machine_id = ? ORDER BY id",  # noqa: S608 - a constant
        machine["id"],
    )
    remark = rng.choice(("Repaired on 1 March.", "Part replaced, tested twice.", "Fixed during the last visit."))
    user, ids = user_with(db, rng, (*MANAGERS, "Technician")), [row["id"] for row in tickets]
    steps = []
    for number in ids:
        steps += [
            *open_machine(machine["code"]),
            ["click", "link", str(number)],
            *selected({"State": "resolved"}),
            ["click", "button", "Save ticket"],
            *filled({"Comment": remark}),
            ["click", "button", "Add comment"],
        ]
    commented = num_rows("comments", {"author_id": user["id"], "text": remark}, len(ids), "all commented")
    return Draft(
        instruction=f"{machine['code']} is repaired. On each of its unresolved tickets leave the comment “{remark}” "
        "and set the ticket to resolved; then set the machine's status to online.",
        user=user["login"],
        checks=[
            rows_are("tickets", ids, {"state": "resolved"}, "resolved"),
            commented,
            *(num_rows("comments", {"ticket_id": number, "text": remark}, 1, f"comment {number}") for number in ids),
            row_is("machines", {"id": machine["id"]}, {"status": "online"}, "online"),
            num_rows("tickets", {"id": ids[0], "state": "resolved"}, 1, "first resolved", milestone=True),
            num_rows("tickets", {"id": ids[-1], "state": "resolved"}, 1, "last resolved", milestone=True),
        ],
        touched={"tickets": [0, len(ids), 0], "comments": [len(ids), 0, 0], "machines": [0, 1, 0]},
        walkthrough=[
            *steps,
            *open_machine(machine["code"]),
            ["click", "link", "Edit machine"],
            *selected({"Status": "online"}),
            ["click", "button", "Save machine"],
        ],
    )


def new_alert(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add an alert rule and switch off another."""
    region, metric = rng.choice(words.REGIONS), rng.choice(words.METRICS)
    comparison, threshold = rng.choice(words.COMPARISONS), rng.randint(5, 60)
    notified = pick(db, rng, "SELECT * FROM people WHERE is_active ORDER BY id")
    other = pick(db, rng, "SELECT * FROM alert_rules WHERE is_on AND region != ? ORDER BY id", region)
    name = rng.choice((f"{region} early bird", f"{region} weekend check", f"{region} second look"))
    wanted = {
        "metric": metric,
        "comparison": comparison,
        "threshold": threshold,
        "region": region,
        "notify_id": notified["id"],
        "is_on": 1,
    }
    return Draft(
        instruction=f"Two things about alert rules. Add a rule “{name}” that is switched on and notifies "
        f"{notified['name']} when the {metric} in region {region} is {comparison} {threshold}. And switch off the rule "
        f"“{other['name']}”.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            row_is("alert_rules", {"name": name}, wanted, "new rule"),
            row_is("alert_rules", {"id": other["id"]}, {"is_on": 0}, "old rule is off"),
            num_rows("alert_rules", {"name": name}, 1, "rule exists", milestone=True),
            num_rows("alert_rules", {"id": other["id"], "is_on": 0}, 1, "other is off", milestone=True),
        ],
        touched={"alert_rules": [1, 1, 0]},
        walkthrough=[
            *area("Alert rules"),
            ["click", "link", "New rule"],
            *filled({"Name": name}),
            *selected({"Region": region, "Metric": metric, "Comparison": comparison, "Notify": notified["name"]}),
            ["fill", "spinbutton", "Threshold", str(threshold)],
            ["click", "button", "Save rule"],
            ["click", "button", "Switch off", {"within": other["name"]}],
        ],
    )


def renotify(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change whom the rules of a region notify, and delete one."""
    region = rng.choice(words.REGIONS)
    rules = rows(db, "SELECT * FROM alert_rules WHERE region = ? ORDER BY name", region)
    gone, *kept = rng.sample(rules, len(rules))
    notified = pick(db, rng, "SELECT * FROM people WHERE is_active ORDER BY id")
    require(all(rule["notify_id"] != notified["id"] for rule in kept))
    steps = []
    for rule in kept:
        steps += [
            ["click", "link", "Edit rule", {"within": rule["name"]}],
            *selected({"Notify": notified["name"]}),
            ["click", "button", "Save rule"],
        ]
    return Draft(
        instruction=f"Delete the alert rule “{gone['name']}” and let all other rules of region {region} notify "
        f"{notified['name']}. Whether they are on or off stays as it is.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[
            num_rows("alert_rules", {"id": gone["id"]}, 0, "deleted"),
            rows_are("alert_rules", [rule["id"] for rule in kept], {"notify_id": notified["id"]}, "notified"),
            num_rows("alert_rules", {"id": gone["id"]}, 0, "rule is gone", milestone=True),
            num_rows("alert_rules", {"id": kept[0]["id"], "notify_id": notified["id"]}, 1, "one set", milestone=True),
        ],
        touched={"alert_rules": [0, len(kept), 1]},
        walkthrough=[
            *area("Alert rules"),
            ["click", "button", "Delete rule", {"within": gone["name"]}],
            *steps,
        ],
    )


def raise_newest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Make the newest unassigned ticket of a region urgent, and correct its category."""
    region = rng.choice(words.REGIONS)
    found = rows(
        db,
        f"""SELECT tickets.* FROM tickets JOIN machines ON machines.id = machine_id
            JOIN locations ON locations.id = location_id WHERE {UNRESOLVED} AND region = ? AND priority != 'urgent'
            AND assignee_id IS NULL ORDER BY opened_at DESC""",  # noqa: S608 - a constant
        region,
    )
    require(len(found) > 1 and found[0]["opened_at"] > found[1]["opened_at"])
    ticket = found[0]
    remark = rng.choice(REMARKS)
    user = user_with(db, rng, (*MANAGERS, "Support agent"))
    category = rng.choice([name for name in words.CATEGORIES if name != ticket["category"]])
    narrowed = {"State": "unresolved", "Region": region, "Assignee": "nobody"}
    wanted = {"priority": "urgent", "category": category}
    said = num_rows("comments", {"ticket_id": ticket["id"], "author_id": user["id"], "text": remark}, 1, "comment")
    return Draft(
        instruction=f"Look at the unresolved tickets in region {region} that nobody is assigned to and that are not "
        f"urgent yet. Take the one opened most recently: it is in the wrong category, make it {category}, make it "
        f"urgent, and comment “{remark}”",
        user=user["login"],
        checks=[
            row_is("tickets", {"id": ticket["id"]}, wanted, "ticket is set"),
            said,
            *row_comes("tickets", {"id": ticket["id"]}, wanted, {column: [column] for column in wanted}),
            as_milestone(said),
        ],
        touched={"tickets": [0, 1, 0], "comments": [1, 0, 0]},
        walkthrough=[
            *area("Tickets"),
            *filtered(narrowed),
            ["click", "link", "Opened"],
            ["click", "link", "Opened"],
            ["click", "link", str(ticket["id"])],
            *selected({"Priority": "urgent", "Category": category}),
            ["click", "button", "Save ticket"],
            *filled({"Comment": remark}),
            ["click", "button", "Add comment"],
        ],
    )


TEMPLATES = (
    Template("triage", "seen", triage),
    Template("hand_over_tickets", "seen", hand_over_tickets),
    Template("close_resolved", "seen", close_resolved),
    Template("finish_machine", "unseen", finish_machine),
    Template("new_alert", "seen", new_alert),
    Template("renotify", "unseen", renotify),
    Template("raise_newest", "seen", raise_newest),
)
