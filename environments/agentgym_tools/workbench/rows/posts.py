"""The posts, comments and follows that everybody starts with."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import PEOPLE, Person

SCHEMA = """
CREATE TABLE posts (id INTEGER PRIMARY KEY, author TEXT, text TEXT, day TEXT, pinned INTEGER, original INTEGER);
CREATE INDEX posts_by_author ON posts (author);
CREATE TABLE comments (id INTEGER PRIMARY KEY, post INTEGER, author TEXT, text TEXT);
CREATE INDEX comments_by_post ON comments (post);
CREATE TABLE likes (person TEXT, post INTEGER, PRIMARY KEY (person, post)) WITHOUT ROWID;
CREATE INDEX likes_by_post ON likes (post);
CREATE TABLE follows (person TEXT, author TEXT, PRIMARY KEY (person, author)) WITHOUT ROWID;
CREATE INDEX follows_by_author ON follows (author);
"""
TAGS = ("#baking", "#chess", "#cycling", "#films", "#garden", "#hiking", "#music", "#reading")
OPENINGS = ("A quiet day for", "First attempt at", "Looking for friends of", "My plans for", "What I learnt about")
ENDINGS = ("this spring", "on Sunday", "with the family", "after work", "in the rain")
REMARKS = ("Well done!", "Count me in.", "How did it go?", "I like this.", "Next time with me!")


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's posts, with comments and likes of others."""
    others = [each.id for each in PEOPLE if each is not person]
    for number in range(140 if person.is_heavy else 6):
        post = 30_000 + person.index * 150 + number
        tag = rng.choice(TAGS)
        text = f"{rng.choice(OPENINGS)} {tag[1:]} {rng.choice(ENDINGS)} {tag}"
        day = f"2031-{rng.randint(1, 5):02}-{rng.randint(1, 28):02}"
        db.execute("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?)", (post, person.id, text, day, int(number == 1), 0))
        for place, author in enumerate(rng.sample(others, rng.choice((0, 1, 1, 2)))):
            row = (post * 4 + place, post, author, rng.choice(REMARKS))
            db.execute("INSERT INTO comments VALUES (?, ?, ?, ?)", row)
        liking = rng.sample(others, rng.randint(0, 4))
        db.executemany("INSERT INTO likes VALUES (?, ?)", [(each, post) for each in liking])
    followed = rng.sample(others, 6)
    db.executemany("INSERT INTO follows VALUES (?, ?)", [(person.id, each) for each in followed])
