"""Pages to read: an article, its links, lists of pages, categories and the search. Histories are in `histories`."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import match_words, number, one
from agentgym_web.sites.wiki.lookup import PAGES, exists, find_page, is_admin, title_problem, wanted_title
from agentgym_web.sites.wiki.markup import path_of, show

SORTS: Mapping[str, tuple[str, str]] = {
    "title": ("Title", "pages.title"),
    "long": ("Longest", "size DESC, pages.title"),
    "short": ("Shortest", "size, pages.title"),
    "edits": ("Most revisions", "revisions DESC, pages.title"),
    "links": ("Most links to it", "backlinks DESC, pages.title"),
    "new": ("Edited last", "edited DESC, pages.title"),
}


def home(visit: Visit) -> Response:
    """The main page: what the wiki is about, and ways into it."""
    sql = "SELECT name, count(*) AS pages FROM categories GROUP BY name HAVING pages > 4 ORDER BY name"
    sections = visit.db.execute(sql).fetchall()
    recent = visit.db.execute(f"{PAGES} WHERE is_deleted = 0 ORDER BY edited DESC LIMIT 8").fetchall()
    total = number(visit.db, "SELECT count(*) FROM pages WHERE is_deleted = 0")
    return visit.render("home.html", categories=sections, recent=recent, total=total)


def article(visit: Visit) -> Response:
    """An article; a redirect leads to its target."""
    title = wanted_title(visit)
    page = find_page(visit.db, title)
    if page is None:
        can_create = title_problem(title) is None
        return visit.render("missing.html", status=404, title=title, can_create=can_create)
    target = one(visit.db, "SELECT target FROM redirects WHERE page_id = ?", page["id"])
    if target is not None and visit.query.get("redirect") != "no" and exists(visit.db, target["target"]):
        return visit.redirect(f"{path_of(target['target'])}?from={quote(title)}")
    came_from = visit.query.get("from", "")
    return visit.render(
        "article.html",
        page=page,
        shown=show(page["body"], lambda other: exists(visit.db, other)),
        redirect=target["target"] if target else None,
        came_from=came_from if came_from and exists(visit.db, came_from) else "",
        categories=_categories(visit, page["id"]),
        **about(visit, page, "article"),
    )


def about(visit: Visit, page: sqlite3.Row, here: str) -> Mapping[str, Any]:
    """What the head of each view of a page shows."""
    watched = one(visit.db, "SELECT 1 FROM watches WHERE user = ? AND page_id = ?", visit.user, page["id"])
    num_topics = number(visit.db, "SELECT count(*) FROM topics WHERE page_id = ?", page["id"])
    return {"here": here, "is_watched": watched is not None, "num_topics": num_topics, "is_admin": is_admin(visit)}


def backlinks(visit: Visit) -> Response:
    """The pages that link to a page."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    where = "is_deleted = 0 AND pages.id IN (SELECT page_id FROM links WHERE target = ?)"
    total = number(visit.db, f"SELECT count(*) FROM pages WHERE {where}", page["title"])  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 50, dict(visit.query))
    sql = f"""
        SELECT pages.id, title, (SELECT target FROM redirects WHERE page_id = pages.id) AS redirect
        FROM pages WHERE {where} ORDER BY title LIMIT ? OFFSET ?
    """  # noqa: S608 - our own names
    found = visit.db.execute(sql, (page["title"], pager.size, pager.offset)).fetchall()
    return visit.render("backlinks.html", page=page, links=found, pager=pager, **about(visit, page, "backlinks"))


def pages(visit: Visit) -> Response:
    """All pages as a table."""
    return _table(visit, "All pages", "", {"prefix": visit.query.get("prefix", "").strip()})


def category(visit: Visit) -> Response:
    """The pages of a category as a table."""
    name = wanted_title(visit)
    if one(visit.db, "SELECT 1 FROM categories WHERE name = ?", name) is None:
        return visit.not_found("There is no such category.")
    return _table(visit, f"Category: {name}", name, {"prefix": visit.query.get("prefix", "").strip()})


def _table(visit: Visit, heading: str, category: str, asked: dict[str, str]) -> Response:
    asked["sort"] = visit.query.get("sort", "") if visit.query.get("sort", "") in SORTS else "title"
    where, values = "is_deleted = 0", list[str]()
    if category:
        where += " AND pages.id IN (SELECT page_id FROM categories WHERE name = ?)"
        values.append(category)
    else:
        where += " AND pages.id NOT IN (SELECT page_id FROM redirects)"
    if asked["prefix"]:
        where, values = f"{where} AND pages.title LIKE ?", [*values, f"{asked['prefix']}%"]
    total = number(visit.db, f"SELECT count(*) FROM pages WHERE {where}", *values)  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 40, asked)
    sql = f"{PAGES} WHERE {where} ORDER BY {SORTS[asked['sort']][1]} LIMIT ? OFFSET ?"
    found = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    return visit.render("pages.html", heading=heading, pages=found, pager=pager, asked=asked, sorts=SORTS)


def categories(visit: Visit) -> Response:
    """All categories with their numbers of pages."""
    sql = "SELECT name, count(*) AS pages FROM categories GROUP BY name ORDER BY name"
    return visit.render("categories.html", categories=visit.db.execute(sql).fetchall())


def search(visit: Visit) -> Response:
    """Pages that have all words, those with the words in their title first."""
    asked = visit.query.get("q", "").strip()
    words = match_words(asked)
    results: list[sqlite3.Row] = []
    pager = Pager(0)
    if words:
        sql = "SELECT count(*) FROM search WHERE search MATCH ?"
        pager = Pager(number(visit.db, sql, words), page_number(visit.query), 15, {"q": asked})
        sql = """
            SELECT title, snippet(search, 1, '', '', ' … ', 28) AS excerpt FROM search WHERE search MATCH ?
            ORDER BY lower(title) = lower(?) DESC, bm25(search, 8, 1), title LIMIT ? OFFSET ?
        """
        results = visit.db.execute(sql, (words, asked, pager.size, pager.offset)).fetchall()
    can_create = bool(asked) and title_problem(asked) is None and not exists(visit.db, asked)
    return visit.render("search.html", asked=asked, results=results, pager=pager, can_create=can_create)


def _categories(visit: Visit, page_id: int) -> list[str]:
    sql = "SELECT name FROM categories WHERE page_id = ? ORDER BY rowid"
    return [row["name"] for row in visit.db.execute(sql, (page_id,))]
