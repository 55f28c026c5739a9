"""What the templates of the mail tasks share: drawing stories and messages, finding, ticking and sending."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_web.sites.core.drafts import Check, Step, UnsuitableDraw
from agentgym_web.sites.core.draws import rows
from agentgym_web.sites.core.formats import moment

MAX_FOUND = 20
"""Messages that a list shows on its first page."""


@dataclass(frozen=True)
class Story:
    """Something that a mailbox tells, with the message that says it last."""

    login: str
    message: int
    facts: dict[str, Any]


def owner(db: sqlite3.Connection, rng: random.Random) -> str:
    """The login of a mailbox."""
    return str(rng.choice([row[0] for row in db.execute("SELECT login FROM account ORDER BY login")]))


def email_of(login: str) -> str:
    """The address of a mailbox."""
    return f"{login}@inkmail.test"


def stories(db: sqlite3.Connection, kind: str, login: str) -> list[Story]:
    """All stories of a kind in a mailbox."""
    sql = "SELECT * FROM _story WHERE kind = ? AND login = ? ORDER BY id"
    return [Story(login, row["message_id"], json.loads(row["facts"])) for row in db.execute(sql, (kind, login))]


def story(db: sqlite3.Connection, rng: random.Random, kind: str, login: str | None = None) -> Story:
    """One story of a kind.

    Raises:
        UnsuitableDraw: There is none.
    """
    found = stories(db, kind, owner(db, rng) if login is None else login)
    if not found:
        raise UnsuitableDraw(kind)
    return rng.choice(found)


def message(db: sqlite3.Connection, number: int) -> sqlite3.Row:
    """A message by its id."""
    row: sqlite3.Row = db.execute("SELECT * FROM message WHERE id = ?", (number,)).fetchone()
    return row


def last(db: sqlite3.Connection, table: str = "message") -> int:
    """The highest id of a table at the start; rows that the agent adds come after it."""
    return int(db.execute(f"SELECT max(id) FROM {table}").fetchone()[0])


def folder(db: sqlite3.Connection, login: str, name: str) -> int:
    """The id of a folder by its name."""
    return int(db.execute("SELECT id FROM folder WHERE login = ? AND name = ?", (login, name)).fetchone()[0])


def from_sender(db: sqlite3.Connection, login: str, sender: str, where: str = "1") -> list[sqlite3.Row]:
    """The messages in the inbox from a sender, oldest first; more conditions on `m`."""
    return rows(
        db,
        "SELECT m.* FROM message m JOIN folder f ON f.id = m.folder_id WHERE m.login = ? AND f.kind = 'inbox'"
        f" AND m.sender_name = ? AND {where} ORDER BY m.sent",
        login,
        sender,
    )


def letters(db: sqlite3.Connection, rng: random.Random, login: str) -> sqlite3.Row:
    """One of the newsletters that a mailbox gets: name, address and number of issues in the inbox."""
    sql = (
        "SELECT sender_name, sender, count(*) AS count FROM message m JOIN folder f ON f.id = m.folder_id"
        " WHERE m.login = ? AND f.kind = 'inbox' AND subject LIKE sender_name || ':%' GROUP BY 1, 2"
    )
    return rng.choice(rows(db, sql, login))


def search_steps(words: str) -> list[Step]:
    """Steps that search all mail."""
    return [["fill", "searchbox", "Search mail", words], ["click", "button", "Search"]]


def open_steps(db: sqlite3.Connection, number: int) -> list[Step]:
    """Steps from any page to a message.

    Raises:
        UnsuitableDraw: A search for its subject and sender finds more than a page.
    """
    row = message(db, number)
    words = f"{row['subject']} {row['sender_name']}"
    sql = "SELECT count(*) FROM message WHERE login = ? AND subject LIKE ? AND sender_name = ?"
    if db.execute(sql, (row["login"], f"%{row['subject']}%", row["sender_name"])).fetchone()[0] > MAX_FOUND:
        raise UnsuitableDraw("not found on the first page")
    return [*search_steps(words), ["click", "link", row["subject"], {"within": moment(row["sent"])}]]


def tick_steps(messages: Sequence[sqlite3.Row]) -> list[Step]:
    """Steps that tick messages of the list that is shown."""
    return [["click", "checkbox", f"Tick {row['subject']}, {moment(row['sent'])}"] for row in messages]


def write_steps(person: sqlite3.Row, subject: str, text: str, file: str = "") -> list[Step]:
    """Steps from any page: look a contact up, and write to them."""
    attach: list[Step] = [["upload", "button", "Attach files", file]] if file else []
    return [
        ["click", "link", "Contacts"],
        ["fill", "textbox", "Find", person["name"]],
        ["click", "button", "Show contacts"],
        ["click", "link", person["name"]],
        ["click", "link", "Write a message"],
        ["fill", "textbox", "Subject", subject],
        ["fill", "textbox", "Text", text],
        *attach,
        ["click", "button", "Send"],
    ]


def unread_plant(number: int) -> list[Any]:
    """A plant with which a message is unread at the start."""
    return ["DELETE FROM reading WHERE message_id = ?", [number]]


def was_opened(number: int) -> Check:
    """A milestone: the message was opened."""
    return Check(f"SELECT count(*) FROM reading WHERE message_id = {number}", [[1]], "the message is opened", True)


def sent_check(db: sqlite3.Connection, login: str, name: str, **columns: Any) -> Check:
    """Holds when just one message was written, lies in a folder and has these columns."""
    expected = {"folder_id": folder(db, login, name), **columns}
    sql = f"SELECT {', '.join(expected)} FROM message WHERE id > {last(db)}"
    return Check(sql, [[*expected.values()]], f"the message is in {name} as asked")


def counted(sql: str, at_least: int, name: str) -> Check:
    """A milestone: a count is at least so much; `sql` is what follows SELECT count(*)."""
    return Check(f"SELECT count(*) >= {at_least} {sql}", [[1]], name, True)


def numbers(messages: Sequence[sqlite3.Row]) -> str:
    """Ids as SQL lists them."""
    return ", ".join(str(row["id"]) for row in messages)
