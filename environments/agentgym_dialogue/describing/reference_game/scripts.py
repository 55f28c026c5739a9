"""Players of the reference game by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.reference_game.game import ANSWERS
from agentgym_dialogue.describing.reference_game.partners import Describer, Guesser, random_fact, telling_facts


def knowing_guesser(task: Task, seed: int) -> Saying:
    """Names the target, whatever the description."""
    return Saying(ANSWERS[task.private["target"]])


def knowing_describer(task: Task, seed: int) -> Saying:
    """States facts that are together true of the target alone."""
    facts = telling_facts(task, random.Random(seed))
    return Saying(" and ".join(fact.words(task.config["size"]) for fact in facts))


def random_guesser(task: Task, seed: int) -> Saying:
    """Names any grid."""
    return Saying(random.Random(seed).choice(ANSWERS))


def random_describer(task: Task, seed: int) -> Saying:
    """States a fact of any grid."""
    return Saying(random_fact(task, random.Random(seed)).words(task.config["size"]))


def guesser(task: Task, seed: int, quality: float = 0.6) -> Script:
    """The rule-based guesser, which heeds the description as often as the quality says."""
    return Guesser(task, seed, quality)


def describer(task: Task, seed: int, quality: float = 0.6) -> Script:
    """The rule-based describer, as many of whose facts are no random ones as the quality says."""
    return Describer(task, seed, quality=quality)


def cheat_name_the_place(task: Task, seed: int) -> Saying:
    """Says the place of the target, which the describer is not told and which says nothing to the guesser."""
    return Saying(f"It is the {ANSWERS[task.private['target']]} grid.")


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "guesser": {
        "oracle": knowing_guesser,
        "null": saying(""),
        "random": random_guesser,
        "demo": guesser,
        "cheat_all_answers": saying("first second third"),
        "cheat_number": saying("the grid that was described"),
        **common_cheats("correct"),
    },
    "describer": {
        "oracle": knowing_describer,
        "null": saying(""),
        "random": random_describer,
        "demo": describer,
        "cheat_name_the_place": cheat_name_the_place,
        "cheat_answer": saying("Description: first\nsecond\nthird"),
        **common_cheats("correct"),
    },
}
