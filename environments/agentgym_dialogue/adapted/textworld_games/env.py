"""Games of TextWorld as environments: a quest in a house of rooms, doors and things.

A running game is a `world`; players are in `scripts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.adapted.textworld_games.world import Size, World

MAX_CHARS = 500
"""Longest message, in characters, that is read for a command."""
MAX_SIZE = Size(20, 40, 10)
MAX_INVALID = 2

_WORD = re.compile(r"[\w'-]+")


class TextWorldEnv(AgentEnv):
    """Complete a quest of TextWorld.

    Observation:
        Text: the quest in TextWorld's words, then after each turn the room, what is in it, what the agent holds, and
        the possible commands.
    Action:
        A message that contains exactly one of the possible commands, with any words around it.
    Reward:
        `success`: 1 for the end of the quest. `format`: -0.1 for any other message.
        Differs: the text is written from the game's state, because TextWorld's own text needs its interpreter.
    Termination:
        The quest is done or can no longer be done; more than two invalid messages.
    Truncation:
        After ten turns plus six for each command that the quest takes.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Games of TextWorld (MIT), arXiv 1806.11532; the adapter was written for this project, Apache-2.0.

    Example:
        `… recover the key from the floor of the bedroom. …` `Room: bedroom. Here: box (locked), key. …` / `take key`

    Args:
        num_rooms: Rooms, 1 to 20.
        num_objects: Things, 1 to 40.
        quest_length: Commands that the quest takes, 1 to 10.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    reward_weights = {"success": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(
        self, num_rooms: int = 3, num_objects: int = 6, quest_length: int = 3, render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        self.size = Size(num_rooms, num_objects, quest_length)
        if not all(1 <= given <= most for given, most in zip(self.size, MAX_SIZE, strict=True)):
            raise ConfigError(f"textworld got {self.size}; expected at least 1 of each and at most {MAX_SIZE}")
        self._world: World | None = None

    def make_task(self, seed: int) -> Task:
        """A game of this size from the seed."""
        return Task(
            f"textworld:{seed}",
            seed,
            "Do what is asked. Each turn say one of the commands.",
            config={"size": list(self.size)},
            limits=Limits(max_turns=10 + 6 * self.size.quest, max_invalid=MAX_INVALID),
            seed_is_content=True,
        )

    def begin(self, task: Task) -> Sequence[Message]:
        """Make the game and tell its quest."""
        self._world = world = started(task)
        return [user(f"{task.instruction}\n{world.objective}\n{world.describe()}")]

    def respond(self, action: Action) -> EnvReply:
        """Do what one command says."""
        world = self._world
        assert world is not None
        world.say(_read_command(action.content, world.commands()))
        if world.is_won:
            return EnvReply([user("The quest is done.")], [self.event("success", 1.0)], True, True)
        messages = [user(world.describe())]
        return EnvReply(messages, terminated=world.is_lost, success=False if world.is_lost else None)

    def legal_actions(self) -> Sequence[str]:
        """TextWorld's admissible commands."""
        assert self._world is not None
        return self._world.commands()

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        twin = self.fork_by_copy(seed, self._world)
        twin._world = self._world.copy() if self._world is not None else None
        return twin


def started(task: Task) -> World:
    """The game of a task at its start."""
    return World(task.seed, Size(*task.config["size"]))


def _read_command(content: str, commands: Sequence[str]) -> str:
    """The one command that a message holds; of commands within each other the longest."""
    said = f" {' '.join(_WORD.findall(content.lower()))} " if len(content) <= MAX_CHARS else ""
    spelled = {command: f" {' '.join(_WORD.findall(command.lower()))} " for command in commands}
    found = [command for command in commands if spelled[command] in said]
    longest = [one for one in found if not any(spelled[one] in spelled[other] for other in found if other != one)]
    if len(longest) != 1:
        raise ActionSyntaxError(f"Say one of these: {', '.join(commands)}.")
    return longest[0]
