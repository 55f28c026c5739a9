"""The mailboxes: who owns them, and what lies in them; the same on every run.

Each mailbox is told as stories (projects, invoices, bookings, circles). What a task can ask about is kept in `_story`.
"""

from __future__ import annotations

import json
import random
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from agentgym_web.sites.core.page import START
from agentgym_web.sites.mail import phrases

OWNERS = 8
"""Mailboxes."""
FOLDERS = {"inbox": "Inbox", "drafts": "Drafts", "sent": "Sent", "archive": "Archive", "spam": "Spam", "trash": "Trash"}
"""By kind the folders that every mailbox has."""
OWN_FOLDERS = ("Receipts", "Travel", "Family", "Later")
LABELS = ("Urgent", "Waiting", "To read", "Money")
_SEED = 20260302


def address_of(name: str, host: str) -> str:
    """The e-mail address of a person at a host."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return f"{plain.lower().replace(' ', '.')}@{host}"


@dataclass
class _Person:
    name: str
    email: str
    phone: str
    circle: str = ""


@dataclass
class _Box:
    """A mailbox while it is being filled."""

    db: sqlite3.Connection
    rng: random.Random
    login: str
    name: str
    email: str
    folders: dict[str, int] = field(default_factory=dict)
    """Ids by kind, and of own folders by name."""
    labels: dict[str, int] = field(default_factory=dict)
    people: list[_Person] = field(default_factory=list)

    def time(self, days: float) -> datetime:
        """A time in working hours about so many days ago."""
        day = (START - timedelta(days=max(days, 1))).replace(hour=0, minute=0)
        return day + timedelta(minutes=self.rng.randrange(7 * 60 + 10, 21 * 60))

    def add(self, folder: str, sender: tuple[str, str], subject: str, body: str, sent: datetime, **more: Any) -> int:
        """Put a message into a folder and return its id; more may be thread, to, copies, read or files."""
        thread = more.get("thread")
        row = self.db.execute(
            "INSERT INTO message (login, folder_id, thread, sender_name, sender, recipients, copies,"
            " subject, body, sent,"
            " is_starred) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(self.login, self.folders[folder], thread or 0, *sender, more.get("to", self.email)),
                *(
                    more.get("copies", ""),
                    subject,
                    body,
                    sent.strftime("%Y-%m-%d %H:%M"),
                    int(self.rng.random() < 0.05),
                ),
            ),
        ).lastrowid
        assert row is not None
        if not thread:
            self.db.execute("UPDATE message SET thread = id WHERE id = ?", (row,))
        age = (START - sent).days
        if more.get("read", folder != "inbox" or self.rng.random() < min(0.2 + age / 20, 0.93)):
            self.db.execute("INSERT INTO reading VALUES (?)", (row,))
        for name, content in more.get("files", ()):
            sql = "INSERT INTO attachment (message_id, name, content) VALUES (?, ?, ?)"
            self.db.execute(sql, (row, name, content.encode()))
        return row

    def tell(self, kind: str, message: int, **facts: Any) -> None:
        """Keep what a task can ask about."""
        sql = "INSERT INTO _story (login, kind, message_id, facts) VALUES (?, ?, ?, ?)"
        self.db.execute(sql, (self.login, kind, message, json.dumps(facts)))


def fill(db: sqlite3.Connection) -> None:
    """Fill the tables of the mail service."""
    rng = random.Random(_SEED)
    names: set[str] = set()
    while len(names) < OWNERS:
        names.add(phrases.person(rng))
    for name in sorted(names):
        box = _open_box(db, random.Random(rng.random()), name)
        _add_contacts(box)
        projects = box.rng.sample(phrases.PROJECTS, 4)
        for project in projects:
            _tell_project(box, project)
        _tell_invoices(box)
        _tell_letters(box)
        _tell_bookings(box)
        _tell_circles(box)
        _tell_friends(box)
        _tell_rest(box, projects)
        _add_rules(box, projects)


def _open_box(db: sqlite3.Connection, rng: random.Random, name: str) -> _Box:
    email = address_of(name, "inkmail.test")
    login = email.split("@")[0]
    signature = f"{name}\n{rng.choice(('Programme office', 'Studio for print', 'Town archive', 'Community works'))}"
    password = f"{rng.choice(phrases.ROOMS).lower()}-{rng.randrange(100, 1000)}"
    sql = "INSERT INTO account (login, password, name, email, signature) VALUES (?, ?, ?, ?, ?)"
    db.execute(sql, (login, password, name, email, signature))
    box = _Box(db, rng, login, name, email)
    for kind, title in FOLDERS.items():
        sql = "INSERT INTO folder (login, name, kind) VALUES (?, ?, ?)"
        box.folders[kind] = db.execute(sql, (login, title, kind)).lastrowid or 0
    for title in OWN_FOLDERS:
        sql = "INSERT INTO folder (login, name, kind) VALUES (?, ?, 'own')"
        box.folders[title] = db.execute(sql, (login, title)).lastrowid or 0
    for title in LABELS:
        box.labels[title] = db.execute("INSERT INTO label (login, name) VALUES (?, ?)", (login, title)).lastrowid or 0
    return box


def _add_contacts(box: _Box) -> None:
    rng, names = box.rng, {box.name}
    while len(names) < 39:
        names.add(phrases.person(rng))
    names.remove(box.name)
    circles = rng.sample(phrases.CIRCLES, 3)
    listed = sorted(names)
    rng.shuffle(listed)
    for index, name in enumerate(listed):
        host = rng.choice(("inkmail.test", "postbox.test", "openworks.test", "harbour.test"))
        circle = circles[index // 5] if index < 15 else ""
        person = _Person(name, address_of(name, host), phrases.phone(rng), circle)
        box.people.append(person)
        email = "" if index in (36, 37) else person.email
        note = rng.choice(("", "", "", "Prefers the telephone.", "Met at the spring fair.", "Away on Fridays."))
        sql = "INSERT INTO contact (login, name, email, phone, circle, note) VALUES (?, ?, ?, ?, ?, ?)"
        box.db.execute(sql, (box.login, name, email, person.phone, circle, note))


def _me(box: _Box) -> tuple[str, str]:
    return box.name, box.email


def _tell_project(box: _Box, project: str) -> None:
    """Conversations about a project: talk, a meeting that is moved, and a list of costs."""
    rng = box.rng
    team = rng.sample(box.people[15:36], 4)
    for _ in range(rng.randrange(4, 7)):
        start, thread = rng.uniform(8, 60), 0
        subject = (
            f"{project.capitalize()}: {rng.choice(('draft', 'pictures', 'budget', 'volunteers', 'next steps', 'text'))}"
        )
        for turn in range(rng.randrange(1, 5)):
            person = rng.choice(team)
            sent = box.time(max(start - turn * 1.1, 1))
            others = ", ".join(one.email for one in team if one is not person)
            title = subject if turn == 0 else f"Re: {subject}"
            if turn and rng.random() < 0.3:
                body = phrases.letter(rng, person.name, box.name, phrases.talk(rng, project))
                box.add("sent", _me(box), title, body, sent, thread=thread, to=person.email)
                continue
            body = phrases.letter(rng, box.name, person.name, phrases.talk(rng, project))
            copies = others if rng.random() < 0.4 else ""
            number = box.add("inbox", (person.name, person.email), title, body, sent, thread=thread, copies=copies)
            thread = thread or number
    _tell_meeting(box, project, team)
    _tell_costs(box, project, rng.choice(team))


def _tell_meeting(box: _Box, project: str, team: Sequence[_Person]) -> None:
    rng, host = box.rng, team[0]
    day, room, hour = rng.randrange(9, 27), rng.choice(phrases.ROOMS), rng.randrange(9, 16)
    subject = f"Meeting about the {project}"
    others = ", ".join(one.email for one in team[1:])
    said = f"We meet on {day} March at {hour}:00 in room {room}. Please tell me if you cannot come."
    sent = box.time(rng.uniform(12, 20))
    person = (host.name, host.email)
    first = box.add("inbox", person, subject, phrases.letter(rng, box.name, host.name, said), sent, copies=others)
    facts = {"project": project, "host": host.name, "email": host.email, "others": [one.email for one in team[1:]]}
    if rng.random() < 0.7:
        room = rng.choice([one for one in phrases.ROOMS if one != room])
        hour = rng.choice([one for one in range(9, 17) if one != hour])
        said = (
            f"A change: room {room} is free for us on {day} March, but only from {hour}:30. So let"
            " us meet there and then."
        )
        body = phrases.letter(rng, box.name, host.name, said)
        sent = box.time(rng.uniform(3, 8))
        last = box.add("inbox", person, f"Re: {subject}", body, sent, copies=others, thread=first)
        box.tell("meeting", last, room=room, time=f"{hour}:30", day=f"{day} March", first=first, **facts)
    else:
        box.tell("meeting", first, room=room, time=f"{hour}:00", day=f"{day} March", first=first, **facts)


def _tell_costs(box: _Box, project: str, person: _Person) -> None:
    rng = box.rng
    posts = rng.sample(
        ("printing", "travel", "food", "posters", "rent", "tools", "postage", "lighting"), rng.randrange(4, 7)
    )
    amounts = {post: rng.randrange(12, 640) for post in posts}
    rows = [("item", "amount"), *amounts.items()]
    name = f"costs-{project.replace(' ', '-')}.csv"
    said = f"Here are the costs of the {project} so far. Have a look whether they match yours."
    body = phrases.letter(rng, box.name, person.name, said)
    subject = f"Costs of the {project}"
    files = [(name, "".join(f"{post},{amount}\n" for post, amount in rows))]
    number = box.add("inbox", (person.name, person.email), subject, body, box.time(rng.uniform(4, 40)), files=files)
    box.tell("costs", number, project=project, sender=person.name, email=person.email, amounts=amounts, file=name)


def _tell_invoices(box: _Box) -> None:
    rng = box.rng
    for vendor in rng.sample(phrases.VENDORS, 4):
        host = vendor.split(" ")[0].lower() + ".test"
        for index in range(rng.randrange(4, 8)):
            age = 8 + index * 29 + rng.randrange(5)
            sent = box.time(age)
            number = f"{sent.year}-{rng.randrange(1000, 9999)}"
            net = rng.randrange(2000, 90000)
            tax = round(net * 0.2)
            due = sent + timedelta(days=rng.choice((14, 21, 30)))
            said = (
                f"Your invoice {number} is attached. The amount of ${(net + tax) / 100:,.2f} is"
                f" due on {due.day} {due:%B %Y}."
            )
            body = f"Dear {box.name},\n\n{said}\n\n{vendor}, accounts"
            text = (
                f"{vendor}\nInvoice {number}\n\nNet   {net / 100:.2f}\nTax  "
                f" {tax / 100:.2f}\nTotal {(net + tax) / 100:.2f}\n"
            )
            folder = rng.choice(("inbox", "inbox", "Receipts")) if age > 40 else "inbox"
            sender = (vendor, f"accounts@{host}")
            files = [(f"invoice-{number}.txt", text)]
            message = box.add(folder, sender, f"Invoice {number} from {vendor}", body, sent, files=files)
            facts = {"vendor": vendor, "number": number, "total": net + tax, "tax": tax, "due": due.date().isoformat()}
            box.tell("invoice", message, month=f"{sent:%B %Y}", **facts)


def _tell_letters(box: _Box) -> None:
    rng = box.rng
    for sender in rng.sample(phrases.LETTERS, 4):
        for index, topic in enumerate(rng.sample(phrases.LETTER_TOPICS, rng.randrange(5, 10))):
            extra = rng.choice([one for one in phrases.LETTER_TOPICS if one != topic])
            body = f"In this issue: {topic}. Further on: {extra}.\n\nYou get this letter because you asked for it once."
            box.add("inbox", sender, f"{sender[0]}: {topic}", body, box.time(3 + index * 8 + rng.randrange(4)))


def _tell_bookings(box: _Box) -> None:
    rng = box.rng
    for city in rng.sample(phrases.CITIES, 3):
        day, nights = rng.randrange(4, 29), rng.randrange(1, 6)
        month, code = rng.choice(("April", "May", "June")), phrases.code(rng)
        hotel = (
            f"{rng.choice(('Hotel', 'Pension', 'Guest house'))}"
            f" {rng.choice(('Anker', 'Lindenhof', 'Sailmaker', 'Post', 'Belvedere'))}"
        )
        price = rng.randrange(60, 190) * nights
        said = (
            f"Thank you for your booking. {hotel}, {city}, from {day} {month} 2026 for {nights} night"
            f"{'s' if nights > 1 else ''}. Your booking code is {code}. The price is ${price}.00, to"
            " be paid on arrival."
        )
        body = f"Dear {box.name},\n\n{said}\n\nStaywell bookings"
        sender = ("Staywell", "booking@staywell.test")
        number = box.add("inbox", sender, f"Your booking in {city}", body, box.time(rng.uniform(4, 50)))
        facts = {
            "city": city,
            "code": code,
            "price": price,
            "nights": nights,
            "hotel": hotel,
            "start": f"{day} {month} 2026",
        }
        box.tell("booking", number, **facts)


def _tell_circles(box: _Box) -> None:
    rng = box.rng
    for circle in dict.fromkeys(person.circle for person in box.people if person.circle):
        members = [person for person in box.people if person.circle == circle]
        box.tell("circle", 0, circle=circle, emails=[person.email for person in members])
        for _ in range(rng.randrange(3, 6)):
            person = rng.choice(members)
            body = phrases.letter(rng, "all", person.name, phrases.circle_talk(rng, circle))
            copies = ", ".join(one.email for one in members if one is not person)
            subject = f"{circle}: {rng.choice(('news', 'next time', 'a request', 'minutes'))}"
            box.add("inbox", (person.name, person.email), subject, body, box.time(rng.uniform(2, 70)), copies=copies)


def _tell_friends(box: _Box) -> None:
    rng = box.rng
    friends = box.people[15:36]
    for person in rng.sample(friends, 8):
        body = phrases.letter(rng, box.name, person.name, phrases.personal(rng))
        subject = rng.choice(("A question", "Hello", "Sunday", "Long time", "News", "Guess what"))
        folder = rng.choice(("inbox", "inbox", "Family", "archive"))
        box.add(folder, (person.name, person.email), subject, body, box.time(rng.uniform(2, 90)))
    for person in rng.sample(friends, 3):
        number = phrases.phone(rng)
        body = phrases.letter(rng, box.name, person.name, f"I have a new number: {number}. Please delete the old one.")
        sender = (person.name, person.email)
        message = box.add("inbox", sender, "My new number", body, box.time(rng.uniform(2, 20)))
        box.tell("number", message, name=person.name, phone=number)
    for _ in range(3):
        name = phrases.person(rng)
        email, number = address_of(name, "harbour.test"), phrases.phone(rng)
        if any(person.name == name for person in box.people):
            continue
        said = (
            f"We met at the fair and spoke about the press. You can reach me at this address or by telephone, {number}."
        )
        body = phrases.letter(rng, box.name, name, said)
        message = box.add("inbox", (name, email), "Nice to meet you", body, box.time(rng.uniform(2, 20)))
        box.tell("stranger", message, name=name, email=email, phone=number)


def _tell_rest(box: _Box, projects: Sequence[str]) -> None:
    """Spam, what was thrown away, and drafts."""
    rng = box.rng
    for _ in range(rng.randrange(6, 11)):
        subject, body = phrases.spam(rng)
        sender = (
            rng.choice(("Prize desk", "Support", "Toner world", "Parcel office")),
            f"no-reply@{phrases.code(rng).lower()}.test",
        )
        box.add("spam", sender, subject, body, box.time(rng.uniform(1, 28)))
    for _ in range(rng.randrange(4, 8)):
        person = rng.choice(box.people)
        body = phrases.letter(rng, box.name, person.name, phrases.personal(rng))
        box.add(
            "trash",
            (person.name, person.email),
            rng.choice(("Old news", "Re: Sunday", "Lost and found")),
            body,
            box.time(rng.uniform(5, 40)),
        )
    for person in rng.sample(box.people[:36], 3):
        project = rng.choice(projects)
        subject = f"Thoughts on the {project}"
        body = phrases.letter(rng, person.name, box.name, phrases.talk(rng, project))
        number = box.add("drafts", _me(box), subject, body, box.time(rng.uniform(1, 6)), to=person.email)
        box.tell("draft", number, name=person.name, email=person.email, subject=subject, body=body)


def _add_rules(box: _Box, projects: Sequence[str]) -> None:
    sql = "INSERT INTO rule (login, field, words, act, target, is_active) VALUES (?, ?, ?, ?, ?, ?)"
    rows = [
        ("Subject", "prize", "Delete", "", 1),
        ("Sender", "staywell", "Move to folder", "Travel", 0),
        ("Subject", "invoice", "Add label", "Money", int(box.rng.random() < 0.5)),
        ("Subject", projects[0], "Star", "", 1),
    ]
    box.db.executemany(sql, [(box.login, *row) for row in rows])
