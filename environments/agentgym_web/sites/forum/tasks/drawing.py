"""What the makers of tasks share: drawing from the database, SQL literals, and the usual steps of a walkthrough."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentgym_web.sites.core.drafts import Draft, Step
from agentgym_web.sites.core.draws import Maker, choose, require
from agentgym_web.sites.forum.lookup import POSTS_PER_PAGE
from agentgym_web.sites.forum.world import world

_WRITERS = """
SELECT login FROM users WHERE role = 'member' AND login NOT IN (SELECT user FROM bans)
    AND login IN (SELECT author FROM posts GROUP BY author HAVING count(*) > 8) ORDER BY login
"""


def best(rows: Sequence[sqlite3.Row], column: str, *, is_least: bool = False) -> sqlite3.Row:
    """The row with the largest value of a column, or the smallest.

    Raises:
        UnsuitableDraw: There are fewer than two rows, or the best two are equal.
    """
    ranked = sorted(rows, key=lambda row: row[column], reverse=not is_least)
    require(len(ranked) > 1 and ranked[0][column] != ranked[1][column])
    return ranked[0]


def draw_user(db: sqlite3.Connection, rng: random.Random, without: Sequence[str] = ()) -> str:
    """The login of a member who may write and who is not a moderator."""
    logins: list[str] = [row["login"] for row in db.execute(_WRITERS) if row["login"] not in without]
    return choose(rng, logins)


def for_reader(make: Maker) -> Maker:
    """Give the tasks of a maker a user who follows from the instruction, so that no question is asked of two users."""

    def drawn(db: sqlite3.Connection, rng: random.Random) -> Draft:
        draft = make(db, rng)
        own = random.Random(draft.instruction)
        role = db.execute("SELECT role FROM users WHERE login = ?", (draft.user,)).fetchone()["role"]
        if role == "moderator":
            return replace(draft, user=draw_moderator(db, own))
        named = [row["login"] for row in db.execute("SELECT login FROM users") if row["login"] in draft.instruction]
        return replace(draft, user=draw_user(db, own, named))

    return drawn


def draw_moderator(db: sqlite3.Connection, rng: random.Random) -> str:
    """The login of a moderator."""
    found = db.execute("SELECT login FROM users WHERE role = 'moderator' ORDER BY login")
    logins: list[str] = [row["login"] for row in found]
    return choose(rng, logins)


def spammers() -> list[str]:
    """Logins of the members who only advertise."""
    return [person.login for person in world().people if person.is_spammer]


def to_thread(db: sqlite3.Connection, thread_id: int) -> list[Step]:
    """The steps from any page to the first page of a thread, through the search."""
    title, author = db.execute("SELECT title, author FROM threads WHERE id = ?", (thread_id,)).fetchone()
    return find_thread(title, author)


def find_thread(title: str, author: str) -> list[Step]:
    """The steps from any page to the first page of a thread that a member has opened, through the search."""
    return [
        ["fill", "searchbox", "Search the forum", title],
        ["click", "button", "Find"],
        ["click", "link", title, {"within": f"Opening post by {author}"}],
    ]


def to_page_of(number: int) -> list[Step]:
    """The steps from the first page of a thread to the page with a post, by the post's place in the thread."""
    return [["click", "link", "Next page"]] * ((number - 1) // POSTS_PER_PAGE)


def within_post(number: int) -> dict[str, Any]:
    """Narrows a step to a post, by its place in the thread."""
    return {"within": f"Post #{number},"}


def to_board(name: str) -> list[Step]:
    """The steps from any page to a board."""
    return [["click", "link", "Boards"], ["click", "link", name]]
