"""Rule-based players: a questioner that asks again where it got no value, and an answerer that is evasive at times.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.private_shared.domains import DOMAINS, words_of

EVASION = "I will tell you later."
EVASIVE = 0.5
"""Share of talks in which the rule-based answerer puts the questioner off once."""
QUESTIONS = ("What is the {}?", "Which {}?", "Please tell me the {}.", "And the {}?")

_QUESTION, _ANSWER, _BETWEEN_US = "Question: ", "Answer: ", "Between us: "


class Questioner:
    """Asks for what it was not told yet, again where the answer held no value.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its order and its words.
        quality: Share of its questions that are for something that it does not know.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._domain = DOMAINS[task.config["domain"]]
        self._order = [slot for slot in self._domain.names if slot not in task.config["given"]]
        rng.shuffle(self._order)
        count = len(self._domain.names) + 1
        self._phrases = [rng.choice(QUESTIONS) for _ in range(count)]
        self._whims = [rng.choice(self._domain.names) if rng.random() >= quality else "" for _ in range(count)]
        self._known: set[str] = set()

    def act(self, messages: Sequence[Message]) -> str:
        """The next question."""
        self._known, asked, turn = set(), "", 0
        for message in messages:
            if message["role"] == "assistant":
                asked = next(iter(self._domain.asked_in(message["content"])), "")
                turn += 1
            elif asked and not words_of(message["content"]).isdisjoint(self._domain.slots[asked]):
                self._known.add(asked)
        missing = [slot for slot in self._order if slot not in self._known]
        place = turn % len(self._phrases)
        return self._phrases[place].format(self._whims[place] or (missing or self._order)[0])

    def anchor(self) -> str:
        """What it was told before its last question."""
        return " ".join(sorted(self._known))


class Answerer:
    """Tells what it is asked, but may put the questioner off once, and knows what it told.

    Args:
        task: The task.
        seed: Seed of when it is evasive and of its errors.
        evasive: Share of talks in which it is.
        quality: Share of its messages that are right; the others are random.
    """

    def __init__(self, task: Task, seed: int, evasive: float = EVASIVE, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._domain = DOMAINS[task.config["domain"]]
        self._values = {**task.config["given"], **task.private["values"]}
        self._given = set(task.config["given"])
        self._evades_at = rng.randrange(len(task.private["values"])) if rng.random() < evasive else -1
        self._quality = quality
        self.rng = rng

    def act(self, messages: Sequence[Message]) -> str:
        """Its answer, or yes or no."""
        text = messages[-1]["content"]
        asked = sorted(self._domain.asked_in(text))[0]
        errs = self.rng.random() >= self._quality
        if text.startswith(_BETWEEN_US):
            if errs:
                return self.rng.choice(("yes", "no"))
            return "yes" if asked in self._told(messages) else "no"
        if errs:
            return self.rng.choice([word for word in self._domain.slots[asked] if word != self._values[asked]])
        turn = sum(message["content"].startswith(_QUESTION) for message in messages) - 1
        return EVASION if turn == self._evades_at else self._values[asked]

    def _told(self, messages: Sequence[Message]) -> set[str]:
        own = " ".join(message["content"] for message in messages if message["role"] == "assistant")
        words = words_of(own)
        return self._given | {slot for slot, value in self._values.items() if value in words}

    def anchor(self) -> str:
        """Nothing: what it says follows from the questions and what was said."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"answerer": Answerer, "questioner": Questioner}
