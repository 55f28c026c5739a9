"""What there is to divide: counts and values of three kinds of items, who may get how much, and the words for it.

Who proposes what is the business of `game` and of the players.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache

KINDS = ("book", "hat", "ball")
TOTAL_VALUE = 10
MIN_ITEMS, MAX_ITEMS = 5, 7
LEAST_FOR_PARTNER = 4
"""In every drawn division each role can get more than the other while that one gets at least this."""

Items = tuple[int, int, int]
"""A number of each kind, in the order of `KINDS`."""
Division = tuple[Items, Items, Items]
"""How many items there are, and what each is worth to the first and the second role."""

_NUMBERS = {"a": 1, "an": 1, "no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_ITEM_WORDS = frozenset(
    [*_NUMBERS, *KINDS, *(f"{kind}s" for kind in KINDS), *["all", "and", "everything", "nothing", "of", "the"]]
)
_PAIR = re.compile(r"(?<![\w-])(\d{1,2}|[a-z]+) (?:of the |(?<=all )the )?(book|hat|ball)s?\b")


def value(items: Items, values: Items) -> int:
    """What items are worth."""
    return items[0] * values[0] + items[1] * values[1] + items[2] * values[2]


def rest(counts: Items, items: Items) -> Items:
    """What one leaves to the other."""
    return counts[0] - items[0], counts[1] - items[1], counts[2] - items[2]


@cache
def shares(counts: Items) -> tuple[Items, ...]:
    """Everything that one role can get."""
    return tuple((a, b, c) for a, b, c in itertools.product(*(range(count + 1) for count in counts)))


def phrase(items: Items) -> str:
    """Items in words, such as "1 book 2 hats"; "nothing" for none."""
    words = [f"{count} {kind}{'s' * (count != 1)}" for count, kind in zip(items, KINDS, strict=True) if count]
    return " ".join(words) or "nothing"


def names_items(text: str) -> bool:
    """Whether a text in lower case holds nothing but words for items, their numbers and what joins them."""
    return all(word in _ITEM_WORDS or word.isdecimal() for word in re.split(r"[\s,]+", text.strip()))


def read_items(text: str, counts: Items) -> Items | None:
    """Items that a text in lower case names, such as "2 books and a hat"; None where it names none, or one kind twice.

    Args:
        text: The text.
        counts: How many there are, which "all hats", "the hats" and "everything" stand for.
    """
    named: dict[str, int] = {}
    for number, kind in _PAIR.findall(" ".join(text.split())):
        count = counts[KINDS.index(kind)] if number in ("all", "the") else _NUMBERS.get(number, -1)
        count = int(number) if number.isdecimal() else count
        if kind in named or count < 0:
            return None
        named[kind] = count
    if named:
        return named.get("book", 0), named.get("hat", 0), named.get("ball", 0)
    if "everything" in text.split():
        return counts
    return (0, 0, 0) if "nothing" in text.split() else None


def as_items(fields: Mapping[str, int]) -> Items:
    """Items from an object by kind."""
    return fields["book"], fields["hat"], fields["ball"]


def as_fields(items: Items) -> dict[str, int]:
    """The inverse of `as_items`."""
    return dict(zip(KINDS, items, strict=True))


def draw(rng: random.Random) -> Division:
    """Counts and the values of both roles; see `is_fit`."""
    while True:
        counts = (rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4))
        if MIN_ITEMS <= sum(counts) <= MAX_ITEMS:
            first, second = rng.choice(valuations(counts)), rng.choice(valuations(counts))
            if is_fit(counts, first, second):
                return counts, first, second


def divisions() -> Iterator[Division]:
    """All that may be drawn."""
    for counts in shares((4, 4, 4)):
        if min(counts) > 0 and MIN_ITEMS <= sum(counts) <= MAX_ITEMS:
            for first, second in itertools.product(valuations(counts), repeat=2):
                if is_fit(counts, first, second):
                    yield counts, first, second


def is_fit(counts: Items, first: Items, second: Items) -> bool:
    """Whether items and values are such as Lewis et al. (2017, arXiv 1706.05125, section 3.1) draw them.

    Every kind is worth something to one role, some kind to both. Differs: both roles can come out ahead with
    `LEAST_FOR_PARTNER` left to the other, so that a player who knows everything always can.
    """
    pairs = list(zip(first, second, strict=True))
    if not all(one or other for one, other in pairs) or not any(one and other for one, other in pairs):
        return False
    both_ways = ((first, second), (second, first))
    return all(any(True for _ in winning(counts, own, other)) for own, other in both_ways)


@cache
def valuations(counts: Items) -> tuple[Items, ...]:
    """All values under which everything together is worth `TOTAL_VALUE`."""
    worths = itertools.product(range(TOTAL_VALUE + 1), repeat=3)
    return tuple((a, b, c) for a, b, c in worths if value(counts, (a, b, c)) == TOTAL_VALUE)


def winning(counts: Items, own: Items, other: Items) -> Iterator[Items]:
    """Shares worth more to their owner than the rest is to the other, who gets at least `LEAST_FOR_PARTNER`."""
    for share in shares(counts):
        left = value(rest(counts, share), other)
        if LEAST_FOR_PARTNER <= left < value(share, own):
            yield share


def most_together(counts: Items, first: Items, second: Items) -> int:
    """The most points that both can get together."""
    return max(value(share, first) + value(rest(counts, share), second) for share in shares(counts))
