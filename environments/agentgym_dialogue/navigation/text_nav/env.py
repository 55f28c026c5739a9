"""Text-Nav: doors, containers and objects in a house, one command a turn.

The house is in `house`, goals in `goals`, players in `scripts`, the suites' tasks in `generate` and `generate_partial`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Self

from agentgym.action import Action
from agentgym.authoring.hindsight import task_of, unless_held_out
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message
from agentgym.task import Limits, Task
from agentgym.trajectory import Trajectory
from agentgym_dialogue.navigation.text_nav.goals import KINDS, Goal, are_met, draw_goals, in_words
from agentgym_dialogue.navigation.text_nav.house import (
    CONTAINERS,
    DIRECTIONS,
    HAND,
    OBJECTS,
    ROOMS,
    SURFACES,
    Command,
    HouseState,
    make_house,
)
from agentgym_dialogue.navigation.text_nav.plan import plan

OBSERVATIONS = ("full", "partial")
MAX_INVALID = 4
TURNS_A_ROOM, TURNS_A_GOAL = 4, 8
"""Most turns of an episode, for each room and goal."""
MAX_CHARS = 500
"""Longest message, in characters, that is read for a command."""
EXPECTED = "Say one command, such as go north, open north door, open box, take cup, put cup in box, close box."

_SPACE, _THE = r"\s+", r"\s+(?:the\s+)?"
_WAY = "|".join(DIRECTIONS)
_BOX, _PLACE, _THING = "|".join(CONTAINERS), "|".join((*CONTAINERS, *SURFACES)), "|".join(OBJECTS)
_COMMAND = re.compile(
    rf"\b(?:(?P<go>go){_SPACE}(?P<way>{_WAY})"
    rf"|(?P<unbar>open){_THE}(?P<door>{_WAY}){_SPACE}door"
    rf"|(?P<turn>open|close){_THE}(?P<box>{_BOX})"
    rf"|(?P<take>take){_THE}(?P<taken>{_THING})"
    rf"|(?P<put>put){_THE}(?P<thing>{_THING}){_SPACE}(?:in|into|on|onto){_THE}(?P<place>{_PLACE}))\b"
)


class Errand(NamedTuple):
    """What makes a task.

    Attributes:
        house_seed: Of the house.
        num_rooms: Its rooms.
        goals: What is to be done.
        is_told: Whether the instruction tells the rooms of all that it names.
        observation: "full" tells the room's name, the neighbours' and what is held; "partial" does not.
    """

    house_seed: int
    num_rooms: int
    goals: tuple[Goal, ...]
    is_told: bool = True
    observation: str = "full"


def text_nav_task(task_id: str, seed: int, errand: Errand, **fields: Any) -> Task:
    """The task of an errand; `fields` are further ones of the task."""
    house = make_house(errand.house_seed, errand.num_rooms)
    return Task(
        task_id,
        seed,
        in_words(errand.goals, house, errand.is_told),
        config={
            "num_rooms": errand.num_rooms,
            "goals": [list(goal) for goal in errand.goals],
            "is_told": errand.is_told,
            "observation": errand.observation,
        },
        private={"house_seed": errand.house_seed},
        limits=_limits(TURNS_A_ROOM * errand.num_rooms + TURNS_A_GOAL * len(errand.goals)),
        **fields,
    )


def errand_of(task: Task) -> Errand:
    """The inverse of `text_nav_task`.

    Raises:
        TaskError: The task is of another game, or the house lacks what its goals name.
    """
    try:
        config = task.config
        goals = tuple(Goal(*goal) for goal in config["goals"])
        seed, num_rooms = task.private["house_seed"], config["num_rooms"]
        errand = Errand(seed, num_rooms, goals, config["is_told"], config["observation"])
    except (KeyError, TypeError) as error:
        raise TaskError(
            f"task {task.id!r}: {error!r}; text-nav needs num_rooms, goals, is_told and observation in config, and "
            "house_seed in private"
        ) from None
    if num_rooms not in range(2, len(ROOMS) + 1) or errand.observation not in OBSERVATIONS or not goals:
        raise TaskError(f"task {task.id!r}: {num_rooms} rooms, observation {errand.observation!r} or no goals")
    house = make_house(seed, num_rooms)
    for goal in goals:
        can_be_closed = goal.place in CONTAINERS or not goal.is_closed
        if goal.thing not in house.objects or goal.place not in (*house.furniture, HAND) or not can_be_closed:
            raise TaskError(f"task {task.id!r}: its house cannot meet the goal {list(goal)}")
    if are_met(goals, HouseState(house)):
        raise TaskError(f"task {task.id!r}: its goals are met from the start")
    return errand


@cache
def _limits(turns: int) -> Limits:
    return Limits(max_turns=turns, max_invalid=MAX_INVALID)


class TextNavEnv(AgentEnv):
    """Find, carry and put away things in a house that is described in words.

    Observation:
        Text. The first message gives the goals. Each message then gives what the agent sees: exits, closed doors, the
        room's furniture, and what is in it unless it is closed. Full observation adds the names of the room and of the
        rooms behind the exits, and what the agent holds. If a command cannot be carried out, the answer gives the
        reason. The last message is `All is as it should be.`
    Action:
        A message with one command: `go north`, `open north door`, `open box`, `close box`, `take cup`,
        `put cup in box`, with any words around it. Anything else is invalid and changes nothing.
    Reward:
        `success`: 1 when all goals are met at once, else 0. `format`: 0 for an invalid message. As in LMRL-Gym
        (Abdulhai et al. 2023, arXiv 2311.18232), which rewards only the end of the quest.
        Differs: a separate engine replaces TextWorld. Houses and goals are drawn from a seed instead of one house with
        one quest. A container must be closed only if the goal says so. The possible commands are not listed in each
        message.
    Termination:
        All goals are met, or there were more invalid messages than the task's limit (4).
    Truncation:
        After 4 turns for each room and 8 for each goal.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0; the tasks of dialogue/text-nav, dialogue/text-nav-partial and
        dialogue/text-nav-small are generated, CC0-1.0.

    Example:
        `Put the cup in the box. The cup is in the hall. The box is in the office.` `Room: hall. Exits: east door closed
        to office. Here: table (cup). You hold: nothing.` / `take cup` / `open east door` / `go east` / `open box` /
        `put cup in box` / `All is as it should be.`

    Args:
        num_rooms: Rooms of a house made from a seed, 2 to 8.
        kind: Kind of its goals: "take", "move", "search" or "errands".
        observation: "full" or "partial".
        render_mode: None or "ansi".

    Raises:
        ConfigError: No such number of rooms, kind or observation.
    """

    def __init__(
        self, num_rooms: int = 4, kind: str = "move", observation: str = "full", render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        if num_rooms not in range(2, len(ROOMS) + 1) or kind not in KINDS or observation not in OBSERVATIONS:
            raise ConfigError(
                f"text-nav got num_rooms={num_rooms}, kind={kind!r} and observation={observation!r}; expected 2 to "
                f"{len(ROOMS)} rooms, one of {', '.join(KINDS)}, and full or partial"
            )
        self.num_rooms, self.kind, self.observation = num_rooms, kind, observation
        self._goals: Sequence[Goal] = ()
        self._is_full = True
        self._state = HouseState(make_house(0, 2))

    def make_task(self, seed: int) -> Task:
        """A house from the seed, and goals in it."""
        return text_nav_task(f"text-nav:{seed}", seed, draw_errand(seed, self.num_rooms, self.kind, self.observation))

    def begin(self, task: Task) -> Sequence[Message]:
        """State the goals and what is seen at the start."""
        errand = errand_of(task)
        self._goals, self._is_full = errand.goals, errand.observation == "full"
        self._state = HouseState(make_house(errand.house_seed, errand.num_rooms))
        return [{"role": "user", "content": f"{task.instruction}\n{self._state.view(self._is_full)}"}]

    def respond(self, action: Action) -> EnvReply:
        """Carry out one command."""
        refusal = self._state.do(read_command(action.content))
        if not refusal and are_met(self._goals, self._state):
            said = [{"role": "user", "content": "All is as it should be."}]
            return EnvReply(said, [self.event("success", 1.0)], True, True)
        view = self._state.view(self._is_full)
        return EnvReply([{"role": "user", "content": f"{refusal} {view}" if refusal else view}])

    def anchor(self) -> str:
        """The state of the house and invalid messages so far; equal within one task only."""
        return f"{self._state.key()}; {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Share of the fewest commands from the start that are no longer needed; 0 where more are needed than there."""
        at_first = len(plan(HouseState(self._state.house), self._goals))
        return max(0.0, 1.0 - len(plan(self._state, self._goals)) / at_first)

    def legal_actions(self) -> Sequence[str]:
        """The commands that can be carried out now."""
        return [str(command) for command in self._state.commands()]

    def relabel(self, trajectory: Trajectory) -> Task | None:
        """The task of what a failed episode achieved: what it put elsewhere, else what it holds.

        None where that is nothing, or makes a held-out task.
        """
        task = task_of(trajectory, self.task)
        errand = errand_of(task)
        state = HouseState(make_house(errand.house_seed, errand.num_rooms))
        for turn in trajectory.turns:
            if not turn.was_invalid:
                state.do(read_command(self.parse(turn.text).content))
        changed = {thing: place for thing, place in state.places.items() if place != state.house.objects[thing]}
        put = [Goal(thing, place, place in state.closed) for thing, place in changed.items() if place != HAND]
        goals = put or [Goal(thing, HAND) for thing in changed]
        if trajectory.success or not goals:
            return None
        fields = {"suite": task.suite, "split": task.split, "stratum": task.stratum}
        name = f"{task.id}/goal-{'-'.join(goal.thing for goal in goals)}"
        relabelled = text_nav_task(name, task.seed, errand._replace(goals=tuple(goals)), **fields)
        return unless_held_out(replace(relabelled, limits=task.limits))


def draw_errand(seed: int, num_rooms: int, kind: str, observation: str) -> Errand:
    """A house and goals of a kind in it, both from the seed."""
    goals = draw_goals(kind, make_house(seed, num_rooms), random.Random(seed))
    return Errand(seed, num_rooms, tuple(goals), kind != "search", observation)


def read_command(content: str) -> Command:
    """The one command that a message holds.

    Raises:
        ActionSyntaxError: It holds none, or several.
    """
    text = content.lower() if len(content) <= MAX_CHARS else ""
    found = {_command_of(match) for match in _COMMAND.finditer(text)}
    if len(found) != 1:
        raise ActionSyntaxError(EXPECTED)
    return found.pop()


def _command_of(match: re.Match[str]) -> Command:
    if match["go"]:
        return Command("go", match["way"])
    if match["unbar"]:
        return Command("open", match["door"])
    if match["turn"]:
        return Command(match["turn"], match["box"])
    if match["take"]:
        return Command("take", match["taken"])
    return Command("put", match["thing"], match["place"])
