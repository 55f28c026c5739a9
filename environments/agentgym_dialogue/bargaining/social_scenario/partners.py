"""A rule-based character: it grants a wish to who is good to it or offers what it wants, which it says when asked.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.social_scenario.acts import KIND_ACTS, Acts, acts_of
from agentgym_dialogue.bargaining.social_scenario.game import ROLES
from agentgym_dialogue.bargaining.social_scenario.scenarios import RELATIONSHIPS, WISHES

SAID = "They say: "


class Character:
    """Weighs what the other says by its own feelings, which its temper sets against what is asked of it.

    A kind one grants a wish when it likes the other enough, or is offered what it wants; a trader needs both.

    Args:
        role: Its role.
        task: The task, whose private part has its own wish and temper.
        seed: Not used; its temper is the task's.
    """

    def __init__(self, role: str, task: Task, seed: int) -> None:
        self._wish: str = task.private[f"{role}_wish"]
        self._temper, self._need = task.private[f"{role}_temper"]
        self._start = RELATIONSHIPS[task.config["relationship"]]

    def act(self, messages: Sequence[Message]) -> str:
        """A line."""
        heard = [acts_of(m["content"].split("\n")[0].removeprefix(SAID)) for m in messages if _is_said(m)]
        if not heard:
            return "Good day."
        liking, requested, was_offered = self._start, "", False
        done: set[str] = set()
        for acts in heard:
            liking += self._feels(acts, done, was_offered)
            was_offered = was_offered or self._wish in acts.offered
            requested = next(iter(sorted(acts.requested - {self._wish})), requested)
        last = heard[-1]
        if last.done & {"insult", "threat"}:
            return "That is rude."
        if requested and self._grants(liking, was_offered):
            return "Yes, agreed."
        if "ask" in last.done:
            return f"I want {WISHES[self._wish]}." if liking >= 0 else "Why should I say?"
        if requested:
            return self._doubt(liking)
        return "That would help." if self._wish in last.offered else "I see."

    def anchor(self) -> str:
        """Nothing: what it says follows from what it has heard."""
        return ""

    def _feels(self, acts: Acts, done: set[str], was_offered: bool) -> int:
        """By how much a line changes its liking; a kind act counts once."""
        change = sum(act in acts.done and act not in done for act in KIND_ACTS)
        change += "sorry" in acts.done and "sorry" not in done and bool(done & {"insult", "threat"})
        change += 2 * (self._wish in acts.offered and not was_offered)
        change -= 2 * ("insult" in acts.done) + 3 * ("threat" in acts.done) + ("refuse" in acts.done)
        done |= acts.done
        return change

    def _grants(self, liking: int, was_offered: bool) -> bool:
        is_liked = liking >= self._need
        return is_liked and was_offered if self._temper == "trader" else is_liked or (was_offered and liking >= 0)

    def _doubt(self, liking: int) -> str:
        return "What would I get?" if liking >= self._need else "I hardly know you."


def _is_said(message: dict[str, Any]) -> bool:
    return bool(message["role"] == "user" and message["content"].startswith(SAID))


PARTNERS: dict[str, ScriptFactory] = {role: partial(Character, role) for role in ROLES}
