"""Players of twenty questions: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the conversation as an agent does; only the oracle looks at the task's private part.
"""

from __future__ import annotations

from functools import cache

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.guessing.listed_secret import RandomNames, RegularQuestions, Talk
from agentgym_dialogue.guessing.secret_talk import CORRECT
from agentgym_dialogue.guessing.twenty_questions.env import ANSWERS, listed_in
from agentgym_dialogue.guessing.twenty_questions.grammar import answer, understand
from agentgym_dialogue.guessing.twenty_questions.table import things

REGULAR = ("alive", "edible", "big", "metal", "electric", "wooden", "round", "soft", "long", "wearable", "fast", "loud")
"""What the demonstrator asks for, always as `Is it …?`: few words, so that a tiny model learns them."""


@cache
def told() -> dict[str, dict[str, str]]:
    """For each regular question, what the partner says of each thing."""
    found = {}
    for word in REGULAR:
        question = understand(f"Is it {word}?")
        assert question is not None
        found[f"Is it {word}?"] = {name: ANSWERS[answer(thing, question)] for name, thing in things().items()}
    return found


def oracle(task: Task, seed: int) -> Saying:
    """Names the thing at once."""
    return Saying(task.private["secret"])


def naming(name: str) -> str:
    """The question that names a thing; the name follows a space as it does in the list, for a model that copies it."""
    return f"Is it the {name}?"


class RandomPlayer(RandomNames):
    """Names any of the things listed, deaf to the answers."""

    talk = Talk(listed_in, naming, told)


class Demonstrator(RegularQuestions):
    """Names a thing when two are left."""

    talk = RandomPlayer.talk

    def is_time_to_name(self, question: str) -> bool:
        """Whether to name a thing now."""
        return len(self.possible) <= 2


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
