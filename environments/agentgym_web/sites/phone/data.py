"""What is on the phone: contacts, chats with their dialogues, events, lists, alarms and settings.

The dialogues are in `dialogues`; tasks are in `tasks`.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from agentgym_web.sites.phone.dialogues import (
    FILMS,
    GOODS,
    GROUP_QUESTIONS,
    NO,
    PRAISE,
    SINGLE,
    SMALL_TALK,
    STREETS,
    TODAY,
    TOWNS,
    YES,
    Dialogue,
)

OWNER = "noa"
PIN = "4821"
NUM_CONTACTS = 64
NUM_SINGLE_CHATS = 34
NUM_EVENTS = 170

# fmt: off
FIRST_NAMES = (
    "Abel", "Agnes", "Anton", "Beth", "Bo", "Camille", "Cosmo", "Dalia", "Diego", "Edith", "Elio", "Farah", "Finn",
    "Gilda", "Gus", "Hana", "Hector", "Ida", "Igor", "Jada", "Joel", "Juna", "Karim", "Kirsten", "Lars", "Lila",
    "Lorenz", "Maja", "Marek", "Milo", "Nell", "Nico", "Nuria", "Olga", "Otis", "Pia", "Pavel", "Quinn", "Rhea",
    "Roman", "Rosa", "Sami", "Selma", "Stellan", "Tara", "Tibor", "Uma", "Uri", "Valentin", "Vesna", "Wes", "Wilma",
    "Xaver", "Yara", "Yorick", "Zadie", "Zeno", "Astrid", "Benno", "Carla", "Doris", "Emil", "Flora", "Greger",
)
LAST_NAMES = (
    "Ashdown", "Bellini", "Carver", "Dorn", "Engel", "Fjord", "Garland", "Hatch", "Ivers", "Jung", "Kemp", "Larsen",
    "Mori", "Novak", "Orr", "Prior", "Quist", "Reyes", "Sorrel", "Tran", "Udall", "Vidal", "West", "Yates", "Zell",
)
GROUPS = (
    "Flat 3b", "Tuesday Choir", "Family", "Book Club", "Climbing Crew", "Office Lunch", "Allotment", "Quiz Team",
    "School Parents", "Weekend Hikes",
)
LISTS = ("Groceries", "Packing", "House", "Garden", "Presents", "Work", "Films to see", "Errands")
ITEMS: dict[str, tuple[str, ...]] = {
    "Groceries": GOODS,
    "Packing": ("rain jacket", "charger", "swimsuit", "novel", "sun cream", "toothbrush", "passport", "walking boots",
                "socks", "camera", "first-aid kit", "water bottle"),
    "House": ("descale the kettle", "oil the hinges", "change the smoke alarm", "wash the curtains", "fix the tap",
              "sort the cellar", "patch the wall", "clean the oven", "ring the chimney sweep", "label the fuses"),
    "Garden": ("prune the pear tree", "sow the beans", "order compost", "mend the fence", "clean the pond",
               "move the roses", "sharpen the shears", "empty the rain barrel", "divide the mint"),
    "Presents": ("scarf for Dalia", "puzzle for Finn", "tea for Olga", "kite for the twins", "vase for Rhea",
                 "record for Hector", "cookbook for Maja", "torch for Gus"),
    "Work": ("send the invoice", "book the meeting room", "renew the licence", "back up the laptop",
             "write the minutes", "order name tags", "update the slides", "call the printer", "file the receipts"),
    "Films to see": (*FILMS, "The Long Tide", "Copper and Rain"),
    "Errands": ("return the parcel", "pick up the suit", "get keys cut", "renew the library card", "buy stamps",
                "bring back the drill", "drop off glass", "repair the bike light", "collect the glasses"),
}
CALENDARS = ("Home", "Work", "Sport", "Family")
TITLES: dict[str, tuple[tuple[str, str], ...]] = {
    "Home": (("Dentist", "Dr. Aalto"), ("Haircut", "Salon Nine"), ("Boiler check", "home"),
             ("Car service", "Vale Garage"), ("Eye test", "Lens & Co"), ("Neighbours' meeting", "Flat 3b"),
             ("Parcel delivery", "home")),
    "Work": (("Team meeting", "Room 4"), ("Budget review", "Room 2"), ("Call with Lisbon", "online"),
             ("Interview", "Room 1"), ("Design workshop", "Studio"), ("Report deadline", "office"),
             ("Site visit", "Chandler Quay"), ("Training day", "Annex")),
    "Sport": (("Climbing", "Rock Loft"), ("Swimming", "Cedar Pool"), ("Yoga", "Studio East"), ("Tennis", "Court 2"),
              ("Long run", "river path"), ("Physio", "Motion Clinic")),
    "Family": (("Lunch with Mum", "Mill Bakery"), ("School concert", "Assembly hall"),
               ("Visit to Aunt Ada", "Netherby"), ("Birthday party", "Tin Roof"), ("Video call", "online"),
               ("Zoo trip", "city zoo")),
}
EVENT_NOTES = ("", "", "", "Bring the folder.", "Leave ten minutes early.", "Ask about parking.", "Paid already.",
               "Take the spare key.", "Wear old shoes.")
CONTACT_NOTES = ("", "", "Met at the lake.", "Allergic to nuts.", "Plays the cello.", "Two cats: Pip and Mo.",
                 "Never on Mondays.", "Knows a good plumber.", "Vegetarian.")
# fmt: on
SETTINGS = {
    "name": "Noa Ferrant",
    "ringtone": "Marimba",
    "volume": "60",
    "text_size": "medium",
    "dark": "no",
    "airplane": "no",
    "read_receipts": "yes",
    "quiet_from": "22:00",
    "quiet_to": "07:00",
    "auto_reply": "",
    "backup": "weekly",
}


def fill(db: sqlite3.Connection) -> None:
    """Fill every table; the same rows each time.

    Args:
        db: A database with the empty tables of schema.sql.
    """
    rng = random.Random(20260303)
    _insert(db, "contacts", _contacts(rng))
    _fill_chats(db, rng)
    _insert(db, "calendars", enumerate(CALENDARS, start=1))
    _insert(db, "events", _events(rng))
    _insert(db, "lists", enumerate(LISTS, start=1))
    _insert(db, "items", _items(rng))
    _insert(db, "alarms", _alarms())
    _insert(db, "settings", SETTINGS.items())


def _insert(db: sqlite3.Connection, table: str, drawn: Iterable[tuple[Any, ...]]) -> None:
    rows = list(drawn)
    marks = ",".join("?" * len(rows[0]))
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - names of our own tables


def _contacts(rng: random.Random) -> Iterator[tuple[Any, ...]]:
    firsts = sorted(rng.sample(FIRST_NAMES, NUM_CONTACTS))
    for number, first in enumerate(firsts, start=1):
        last = rng.choice(LAST_NAMES)
        phone = f"+353 8{rng.randint(3, 9)} {rng.randint(100, 999)} {rng.randint(1000, 9999)}"
        address = f"{rng.randint(2, 98)} {rng.choice(STREETS)}, {rng.choice(TOWNS)}"
        born = datetime(rng.randint(1952, 2004), 1, 1) + timedelta(days=rng.randrange(365))
        email = f"{first}.{last}@letterbox.test".lower()
        yield (
            number,
            f"{first} {last}",
            phone,
            email,
            address,
            born.date().isoformat(),
            rng.choice(CONTACT_NOTES),
            int(rng.random() < 0.12),
            int(number % 21 == 5),
        )


class _Book:
    """Writes messages with ids that rise with time of writing, and remembers what they are about."""

    def __init__(self, db: sqlite3.Connection, rng: random.Random) -> None:
        self.db, self.rng = db, rng
        self.rows: list[tuple[int, int | None, datetime, str]] = []
        self.stories: list[tuple[str, int, int, int, int, str]] = []

    def write(self, chat: int, sender: int | None, at: datetime, text: str) -> int:
        self.rows.append((chat, sender, at, text))
        return len(self.rows)

    def play(self, chat: int, contact: int, at: datetime, dialogue: Dialogue) -> None:
        numbers = []
        for who, text in dialogue.lines:
            at += timedelta(minutes=self.rng.randint(1, 14))
            numbers.append(self.write(chat, contact if who == "them" else None, at, text))
        self.tell(dialogue.kind, (chat, contact), (numbers[0], numbers[-1]), dict(dialogue.facts))

    def tell(self, kind: str, who: tuple[int, int], span: tuple[int, int], facts: dict[str, Any]) -> None:
        self.stories.append((kind, *who, *span, json.dumps(facts)))

    def finish(self) -> None:
        _insert(
            self.db,
            "messages",
            (
                (number, chat, sender, at.strftime("%Y-%m-%d %H:%M"), text, 0)
                for number, (chat, sender, at, text) in enumerate(self.rows, start=1)
            ),
        )
        _insert(self.db, "_stories", ((number, *story) for number, story in enumerate(self.stories, start=1)))


def _fill_chats(db: sqlite3.Connection, rng: random.Random) -> None:
    names = {row[0]: row[1] for row in db.execute("SELECT id, name FROM contacts")}
    singles = rng.sample(sorted(names), NUM_SINGLE_CHATS)
    chats = [(number, names[contact], 0, 1) for number, contact in enumerate(singles, start=1)]
    chats += [(len(chats) + 1 + index, title, 1, int(index % 3 != 1)) for index, title in enumerate(GROUPS)]
    shares = (0.08, 0.1, 0.1)  # pinned, muted, archived
    _insert(db, "chats", ((*chat, *(int(rng.random() < share) for share in shares)) for chat in chats))
    book, waiting = _Book(db, rng), []
    for chat, contact in enumerate(singles, start=1):
        db.execute("INSERT INTO members VALUES (?, ?)", (chat, contact))
        at = _single_chat(book, chat, contact)
        if chat % 4 == 2:
            waiting.append(_late_message(book, chat, contact))
        elif chat % 3 == 0:
            book.play(chat, contact, max(at, datetime(2026, 3, 2, 7, 10)), Dialogue("talk", rng.choice(SMALL_TALK), {}))
    for index in range(len(GROUPS)):
        chat = NUM_SINGLE_CHATS + 1 + index
        people = rng.sample(sorted(names), rng.randint(5, 8))
        _insert(db, "members", ((chat, contact) for contact in people))
        _group_chat(book, chat, people)
    book.finish()
    _insert(db, "waiting", ((number,) for number in waiting))
    _insert(db, "unread", ((row[0], rng.choice((0, 0, 1, 2, 4))) for row in chats))


def _single_chat(book: _Book, chat: int, contact: int) -> datetime:
    """Fill a chat with one person; returns the time of the last dialogue."""
    rng = book.rng
    at = datetime(2026, 2, 3, 9) + timedelta(hours=rng.randint(0, 60))
    kinds = [SINGLE[(chat + shift * 3) % len(SINGLE)] for shift in range(rng.randint(2, 3))]
    for make in kinds:
        for dialogue in (Dialogue("talk", rng.choice(SMALL_TALK), {}), make(rng)):
            at = _later(rng, at)
            book.play(chat, contact, at, dialogue)
    return at


def _late_message(book: _Book, chat: int, contact: int) -> int:
    """Write a message that has not been fetched yet."""
    rng = book.rng
    time, street = f"{rng.randint(12, 18):02d}:{rng.choice(('10', '20', '40', '50'))}", rng.choice(STREETS)
    text = rng.choice(
        (
            "Running late. Can you be at the {street} bus stop at {time} today?",
            "Let us meet at the {street} stop, {time} sharp. I have the keys.",
            "Today works after all! {time}, bus stop {street}.",
            "I will wait for you at {time}, at the stop on {street}.",
        )
    )
    number = book.write(
        chat, contact, datetime(2026, 3, 2, 8, rng.randint(20, 58)), text.format(street=street, time=time)
    )
    book.tell("stop", (chat, contact), (number, number), {"time": time, "street": street})
    return number


def _group_chat(book: _Book, chat: int, people: Sequence[int]) -> None:
    rng = book.rng
    at = datetime(2026, 2, 5, 10) + timedelta(hours=rng.randint(0, 90))
    for _ in range(2):
        at = _later(rng, at)
        day = TODAY + timedelta(days=rng.randint(3, 26))
        asker, *others = rng.sample(list(people), len(people))
        question = rng.choice(GROUP_QUESTIONS).format(said=f"{day:%A}, {day.day} {day:%B}")
        first = last = book.write(chat, asker, at, question)
        coming = []
        for person in others:
            at += timedelta(minutes=rng.randint(2, 50))
            is_coming = rng.random() < 0.55
            coming += [person] if is_coming else []
            last = book.write(chat, person, at, rng.choice(YES if is_coming else NO))
        book.tell("poll", (chat, asker), (first, last), {"day": day.isoformat(), "coming": coming})
    for film, person in zip(rng.sample(FILMS, 3), rng.sample(list(people), 3), strict=True):
        at = _later(rng, at)
        number = book.write(chat, person, at, rng.choice(PRAISE).format(film=film))
        book.tell("film", (chat, person), (number, number), {"film": film})


def _later(rng: random.Random, at: datetime) -> datetime:
    later = at + timedelta(hours=rng.randint(14, 70))
    later = later.replace(hour=rng.randint(8, 21), minute=rng.randrange(60))
    return min(later, datetime(2026, 3, 1, 20, rng.randrange(60)))


def _events(rng: random.Random) -> Iterator[tuple[Any, ...]]:
    drafts = []
    for _ in range(NUM_EVENTS):
        calendar = rng.choices(range(4), (3, 5, 4, 2))[0]
        title, place = rng.choice(TITLES[CALENDARS[calendar]])
        day = TODAY + timedelta(days=rng.randint(-14, 40))
        begin = rng.randrange(8 * 60, 19 * 60, 30)
        end = begin + rng.choice((30, 60, 60, 90, 120))
        times = f"{begin // 60:02d}:{begin % 60:02d}", f"{end // 60:02d}:{end % 60:02d}"
        notes = rng.choice(EVENT_NOTES)
        drafts.append((calendar + 1, title, day.isoformat(), *times, place, notes, rng.choice((0, 10, 30, 60))))
    unique = {(row[1], row[2]): row for row in drafts}
    for number, draft in enumerate(sorted(unique.values(), key=lambda row: (row[2], row[3], row[1])), start=1):
        yield number, *draft


def _items(rng: random.Random) -> Iterator[tuple[Any, ...]]:
    number = 0
    for index, title in enumerate(LISTS, start=1):
        for text in rng.sample(ITEMS[title], min(len(ITEMS[title]), rng.randint(8, 11))):
            number += 1
            yield number, index, text, int(rng.random() < 0.3), int(rng.random() < 0.2)


def _alarms() -> Iterator[tuple[Any, ...]]:
    yield from (
        (1, "06:45", "Work", "weekdays", 1),
        (2, "08:30", "Lie-in", "weekend", 1),
        (3, "07:10", "Early train", "once", 0),
        (4, "13:00", "Medicine", "daily", 1),
        (5, "17:30", "Water the plants", "weekdays", 0),
        (6, "21:45", "Wind down", "daily", 1),
    )
