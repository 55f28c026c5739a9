"""Tasks of members that vote, follow, bookmark and change their settings."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step
from agentgym_web.sites.core.draws import choose, literal, literals, require
from agentgym_web.sites.core.row_checks import at_most, count_is, counts_and_milestones, on_the_way
from agentgym_web.sites.forum.lookup import POSTS
from agentgym_web.sites.forum.talk import TOWNS
from agentgym_web.sites.forum.tasks import wishes
from agentgym_web.sites.forum.tasks.drawing import best, draw_user, to_page_of, to_thread, within_post


def upvote_member(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Vote for all posts of a member in a thread of several pages."""
    sql = """
        SELECT thread_id, posts.author, count(*) AS posts FROM posts JOIN threads ON threads.id = thread_id
        WHERE threads.is_removed = 0 AND board_id <= 10 AND thread_id IN
            (SELECT thread_id FROM posts GROUP BY thread_id HAVING count(*) > 10 AND sum(is_removed) = 0)
        GROUP BY thread_id, posts.author HAVING posts BETWEEN 2 AND 5 ORDER BY thread_id, posts.author
    """
    pair = choose(rng, db.execute(sql).fetchall())
    user = draw_user(db, rng, [pair["author"]])
    sql = f"{POSTS} WHERE thread_id = ? AND author = ? ORDER BY number"
    posts = db.execute(sql, (user, pair["thread_id"], pair["author"])).fetchall()
    require(all(post["my_vote"] is None for post in posts))
    title = db.execute("SELECT title FROM threads WHERE id = ?", (pair["thread_id"],)).fetchone()[0]
    ids = literals([post["id"] for post in posts])
    wanted = f"user = {literal(user)} AND value = 1 AND post_id IN {ids}"
    steps: list[Step] = to_thread(db, pair["thread_id"])
    page = 1
    for post in posts:
        here = (post["number"] - 1) // 10 + 1
        steps += [["click", "link", "Next page"]] * (here - page)
        steps.append(["click", "button", "Upvote", within_post(post["number"])])
        page = here
    return Draft(
        f'{pair["author"]} was a great help in the thread "{title}". Upvote every post that this member has written '
        "there, on all pages, and no other post.",
        user=user,
        checks=[
            count_is("all of them", "votes", wanted, len(posts)),
            on_the_way("one of them", "votes", wanted),
            on_the_way("all of them", "votes", wanted, len(posts)),
        ],
        touched={"votes": [len(posts), 0, 0]},
        walkthrough=steps,
    )


def accept_best_answer(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Accept the reply with the most votes to one's own question, and thank its author."""
    sql = """
        SELECT threads.id, title, threads.author FROM threads JOIN posts ON thread_id = threads.id
        WHERE tag = 'question' AND answer_id IS NULL AND threads.author NOT IN (SELECT user FROM bans)
            AND is_locked = 0 AND board_id <= 10
        GROUP BY threads.id HAVING count(*) > 3 AND sum(posts.is_removed) = 0 ORDER BY threads.id
    """
    thread = choose(rng, db.execute(sql).fetchall())
    others = f"{POSTS} WHERE thread_id = ? AND number > 1"
    reply = best(db.execute(others, ("", thread["id"])).fetchall(), "score")
    require(reply["author"] != thread["author"])
    text = rng.choice(wishes.THANKS)
    accepted = f"id = {thread['id']} AND answer_id = {reply['id']}"
    thanked = f"thread_id = {thread['id']} AND author = {literal(thread['author'])} AND body = {literal(text)}"
    return Draft(
        f'I once asked "{thread["title"]}". Accept the reply that has the most votes as the answer. Then write this '
        f'reply in the same thread, exactly: "{text}"',
        user=thread["author"],
        checks=counts_and_milestones(("accepted", "threads", accepted), ("thanked", "posts", thanked)),
        touched={"threads": [0, 1, 0], "posts": [1, 0, 0]},
        walkthrough=[
            *to_thread(db, thread["id"]),
            *to_page_of(reply["number"]),
            ["click", "button", "Accept as answer", within_post(reply["number"])],
            ["fill", "textbox", "Your reply", text],
            ["click", "button", "Post reply"],
        ],
    )


def change_settings(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change several settings at once."""
    user = draw_user(db, rng)
    mine = db.execute("SELECT * FROM users WHERE login = ?", (user,)).fetchone()
    town = rng.choice([town for town in TOWNS if town != mine["town"]])
    digest = rng.choice([digest for digest in ("never", "daily", "weekly") if digest != mine["digest"]])
    signature = rng.choice(wishes.SIGNATURES)
    column, box, (gone, back) = rng.choice(TICKS)
    is_ticked = mine[column] == 1
    wish = gone if is_ticked else back
    where = f"login = {literal(user)}"
    final = f"{where} AND town = {literal(town)} AND digest = {literal(digest)} AND signature = {literal(signature)}"
    return Draft(
        f'I have moved to {town}. Please update my settings: the town, my signature, which shall be "{signature}", and '
        f"the digest, which I want {digest if digest == 'never' else digest + ' from now on'}. {wish}",
        user=user,
        checks=[
            count_is("settings", "users", f"{final} AND {column} = {int(not is_ticked)}"),
            on_the_way("town", "users", f"{where} AND town = {literal(town)}"),
            on_the_way("digest", "users", f"{where} AND digest = {literal(digest)}"),
        ],
        touched={"users": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Settings"],
            ["select", "combobox", "Town", town],
            ["fill", "textbox", "Signature", signature],
            ["click", "radio", digest],
            ["click", "checkbox", box],
            ["click", "button", "Save settings"],
        ],
    )


TICKS = (
    (
        "takes_messages",
        "Take messages from members",
        ("I want no more messages from members.", "I want to take messages from members again."),
    ),
    (
        "shows_town",
        "Show my town to others",
        ("My town is nobody's business, so do not show it to others.", "Others may see my town again."),
    ),
)
"""Boxes of the settings: column, label, and the wishes to untick and to tick it."""


def clean_bookmarks(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Remove all bookmarks of a kind."""
    user = draw_user(db, rng)
    sql = """
        SELECT threads.*, (SELECT max(created) FROM posts WHERE thread_id = threads.id) AS last_post
        FROM bookmarks JOIN threads ON threads.id = thread_id WHERE user = ? AND threads.is_removed = 0
    """
    marks = db.execute(sql, (user,)).fetchall()
    year = rng.choice(("2023", "2024", "2025"))
    words, chosen = rng.choice(
        (
            ("of threads that are locked", [mark for mark in marks if mark["is_locked"]]),
            ("of threads that have an accepted answer", [mark for mark in marks if mark["answer_id"]]),
            (f"of threads whose last post is from before {year}", [m for m in marks if m["last_post"] < year]),
            ('of threads with the tag "guide"', [mark for mark in marks if mark["tag"] == "guide"]),
            ('of threads with the tag "offer"', [mark for mark in marks if mark["tag"] == "offer"]),
        )
    )
    require(2 <= len(chosen) < len(marks))
    gone = literals([mark["id"] for mark in chosen])
    left = literals([mark["id"] for mark in marks if mark not in chosen])
    mine = f"user = {literal(user)} AND thread_id IN"
    still, kept = (f"SELECT count(*) FROM bookmarks WHERE {mine} {ids}" for ids in (gone, left))  # noqa: S608
    first = f"SELECT ({still}) < {len(chosen)} AND ({kept}) = {len(marks) - len(chosen)}"
    return Draft(
        f"Tidy up my bookmarks: remove all bookmarks {words}, and keep all others.",
        user=user,
        checks=[
            count_is("removed", "bookmarks", f"{mine} {gone}", 0),
            count_is("kept", "bookmarks", f"{mine} {left}", len(marks) - len(chosen)),
            Check(first, [[1]], "one is removed", milestone=True),
        ],
        touched={"bookmarks": [0, 0, len(chosen)]},
        walkthrough=[
            ["click", "link", "Bookmarks"],
            *[["click", "checkbox", f"Choose {mark['title']}"] for mark in chosen],
            ["click", "button", "Remove chosen bookmarks"],
        ],
    )


def vote_for_underdog(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Vote in a poll for the answer that has the fewest votes so far, or the most."""
    sql = (
        "SELECT polls.*, title FROM polls JOIN threads ON threads.id = thread_id WHERE is_closed = 0 ORDER BY polls.id"
    )
    poll = choose(rng, db.execute(sql).fetchall())
    sql = """
        SELECT id, text, (SELECT count(*) FROM poll_votes WHERE option_id = poll_options.id) AS votes
        FROM poll_options WHERE poll_id = ?
    """
    is_least = rng.random() < 0.6
    option = best(db.execute(sql, (poll["id"],)).fetchall(), "votes", is_least=is_least)
    user = draw_user(db, rng)
    sql = "SELECT 1 FROM poll_votes WHERE poll_id = ? AND user = ?"
    require(not db.execute(sql, (poll["id"], user)).fetchone())
    vote = f"poll_id = {poll['id']} AND user = {literal(user)}"
    text = rng.choice(wishes.POLL_REMARKS)
    remark = f"thread_id = {poll['thread_id']} AND author = {literal(user)} AND body = {literal(text)}"
    return Draft(
        f'There is a poll on the board About This Forum: "{poll["question"]}" Vote in it for the answer that has the '
        f'{"fewest" if is_least else "most"} votes so far. Then reply in its thread with exactly this text: "{text}"',
        user=user,
        checks=[
            count_is("vote", "poll_votes", f"{vote} AND option_id = {option['id']}"),
            count_is("reply", "posts", remark),
            on_the_way("voted", "poll_votes", vote),
            on_the_way("reply", "posts", remark),
        ],
        touched={"poll_votes": [1, 0, 0], "posts": [1, 0, 0]},
        walkthrough=[
            *to_thread(db, poll["thread_id"]),
            ["click", "radio", option["text"]],
            ["click", "button", "Vote in the poll"],
            ["fill", "textbox", "Your reply", text],
            ["click", "button", "Post reply"],
        ],
    )


def unfollow_quiet(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """No longer follow the members who have written little."""
    user = draw_user(db, rng)
    sql = """
        SELECT followed, (SELECT count(*) FROM posts WHERE author = followed AND is_removed = 0) AS posts
        FROM follows WHERE user = ?
        ORDER BY followed
    """
    followed = db.execute(sql, (user,)).fetchall()
    limit = rng.choice((20, 25, 30, 40, 50))
    quiet = [row["followed"] for row in followed if row["posts"] < limit]
    kept = [row["followed"] for row in followed if row["posts"] >= limit]
    require(quiet and kept)
    mine = f"user = {literal(user)}"
    return Draft(
        f"I follow too many members. Unfollow those who have written fewer than {limit} posts, and keep the others.",
        user=user,
        checks=[
            count_is("unfollowed", "follows", f"{mine} AND followed IN {literals(quiet)}", 0),
            count_is("others", "follows", mine, len(kept)),
            at_most("first", "follows", mine, len(followed) - 1),
            at_most("all", "follows", mine, len(kept)),
        ],
        touched={"follows": [0, 0, len(quiet)]},
        walkthrough=[
            step
            for login in quiet
            for step in (["click", "link", "Following"], ["click", "button", "Unfollow", {"within": login}])
        ],
    )


def collect_threads(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Bookmark all threads of a member on a board."""
    sql = """
        SELECT threads.author, board_id, name, count(*) AS threads FROM threads JOIN boards ON boards.id = board_id
        WHERE is_removed = 0 GROUP BY threads.author, board_id HAVING count(*) BETWEEN 2 AND 5 ORDER BY 1, 2
    """
    pair = choose(rng, db.execute(sql).fetchall())
    user = draw_user(db, rng, [pair["author"]])
    sql = "SELECT * FROM threads WHERE author = ? AND board_id = ? AND is_removed = 0 ORDER BY id"
    threads = db.execute(sql, (pair["author"], pair["board_id"])).fetchall()
    ids = literals([thread["id"] for thread in threads])
    mine = f"user = {literal(user)} AND thread_id IN {ids}"
    require(not db.execute(f"SELECT count(*) FROM bookmarks WHERE {mine}").fetchone()[0])  # noqa: S608 - drawn values
    steps: list[Step] = []
    for thread in threads:
        steps += [
            ["click", "link", "Search"],
            ["fill", "textbox", "Author", pair["author"]],
            ["select", "combobox", "Board", pair["name"]],
            ["select", "combobox", "Look in", "Opening posts"],
            ["click", "button", "Search"],
            ["click", "link", thread["title"]],
            ["click", "button", "Bookmark this thread"],
        ]
    return Draft(
        f"I would like to read everything that {pair['author']} has started on the board {pair['name']}. Add all "
        "threads by this member on that board to my bookmarks.",
        user=user,
        checks=[
            count_is("all bookmarks", "bookmarks", mine, len(threads)),
            on_the_way("one bookmark", "bookmarks", mine),
            on_the_way("two bookmarks", "bookmarks", mine, 2),
        ],
        touched={"bookmarks": [len(threads), 0, 0]},
        walkthrough=steps,
    )
