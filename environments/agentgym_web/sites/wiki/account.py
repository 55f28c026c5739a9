"""What is an editor's own, and what administrators do: watch list, protection, deletion, blocks and the log."""

from __future__ import annotations

from starlette.responses import Response

from agentgym_web.sites.core.page import Handler, Visit, only_for
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.wiki.derived import forget
from agentgym_web.sites.wiki.lookup import PAGES, find_page, is_admin, log, wanted_title
from agentgym_web.sites.wiki.markup import path_of

BLOCK_DAYS = (("7", "7 days"), ("30", "30 days"), ("365", "365 days"), ("", "For good"))


def for_admins(handler: Handler) -> Handler:
    """Refuse everybody else."""
    return only_for(is_admin, "Only administrators can do this.", handler)


def watch_list(visit: Visit) -> Response:
    """The pages that the visitor watches."""
    watched = "pages.id IN (SELECT page_id FROM watches WHERE user = ?)"
    sql = f"{PAGES} WHERE is_deleted = 0 AND {watched} ORDER BY title"
    return visit.render("watch_list.html", pages=visit.db.execute(sql, (visit.user,)).fetchall())


def watch(visit: Visit) -> Response:
    """Watch a page, or no longer."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    sql = "DELETE FROM watches WHERE user = ? AND page_id = ?"
    if visit.db.execute(sql, (visit.user, page["id"])).rowcount == 0:
        visit.db.execute("INSERT INTO watches VALUES (?, ?)", (visit.user, page["id"]))
        visit.flash(f"You watch {page['title']}.")
    else:
        visit.flash(f"You no longer watch {page['title']}.")
    return visit.redirect("/watch_list" if visit.query.get("from") == "list" else path_of(page["title"]))


def protect(visit: Visit) -> Response:
    """Protect a page, or no longer."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    visit.db.execute("UPDATE pages SET is_protected = 1 - is_protected WHERE id = ?", (page["id"],))
    log(visit, "unprotected page" if page["is_protected"] else "protected page", page["title"])
    visit.flash("The page is no longer protected." if page["is_protected"] else "The page is protected.")
    return visit.redirect(path_of(page["title"]))


def delete(visit: Visit) -> Response:
    """Ask whether to delete a page, and delete it."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    if visit.request.method == "GET":
        return visit.render("delete.html", page=page)
    visit.db.execute("UPDATE pages SET is_deleted = 1 WHERE id = ?", (page["id"],))
    forget(visit.db, page["id"])
    log(visit, "deleted page", page["title"])
    visit.flash(f"{page['title']} is deleted.")
    return visit.redirect("/pages")


def blocks(visit: Visit) -> Response:
    """The blocks, and a form for another one."""
    return _show_blocks(visit, {"user": visit.query.get("user", ""), "days": "7", "reason": ""}, {})


def block(visit: Visit) -> Response:
    """Block an editor."""
    written = {name: visit.text(name) for name in ("user", "days", "reason")}
    problems = {}
    other = one(visit.db, "SELECT * FROM users WHERE name = ?", written["user"])
    if other is None:
        problems["user"] = "There is no editor of that name."
    elif other["role"] == "admin":
        problems["user"] = "Administrators cannot be blocked."
    elif one(visit.db, "SELECT 1 FROM blocks WHERE user = ?", other["name"]):
        problems["user"] = "This editor is blocked already."
    if written["days"] not in dict(BLOCK_DAYS):
        problems["days"] = "Choose how long."
    if not 3 <= len(written["reason"]) <= 200:
        problems["reason"] = "Give a reason of 3 to 200 characters."
    if problems:
        return _show_blocks(visit, written, problems)
    days = int(written["days"]) if written["days"] else None
    values = (written["user"], visit.user, days, written["reason"], visit.stamp)
    visit.db.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", values)
    log(visit, "blocked user", written["user"])
    visit.flash(f"{written['user']} is blocked.")
    return visit.redirect("/blocks")


def lift_block(visit: Visit) -> Response:
    """Lift a block."""
    name = visit.text("user")
    if visit.db.execute("DELETE FROM blocks WHERE user = ?", (name,)).rowcount == 0:
        return visit.not_found("There is no such block.")
    log(visit, "unblocked user", name)
    visit.flash(f"The block of {name} is lifted.")
    return visit.redirect("/blocks")


def show_log(visit: Visit) -> Response:
    """What administrators and movers of pages did."""
    action = visit.query.get("action", "")
    where, values = ("action = ?", [action]) if action else ("1", [])
    total = number(visit.db, f"SELECT count(*) FROM log WHERE {where}", *values)  # noqa: S608 - our own names
    pager = Pager(total, page_number(visit.query), 25, {"action": action})
    sql = f"SELECT * FROM log WHERE {where} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?"  # noqa: S608 - our own names
    entries = visit.db.execute(sql, [*values, pager.size, pager.offset]).fetchall()
    actions = [row[0] for row in visit.db.execute("SELECT DISTINCT action FROM log ORDER BY action")]
    return visit.render("log.html", entries=entries, pager=pager, action=action, actions=actions)


def _show_blocks(visit: Visit, written: dict[str, str], problems: dict[str, str]) -> Response:
    found = visit.db.execute("SELECT * FROM blocks ORDER BY created DESC").fetchall()
    return visit.render(
        "blocks.html",
        422 if problems else 200,
        blocks=found,
        written=written,
        problems=problems,
        lengths=BLOCK_DAYS,
        is_admin=is_admin(visit),
    )
