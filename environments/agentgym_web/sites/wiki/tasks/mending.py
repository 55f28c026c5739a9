"""Tasks that change pages: facts, sentences, new pages, categories, titles, redirects and restored revisions."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Draft, Step
from agentgym_web.sites.core.draws import choose, literal, require
from agentgym_web.sites.core.row_checks import count_is, on_the_way
from agentgym_web.sites.wiki.articles import shown_title
from agentgym_web.sites.wiki.atlas import atlas, of_kind
from agentgym_web.sites.wiki.lookup import PAGES
from agentgym_web.sites.wiki.markup import sections_of
from agentgym_web.sites.wiki.names import VANDALS
from agentgym_web.sites.wiki.tasks import wording
from agentgym_web.sites.wiki.tasks.drawing import (
    body_is,
    create_page,
    draw_admin,
    draw_editor,
    get_page,
    is_sound,
    latest_of,
    reads,
    to_page,
)
from agentgym_web.sites.wiki.tasks.hops import ENDS, draw_chain

NEW_NUMBERS = (
    ("river", "length", "Length = {} km", "a new survey gives the length of the {} as {} km"),
    ("mountain", "height", "Height = {} m", "a new survey gives the height of {} as {} m"),
    ("settlement", "population", "Population = {}", "after the last count {} has {} inhabitants"),
    ("museum", "visitors", "Visitors a year = {}", "the {} now has {} visitors a year"),
)


def correct_number(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Correct a number in an infobox, with a given summary."""
    kind, fact, row, words = rng.choice(NEW_NUMBERS)
    entity = choose(rng, of_kind(kind))
    page = get_page(db, entity.title)
    old = entity.facts[fact]
    new = old + rng.choice((1, 2, 3, 7)) * (100 if fact == "visitors" else 1)
    require(is_sound(page) and page["body"].count(row.format(old)) == 1)
    require(kind != "mountain" or page["body"].count(str(old)) == 1)
    body, user = page["body"].replace(row.format(old), row.format(new)), draw_editor(db, rng)
    comment = rng.choice(wording.SUMMARIES)
    part = sections_of(body)[0][1].strip()
    edited = f"{latest_of(page['id'])} AND author = {literal(user)}"
    return Draft(
        f"Please correct the article on {entity.title}: {words.format(entity.title, new)}. Change the number in the "
        f'table of facts and nothing else. Give "{comment}" as the summary.',
        user=user,
        checks=[
            body_is("corrected", page["id"], body),
            count_is("summary", "revisions", f"{edited} AND comment = {literal(comment)}"),
            on_the_way("edited", "revisions", edited),
            on_the_way("corrected", "revisions", reads(page["id"], body)),
        ],
        touched={"revisions": [1, 0, 0]},
        walkthrough=[
            *to_page(entity.title),
            ["click", "link", "edit introduction"],
            ["fill", "textbox", "Text", part],
            ["fill", "textbox", "Summary of your change", comment],
            ["click", "button", "Save page"],
        ],
    )


def add_found_fact(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Look a number up over two links, and add a sentence with it to a section of another article."""
    chain = draw_chain(rng, 2)
    first, last = get_page(db, chain.way[0]), atlas()[chain.way[-1]]
    words = {fact: sentence for kind, fact, sentence in wording.FOUND if kind == last.kind}
    fact = choose(rng, [fact for fact, _ in ENDS[last.kind] if fact in words])
    sections = sections_of(first["body"])
    spots = [index for index, (name, _) in enumerate(sections) if name not in ("", "See also", "Today", "Trivia")]
    index = choose(rng, spots)
    require(is_sound(first))
    heading, text = sections[index]
    plain, categories, rest = text.strip().partition("[[Category:")
    sentence = words[fact].format(shown_title(last.title), last.facts[fact])
    new = f"{plain.strip()} {sentence}\n\n{categories}{rest}".strip()
    body = first["body"].replace(text.strip(), new)
    user = draw_editor(db, rng)
    edited = f"{latest_of(first['id'])} AND author = {literal(user)}"
    pattern = words[fact].format("NAME", "NUMBER")
    return Draft(
        f'Add a sentence to the end of the text of the section "{heading}" in the article "{first["title"]}". It shall '
        f'read "{pattern}", where NAME is {chain.phrase} and NUMBER is what the article on it says. Write both '
        "without links, and change nothing else.",
        user=user,
        checks=[
            body_is("sentence", first["id"], body),
            on_the_way("edited", "revisions", edited),
            on_the_way("name", "revisions", f"{edited} AND body LIKE {literal('%' + sentence + '%')}"),
        ],
        touched={"revisions": [1, 0, 0]},
        walkthrough=[
            *to_page(last.title),
            *to_page(first["title"]),
            ["click", "link", f"Edit section {heading}"],
            ["fill", "textbox", "Text", new],
            ["click", "button", "Save page"],
        ],
    )


def new_page(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write a new page with a category, and put it at the end of a list."""
    title, text, category, listed = rng.choice(wording.NEW_PAGES)
    text = f"{text} {rng.choice(wording.ADDITIONS)}"
    lines = get_page(db, listed)
    user = draw_editor(db, rng)
    body = f"{text}\n\n[[Category:{category}]]"
    part = sections_of(lines["body"])[0][1].partition("[[Category:")[0].strip()
    new = lines["body"].replace(part, f"{part}\n* [[{title}]]")
    mine = f"(SELECT id FROM pages WHERE title = {literal(title)} AND is_deleted = 0)"  # noqa: S608 - quoted
    return Draft(
        f'Write a new article with the title "{title}" and the text "{text}" Put it into the category {category}. Then '
        f'add a link to it as the last entry of the list in "{listed}".',
        user=user,
        checks=[
            count_is("text", "revisions", reads(mine, body)),
            body_is("listed", lines["id"], new),
            on_the_way("page", "pages", f"title = {literal(title)}"),
            on_the_way("category", "categories", f"name = {literal(category)} AND page_id = {mine}"),
            on_the_way("link", "links", f"page_id = {lines['id']} AND target = {literal(title)}"),
        ],
        touched={"pages": [1, 0, 0], "revisions": [[2, 3], 0, 0]},
        walkthrough=[
            *create_page(title, body),
            *to_page(listed),
            ["click", "link", "Edit"],
            ["fill", "textbox", "Text", new],
            ["click", "button", "Save page"],
        ],
    )


def overview_page(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write a page that lists the things of a kind somewhere with a year or number from each article, in order."""
    kind, place, fact, title, order = rng.choice(wording.OVERVIEWS)
    somewhere = choose(rng, sorted({one.facts[place] for one in of_kind(kind)}))
    things = sorted((one for one in of_kind(kind) if one.facts[place] == somewhere), key=lambda one: one.facts[fact])
    require(2 <= len(things) <= 6 and len({one.facts[fact] for one in things}) == len(things))
    title, user = title.format(somewhere), draw_editor(db, rng)
    body = "\n".join(f"* [[{one.title}]]: {one.facts[fact]}" for one in things)
    body = f"{body}\n\n[[Category:Lists]]"
    mine = f"(SELECT id FROM pages WHERE title = {literal(title)} AND is_deleted = 0)"  # noqa: S608 - quoted
    watched = f"user = {literal(user)} AND page_id = {mine}"
    return Draft(
        f'Write a new article with the title "{title}". It has one line for each {order[0]} {somewhere}: an asterisk, '
        f'a space, a link to its article, a colon, a space and {order[1]}, as in "* [[Title]]: 1234". The lines stand '
        'in the order of these numbers, the smallest first. Put the page into the category "Lists" and on my watch '
        "list.",
        user=user,
        checks=[
            count_is("text", "revisions", reads(mine, body)),
            count_is("watched", "watches", watched),
            on_the_way("page", "pages", f"title = {literal(title)}"),
            on_the_way("category", "categories", f"name = 'Lists' AND page_id = {mine}"),
            on_the_way("first link", "links", f"page_id = {mine} AND target = {literal(things[0].title)}"),
            on_the_way("watched", "watches", watched),
        ],
        touched={"pages": [1, 0, 0], "revisions": [[1, 3], 0, 0], "watches": [1, 0, 0]},
        walkthrough=[
            *(step for one in things for step in to_page(one.title)),
            *create_page(title, body),
            ["click", "button", "Watch"],
        ],
    )


def add_category(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Put several pages into a category."""
    name, kinds = rng.choice(wording.NEW_CATEGORIES)
    some = [get_page(db, one.title) for one in rng.sample(of_kind(*kinds), rng.choice((2, 3, 3)))]
    require(all(is_sound(page) for page in some))
    tag = f"[[Category:{name}]]"
    checks, steps = [], list[Step]()
    for page in some:
        here = f"name = {literal(name)} AND page_id = {page['id']}"
        same = literal("".join(page["body"].split()))
        bare = f"replace(replace(replace(body, {literal(tag)}, ''), char(10), ''), ' ', '') = {same}"
        checks += [
            count_is(f"category of {page['title']}", "categories", here),
            count_is(f"text of {page['title']}", "revisions", f"{latest_of(page['id'])} AND {bare}"),
            on_the_way(page["title"], "categories", here),
        ]
        steps += [
            *to_page(page["title"]),
            ["click", "link", "change categories"],
            ["fill", "textbox", "New category", name],
            ["click", "button", "Add category"],
        ]
    titles = [page["title"] for page in some]
    return Draft(
        f'Put these articles into the category "{name}", beside the categories that they are in already: '
        f"{', '.join(titles[:-1])} and {titles[-1]}.",
        user=draw_editor(db, rng),
        checks=checks,
        touched={"revisions": [len(some), 0, 0]},
        walkthrough=steps,
    )


def move_page(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Rename a page, with or without a redirect, and watch it."""
    entity = choose(rng, of_kind("lighthouse", "bridge", "museum", "festival", "dish", "company"))
    page = get_page(db, entity.title)
    user = draw_editor(db, rng)
    title = rng.choice(wording.RENAMED)[0].format(entity.title)
    watched = f"user = {literal(user)} AND page_id = {page['id']}"
    sql = f"SELECT 1 FROM watches WHERE {watched}"  # noqa: S608 - drawn values
    require(is_sound(page) and not db.execute(sql).fetchone())
    has_redirect = rng.random() < 0.6
    named = f"id = {page['id']} AND title = {literal(title)}"
    left = f"title = {literal(entity.title)}"
    end = (
        ["click", "button", "Watch"],
        ["click", "link", "Move"],
        ["fill", "textbox", "New title", title],
        *([] if has_redirect else [["click", "checkbox", "Leave a redirect at the old title"]]),
        ["click", "button", "Move page"],
    )
    return Draft(
        f'Rename the article "{entity.title}" to "{title}". {"Leave" if has_redirect else "Do not leave"} a redirect '
        "at the old title. Put the article on my watch list, too.",
        user=user,
        checks=[
            count_is("renamed", "pages", named),
            count_is("old title", "pages", left, int(has_redirect)),
            count_is("watched", "watches", watched),
            on_the_way("renamed", "pages", named),
            on_the_way("watched", "watches", watched),
        ],
        touched={
            "pages": [int(has_redirect), 1, 0],
            "revisions": [int(has_redirect), 0, 0],
            "watches": [1, 0, 0],
            "log": [1, 0, 0],
        },
        walkthrough=[*to_page(entity.title), *end],
    )


def add_redirect(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Create a redirect to what a description leads to."""
    chain = draw_chain(rng, 2)
    title = rng.choice(wording.NICKNAMES)
    user = draw_editor(db, rng)
    mine = f"(SELECT id FROM pages WHERE title = {literal(title)} AND is_deleted = 0)"  # noqa: S608 - quoted
    body = f"#REDIRECT [[{chain.way[-1]}]]"
    return Draft(
        f'People here say "{title}" and mean {chain.phrase}. Create a page with the title "{title}" whose text is '
        '"#REDIRECT [[TITLE]]", where TITLE is the title of the article that is meant.',
        user=user,
        checks=[
            count_is("redirect", "revisions", reads(mine, body)),
            on_the_way("page", "pages", f"title = {literal(title)}"),
            on_the_way("target", "redirects", f"page_id = {mine} AND target = {literal(chain.way[-1])}"),
        ],
        touched={"pages": [1, 0, 0], "revisions": [1, 0, 0]},
        walkthrough=[
            *to_page(chain.way[-1]),
            *create_page(title, body),
        ],
    )


def undo_vandal(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Restore the last good revision of a damaged page."""
    page = choose(rng, damaged_pages(db))
    good = last_good(db, page)
    user = draw_editor(db, rng)
    return Draft(
        f'{page["last_author"]} has written nonsense into the article "{page["title"]}". Bring it back to the last '
        "version before that editor came.",
        user=user,
        checks=[
            body_is("restored", page["id"], good["body"]),
            on_the_way("restored", "revisions", reads(page["id"], good["body"])),
        ],
        touched={"revisions": [[1, 2], 0, 0]},
        walkthrough=[*to_page(page["title"]), *restoring(good)],
    )


def undo_all_of_vandal(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Restore all pages that a vandal has damaged, and block the vandal."""
    vandal = rng.choice(VANDALS)
    pages = [page for page in damaged_pages(db) if page["last_author"] == vandal]
    require(len(pages) > 1 and not db.execute("SELECT 1 FROM blocks WHERE user = ?", (vandal,)).fetchone())
    some = rng.sample(pages, min(len(pages), rng.choice((2, 3, 4))))
    user, reason = draw_admin(rng), rng.choice(wording.BLOCK_REASONS)
    days, length = rng.choice(((30, "30 days"), (365, "365 days"), (None, "For good")))
    goods = [last_good(db, page) for page in some]
    steps = [
        step for page, good in zip(some, goods, strict=True) for step in (*to_page(page["title"]), *restoring(good))
    ]
    blocked = f"user = {literal(vandal)}"
    exact = f"{blocked} AND days IS {days or 'NULL'} AND reason = {literal(reason)}"
    time = "for good" if days is None else f"for {length}"
    titles = [f'"{page["title"]}"' for page in some]
    return Draft(
        f"{vandal} has damaged the articles {', '.join(titles[:-1])} and {titles[-1]}. Restore the last version of each"
        f' before that editor came, and block {vandal} {time}, with the reason "{reason}".',
        user=user,
        checks=[
            *(body_is(page["title"], page["id"], good["body"]) for page, good in zip(some, goods, strict=True)),
            count_is("blocked", "blocks", exact),
            on_the_way("first restored", "revisions", reads(some[0]["id"], goods[0]["body"])),
            on_the_way("last restored", "revisions", reads(some[-1]["id"], goods[-1]["body"])),
            on_the_way("blocked", "blocks", blocked),
        ],
        touched={"revisions": [[len(some), len(some) + 2], 0, 0], "blocks": [1, 0, 0], "log": [1, 0, 0]},
        walkthrough=[
            *steps,
            ["click", "link", "Blocks"],
            ["fill", "textbox", "Name", vandal],
            ["select", "combobox", "Length", length],
            ["fill", "textbox", "Reason", reason],
            ["click", "button", "Block editor"],
        ],
    )


def damaged_pages(db: sqlite3.Connection) -> list[sqlite3.Row]:
    """The pages whose latest revision is a vandal's."""
    pages = db.execute(f"{PAGES} WHERE is_deleted = 0 ORDER BY title").fetchall()
    return [page for page in pages if page["last_author"] in VANDALS]


def last_good(db: sqlite3.Connection, page: sqlite3.Row) -> sqlite3.Row:
    """The last revision of a page before the vandal came."""
    sql = "SELECT * FROM revisions WHERE page_id = ? ORDER BY number DESC"
    rows: list[sqlite3.Row] = db.execute(sql, (page["id"],)).fetchall()
    return next(row for row in rows if row["author"] != page["last_author"])


def restoring(revision: sqlite3.Row) -> list[Step]:
    """The steps from an article that restore one of its revisions."""
    return [
        ["click", "link", "History"],
        ["click", "button", "Restore", {"within": f"no. {revision['number']}."}],
    ]
