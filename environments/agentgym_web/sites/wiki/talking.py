"""Talk pages: topics about a page, comments on them, and whether they are settled."""

from __future__ import annotations

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.queries import one
from agentgym_web.sites.wiki.lookup import find_page, refusal, wanted_title
from agentgym_web.sites.wiki.markup import path_of
from agentgym_web.sites.wiki.reading import about

MAX_COMMENT = 2000


def talk(visit: Visit) -> Response:
    """The topics of a page, and a form for another one."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    return _show(visit, page["title"], {}, {"title": "", "body": ""})


def begin(visit: Visit) -> Response:
    """Begin a topic."""
    page = find_page(visit.db, wanted_title(visit))
    if page is None:
        return visit.not_found("There is no page of this title.")
    why_not = refusal(visit, None)
    if why_not:
        return visit.forbidden(why_not)
    written = {name: visit.text(name) for name in ("title", "body")}
    problems = {}
    if not 2 <= len(written["title"]) <= 80:
        problems["title"] = "A title has 2 to 80 characters."
    if not 1 <= len(written["body"]) <= MAX_COMMENT:
        problems["body"] = f"A comment has 1 to {MAX_COMMENT:,} characters."
    if problems:
        return _show(visit, page["title"], problems, written)
    sql = "INSERT INTO topics (page_id, title) VALUES (?, ?) RETURNING id"
    topic_id = visit.db.execute(sql, (page["id"], written["title"])).fetchone()["id"]
    _comment(visit, topic_id, written["body"])
    visit.flash("Topic added.")
    return visit.redirect(path_of(page["title"], "talk"))


def answer(visit: Visit) -> Response:
    """Comment on a topic, or settle it, or open it again."""
    sql = "SELECT topics.*, pages.title AS page FROM topics JOIN pages ON pages.id = page_id WHERE topics.id = ?"
    topic = one(visit.db, sql, visit.path["id"])
    if topic is None:
        return visit.not_found("There is no such topic.")
    why_not = refusal(visit, None)
    if why_not:
        return visit.forbidden(why_not)
    if visit.text("what") == "settle":
        visit.db.execute("UPDATE topics SET is_settled = 1 - is_settled WHERE id = ?", (topic["id"],))
        visit.flash("Topic opened again." if topic["is_settled"] else "Topic settled.")
        return visit.redirect(path_of(topic["page"], "talk"))
    if topic["is_settled"]:
        return visit.forbidden("This topic is settled. Open it again before you comment on it.")
    body = visit.text("body")
    if not 1 <= len(body) <= MAX_COMMENT:
        visit.flash(f"A comment has 1 to {MAX_COMMENT:,} characters.")
    else:
        _comment(visit, topic["id"], body)
        visit.flash("Comment added.")
    return visit.redirect(path_of(topic["page"], "talk"))


def _comment(visit: Visit, topic_id: int, body: str) -> None:
    sql = "INSERT INTO comments (topic_id, author, body, created) VALUES (?, ?, ?, ?)"
    visit.db.execute(sql, (topic_id, visit.user, body, visit.stamp))


def _show(visit: Visit, title: str, problems: dict[str, str], written: dict[str, str]) -> Response:
    page = find_page(visit.db, title)
    assert page is not None
    topics = visit.db.execute("SELECT * FROM topics WHERE page_id = ? ORDER BY id", (page["id"],)).fetchall()
    sql = "SELECT * FROM comments WHERE topic_id = ? ORDER BY id"
    told = [(topic, visit.db.execute(sql, (topic["id"],)).fetchall()) for topic in topics]
    return visit.render(
        "talk.html",
        422 if problems else 200,
        page=page,
        topics=told,
        problems=problems,
        written=written,
        **about(visit, page, "talk"),
    )
