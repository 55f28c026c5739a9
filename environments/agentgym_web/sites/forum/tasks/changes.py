"""Tasks of members that change something: replies, threads, votes, bookmarks, settings and messages."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Draft, Step
from agentgym_web.sites.core.draws import choose, literal, literals, require
from agentgym_web.sites.core.row_checks import at_most, count_is, on_the_way
from agentgym_web.sites.forum.lookup import POSTS, THREADS
from agentgym_web.sites.forum.talk import TOWNS, TYPOS
from agentgym_web.sites.forum.tasks import wishes
from agentgym_web.sites.forum.tasks.drawing import best, draw_user, to_board, to_page_of, to_thread, within_post
from agentgym_web.sites.forum.tasks.questions import draw_best_reply

ABOUT = 14
"""Id of the board About This Forum."""


def reply_and_bookmark(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Reply to a thread that is described, and bookmark it."""
    sql = """
        SELECT threads.id, title, name, threads.author FROM threads JOIN boards ON boards.id = board_id
        WHERE is_locked = 0 AND is_removed = 0 AND board_id <= 10 ORDER BY threads.id
    """
    thread = choose(rng, db.execute(sql).fetchall())
    user = draw_user(db, rng, [thread["author"]])
    require(not db.execute("SELECT 1 FROM bookmarks WHERE user = ? AND thread_id = ?", (user, thread["id"])).fetchone())
    text = rng.choice(wishes.REPLIES)
    mine = f"user = {literal(user)} AND thread_id = {thread['id']}"
    posted = f"author = {literal(user)} AND thread_id = {thread['id']} AND body = {literal(text)}"
    return Draft(
        f'On the board {thread["name"]} there is a thread by {thread["author"]} called "{thread["title"]}". Reply to '
        f'it with exactly this text: "{text}" Also add the thread to my bookmarks.',
        user=user,
        checks=[
            count_is("reply", "posts", posted),
            count_is("bookmark", "bookmarks", mine),
            on_the_way("reply", "posts", posted),
            on_the_way("bookmark", "bookmarks", mine),
        ],
        touched={"posts": [1, 0, 0], "bookmarks": [1, 0, 0]},
        walkthrough=[
            *to_thread(db, thread["id"]),
            ["click", "button", "Bookmark this thread"],
            ["fill", "textbox", "Your reply", text],
            ["click", "button", "Post reply"],
        ],
    )


def start_thread(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Start a thread on the board that fits, and bookmark it."""
    slug, tag, title, text = rng.choice(wishes.THREADS)
    text = f"{text} {rng.choice(wishes.ENDINGS)}"
    board = db.execute("SELECT * FROM boards WHERE slug = ?", (slug,)).fetchone()
    user = draw_user(db, rng)
    thread = f"author = {literal(user)} AND title = {literal(title)} AND board_id = {board['id']}"
    mine = f"(SELECT id FROM threads WHERE {thread} AND tag = {literal(tag)})"  # noqa: S608 - quoted
    return Draft(
        f'Start a thread on the board {board["name"]} with the title "{title}", the tag "{tag}" and exactly this text: '
        f'"{text}" Bookmark the new thread as well, so that I find it again.',
        user=user,
        checks=[
            count_is("thread", "threads", f"{thread} AND tag = {literal(tag)}"),
            count_is("text", "posts", f"thread_id IN {mine} AND number = 1 AND body = {literal(text)}"),
            count_is("bookmark", "bookmarks", f"user = {literal(user)} AND thread_id IN {mine}"),
            on_the_way("thread", "threads", thread),
            on_the_way("bookmark", "bookmarks", f"user = {literal(user)} AND thread_id IN {mine}"),
        ],
        touched={"threads": [1, 0, 0], "posts": [1, 0, 0], "bookmarks": [1, 0, 0]},
        walkthrough=[
            *to_board(board["name"]),
            ["click", "link", "New thread"],
            ["fill", "textbox", "Title", title],
            ["select", "combobox", "Tag", tag],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Publish thread"],
            ["click", "button", "Bookmark this thread"],
        ],
    )


def publish_draft(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Give a draft another title and tag, and publish it."""
    sql = "SELECT drafts.*, boards.name FROM drafts JOIN boards ON boards.id = board_id"
    sql += " WHERE user NOT IN (SELECT user FROM bans) ORDER BY drafts.id"
    draft = choose(rng, db.execute(sql).fetchall())
    title, tag = rng.choice(wishes.TITLES), rng.choice(("guide", "chat"))
    thread = f"author = {literal(draft['user'])} AND title = {literal(title)}"
    published = f"{thread} AND tag = {literal(tag)} AND board_id = {draft['board_id']}"
    body = f"number = 1 AND body = {literal(draft['body'])}"
    body += f" AND thread_id IN (SELECT id FROM threads WHERE {thread})"  # noqa: S608 - quoted
    return Draft(
        f'I have a draft for the board {draft["name"]}, saved as "{draft["title"]}". Change its title to "{title}" and '
        f'its tag to "{tag}", leave the text as it is, and publish it.',
        user=draft["user"],
        checks=[
            count_is("published", "threads", published),
            count_is("same text", "posts", body),
            count_is("draft is gone", "drafts", f"id = {draft['id']}", 0),
            on_the_way("title", "threads", thread),
            on_the_way("published", "threads", published),
        ],
        touched={"threads": [1, 0, 0], "posts": [1, 0, 0], "drafts": [0, 0, 1]},
        walkthrough=[
            ["click", "link", "Drafts"],
            ["click", "link", draft["title"]],
            ["fill", "textbox", "Title", title],
            ["select", "combobox", "Tag", tag],
            ["click", "button", "Publish thread"],
        ],
    )


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


def fix_typo(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Correct a word that one has misspelt somewhere."""
    right, wrong = rng.choice(sorted(TYPOS.items()))
    sql = f"""
        SELECT posts.*, threads.title FROM posts JOIN threads ON threads.id = thread_id
        WHERE body LIKE '% {wrong} %' AND posts.author NOT IN (SELECT user FROM bans) AND is_locked = 0
            AND posts.is_removed = 0 AND threads.is_removed = 0 ORDER BY posts.id
    """  # noqa: S608 - our own words
    post = choose(rng, db.execute(sql).fetchall())
    sql = "SELECT count(*) FROM posts WHERE author = ? AND body LIKE ?"
    require(db.execute(sql, (post["author"], f"%{wrong}%")).fetchone()[0] == 1)
    body = post["body"].replace(wrong, right)
    return Draft(
        f'In one of my posts I have misspelt a word: it says "{wrong}" instead of "{right}". Find the post and correct '
        "this one word. Leave everything else in it as it is.",
        user=post["author"],
        checks=[
            count_is("corrected", "posts", f"id = {post['id']} AND body = {literal(body)}"),
            on_the_way("edited", "posts", f"id = {post['id']} AND edited IS NOT NULL"),
        ],
        touched={"posts": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Search"],
            ["fill", "searchbox", "Words", wrong],
            ["fill", "textbox", "Author", post["author"]],
            ["click", "button", "Search"],
            ["click", "link", post["title"]],
            ["click", "link", "Edit", within_post(post["number"])],
            ["fill", "textbox", "Text", body],
            ["click", "button", "Save changes"],
        ],
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
        checks=[
            count_is("accepted", "threads", accepted),
            count_is("thanked", "posts", thanked),
            on_the_way("accepted", "threads", accepted),
            on_the_way("thanked", "posts", thanked),
        ],
        touched={"threads": [0, 1, 0], "posts": [1, 0, 0]},
        walkthrough=[
            *to_thread(db, thread["id"]),
            *to_page_of(reply["number"]),
            ["click", "button", "Accept as answer", within_post(reply["number"])],
            ["fill", "textbox", "Your reply", text],
            ["click", "button", "Post reply"],
        ],
    )


def write_to_best(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write to the author of the best reply, and follow them."""
    thread_id, reply = draw_best_reply(db, rng, "board_id <= 10")
    author = db.execute("SELECT * FROM users WHERE login = ?", (reply["author"],)).fetchone()
    user = draw_user(db, rng, [author["login"]])
    sql = "SELECT 1 FROM follows WHERE user = ? AND followed = ?"
    require(author["takes_messages"] and not db.execute(sql, (user, author["login"])).fetchone())
    title = db.execute("SELECT title FROM threads WHERE id = ?", (thread_id,)).fetchone()[0]
    subject, text = rng.choice(wishes.LETTERS)
    sent = f"sender = {literal(user)} AND recipient = {literal(author['login'])}"
    followed = f"user = {literal(user)} AND followed = {literal(author['login'])}"
    return Draft(
        f'Find the reply with the most votes in the thread "{title}" (the opening post is no reply). Follow its author '
        f'and send them a private message with the subject "{subject}" and exactly this text: "{text}"',
        user=user,
        checks=[
            count_is("message", "messages", f"{sent} AND subject = {literal(subject)} AND body = {literal(text)}"),
            count_is("follows", "follows", followed),
            on_the_way("message", "messages", sent),
            on_the_way("follows", "follows", followed),
        ],
        touched={"messages": [1, 0, 0], "follows": [1, 0, 0]},
        walkthrough=[
            *to_thread(db, thread_id),
            *to_page_of(reply["number"]),
            ["click", "link", author["login"], within_post(reply["number"])],
            ["click", "button", "Follow"],
            ["click", "link", "Send message"],
            ["fill", "textbox", "Subject", subject],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Send"],
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
    return Draft(
        f"Tidy up my bookmarks: remove all bookmarks {words}, and keep all others.",
        user=user,
        checks=[
            count_is("removed", "bookmarks", f"{mine} {gone}", 0),
            count_is("kept", "bookmarks", f"{mine} {left}", len(marks) - len(chosen)),
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


def round_up(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Bookmark the threads with the most replies on two boards, vote for them, and recommend both in a new thread."""
    boards = rng.sample(db.execute("SELECT * FROM boards WHERE id <= 10 ORDER BY id").fetchall(), 2)
    tag = rng.choice(("question", "guide", "chat"))
    sql = f"{THREADS} WHERE board_id = ? AND tag = ? AND is_removed = 0"
    found = [best(db.execute(sql, (board["id"], tag)).fetchall(), "replies") for board in boards]
    user = draw_user(db, rng, [thread["author"] for thread in found])
    ids = literals([thread["id"] for thread in found])
    openings = f"(SELECT id FROM posts WHERE number = 1 AND thread_id IN {ids})"  # noqa: S608 - our own numbers
    voted = f"user = {literal(user)} AND value = 1 AND post_id IN {openings}"
    marked = f"user = {literal(user)} AND thread_id IN {ids}"
    taken = f"SELECT EXISTS (SELECT 1 FROM bookmarks WHERE {marked}) + EXISTS (SELECT 1 FROM votes WHERE user = ? "  # noqa: S608
    require(not db.execute(f"{taken} AND post_id IN {openings})", (user,)).fetchone()[0])
    title, text = rng.choice(wishes.ROUND_UPS), f"{found[0]['title']} / {found[1]['title']}"
    thread = f"author = {literal(user)} AND title = {literal(title)} AND tag = 'chat' AND board_id = {ABOUT}"
    body = f"body = {literal(text)} AND thread_id IN (SELECT id FROM threads WHERE {thread})"  # noqa: S608 - quoted
    steps: list[Step] = []
    for board, one in zip(boards, found, strict=True):
        steps += [
            *to_board(board["name"]),
            ["select", "combobox", "Sort by", "Most replies"],
            ["select", "combobox", "Tag", tag],
            ["click", "button", "Apply"],
            ["click", "link", one["title"]],
            ["click", "button", "Bookmark this thread"],
            ["click", "button", "Upvote", within_post(1)],
        ]
    return Draft(
        f'On each of the boards {boards[0]["name"]} and {boards[1]["name"]}, find the thread with the tag "{tag}" that '
        "has the most replies. Bookmark both threads and upvote their opening posts. Then start a thread on the board "
        f'About This Forum with the title "{title}", the tag "chat" and as its text the two titles, that from '
        f'{boards[0]["name"]} first, with " / " between them and nothing else.',
        user=user,
        checks=[
            count_is("bookmarks", "bookmarks", marked, 2),
            count_is("votes", "votes", voted, 2),
            count_is("thread", "posts", body),
            on_the_way("first bookmark", "bookmarks", marked),
            on_the_way("second bookmark", "bookmarks", marked, 2),
            on_the_way("first vote", "votes", voted),
            on_the_way("second vote", "votes", voted, 2),
            on_the_way("thread", "threads", thread),
        ],
        touched={"bookmarks": [2, 0, 0], "votes": [2, 0, 0], "threads": [1, 0, 0], "posts": [1, 0, 0]},
        walkthrough=[
            *steps,
            *to_board("About This Forum"),
            ["click", "link", "New thread"],
            ["fill", "textbox", "Title", title],
            ["select", "combobox", "Tag", "chat"],
            ["fill", "textbox", "Text", text],
            ["click", "button", "Publish thread"],
        ],
    )
