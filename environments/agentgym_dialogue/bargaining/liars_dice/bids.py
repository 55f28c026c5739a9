"""Bids: how many dice of all show a face; their order, chances and words.

Whose turn it is and who loses a die are the business of `game`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import comb
from typing import NamedTuple

from agentgym_dialogue.bargaining.commands import statements

FACES = ("ones", "twos", "threes", "fours", "fives", "sixes")
MAX_CHARS = 1_000
"""Longest message, in characters, that is read."""

_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
_FACE_WORDS = {word: face for face, plural in enumerate(FACES, 1) for word in (plural, f"{face}s", f"{face}'s")}
_FACE_WORDS |= {word: face for face, word in enumerate(("one", "two", "three", "four", "five", "six"), 1)}
_BID = re.compile(
    rf"(?:(?:i )?(?:bid|say) )?(\d{{1,3}}|{'|'.join(_NUMBERS)}) (?:x |times |dice of )?([1-6]'?s|[a-z]+|[1-6])"
)
_LIAR = re.compile(r"(?:i (?:say|call) )?(?:you(?: are a|'re a| a)? )?liar|(?:i )?challenge(?: you)?|i call(?: you)?")


class Bid(NamedTuple):
    """So many dice at least show the face; a greater bid is a higher one."""

    number: int
    face: int


def phrase(bid: Bid) -> str:
    """A bid in words, such as "2 fives"."""
    plural = FACES[bid.face - 1]
    single = "six" if bid.face == len(FACES) else plural[:-1]
    return f"{bid.number} {single if bid.number == 1 else plural}"


def read(text: str) -> tuple[list[Bid], bool]:
    """The different bids that a text holds as sentences or lines, and whether one of them calls the other a liar."""
    said = statements(text)
    found = {
        Bid(int(match[1]) if match[1].isdecimal() else _NUMBERS[match[1]], face)
        for match in map(_BID.fullmatch, said)
        if match and (face := _face(match[2]))
    }
    return sorted(found), any(map(_LIAR.fullmatch, said))


def _face(word: str) -> int:
    return int(word) if word.isdecimal() else _FACE_WORDS.get(word, 0)


def higher(bid: Bid | None, num_dice: int) -> Iterator[Bid]:
    """All bids above one, or all, on so many dice, from the lowest on."""
    for count in range(bid.number if bid else 1, num_dice + 1):
        for face in range(1, len(FACES) + 1):
            if bid is None or (count, face) > bid:
                yield Bid(count, face)


def is_true(bid: Bid, dice: str) -> bool:
    """Whether a bid holds for all dice together, given as digits."""
    return dice.count(str(bid.face)) >= bid.number


def chance(bid: Bid, own: str, num_others: int) -> float:
    """The probability that a bid holds, given one's own dice and the number of unseen ones."""
    return _tail(bid.number - own.count(str(bid.face)), num_others)


@cache
def _tail(needed: int, num_dice: int) -> float:
    """The probability that at least `needed` of some dice show a given face."""
    numbers = range(max(0, needed), num_dice + 1)
    ways: int = sum(comb(num_dice, count) * 5 ** (num_dice - count) for count in numbers)
    return ways / float(6**num_dice)
