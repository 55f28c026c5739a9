"""Made-up names for people, towns, companies, books and schools: the number of an entity gives its name.

Which numbers a world uses is drawn in `world`; no name here is taken from anywhere.
"""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["person", "town", "company", "book", "school"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnrstvwz" for vowel in "aeiou"]
NUM_WORDS = len(_SYLLABLES) ** 3
"""How many different words there are."""

_FIRST = (
    "Adal", "Bera", "Ciro", "Dalia", "Edmar", "Fenna", "Goran", "Hilde",
    "Ivo", "Jola", "Kemal", "Lunet", "Maro", "Nessa", "Orrin", "Petra",
    "Quill", "Runa", "Sorin", "Talia", "Ulmo", "Vesna", "Wendel", "Yara",
)  # fmt: skip
_TOWNS = ("Bay", "Bridge", "Falls", "Ford", "Harbour", "Heath", "Hill", "Wells")
_COMPANIES = ("Foundry", "Freight", "Glass", "Instruments", "Mills", "Optics", "Textiles", "Tools")
_BOOKS = (
    "The Lantern of {}",
    "A Winter in {}",
    "The Clocks of {}",
    "Letters to {}",
    "The Road past {}",
    "Seven Doors to {}",
    "Beyond the Walls of {}",
    "The Silence of {}",
)
_SCHOOLS = ("Academy", "College", "Institute", "Lyceum")


def word(number: int) -> str:
    """The word of a number from 0 to `NUM_WORDS` - 1; different numbers give different words."""
    size = len(_SYLLABLES)
    first, rest = divmod(number % NUM_WORDS, size * size)
    second, third = divmod(rest, size)
    return (_SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[third]).capitalize()


def name_of(kind: Kind, index: int, number: int) -> str:
    """The full name of an entity.

    Args:
        kind: Its kind.
        index: Its number among its kind; chooses the part that names share.
        number: The number of the word that it alone has.
    """
    own = word(number)
    if kind == "person":
        return f"{_FIRST[index % len(_FIRST)]} {own}"
    if kind == "book":
        return _BOOKS[index % len(_BOOKS)].format(own)
    shared = {"town": _TOWNS, "company": _COMPANIES, "school": _SCHOOLS}[kind]
    return f"{own} {shared[index % len(shared)]}"
