"""Queries that several pages share: pages with their latest revisions, and who may do what."""

from __future__ import annotations

import re
import sqlite3

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.queries import one

MAX_TITLE, MAX_BODY = 80, 20_000

PAGES = """
SELECT pages.*, last.body, last.number AS revisions, last.created AS edited, last.author AS last_author,
    last.id AS revision_id, length(last.body) AS size,
    (SELECT count(*) FROM links JOIN pages AS other ON other.id = links.page_id
     WHERE target = pages.title AND other.is_deleted = 0) AS backlinks
FROM pages JOIN revisions AS last ON last.page_id = pages.id
    AND last.number = (SELECT max(number) FROM revisions WHERE page_id = pages.id)
"""
"""Pages with the text, author and time of their latest revision."""

REVISIONS = """
SELECT revisions.*, pages.title, pages.is_deleted, length(revisions.body) AS size,
    length(revisions.body) - coalesce(length(earlier.body), 0) AS growth,
    revisions.number = (SELECT max(number) FROM revisions AS later WHERE later.page_id = pages.id) AS is_latest,
    (SELECT count(*) FROM thanks WHERE revision_id = revisions.id) AS thanks,
    (SELECT count(*) FROM thanks WHERE revision_id = revisions.id AND user = ?) AS my_thanks
FROM revisions JOIN pages ON pages.id = revisions.page_id
LEFT JOIN revisions AS earlier ON earlier.page_id = pages.id AND earlier.number = revisions.number - 1
"""
"""Revisions with their page, how much longer they made it, and thanks; the first parameter is who is logged in."""


def wanted_title(visit: Visit) -> str:
    """The title that the address names."""
    return str(visit.path["title"]).replace("_", " ").strip()


def find_page(db: sqlite3.Connection, title: str) -> sqlite3.Row | None:
    """The page of a title, unless it is deleted."""
    return one(db, f"{PAGES} WHERE title = ? AND is_deleted = 0", title)


def exists(db: sqlite3.Connection, title: str) -> bool:
    """Whether there is a page of a title."""
    return one(db, "SELECT 1 FROM pages WHERE title = ? AND is_deleted = 0", title) is not None


def is_admin(visit: Visit) -> bool:
    """Whether an administrator is logged in."""
    return one(visit.db, "SELECT 1 FROM users WHERE name = ? AND role = 'admin'", visit.user) is not None


def refusal(visit: Visit, page: sqlite3.Row | None) -> str | None:
    """Why the visitor may not change a page, or None if they may."""
    if one(visit.db, "SELECT 1 FROM blocks WHERE user = ?", visit.user):
        return "You are blocked and cannot edit at present."
    if page is not None and page["is_protected"] and not is_admin(visit):
        return "This page is protected. Only administrators can change it."
    return None


def log(visit: Visit, action: str, subject: str) -> None:
    """Write into the log what the visitor did."""
    sql = "INSERT INTO log (user, action, subject, created) VALUES (?, ?, ?, ?)"
    visit.db.execute(sql, (visit.user, action, subject, visit.stamp))


def title_problem(title: str) -> str | None:
    """What is wrong with a title, or None."""
    if not 2 <= len(title) <= MAX_TITLE:
        return f"A title has 2 to {MAX_TITLE} characters."
    return "A title has none of these: # | [ ] { } _ /" if re.search(r"[#|\[\]{}_/\n]", title) else None
