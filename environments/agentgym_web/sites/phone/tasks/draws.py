"""How templates draw from the phone's database, and the steps that their walkthroughs share."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from agentgym_web.sites.core.draws import rows
from agentgym_web.sites.phone.data import OWNER

USER = OWNER
Steps = list[list[Any]]


@dataclass(frozen=True)
class Story:
    """A dialogue of a chat, with what it is about."""

    chat: int
    """Id of the chat."""
    title: str
    """Title of the chat."""
    contact: int
    """Id of the contact who speaks."""
    name: str
    """Their name."""
    first: int
    """Id of its first message."""
    last: int
    """Id of its last message."""
    facts: Mapping[str, Any]
    """What it says."""


def stories(db: sqlite3.Connection, kind: str) -> list[Story]:
    """The dialogues of a kind in chats that are not archived, with people who are not blocked.

    Of those with one person, only the last of its kind in a chat.
    """
    found = rows(
        db,
        """SELECT _stories.*, chats.title, contacts.name FROM _stories JOIN chats ON chats.id = chat_id
           JOIN contacts ON contacts.id = contact_id
           WHERE kind = ? AND NOT is_archived AND (is_group OR NOT is_blocked) ORDER BY _stories.id""",
        kind,
    )
    told = [
        Story(
            chat=row["chat_id"],
            title=row["title"],
            contact=row["contact_id"],
            name=row["name"],
            first=row["first_message"],
            last=row["last_message"],
            facts=json.loads(row["facts"]),
        )
        for row in found
    ]
    return told if kind in ("poll", "film") else list({story.chat: story for story in told}.values())


def tell(db: sqlite3.Connection, rng: random.Random, kind: str) -> Story:
    """One of the dialogues of a kind."""
    return rng.choice(stories(db, kind))


def said_day(day: str) -> str:
    """A day as people say it, such as "Thursday, 5 March"."""
    moment = date.fromisoformat(day)
    return f"{moment:%A}, {moment.day} {moment:%B}"


def app(label: str) -> Steps:
    """Steps that open an app of the bar."""
    return [["tap", "link", label]]


def open_chat(title: str) -> Steps:
    """Steps from anywhere to a chat that is not archived."""
    return [
        *app("Chats"),
        ["fill", "searchbox", "Search chats", title],
        ["tap", "button", "Search"],
        ["tap", "link", title],
    ]


def find_chat(title: str) -> Steps:
    """Steps from anywhere to the list of chats with one row."""
    return open_chat(title)[:-1]


def open_contact(name: str) -> Steps:
    """Steps from anywhere to a contact."""
    return [
        *app("More"),
        ["tap", "link", "Contacts"],
        ["fill", "searchbox", "Search contacts", name],
        ["tap", "button", "Search"],
        ["tap", "link", name],
    ]


def send_text(text: str) -> Steps:
    """Steps that send a message in an open chat."""
    return [["fill", "textbox", "Message", text], ["tap", "button", "Send"]]


def find_events(words: str) -> Steps:
    """Steps from anywhere to the events that a search finds."""
    return [
        *app("More"),
        ["tap", "link", "Search events"],
        ["fill", "searchbox", "Search events", words],
        ["tap", "button", "Search"],
    ]


def at_event(verb: str, event: sqlite3.Row, *rest: str) -> list[Any]:
    """A step on the row of an event among those that a search found."""
    return [verb, "link", event["title"], *rest, {"within": f"{said_day(event['day'])} {event['day'][:4]}"}]


def open_event(event: sqlite3.Row) -> Steps:
    """Steps from anywhere to an event."""
    return [*find_events(event["title"]), at_event("tap", event)]


def fill_event(values: Mapping[str, str]) -> Steps:
    """Steps that fill the form of an event, by label."""
    steps: Steps = []
    for label, value in values.items():
        verb, role = ("select", "combobox") if label in ("Calendar", "Reminder") else ("fill", "textbox")
        steps.append([verb, role, label, value])
    return [*steps, ["tap", "button", "Save event"]]
