"""Tasks around pages: talk, watch lists, thanks, reviews and protection."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step
from agentgym_web.sites.core.draws import choose, literal, literals, require
from agentgym_web.sites.core.row_checks import at_most, count_is, counts_and_milestones, on_the_way
from agentgym_web.sites.wiki.atlas import of_kind
from agentgym_web.sites.wiki.lookup import PAGES, REVISIONS
from agentgym_web.sites.wiki.names import VANDALS
from agentgym_web.sites.wiki.tasks import wording
from agentgym_web.sites.wiki.tasks.drawing import draw_admin, draw_editor, get_page, is_sound, to_page, view


def settle_topic(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Comment on an open topic of a talk page and settle it."""
    topic, title = draw_topic(db, rng)
    text, user = rng.choice(wording.COMMENTS), draw_editor(db, rng)
    return Draft(
        f'On the talk page of "{title}" there is an open topic called "{topic["title"]}". Add exactly this comment to '
        f'it: "{text}" Then mark the topic as settled.',
        user=user,
        checks=settled_checks(topic["id"], user, text),
        touched={"comments": [1, 0, 0], "topics": [0, 1, 0]},
        walkthrough=[*to_page(title), view("Talk", db, title), *settling(topic["title"], text)],
    )


def settled_checks(topic_id: int, user: str, text: str) -> list[Check]:
    """A user has commented on a topic in these words, and it is settled."""
    said = f"topic_id = {topic_id} AND author = {literal(user)} AND body = {literal(text)}"
    settled = f"id = {topic_id} AND is_settled = 1"
    return counts_and_milestones(("comment", "comments", said), ("settled", "topics", settled))


def settling(topic: str, text: str) -> list[Step]:
    """The steps on a talk page that comment on a topic and settle it."""
    return [
        ["fill", "textbox", "Comment", text, {"within": topic}],
        ["click", "button", "Add comment", {"within": topic}],
        ["click", "button", "Mark as settled", {"within": topic}],
    ]


def draw_topic(db: sqlite3.Connection, rng: random.Random) -> tuple[sqlite3.Row, str]:
    """An open topic and the title of its page, which is no redirect."""
    sql = """
        SELECT topics.*, pages.title AS page FROM topics JOIN pages ON pages.id = page_id
        WHERE is_settled = 0 ORDER BY topics.id
    """
    topic = choose(rng, db.execute(sql).fetchall())
    return topic, topic["page"]


def begin_topics(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Begin the same topic on the talk pages of two articles, and watch both."""
    kind = rng.choice(("bridge", "lighthouse", "museum", "settlement"))
    some = [get_page(db, one.title) for one in rng.sample(of_kind(kind), 2)]
    title, text = rng.choice(wording.TOPICS)
    user = draw_editor(db, rng)
    checks, steps = [], list[Step]()
    for page in some:
        topic = f"(SELECT id FROM topics WHERE page_id = {page['id']} AND title = {literal(title)})"  # noqa: S608
        said = f"topic_id IN {topic} AND author = {literal(user)} AND body = {literal(text)}"
        watched = f"user = {literal(user)} AND page_id = {page['id']}"
        require(not db.execute(f"SELECT 1 FROM watches WHERE {watched}").fetchone())  # noqa: S608 - drawn values
        checks += [
            count_is(f"topic on {page['title']}", "comments", said),
            count_is(f"watch {page['title']}", "watches", watched),
            on_the_way(f"topic on {page['title']}", "comments", said),
            on_the_way(f"watch {page['title']}", "watches", watched),
        ]
        steps += [
            *to_page(page["title"]),
            ["click", "button", "Watch"],
            view("Talk", db, page["title"]),
            ["fill", "textbox", "Title", title],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Add topic"],
        ]
    return Draft(
        f'On the talk pages of both "{some[0]["title"]}" and "{some[1]["title"]}", begin a topic with the title '
        f'"{title}" and exactly this text: "{text}" Put both articles on my watch list, so that I see the answers.',
        user=user,
        checks=checks,
        touched={"topics": [2, 0, 0], "comments": [2, 0, 0], "watches": [2, 0, 0]},
        walkthrough=steps,
    )


def watch_works(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Watch everything of a kind that a person made."""
    kind, fact, words = rng.choice(
        (
            ("lighthouse", "architect", "every lighthouse that {} designed"),
            ("bridge", "engineer", "every bridge that {} built"),
            ("novel", "author", "every novel by {}"),
            ("painting", "painter", "every picture by {}"),
            ("ship", "captain", "every ship that {} was captain of"),
        )
    )
    person = choose(rng, of_kind("person"))
    pages = [get_page(db, one.title) for one in of_kind(kind) if one.facts[fact] == person.title]
    user = draw_editor(db, rng)
    require(2 <= len(pages) <= 4)
    mine = f"user = {literal(user)} AND page_id IN {literals([page['id'] for page in pages])}"
    require(not db.execute(f"SELECT 1 FROM watches WHERE {mine}").fetchone())  # noqa: S608 - drawn values
    return Draft(
        f"Put the article on {words.format(person.title)} on my watch list.",
        user=user,
        checks=[
            count_is("all watched", "watches", mine, len(pages)),
            on_the_way("one watched", "watches", mine),
            on_the_way("two watched", "watches", mine, 2),
        ],
        touched={"watches": [len(pages), 0, 0]},
        walkthrough=[step for page in pages for step in (*to_page(page["title"]), ["click", "button", "Watch"])],
    )


def unwatch_quiet(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """No longer watch pages that nobody has edited for long."""
    user, year = draw_editor(db, rng), rng.choice(("2022", "2023", "2024", "2025"))
    is_watched = "pages.id IN (SELECT page_id FROM watches WHERE user = ?)"
    sql = f"{PAGES} WHERE {is_watched} ORDER BY title"
    watched = db.execute(sql, (user,)).fetchall()
    quiet = [page for page in watched if page["edited"] < year]
    require(1 <= len(quiet) < len(watched) and len(quiet) <= 6)
    mine = f"user = {literal(user)}"
    gone = literals([page["id"] for page in quiet])
    return Draft(
        f"Take all pages off my watch list whose last edit was before {year}, and keep the others.",
        user=user,
        checks=[
            count_is("unwatched", "watches", f"{mine} AND page_id IN {gone}", 0),
            count_is("kept", "watches", mine, len(watched) - len(quiet)),
            at_most("first", "watches", mine, len(watched) - 1),
            at_most("all", "watches", mine, len(watched) - len(quiet)),
        ],
        touched={"watches": [0, 0, len(quiet)]},
        walkthrough=[
            ["click", "link", "Watch list"],
            *[["click", "button", "Unwatch", {"within": page["title"]}] for page in quiet],
        ],
    )


def thank_largest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Thank whoever has added the most to each of two pages."""
    user = draw_editor(db, rng)
    some = [get_page(db, one.title) for one in rng.sample(of_kind("settlement", "person", "island", "lighthouse"), 2)]
    found, steps = [], list[Step]()
    for page in some:
        sql = f"{REVISIONS} WHERE revisions.page_id = ? AND revisions.number > 1"
        rows = sorted(db.execute(sql, (user, page["id"])).fetchall(), key=lambda row: row["growth"], reverse=True)
        require(len(rows) > 2 and rows[0]["growth"] > rows[1]["growth"])
        require(rows[0]["author"] not in (user, *VANDALS) and not rows[0]["my_thanks"])
        found.append(rows[0]["id"])
        steps += [
            *to_page(page["title"]),
            ["click", "link", "History"],
            ["click", "button", "Thank", {"within": f"no. {rows[0]['number']}."}],
        ]
    mine = f"user = {literal(user)} AND revision_id IN {literals(found)}"
    return Draft(
        f'Look at the histories of "{some[0]["title"]}" and "{some[1]["title"]}". In each, thank the editor for the '
        "edit that added the most characters; the creation of the page does not count.",
        user=user,
        checks=[
            count_is("thanked", "thanks", mine, 2),
            on_the_way("first thanked", "thanks", mine),
            on_the_way("both thanked", "thanks", mine, 2),
        ],
        touched={"thanks": [2, 0, 0]},
        walkthrough=steps,
    )


def review_editor(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Mark all unreviewed changes of an editor as reviewed."""
    sql = """
        SELECT author, count(*) AS edits FROM revisions WHERE reviewed_by IS NULL GROUP BY author
        HAVING edits BETWEEN 2 AND 6 ORDER BY author
    """
    author = choose(rng, [row["author"] for row in db.execute(sql) if row["author"] not in VANDALS])
    user = draw_editor(db, rng, [author])
    sql = f"{REVISIONS} WHERE revisions.author = ? AND revisions.reviewed_by IS NULL"
    rows = db.execute(sql, (user, author)).fetchall()
    done = f"reviewed_by = {literal(user)} AND id IN {literals([row['id'] for row in rows])}"
    steps: list[Step] = [["click", "link", "Recent changes"]]
    for row in rows:
        steps += [
            ["fill", "textbox", "Editor", author],
            ["select", "combobox", "Show", "Unreviewed changes"],
            ["click", "button", "Apply"],
            ["click", "button", "Mark as reviewed", {"within": f"{row['title']} no. {row['number']}."}],
        ]
    return Draft(
        f"I trust {author}. Mark all changes by this editor that nobody has reviewed yet as reviewed, and no others.",
        user=user,
        checks=[
            count_is("reviewed", "revisions", done, len(rows)),
            on_the_way("first reviewed", "revisions", done),
            on_the_way("second reviewed", "revisions", done, 2),
        ],
        touched={"revisions": [0, len(rows), 0]},
        walkthrough=steps,
    )


def protect_works(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Protect the articles on two things and on what they have in common."""
    fact, words = rng.choice((("architect", "the architect of both"), ("settlement", "the place next to both")))
    lights = list(of_kind("lighthouse"))
    one = choose(rng, lights)
    other = choose(rng, [two for two in lights if two is not one and two.facts[fact] == one.facts[fact]])
    pages = [get_page(db, title) for title in (one.title, other.title, one.facts[fact])]
    require(all(is_sound(page) for page in pages))
    user = draw_admin(rng)
    done = f"is_protected = 1 AND id IN {literals([page['id'] for page in pages])}"
    return Draft(
        f'Protect three articles against changes: "{one.title}", "{other.title}", and the one on {words}.',
        user=user,
        checks=[
            count_is("protected", "pages", done, 3),
            on_the_way("first", "pages", done),
            on_the_way("second", "pages", done, 2),
        ],
        touched={"pages": [0, 3, 0], "log": [3, 0, 0]},
        walkthrough=[step for page in pages for step in (*to_page(page["title"]), ["click", "button", "Protect"])],
    )
