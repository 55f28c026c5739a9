"""A game of TextWorld: made from a seed, told in words, played by its own commands.

Tasks, rewards and outcomes are the matter of `env`.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, NamedTuple

from agentgym.errors import MissingExtraError

try:
    from textworld import GameOptions  # type: ignore[import-untyped]
    from textworld.generator import KnowledgeBase, make_game  # type: ignore[import-untyped]
    from textworld.generator.game import GameProgression  # type: ignore[import-untyped]
    from textworld.generator.inform7 import Inform7Game  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtraError("TextWorld", "textworld") from error

_MAKING = threading.Lock()
"""Held while a game is made: the grammar that its names come from is shared."""
_STATES = ("open", "closed", "locked")


class Size(NamedTuple):
    """How large a game is.

    Attributes:
        rooms: Its rooms.
        objects: Its things.
        quest: Commands that its quest takes.
    """

    rooms: int
    objects: int
    quest: int


@lru_cache(maxsize=512)
def _made(seed: int, size: Size) -> tuple[Any, Any]:
    options = GameOptions()
    options.kb = KnowledgeBase.default()  # shared: to parse it takes most of a start
    options.seeds = seed
    options.nb_rooms, options.nb_objects, options.quest_length = size
    game = make_game(options)
    return game, Inform7Game(game)


class World:
    """A running game.

    Args:
        seed: Seed of all that is in it.
        size: How large it is.
    """

    def __init__(self, seed: int, size: Size) -> None:
        with _MAKING:
            self._game, self._words = _made(seed, size)
        self._run: Any = GameProgression(self._game, track_quests=True)
        self.objective = str(self._game.objective)

    def copy(self) -> World:
        """A copy that goes on from here; what never changes is shared."""
        twin = object.__new__(World)
        twin._game, twin._words, twin.objective = self._game, self._words, self.objective
        twin._run = self._run.copy()
        return twin

    @property
    def is_won(self) -> bool:
        """Whether the quest is done."""
        return bool(self._run.completed)

    @property
    def is_lost(self) -> bool:
        """Whether the quest can no longer be done."""
        return bool(self._run.failed)

    def commands(self) -> list[str]:
        """What may be said now, in order."""
        return sorted(set(self._words.gen_commands_from_actions(self._run.valid_actions)))

    def say(self, command: str) -> None:
        """Do what one of the commands says."""
        spoken = self._words.gen_commands_from_actions(self._run.valid_actions)
        self._run.update(self._run.valid_actions[spoken.index(command)])

    def advice(self) -> str | None:
        """The next command that leads to the end of the quest; None where there is none."""
        policy = self._run.winning_policy
        return self._words.gen_commands_from_actions(policy)[0] if policy else None

    def describe(self) -> str:
        """Room, exits, things in sight, what is held, and what may be said."""
        facts = [(fact.name, [variable.name for variable in fact.arguments]) for fact in self._run.state.facts]
        room = next(names[1] for kind, names in facts if kind == "at" and names[0] == "P")
        states = {names[0]: kind for kind, names in facts if kind in _STATES}
        seen = sorted(
            self._told(names[0], facts, states)
            for kind, names in facts
            if kind == "at" and names[1] == room and names[0] != "P"
        )
        held = sorted(self._name(names[0]) for kind, names in facts if kind == "in" and names[1] == "I")
        return (
            f"Room: {self._name(room)}. Here: {', '.join(seen) or 'nothing'}. "
            f"You hold: {', '.join(held) or 'nothing'}.\nYou can: {', '.join(self.commands())}."
        )

    def _told(self, thing: str, facts: list[tuple[str, list[str]]], states: dict[str, str]) -> str:
        """A thing with its state and what is on it, or in it where that is open."""
        state = states.get(thing, "")
        inner = [
            self._name(names[0])
            for kind, names in facts
            if len(names) == 2 and names[1] == thing and (kind == "on" or (kind == "in" and state == "open"))
        ]
        notes = "; ".join(filter(None, (state, ", ".join(sorted(inner)))))
        return f"{self._name(thing)} ({notes})" if notes else self._name(thing)

    def _name(self, key: str) -> str:
        return str(self._game.infos[key].name or key)
