"""What the makers of tasks share: drawing from the database, checks, and the usual steps of a walkthrough."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from agentgym_web.sites.core.drafts import Check, Draft, Step
from agentgym_web.sites.core.draws import Maker, choose, literal
from agentgym_web.sites.core.row_checks import count_is
from agentgym_web.sites.wiki.articles import shown_title
from agentgym_web.sites.wiki.lookup import PAGES
from agentgym_web.sites.wiki.names import ADMINS, VANDALS

_EDITORS = """
SELECT name FROM users WHERE role = 'editor' AND name NOT IN (SELECT user FROM blocks)
    AND registered < '2025' ORDER BY name
"""
_BARE = "replace(replace({}, char(10), ''), ' ', '')"


def draw_editor(db: sqlite3.Connection, rng: random.Random, without: Sequence[str] = ()) -> str:
    """The name of an editor who may write and is no administrator."""
    found: list[str] = [row["name"] for row in db.execute(_EDITORS) if row["name"] not in without]
    return choose(rng, found)


def for_reader(make: Maker) -> Maker:
    """Give the tasks of a maker a user who follows from the instruction, so that no question is asked of two users."""

    def drawn(db: sqlite3.Connection, rng: random.Random) -> Draft:
        draft = make(db, rng)
        named = [row["name"] for row in db.execute("SELECT name FROM users") if row["name"] in draft.instruction]
        return replace(draft, user=draw_editor(db, random.Random(draft.instruction), named))

    return drawn


def draw_admin(rng: random.Random) -> str:
    """The name of an administrator."""
    return rng.choice(ADMINS)


def get_page(db: sqlite3.Connection, title: str) -> sqlite3.Row:
    """The page of a title with its text."""
    page: sqlite3.Row = db.execute(f"{PAGES} WHERE title = ?", (title,)).fetchone()
    return page


def is_sound(page: sqlite3.Row) -> bool:
    """Whether everybody may edit a page and no vandal was the last to do so."""
    return not page["is_protected"] and page["last_author"] not in VANDALS


def latest_of(page_id: int | str) -> str:
    """A condition on revisions: the latest one of a page, whose id is a number or a query."""
    return f"page_id = {page_id} AND number = (SELECT max(number) FROM revisions WHERE page_id = {page_id})"  # noqa: S608


def reads(page_id: int | str, body: str) -> str:
    """A condition on revisions: the latest one of a page has this text; white space does not matter."""
    wanted = literal("".join(body.split()))
    return f"{latest_of(page_id)} AND {_BARE.format('body')} = {wanted}"


def body_is(name: str, page_id: int | str, body: str) -> Check:
    """A check that the latest text of a page is this one; white space does not matter."""
    return count_is(name, "revisions", reads(page_id, body))


def create_page(title: str, body: str) -> list[Step]:
    """The steps from any page to a new one that has this text."""
    return [
        ["fill", "searchbox", "Search the almanac", title],
        ["click", "button", "Find"],
        ["click", "link", f"Create the page {title}"],
        ["fill", "textbox", "Text", body],
        ["click", "button", "Save page"],
    ]


def to_page(title: str) -> list[Step]:
    """The steps from any page to an article, through the search."""
    return [
        ["fill", "searchbox", "Search the almanac", title],
        ["click", "button", "Find"],
        ["click", "link", title],
    ]


def follow(db: sqlite3.Connection, page: str, title: str) -> list[Step]:
    """The step from an article along its link to another one."""
    body = get_page(db, page)["body"]
    times = body.count(f"[[{title}]]") + body.count(f"[[{title}|")
    step: list[object] = ["click", "link", shown_title(title)]
    return [[*step, {"nth": 1}] if times > 1 else step]


def view(name: str, db: sqlite3.Connection, title: str) -> Step:
    """The step from an article to another view of it: "History", "Edit", "Move", "Talk" or "What links here"."""
    if name != "Talk":
        return ["click", "link", name]
    sql = "SELECT count(*) FROM topics JOIN pages ON pages.id = page_id WHERE pages.title = ?"
    return ["click", "link", f"Talk ({db.execute(sql, (title,)).fetchone()[0]})"]
