"""Boards of codenames: words with what each is to the team, and which clues go with which of them.

The words and what goes with them are the cards of taboo.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.taboo.cards import cards, words_of_stem

OWN, THEIRS, NEUTRAL, ASSASSIN = "otna"
"""What a word is, in a board's key."""


class Board(NamedTuple):
    """Words, and for each a letter of what it is."""

    words: Sequence[str]
    key: str

    def of_kind(self, kind: str) -> list[str]:
        """The words of a kind, in the board's order."""
        return [word for word, letter in zip(self.words, self.key, strict=True) if letter == kind]


class Sizes(NamedTuple):
    """How many words a board has of each kind; own ones come in pairs that a clue goes with."""

    pairs: int
    theirs: int
    neutral: int


SIZES: Mapping[int, Sizes] = {16: Sizes(3, 5, 4), 20: Sizes(4, 6, 5)}
"""By number of words; one more is the assassin."""


@cache
def paired_clues() -> tuple[str, ...]:
    """Clue words that go with at least two words, one of each stem, and may be said of them."""
    found = [
        clue
        for related in cards().values()
        for clue in related
        if len(words_of_stem()[stem(clue)]) >= 2 and is_allowed(clue, words_of_stem()[stem(clue)])
    ]
    return tuple({stem(clue): clue for clue in found}.values())


def is_allowed(clue: str, words: Iterable[str]) -> bool:
    """Whether a clue word is none of some words, nor inflected, nor has one inside, nor is a part of one.

    Args:
        clue: Any word.
        words: Words of the cards.
    """
    root = stem(clue)
    return not any(
        root == _root(word) or (len(word) > 3 and word in clue) or (len(clue) > 3 and clue in word) for word in words
    )


@cache
def _root(word: str) -> str:
    """The stem of a word of the cards, looked up."""
    return stem(word)


@cache
def _barred(clue: str) -> frozenset[str]:
    """The words of the cards of which a clue word of the cards must not be said."""
    within = {word for word in _long_words() if word in clue}
    around = {word for word in cards() if clue in word} if len(clue) > 3 else set()
    return frozenset({*_words_of_root().get(_root(clue), ()), *within, *around})


@cache
def _long_words() -> tuple[str, ...]:
    return tuple(word for word in cards() if len(word) > 3)


@cache
def _words_of_root() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in cards():
        found.setdefault(_root(word), []).append(word)
    return found


def clues_on(words: Sequence[str]) -> dict[str, frozenset[str]]:
    """By clue word, of those that may be said, the words of a board that it goes with."""
    found: dict[str, set[str]] = {}
    spelt: dict[str, str] = {}
    for word in words:
        for clue in cards()[word]:
            root = _root(clue)
            spelt.setdefault(root, clue)
            found.setdefault(root, set()).add(word)
    return {spelt[root]: frozenset(gone) for root, gone in found.items() if _barred(spelt[root]).isdisjoint(words)}


def draw_board(rng: random.Random, size: int) -> Board:
    """A board whose own words can be named in pairs: by clues that go with no other word of it.

    Args:
        rng: Source of the draws.
        size: How many words it has: a key of `SIZES`.
    """
    sizes = SIZES[size]
    while True:
        own: list[str] = []
        clues: list[str] = []
        while len(clues) < sizes.pairs:
            clue = rng.choice(paired_clues())
            pair = rng.sample(sorted(words_of_stem()[stem(clue)]), 2)
            if not set(pair) & set(own):
                own += pair
                clues.append(clue)
        others = rng.sample([word for word in cards() if word not in own], size - len(own))
        board = _shuffled(rng, own, others, sizes)
        going = (words_of_stem()[stem(clue)].intersection(board.words) for clue in clues)
        if all(len(words) == 2 for words in going) and all(is_allowed(clue, board.words) for clue in clues):
            return board


def _shuffled(rng: random.Random, own: Sequence[str], others: Sequence[str], sizes: Sizes) -> Board:
    letters = OWN * len(own) + THEIRS * sizes.theirs + NEUTRAL * sizes.neutral + ASSASSIN
    pairs = list(zip([*own, *others], letters, strict=True))
    rng.shuffle(pairs)
    return Board([word for word, _ in pairs], "".join(letter for _, letter in pairs))
