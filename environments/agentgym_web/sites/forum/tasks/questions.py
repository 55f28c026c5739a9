"""Tasks that ask: the answer is found by looking, sorting, filtering and counting, and nothing may change."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from agentgym_web.sites.core.drafts import Answer, Draft, Step
from agentgym_web.sites.core.draws import choose, literal, require
from agentgym_web.sites.forum.lookup import MEMBERS, POSTS, THREADS
from agentgym_web.sites.forum.talk import TOWNS
from agentgym_web.sites.forum.tasks.drawing import best, draw_moderator, draw_user, to_board, to_page_of, to_thread
from agentgym_web.sites.forum.world import Thread, world


def spellings(shop: str) -> tuple[str, ...]:
    """Other ways to write the name of a shop."""
    plain = shop.removeprefix("the ").removeprefix("Miss ")
    return (plain, f"the {plain}", shop.replace("&", "and"), shop.replace(" and ", " & "))


def price_thread(rng: random.Random) -> tuple[int, Thread]:
    """Id of a thread about what something costs, and the thread."""
    return choose(rng, [(number, one) for number, one in enumerate(world().threads, 1) if one.prices])


def shop_by_price(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which shop in a thread of several pages is the cheapest, the second cheapest or the dearest."""
    thread_id, thread = price_thread(rng)
    ranked = sorted(thread.prices, key=lambda price: price[3])
    wish, index = rng.choice(
        (("the lowest", 0), ("the second lowest", 1), ("the highest", -1), ("the third lowest", 2))
    )
    shop = ranked[index][1]
    return Draft(
        f'People tell each other prices in the thread "{thread.title}". Which shop has {wish} price of all the shops '
        "named there? Answer with the name of the shop.",
        user=draw_user(db, rng),
        answer=Answer("text", shop, spellings(shop)),
        walkthrough=[*to_thread(db, thread_id), *to_page_of(len(thread.posts)), ["answer", shop]],
    )


def price_gap(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How much two members pay apart, or how many shops take less than a price."""
    thread_id, thread = price_thread(rng)
    if rng.random() < 0.5:
        one, other = rng.sample(thread.prices, 2)
        value = abs(one[3] - other[3])
        asked = f"By how many crowns do the prices that {one[0]} and {other[0]} name differ?"
    else:
        limit = choose(rng, sorted(price[3] for price in thread.prices)[3:-1])
        value = sum(price[3] < limit for price in thread.prices)
        asked = f"How many of the shops named there take less than {limit} crowns?"
    return Draft(
        f'Have a look at the thread "{thread.title}". {asked} Answer with a number.',
        user=draw_user(db, rng),
        answer=Answer("number", value),
        walkthrough=[*to_thread(db, thread_id), *to_page_of(len(thread.posts)), ["answer", str(value)]],
    )


def guests_of_meet_up(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many people come to a meet-up, with later corrections counted."""
    thread = choose(rng, [one for one in world().threads if one.guests])
    kind = rng.choice(("people", "large", "alone"))
    counts = list(thread.guests.values())
    asked, value = {
        "people": ("How many people will come in all?", sum(counts)),
        "large": ("How many members come as a group of four or more?", sum(count >= 4 for count in counts)),
        "alone": ("How many members come as a group of at most two, themselves included?", sum(c <= 2 for c in counts)),
    }[kind]
    return Draft(
        f'In the thread "{thread.title}" members say how many people they bring. If somebody corrects their number '
        f"later, the later one counts. {asked} Answer with a number.",
        user=draw_user(db, rng),
        answer=Answer("number", value),
        walkthrough=[
            *to_board("Meet-ups"),
            ["click", "link", thread.title],
            *to_page_of(len(thread.posts)),
            ["answer", str(value)],
        ],
    )


def member_of_town(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which of the members from a town is first by some measure."""
    town = rng.choice(TOWNS)
    column, wish, sort, is_least = rng.choice(
        (
            ("reputation", "has the highest reputation", "Highest reputation", False),
            ("posts", "has written the most posts", "Most posts", False),
            ("threads", "has started the most threads", "Most threads", False),
            ("joined", "joined the forum first", "Joined first", True),
            ("joined", "joined the forum last", "Joined last", False),
        )
    )
    members = db.execute(f"{MEMBERS} WHERE town = ? AND shows_town = 1", (town,)).fetchall()
    found = best(members, column, is_least=is_least)
    return Draft(
        f"Of the members whose profile gives {town} as their town, who {wish}? Answer with the login.",
        user=draw_user(db, rng),
        answer=Answer("text", found["login"], (found["name"],)),
        walkthrough=[
            ["click", "link", "Members"],
            ["select", "combobox", "Town", town],
            ["select", "combobox", "Sort by", sort],
            ["click", "button", "Apply"],
            ["answer", found["login"]],
        ],
    )


def threads_of_year(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many threads of a board with a tag were started in a year."""
    board = choose(rng, db.execute("SELECT * FROM boards WHERE id <= 10 OR slug = 'swaps' ORDER BY id").fetchall())
    tag = "offer" if board["slug"] == "swaps" else rng.choice(("question", "guide", "chat"))
    year = rng.choice(("2024", "2025") if tag == "offer" else ("2022", "2023", "2024", "2025"))
    sql = "SELECT count(*) FROM threads WHERE board_id = ? AND tag = ? AND created LIKE ?"
    value = db.execute(sql, (board["id"], tag, f"{year}-%")).fetchone()[0]
    require(value > 1)
    sql = "SELECT count(*) FROM threads WHERE board_id = ? AND tag = ?"
    total = db.execute(sql, (board["id"], tag)).fetchone()[0]
    return Draft(
        f'How many threads with the tag "{tag}" were started on the board {board["name"]} in {year}? Answer with a '
        "number.",
        user=draw_user(db, rng),
        answer=Answer("number", value),
        walkthrough=[
            *to_board(board["name"]),
            ["select", "combobox", "Sort by", "Newest thread"],
            ["select", "combobox", "Tag", tag],
            ["click", "button", "Apply"],
            *[["click", "link", "Next page"]] * ((total - 1) // 15),
            ["answer", str(value)],
        ],
    )


def busiest_thread(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which thread of a kind on a board has the most replies or votes."""
    board = choose(rng, db.execute("SELECT * FROM boards WHERE id <= 10 ORDER BY id").fetchall())
    column, sort, wish = rng.choice((("replies", "Most replies", "replies"), ("score", "Most votes", "votes")))
    state, condition, words = rng.choice(
        (
            ("Without accepted answer", "answer_id IS NULL", 'tagged "question" and have no accepted answer'),
            ("With accepted answer", "answer_id IS NOT NULL", 'tagged "question" and have an accepted answer'),
            ("Not locked", "is_locked = 0", 'tagged "question" and not locked'),
        )
    )
    condition = f"board_id = ? AND tag = 'question' AND {condition}"
    found = best(db.execute(f"{THREADS} WHERE {condition}", (board["id"],)).fetchall(), column)
    return Draft(
        f"Look at the threads on the board {board['name']} that are {words}. Which of them has "
        f"the most {wish}? Answer with its title.",
        user=draw_user(db, rng),
        answer=Answer("text", found["title"]),
        walkthrough=[
            *to_board(board["name"]),
            ["select", "combobox", "Sort by", sort],
            ["select", "combobox", "Tag", "question"],
            ["select", "combobox", "State", state],
            ["click", "button", "Apply"],
            ["answer", found["title"]],
        ],
    )


def favourite_board(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """On which of some boards a member has written the most."""
    login = draw_user(db, rng)
    sql = """
        SELECT boards.name, boards.slug, count(*) AS posts FROM posts JOIN threads ON threads.id = thread_id
        JOIN boards ON boards.id = board_id WHERE posts.author = ? AND posts.is_removed = 0 AND threads.is_removed = 0
        GROUP BY boards.id HAVING posts > 1 ORDER BY boards.id
    """
    boards = db.execute(sql, (login,)).fetchall()
    require(len(boards) >= 4)
    some = rng.sample(boards, 4)
    found = best(some, "posts")
    steps: list[Step] = [["click", "link", "Search"], ["fill", "textbox", "Author", login]]
    for board in some:
        steps += [["select", "combobox", "Board", board["name"]], ["click", "button", "Search"]]
    names = ", ".join(board["name"] for board in some[:-1])
    return Draft(
        f"Where is {login} at home? Find out on which of these boards this member has written the most posts, opening "
        f"posts and replies together: {names} or {some[-1]['name']}. Answer with the name of the board.",
        user=draw_user(db, rng, [login]),
        answer=Answer("text", found["name"]),
        walkthrough=[*steps, ["answer", found["name"]]],
    )


def introduced(rng: random.Random) -> tuple[int, Thread, str]:
    """Id of an introduction whose trade nobody else names, the thread and the trade."""
    found = [(number, one) for number, one in enumerate(world().threads, 1) if one.board == "introductions"]
    trades = Counter(one.posts[0].author.trade for _, one in found)
    thread_id, thread = choose(rng, [pair for pair in found if trades[pair[1].posts[0].author.trade] == 1])
    return thread_id, thread, thread.posts[0].author.trade


def newcomer_facts(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Something about the member who has introduced themselves with a trade."""
    thread_id, _, trade = introduced(rng)
    login = db.execute("SELECT author FROM threads WHERE id = ?", (thread_id,)).fetchone()[0]
    found = db.execute(f"{MEMBERS} WHERE login = ?", (login,)).fetchone()
    followers = db.execute("SELECT count(*) FROM follows WHERE followed = ?", (login,)).fetchone()[0]
    asked, value = rng.choice(
        (
            ("What is the reputation of this member?", found["reputation"]),
            ("How many followers does this member have?", followers),
            ("How many posts has this member written?", found["posts"]),
            ("How many threads has this member started?", found["threads"]),
        )
    )
    word = trade.split()[-1]
    return Draft(
        f"On the board Introductions somebody said that they work as {trade}. {asked} Answer with a number.",
        user=draw_user(db, rng, [login]),
        answer=Answer("number", value),
        walkthrough=[
            ["click", "link", "Search"],
            ["fill", "searchbox", "Words", word],
            ["select", "combobox", "Board", "Introductions"],
            ["select", "combobox", "Look in", "Opening posts"],
            ["click", "button", "Search"],
            ["click", "link", login, {"within": f"Opening post by {login}"}],
            ["answer", str(value)],
        ],
    )


def best_replier(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who wrote the reply with the most votes in a long thread."""
    thread_id, reply = draw_best_reply(db, rng)
    title = db.execute("SELECT title FROM threads WHERE id = ?", (thread_id,)).fetchone()[0]
    sql = "SELECT count(*) FROM posts WHERE thread_id = ?"
    num_posts = db.execute(sql, (thread_id,)).fetchone()[0]
    return Draft(
        f'Which member wrote the reply with the most votes in the thread "{title}"? The opening post is not a reply. '
        "Answer with the login.",
        user=draw_user(db, rng),
        answer=Answer("text", reply["author"]),
        walkthrough=[*to_thread(db, thread_id), *to_page_of(num_posts), ["answer", reply["author"]]],
    )


def draw_best_reply(db: sqlite3.Connection, rng: random.Random, where: str = "1") -> tuple[int, sqlite3.Row]:
    """Id of a thread with eleven posts or more, and its one reply that has the most votes."""
    sql = f"""
        SELECT threads.id FROM threads JOIN posts ON thread_id = threads.id WHERE threads.is_removed = 0 AND {where}
        GROUP BY threads.id HAVING count(*) > 10 AND sum(posts.is_removed) = 0 ORDER BY threads.id
    """  # noqa: S608 - our own conditions
    thread_id: int = choose(rng, [row[0] for row in db.execute(sql)])
    replies = db.execute(f"{POSTS} WHERE thread_id = ? AND number > 1", ("", thread_id)).fetchall()
    return thread_id, best(replies, "score")


def busiest_moderator(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which moderator did something most often in a span of months, from the log."""
    action = rng.choice(("locked thread", "pinned thread", "moved thread", "removed post", "dismissed report"))
    first = rng.randrange(5, 12)
    since, until = datetime(2025, first, 1), datetime(2025 + (first + 2) // 12, (first + 2) % 12 + 1, 1)
    sql = f"""
        SELECT moderator, count(*) AS times FROM moderation_log
        WHERE action = {literal(action)} AND created >= '{since:%Y-%m-%d}' AND created < '{until:%Y-%m-%d}'
        GROUP BY moderator
    """  # noqa: S608 - our own values
    found = best(db.execute(sql).fetchall(), "times")
    last = until - timedelta(days=1)
    months = f"{since:%B %Y} to the end of {last:%B %Y}"
    return Draft(
        f'From the beginning of {months}, which moderator has the most entries of the kind "{action}" in the '
        "moderation log? Answer with the login.",
        user=draw_moderator(db, rng),
        answer=Answer("text", found["moderator"]),
        walkthrough=[
            ["click", "link", "Moderation log"],
            ["select", "combobox", "Action", action],
            ["fill", "textbox", "From", f"{since:%Y-%m-%d}"],
            ["fill", "textbox", "Until", f"{last:%Y-%m-%d}"],
            ["click", "button", "Apply"],
            ["answer", found["moderator"]],
        ],
    )


def swap_wish(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """What people in a town offer for a wish."""
    offers = [one.offer for one in world().threads if one.offer]
    _, town, _ = choose(rng, offers)
    here: Sequence[str] = [offer for offer, place, _ in offers if place == town]
    require(2 <= len(here) <= 5)
    return Draft(
        f"I can only fetch things in {town}. What is offered there on the board Swap Corner, locked threads included? "
        'List all the things, separated by commas, worded as in the titles of the threads after "Offering".',
        user=draw_user(db, rng),
        answer=Answer("list", [*here], [[thing.split(" ", 1)[1] for thing in here]]),
        walkthrough=[
            ["click", "link", "Search"],
            ["fill", "searchbox", "Words", town],
            ["select", "combobox", "Board", "Swap Corner"],
            ["select", "combobox", "Look in", "Opening posts"],
            ["click", "button", "Search"],
            ["answer", ", ".join(here)],
        ],
    )
