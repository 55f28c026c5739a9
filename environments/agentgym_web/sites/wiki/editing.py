"""What editors change: texts, sections, categories, titles and earlier revisions."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.queries import number, one
from agentgym_web.sites.wiki.derived import derive
from agentgym_web.sites.wiki.lookup import MAX_BODY, exists, find_page, log, refusal, title_problem, wanted_title
from agentgym_web.sites.wiki.markup import categories_in, path_of, sections_of, show, with_categories


def edit(visit: Visit) -> Response:
    """The form of a page or of one of its sections, and what it sends; a page that does not exist is begun."""
    title = wanted_title(visit)
    page = find_page(visit.db, title)
    problem = title_problem(title) if page is None else None
    if problem:
        return visit.render("error.html", status=422, heading="No such title", text=problem)
    why_not = refusal(visit, page)
    if why_not:
        return visit.forbidden(why_not)
    section = visit.query.get("section", "")
    sections = sections_of(page["body"]) if page else []
    is_part = section.isascii() and section.isdigit() and int(section[:4]) < len(sections)
    if section and not is_part:
        return visit.not_found("There is no such section.")
    part = int(section) if is_part else None
    current = "" if page is None else page["body"] if part is None else sections[part][1]
    if visit.request.method == "GET":
        return _show_form(visit, title, page, current.strip(), part)
    text, comment = visit.text("body"), visit.text("comment")
    problems = _problems(text, comment)
    if problems or visit.text("what") == "preview":
        return _show_form(visit, title, page, text, part, problems)
    body = text if part is None else _joined(sections, part, text)
    if page is not None and body == page["body"].strip():
        visit.flash("Nothing was changed.")
        return visit.redirect(path_of(title))
    page_id = page["id"] if page else begin_page(visit, title)
    save(visit, page_id, body, comment, is_minor=bool(visit.text("minor")))
    visit.flash("Page saved." if page else "Page created.")
    return visit.redirect(path_of(title))


def categories(visit: Visit) -> Response:
    """The form of a page's categories, and what it sends: one more, or one less."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    why_not = refusal(visit, page)
    if why_not:
        return visit.forbidden(why_not)
    here = categories_in(page["body"])
    if visit.request.method == "GET":
        return visit.render("edit_categories.html", page=page, names=here, written="", problem="")
    gone, new = visit.text("remove"), visit.text("name")
    if gone in here:
        here = [name for name in here if name != gone]
        comment = f"Remove category {gone}"
    else:
        problem = title_problem(new) or ("The page is in this category already." if new in here else "")
        if problem:
            return visit.render("edit_categories.html", status=422, page=page, names=here, written=new, problem=problem)
        here, comment = [*here, new], f"Add category {new}"
    save(visit, page["id"], with_categories(page["body"], here), comment, is_minor=True)
    visit.flash("Categories changed.")
    return visit.redirect(path_of(page["title"], "edit_categories"))


def restore(visit: Visit) -> Response:
    """Make an earlier revision the latest again."""
    sql = "SELECT revisions.*, title FROM revisions JOIN pages ON pages.id = page_id WHERE revisions.id = ?"
    found = one(visit.db, sql, visit.path["id"])
    page = find_page(visit.db, found["title"]) if found else None
    if found is None or page is None:
        return visit.not_found("There is no such revision.")
    why_not = refusal(visit, page)
    if why_not:
        return visit.forbidden(why_not)
    if found["id"] == page["revision_id"]:
        return visit.forbidden("This is the latest revision already.")
    comment = f"Restore revision {found['number']} by {found['author']}"
    save(visit, page["id"], found["body"], comment, restores=found["number"])
    visit.flash(f"Revision {found['number']} is restored.")
    return visit.redirect(path_of(page["title"]))


def move(visit: Visit) -> Response:
    """The form that renames a page, and what it sends."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    why_not = refusal(visit, page)
    if why_not:
        return visit.forbidden(why_not)
    if visit.request.method == "GET":
        return visit.render("move.html", page=page, written=page["title"], problem="")
    title = visit.text("title")
    problem = title_problem(title) or ("There is a page of this title already." if exists(visit.db, title) else "")
    if problem:
        return visit.render("move.html", status=422, page=page, written=title, problem=problem)
    visit.db.execute("UPDATE pages SET title = ? WHERE id = ?", (title, page["id"]))
    derive(visit.db, page["id"], page["body"])
    if visit.text("redirect"):
        save(visit, begin_page(visit, page["title"]), f"#REDIRECT [[{title}]]", f"Moved to {title}")
    log(visit, "moved page", f"{page['title']} to {title}")
    visit.flash(f"The page is now called {title}.")
    return visit.redirect(path_of(title))


def begin_page(visit: Visit, title: str) -> int:
    """The id of a new page, or of a deleted one of this title, which comes back."""
    sql = "INSERT INTO pages (title) VALUES (?) ON CONFLICT (title) DO UPDATE SET is_deleted = 0 RETURNING id"
    page_id: int = visit.db.execute(sql, (title,)).fetchone()["id"]
    return page_id


def save(
    visit: Visit, page_id: int, body: str, comment: str, *, is_minor: bool = False, restores: int | None = None
) -> None:
    """Add a revision to a page.

    Args:
        visit: The request; who is logged in is the author.
        page_id: The page.
        body: Its whole text.
        comment: What was changed.
        is_minor: Whether it is a small change.
        restores: Number of the revision whose text this is; None for a text of its own.
    """
    last = number(visit.db, "SELECT coalesce(max(number), 0) FROM revisions WHERE page_id = ?", page_id)
    sql = """
        INSERT INTO revisions (page_id, number, author, created, comment, is_minor, restores, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
    values = (page_id, last + 1, visit.user, visit.stamp, comment, int(is_minor), restores, body)
    visit.db.execute(sql, values)
    derive(visit.db, page_id, body)


def _show_form(
    visit: Visit,
    title: str,
    page: sqlite3.Row | None,
    body: str,
    part: int | None,
    problems: dict[str, str] | None = None,
) -> Response:
    is_preview = visit.text("what") == "preview" and not problems
    return visit.render(
        "edit.html",
        422 if problems else 200,
        title=title,
        page=page,
        body=body,
        part=part,
        comment=visit.text("comment"),
        is_minor=bool(visit.text("minor")),
        problems=problems or {},
        preview=show(body, lambda other: exists(visit.db, other)) if is_preview else None,
    )


def _problems(text: str, comment: str) -> dict[str, str]:
    problems = {}
    if not text:
        problems["body"] = "A page needs a text."
    elif len(text) > MAX_BODY:
        problems["body"] = f"At most {MAX_BODY:,} characters; these are {len(text):,}."
    if len(comment) > 200:
        problems["comment"] = "At most 200 characters."
    return problems


def _joined(sections: list[tuple[str, str]], part: int, text: str) -> str:
    texts = [text if index == part else section for index, (_, section) in enumerate(sections)]
    return "\n\n".join(piece.strip() for piece in texts if piece.strip())
