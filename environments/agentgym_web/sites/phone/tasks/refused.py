"""Templates that ask for what cannot be: what is not there, and what the phone does not allow."""

from __future__ import annotations

import random
import sqlite3
from datetime import timedelta

from agentgym_web.sites.core.drafts import Draft, Template
from agentgym_web.sites.core.draws import pick, require, rows
from agentgym_web.sites.phone.dialogues import TODAY
from agentgym_web.sites.phone.tasks.draws import USER, app, find_events, open_chat, open_contact, said_day
from agentgym_web.sites.phone.tasks.talking import TEXTS

STRANGERS = ("Ferdinand Ochs", "Lavinia Strand", "Barnaby Wild", "Odette Marlin", "Casper Thorne", "Mirabel Stone")


def unknown_person(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A message to somebody who is not among the contacts."""
    name, text = rng.choice(STRANGERS), rng.choice(TEXTS)
    return Draft(
        instruction=f"Send {name} the message “{text}”",
        user=USER,
        infeasible=True,
        walkthrough=[*open_contact(name)[:-1], ["infeasible", f"There is no contact named {name}."]],
    )


def blocked_person(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A message to somebody who is blocked and is to stay so."""
    contact = pick(db, rng, "SELECT * FROM contacts WHERE is_blocked ORDER BY id")
    text = rng.choice(TEXTS)
    return Draft(
        instruction=f"Write “{text}” to {contact['name']} in a chat between the two of us. Do not change anything "
        "about my contacts: whoever is blocked stays blocked.",
        user=USER,
        infeasible=True,
        walkthrough=[
            *open_contact(contact["name"]),
            ["tap", "button", "Message"],
            ["infeasible", f"{contact['name']} is blocked."],
        ],
    )


def foreign_group(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A change to a group that somebody else made."""
    group = pick(db, rng, "SELECT * FROM chats WHERE is_group AND NOT is_mine AND NOT is_archived ORDER BY id")
    known = {row["contact_id"] for row in rows(db, "SELECT * FROM members WHERE chat_id = ?", group["id"])}
    other = rng.choice([row for row in rows(db, "SELECT * FROM contacts ORDER BY id") if row["id"] not in known])
    wishes = (
        f"Rename the group {group['title']} to “Our new group”.",
        f"Add {other['name']} to the group {group['title']}.",
    )
    wish = rng.choice(wishes)
    return Draft(
        instruction=wish,
        user=USER,
        infeasible=True,
        walkthrough=[
            *open_chat(group["title"]),
            ["tap", "link", "About"],
            ["infeasible", "Only the person who made the group can change it."],
        ],
    )


def missing_event(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """An event that is not on the day named."""
    title = pick(db, rng, "SELECT title FROM events ORDER BY id")["title"]
    day = (TODAY + timedelta(days=rng.randint(2, 38))).isoformat()
    require(not rows(db, "SELECT 1 FROM events WHERE title = ? AND day = ?", title, day))
    hour = rng.randint(9, 17)
    return Draft(
        instruction=f"Move “{title}” on {said_day(day)} so that it starts at {hour:02d}:00 and ends at "
        f"{hour + 1:02d}:00, same day. Only the event of that day is meant.",
        user=USER,
        infeasible=True,
        walkthrough=[*find_events(title), ["infeasible", f"There is no {title} on that day."]],
    )


def missing_item(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """An item that is not on the list named."""
    first, second = rng.sample(rows(db, "SELECT * FROM lists ORDER BY id"), 2)
    item = pick(db, rng, "SELECT * FROM items WHERE list_id = ? AND NOT is_checked ORDER BY id", second["id"])
    require(not rows(db, "SELECT 1 FROM items WHERE list_id = ? AND text = ?", first["id"], item["text"]))
    return Draft(
        instruction=f"Check off “{item['text']}” on my list {first['title']}. No other list, and nothing new, please.",
        user=USER,
        infeasible=True,
        walkthrough=[
            *app("Lists"),
            ["tap", "link", first["title"]],
            ["infeasible", f"{first['title']} does not have it."],
        ],
    )


TEMPLATES = (
    Template("unknown_person", "seen", unknown_person),
    Template("blocked_person", "seen", blocked_person),
    Template("foreign_group", "unseen", foreign_group),
    Template("missing_event", "seen", missing_event),
    Template("missing_item", "unseen", missing_item),
)
