"""Tasks that ask: facts over several articles, comparisons, counts, histories and editors; nothing may change."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Answer, Draft, Step
from agentgym_web.sites.core.draws import choose, require
from agentgym_web.sites.wiki.articles import shown_title
from agentgym_web.sites.wiki.atlas import of_kind
from agentgym_web.sites.wiki.lookup import REVISIONS
from agentgym_web.sites.wiki.names import ISLANDS, VANDALS
from agentgym_web.sites.wiki.tasks.drawing import draw_editor, follow, get_page, to_page, view
from agentgym_web.sites.wiki.tasks.hops import Chain, draw_chain, name_chain


def two_hops(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A number three articles away."""
    return _ask(db, rng, draw_chain(rng, 2))


def three_hops(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A number four articles away."""
    return _ask(db, rng, draw_chain(rng, 3))


def four_hops(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A number five articles away."""
    return _ask(db, rng, draw_chain(rng, 4))


def name_at_the_end(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """A name three or four articles away."""
    return _ask(db, rng, name_chain(rng, rng.choice((2, 3))))


def _ask(db: sqlite3.Connection, rng: random.Random, chain: Chain) -> Draft:
    form = "the number alone" if chain.answer.kind == "number" else "the name alone"
    return Draft(
        f"{chain.question} Find it out from the articles of the almanac and answer with {form}.",
        user=draw_editor(db, rng),
        answer=chain.answer,
        walkthrough=[*along(db, chain), ["answer", str(chain.answer.value)]],
    )


def along(db: sqlite3.Connection, chain: Chain) -> list[Step]:
    """The steps to the last article of a chain."""
    steps = to_page(chain.way[0])
    for page, title in zip(chain.way, chain.way[1:], strict=False):
        steps += follow(db, page, title)
    return steps


def compare_four(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which of four things of a kind is first by some measure."""
    kind, fact, wish = rng.choice(
        (
            ("bridge", "length", "the longest bridge"),
            ("bridge", "opened", "the bridge that was opened last"),
            ("lighthouse", "height", "the highest lighthouse"),
            ("lighthouse", "lit", "the lighthouse that was lit last"),
            ("mountain", "height", "the highest mountain"),
            ("river", "length", "the longest river"),
            ("museum", "visitors", "the museum with the most visitors"),
            ("settlement", "population", "the place with the most inhabitants"),
            ("ship", "length", "the longest ship"),
            ("person", "born", "the person who was born last"),
        )
    )
    some = rng.sample(of_kind(kind), 4)
    ranked = sorted(some, key=lambda one: one.facts[fact], reverse=True)
    require(ranked[0].facts[fact] != ranked[1].facts[fact])
    found = ranked[0].title
    names = [shown_title(one.title) for one in some]
    return Draft(
        f"Which of these is {wish}: {', '.join(names[:-1])} or {names[-1]}? Answer with the name.",
        user=draw_editor(db, rng),
        answer=Answer("text", shown_title(found), (found, found.removeprefix("River "))),
        walkthrough=[*(step for one in some for step in to_page(one.title)), ["answer", shown_title(found)]],
    )


def places_of_island(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many places of an island, or which of them, fit a number that each tells in its own article."""
    island = rng.choice(ISLANDS)
    places = sorted((one for one in of_kind("settlement") if one.facts["island"] == island), key=lambda one: one.title)
    require(3 <= len(places) <= 8)
    steps: list[Step] = []
    for place in places:
        steps += [["click", "link", "Categories"], ["click", "link", f"Settlements on {island}"]]
        steps.append(["click", "link", place.title])
    if rng.random() < 0.5:
        limit = rng.choice((500, 1000, 2000, 3000, 4000, 5000))
        value = sum(one.facts["population"] > limit for one in places)
        require(0 < value < len(places))
        asked, answer = f"How many of the settlements on {island} have more than {limit} inhabitants?", value
        return Draft(
            f"{asked} Answer with a number.",
            user=draw_editor(db, rng),
            answer=Answer("number", answer),
            walkthrough=[*steps, ["answer", str(answer)]],
        )
    fact, wish = rng.choice(
        (("founded", "was mentioned first, in the earliest year"), ("population", "is the smallest"))
    )
    found = min(places, key=lambda one: one.facts[fact])
    require(sum(one.facts[fact] == found.facts[fact] for one in places) == 1)
    return Draft(
        f"Of all settlements on {island}, which one {wish}? Answer with its name.",
        user=draw_editor(db, rng),
        answer=Answer("text", found.title),
        walkthrough=[*steps, ["answer", found.title]],
    )


def most_in_category(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which page of a category has the most links to it, revisions or characters."""
    sql = "SELECT name FROM categories GROUP BY name HAVING count(*) > 8 ORDER BY name"
    name = choose(rng, [row[0] for row in db.execute(sql)])
    column, sort, wish = rng.choice(
        (
            ("backlinks", "Most links to it", "the most links from other pages"),
            ("revisions", "Most revisions", "the most revisions"),
            ("size", "Longest", "the most characters"),
        )
    )
    sql = "SELECT title FROM pages JOIN categories ON page_id = pages.id WHERE name = ?"
    pages = [get_page(db, row[0]) for row in db.execute(sql, (name,)).fetchall()]
    ranked = sorted(pages, key=lambda page: page[column], reverse=True)
    require(ranked[0][column] != ranked[1][column])
    title = ranked[0]["title"]
    return Draft(
        f"Which page in the category {name} has {wish}? Answer with its title.",
        user=draw_editor(db, rng),
        answer=Answer("text", title, (shown_title(title),)),
        walkthrough=[
            ["click", "link", "Categories"],
            ["click", "link", name],
            ["select", "combobox", "Sort by", sort],
            ["click", "button", "Apply"],
            ["answer", title],
        ],
    )


def who_wrote(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who made a certain revision of a page: the one that added the most, or the one with a certain number."""
    sql = (
        "SELECT title FROM pages JOIN revisions ON page_id = pages.id GROUP BY pages.id HAVING count(*) > 4 ORDER BY 1"
    )
    title = choose(rng, [row[0] for row in db.execute(sql)])
    page = get_page(db, title)
    sql = f"{REVISIONS} WHERE revisions.page_id = ? AND revisions.number > 1"
    revisions = sorted(db.execute(sql, ("", page["id"])).fetchall(), key=lambda row: row["growth"], reverse=True)
    if rng.random() < 0.6:
        require(revisions[0]["growth"] != revisions[1]["growth"])
        found, wish = revisions[0], "added the most characters in a single edit, the creation of the page aside"
    else:
        found = rng.choice(revisions)
        wish = f"made revision no. {found['number']}"
    return Draft(
        f'Look at the history of the article "{title}". Who {wish}? Answer with the name of the editor.',
        user=draw_editor(db, rng),
        answer=Answer("text", found["author"]),
        walkthrough=[*to_page(title), view("History", db, title), ["answer", found["author"]]],
    )


def editor_ranks(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which of some editors is first by edits, pages begun, thanks or the day of registration."""
    sql = """
        SELECT users.name, registered, (SELECT count(*) FROM revisions WHERE author = users.name) AS edits,
            (SELECT count(*) FROM revisions WHERE author = users.name AND number = 1) AS begun,
            (SELECT count(*) FROM thanks JOIN revisions ON revisions.id = revision_id WHERE author = users.name) AS thanks
        FROM users ORDER BY users.name
    """  # noqa: E501 - one query
    some = rng.sample([row for row in db.execute(sql) if row["name"] not in VANDALS], 5)
    column, wish = rng.choice(
        (
            ("edits", "has made the most edits"),
            ("begun", "has begun the most pages"),
            ("thanks", "has received the most thanks"),
            ("registered", "registered last"),
        )
    )
    ranked = sorted(some, key=lambda row: row[column], reverse=True)
    require(ranked[0][column] != ranked[1][column])
    names = [row["name"] for row in some]
    return Draft(
        f"Which of these editors {wish}: {', '.join(names[:-1])} or {names[-1]}? Answer with the name.",
        user=draw_editor(db, rng),
        answer=Answer("text", ranked[0]["name"]),
        walkthrough=[["click", "link", "Editors"], ["answer", ranked[0]["name"]]],
    )


def edits_in_history(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many revisions of two pages an editor has made."""
    sql = "SELECT author, page_id, title, count(*) AS edits FROM revisions JOIN pages ON pages.id = page_id"
    pairs = db.execute(f"{sql} GROUP BY author, page_id HAVING count(*) > 1 ORDER BY author, page_id").fetchall()
    one = choose(rng, [pair for pair in pairs if pair["author"] not in VANDALS])
    two = choose(rng, [pair for pair in pairs if pair["author"] == one["author"] and pair["page_id"] != one["page_id"]])
    value = one["edits"] + two["edits"]
    return Draft(
        f'How often has {one["author"]} edited the articles "{one["title"]}" and "{two["title"]}", counting both '
        "together and the creation of a page as an edit? Answer with a number.",
        user=draw_editor(db, rng, [one["author"]]),
        answer=Answer("number", value),
        walkthrough=[
            *to_page(one["title"]),
            view("History", db, one["title"]),
            *to_page(two["title"]),
            view("History", db, two["title"]),
            ["answer", str(value)],
        ],
    )


def linking_kind(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """What a person made of some kind, from the pages that link to them."""
    kind, fact, asked = rng.choice(
        (
            ("lighthouse", "architect", "Which lighthouses did {} design?"),
            ("bridge", "engineer", "Which bridges did {} build?"),
            ("novel", "author", "Which novels did {} write?"),
            ("painting", "painter", "Which pictures did {} paint?"),
            ("opera", "composer", "Which operas did {} write?"),
            ("species", "naturalist", "Which animals and plants did {} describe?"),
        )
    )
    person = choose(rng, of_kind("person"))
    works = [shown_title(one.title) for one in of_kind(kind) if one.facts[fact] == person.title]
    require(2 <= len(works) <= 5)
    return Draft(
        f"{asked.format(person.title)} Answer with a list of all names, separated by commas.",
        user=draw_editor(db, rng),
        answer=Answer("list", works),
        walkthrough=[
            *to_page(person.title),
            view("What links here", db, person.title),
            ["answer", ", ".join(works)],
        ],
    )
