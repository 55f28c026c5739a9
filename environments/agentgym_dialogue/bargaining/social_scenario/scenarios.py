"""What scenarios are made of: names, relationships, wishes, secrets and rules of a place, all written for this project.

What is done with them is the business of `game` and of the players.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

NAMES = ("Ada", "Ben", "Cleo", "Dario", "Ella", "Finn", "Gita", "Hugo", "Iris", "Jonas", "Kira", "Liam")
RELATIONSHIPS = {"rival": -1, "stranger": 0, "neighbour": 1, "colleague": 1, "friend": 2, "cousin": 2}
"""What the other is to one, with the level, from -5 to 5, on which they begin."""
WISHES = {
    "car": "to borrow the car on Sunday",
    "dog": "somebody who walks the dog",
    "boxes": "help with carrying boxes",
    "tickets": "two tickets for the concert",
    "kitchen": "the kitchen cleaned",
    "ladder": "to borrow a ladder",
    "piano": "less piano in the evening",
    "garden": "the garden watered in May",
    "bike": "the bike repaired",
    "recipe": "the recipe for the soup",
    "tent": "a tent for the holidays",
    "shift": "to swap the shift on Friday",
    "lift": "a lift to the airport",
    "essay": "somebody who reads the essay",
    "window": "the window seat",
    "cake": "a cake for the party",
    "fence": "the fence painted",
    "camera": "to use the camera",
}
"""By the word that a wish is known by, what one wants."""
SECRETS = {
    "fired": "you were fired last week",
    "letter": "you opened their letter",
    "vase": "you broke their vase",
    "debts": "you have debts",
    "exam": "you failed the exam",
    "lottery": "you won in the lottery",
    "diary": "you read their diary",
    "scratch": "you made the scratch on their door",
    "abroad": "you will move abroad",
    "gossip": "you began the gossip about them",
}
"""By the word that gives a secret away, what it is."""
RULES = {
    "quiet": "This is a library: no exclamation marks.",
    "money": "This is a tea party: no word of money.",
    "phone": "This is a cinema: no word of phones.",
    "work": "This is a holiday: no word of work.",
}
TEMPERS = ("kind", "trader")
MAX_NEED = 3


def draw_scenario(rng: random.Random, wishes: Sequence[str] = tuple(WISHES)) -> tuple[dict[str, Any], dict[str, Any]]:
    """A scenario's public and private part.

    Args:
        rng: The generator.
        wishes: The wishes to choose from, at least two.
    """
    names, wanted, secrets = rng.sample(NAMES, 2), rng.sample(wishes, 2), rng.sample(list(SECRETS), 2)
    config: dict[str, Any] = {"names": names}
    config |= {"relationship": rng.choice(list(RELATIONSHIPS)), "rule": rng.choice(list(RULES))}
    private: dict[str, Any] = {}
    for index, role in enumerate(("first", "second")):
        private[f"{role}_wish"], private[f"{role}_secret"] = wanted[index], secrets[index]
        private[f"{role}_temper"] = [rng.choice(TEMPERS), rng.randint(1, MAX_NEED)]
    return config, private
