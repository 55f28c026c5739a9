"""Rule-based players of taboo: a describer that gives one word a clue, and a guesser that knows all cards of the deck.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.taboo.cards import cards, clue_words, words_of_stem
from agentgym_dialogue.words.taboo.game import forbidden

HASTE = 0.25
"""Share of guesses but the last one that the rule-based guesser makes at haste."""
CLUELESS = "thing"
"""What it says where no clue tells it anything."""

_WORD = re.compile(r"[a-z]+")


class Describer:
    """Says one related word a clue that is not taboo, in a random order, or, where it errs, any word that is not.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of its clues that are related words.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        banned = [task.private["word"], *task.private["taboo"]]
        good = [word for word in cards()[task.private["word"]] if forbidden(word, banned) is None]
        rng.shuffle(good)
        others = rng.sample(clue_words(task.config["deck"]), 40)
        bad = [word for word in others if len(word) > 2 and forbidden(word, banned) is None]
        count = task.config["tries"] + 5
        best = good or bad
        self._clues: list[str] = [
            best[index % len(best)] if rng.random() < quality else bad[index] for index in range(count)
        ]

    def act(self, messages: Sequence[Message]) -> str:
        """The next clue."""
        turn: int = sum(message["role"] == "assistant" for message in messages)
        return self._clues[turn % len(self._clues)]

    def anchor(self) -> str:
        """Nothing: what it says follows from how many clues it gave."""
        return ""


class Guesser:
    """Says the word that goes with most of the clues; at haste the second best, and never one twice.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its haste and of how it breaks ties.
        haste: Share of its guesses, but for the last one, that are made at haste.
        quality: Share of its guesses that heed the clues.
    """

    def __init__(self, task: Task, seed: int, haste: float = HASTE, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._deck = task.config["deck"]
        self._words = list(cards(self._deck))
        rng.shuffle(self._words)
        self._tries = task.config["tries"]
        self._is_hasty = [rng.random() < haste for _ in range(self._tries)]
        self._heeds = [rng.random() < quality for _ in range(self._tries)]

    def act(self, messages: Sequence[Message]) -> str:
        """The next guess."""
        guessed: list[str] = [message["content"] for message in messages if message["role"] == "assistant"]
        turn = min(len(guessed), self._tries - 1)
        if not self._heeds[turn]:
            return self._words[len(guessed)]
        counts: Counter[str] = Counter()
        for clue in {stem(word) for word in _heard(messages)}:
            counts.update(words_of_stem(self._deck).get(clue, ()))
        ranked: list[str] = [word for word in self._words if counts[word] and word not in guessed]
        ranked.sort(key=lambda word: -counts[word])
        is_hasty = turn + 1 < self._tries and self._is_hasty[turn] and len(ranked) > 1
        return ranked[int(is_hasty)] if ranked else CLUELESS

    def anchor(self) -> str:
        """Nothing: what it says follows from the clues and guesses so far."""
        return ""


def _heard(messages: Sequence[Message]) -> list[str]:
    clues = [m["content"].partition(": ")[2] for m in messages if m["role"] == "user" and "Clue: " in m["content"]]
    return [word for clue in clues for word in _WORD.findall(clue.lower())]


PARTNERS: dict[str, ScriptFactory] = {"guesser": Guesser, "describer": Describer}
