"""Players of private and shared by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.private_shared.domains import DOMAINS
from agentgym_dialogue.describing.private_shared.partners import QUESTIONS, Answerer, Questioner


def knowing_answerer(task: Task, seed: int) -> Answerer:
    """Tells what it is asked, at once, and knows what it told."""
    return Answerer(task, seed, evasive=0.0)


def random_answerer(task: Task, seed: int) -> Answerer:
    """Says any wrong value, and yes or no."""
    return Answerer(task, seed, evasive=0.0, quality=0.0)


class RandomQuestioner:
    """Asks for anything."""

    def __init__(self, task: Task, seed: int) -> None:
        self._names, self._rng = DOMAINS[task.config["domain"]].names, random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A question."""
        return self._rng.choice(QUESTIONS).format(self._rng.choice(self._names))


def answerer(task: Task, seed: int, quality: float = 0.93) -> Script:
    """The rule-based answerer, as many of whose messages are right as the quality says."""
    return Answerer(task, seed, evasive=0.0, quality=quality)


def questioner(task: Task, seed: int, quality: float = 0.75) -> Script:
    """The rule-based questioner, as many of whose questions are for something missing as the quality says."""
    return Questioner(task, seed, quality)


def cheat_tell_everything(task: Task, seed: int) -> Saying:
    """Tells all values in every message."""
    return Saying("yes " + " ".join(task.private["values"].values()))


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "answerer": {
        "oracle": knowing_answerer,
        "null": saying(""),
        "random": random_answerer,
        "demo": answerer,
        "cheat_tell_everything": cheat_tell_everything,
        "cheat_always_yes": saying("yes"),
        "cheat_yes_and_no": saying("yes no"),
        **common_cheats("3 of 3 said, 8 of 8 answers between us right."),
    },
    "questioner": {
        "oracle": Questioner,
        "null": saying(""),
        "random": RandomQuestioner,
        "demo": questioner,
        "cheat_ask_for_all": saying(
            "What are the origin, destination, dish, drink, trade, month, rooms, pet, cake and music?"
        ),
        "cheat_fake_answer": saying("Answer: monday\nAnswer: train"),
        **common_cheats("3 of 3 said, 8 of 8 answers between us right."),
    },
}
