"""What is a member's own: settings, bookmarks, whom they follow, and messages."""

from __future__ import annotations

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.forum.lookup import MAX_BODY, find_thread, is_banned
from agentgym_web.sites.forum.talk import TOWNS

DIGESTS = ("never", "daily", "weekly")


def settings(visit: Visit) -> Response:
    """The form of the settings, and what it sends."""
    mine = one(visit.db, "SELECT * FROM users WHERE login = ?", visit.user)
    assert mine is not None
    if visit.request.method == "GET":
        return visit.render("settings.html", mine=dict(mine), problems={}, towns=TOWNS, digests=DIGESTS)
    written = {name: visit.text(name) for name in ("name", "town", "bio", "signature", "digest")}
    ticks = {name: int(bool(visit.text(name))) for name in ("shows_town", "takes_messages")}
    problems = {}
    if not 2 <= len(written["name"]) <= 60:
        problems["name"] = "A name has 2 to 60 characters."
    if written["town"] not in TOWNS:
        problems["town"] = "Choose one of the towns."
    if len(written["bio"]) > 400:
        problems["bio"] = "At most 400 characters."
    if len(written["signature"]) > 80:
        problems["signature"] = "At most 80 characters."
    if written["digest"] not in DIGESTS:
        problems["digest"] = "Choose how often."
    if problems:
        shown = {**dict(mine), **written, **ticks}
        return visit.render("settings.html", status=422, mine=shown, problems=problems, towns=TOWNS, digests=DIGESTS)
    sql = "UPDATE users SET name = ?, town = ?, bio = ?, signature = ?, digest = ?, shows_town = ?, takes_messages = ?"
    visit.db.execute(f"{sql} WHERE login = ?", (*written.values(), *ticks.values(), visit.user))
    visit.flash("Settings saved.")
    return visit.redirect("/settings")


def bookmarks(visit: Visit) -> Response:
    """The visitor's bookmarks, and the removal of those that are ticked."""
    if visit.request.method == "POST":
        ticked = [text for text in visit.many("thread") if text.isascii() and text.isdigit()]
        sql = "DELETE FROM bookmarks WHERE user = ? AND thread_id = CAST(? AS INTEGER)"
        num_removed = sum(visit.db.execute(sql, (visit.user, thread_id)).rowcount for thread_id in ticked)
        visit.flash(f"{num_removed} removed." if num_removed else "Tick the bookmarks to remove first.")
        return visit.redirect("/bookmarks")
    sql = """
        SELECT threads.id, threads.title, threads.tag, threads.author, threads.created, threads.is_locked,
            threads.answer_id, boards.name AS board, added,
            (SELECT max(created) FROM posts WHERE posts.thread_id = threads.id) AS last_post
        FROM bookmarks JOIN threads ON threads.id = thread_id JOIN boards ON boards.id = threads.board_id
        WHERE user = ? AND threads.is_removed = 0 ORDER BY added DESC
    """
    return visit.render("bookmarks.html", bookmarks=visit.db.execute(sql, (visit.user,)).fetchall())


def bookmark(visit: Visit) -> Response:
    """Add a thread to the bookmarks, or take it from them."""
    thread = find_thread(visit, visit.path["id"])
    if thread is None:
        return visit.not_found("There is no such thread.")
    sql = "DELETE FROM bookmarks WHERE user = ? AND thread_id = ?"
    if visit.db.execute(sql, (visit.user, thread["id"])).rowcount == 0:
        visit.db.execute("INSERT INTO bookmarks VALUES (?, ?, ?)", (visit.user, thread["id"], visit.stamp))
        visit.flash("Bookmark added.")
    else:
        visit.flash("Bookmark removed.")
    return visit.redirect(f"/t/{thread['id']}")


def following(visit: Visit) -> Response:
    """The members whom the visitor follows."""
    sql = """
        SELECT users.login, users.name, users.joined,
            (SELECT count(*) FROM posts WHERE author = users.login AND is_removed = 0) AS posts
        FROM follows JOIN users ON users.login = followed WHERE user = ? ORDER BY users.login
    """
    return visit.render("following.html", members=visit.db.execute(sql, (visit.user,)).fetchall())


def follow(visit: Visit) -> Response:
    """Follow a member, or no longer."""
    other = one(visit.db, "SELECT login FROM users WHERE login = ?", visit.path["login"])
    if other is None:
        return visit.not_found("There is no such member.")
    if other["login"] == visit.user:
        return visit.forbidden("Nobody follows themselves.")
    sql = "DELETE FROM follows WHERE user = ? AND followed = ?"
    if visit.db.execute(sql, (visit.user, other["login"])).rowcount == 0:
        visit.db.execute("INSERT INTO follows VALUES (?, ?)", (visit.user, other["login"]))
        visit.flash(f"You follow {other['login']}.")
    else:
        visit.flash(f"You no longer follow {other['login']}.")
    return visit.redirect(f"/u/{other['login']}")


def messages(visit: Visit) -> Response:
    """The messages that the visitor got, or sent."""
    is_sent = visit.query.get("box") == "sent"
    column = "sender" if is_sent else "recipient"
    total = number(visit.db, f"SELECT count(*) FROM messages WHERE {column} = ?", visit.user)  # noqa: S608 - our name
    pager = Pager(total, page_number(visit.query), 20, dict(visit.query))
    sql = f"SELECT * FROM messages WHERE {column} = ? ORDER BY sent DESC LIMIT ? OFFSET ?"  # noqa: S608 - our name
    found = visit.db.execute(sql, (visit.user, pager.size, pager.offset)).fetchall()
    return visit.render("messages.html", messages=found, is_sent=is_sent, pager=pager)


def message(visit: Visit) -> Response:
    """A message."""
    found = one(visit.db, "SELECT * FROM messages WHERE id = ?", visit.path["id"])
    if found is None:
        return visit.not_found("There is no such message.")
    if visit.user not in (found["sender"], found["recipient"]):
        return visit.forbidden("This message is not yours.")
    return visit.render("message.html", message=found)


def write_message(visit: Visit) -> Response:
    """The form of a message, and what it sends."""
    if visit.request.method == "GET":
        written = {name: visit.query.get(name, "") for name in ("to", "subject")} | {"body": ""}
        return visit.render("write_message.html", written=written, problems={})
    if is_banned(visit):
        return visit.forbidden("You are banned and cannot write at present.")
    written = {name: visit.text(name) for name in ("to", "subject", "body")}
    problems = {}
    other = one(visit.db, "SELECT * FROM users WHERE login = ?", written["to"])
    if other is None:
        problems["to"] = "There is no member of that login."
    elif other["login"] == visit.user:
        problems["to"] = "Nobody writes to themselves."
    elif not other["takes_messages"]:
        problems["to"] = f"{other['login']} takes no messages."
    if not 1 <= len(written["subject"]) <= 120:
        problems["subject"] = "A subject has 1 to 120 characters."
    if not 1 <= len(written["body"]) <= MAX_BODY:
        problems["body"] = f"A message has 1 to {MAX_BODY:,} characters."
    if problems:
        return visit.render("write_message.html", status=422, written=written, problems=problems)
    sql = "INSERT INTO messages (sender, recipient, subject, body, sent) VALUES (?, ?, ?, ?, ?)"
    visit.db.execute(sql, (visit.user, *written.values(), visit.stamp))
    visit.flash("Message sent.")
    return visit.redirect("/messages?box=sent")
