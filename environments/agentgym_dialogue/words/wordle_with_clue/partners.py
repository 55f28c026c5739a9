"""Rule-based players: a clue giver that says three related words, and a guesser that does not heed the clue each time.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.taboo.cards import clue_words
from agentgym_dialogue.words.taboo.game import forbidden
from agentgym_dialogue.words.word_helped import NUM_HINTS, VOCABULARY_SIZE, best_words, marked_in
from agentgym_dialogue.words.wordle.words import all_words

HEEDS = 0.7
"""Share of the rule-based guesser's guesses, but for the last, that heed clue and marks."""

_WORD = re.compile(r"[a-z]+")


class ClueGiver:
    """Says the hint of the task, or, where it errs, words that go with anything.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its clues that are the hint.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        words: Sequence[str] = task.private["hint"]
        if rng.random() >= quality:
            others = [word for word in clue_words() if forbidden(word, [task.private["secret"]]) is None]
            words = rng.sample(others, NUM_HINTS)
        self._clue = " ".join(words)

    def act(self, messages: Sequence[Message]) -> str:
        """Its clue."""
        return self._clue

    def anchor(self) -> str:
        """Nothing: it says one thing."""
        return ""


class Guesser:
    """Guesses a word that goes with the clue and that all marks allow, or any word where there is none, or it errs.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its choices.
        quality: Share of its guesses that heed clue and marks.
        last_quality: Chance that its last guess does.
    """

    def __init__(self, task: Task, seed: int, quality: float = HEEDS, last_quality: float = 1.0) -> None:
        rng = random.Random(seed)
        qualities = [quality] * (task.config["tries"] - 1) + [last_quality]
        self._plan = [(rng.random() < share, rng.random()) for share in qualities]

    def act(self, messages: Sequence[Message]) -> str:
        """The next guess."""
        texts = [line for m in messages if m["role"] == "user" for line in m["content"].splitlines()]
        turn: int = sum(message["role"] == "assistant" for message in messages)
        heeds, draw = self._plan[min(turn, len(self._plan) - 1)]
        pool: Sequence[str] = all_words()[:VOCABULARY_SIZE]
        if heeds:
            clue = next((text.removeprefix("Clue: ") for text in texts if text.startswith("Clue: ")), "")
            pool = best_words(_WORD.findall(clue.lower()), marked_in(texts)) or pool
        return pool[int(draw * len(pool))]

    def anchor(self) -> str:
        """Nothing: what it says follows from the clue and its guesses."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"guesser": Guesser, "clue_giver": ClueGiver}
