"""Players of wordle: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the conversation as an agent does; only the oracle looks at the task's private part.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.wordle.env import NUM_LETTERS, marks
from agentgym_dialogue.words.wordle.words import all_words


def oracle(task: Task, seed: int) -> Saying:
    """Says the word at once."""
    return Saying(task.private["secret"])


class RandomPlayer:
    """Guesses any word of the vocabulary, deaf to the marks."""

    def __init__(self, task: Task, seed: int) -> None:
        self._words = all_words()[: task.config["vocabulary_size"]]
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A word."""
        return self._rng.choice(self._words)


class Demonstrator:
    """Guesses a word that all marks allow, or, where it errs, any word.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of its guesses that heed the marks.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.5) -> None:
        self._words: Sequence[str] = all_words()[: task.config["vocabulary_size"]]
        self._possible: Sequence[str] = self._words
        self._rng = random.Random(seed)
        self._quality = quality
        self._last = ""

    def act(self, messages: Sequence[Message]) -> str:
        """The next guess."""
        answer = messages[-1]["content"]
        if self._last and len(answer) == 2 * NUM_LETTERS - 1:
            self._possible = [word for word in self._possible if marks(word, self._last) == answer]
        heeds = self._rng.random() < self._quality
        self._last = self._rng.choice(self._possible if heeds and self._possible else self._words)
        return self._last


def cheat_many_words(task: Task, seed: int) -> Saying:
    """Says a hundred words of the vocabulary in one message, each in brackets."""
    words = all_words()[: task.config["vocabulary_size"]]
    return Saying(" ".join(f"[{word}]" for word in random.Random(seed).sample(words, min(100, len(words)))))


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_many_words": cheat_many_words,
    "cheat_wildcards": saying("[?????] [.....] [a-z] [_____]"),
    "cheat_fake_marks": saying("[ggggg]"),
    "cheat_huge_word": saying("a" * 100_000),
    **common_cheats("correct"),
}
