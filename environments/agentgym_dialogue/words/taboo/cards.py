"""The cards: words to guess, each with eight words that go with it, read when first asked for.

Which of the eight are taboo is drawn for each task; where the cards come from stands in tasks/dialogue/taboo/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from agentgym.data_folder import data_folder
from agentgym_dialogue.phrases import stem

ALL = "all"


@cache
def decks() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """By name of a deck the words that may be hidden, with the words that go with each; `ALL` holds every one."""
    path = data_folder("tasks") / "dialogue" / "taboo" / "cards.txt"
    found: dict[str, dict[str, tuple[str, ...]]] = {ALL: {}}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, colon, related = line.partition(": ")
        if not colon:
            deck = found[word.removeprefix("# ")] = {}
            continue
        deck[word] = found[ALL][word] = tuple(related.split())
    return found


def cards(deck: str = ALL) -> Mapping[str, tuple[str, ...]]:
    """The words of a deck, each with those that go with it."""
    return decks()[deck]


@cache
def clue_words(deck: str = ALL) -> tuple[str, ...]:
    """Every word that goes with any of a deck."""
    return tuple(sorted({word for related in cards(deck).values() for word in related}))


@cache
def words_of_stem(deck: str = ALL) -> Mapping[str, frozenset[str]]:
    """By stem of a clue word the words of a deck that it goes with."""
    found: dict[str, set[str]] = {}
    for word, related in cards(deck).items():
        for clue in related:
            found.setdefault(stem(clue), set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}
