"""Tasks of members that write something: replies, threads, drafts and messages."""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Draft, Step
from agentgym_web.sites.core.draws import choose, literal, literals, require
from agentgym_web.sites.core.row_checks import count_is, counts_and_milestones, on_the_way
from agentgym_web.sites.forum.lookup import THREADS
from agentgym_web.sites.forum.talk import TYPOS
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
        checks=counts_and_milestones(("reply", "posts", posted), ("bookmark", "bookmarks", mine)),
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
    written = f"{sent} AND subject = {literal(subject)} AND body = {literal(text)}"
    followed = f"user = {literal(user)} AND followed = {literal(author['login'])}"
    return Draft(
        f'Find the reply with the most votes in the thread "{title}" (the opening post is no reply). Follow its author '
        f'and send them a private message with the subject "{subject}" and exactly this text: "{text}"',
        user=user,
        checks=counts_and_milestones(("message", "messages", written), ("follows", "follows", followed)),
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
