"""Mails and messages: what people write to each other, with facts that other apps have a use for."""

from __future__ import annotations

import json
import random
import sqlite3
from itertools import count

from agentgym_tools.apps.base import words
from agentgym_tools.apps.base.people import Person, Size
from agentgym_tools.apps.calendar_days import DAY, TODAY, clock, date_of

_MAIL_MARKS = ", ".join("?" * 14)


def fill_mails(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add mails; each lies in the sender's folder of sent mails and in each recipient's inbox."""
    numbers, threads = count(1), count(1)
    for person in people:
        rows = [
            _mail(rng, person, people[rng.choice(person.known) - 1], next(threads))
            for _ in range(size.many(rng, 14, 20))
        ]
        rows += [_news(rng, next(threads)) for _ in range(size.many(rng, 5, 8))]
        for row in rows:
            sender, thread, subject, body, sent, attachment, attached = row
            folder = rng.choice(("inbox", "inbox", "inbox", "archive"))
            label = rng.choice((None, None, None, *words.LABELS))
            is_read, is_starred = int(rng.random() < 0.7), int(rng.random() < 0.2)
            to = json.dumps([person.email])
            rest = (sent, is_read, is_starred, label, attachment, attached)
            db.execute(
                f"INSERT INTO mails VALUES ({_MAIL_MARKS})",  # noqa: S608 - question marks
                (next(numbers), person.id, thread, folder, sender, to, subject, body, *rest),
            )
            owner = next((each for each in people if each.email == sender), None)
            if owner is not None:
                rest = (sent, 1, 0, None, attachment, attached)
                db.execute(
                    f"INSERT INTO mails VALUES ({_MAIL_MARKS})",  # noqa: S608 - question marks
                    (next(numbers), owner.id, thread, "sent", sender, to, subject, body, *rest),
                )


def _mail(rng: random.Random, person: Person, sender: Person, thread: int) -> tuple[str | int | None, ...]:
    sent = _moment(rng, 40)
    topic, occasion = rng.choice(words.TOPICS), rng.choice(words.OCCASIONS)
    kind = rng.choice(("share", "meeting", "report", "errand", "address", "recipe"))
    attachment = attached = None
    if kind == "share":
        subject, body = f"Our {occasion}", f"Your share of the {occasion} is {rng.randrange(300, 9000, 50) / 100:.2f}."
    elif kind == "meeting":
        when = f"{date_of(TODAY + rng.randint(1, 20))} at {clock(rng.randrange(9 * 60, 18 * 60, 30))}"
        subject, body = f"Meeting about the {topic}", f"Can we meet on {when} at {rng.choice(words.PLACES)}?"
    elif kind == "report":
        subject, body = f"Report on the {topic}", f"The report on the {topic} is attached."
        attachment, attached = f"{topic.replace(' ', '-')}.txt", f"The {topic} will cost {rng.randint(2, 90)}00."
    elif kind == "errand":
        subject, body = "A favour", f"Could you {rng.choice(words.ERRANDS)} by {date_of(TODAY + rng.randint(1, 15))}?"
    elif kind == "address":
        subject, body = "I have moved", f"My new address is {rng.randint(1, 99)} Harbour Way in {person.city}."
    else:
        product = rng.choice(words.PRODUCTS["kitchen"])
        subject, body = "Something for your kitchen", f"You should get a {product}. I love mine."
    return sender.email, f"T{thread}", subject, body, sent, attachment, attached


def _news(rng: random.Random, thread: int) -> tuple[str | int | None, ...]:
    sender = rng.choice(words.SENDERS)
    subject = rng.choice(("Our news of the week", "Only today", "You may like this", "Your membership"))
    body = f"Dear reader, have a look at our {rng.choice(words.PRODUCTS[rng.choice(list(words.PRODUCTS))])}."
    return sender, f"T{thread}", subject, body, _moment(rng, 60), None, None


def fill_messages(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add chats of two between people who know each other, and chats of groups."""
    chats, numbers = count(1), count(1)
    songs = db.execute("SELECT title, artist FROM songs ORDER BY id").fetchall()
    for person in people:
        for other in person.known:
            if person.id < other and rng.random() < 0.6:
                _chat(rng, size, (next(chats), "", [person, people[other - 1]]), numbers, songs, db)
        if person.id % 3 == 0:
            others = rng.sample(person.known, 3)
            title = f"{rng.choice(words.CHAT_TITLES)} {person.id // 3}"
            _chat(
                rng, size, (next(chats), title, [person, *(people[other - 1] for other in others)]), numbers, songs, db
            )


def _chat(
    rng: random.Random,
    size: Size,
    chat: tuple[int, str, list[Person]],
    numbers: count[int],
    songs: list[tuple[str, str]],
    db: sqlite3.Connection,
) -> None:
    number, title, members = chat
    db.execute("INSERT INTO chats VALUES (?, ?, ?)", (number, title, int(len(members) > 2)))
    for member in members:
        db.execute("INSERT INTO chat_members VALUES (?, ?, ?)", (number, member.id, int(rng.random() < 0.1)))
    for sent in sorted(_moment(rng, 20) for _ in range(size.many(rng, 5, 12))):
        sender = rng.choice(members)
        row = (next(numbers), number, sender.id, _message(rng, songs), sent, 0)
        db.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", row)
        if rng.random() < 0.15:
            reader = rng.choice([each for each in members if each is not sender])
            db.execute("INSERT INTO reactions VALUES (?, ?, ?)", (row[0], reader.id, rng.choice(words.EMOJIS)))


def _message(rng: random.Random, songs: list[tuple[str, str]]) -> str:
    kind = rng.choice(("talk", "talk", "song", "paid", "errand", "meet"))
    if kind == "song":
        title, artist = rng.choice(songs)
        return f"Listen to {title} by {artist}!"
    if kind == "paid":
        return f"I paid for the {rng.choice(words.OCCASIONS)}, you owe me {rng.randrange(200, 6000, 50) / 100:.2f}."
    if kind == "errand":
        return f"Do not forget to {rng.choice(words.ERRANDS)}."
    if kind == "meet":
        when = f"{date_of(TODAY + rng.randint(1, 14))} at {clock(rng.randrange(9 * 60, 20 * 60, 30))}"
        return f"Let us meet on {when} at {rng.choice(words.PLACES)}."
    return rng.choice(words.SMALL_TALK)


def _moment(rng: random.Random, days_ago: int) -> int:
    return (TODAY - rng.randint(1, days_ago)) * DAY + rng.randrange(7 * 60, 22 * 60)
