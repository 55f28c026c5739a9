"""Queries that several pages share: rows of threads, posts and members with their counts, and who may do what."""

from __future__ import annotations

import sqlite3

from agentgym_web.sites.core.page import Visit
from agentgym_web.sites.core.queries import number, one

POSTS_PER_PAGE = 10
TAGS = ("question", "guide", "chat", "event", "offer")
MAX_TITLE, MAX_BODY = 120, 5000

THREADS = """
SELECT threads.*, boards.name AS board, boards.slug AS slug, counts.replies, counts.last_post, counts.last_author,
    coalesce((SELECT sum(value) FROM votes JOIN posts ON posts.id = post_id
              WHERE posts.thread_id = threads.id AND posts.number = 1), 0) AS score
FROM threads JOIN boards ON boards.id = threads.board_id
JOIN (SELECT thread_id, count(*) - 1 AS replies, max(created) AS last_post, author AS last_author
      FROM posts GROUP BY thread_id) AS counts ON counts.thread_id = threads.id
"""
"""Threads with their board, number of replies, last post, and votes of the opening post."""

POSTS = """
SELECT posts.*, users.name, users.role, users.town, users.shows_town, users.signature,
    coalesce((SELECT sum(value) FROM votes WHERE post_id = posts.id), 0) AS score,
    (SELECT value FROM votes WHERE post_id = posts.id AND user = ?) AS my_vote
FROM posts JOIN users ON users.login = posts.author
"""
"""Posts with their authors, votes, and the vote of the login that is the first parameter."""

MEMBERS = """
SELECT users.*, coalesce(written.posts, 0) AS posts, coalesce(begun.threads, 0) AS threads,
    coalesce(liked.score, 0) AS reputation
FROM users
LEFT JOIN (SELECT author, count(*) AS posts FROM posts WHERE is_removed = 0 GROUP BY author) AS written
    ON written.author = users.login
LEFT JOIN (SELECT author, count(*) AS threads FROM threads WHERE is_removed = 0 GROUP BY author) AS begun
    ON begun.author = users.login
LEFT JOIN (SELECT posts.author, sum(value) AS score FROM votes JOIN posts ON posts.id = post_id GROUP BY posts.author)
    AS liked ON liked.author = users.login
"""
"""Members with numbers of posts and threads, and reputation: votes for their posts less votes against them."""


def is_moderator(visit: Visit) -> bool:
    """Whether a moderator is logged in."""
    return one(visit.db, "SELECT 1 FROM users WHERE login = ? AND role = 'moderator'", visit.user) is not None


def is_banned(visit: Visit) -> bool:
    """Whether who is logged in may not write."""
    return one(visit.db, "SELECT 1 FROM bans WHERE user = ?", visit.user) is not None


def find_thread(visit: Visit, thread_id: int) -> sqlite3.Row | None:
    """A thread that the visitor may see."""
    row = one(visit.db, f"{THREADS} WHERE threads.id = ?", thread_id)
    return None if row is not None and row["is_removed"] and not is_moderator(visit) else row


def post_path(db: sqlite3.Connection, post: sqlite3.Row) -> str:
    """The address of a post: the page of its thread, with its place on it."""
    sql = "SELECT count(*) FROM posts WHERE thread_id = ? AND number < ?"
    page = number(db, sql, post["thread_id"], post["number"]) // POSTS_PER_PAGE + 1
    return f"/t/{post['thread_id']}?page={page}#post-{post['number']}"
