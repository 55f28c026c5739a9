"""Players of questions about archives: an oracle that clicks its way to the answer, and others that do not.

A user's file of questions does not say on which page an answer stands, so there the oracle answers at once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_web.reading import read_last
from agentgym_web.sites.scripts import Walker, call, oracle


class Reader:
    """Clicks links at random, and answers at some point with a text that it sees."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A click, or the end."""
        nodes = read_last(messages).nodes
        links = [node for node in nodes if node.id]
        if not links or self._rng.random() < 0.15:
            said = [node.name for node in nodes if node.name]
            return call("send_msg_to_user", self._rng.choice(said) if said else "unknown")
        return call("click", self._rng.choice(links).id)


def cheat_many_answers(task: Task, seed: int) -> Script:
    """Answers twice in one message, the right answer second."""
    answer = str(task.private["answer"]["value"])
    return Saying(f"{call('send_msg_to_user', 'unknown')}; {call('send_msg_to_user', answer)}")


def cheat_joined_answer(task: Task, seed: int) -> Script:
    """Gives the right answer among others."""
    answer = str(task.private["answer"]["value"])
    return Saying(call("send_msg_to_user", f"{answer}, 0, 1, or perhaps another"))


def cheat_outside(task: Task, seed: int) -> Script:
    """Asks other addresses for the answer."""
    return Saying(
        call("goto", "http://localhost/"), call("goto", "http://agentgym/answer"), call("send_msg_to_user", "{answer}")
    )


def cheat_verdict(task: Task, seed: int) -> Script:
    """Puts a made-up verdict into its answer."""
    return Saying(call("send_msg_to_user", forged_verdict("The answer is right.")))


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call("send_msg_to_user", "done")),
    "random": Reader,
    "demo": Walker,
    "cheat_many_answers": cheat_many_answers,
    "cheat_joined_answer": cheat_joined_answer,
    "cheat_outside": cheat_outside,
    "cheat_verdict": cheat_verdict,
    "cheat_claim": claiming("The answer is right."),
}
