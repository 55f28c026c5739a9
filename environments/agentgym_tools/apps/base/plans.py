"""Calendars, notes, files and todo lists: what people plan and write down."""

from __future__ import annotations

import random
import sqlite3
from itertools import count

from agentgym_tools.apps.base import words
from agentgym_tools.apps.base.people import Person, Size
from agentgym_tools.apps.calendar_days import DAY, TODAY, clock, date_of

_FOLDERS = ("/", "/work", "/home", "/finance", "/travel")


def fill_events(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add events; at most one person's event at a time, with guests who know the person."""
    numbers = count(1)
    for person in people:
        taken: set[tuple[int, int]] = set()
        for _ in range(size.many(rng, 14, 20)):
            day, start = TODAY + rng.randint(-10, 20), rng.randrange(8 * 60, 20 * 60, 60)
            if (day, start) in taken:
                continue
            taken.add((day, start))
            number, minutes = next(numbers), rng.choice((30, 45, 60))
            reminder = rng.choice((None, None, 10, 30))
            row = (
                number,
                person.id,
                rng.choice(words.MEETINGS),
                day,
                start,
                minutes,
                rng.choice(words.PLACES),
                "",
                reminder,
            )
            db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            for guest in rng.sample(person.known, rng.choice((0, 0, 1, 2))):
                answer = rng.choice(("accepted", "pending", "pending", "declined"))
                db.execute("INSERT INTO guests VALUES (?, ?, ?)", (number, guest, answer))


def fill_notes(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add notes, of each kind at least one a person."""
    numbers = count(1)
    songs = [row[0] for row in db.execute("SELECT title FROM songs ORDER BY id")]
    products = [row[0] for row in db.execute("SELECT name FROM products ORDER BY id")]
    for person in people:
        friends = [people[other - 1].name for other in person.known]
        kinds = ["shopping", "gifts", "songs", "minutes", "guests", "thought"]
        kinds += [rng.choice(("thought", "minutes", "thought")) for _ in range(size.many(rng, 4, 8))]
        for kind in kinds:
            title, lines = _note(rng, kind, songs, products, friends)
            row = (
                *(next(numbers), person.id, title, "\n".join(lines), rng.choice(words.NOTEBOOKS)),
                *(int(rng.random() < 0.2), int(rng.random() < 0.15), (TODAY - rng.randint(1, 90)) * DAY),
            )
            db.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def _note(
    rng: random.Random, kind: str, songs: list[str], products: list[str], friends: list[str]
) -> tuple[str, list[str]]:
    if kind == "shopping":
        return "Shopping list", [f"{rng.randint(1, 3)} x {name}" for name in rng.sample(products, 3)]
    if kind == "gifts":
        return "Gift ideas", [f"{name}: {rng.choice(products)}" for name in rng.sample(friends, 3)]
    if kind == "songs":
        return f"Songs for {rng.choice(('the party', 'the trip', 'the run'))}", rng.sample(songs, 4)
    if kind == "guests":
        return "Guest list", rng.sample(friends, 3)
    if kind == "minutes":
        actions = [f"Action: {name}" for name in rng.sample(words.ERRANDS, 2)]
        return f"Minutes of the {rng.choice(words.TOPICS)}", ["We talked for an hour.", *actions]
    return f"Thought {rng.randint(10, 99)}", [f"Maybe I should {rng.choice(words.ERRANDS)} on Sunday."]


def fill_files(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add folders and files, some of them locked or shared."""
    folders, numbers = count(1), count(1)
    for person in people:
        for path in _FOLDERS:
            db.execute("INSERT INTO folders VALUES (?, ?, ?)", (next(folders), person.id, path))
        for folder, name, text in _files(rng, size):
            number, is_locked = next(numbers), int(rng.random() < 0.15)
            updated = (TODAY - rng.randint(1, 200)) * DAY
            row = (number, person.id, folder, name, text, updated, is_locked)
            db.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            for other in rng.sample(person.known, rng.choice((0, 0, 0, 1, 2))):
                db.execute("INSERT INTO shares VALUES (?, ?, ?)", (number, other, int(rng.random() < 0.5)))


def _files(rng: random.Random, size: Size) -> list[tuple[str, str, str]]:
    found = []
    for month in ("07", "08", "09")[: max(1, 3 * size.each // 100)]:
        days = sorted(rng.sample(range(1, 29), 6))
        lines = [f"2031-{month}-{day:02},{rng.choice(words.SPENDINGS)},{rng.randrange(200, 9000, 10)}" for day in days]
        found.append(("/finance", f"expenses-{month}.csv", "\n".join(["day,what,cents", *lines])))
    for topic in rng.sample(words.TOPICS, max(1, 3 * size.each // 100)):
        text = f"Draft on the {topic}.\nCosts: {rng.randint(10, 99)}00.\nOwner: to be named."
        found.append(("/work", f"{topic.replace(' ', '-')}.txt", text))
    day, start = TODAY + rng.randint(3, 25), rng.randrange(6 * 60, 20 * 60, 5)
    text = f"Train on {date_of(day)} at {clock(start)} from {rng.choice(words.PLACES)}.\nSeat {rng.randint(10, 80)}."
    found.append(("/travel", "trip.txt", text))
    packed = rng.sample(("socks", "camera", "towel", "charger", "map", "soap", "jacket"), 4)
    found.append(("/travel", "packing.txt", "\n".join(packed)))
    found.append(("/home", "wifi.txt", f"Password: {rng.choice(words.SONG_FIRST).lower()}{rng.randint(100, 999)}"))
    found.append(("/", "readme.txt", "Old files of mine."))
    return found


def fill_todos(rng: random.Random, size: Size, people: list[Person], db: sqlite3.Connection) -> None:
    """Add todo lists with tasks, some of them with steps."""
    lists, numbers, steps = count(1), count(1), count(1)
    for person in people:
        for title in words.LISTS:
            number = next(lists)
            db.execute("INSERT INTO todo_lists VALUES (?, ?, ?)", (number, person.id, title))
            for errand in rng.sample(words.ERRANDS, size.many(rng, 4, 6)):
                task, due = next(numbers), rng.choice((None, TODAY + rng.randint(-6, 20), TODAY + rng.randint(-6, 20)))
                priority = rng.choices(words.PRIORITIES, (1, 3, 2))[0]
                row = (task, person.id, number, errand, due, priority, int(rng.random() < 0.3), "")
                db.execute("INSERT INTO todos VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                for step in range(rng.choice((0, 0, 0, 2, 3))):
                    row_of_step = (next(steps), task, f"part {step + 1}", int(rng.random() < 0.4))
                    db.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", row_of_step)
