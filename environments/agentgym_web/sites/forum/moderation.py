"""What moderators do: lock, pin, move and remove threads, remove posts, close reports, ban members, read the log."""

from __future__ import annotations

from datetime import date

from starlette.responses import Response

from agentgym_web.sites.core.page import Handler, Visit, only_for
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.forum.data import ACTIONS
from agentgym_web.sites.forum.lookup import find_thread, is_moderator, post_path
from agentgym_web.sites.forum.writing import REASONS

BAN_DAYS = (("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("", "For good"))


def for_moderators(handler: Handler) -> Handler:
    """Refuse everybody else."""
    return only_for(is_moderator, "Only moderators can do this.", handler)


def change_thread(visit: Visit) -> Response:
    """Lock, pin, move, remove a thread, or undo that."""
    thread = find_thread(visit, visit.path["id"])
    if thread is None:
        return visit.not_found("There is no such thread.")
    what = visit.text("what")
    if what == "move":
        board = one(visit.db, "SELECT * FROM boards WHERE id = CAST(? AS INTEGER)", visit.text("board"))
        if board is None:
            return visit.not_found("There is no such board.")
        visit.db.execute("UPDATE threads SET board_id = ? WHERE id = ?", (board["id"], thread["id"]))
        _log(visit, "moved thread", thread["title"])
        visit.flash(f"Moved to {board['name']}.")
        return visit.redirect(f"/t/{thread['id']}")
    names = {"lock": ("is_locked", "locked"), "pin": ("is_pinned", "pinned"), "remove": ("is_removed", "removed")}
    if what not in names:
        return visit.not_found()
    column, done = names[what]
    visit.db.execute(f"UPDATE threads SET {column} = 1 - {column} WHERE id = ?", (thread["id"],))  # noqa: S608 - our names
    action = f"un{done} thread" if thread[column] else f"{done} thread"
    _log(visit, "restored thread" if action == "unremoved thread" else action, thread["title"])
    visit.flash(f"Done: {'restored thread' if action == 'unremoved thread' else action}.")
    return visit.redirect(f"/t/{thread['id']}")


def lock_ticked(visit: Visit) -> Response:
    """Lock the threads that are ticked on a board."""
    board = one(visit.db, "SELECT * FROM boards WHERE slug = ?", visit.path["slug"])
    if board is None:
        return visit.not_found("There is no such board.")
    num_locked = 0
    for text in visit.many("thread"):
        sql = "UPDATE threads SET is_locked = 1 WHERE id = CAST(? AS INTEGER) AND board_id = ? AND is_locked = 0"
        changed = visit.db.execute(f"{sql} RETURNING title", (text, board["id"])).fetchall()
        for row in changed:
            _log(visit, "locked thread", row["title"])
        num_locked += len(changed)
    visit.flash(f"{num_locked} locked." if num_locked else "Tick threads that are not locked yet first.")
    return visit.redirect(f"/b/{board['slug']}")


def remove_post(visit: Visit) -> Response:
    """Remove a post, or restore it."""
    post = one(visit.db, "SELECT * FROM posts WHERE id = ?", visit.path["id"])
    if post is None:
        return visit.not_found("There is no such post.")
    visit.db.execute("UPDATE posts SET is_removed = 1 - is_removed WHERE id = ?", (post["id"],))
    _log(visit, "restored post" if post["is_removed"] else "removed post", _title_of(visit, post["id"]))
    visit.flash("Post restored." if post["is_removed"] else "Post removed.")
    return visit.redirect(post_path(visit.db, post))


def reports(visit: Visit) -> Response:
    """The reports, the oldest first."""
    asked = {name: visit.query.get(name, "") for name in ("status", "reason", "board")}
    asked["status"] = asked["status"] if asked["status"] in ("open", "upheld", "dismissed") else "open"
    where, values = "status = ?", [asked["status"]]
    if asked["reason"] in REASONS:
        where, values = f"{where} AND reason = ?", [*values, asked["reason"]]
    if asked["board"]:
        where, values = f"{where} AND boards.slug = ?", [*values, asked["board"]]
    joined = """
        FROM reports JOIN posts ON posts.id = post_id JOIN threads ON threads.id = posts.thread_id
        JOIN boards ON boards.id = threads.board_id
    """
    total = number(visit.db, f"SELECT count(*) {joined} WHERE {where}", *values)
    pager = Pager(total, page_number(visit.query), 10, asked)
    sql = f"""
        SELECT reports.*, posts.author, posts.body, posts.number, posts.thread_id, threads.title, boards.name AS board
        {joined} WHERE {where} ORDER BY reports.created, reports.id LIMIT ? OFFSET ?
    """
    found = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    boards = visit.db.execute("SELECT slug, name FROM boards ORDER BY id").fetchall()
    return visit.render("reports.html", reports=found, pager=pager, asked=asked, reasons=REASONS, boards=boards)


def close_report(visit: Visit) -> Response:
    """Uphold a report, which removes the post, or dismiss it."""
    found = one(visit.db, "SELECT * FROM reports WHERE id = ?", visit.path["id"])
    if found is None or found["status"] != "open":
        return visit.not_found("There is no such open report.")
    is_upheld = visit.text("what") == "uphold"
    sql = "UPDATE reports SET status = ?, closed_by = ? WHERE id = ?"
    visit.db.execute(sql, ("upheld" if is_upheld else "dismissed", visit.user, found["id"]))
    if is_upheld:
        visit.db.execute("UPDATE posts SET is_removed = 1 WHERE id = ?", (found["post_id"],))
    _log(visit, "removed post" if is_upheld else "dismissed report", _title_of(visit, found["post_id"]))
    visit.flash(f"Report {found['id']} {'upheld, the post is removed' if is_upheld else 'dismissed'}.")
    return visit.redirect("/mod/reports")


def bans(visit: Visit) -> Response:
    """The bans, and a form for another one."""
    return _show_bans(visit, {"user": visit.query.get("user", ""), "days": "7", "reason": ""}, {})


def ban(visit: Visit) -> Response:
    """Ban a member."""
    written = {name: visit.text(name) for name in ("user", "days", "reason")}
    problems = {}
    other = one(visit.db, "SELECT * FROM users WHERE login = ?", written["user"])
    if other is None:
        problems["user"] = "There is no member of that login."
    elif other["role"] == "moderator":
        problems["user"] = "Moderators cannot be banned."
    elif one(visit.db, "SELECT 1 FROM bans WHERE user = ?", other["login"]):
        problems["user"] = "This member is banned already."
    if written["days"] not in dict(BAN_DAYS):
        problems["days"] = "Choose how long."
    if not 3 <= len(written["reason"]) <= 200:
        problems["reason"] = "Give a reason of 3 to 200 characters."
    if problems:
        return _show_bans(visit, written, problems, 422)
    days = int(written["days"]) if written["days"] else None
    values = (written["user"], visit.user, days, written["reason"], visit.stamp)
    visit.db.execute("INSERT INTO bans VALUES (?, ?, ?, ?, ?)", values)
    _log(visit, "banned member", written["user"])
    visit.flash(f"{written['user']} is banned.")
    return visit.redirect("/mod/bans")


def lift_ban(visit: Visit) -> Response:
    """Lift a ban."""
    login = visit.path["login"]
    if visit.db.execute("DELETE FROM bans WHERE user = ?", (login,)).rowcount == 0:
        return visit.not_found("There is no such ban.")
    _log(visit, "lifted ban", login)
    visit.flash(f"The ban of {login} is lifted.")
    return visit.redirect("/mod/bans")


def log(visit: Visit) -> Response:
    """The log of what moderators did."""
    asked = {name: visit.query.get(name, "") for name in ("moderator", "action", "since", "until")}
    problems = {name: "Write a day as YYYY-MM-DD." for name in ("since", "until") if not _is_day(asked[name])}
    asked |= dict.fromkeys(problems, "")
    where, values = "1", list[str]()
    for name in ("moderator", "action"):
        if asked[name]:
            where, values = f"{where} AND {name} = ?", [*values, asked[name]]
    if asked["since"]:
        where, values = f"{where} AND created >= ?", [*values, asked["since"]]
    if asked["until"]:
        where, values = f"{where} AND created < date(?, '+1 day')", [*values, asked["until"]]
    total = number(visit.db, f"SELECT count(*) FROM moderation_log WHERE {where}", *values)  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 25, asked)
    sql = f"SELECT * FROM moderation_log WHERE {where} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?"  # noqa: S608
    entries = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    found = visit.db.execute("SELECT login FROM users WHERE role = 'moderator' ORDER BY login")
    return visit.render(
        "log.html",
        entries=entries,
        pager=pager,
        asked=asked,
        problems=problems,
        actions=ACTIONS,
        moderators=[row[0] for row in found],
    )


def _show_bans(visit: Visit, written: dict[str, str], problems: dict[str, str], status: int = 200) -> Response:
    found = visit.db.execute("SELECT * FROM bans ORDER BY created DESC").fetchall()
    return visit.render("bans.html", status, bans=found, written=written, problems=problems, lengths=BAN_DAYS)


def _is_day(text: str) -> bool:
    try:
        return not text or date.fromisoformat(text) is not None
    except ValueError:
        return False


def _log(visit: Visit, action: str, subject: str) -> None:
    sql = "INSERT INTO moderation_log (moderator, action, subject, created) VALUES (?, ?, ?, ?)"
    visit.db.execute(sql, (visit.user, action, subject, visit.stamp))


def _title_of(visit: Visit, post_id: int) -> str:
    sql = "SELECT number, title FROM posts JOIN threads ON threads.id = thread_id WHERE posts.id = ?"
    row = one(visit.db, sql, post_id)
    return f"post {row['number']} in {row['title']}" if row else ""
