"""Fills the tables: pages with their histories, editors, talk, and what vandals left behind.

The articles come from `articles`; here is how they came about, revision by revision.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from agentgym_web.sites.wiki import names
from agentgym_web.sites.wiki.articles import Article, all_articles
from agentgym_web.sites.wiki.derived import derive
from agentgym_web.sites.wiki.telling import COMMENTS, MINOR_COMMENTS, NONSENSE, TALK

NOW = datetime(2026, 3, 2, 9, 0)
PASSWORD = "quiet-lagoon"  # noqa: S105 - every invented editor has the same one
_NUM_DAMAGED = 22
_MOST_REVISIONS = 9


@dataclass
class _Edit:
    """A revision in the making."""

    author: str
    created: datetime
    comment: str
    is_minor: bool
    body: str


def fill(db: sqlite3.Connection) -> None:
    """Fill all tables of schema.sql; the same rows on every run."""
    filler = _Filler(db, random.Random("doings of the sarn isles"))
    filler.add_users()
    filler.add_pages()
    filler.add_redirects()
    filler.damage_pages()
    filler.add_reviews()
    filler.add_watches_and_thanks()
    filler.add_talk()
    filler.add_log()
    for page_id, body in db.execute(
        "SELECT page_id, body FROM revisions AS last WHERE number = "
        "(SELECT max(number) FROM revisions WHERE page_id = last.page_id) ORDER BY page_id"
    ).fetchall():
        derive(db, page_id, body)


def stamp(moment: datetime) -> str:
    """A time as the tables hold it."""
    return moment.strftime("%Y-%m-%d %H:%M")


class _Filler:
    def __init__(self, db: sqlite3.Connection, rng: random.Random) -> None:
        self.db = db
        self.rng = rng
        self.articles = list(all_articles())
        self.weights = [rng.random() ** 2 + 0.05 for _ in names.EDITORS]

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Insert whole rows."""
        rows = list(rows)
        gaps = ", ".join("?" * len(rows[0]))
        self.db.executemany(f"INSERT INTO {table} VALUES ({gaps})", rows)  # noqa: S608 - our own names

    def add_users(self) -> None:
        people = [(name, "editor") for name in (*names.EDITORS, *names.VANDALS)] + [
            (one, "admin") for one in names.ADMINS
        ]
        rows = []
        for name, role in people:
            day = datetime(2016, 2, 1) + timedelta(days=self.rng.randrange(1600))
            if name in names.VANDALS:
                day = datetime(2026, 1, 4) + timedelta(days=self.rng.randrange(20))
            rows.append((name, PASSWORD, role, stamp(day), ""))
        self.insert("users", rows)

    def add_pages(self) -> None:
        self.insert("pages", [(number, article.title, 0, 0) for number, article in enumerate(self.articles, 1)])
        edits = [(page_id, edit) for page_id, article in enumerate(self.articles, 1) for edit in self._history(article)]
        edits.sort(key=lambda pair: pair[1].created)
        numbers: dict[int, int] = {}
        rows = []
        for revision_id, (page_id, edit) in enumerate(edits, 1):
            numbers[page_id] = numbers.get(page_id, 0) + 1
            rows.append(
                (
                    revision_id,
                    page_id,
                    numbers[page_id],
                    edit.author,
                    stamp(edit.created),
                    edit.comment,
                    int(edit.is_minor),
                    None,
                    self.rng.choice(names.ADMINS),
                    edit.body,
                )
            )
        self.insert("revisions", rows)
        self.db.execute(
            "UPDATE pages SET is_protected = 1 WHERE title LIKE 'Help:%' OR title LIKE 'Style:%' OR id IN (3, 200, 320)"
        )

    def _history(self, article: Article) -> list[_Edit]:
        """Revisions that begin with the introduction and end with the whole article."""
        moments = self._moments(self.rng.randint(2, _MOST_REVISIONS))
        shown = sorted(self.rng.randint(0, article.num_sentences) for _ in moments[1:-1])
        shown = [0, *shown, article.num_sentences] if len(moments) > 1 else [article.num_sentences]
        edits: list[_Edit] = []
        for moment, count in zip(moments, shown, strict=True):
            body = article.text(count)
            is_minor = bool(edits) and body == edits[-1].body
            if is_minor:
                body = self._slip(body)
            comment = self.rng.choice(MINOR_COMMENTS if is_minor else COMMENTS) if edits else "New page"
            edits.append(_Edit(self._editor(), moment, comment, is_minor, body))
        if edits[-1].body != article.text():
            edits.append(_Edit(self._editor(), moments[-1] + timedelta(hours=5), "Wording", True, article.text()))
        return edits

    def _slip(self, body: str) -> str:
        """The text with a slip, which the next revision has no more."""
        places = [index for index, letter in enumerate(body) if letter == " " and body[index - 1 : index].isalpha()]
        at = self.rng.choice(places[len(places) // 3 :] or places)
        return body[:at] + body[at - 1] + body[at:]

    def _moments(self, count: int) -> list[datetime]:
        first = datetime(2016, 3, 1) + timedelta(days=self.rng.randrange(2200))
        room = int((datetime(2026, 1, 15) - first).total_seconds() // 60)
        later = sorted(self.rng.sample(range(2000, room), count - 1))
        return [first, *(first + timedelta(minutes=minutes) for minutes in later)]

    def _editor(self) -> str:
        return self.rng.choices(names.EDITORS, self.weights)[0]

    def add_redirects(self) -> None:
        for article in self.rng.sample([one for one in self.articles if "River " in one.title], 9):
            self._add_page(f"{article.title.removeprefix('River ')} Water", f"#REDIRECT [[{article.title}]]")
        for article in self.rng.sample([one for one in self.articles if one.title.endswith(" Head Light")], 9):
            self._add_page(article.title.replace(" Head Light", " Head"), f"#REDIRECT [[{article.title}]]")

    def _add_page(self, title: str, body: str) -> None:
        sql = "INSERT INTO pages (title) VALUES (?) RETURNING id"
        page_id = self.db.execute(sql, (title,)).fetchone()[0]
        revision_id = self._add_revision(page_id, _Edit(self._editor(), self._moments(1)[0], "Redirect", False, body))
        self.db.execute("UPDATE revisions SET reviewed_by = ? WHERE id = ?", (names.ADMINS[0], revision_id))

    def _add_revision(self, page_id: int, edit: _Edit) -> int:
        sql = "SELECT coalesce(max(number), 0) + 1 FROM revisions WHERE page_id = ?"
        number = self.db.execute(sql, (page_id,)).fetchone()[0]
        sql = """
            INSERT INTO revisions (page_id, number, author, created, comment, is_minor, body)
            VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
        """
        values = (page_id, number, edit.author, stamp(edit.created), edit.comment, int(edit.is_minor), edit.body)
        revision_id: int = self.db.execute(sql, values).fetchone()[0]
        return revision_id

    def damage_pages(self) -> None:
        """Vandals add nonsense, or take the sections away that hold nothing but trivia and links."""
        damaged = self.rng.sample([number for number, one in enumerate(self.articles, 1) if one.entity], _NUM_DAMAGED)
        self.db.execute(f"UPDATE pages SET is_protected = 0 WHERE id IN ({', '.join(map(str, damaged))})")  # noqa: S608
        for page_id in damaged:
            article = self.articles[page_id - 1]
            text = article.text()
            vandal = self.rng.choice(names.VANDALS)
            moment = NOW - timedelta(minutes=self.rng.randint(900, 40_000))
            for _ in range(self.rng.choice((1, 1, 2))):
                head, *rest = text.split("\n\n")
                text = "\n\n".join([f"{head} {self.rng.choice(NONSENSE)}", *rest])
                self._add_revision(
                    page_id, _Edit(vandal, moment, self.rng.choice(("", "lol", "fixed it")), False, text)
                )
                moment += timedelta(minutes=self.rng.randint(2, 90))

    def add_reviews(self) -> None:
        """Recent edits by good editors that nobody has looked at yet."""
        sql = "SELECT id, title FROM pages WHERE id NOT IN (SELECT page_id FROM revisions WHERE reviewed_by IS NULL)"
        pages = [
            row for row in self.db.execute(sql).fetchall() if not row["title"].startswith(("Help", "Style", "List"))
        ]
        for page in self.rng.sample(pages, 34):
            sql = "SELECT body FROM revisions WHERE page_id = ? ORDER BY number DESC LIMIT 1"
            body = self.db.execute(sql, (page["id"],)).fetchone()[0]
            aside = self.rng.choice(
                ("A bench was put up there lately.", "A postcard of it exists.", "It is on a stamp.")
            )
            if "\n\n[[Category" in body:
                body = body.replace("\n\n[[Category", f"\n\n== Today ==\n{aside}\n\n[[Category", 1)
            moment = NOW - timedelta(minutes=self.rng.randint(300, 40_000))
            self._add_revision(page["id"], _Edit(self._editor(), moment, self.rng.choice(COMMENTS), False, body))

    def add_watches_and_thanks(self) -> None:
        watches = []
        for user in (*names.EDITORS, *names.ADMINS):
            pages = self.rng.sample(range(1, len(self.articles) + 1), self.rng.randint(3, 14))
            watches += [(user, page_id) for page_id in pages]
        self.insert("watches", watches)
        good = [
            (row["id"], row["author"])
            for row in self.db.execute("SELECT id, author FROM revisions WHERE reviewed_by IS NOT NULL ORDER BY id")
        ]
        thanks = {(self.rng.choice(names.EDITORS), revision_id) for revision_id, _ in self.rng.sample(good, 120)}
        self.insert("thanks", sorted(thanks))

    def add_talk(self) -> None:
        number = 0
        for page_id in self.rng.sample(range(1, len(self.articles) + 1), 90):
            for title, question, answer in self.rng.sample(TALK, self.rng.choice((1, 1, 2))):
                number += 1
                is_answered = self.rng.random() < 0.6
                is_settled = is_answered and self.rng.random() < 0.5
                self.insert("topics", [(number, page_id, title, int(is_settled))])
                moment = NOW - timedelta(minutes=self.rng.randint(5000, 900_000))
                texts = [question, answer] if is_answered else [question]
                for text in texts:
                    sql = "INSERT INTO comments (topic_id, author, body, created) VALUES (?, ?, ?, ?)"
                    self.db.execute(sql, (number, self._editor(), text, stamp(moment)))
                    moment += timedelta(minutes=self.rng.randint(30, 4000))

    def add_log(self) -> None:
        self.insert("blocks", [(names.VANDALS[3], names.ADMINS[0], 30, "vandalism", "2026-02-27 20:11")])
        rows = [(names.ADMINS[0], "blocked user", names.VANDALS[3], "2026-02-27 20:11")]
        for title in self.rng.sample([article.title for article in self.articles], 30):
            moment = NOW - timedelta(minutes=self.rng.randint(4000, 900_000))
            action = self.rng.choice(("protected page", "unprotected page", "moved page", "restored page"))
            rows.append((self.rng.choice(names.ADMINS), action, title, stamp(moment)))
        rows.sort(key=lambda row: row[3])
        self.insert("log", [(number, *row) for number, row in enumerate(rows, 1)])
