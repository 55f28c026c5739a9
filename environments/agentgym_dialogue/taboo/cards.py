"""The cards: words to guess, each with eight words that go with it, read when first asked for.

Which of the eight are taboo is drawn for each task; where the cards come from stands in tasks/dialogue/taboo/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from agentgym.data_folder import data_folder
from agentgym_dialogue.phrases import stem


@cache
def cards() -> Mapping[str, tuple[str, ...]]:
    """The words that go with each word that may be hidden."""
    path = data_folder("tasks") / "dialogue" / "taboo" / "cards.txt"
    pairs = (line.split(": ") for line in path.read_text(encoding="utf-8").splitlines())
    return {word: tuple(related.split()) for word, related in pairs}


@cache
def clue_words() -> tuple[str, ...]:
    """Every word that goes with any."""
    return tuple(sorted({word for related in cards().values() for word in related}))


@cache
def words_of_stem() -> Mapping[str, frozenset[str]]:
    """By stem of a clue word the words that it goes with."""
    found: dict[str, set[str]] = {}
    for word, related in cards().items():
        for clue in related:
            found.setdefault(stem(clue), set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}
