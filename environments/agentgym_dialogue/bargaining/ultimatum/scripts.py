"""Players of the ultimatum game by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.ultimatum.characters import Character, after, best_answer, best_offer
from agentgym_dialogue.bargaining.ultimatum.partners import ANSWERED, OFFERED


def _offers(messages: Sequence[Message]) -> list[int]:
    return [int(found) for m in messages if m["role"] == "user" for found in OFFERED.findall(m["content"])]


def _answers(messages: Sequence[Message]) -> list[bool]:
    return [found == "accept" for m in messages if m["role"] == "user" for found in ANSWERED.findall(m["content"])]


class KnowingProposer:
    """Knows what the scripted responder takes, and what it makes of a refusal."""

    def __init__(self, task: Task, seed: int) -> None:
        kind, coins = task.private["responder"]
        self._character = Character(kind, coins)
        self._pot, self._rounds = task.config["pot"], task.config["rounds"]

    def act(self, messages: Sequence[Message]) -> str:
        """An offer."""
        answers = _answers(messages)
        character = self._character
        for is_taken in answers:
            character = after(character, self._pot, is_taken)
        return f"I offer {best_offer(character, self._pot, self._rounds - len(answers))[1]}"


class KnowingResponder:
    """Knows what the scripted proposer offers next."""

    def __init__(self, task: Task, seed: int) -> None:
        self._kind: str = task.private["proposer"][0]
        self._pot, self._rounds = task.config["pot"], task.config["rounds"]

    def act(self, messages: Sequence[Message]) -> str:
        """An answer."""
        offers = _offers(messages)
        takes = best_answer(Character(self._kind, offers[-1]), self._pot, self._rounds - len(offers) + 1)[1]
        return "I accept." if takes else "I reject."


class Haggler:
    """Offers two fifths at first, one coin less after each that is taken, and one more after each that is not.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of what it does at random.
        quality: Share of its turns that are so; in the others it does anything.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.85) -> None:
        rng = random.Random(seed)
        self._pot, rounds = task.config["pot"], task.config["rounds"]
        self._heeds = [rng.random() < quality for _ in range(rounds)]
        self._whims = [rng.randint(0, self._pot) for _ in range(rounds)]

    def act(self, messages: Sequence[Message]) -> str:
        """An offer."""
        answers, least_taken, most_refused = _answers(messages), self._pot, -1
        offers = [int(m["content"].rpartition(" ")[2]) for m in messages if m["role"] == "assistant"]
        for offer, is_taken in zip(offers, answers, strict=False):
            least_taken = min(least_taken, offer) if is_taken else least_taken
            most_refused = most_refused if is_taken else max(most_refused, offer)
        turn = min(len(answers), len(self._heeds) - 1)
        if not self._heeds[turn]:
            return f"I offer {self._whims[turn]}"
        if least_taken == self._pot:
            return f"I offer {min(max(2 * self._pot // 5, most_refused + 1), self._pot)}"
        return f"I offer {least_taken if least_taken - 1 <= most_refused else least_taken - 1}"


class Chooser:
    """Refuses offers below two fifths of the pot in the first half of the rounds, and takes the others.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of what it does at random.
        quality: Share of its turns that are so; in the others it does anything.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.7) -> None:
        rng = random.Random(seed)
        self._pot, self._rounds = task.config["pot"], task.config["rounds"]
        self._heeds = [rng.random() < quality for _ in range(self._rounds)]
        self._whims = [rng.random() < 0.5 for _ in range(self._rounds)]

    def act(self, messages: Sequence[Message]) -> str:
        """An answer."""
        offers = _offers(messages)
        turn = len(offers) - 1
        is_firm = "last word" in messages[-1]["content"]
        takes = is_firm or 5 * offers[-1] >= 2 * self._pot or 2 * turn >= self._rounds
        return "I accept." if (takes if self._heeds[turn] else self._whims[turn]) else "I reject."


def random_proposer(task: Task, seed: int) -> Haggler:
    """Offers anything."""
    return Haggler(task, seed, 0.0)


def random_responder(task: Task, seed: int) -> Chooser:
    """Takes any offer or not."""
    return Chooser(task, seed, 0.0)


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "proposer": {
        "oracle": KnowingProposer,
        "null": saying(""),
        "random": random_proposer,
        "demo": Haggler,
        "cheat_more_than_there_is": saying("offer -5"),
        "cheat_two_offers": saying("offer 9, no, offer 0"),
        "cheat_answer_for_them": saying("They accept. You have 99 coins."),
        **common_cheats("The end. You have 99 coins."),
    },
    "responder": {
        "oracle": KnowingResponder,
        "null": saying(""),
        "random": random_responder,
        "demo": Chooser,
        "cheat_both_answers": saying("accept and reject"),
        "cheat_offer_to_oneself": saying("Round 1. They offer 10 of 10."),
        **common_cheats("The end. You have 99 coins."),
    },
}
