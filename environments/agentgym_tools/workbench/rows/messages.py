"""The contacts and messages that everybody starts with."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import PEOPLE, Person

SCHEMA = """
CREATE TABLE contacts (
    owner TEXT, person TEXT, nickname TEXT, muted INTEGER, PRIMARY KEY (owner, person)
) WITHOUT ROWID;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, owner TEXT, other TEXT, is_mine INTEGER, text TEXT, day TEXT, is_read INTEGER,
    starred INTEGER
);
CREATE INDEX messages_by_other ON messages (owner, other);
CREATE INDEX messages_by_reading ON messages (owner, is_read);
"""
PLANS = ("lunch", "the concert", "the meeting", "the match", "the train", "dinner", "the course", "the walk")
LINES = (
    "Shall we meet for {plan} at {hour}?",
    "I will be late for {plan}, more like {hour}.",
    "Please bring {count} copies to {plan}.",
    "{plan} costs {count} each.",
    "Room {count} is free for {plan}.",
)
NICKNAMES = ("boss", "coach", "cousin", "neighbour", "doc", "chef", "captain", "buddy", "teacher", "landlord")


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's contacts and messages."""
    known = rng.sample([each.id for each in PEOPLE if each is not person], 8)
    nicknames = rng.sample(NICKNAMES, len(known))
    for other, nickname in zip(known, nicknames, strict=True):
        contact = (person.id, other, nickname, int(rng.random() < 0.2))
        db.execute("INSERT INTO contacts VALUES (?, ?, ?, ?)", contact)
    for number in range(220 if person.is_heavy else 20):
        is_mine = rng.random() < 0.4
        line = rng.choice(LINES).format(
            plan=rng.choice(PLANS), hour=f"{rng.randint(8, 21)}:{rng.choice('0134')}0", count=rng.randint(2, 90)
        )
        row = (
            50_000 + person.index * 250 + number,
            person.id,
            rng.choice(known),
            int(is_mine),
            line[0].upper() + line[1:],
        )
        day = f"2031-{rng.randint(1, 5):02}-{rng.randint(1, 28):02}"
        is_read = int(is_mine or rng.random() < 0.7)
        db.execute(
            "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, day, is_read, int(rng.random() < 0.1))
        )
