"""The people of a workbench: whose things the tools work on, and who they write to."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_NAMES = (
    *("Ada", "Bruno", "Carla", "Derek", "Elin", "Farid", "Gesa", "Hugo", "Ines", "Jonas"),
    *("Kaya", "Leon", "Mina", "Nils", "Oona", "Pavel", "Rosa", "Stig", "Tara", "Ugo"),
)
LAST_NAMES = ("Amsel", "Birk", "Corti", "Dahl")
NUM_PEOPLE = 80
TODAY = "2031-06-10"
"""The day on which all episodes take place."""
SCHEMA = "CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT, town TEXT) WITHOUT ROWID;"
TOWNS = ("Arden", "Corvo", "Dunmere", "Elsin", "Galt", "Harrow", "Ister", "Kolby", "Lorne", "Mirren")
"""Towns, each with an airport."""


@dataclass(frozen=True)
class Person:
    """One of the people.

    Attributes:
        index: Number from 0.
        id: The handle by which tools know them, such as "ada.amsel".
        name: The full name.
        town: Where they live.
    """

    index: int
    id: str
    name: str
    town: str

    @property
    def is_heavy(self) -> bool:
        """Whether they have hundreds of files, orders, tickets, posts and messages."""
        return self.index % 10 >= 8

    @property
    def split(self) -> str:
        """The split whose tasks are about them."""
        return "test" if self.index % 4 == 3 else "validation" if self.index % 8 == 2 else "train"


def _person(index: int) -> Person:
    first, last = FIRST_NAMES[index % len(FIRST_NAMES)], LAST_NAMES[index // len(FIRST_NAMES)]
    return Person(index, f"{first}.{last}".lower(), f"{first} {last}", TOWNS[index * 7 % len(TOWNS)])


PEOPLE = tuple(map(_person, range(NUM_PEOPLE)))
"""All people, in order."""
BY_ID = {person.id: person for person in PEOPLE}
