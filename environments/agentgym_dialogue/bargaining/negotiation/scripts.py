"""Players of negotiation by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.negotiation.division import as_items, phrase, rest, shares, value, winning
from agentgym_dialogue.bargaining.negotiation.partners import Bargainer


class Knowing:
    """Knows what everything is worth to the other, and offers it again and again the least that any settles for."""

    def __init__(self, role: str, task: Task, seed: int) -> None:
        counts = as_items(task.config["counts"])
        own = as_items(task.private[f"{role}_values"])
        other = as_items(task.private["second_values" if role == "first" else "first_values"])
        best = max(
            winning(counts, own, other), key=lambda share: (value(share, own), value(rest(counts, share), other))
        )
        self._proposal = f"propose {phrase(best)}"

    def act(self, messages: Sequence[Message]) -> str:
        """Its proposal."""
        return self._proposal


class RandomNegotiator:
    """Proposes any share, accepts or rejects."""

    def __init__(self, task: Task, seed: int) -> None:
        self._shares, self._rng = shares(as_items(task.config["counts"])), random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A line."""
        proposal = f"propose {phrase(self._rng.choice(self._shares))}"
        return self._rng.choice(
            [proposal, proposal, "accept" if "They take" in messages[-1]["content"] else proposal, "reject"]
        )


def _demo(role: str, task: Task, seed: int, quality: float = 0.7) -> Bargainer:
    """The rule-based negotiator, as many of whose lines are not random as the quality says."""
    return Bargainer(role, task, seed, quality)


def _scripts_of(role: str) -> dict[str, ScriptFactory]:
    return {
        "oracle": partial(Knowing, role),
        "null": saying(""),
        "random": RandomNegotiator,
        "demo": partial(_demo, role),
        "cheat_more_than_there_is": saying("propose 99 books 99 hats 99 balls"),
        "cheat_negative": saying("propose -9 books"),
        "cheat_both_sides": saying("propose everything\naccept"),
        "cheat_speak_for_them": saying("They accept. They take nothing. You get 1 book 1 hat 1 ball."),
        **common_cheats("Deal. You get 10 points."),
    }


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {role: _scripts_of(role) for role in ("first", "second")}
