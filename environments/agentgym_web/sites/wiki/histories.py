"""Histories: the revisions of a page, what differs between two, recent changes, and what an editor contributed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from markupsafe import Markup, escape
from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.wiki.lookup import REVISIONS, exists, find_page, is_admin, refusal, wanted_title
from agentgym_web.sites.wiki.markup import path_of, show
from agentgym_web.sites.wiki.reading import about


def history(visit: Visit) -> Response:
    """The revisions of a page, the latest first."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    sql = f"{REVISIONS} WHERE revisions.page_id = ? ORDER BY revisions.number DESC"
    revisions = visit.db.execute(sql, (visit.user, page["id"])).fetchall()
    can_restore = visit.user is not None and refusal(visit, page) is None
    shown = about(visit, page, "history")
    return visit.render("history.html", page=page, revisions=revisions, can_restore=can_restore, **shown)


def revision(visit: Visit) -> Response:
    """A page as it was."""
    found = one(visit.db, f"{REVISIONS} WHERE revisions.id = ?", visit.user, visit.path["id"])
    if found is None or found["is_deleted"]:
        return visit.not_found("There is no such revision.")
    shown = show(found["body"], lambda other: exists(visit.db, other))
    return visit.render("revision.html", revision=found, shown=shown)


def compare(visit: Visit) -> Response:
    """What differs between two revisions of a page, by default the latest two."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    new = _number(visit.query.get("to"), page["revisions"])
    old = _number(visit.query.get("from"), max(new - 1, 1))
    sql = f"{REVISIONS} WHERE revisions.page_id = ? AND revisions.number = ?"
    before = one(visit.db, sql, visit.user, page["id"], old)
    after = one(visit.db, sql, visit.user, page["id"], new)
    if before is None or after is None:
        return visit.not_found("There is no such revision.")
    lines = changed_lines(before["body"], after["body"]) if old != new else changed_lines("", after["body"])
    return visit.render(
        "compare.html", page=page, before=before, after=after, lines=lines, **about(visit, page, "history")
    )


def recent(visit: Visit) -> Response:
    """The latest changes to all pages."""
    asked = {"user": visit.query.get("user", "").strip(), "show": visit.query.get("show", "")}
    where, values = "pages.is_deleted = 0", list[str]()
    if asked["user"]:
        where, values = f"{where} AND revisions.author = ?", [*values, asked["user"]]
    if asked["show"] == "unreviewed":
        where = f"{where} AND revisions.reviewed_by IS NULL"
    sql = f"SELECT count(*) FROM revisions JOIN pages ON pages.id = page_id WHERE {where}"  # noqa: S608 - our own names
    pager = Pager(number(visit.db, sql, *values), page_number(visit.query), 25, asked)
    sql = f"{REVISIONS} WHERE {where} ORDER BY revisions.created DESC, revisions.id DESC LIMIT ? OFFSET ?"
    revisions = visit.db.execute(sql, [visit.user, *values, pager.size, pager.offset]).fetchall()
    return visit.render("recent.html", revisions=revisions, pager=pager, asked=asked)


def user(visit: Visit) -> Response:
    """An editor, and what they contributed, the latest first."""
    name = str(visit.path["name"]).replace("_", " ")
    found = one(visit.db, "SELECT * FROM users WHERE replace(name, '_', ' ') = ?", name)
    if found is None:
        return visit.not_found("There is no such editor.")
    total = number(visit.db, "SELECT count(*) FROM revisions WHERE author = ?", found["name"])
    pager = Pager(total, page_number(visit.query), 25)
    sql = f"{REVISIONS} WHERE revisions.author = ? ORDER BY revisions.created DESC, revisions.id DESC LIMIT ? OFFSET ?"
    revisions = visit.db.execute(sql, (visit.user, found["name"], pager.size, pager.offset)).fetchall()
    sql = "SELECT count(*) FROM thanks JOIN revisions ON revisions.id = revision_id WHERE author = ?"
    num_thanks = number(visit.db, sql, found["name"])
    num_pages = number(visit.db, "SELECT count(*) FROM revisions WHERE author = ? AND number = 1", found["name"])
    block = one(visit.db, "SELECT * FROM blocks WHERE user = ?", found["name"])
    return visit.render(
        "user.html",
        editor=found,
        revisions=revisions,
        pager=pager,
        num_thanks=num_thanks,
        num_pages=num_pages,
        block=block,
        is_admin=is_admin(visit),
    )


def users(visit: Visit) -> Response:
    """The editors as a table."""
    sql = """
        SELECT users.*, (SELECT count(*) FROM revisions WHERE author = name) AS edits,
            (SELECT count(*) FROM revisions WHERE author = name AND number = 1) AS begun,
            (SELECT count(*) FROM thanks JOIN revisions ON revisions.id = revision_id WHERE author = name) AS thanks
        FROM users ORDER BY users.name COLLATE NOCASE
    """
    return visit.render("users.html", editors=visit.db.execute(sql).fetchall())


def thank(visit: Visit) -> Response:
    """Thank the author of a revision."""
    found = one(visit.db, f"{REVISIONS} WHERE revisions.id = ?", visit.user, visit.path["id"])
    if found is None:
        return visit.not_found("There is no such revision.")
    if found["author"] == visit.user:
        return visit.forbidden("Nobody thanks themselves.")
    visit.db.execute("INSERT OR IGNORE INTO thanks VALUES (?, ?)", (visit.user, found["id"]))
    visit.flash(f"You have thanked {found['author']}.")
    return visit.redirect(path_of(found["title"], "history"))


def review(visit: Visit) -> Response:
    """Mark a revision as reviewed."""
    found = one(visit.db, f"{REVISIONS} WHERE revisions.id = ?", visit.user, visit.path["id"])
    if found is None or found["reviewed_by"] is not None:
        return visit.not_found("There is no such revision to review.")
    if found["author"] == visit.user:
        return visit.forbidden("Nobody reviews edits of their own.")
    visit.db.execute("UPDATE revisions SET reviewed_by = ? WHERE id = ?", (visit.user, found["id"]))
    visit.flash(f"Revision {found['number']} of {found['title']} is marked as reviewed.")
    return visit.redirect("/recent?show=unreviewed")


def changed_lines(before: str, after: str) -> list[tuple[Markup, Markup]]:
    """Lines that differ, as HTML, with the words that went and those that came marked."""
    old, new = before.split("\n"), after.split("\n")
    found = []
    for kind, begin, end, start, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            left, right = old[begin:end], new[start:stop]
            for index in range(max(len(left), len(right))):
                pair = (left[index] if index < len(left) else "", right[index] if index < len(right) else "")
                if any(pair):
                    found.append(_marked(*pair))
    return found


def _marked(before: str, after: str) -> tuple[Markup, Markup]:
    old, new = re.findall(r"\s+|\S+", before), re.findall(r"\s+|\S+", after)
    left, right = Markup(""), Markup("")
    for kind, begin, end, start, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = escape("".join(old[begin:end])), escape("".join(new[start:stop]))
        if kind == "equal":
            left, right = left + gone, right + come
        else:
            left += Markup("<del>{}</del>").format(gone) if gone else ""
            right += Markup("<ins>{}</ins>").format(come) if come else ""
    return left, right


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else default
