"""Names and phrases that templates draw from."""

from __future__ import annotations

import random

FIRST = (
    "Ada",
    "Ben",
    "Clara",
    "David",
    "Emma",
    "Farid",
    "Grace",
    "Hugo",
    "Ines",
    "Jonas",
    "Kira",
    "Liam",
    "Mara",
    "Noah",
)
LAST = (
    "Abbott",
    "Brandt",
    "Castro",
    "Dalton",
    "Eriksen",
    "Fischer",
    "Garner",
    "Hobbs",
    "Ibsen",
    "Jansen",
    "Keller",
    "Lund",
)
TOWNS = ("Aldbury", "Brookfield", "Castleton", "Dunmore", "Eastgate", "Fairview", "Glenwood", "Harborne", "Ivybridge")
THINGS = (
    "lamp",
    "desk",
    "chair",
    "shelf",
    "printer",
    "monitor",
    "kettle",
    "carpet",
    "mirror",
    "clock",
    "heater",
    "table",
)
FOODS = (
    "apples",
    "bread",
    "cheese",
    "dates",
    "eggs",
    "flour",
    "grapes",
    "honey",
    "lemons",
    "milk",
    "noodles",
    "olives",
)
TOPICS = ("budget", "garden", "holiday", "meeting", "moving", "newsletter", "party", "repair", "training", "workshop")
COLOURS = ("blue", "brown", "green", "grey", "orange", "purple", "red", "white", "yellow")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")


def person(rng: random.Random) -> str:
    """A first and a last name."""
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def address(name: str) -> str:
    """The mail address of a person, with the name in front."""
    return f"{name} <{name.lower().replace(' ', '.')}@example.org>"


def some(rng: random.Random, words: tuple[str, ...], count: int) -> list[str]:
    """Different words in a drawn order."""
    return rng.sample(words, count)


def sentences(rng: random.Random, count: int) -> list[str]:
    """Plain sentences, each on its own, none of them twice."""
    found: list[str] = []
    while len(found) < count:
        sentence = (
            f"{rng.choice(FIRST)} brings the {rng.choice(THINGS)} to {rng.choice(TOWNS)} in {rng.choice(MONTHS)}."
        )
        if sentence not in found:
            found.append(sentence)
    return found
