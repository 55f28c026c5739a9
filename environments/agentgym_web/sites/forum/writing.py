"""What members write: threads, drafts, replies, edits, votes, polls, accepted answers and reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.forum.lookup import MAX_BODY, MAX_TITLE, POSTS, TAGS, find_thread, is_banned, post_path
from agentgym_web.sites.forum.reading import show_thread

REASONS = ("advertising", "insult", "off topic", "dangerous advice")


def new_thread(visit: Visit) -> Response:
    """The form of a new thread, and what it sends: publish it, or keep it as a draft."""
    board = one(visit.db, "SELECT * FROM boards WHERE slug = ?", visit.path["slug"])
    if board is None:
        return visit.not_found("There is no such board.")
    if is_banned(visit):
        return visit.forbidden("You are banned and cannot write at present.")
    written = {name: visit.text(name) for name in ("title", "tag", "body")}
    if visit.request.method == "GET":
        return visit.render("write_thread.html", board=board, written=written, problems={}, tags=TAGS, draft=None)
    problems = _thread_problems(written)
    if problems:
        shown = {"board": board, "written": written, "problems": problems, "tags": TAGS, "draft": None}
        return visit.render("write_thread.html", status=422, **shown)
    if visit.text("what") == "draft":
        sql = "INSERT INTO drafts (user, board_id, title, tag, body, saved) VALUES (?, ?, ?, ?, ?, ?)"
        visit.db.execute(sql, (visit.user, board["id"], *_values(written), visit.stamp))
        visit.flash("Draft saved.")
        return visit.redirect("/drafts")
    return _publish(visit, board["id"], written)


def drafts(visit: Visit) -> Response:
    """The visitor's drafts."""
    sql = "SELECT drafts.*, boards.name AS board FROM drafts JOIN boards ON boards.id = board_id WHERE user = ?"
    found = visit.db.execute(f"{sql} ORDER BY saved DESC", (visit.user,)).fetchall()
    return visit.render("drafts.html", drafts=found)


def draft(visit: Visit) -> Response:
    """The form of a draft, and what it sends: save, publish or discard it."""
    found = one(visit.db, "SELECT * FROM drafts WHERE id = ?", visit.path["id"])
    if found is None:
        return visit.not_found("There is no such draft.")
    if found["user"] != visit.user:
        return visit.forbidden("This draft is not yours.")
    board = one(visit.db, "SELECT * FROM boards WHERE id = ?", found["board_id"])
    written: Mapping[str, str] = {name: found[name] for name in ("title", "tag", "body")}
    if visit.request.method == "GET":
        return visit.render("write_thread.html", board=board, written=written, problems={}, tags=TAGS, draft=found)
    if visit.text("what") == "discard":
        visit.db.execute("DELETE FROM drafts WHERE id = ?", (found["id"],))
        visit.flash("Draft discarded.")
        return visit.redirect("/drafts")
    written = {name: visit.text(name) for name in ("title", "tag", "body")}
    problems = _thread_problems(written)
    if problems:
        shown = {"board": board, "written": written, "problems": problems, "tags": TAGS, "draft": found}
        return visit.render("write_thread.html", status=422, **shown)
    if visit.text("what") == "publish":
        if is_banned(visit):
            return visit.forbidden("You are banned and cannot write at present.")
        visit.db.execute("DELETE FROM drafts WHERE id = ?", (found["id"],))
        return _publish(visit, found["board_id"], written)
    sql = "UPDATE drafts SET title = ?, tag = ?, body = ?, saved = ? WHERE id = ?"
    visit.db.execute(sql, (*_values(written), visit.stamp, found["id"]))
    visit.flash("Draft saved.")
    return visit.redirect("/drafts")


def reply(visit: Visit) -> Response:
    """Add a post to a thread."""
    thread = find_thread(visit, visit.path["id"])
    if thread is None:
        return visit.not_found("There is no such thread.")
    if thread["is_locked"]:
        return visit.forbidden("This thread is locked. Nobody can reply to it.")
    if is_banned(visit):
        return visit.forbidden("You are banned and cannot write at present.")
    body = visit.text("body")
    problem = _body_problem(body)
    if problem:
        return show_thread(visit, thread["id"], problems={"body": problem}, body=body, status=422)
    last = number(visit.db, "SELECT max(number) FROM posts WHERE thread_id = ?", thread["id"])
    sql = "INSERT INTO posts (thread_id, number, author, body, created) VALUES (?, ?, ?, ?, ?) RETURNING *"
    post = visit.db.execute(sql, (thread["id"], last + 1, visit.user, body, visit.stamp)).fetchone()
    visit.flash("Reply posted.")
    return visit.redirect(post_path(visit.db, post))


def edit(visit: Visit) -> Response:
    """The form of a post of one's own, and what it sends."""
    post = _post(visit)
    if post is None:
        return visit.not_found("There is no such post.")
    if post["author"] != visit.user:
        return visit.forbidden("Only its author can edit a post.")
    if _is_locked(visit, post):
        return visit.forbidden("This thread is locked. Its posts cannot be edited.")
    if visit.request.method == "GET":
        return visit.render("edit.html", post=post, body=post["body"], problems={})
    body = visit.text("body")
    problem = _body_problem(body)
    if problem:
        return visit.render("edit.html", status=422, post=post, body=body, problems={"body": problem})
    visit.db.execute("UPDATE posts SET body = ?, edited = ? WHERE id = ?", (body, visit.stamp, post["id"]))
    visit.flash("Post changed.")
    return visit.redirect(post_path(visit.db, post))


def delete(visit: Visit) -> Response:
    """Ask whether to delete a reply of one's own, and delete it."""
    post = _post(visit)
    if post is None:
        return visit.not_found("There is no such post.")
    if post["author"] != visit.user:
        return visit.forbidden("Only its author can delete a post.")
    if post["number"] == 1 or _is_locked(visit, post):
        return visit.forbidden("Opening posts and posts of locked threads cannot be deleted.")
    if visit.request.method == "GET":
        return visit.render("delete.html", post=post)
    visit.db.execute("UPDATE threads SET answer_id = NULL WHERE answer_id = ?", (post["id"],))
    visit.db.execute("DELETE FROM votes WHERE post_id = ?", (post["id"],))
    visit.db.execute("DELETE FROM reports WHERE post_id = ?", (post["id"],))
    visit.db.execute("DELETE FROM posts WHERE id = ?", (post["id"],))
    visit.flash("Post deleted.")
    return visit.redirect(f"/t/{post['thread_id']}")


def vote(visit: Visit) -> Response:
    """Vote for or against a post; the same vote again takes it back."""
    post = _post(visit)
    if post is None or visit.text("value") not in ("1", "-1"):
        return visit.not_found("There is no such post.")
    if post["author"] == visit.user:
        return visit.forbidden("Nobody votes on posts of their own.")
    value = int(visit.text("value"))
    if post["my_vote"] == value:
        visit.db.execute("DELETE FROM votes WHERE post_id = ? AND user = ?", (post["id"], visit.user))
    else:
        sql = "INSERT INTO votes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        visit.db.execute(sql, (post["id"], visit.user, value))
    return visit.redirect(post_path(visit.db, post))


def accept(visit: Visit) -> Response:
    """Accept a reply as the answer to one's own question, or take that back."""
    post = _post(visit)
    if post is None or post["number"] == 1:
        return visit.not_found("There is no such reply.")
    thread = one(visit.db, "SELECT * FROM threads WHERE id = ?", post["thread_id"])
    if thread is None or thread["author"] != visit.user:
        return visit.forbidden("Only the author of the question can accept an answer.")
    chosen = None if thread["answer_id"] == post["id"] else post["id"]
    visit.db.execute("UPDATE threads SET answer_id = ? WHERE id = ?", (chosen, thread["id"]))
    visit.flash("Answer accepted." if chosen else "The answer is no longer accepted.")
    return visit.redirect(post_path(visit.db, post))


def report(visit: Visit) -> Response:
    """The form of a report, and what it sends."""
    post = _post(visit)
    if post is None:
        return visit.not_found("There is no such post.")
    reason, note = visit.text("reason"), visit.text("note")
    if visit.request.method == "GET":
        return visit.render("report.html", post=post, reasons=REASONS, problems={})
    if reason not in REASONS:
        problems = {"reason": "Choose a reason."}
        return visit.render("report.html", status=422, post=post, reasons=REASONS, problems=problems)
    sql = "SELECT 1 FROM reports WHERE post_id = ? AND reporter = ? AND status = 'open'"
    if one(visit.db, sql, post["id"], visit.user):
        return visit.forbidden("You have reported this post already.")
    sql = "INSERT INTO reports (post_id, reporter, reason, note, created) VALUES (?, ?, ?, ?, ?)"
    visit.db.execute(sql, (post["id"], visit.user, reason, note[:500], visit.stamp))
    visit.flash("Thank you. The moderators will look at it.")
    return visit.redirect(post_path(visit.db, post))


def vote_in_poll(visit: Visit) -> Response:
    """Vote in a poll, or change one's vote."""
    poll = one(visit.db, "SELECT * FROM polls WHERE thread_id = ?", visit.path["id"])
    if poll is None:
        return visit.not_found("There is no such poll.")
    if poll["is_closed"]:
        return visit.forbidden("This poll is closed.")
    sql = "SELECT id FROM poll_options WHERE poll_id = ? AND id = CAST(? AS INTEGER)"
    option = one(visit.db, sql, poll["id"], visit.text("option"))
    if option is None:
        visit.flash("Choose one of the answers first.")
        return visit.redirect(f"/t/{poll['thread_id']}")
    sql = "INSERT INTO poll_votes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET option_id = excluded.option_id"
    visit.db.execute(sql, (poll["id"], visit.user, option["id"]))
    visit.flash("Your vote has been counted.")
    return visit.redirect(f"/t/{poll['thread_id']}")


def _publish(visit: Visit, board_id: int, written: Mapping[str, str]) -> Response:
    sql = "INSERT INTO threads (board_id, author, title, tag, created) VALUES (?, ?, ?, ?, ?) RETURNING id"
    values = (board_id, visit.user, written["title"], written["tag"], visit.stamp)
    thread_id = visit.db.execute(sql, values).fetchone()["id"]
    sql = "INSERT INTO posts (thread_id, number, author, body, created) VALUES (?, 1, ?, ?, ?)"
    visit.db.execute(sql, (thread_id, visit.user, written["body"], visit.stamp))
    visit.flash("Thread published.")
    return visit.redirect(f"/t/{thread_id}")


def _values(written: Mapping[str, str]) -> tuple[str, str, str]:
    return written["title"], written["tag"], written["body"]


def _thread_problems(written: Mapping[str, str]) -> dict[str, str]:
    problems = {}
    if not 5 <= len(written["title"]) <= MAX_TITLE:
        problems["title"] = f"A title has 5 to {MAX_TITLE} characters."
    if written["tag"] not in TAGS:
        problems["tag"] = "Choose a tag."
    problem = _body_problem(written["body"])
    return {**problems, "body": problem} if problem else problems


def _body_problem(body: str) -> str | None:
    if not body:
        return "Write something first."
    return f"At most {MAX_BODY:,} characters; these are {len(body):,}." if len(body) > MAX_BODY else None


def _post(visit: Visit) -> sqlite3.Row | None:
    post = one(visit.db, f"{POSTS} WHERE posts.id = ? AND is_removed = 0", visit.user, visit.path["id"])
    return post if post is not None and find_thread(visit, post["thread_id"]) is not None else None


def _is_locked(visit: Visit, post: sqlite3.Row) -> bool:
    return bool(number(visit.db, "SELECT is_locked FROM threads WHERE id = ?", post["thread_id"]))
