"""Keeps what follows from the text of a page: its links, categories, redirect and what the search finds."""

from __future__ import annotations

import sqlite3

from agentgym_web.sites.wiki.markup import categories_in, links_in, plain_text, redirect_in


def derive(db: sqlite3.Connection, page_id: int, body: str) -> None:
    """Bring the tables that follow from a page's text up to it."""
    for table in ("links", "categories", "redirects"):
        db.execute(f"DELETE FROM {table} WHERE page_id = ?", (page_id,))  # noqa: S608 - our own names
    title = db.execute("SELECT title FROM pages WHERE id = ?", (page_id,)).fetchone()["title"]
    db.executemany("INSERT INTO links VALUES (?, ?)", [(page_id, target) for target in links_in(body)])
    db.executemany("INSERT INTO categories VALUES (?, ?)", [(page_id, name) for name in categories_in(body)])
    target = redirect_in(body)
    if target is not None:
        db.execute("INSERT INTO redirects VALUES (?, ?)", (page_id, target))
    db.execute("DELETE FROM search WHERE rowid = ?", (page_id,))
    db.execute("INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)", (page_id, title, plain_text(body)))


def forget(db: sqlite3.Connection, page_id: int) -> None:
    """Take a page that was deleted from the tables that follow from its text."""
    for table in ("links", "categories", "redirects"):
        db.execute(f"DELETE FROM {table} WHERE page_id = ?", (page_id,))  # noqa: S608 - our own names
    db.execute("DELETE FROM search WHERE rowid = ?", (page_id,))
