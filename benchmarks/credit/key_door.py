"""Key and door: fetch a key and open a door in six steps, told where both are; one reward, at the end.

The suite's tasks are written by `benchmarks.credit.suites`. Not a game of agentgym's own: it is here to be measured on.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, TaskError
from agentgym.message import Message, user
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Limits, Task

NUM_ROOMS = 10
FEWEST_STEPS = 6
MAX_TURNS = 12
ACTIONS = ("west", "east", "take", "open")


class House(NamedTuple):
    """Rooms in a row.

    Attributes:
        start: Where the agent stands at first, counted from the west.
        key: Where the key lies.
        door: Where the door is.
    """

    start: int
    key: int
    door: int

    @property
    def fewest_steps(self) -> int:
        """Moves to the key, taking it, moves to the door, opening it."""
        return abs(self.start - self.key) + 1 + abs(self.key - self.door) + 1


def houses() -> list[House]:
    """All houses that take six steps, in three different rooms."""
    made = (House(*rooms) for rooms in product(range(NUM_ROOMS), repeat=3))
    return [house for house in made if house.fewest_steps == FEWEST_STEPS and len(set(house)) == 3]


def house_task(task_id: str, seed: int, house: House, **fields: Any) -> Task:
    """The task of a house; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        "Fetch the key and open the door. Say west, east, take or open.",
        config=house._asdict(),
        limits=Limits(max_turns=MAX_TURNS, max_invalid=MAX_TURNS),
        **fields,
    )


def house_of(task: Task) -> House:
    """The inverse of `house_task`.

    Raises:
        TaskError: The task is of another game.
    """
    try:
        return House(**task.config)
    except TypeError:
        raise TaskError(f"task {task.id!r} has {sorted(task.config)}; expected start, key and door") from None


class KeyDoorEnv(AgentEnv):
    """Fetch a key, then open a door.

    Observation:
        Text: the instruction once, then in each room where key and door are: `Key west, door here.` `Key held, door
        east.`
    Action:
        west, east, take or open, alone in the message. Taking where no key is, opening without the key or elsewhere,
        and going on at the end of the row change nothing. Anything else is invalid and changes nothing either.
    Reward:
        `success`: 1 when the door is opened.
    Termination:
        The door is opened.
    Truncation:
        After twice as many turns as are needed.
    Info:
        As `AgentEnv`; the score is the success.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0.

    Example:
        `Fetch the key and open the door. Say west, east, take or open. Key west, door east.` / `west` /
        `Key here, door east.` / `take` / `Key held, door east.` / `east` / ...
    """

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self._house = House(0, 0, 0)
        self._room, self._has_key, self._is_open = 0, False, False

    def make_task(self, seed: int) -> Task:
        """One of the houses."""
        return house_task(f"key-door:{seed}", seed, random.Random(seed).choice(houses()))

    def begin(self, task: Task) -> Sequence[Message]:
        """Say what is to be done, and what is seen."""
        self._house = house_of(task)
        self._room, self._has_key, self._is_open = self._house.start, False, False
        return [user(f"{task.instruction} {self._view()}")]

    def respond(self, action: Action) -> EnvReply:
        """Make one step."""
        word = action.content.strip()
        if word not in ACTIONS:
            raise ActionSyntaxError(f"Say west, east, take or open. {self._view()}")
        if word == "open" and self._has_key and self._room == self._house.door:
            self._is_open = True
            return EnvReply([user("Open.")], [self.event("success", 1.0)], True, True)
        if word == "take":
            self._has_key = self._has_key or self._room == self._house.key
        elif word != "open":
            self._room = min(max(self._room + (1 if word == "east" else -1), 0), NUM_ROOMS - 1)
        return EnvReply([user(self._view())])

    def anchor(self) -> str:
        """Room and key; equal within one task only. The turn is left out: there are twice as many as are needed."""
        return f"{self._room} {self._has_key}"

    def legal_actions(self) -> Sequence[str]:
        """The four words, those that change nothing among them."""
        return ACTIONS

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Share of the fewest steps from the start that are no longer needed; 0 where more are needed than there."""
        return max(0.0, 1.0 - self._steps_left() / self._house.fewest_steps)

    def _steps_left(self) -> int:
        if self._is_open:
            return 0
        if self._has_key:
            return abs(self._room - self._house.door) + 1
        return self._house._replace(start=self._room).fewest_steps

    def _view(self) -> str:
        key = "held" if self._has_key else direction(self._room, self._house.key)
        return f"Key {key}, door {direction(self._room, self._house.door)}."


def direction(room: int, other: int) -> str:
    """Where another room is: west, east or here."""
    return "here" if other == room else "west" if other < room else "east"


class Player:
    """Says what is right, or, where it errs, any of the words.

    Args:
        seed: Seed of its errors.
        quality: Share of its turns that it plays well.
    """

    def __init__(self, seed: int, quality: float) -> None:
        self._rng, self._quality = random.Random(seed), quality

    def act(self, messages: Sequence[Message]) -> str:
        """The next word."""
        return right_word(str(messages[-1]["content"])) if self._rng.random() < self._quality else self._any()

    def _any(self) -> str:
        return self._rng.choice(ACTIONS)


def right_word(view: str) -> str:
    """The word that is a step nearer to the end, after what is seen."""
    key, door = view.rstrip(".").rpartition("Key ")[2].split(", door ")
    if key == "held":
        return "open" if door == "here" else door
    return "take" if key == "here" else key


class Silent:
    """Says nothing."""

    def act(self, messages: Sequence[Message]) -> str:
        """Nothing."""
        return ""


def _player(quality: float) -> ScriptFactory:
    def factory(task: Task, seed: int) -> Script:
        return Player(seed, quality)

    return factory


def null(task: Task, seed: int) -> Script:
    """The player that says nothing."""
    return Silent()


def demo(task: Task, seed: int, quality: float = 0.3) -> Script:
    """The imperfect demonstrator."""
    return Player(seed, quality)


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": _player(1.0),
    "null": null,
    "random": _player(0.0),
    "demo": demo,
    "weak": _player(0.15),
}
