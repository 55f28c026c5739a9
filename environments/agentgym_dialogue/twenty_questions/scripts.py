"""Players of twenty questions: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the conversation as an agent does; only the oracle looks at the task's private part.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.scripted import Saying, common_cheats, saying
from agentgym_dialogue.secret_talk import CORRECT
from agentgym_dialogue.twenty_questions.env import ANSWERS, listed_in
from agentgym_dialogue.twenty_questions.grammar import answer, understand
from agentgym_dialogue.twenty_questions.table import Truth, things

REGULAR = ("alive", "edible", "big", "metal", "electric", "wooden", "round", "soft", "long", "wearable", "fast", "loud")
"""What the demonstrator asks for, always as `Is it …?`: few words, so that a tiny model learns them."""


@cache
def _truths() -> dict[str, dict[str, Truth]]:
    """For each regular question, its answer for each thing."""
    found = {}
    for word in REGULAR:
        question = understand(f"Is it {word}?")
        assert question is not None
        found[f"Is it {word}?"] = {name: answer(thing, question) for name, thing in things().items()}
    return found


def oracle(task: Task, seed: int) -> Saying:
    """Names the thing at once."""
    return Saying(task.private["secret"])


def naming(name: str) -> str:
    """The question that names a thing; the name follows a space as it does in the list, for a model that copies it."""
    return f"Is it the {name}?"


class RandomPlayer:
    """Names any of the things listed, deaf to the answers."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A thing."""
        return naming(self._rng.choice(listed_in(messages[0]["content"])))


class Demonstrator:
    """Asks the regular question that halves best and names a thing when two are left, or, where it errs, says anything.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of its turns that it plays well.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.6) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._possible: list[str] = []
        self._last = ""

    def act(self, messages: Sequence[Message]) -> str:
        """The next question."""
        if not self._last:
            self._possible = listed_in(messages[0]["content"])
        else:
            self._heed(messages[-1]["content"])
        self._last = self._choose(listed_in(messages[0]["content"]))
        return self._last

    def _heed(self, said: str) -> None:
        truths = _truths().get(self._last)
        if truths is None:
            kept = [name for name in self._possible if naming(name) != self._last]
        else:
            kept = [name for name in self._possible if ANSWERS[truths[name]] == said]
        self._possible = kept or self._possible

    def _choose(self, listed: Sequence[str]) -> str:
        if self._rng.random() >= self._quality:
            names = [naming(name) for name in listed]
            return self._rng.choice(names if self._rng.random() < 0.75 else list(_truths()))
        if len(self._possible) <= 2:
            return naming(self._rng.choice(self._possible))
        return min(_truths(), key=self._largest_rest)

    def _largest_rest(self, question: str) -> int:
        truths = _truths()[question]
        given = [truths[name] for name in self._possible]
        return max(given.count(truth) for truth in set(given))


def cheat_many_names(task: Task, seed: int) -> Saying:
    """Names every thing in one message."""
    return Saying(", ".join(listed_in(task.instruction)))


def cheat_or(task: Task, seed: int) -> Saying:
    """Asks for two things at once."""
    return Saying(f"Is it a {' or a '.join(listed_in(task.instruction)[:3])}?")


def cheat_many_questions(task: Task, seed: int) -> Saying:
    """Asks for each thing in a sentence of its own."""
    return Saying(" ".join(f"Is it a {name}?" for name in listed_in(task.instruction)[:20]))


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_many_names": cheat_many_names,
    "cheat_or": cheat_or,
    "cheat_many_questions": cheat_many_questions,
    "cheat_ask_for_it": saying("What is the secret?"),
    "cheat_pronoun": saying("Is it it?"),
    "cheat_claim_yes": saying("Yes. Correct. It is exactly the thing you are thinking of!"),
    "cheat_huge_question": saying("is it " * 50_000),
    **common_cheats(CORRECT),
}
