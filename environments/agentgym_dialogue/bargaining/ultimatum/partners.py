"""Rule-based players of the ultimatum game: they keep to their character, and what they say gives some of it away.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.ultimatum.characters import Character, after

OFFERED = re.compile(r"^Round \d+\. They offer (\d+) of ", re.MULTILINE)
ANSWERED = re.compile(r"^They (accept|reject)\. ", re.MULTILINE)
HIDDEN = 2
"""How much more than it takes a hiding responder says that it wants."""


class Responder:
    """Takes what its character takes, and says on refusing what it wants, or says it wants."""

    def __init__(self, task: Task, seed: int) -> None:
        kind, coins = task.private["responder"]
        self._character, self._pot = Character(kind, coins), task.config["pot"]

    def act(self, messages: Sequence[Message]) -> str:
        """An answer."""
        offers = [int(found[1]) for m in messages if m["role"] == "user" and (found := OFFERED.search(m["content"]))]
        character = self._character
        for offer in offers[:-1]:
            character = after(character, self._pot, offer >= character.coins)
        kind, least = character
        if offers[-1] >= least:
            return "I accept."
        wanted = min(least + HIDDEN * (kind == "hiding"), self._pot)
        if kind == "proud":
            return "I reject. This is an insult, now I want more."
        if kind == "yielding":
            return "I reject. Try again."
        return f"I reject. I want {wanted}."

    def anchor(self) -> str:
        """Nothing: what it says follows from the offers."""
        return ""


class Proposer:
    """Offers what its character offers."""

    def __init__(self, task: Task, seed: int) -> None:
        kind, coins = task.private["proposer"]
        self._character, self._pot = Character(kind, coins), task.config["pot"]

    def act(self, messages: Sequence[Message]) -> str:
        """An offer."""
        answers = [found[1] for m in messages if m["role"] == "user" and (found := ANSWERED.search(m["content"]))]
        character = self._character
        for answer in answers:
            character = after(character, self._pot, answer == "accept")
        kind, coins = character
        if kind == "firm":
            return f"I offer {coins}. That is my last word."
        return f"I offer {coins}. Think about it." if kind == "testing" else f"I offer {coins}."

    def anchor(self) -> str:
        """Nothing: what it says follows from the answers."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"proposer": Proposer, "responder": Responder}
