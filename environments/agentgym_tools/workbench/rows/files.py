"""The files that everybody starts with: invoices, notes, logs and projects, in folders of a tree kept as rows."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import Person

SCHEMA = """
CREATE TABLE nodes (
    owner TEXT, path TEXT, kind TEXT, text TEXT, changed TEXT, PRIMARY KEY (owner, path)
) WITHOUT ROWID;
"""
CLIENTS = ("acme", "borea", "citron", "delphi", "elmo", "fjord", "grano", "helix", "iris", "jura")
TOPICS = ("garden", "budget", "travel", "hiring", "kitchen", "website", "training", "party", "repair", "research")
WORDS = ("call", "order", "check", "measure", "draft", "paint", "invite", "compare", "move", "print")
THINGS = ("the list", "the plan", "the shelf", "the team", "the boxes", "the window", "the prices", "the tickets")
FOLDERS = ("/archive", "/invoices", "/logs", "/notes", "/projects", "/projects/alpha", "/projects/beta", "/shared")


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's files."""
    rows = [(person.id, path, "folder", "", _day(rng)) for path in FOLDERS]
    for path, text in {**_invoices(person, rng), **_notes(person, rng), **_others(rng)}.items():
        rows.append((person.id, path, "file", text, _day(rng)))
    db.executemany("INSERT INTO nodes VALUES (?, ?, ?, ?, ?)", rows)


def _invoices(person: Person, rng: random.Random) -> dict[str, str]:
    found = {}
    for number in range(180 if person.is_heavy else 8):
        client, state = rng.choice(CLIENTS), rng.choice(("open", "paid", "paid", "late"))
        text = f"client: {client}\namount: {rng.randrange(1500, 90000, 5)}\nstate: {state}"
        found[f"/invoices/{client}_{1000 + number}.txt"] = text
    return found


def _notes(person: Person, rng: random.Random) -> dict[str, str]:
    found = {}
    for topic in rng.sample(TOPICS, 6):
        lines = [f"{rng.choice(WORDS)} {rng.choice(THINGS)}" for _ in range(rng.randint(2, 6))]
        found[f"/notes/{topic}.txt"] = "\n".join([f"topic: {topic}", *dict.fromkeys(lines)])
    for number in range(90 if person.is_heavy else 3):
        level = rng.choices(("info", "warning", "error"), (6, 2, 1))[0]
        found[f"/logs/run_{number:03}.log"] = f"level: {level}\nseconds: {rng.randint(3, 900)}"
    return found


def _others(rng: random.Random) -> dict[str, str]:
    names = rng.sample(("readme", "todo", "ideas", "report", "summary", "contract", "survey"), 5)
    places = ("/projects/alpha", "/projects/beta", "/shared", "/archive", "/projects")
    return {
        f"{place}/{name}.md": f"# {name}\n{rng.choice(WORDS)} {rng.choice(THINGS)}"
        for place, name in zip(places, names, strict=True)
    }


def _day(rng: random.Random) -> str:
    return f"2031-{rng.randint(1, 5):02}-{rng.randint(1, 28):02}"
