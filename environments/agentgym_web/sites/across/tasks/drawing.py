"""What the templates across sites share: going to a site, planted letters and threads, and letters that are sent.

How each site is used is in the modules of its own templates, which these take their drafts and steps from.
"""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_web.sites.across.drafts import OnSite
from agentgym_web.sites.core.drafts import Check, Draft, Step
from agentgym_web.sites.core.draws import literal, rows
from agentgym_web.sites.core.row_checks import num_rows, row_is
from agentgym_web.sites.mail import drawing as mail
from agentgym_web.sites.phone.data import CALENDARS
from agentgym_web.sites.phone.tasks import draws as phone

_LETTER = (
    "INSERT INTO message (id, login, folder_id, thread, sender_name, sender, recipients, subject, body, sent)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_THREAD = "INSERT INTO threads (id, board_id, author, title, tag, created) VALUES (?, ?, ?, ?, ?, ?)"
_POST = "INSERT INTO posts (id, thread_id, number, author, body, created) VALUES (?, ?, ?, ?, ?, ?)"
_VOTE = "INSERT INTO votes (post_id, user, value) VALUES (?, ?, 1)"


def goto(site: str) -> Step:
    """The step to the first page of a site."""
    return ["goto", f"http://{site}.test/"]


def in_new_tab(site: str) -> list[Step]:
    """Steps to the first page of a site in a tab of its own."""
    return [["new_tab"], goto(site)]


def clicked(steps: Sequence[Step]) -> list[Step]:
    """Steps on the phone with clicks for taps: across sites the phone is a page in a window, and there is no finger."""
    return [["click", *step[1:]] if step[0] == "tap" else step for step in steps]


def acting(draft: Draft) -> list[Step]:
    """The steps of a question without its answer."""
    return [step for step in draft.walkthrough if step[0] != "answer"]


def answer_of(draft: Draft) -> str:
    """The answer of a question, as text."""
    assert draft.answer is not None
    value = draft.answer.value
    return f"{value:g}" if isinstance(value, float) else str(value)


def on_site(draft: Draft, **more: Any) -> OnSite:
    """What a draft on one site says of it, as a part of a task across sites."""
    said = {"checks": draft.checks, "touched": draft.touched, "plants": draft.plants}
    return OnSite(user=draft.user, **{**said, **more})


def contact(db: sqlite3.Connection, rng: random.Random, login: str) -> sqlite3.Row:
    """One of the contacts of a mailbox with an address, of a name that no other contact has."""
    found = rows(db, "SELECT * FROM contact WHERE login = ? AND email != '' ORDER BY id", login)
    names = [row["name"] for row in found]
    return rng.choice([row for row in found if names.count(row["name"]) == 1])


def letter(
    db: sqlite3.Connection, login: str, sender: tuple[str, str], subject: str, body: str, *, number: int = 1
) -> list[Any]:
    """A plant with which a letter lies on top of the inbox.

    Args:
        db: The mail service's database.
        login: Whose mailbox.
        sender: Name and address of who wrote it.
        subject: Its subject, which no other letter in the inbox has.
        body: Its text.
        number: Which of the planted letters it is, from 1.
    """
    new, inbox = mail.last(db) + number, mail.folder(db, login, "Inbox")
    sent = f"2026-03-02 08:{10 + number:02d}"
    return [_LETTER, [new, login, inbox, new, *sender, mail.email_of(login), subject, body, sent]]


def opened(db: sqlite3.Connection, number: int = 1) -> Check:
    """A milestone: a planted letter was opened."""
    return mail.was_opened(mail.last(db) + number)


def written(db: sqlite3.Connection, planted: int = 0) -> Check:
    """A milestone: a letter was written, after those that were planted."""
    return mail.counted(f"FROM message WHERE id > {mail.last(db) + planted}", 1, "a letter is written")


def sent(db: sqlite3.Connection, login: str, planted: int = 0, **columns: Any) -> Check:
    """Holds when just one letter was written, was sent, and has these columns; a full stop after the text is free."""
    expected = {"login": login, "folder_id": mail.folder(db, login, "Sent"), "copies": "", **columns}
    named = ", ".join("rtrim(trim(body), '. ')" if name == "body" else name for name in expected)
    if "body" in expected:
        expected["body"] = str(expected["body"]).rstrip(". ")
    sql = f"SELECT {named} FROM message WHERE id > {mail.last(db) + planted}"
    return Check(sql, [[*expected.values()]], "the letter is sent as asked")


def replied_letter(
    db: sqlite3.Connection, login: str, sender: tuple[str, str], subject: str, body: str, text: str
) -> OnSite:
    """A part of a task on the mail service: a planted letter is read, and answered with a text.

    Args:
        db: The mail service's database.
        login: Whose mailbox.
        sender: Name and address of who wrote it.
        subject: Its subject, which no other letter in the inbox has.
        body: Its text.
        text: The text of the answer.
    """
    return OnSite(
        login,
        plants=[letter(db, login, sender, subject, body)],
        checks=[
            sent(db, login, 1, recipients=sender[1], body=text, thread=mail.last(db) + 1),
            opened(db),
            written(db, 1),
        ],
        touched={"message": [1, 0, 0]},
    )


def entered(title: str, calendar: str, event: Mapping[str, str]) -> OnSite:
    """A part of a task on the phone: an event is entered in one of its calendars.

    Args:
        title: The title of the event, which no other has.
        calendar: The name of the calendar.
        event: The other columns of the event, and their values.
    """
    key = {"title": title}
    return OnSite(
        phone.USER,
        checks=[
            row_is("events", key, {**event, "calendar_id": CALENDARS.index(calendar) + 1}),
            num_rows("events", key, 1, "an event is entered", milestone=True),
        ],
        touched={"events": [1, 0, 0]},
    )


def reply_steps(subject: str, text: str) -> list[Step]:
    """Steps from the mail service's first page: reply to a letter in the inbox."""
    return [
        ["click", "link", subject],
        ["click", "link", "Reply"],
        ["fill", "textbox", "Text", text],
        ["click", "button", "Send"],
    ]


def thread(
    db: sqlite3.Connection, board: int, title: str, posts: Sequence[tuple[str, str]], votes: Sequence[int] = ()
) -> list[list[Any]]:
    """Plants with which a new thread stands on a board of the forum.

    Args:
        db: The forum's database.
        board: Id of the board.
        title: Its title.
        posts: Author and text of each post; the first one opens it.
        votes: For each post how many members have voted for it.
    """
    new, first = thread_id(db), db.execute("SELECT max(id) FROM posts").fetchone()[0] + 1
    plants: list[list[Any]] = [[_THREAD, [new, board, posts[0][0], title, "question", "2026-03-01 18:00"]]]
    voters = [row[0] for row in db.execute("SELECT login FROM users WHERE role = 'member' ORDER BY login")]
    for index, (author, body) in enumerate(posts):
        plants.append([_POST, [first + index, new, index + 1, author, body, f"2026-03-01 18:{index + 1:02d}"]])
        count = votes[index] if votes else 0
        plants += [[_VOTE, [first + index, voter]] for voter in [one for one in voters if one != author][:count]]
    return plants


def article(page: int, body: str) -> list[Any]:
    """A plant with which an article of the almanac has another text."""
    latest = "SELECT max(number) FROM revisions WHERE page_id = ?"
    return [f"UPDATE revisions SET body = ? WHERE page_id = ? AND number = ({latest})", [body, page, page]]


def thread_id(db: sqlite3.Connection) -> int:
    """Id of the planted thread."""
    return int(db.execute("SELECT max(id) FROM threads").fetchone()[0]) + 1


def answer_in_thread(text: str) -> list[Step]:
    """Steps that reply to the thread that is shown."""
    return [["fill", "textbox", "Your reply", text], ["click", "button", "Post reply"]]


def replied(number: int, user: str, text: str) -> list[Check]:
    """Holds when a thread has one new reply of a user with a text; a full stop after it is free. And a milestone."""
    mine = f"FROM posts WHERE thread_id = {number} AND author = {literal(user)}"
    last = text.rstrip(". ").lower()
    return [
        Check(f"SELECT rtrim(trim(lower(body)), '. ') {mine}", [[last]], "the reply is right"),
        Check(f"SELECT count(*) > 0 {mine}", [[1]], "a reply is written", True),
    ]
