"""What is talked about: domains, their slots, and the values that each may have; which slot a question is about.

Which values a task has is drawn in `game` and `generate`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Domain:
    """A kind of talk.

    Attributes:
        setting: What the answerer is told that it is about.
        slots: By slot the values it may have, each one word that occurs nowhere else in the domain.
        synonyms: Other words that name a slot.
    """

    setting: str
    slots: Mapping[str, Sequence[str]]
    synonyms: Mapping[str, str]

    @cached_property
    def names(self) -> Sequence[str]:
        """The slots, in their order."""
        return tuple(self.slots)

    def asked_in(self, text: str) -> set[str]:
        """The slots that a text names."""
        words = set(_WORD.findall(text.lower()))
        return {slot for slot in self.slots if slot in words} | {
            slot for synonym, slot in self.synonyms.items() if synonym in words
        }


def words_of(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(_WORD.findall(text.lower()))


def _domain(setting: str, slots: Mapping[str, str], synonyms: Mapping[str, str]) -> Domain:
    named = {word: slot for slot, words in synonyms.items() for word in words.split()}
    return Domain(setting, {slot: tuple(values.split()) for slot, values in slots.items()}, named)


DOMAINS: Mapping[str, Domain] = {
    "trip": _domain(
        "You book a trip.",
        {
            "origin": "oslo berlin madrid dublin vienna athens",
            "destination": "rome paris london lisbon prague warsaw",
            "vehicle": "train bus plane ship car",
            "day": "monday tuesday wednesday thursday friday saturday sunday",
        },
        {
            "origin": "from departure",
            "destination": "destinations",
            "vehicle": "means transport",
            "day": "date",
        },
    ),
    "meal": _domain(
        "You order a meal.",
        {
            "starter": "soup salad olives bread shrimps",
            "dish": "pasta fish steak curry pizza stew",
            "drink": "water juice beer wine tea coffee",
            "seat": "window garden terrace corner bar",
        },
        {"starter": "appetizer", "dish": "course main", "drink": "beverage", "seat": "seating"},
    ),
    "job": _domain(
        "You apply for a job.",
        {
            "trade": "baker welder nurse tailor gardener plumber",
            "school": "college academy university workshop",
            "language": "danish french german spanish polish",
            "month": "january march april june august october",
        },
        {"trade": "profession occupation", "school": "education", "language": "languages", "month": "months"},
    ),
    "flat": _domain(
        "You look for a flat.",
        {
            "rooms": "two three four five six",
            "district": "harbour market castle station meadow",
            "heating": "gas oil electric wood solar",
            "pet": "dog cat parrot rabbit turtle",
        },
        {"rooms": "room", "district": "area quarter", "heating": "heated", "pet": "pets animal"},
    ),
    "party": _domain(
        "You plan a party.",
        {
            "music": "jazz rock disco opera folk",
            "cake": "chocolate lemon cherry carrot almond",
            "colour": "red blue green yellow purple",
            "place": "barn beach cellar roof tent",
        },
        {"music": "band song", "cake": "pie", "colour": "color colours", "place": "venue location"},
    ),
}
