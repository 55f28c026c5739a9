"""Fills the tables: members, boards, threads and posts of `world`, and what members did with them.

Every draw comes from one generator with a fixed seed.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from agentgym_web.sites.forum import talk
from agentgym_web.sites.forum.people import PASSWORD, Person
from agentgym_web.sites.forum.topics import TOPICS
from agentgym_web.sites.forum.world import OTHER_BOARDS, Post, Thread, world

NOW = datetime(2026, 3, 2, 9, 0)
ACTIONS = ("locked thread", "pinned thread", "moved thread", "removed post", "banned member", "dismissed report")
_NUM_TYPOS = 70


def fill(db: sqlite3.Connection) -> None:
    """Fill all tables of schema.sql; the same rows on every run."""
    filler = _Filler(db, random.Random("doings of lantern green"))
    filler.add_members()
    filler.add_boards()
    filler.add_threads()
    filler.add_votes()
    filler.add_polls()
    filler.add_lists()
    filler.add_messages()
    filler.add_drafts()
    filler.add_reports()
    filler.add_moderation()


def stamp(moment: datetime) -> str:
    """A time as the tables hold it."""
    return moment.strftime("%Y-%m-%d %H:%M")


def _is_plain(thread: Thread) -> bool:
    return not (thread.prices or thread.guests or thread.poll or thread.offer)


class _Filler:
    def __init__(self, db: sqlite3.Connection, rng: random.Random) -> None:
        self.db = db
        self.rng = rng
        self.people = world().people
        self.moderators = [person for person in self.people if person.role == "moderator"]
        self.members = [person for person in self.people if not person.is_spammer]
        self.posts: list[tuple[int, int, Post, Thread]] = []
        """Id, number in the thread, the post and its thread."""

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Insert whole rows."""
        rows = list(rows)
        gaps = ", ".join("?" * len(rows[0]))
        self.db.executemany(f"INSERT INTO {table} VALUES ({gaps})", rows)  # noqa: S608 - our own names

    def add_members(self) -> None:
        self.insert(
            "users",
            [
                (
                    one.login,
                    PASSWORD,
                    one.name,
                    one.role,
                    one.town,
                    one.bio,
                    one.signature,
                    stamp(one.joined),
                    one.digest,
                    int(number % 9 != 4),
                    int(number % 13 != 6),
                )
                for number, one in enumerate(self.people)
            ],
        )

    def add_boards(self) -> None:
        crafts = [(topic.slug, topic.name, topic.description, topic.section) for topic in TOPICS]
        others = [(slug, name, description, section) for slug, name, section, description in OTHER_BOARDS]
        self.insert("boards", [(number, *board) for number, board in enumerate([*crafts, *others], 1)])

    def add_threads(self) -> None:
        boards = {row["slug"]: row["id"] for row in self.db.execute("SELECT id, slug FROM boards")}
        rows, posts = [], []
        for number, thread in enumerate(world().threads, 1):
            opening = thread.posts[0]
            is_locked = thread.posts[-1].created < NOW - timedelta(days=500) and self.rng.random() < 0.3
            is_pinned = thread.tag == "guide" and self.rng.random() < 0.06
            rows.append(
                (
                    number,
                    boards[thread.board],
                    opening.author.login,
                    thread.title,
                    thread.tag,
                    stamp(opening.created),
                    int(is_locked),
                    int(is_pinned),
                    0,
                    None,
                )
            )
            posts += [(number, place, post, thread) for place, post in enumerate(thread.posts, 1)]
        self.insert("threads", rows)
        posts.sort(key=lambda post: post[2].created)
        self.posts = [(number, place, post, thread) for number, (_, place, post, thread) in enumerate(posts, 1)]
        bodies = self._bodies()
        self.insert(
            "posts",
            [
                (number, thread_id, place, post.author.login, bodies[number], stamp(post.created), None, 0)
                for number, (thread_id, place, post, _) in enumerate(posts, 1)
            ],
        )
        self._accept_answers()

    def _bodies(self) -> dict[int, str]:
        """Bodies by post, some with a slip of the pen: the first occurrence of one word."""
        bodies = {number: post.body for number, _, post, _ in self.posts}
        for number in self.rng.sample(sorted(bodies), len(bodies)):
            wrong = [word for word in talk.TYPOS if f" {word} " in bodies[number]]
            if wrong and self.rng.random() < _NUM_TYPOS / 500:
                word = self.rng.choice(wrong)
                bodies[number] = bodies[number].replace(f" {word} ", f" {talk.TYPOS[word]} ", 1)
        return bodies

    def _accept_answers(self) -> None:
        sql = "SELECT id FROM threads WHERE tag = 'question' AND board_id <= ?"
        for (thread_id,) in self.db.execute(sql, (len(TOPICS),)).fetchall():
            sql = "SELECT id FROM posts WHERE thread_id = ? AND number > 1"
            replies = [row[0] for row in self.db.execute(sql, (thread_id,))]
            if len(replies) > 1 and self.rng.random() < 0.4:
                answer = self.rng.choice(replies)
                self.db.execute("UPDATE threads SET answer_id = ? WHERE id = ?", (answer, thread_id))

    def add_votes(self) -> None:
        rows = []
        for number, place, post, thread in self.posts:
            if post.author.is_spammer:
                worth, liking = self.rng.randint(2, 6), 0.05
            else:
                worth, liking = int(self.rng.expovariate(1 / (6 if place == 1 else 2.6))), 0.88
            if thread.tag == "event":
                worth //= 3
            voters = self.rng.sample(self.members, min(worth, 40))
            others = [voter.login for voter in voters if voter is not post.author]
            rows += [(number, login, 1 if self.rng.random() < liking else -1) for login in others]
        self.insert("votes", rows)

    def add_polls(self) -> None:
        option_id = 0
        with_polls = [(number, thread) for number, thread in enumerate(world().threads, 1) if thread.poll]
        for poll_id, (thread_id, thread) in enumerate(with_polls, 1):
            question, options = thread.poll or ("", ())
            is_closed = thread.posts[0].created < NOW - timedelta(days=420)
            self.insert("polls", [(poll_id, thread_id, question, int(is_closed))])
            ids = list(range(option_id + 1, option_id + 1 + len(options)))
            option_id = ids[-1]
            self.insert("poll_options", zip(ids, [poll_id] * len(ids), options, strict=True))
            weights = [self.rng.random() + 0.2 for _ in ids]
            voters = self.rng.sample(self.members, self.rng.randint(14, 44))
            drawn = self.rng.choices(ids, weights, k=len(voters))
            self.insert("poll_votes", [(poll_id, one.login, option) for one, option in zip(voters, drawn, strict=True)])

    def add_lists(self) -> None:
        num_threads = len(world().threads)
        bookmarks, follows = [], []
        for person in self.members:
            for thread_id in self.rng.sample(range(1, num_threads + 1), self.rng.randint(4, 14)):
                begun = world().threads[thread_id - 1].posts[0].created
                added = begun + (NOW - timedelta(days=1) - begun) * self.rng.random()
                bookmarks.append((person.login, thread_id, stamp(added)))
            others = self.rng.sample(self.members, self.rng.randint(0, 6))
            follows += [(person.login, other.login) for other in others if other is not person]
        self.insert("bookmarks", bookmarks)
        self.insert("follows", follows)

    def add_messages(self) -> None:
        rows = []
        for _ in range(260):
            sender, recipient = self.rng.sample(self.members, 2)
            subject, body = self.rng.choice(talk.LETTERS)
            body = body.format(craft=self.rng.choice(TOPICS).name.lower())
            subject = subject.format(craft=self.rng.choice(TOPICS).name.lower())
            sent = NOW - timedelta(minutes=self.rng.randint(300, 200_000))
            rows.append((stamp(sent), sender.login, recipient.login, subject, body))
        rows.sort()
        self.insert("messages", [(number, *row[1:], row[0]) for number, row in enumerate(rows, 1)])

    def add_drafts(self) -> None:
        rows = []
        for number, person in enumerate(self.rng.sample(self.members, 24), 1):
            topic_number = self.rng.randrange(len(TOPICS))
            topic = TOPICS[topic_number]
            gaps = {name: self.rng.choice(words) for name, words in topic.gaps.items()}
            title = self.rng.choice(topic.questions).format(**gaps)
            body = self.rng.choice(topic.openings).format(**gaps)
            saved = NOW - timedelta(minutes=self.rng.randint(500, 40_000))
            title, body = title[0].upper() + title[1:], body[0].upper() + body[1:]
            rows.append((number, person.login, topic_number + 1, title, "question", body, stamp(saved)))
        self.insert("drafts", rows)

    def add_reports(self) -> None:
        """Reports of adverts, and of posts that are written here to be reported."""
        reported: list[tuple[int, str]] = [
            (number, "advertising") for number, _, post, _ in self.posts if post.author.is_spammer
        ]
        for reason, texts in (("insult", talk.INSULTS), ("off topic", talk.STRAYS), ("dangerous advice", talk.DANGERS)):
            for number, place, post, thread in self.rng.sample(self.posts, 15):
                if place > 1 and _is_plain(thread) and not post.author.is_spammer:
                    self.db.execute("UPDATE posts SET body = ? WHERE id = ?", (self.rng.choice(texts), number))
                    reported.append((number, reason))
        for number, _, _, thread in self.rng.sample(self.posts, 16):
            if _is_plain(thread):
                reported.append((number, self.rng.choice(("insult", "off topic", "advertising"))))
        rows = []
        for post_id, reason in dict(reported).items():
            written = next(post.created for number, _, post, _ in self.posts if number == post_id)
            created = max(written + timedelta(hours=2), NOW - timedelta(minutes=self.rng.randint(400, 60_000)))
            reporter = self.rng.choice(self.members)
            rows.append((stamp(created), post_id, reporter.login, reason))
        rows.sort()
        for number, (created, post_id, reporter, reason) in enumerate(rows, 1):
            status, closer = "open", None
            if number % 4 == 0:
                status, closer = self.rng.choice(("upheld", "dismissed")), self.rng.choice(self.moderators).login
            self.insert("reports", [(number, post_id, reporter, reason, "", created, status, closer)])
            if status == "upheld":
                self.db.execute("UPDATE posts SET is_removed = 1 WHERE id = ?", (post_id,))

    def add_moderation(self) -> None:
        candidates = [person for person in self.members if person.role == "member"]
        banned = self.rng.sample(candidates, 4)
        reasons = ("repeated insults", "advertising", "two warnings ignored", "advertising")
        days = (7, 30, 90, None)
        self.insert(
            "bans",
            [
                (one.login, self.rng.choice(self.moderators).login, length, reason, self._recent(5))
                for one, length, reason in zip(banned, days, reasons, strict=True)
            ],
        )
        titles = [thread.title for thread in world().threads]
        entries = sorted((self._recent(330), *self._entry(titles, candidates)) for _ in range(230))
        self.insert("moderation_log", [(number, *row[1:], row[0]) for number, row in enumerate(entries, 1)])

    def _entry(self, titles: Sequence[str], candidates: Sequence[Person]) -> tuple[str, str, str]:
        action = self.rng.choice(ACTIONS)
        subject = self.rng.choice(candidates).login if action == "banned member" else self.rng.choice(titles)
        if action in ("removed post", "dismissed report"):
            subject = f"post {self.rng.randint(2, 9)} in {subject}"
        return self.rng.choice(self.moderators).login, action, subject

    def _recent(self, days: int) -> str:
        return stamp(NOW - timedelta(minutes=self.rng.randint(60, days * 1440)))
