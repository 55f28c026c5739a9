"""People and who knows whom: contacts, groups, and what a contact's entry lacks."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from agentgym_tools.apps.base import words
from agentgym_tools.desks.setting import people as names


@dataclass(frozen=True)
class Size:
    """How much there is.

    Attributes:
        people: How many people.
        known: How many each of them knows, at most 12.
        each: How much each has of everything, in percent of the full size.
    """

    people: int
    known: int
    each: int

    def many(self, rng: random.Random, low: int, high: int) -> int:
        """How many of something a person has."""
        return max(2, rng.randint(low, high) * self.each // 100)


class Person(NamedTuple):
    """A person of the base."""

    id: int
    name: str
    email: str
    phone: str
    city: str
    known: tuple[int, ...]


def fill_people(rng: random.Random, size: Size, db: sqlite3.Connection) -> list[Person]:
    """Add the people, each with contacts that know it too."""
    pairs = [(first, last) for first in names.FIRST_NAMES for last in names.LAST_NAMES]
    drawn = rng.sample(pairs, size.people)
    known: list[set[int]] = [set() for _ in drawn]
    for step in range(1, size.known // 2 + 1):
        for place in range(size.people):
            other = (place + step * step) % size.people
            known[place].add(other)
            known[other].add(place)
    found = []
    for place, (first, last) in enumerate(drawn):
        birthday = f"{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        email, phone = f"{first}.{last}@mail.test".lower(), f"555-{1000 + place * 7}"
        street, city = f"{rng.randint(1, 99)} {rng.choice(names.STREETS)}", rng.choice(names.TOWNS)
        row = (place + 1, f"{first} {last}", email, phone, birthday, street, city, rng.choice(words.JOBS))
        db.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        others = tuple(sorted(other + 1 for other in known[place] - {place}))
        found.append(Person(place + 1, f"{first} {last}", email, phone, city, others))
    for person in found:
        _fill_contacts(rng, person, found, db)
    return found


def _fill_contacts(rng: random.Random, person: Person, people: list[Person], db: sqlite3.Connection) -> None:
    relations = [*words.RELATIONS, *(rng.choice(("friend", "friend", "colleague")) for _ in person.known)]
    contacts = []
    for place, other in enumerate(rng.sample(person.known, len(person.known))):
        known = people[other - 1]
        born = db.execute("SELECT birthday FROM people WHERE id = ?", (other,)).fetchone()[0]
        relation = (
            relations[place] if place < min(len(words.RELATIONS), len(person.known) - 3) else relations[-place - 1]
        )
        email = None if place == len(person.known) - 1 else known.email
        values: tuple[str | None, ...] = (
            known.name,
            email,
            known.phone,
            born if rng.random() < 0.7 else None,
            known.city,
            relation,
        )
        contacts.append(_add_contact(db, person.id, values, rng.random() < 0.25))
    for name in rng.sample(("Plumber Pohl", "Pizza Nero", "Taxi Central", "Doctor Iffland"), 2):
        values = (name, None, f"555-{rng.randint(8000, 8999)}", None, None, "service")
        contacts.append(_add_contact(db, person.id, values, False))
    for title in rng.sample(words.GROUPS, 2):
        group = _next(db, "contact_groups")
        db.execute("INSERT INTO contact_groups VALUES (?, ?, ?)", (group, person.id, title))
        for contact in rng.sample(contacts[: len(person.known) - 1], 3):
            db.execute("INSERT INTO group_members VALUES (?, ?)", (group, contact))


def _add_contact(db: sqlite3.Connection, owner: int, values: tuple[str | None, ...], is_favourite: bool) -> int:
    number = _next(db, "contacts")
    row = (number, owner, *values, int(is_favourite), "")
    db.execute("INSERT INTO contacts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    return number


def _next(db: sqlite3.Connection, table: str) -> int:
    number: int = db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0]  # noqa: S608 - our tables
    return number
