"""The tickets that everybody starts with."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import Person

SCHEMA = """
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY, owner TEXT, title TEXT, queue TEXT, priority INTEGER, state TEXT, assignee TEXT, opened TEXT
);
CREATE INDEX tickets_by_queue ON tickets (owner, queue);
CREATE INDEX tickets_by_assignee ON tickets (owner, assignee);
CREATE TABLE ticket_notes (id INTEGER PRIMARY KEY, ticket INTEGER, text TEXT);
CREATE INDEX notes_by_ticket ON ticket_notes (ticket);
"""
QUEUES = ("accounts", "hardware", "network", "printing", "software")
STATES = ("open", "waiting", "closed")
THINGS = ("Printer", "Laptop", "Login", "Screen", "Network", "Mailbox", "Scanner", "Keyboard", "Backup", "Phone")
TROUBLES = ("is slow", "does not start", "makes noise", "loses data", "is locked", "shows an error")
STAFF = ("dora", "emre", "fiona", "gil", "hedda")
NOTES = ("asked for details", "sent a spare part", "tried a restart", "waits for a reply")


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's tickets with notes."""
    for number in range(180 if person.is_heavy else 9):
        ticket = 20_000 + person.index * 200 + number
        title = f"{rng.choice(THINGS)} {rng.choice(TROUBLES)} in room {100 + rng.randrange(300)}"
        state = STATES[number % 3] if number < 3 else rng.choice(STATES)
        row = (ticket, person.id, title, rng.choice(QUEUES), rng.randint(1, 5), state, rng.choice(("", *STAFF)))
        opened = f"2031-{rng.randint(1, 5):02}-{rng.randint(1, 28):02}"
        db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, opened))
        if number % 4 == 0:
            db.execute("INSERT INTO ticket_notes VALUES (?, ?, ?)", (ticket * 2, ticket, rng.choice(NOTES)))
