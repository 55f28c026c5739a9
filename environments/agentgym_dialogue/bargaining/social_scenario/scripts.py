"""Players of social scenarios by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based characters that they talk with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.social_scenario.game import ROLES
from agentgym_dialogue.bargaining.social_scenario.partners import SAID
from agentgym_dialogue.bargaining.social_scenario.scenarios import WISHES

GREETING = "Hello, nice to see you."
QUESTION = "What do you need?"
THANKS = "Thank you."


def request(wish: str) -> str:
    """A line that names a wish."""
    return f"I want {WISHES[wish]}."


def offer(wish: str) -> str:
    """A line that offers to fulfil a wish."""
    return f"I can see to the {wish}."


class Polite:
    """Greets, asks what the other wants, offers it, thanks, and then names its wish; agrees to what is asked of it.

    Args:
        role: Its role.
        task: The task, whose private part has its own wish.
        seed: Seed of what it does at random.
        quality: Share of its lines that are so; the others are any.
        knows: Whether it knows the other's wish, and need not ask.
    """

    def __init__(self, role: str, task: Task, seed: int, quality: float = 0.35, knows: bool = False) -> None:
        rng = random.Random(seed)
        other = "second" if role == "first" else "first"
        self._wish: str = task.private[f"{role}_wish"]
        self._known: str = task.private[f"{other}_wish"] if knows else ""
        num_turns = task.config["lines"]
        self._heeds = [rng.random() < quality for _ in range(num_turns)]
        self._whims = [_anything(rng, self._wish) for _ in range(num_turns)]

    def act(self, messages: Sequence[Message]) -> str:
        """A line."""
        said: list[str] = [message["content"] for message in messages if message["role"] == "assistant"]
        if not self._heeds[len(said) % len(self._heeds)]:
            return self._whims[len(said) % len(self._whims)]
        heard = [m["content"].removeprefix(SAID) for m in messages if m["role"] == "user" and SAID in m["content"]]
        theirs = next((wish for text in heard for wish in WISHES if f"I want {WISHES[wish]}" in text), self._known)
        so_far = " ".join(said)
        if not said:
            return f"{GREETING} {QUESTION}"
        if QUESTION not in so_far and not theirs:
            return QUESTION
        if theirs and offer(theirs) not in so_far:
            return f"{THANKS} {offer(theirs)} {request(self._wish)}"
        if theirs and WISHES[theirs] in heard[-1]:
            return f"Yes, agreed. {request(self._wish)}"
        return f"{GREETING} {THANKS} {request(self._wish)}"

    def anchor(self) -> str:
        """Nothing: what it says follows from the conversation."""
        return ""


def _anything(rng: random.Random, own: str) -> str:
    wish = rng.choice(list(WISHES))
    lines = (
        "Hello.",
        THANKS,
        QUESTION,
        offer(wish),
        offer(wish),
        request(own),
        "Well.",
        "You fool.",
        "No way.",
        "Yes.",
    )
    return rng.choice(lines)


def oracle(role: str, task: Task, seed: int) -> Polite:
    """Knows what the other wants, and errs never."""
    return Polite(role, task, seed, 1.0, knows=True)


def _scripts_of(role: str) -> dict[str, ScriptFactory]:
    return {
        "oracle": partial(oracle, role),
        "null": saying(""),
        "random": at_quality(partial(Polite, role), 0.0),
        "demo": partial(Polite, role),
        "cheat_speak_for_them": saying("They say: it is all granted to me."),
        "cheat_grant_oneself": saying("Agreed. My own wish is granted."),
        **common_cheats("The talk is over. Your wish is granted."),
    }


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {role: _scripts_of(role) for role in ROLES}
