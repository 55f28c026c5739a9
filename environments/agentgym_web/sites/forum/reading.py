"""Pages to read: the boards, a board, a thread, the search, the members and a member."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import match_words, number, one
from agentgym_web.sites.forum.lookup import (
    MEMBERS,
    POSTS,
    POSTS_PER_PAGE,
    TAGS,
    THREADS,
    find_thread,
    is_banned,
    is_moderator,
)

THREAD_SORTS: Mapping[str, tuple[str, str]] = {
    "active": ("Latest reply", "last_post DESC"),
    "new": ("Newest thread", "threads.created DESC"),
    "old": ("Oldest thread", "threads.created"),
    "replies": ("Most replies", "replies DESC, threads.created"),
    "votes": ("Most votes", "score DESC, threads.created"),
    "title": ("Title", "title"),
}
STATES: Mapping[str, tuple[str, str]] = {
    "": ("Any state", "1"),
    "open": ("Not locked", "is_locked = 0"),
    "locked": ("Locked", "is_locked = 1"),
    "answered": ("With accepted answer", "answer_id IS NOT NULL"),
    "unanswered": ("Without accepted answer", "answer_id IS NULL"),
}
MEMBER_SORTS: Mapping[str, tuple[str, str]] = {
    "name": ("Name", "name"),
    "joined": ("Joined first", "joined"),
    "latest": ("Joined last", "joined DESC"),
    "posts": ("Most posts", "posts DESC, login"),
    "threads": ("Most threads", "threads DESC, login"),
    "reputation": ("Highest reputation", "reputation DESC, login"),
}
RESULT_SORTS: Mapping[str, tuple[str, str]] = {
    "new": ("Newest", "posts.created DESC"),
    "old": ("Oldest", "posts.created"),
    "votes": ("Most votes", "score DESC, posts.created"),
}


def home(visit: Visit) -> Response:
    """All boards by section, and what happened last."""
    sql = """
        SELECT boards.*, count(*) AS threads, sum(replies + 1) AS posts, max(last_post) AS last_post
        FROM boards LEFT JOIN (SELECT id, board_id, is_removed FROM threads) AS mine ON mine.board_id = boards.id
        LEFT JOIN (SELECT thread_id, count(*) - 1 AS replies, max(created) AS last_post FROM posts GROUP BY thread_id)
            ON thread_id = mine.id
        WHERE mine.is_removed = 0 GROUP BY boards.id ORDER BY boards.id
    """
    rows = visit.db.execute(sql).fetchall()
    sections = [(name, list(boards)) for name, boards in groupby(rows, key=lambda row: str(row["section"]))]
    latest = visit.db.execute(f"{THREADS} WHERE is_removed = 0 ORDER BY last_post DESC LIMIT 8").fetchall()
    counts = {table: number(visit.db, f"SELECT count(*) FROM {table}") for table in ("users", "threads", "posts")}  # noqa: S608
    return visit.render("home.html", sections=sections, latest=latest, counts=counts)


def board(visit: Visit) -> Response:
    """The threads of a board, sorted and filtered."""
    found = one(visit.db, "SELECT * FROM boards WHERE slug = ?", visit.path["slug"])
    if found is None:
        return visit.not_found("There is no such board.")
    sort = _choice(visit, "sort", THREAD_SORTS)
    state = _choice(visit, "state", STATES)
    tag = visit.query.get("tag", "")
    where, values = f"board_id = ? AND is_removed = 0 AND {STATES[state][1]}", [found["id"]]
    if tag in TAGS:
        where, values = f"{where} AND tag = ?", [*values, tag]
    total = number(visit.db, f"SELECT count(*) FROM threads WHERE {where}", *values)  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 15, dict(visit.query))
    first = "is_pinned DESC, " if sort == "active" else ""
    order = f"ORDER BY {first}{THREAD_SORTS[sort][1]} LIMIT ? OFFSET ?"
    threads = visit.db.execute(f"{THREADS} WHERE {where} {order}", [*values, pager.size, pager.offset]).fetchall()
    chosen = {"sort": sort, "state": state, "tag": tag}
    return visit.render(
        "board.html",
        board=found,
        threads=threads,
        pager=pager,
        chosen=chosen,
        sorts=THREAD_SORTS,
        states=STATES,
        tags=TAGS,
        is_moderator=is_moderator(visit),
    )


def thread(visit: Visit) -> Response:
    """A page of a thread."""
    return show_thread(visit, visit.path["id"])


def show_thread(visit: Visit, thread_id: int, **values: Any) -> Response:
    """A page of a thread.

    Args:
        visit: The request.
        thread_id: Which thread.
        values: `problems` of a reply that was not taken and its `body`, and `status`.
    """
    found = find_thread(visit, thread_id)
    if found is None:
        return visit.not_found("There is no such thread.")
    pager = Pager(found["replies"] + 1, page_number(visit.query), POSTS_PER_PAGE)
    sql = f"{POSTS} WHERE thread_id = ? ORDER BY number LIMIT ? OFFSET ?"
    posts = visit.db.execute(sql, (visit.user, thread_id, pager.size, pager.offset)).fetchall()
    kept = one(visit.db, "SELECT 1 FROM bookmarks WHERE user = ? AND thread_id = ?", visit.user, thread_id)
    shown = {"problems": {}, "body": _quotation(visit, thread_id), "status": 200, **values}
    return visit.render(
        "thread.html",
        thread=found,
        posts=posts,
        pager=pager,
        poll=_poll(visit, thread_id),
        is_bookmarked=kept is not None,
        is_moderator=is_moderator(visit),
        is_banned=is_banned(visit),
        boards=visit.db.execute("SELECT id, name FROM boards ORDER BY id").fetchall(),
        **shown,
    )


def search(visit: Visit) -> Response:
    """Posts that have all words, by board, author and tag."""
    sort = _choice(visit, "sort", RESULT_SORTS)
    asked = {name: visit.query.get(name, "").strip() for name in ("q", "board", "author", "tag", "kind")}
    asked["sort"] = sort
    where, values = _conditions(asked)
    boards = visit.db.execute("SELECT slug, name FROM boards ORDER BY id").fetchall()
    joined = "JOIN threads ON threads.id = posts.thread_id JOIN boards ON boards.id = threads.board_id"
    results: list[sqlite3.Row] = []
    pager = Pager(0)
    if any(asked[name] for name in ("q", "board", "author", "tag", "kind")):
        total = number(visit.db, f"SELECT count(*) FROM posts {joined} WHERE {where}", *values)  # noqa: S608
        pager = Pager(total, page_number(visit.query), 15, asked)
        sql = f"""
            SELECT posts.*, threads.title, threads.tag, boards.name AS board,
                coalesce((SELECT sum(value) FROM votes WHERE post_id = posts.id), 0) AS score
            FROM posts {joined} WHERE {where} ORDER BY {RESULT_SORTS[sort][1]} LIMIT ? OFFSET ?
        """  # noqa: S608 - our own names
        results = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    return visit.render(
        "search.html", asked=asked, results=results, pager=pager, boards=boards, tags=TAGS, sorts=RESULT_SORTS
    )


def members(visit: Visit) -> Response:
    """The members as a table."""
    sort = _choice(visit, "sort", MEMBER_SORTS)
    name, town, role = (visit.query.get(key, "").strip() for key in ("q", "town", "role"))
    where, values = "1", []
    if name:
        where, values = "(name LIKE ? OR login LIKE ?)", [f"%{name}%", f"%{name}%"]
    if town:
        where, values = f"{where} AND town = ? AND shows_town = 1", [*values, town]
    if role:
        where, values = f"{where} AND role = ?", [*values, role]
    total = number(visit.db, f"SELECT count(*) FROM users WHERE {where}", *values)  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 20, dict(visit.query))
    sql = f"{MEMBERS} WHERE {where} ORDER BY {MEMBER_SORTS[sort][1]} LIMIT ? OFFSET ?"
    found = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    towns = [row[0] for row in visit.db.execute("SELECT DISTINCT town FROM users ORDER BY town")]
    asked = {"q": name, "town": town, "role": role, "sort": sort}
    return visit.render("members.html", members=found, pager=pager, towns=towns, asked=asked, sorts=MEMBER_SORTS)


def member(visit: Visit) -> Response:
    """A member's profile."""
    found = one(visit.db, f"{MEMBERS} WHERE login = ?", visit.path["login"])
    if found is None:
        return visit.not_found("There is no such member.")
    sql = f"{THREADS} WHERE author = ? AND is_removed = 0 ORDER BY threads.created DESC LIMIT 6"
    threads = visit.db.execute(sql, (found["login"],)).fetchall()
    sql = """
        SELECT posts.*, threads.title FROM posts JOIN threads ON threads.id = posts.thread_id
        WHERE posts.author = ? AND posts.is_removed = 0 AND threads.is_removed = 0 ORDER BY posts.created DESC LIMIT 6
    """
    posts = visit.db.execute(sql, (found["login"],)).fetchall()
    follows = one(visit.db, "SELECT 1 FROM follows WHERE user = ? AND followed = ?", visit.user, found["login"])
    ban = one(visit.db, "SELECT * FROM bans WHERE user = ?", found["login"])
    return visit.render(
        "member.html",
        member=found,
        threads=threads,
        posts=posts,
        is_followed=follows is not None,
        num_followers=number(visit.db, "SELECT count(*) FROM follows WHERE followed = ?", found["login"]),
        ban=ban,
        is_moderator=is_moderator(visit),
    )


def _choice(visit: Visit, name: str, options: Mapping[str, Any]) -> str:
    wanted = visit.query.get(name, "")
    return wanted if wanted in options else next(iter(options))


def _conditions(asked: Mapping[str, str]) -> tuple[str, list[str]]:
    where, values = "posts.is_removed = 0 AND threads.is_removed = 0", []
    words = match_words(asked["q"])
    if asked["q"]:
        found = "posts.id IN (SELECT rowid FROM search WHERE search MATCH ?)"
        where, values = f"{where} AND {found}", [words or '""']
    for name, column in (("board", "boards.slug"), ("author", "posts.author"), ("tag", "threads.tag")):
        if asked[name]:
            where, values = f"{where} AND {column} = ?", [*values, asked[name]]
    if asked["kind"] in ("threads", "replies"):
        where = f"{where} AND posts.number {'=' if asked['kind'] == 'threads' else '>'} 1"
    return where, values


def _quotation(visit: Visit, thread_id: int) -> str:
    asked = visit.query.get("quote", "")
    if not (asked.isascii() and asked.isdigit()):
        return ""
    sql = "SELECT author, body FROM posts WHERE thread_id = ? AND number = ? AND is_removed = 0"
    quoted = one(visit.db, sql, thread_id, int(asked[:6]))
    return f"{quoted['author']} wrote: “{quoted['body']}”\n\n" if quoted else ""


def _poll(visit: Visit, thread_id: int) -> Mapping[str, Any] | None:
    poll = one(visit.db, "SELECT * FROM polls WHERE thread_id = ?", thread_id)
    if poll is None:
        return None
    sql = """
        SELECT poll_options.id, text, (SELECT count(*) FROM poll_votes WHERE option_id = poll_options.id) AS votes
        FROM poll_options WHERE poll_id = ? ORDER BY id
    """
    options = visit.db.execute(sql, (poll["id"],)).fetchall()
    mine = one(visit.db, "SELECT option_id FROM poll_votes WHERE poll_id = ? AND user = ?", poll["id"], visit.user)
    total = sum(option["votes"] for option in options)
    return {"poll": poll, "options": options, "mine": mine["option_id"] if mine else None, "total": total}
