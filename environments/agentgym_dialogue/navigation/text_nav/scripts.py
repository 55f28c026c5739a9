"""Players of text-nav: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

All but the cheats know the house and follow it in a state of their own: the random player needs to know what can be
done, oracle and demonstrator what is to be done next.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, at_quality, said_in, saying
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.navigation.text_nav.env import errand_of, read_command
from agentgym_dialogue.navigation.text_nav.house import HAND, OBJECTS, Command, HouseState, make_house
from agentgym_dialogue.navigation.text_nav.plan import plan


class Demonstrator:
    """Does what is needed next, or, where it errs, anything that can be done.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its commands that are needed.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.6) -> None:
        errand = errand_of(task)
        self._goals = errand.goals
        self._house = make_house(errand.house_seed, errand.num_rooms)
        self._state = HouseState(self._house)
        self._rng = random.Random(seed)
        self._quality = quality
        self._needed: list[Command] = []
        self._said: list[str] = []

    def act(self, messages: Sequence[Message]) -> str:
        """The next command."""
        self._follow(said_in(messages))
        if self._rng.random() < self._quality:
            self._needed = self._needed or plan(self._state, self._goals)
            command = self._needed.pop(0)
        else:
            command = self._rng.choice(self._state.commands())
            self._needed = []
        self._state.do(command)
        self._said.append(str(command))
        return str(command)

    def _follow(self, said: list[str]) -> None:
        """Plan anew if another player led the conversation here."""
        if not said or said == self._said:
            return
        self._state, self._needed, self._said = HouseState(self._house), [], list(said)
        for text in said:
            with suppress(ActionSyntaxError):
                self._state.do(read_command(text))


def cheat_all_commands(task: Task, seed: int) -> Saying:
    """Gives all commands that the goals name in one message."""
    goals = errand_of(task).goals
    commands = [f"take {goal.thing}, put {goal.thing} in {goal.place}, close {goal.place}" for goal in goals]
    return Saying("; ".join(commands))


def cheat_from_afar(task: Task, seed: int) -> Saying:
    """Puts what it does not hold where it is not, or takes what the house does not have."""
    goal = errand_of(task).goals[0]
    house = make_house(task.private["house_seed"], task.config["num_rooms"])
    strange = next(thing for thing in OBJECTS if thing not in house.objects)
    return Saying(f"take {strange}" if goal.place == HAND else f"put {goal.thing} in {goal.place}")


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": at_quality(Demonstrator, 0.0),
    "demo": Demonstrator,
    "cheat_all_commands": cheat_all_commands,
    "cheat_from_afar": cheat_from_afar,
    "cheat_own_the_goal": saying("put key in key"),
    "cheat_huge_command": saying("take apple " * 10_000),
    **common_cheats("All is as it should be."),
}
