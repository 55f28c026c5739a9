"""Templates that change machines or what hangs on their table: forms, bulk edits, exports and saved views."""

from __future__ import annotations

import random
import sqlite3
from urllib.parse import urlencode

from agentgym_web.sites.admin import vocabulary as words
from agentgym_web.sites.admin.tasks.draws import (
    ADMINISTRATORS,
    MANAGERS,
    area,
    change_every,
    filled,
    filtered,
    open_machine,
    selected,
    user_with,
)
from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.core.row_checks import as_milestone, num_rows, row_comes, row_is, rows_are, rows_come

NOTES = (
    "Side door sticks, push hard.",
    "Ring twice at the gate.",
    "Rear panel replaced in February.",
    "Only reachable until 18:00.",
    "Card reader on loan, return in May.",
    "Second shelf left empty on request.",
    "Parking on the north side.",
    "Power socket shared with the lift.",
)


def edit_machine(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change two or three fields of one machine."""
    machine = pick(db, rng, "SELECT * FROM machines WHERE status != 'retired' ORDER BY id")
    note = rng.choice(NOTES)
    fill = rng.choice([level for level in range(40, 100, 5) if level != machine["fill"]])
    status = rng.choice([status for status in ("online", "degraded", "offline") if status != machine["status"]])
    wanted: dict[str, str | int] = {"status": status, "fill": fill}
    said = [f"status {status}", f"a fill level of {fill} percent"]
    if note != machine["notes"] and rng.random() < 0.7:
        wanted["notes"] = note
        said.append(f"the notes “{note}” instead of whatever they say now")
    if rng.random() < 0.5:
        wanted["serviced_on"] = "2026-02-28"
        said.append("28 February 2026 as its last service")
    texts = {"Notes": note} if "notes" in wanted else {}
    texts |= {"Last service": "2026-02-28"} if "serviced_on" in wanted else {}
    changed = [column for column, value in wanted.items() if machine[column] != value]
    return Draft(
        instruction=f"Machine {machine['code']} was looked after. Update its entry: {', '.join(said[:-1])} and "
        f"{said[-1]}. Leave the rest as it is.",
        user=user_with(db, rng, (*MANAGERS, "Technician"))["login"],
        checks=[
            row_is("machines", {"id": machine["id"]}, wanted),
            *row_comes("machines", {"id": machine["id"]}, wanted, {column: [column] for column in changed}),
        ],
        touched={"machines": [0, 1, 0]},
        walkthrough=[
            *open_machine(machine["code"]),
            ["click", "link", "Edit machine"],
            *selected({"Status": status}),
            ["fill", "spinbutton", "Fill level", str(fill)],
            *filled(texts),
            ["click", "button", "Save machine"],
        ],
    )


def add_machine(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Enter a new machine."""
    model, place = rng.choice(words.MODELS), pick(db, rng, "SELECT * FROM locations ORDER BY id")
    code, firmware = f"FK-{rng.randint(3000, 4999)}", rng.choice(words.FIRMWARE[model])
    fill, cash = rng.choice((0, 50, 80, 95)), rng.randint(0, 1)
    installed = f"2026-02-{rng.randint(10, 28)}"
    note = rng.choice(NOTES)
    wanted = {
        "model": model,
        "location_id": place["id"],
        "status": "online",
        "firmware": firmware,
        "fill": fill,
        "takes_cash": cash,
        "installed_on": installed,
        "serviced_on": installed,
        "notes": note,
    }
    return Draft(
        instruction=f"A new machine stands at {place['name']}: code {code}, model {model}, firmware {firmware}, "
        f"{'it takes cash' if cash else 'it does not take cash'}, fill level {fill} percent, installed on {installed} "
        f"and last serviced on the same day. It is online. Enter it, with the notes “{note}”.",
        user=user_with(db, rng, (*MANAGERS, "Technician"))["login"],
        checks=[
            row_is("machines", {"code": code}, wanted),
            *row_comes(
                "machines",
                {"code": code},
                wanted,
                {
                    "model and place": ["model", "location_id"],
                    "state": ["status", "firmware", "fill"],
                    "days": ["installed_on", "serviced_on"],
                },
            ),
        ],
        touched={"machines": [1, 0, 0]},
        walkthrough=[
            *area("Machines"),
            ["click", "link", "New machine"],
            *filled({"Code": code, "Installed on": installed, "Last service": installed, "Notes": note}),
            *selected({"Model": model, "Location": place["name"], "Status": "online", "Firmware": firmware}),
            ["fill", "spinbutton", "Fill level", str(fill)],
            *([["click", "checkbox", "Takes cash"]] if cash else []),
            ["click", "button", "Save machine"],
        ],
    )


def update_firmware(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Give all machines of a model in a region that run an old firmware the newest one."""
    model, region = rng.choice(words.MODELS), rng.choice(words.REGIONS)
    old, new = rng.choice(words.FIRMWARE[model][:2]), words.FIRMWARE[model][-1]
    ids = _ids(
        db,
        "region = ? AND model = ? AND firmware = ? AND status = 'online'",
        region,
        model,
        old,
    )
    require(2 < len(ids) < 25)
    return Draft(
        instruction=f"Roll out firmware {new} to every online {model} in region {region} that still runs {old}. "
        "Machines with another status or another firmware stay as they are.",
        user=user_with(db, rng)["login"],
        checks=[
            rows_are("machines", ids, {"firmware": new, "status": "online"}),
            *rows_come(db, "machines", ids, {"firmware": new, "status": "online"}),
        ],
        touched={"machines": [0, len(ids), 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Model": model, "Firmware": old, "Status": "online"}),
            *change_every(len(ids), {"Set firmware": new}),
        ],
    )


def retire_machines(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Retire all offline machines of a region without a service since a day."""
    region, day = rng.choice(words.REGIONS), rng.choice(("2025-05-01", "2025-07-01", "2025-09-01", "2025-12-01"))
    ids = _ids(db, "region = ? AND status = 'offline' AND serviced_on < ?", region, day)
    require(1 < len(ids) < 25)
    return Draft(
        instruction=f"We give up on the machines in region {region} that are offline and were last serviced before "
        f"{day}: set the status of each of them to retired.",
        user=user_with(db, rng)["login"],
        checks=[
            rows_are("machines", ids, {"status": "retired"}),
            *rows_come(db, "machines", ids, {"status": "retired"}),
        ],
        touched={"machines": [0, len(ids), 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Status": "offline", "Serviced before": day}),
            *change_every(len(ids), {"Set status": "retired"}),
        ],
    )


def clear_location(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move the machines of a location to two others, by model."""
    place = pick(db, rng, "SELECT * FROM locations ORDER BY id")
    others = rng.sample(rows(db, "SELECT * FROM locations WHERE id != ? ORDER BY id", place["id"]), 2)
    model = rng.choice(words.MODELS)
    chosen = _ids(db, "location_id = ? AND model = ?", place["id"], model)
    rest = _ids(db, "location_id = ? AND model != ?", place["id"], model)
    require(bool(chosen) and 1 < len(rest) < 25)
    return Draft(
        instruction=f"{place['name']} closes down. Move all its {model} machines to {others[0]['name']} and all its "
        f"other machines, whatever their status, to {others[1]['name']}.",
        user=user_with(db, rng)["login"],
        checks=[
            rows_are("machines", chosen, {"location_id": others[0]["id"]}, f"{model} moved"),
            rows_are("machines", rest, {"location_id": others[1]["id"]}, "others moved"),
            rows_are("machines", chosen, {"location_id": others[0]["id"]}, "first half moved", milestone=True),
        ],
        touched={"machines": [0, len(chosen) + len(rest), 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Location": place["name"], "Model": model}),
            *change_every(len(chosen), {"Move to": others[0]["name"]}),
            ["click", "link", "Clear filters"],
            *filtered({"Location": place["name"]}),
            *change_every(len(rest), {"Move to": others[1]["name"]}),
        ],
    )


def export_machines(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Export the machines that some filters leave."""
    region, model = rng.choice(words.REGIONS), rng.choice(words.MODELS)
    below = rng.choice((20, 30, 40, 50))
    ids = _ids(db, "region = ? AND model = ? AND fill < ? AND status != 'retired'", region, model, below)
    everything = _ids(db, "region = ? AND model = ? AND fill < ?", region, model, below)
    require(len(ids) > 2 and ids == everything)
    wanted: dict[str, str | int | None] = {
        "table_name": "machines",
        "num_rows": len(ids),
        "ids": ",".join(map(str, ids)),
    }
    return Draft(
        instruction=f"The van crew wants a CSV file of all {model} machines in region {region} whose fill level is "
        f"below {below} percent, and of no others. Export it once.",
        user=user_with(db, rng, (*MANAGERS, "Planner", "Analyst"))["login"],
        checks=[num_rows("exports", wanted, 1), num_rows("exports", wanted, 1, "exported", milestone=True)],
        touched={"exports": [1, 0, 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Region": region, "Model": model, "Fill below": str(below)}),
            ["click", "button", "Export CSV"],
        ],
    )


def save_view(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Save a view of tickets with filters and a sorting."""
    region, category = rng.choice(words.REGIONS), rng.choice(words.CATEGORIES)
    priority = rng.choice(words.PRIORITIES)
    label, key = rng.choice((("Opened", "opened"), ("Machine", "machine"), ("Assignee", "assignee")))
    order = rng.choice(("asc", "desc"))
    name = rng.choice(("Morning round", f"{region} watch", f"{category.capitalize()} desk", "For the Tuesday call"))
    query = {
        "category": category,
        "order": order,
        "priority": priority,
        "region": region,
        "sort": key,
        "state": "unresolved",
    }
    person = user_with(db, rng, ("Administrator", "Operations manager", "Viewer", "Analyst", "Support agent"))
    wanted = {"person_id": person["id"], "table_name": "tickets", "name": name, "query": urlencode(query)}
    sort = ["click", "link", label]
    return Draft(
        instruction=f"Save a view of the tickets for me, named “{name}”: unresolved tickets of category {category} "
        f"with priority {priority} in region {region}, and no other filter, sorted by the column {label}, "
        f"{'ascending' if order == 'asc' else 'descending'}.",
        user=person["login"],
        checks=[
            num_rows("saved_views", wanted, 1),
            *row_comes(
                "saved_views",
                {"person_id": person["id"], "table_name": "tickets"},
                wanted,
                {"name": ["name"], "filters and order": ["query"]},
            ),
        ],
        touched={"saved_views": [1, 0, 0]},
        walkthrough=[
            *area("Tickets"),
            *filtered({"State": "unresolved", "Category": category, "Priority": priority, "Region": region}),
            sort,
            *([sort] if order == "desc" else []),
            ["fill", "textbox", "Name of the view", name],
            ["click", "button", "Save view"],
        ],
    )


def ticket_for_emptiest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Open a ticket for the emptiest online machine of a location."""
    place = pick(db, rng, "SELECT * FROM locations ORDER BY id")
    found = rows(db, "SELECT * FROM machines WHERE location_id = ? AND status = 'online' ORDER BY fill", place["id"])
    require(len(found) > 3 and found[0]["fill"] < found[1]["fill"])
    machine, priority = found[0], rng.choice(("high", "urgent"))
    subject = rng.choice(("Refill please", "Nearly empty", "Restock before noon"))
    body = rng.choice(("Sells out every day.", "Water and oat bars first.", "Please fill all shelves."))
    wanted = {"body": body, "category": "stock", "priority": priority, "state": "open"}
    return Draft(
        instruction=f"Of the online machines at {place['name']}, find the one with the lowest fill level and open a "
        f"ticket for it: subject “{subject}”, description “{body}”, category stock, priority {priority}.",
        user=user_with(db, rng, (*MANAGERS, "Technician"))["login"],
        checks=[
            row_is("tickets", {"machine_id": machine["id"], "subject": subject}, wanted),
            *row_comes(
                "tickets",
                {"machine_id": machine["id"], "subject": subject},
                wanted,
                {"description": ["body"], "category": ["category"], "priority": ["priority"]},
            ),
        ],
        touched={"tickets": [1, 0, 0]},
        walkthrough=[
            *area("Machines"),
            *filtered({"Location": place["name"], "Status": "online"}),
            ["click", "link", "Fill %"],
            ["click", "link", machine["code"]],
            ["click", "link", "Open a ticket"],
            *filled({"Subject": subject, "Description": body}),
            *selected({"Category": "stock", "Priority": priority}),
            ["click", "button", "Open ticket"],
        ],
    )


def edit_settings(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change three settings."""
    choices = {
        "session_minutes": ("spinbutton", str(rng.choice((15, 30, 45, 90, 120)))),
        "low_fill": ("spinbutton", str(rng.choice((10, 15, 25, 30)))),
        "audit_days": ("spinbutton", str(rng.choice((365, 400, 1000, 1500)))),
        "time_zone": ("combobox", rng.choice(words.ZONES[1:])),
        "digest_weekday": ("combobox", rng.choice(words.WEEKDAYS[1:])),
        "support_email": ("textbox", rng.choice(("help@fernhill.test", "care@fernhill.test"))),
    }
    keys = rng.sample(sorted(choices), 3)
    said = [f"“{words.SETTINGS[key][0]}” to {choices[key][1]}" for key in keys]
    steps = []
    for key in keys:
        role, value = choices[key]
        steps.append(["select" if role == "combobox" else "fill", role, words.SETTINGS[key][0], value])
    checks = [row_is("settings", {"key": key}, {"value": choices[key][1]}, key) for key in keys]
    return Draft(
        instruction=f"In the settings, change {said[0]}, {said[1]} and {said[2]}. Keep all other settings.",
        user=user_with(db, rng, ADMINISTRATORS)["login"],
        checks=[*checks, *map(as_milestone, checks)],
        touched={"settings": [0, 3, 0]},
        walkthrough=[*area("Settings"), *steps, ["click", "button", "Save settings"]],
    )


def _ids(db: sqlite3.Connection, where: str, *parameters: object) -> list[int]:
    sql = f"""SELECT machines.id FROM machines JOIN locations ON locations.id = location_id
              WHERE {where} ORDER BY machines.id"""  # noqa: S608 - a constant of this module
    return [row[0] for row in rows(db, sql, *parameters)]


TEMPLATES = (
    Template("edit_machine", "seen", edit_machine),
    Template("add_machine", "seen", add_machine),
    Template("update_firmware", "seen", update_firmware),
    Template("retire_machines", "seen", retire_machines),
    Template("clear_location", "unseen", clear_location),
    Template("export_machines", "seen", export_machines),
    Template("save_view", "seen", save_view),
    Template("ticket_for_emptiest", "seen", ticket_for_emptiest),
    Template("edit_settings", "seen", edit_settings),
)
