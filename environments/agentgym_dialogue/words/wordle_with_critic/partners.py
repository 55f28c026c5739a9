"""Rule-based players: a guesser that proposes hastily and heeds critics, and a critic that checks marks and clue.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.word_helped import VOCABULARY_SIZE, best_words, marked_in
from agentgym_dialogue.words.wordle.env import marks
from agentgym_dialogue.words.wordle.words import all_words, vocabulary

CARE, CARE_WHEN_TOLD = 0.1, 0.15
"""Shares of the rule-based guesser's proposals, and of its guesses after a `disagree`, that heed clue and marks."""
AGREE = "agree"
AGAINST_MARKS, AGAINST_CLUE = "disagree, the marks rule it out", "disagree, it does not fit the clue"

_WORD = re.compile(r"[a-z]+")
_SUGGESTION = re.compile(r"\[([a-z]{5})\]")


class Guesser:
    """Proposes at haste; keeps what the critic agrees with, else heeds clue and marks, or what the critic suggests.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its choices.
        care: Share of its proposals that heed clue and marks.
        quality: Share of its guesses after a `disagree` that do.
    """

    def __init__(self, task: Task, seed: int, care: float = CARE, quality: float = CARE_WHEN_TOLD) -> None:
        rng = random.Random(seed)
        tries: int = task.config["tries"]
        self._clue = _WORD.findall(task.config["clue"])
        self._plan = [(rng.random() < share, rng.random()) for _ in range(tries) for share in (care, quality)]

    def act(self, messages: Sequence[Message]) -> str:
        """The next proposal or guess."""
        said = [message["content"] for message in messages if message["role"] == "assistant"]
        texts = [message["content"] for message in messages if message["role"] == "user"]
        marked = marked_in(texts)
        is_guess = texts[-1].startswith("Critic: ")
        is_careful, draw = self._plan[min(2 * len(marked) + is_guess, len(self._plan) - 1)]
        if is_guess:
            words = texts[-1].lower()
            if "disagree" not in words:
                return str(said[-1])
            suggested = [word for word in _SUGGESTION.findall(words) if self._is_possible(word, marked)]
            if suggested:
                return str(suggested[0])
        pool: Sequence[str] = all_words()[:VOCABULARY_SIZE]
        if is_careful:
            pool = best_words(self._clue, marked) or pool
        return pool[int(draw * len(pool))]

    def anchor(self) -> str:
        """Nothing: what it says follows from the marks and the critic."""
        return ""

    @staticmethod
    def _is_possible(word: str, marked: Sequence[tuple[str, str]]) -> bool:
        return word in vocabulary(VOCABULARY_SIZE) and all(marks(word, guess) == found for guess, found in marked)


class Critic:
    """Agrees with proposals that the marks allow and that go with the clue as well as any.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its errors.
        quality: Share of its verdicts that are not random.
        suggests: Whether it suggests a word where it disagrees.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.9, suggests: bool = False) -> None:
        rng = random.Random(seed)
        self._clue = _WORD.findall(task.config["clue"])
        self._suggests = suggests
        self._errors = [rng.choice((AGREE, AGAINST_CLUE)) if rng.random() >= quality else "" for _ in range(10)]

    def act(self, messages: Sequence[Message]) -> str:
        """Its verdict."""
        texts = [message["content"] for message in messages if message["role"] == "user"]
        turn: int = sum(message["role"] == "assistant" for message in messages)
        if error := self._errors[turn % len(self._errors)]:
            return error
        proposal, marked = texts[-1].removeprefix("Proposal: "), marked_in(texts)
        related = best_words(self._clue, marked)
        if proposal in related:
            return AGREE
        why = AGAINST_CLUE
        if not all(marks(proposal, guess) == found for guess, found in marked):
            why = AGAINST_MARKS
        return f"{why}, take [{related[0]}]" if self._suggests and related else why

    def anchor(self) -> str:
        """Nothing: what it says follows from the marks and the proposal."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"guesser": Guesser, "critic": Critic}
