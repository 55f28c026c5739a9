"""What holds games on a node of a Ray cluster, and what it tells of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from agentgym.errors import HostLostError
from agentgym.game import Game, GameReply, Inbox
from agentgym.message import ToolSchema
from agentgym.outcome import CutReason
from agentgym.picture import Image
from agentgym.task import Task

MakeGame = Callable[[Task], Game]


class GameCard(NamedTuple):
    """What a proxy has to know of its game."""

    roles: Sequence[str]
    reward_weights: Mapping[str, float]
    tools: Mapping[str, Sequence[ToolSchema]]


class GameStart(NamedTuple):
    """What a proxy has to know of an episode that begins; `capacity` is how many such games its host can hold."""

    inbox: Inbox
    acting_role: str | None
    capacity: int | None
    roles: Sequence[str]
    tools: Mapping[str, Sequence[ToolSchema]]


class EnvironmentHost:
    """Holds games for proxies elsewhere; becomes a Ray actor.

    Args:
        make_game: Makes the game of a task.
    """

    def __init__(self, make_game: MakeGame) -> None:
        self._make_game = make_game
        self._games: dict[int, Game] = {}

    def where(self) -> tuple[str, int]:
        """The node's id and this process's."""
        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()

    def open(self, key: int, task: Task) -> GameCard:
        """Make a game under a key."""
        game = self._games[key] = self._make_game(task)
        return GameCard(game.roles, game.reward_weights, game.tools)

    def reset(self, key: int, task: Task, seed: int | None) -> GameStart:
        """Reset a game, which may bring other roles and tools."""
        game = self._game(key)
        return GameStart(game.reset(task, seed), game.acting_role, game.capacity, game.roles, game.tools)

    def step(self, key: int, text: str, with_anchor: bool) -> tuple[GameReply, str | None, str | None]:
        """Step a game; returns the reply, who acts next, and the anchor then."""
        game = self._game(key)
        reply = game.step(text)
        is_running = with_anchor and reply.outcome is None
        return reply, game.acting_role, game.anchor() if is_running else None

    def finalize(self, key: int, reason: CutReason) -> GameReply:
        """Close a running episode."""
        return self._game(key).finalize(reason)

    def anchor(self, key: int) -> str | None:
        """The anchor of a game's present state."""
        return self._game(key).anchor()

    def progress(self, key: int, role: str) -> float | None:
        """How far a role of a game has come."""
        return self._game(key).progress(role)

    def legal_actions(self, key: int, role: str) -> Sequence[str] | None:
        """What a role of a game can do."""
        return self._game(key).legal_actions(role)

    def screenshot(self, key: int) -> Image | None:
        """What a person would see of a game."""
        return self._game(key).screenshot()

    def interrupt(self, key: int) -> None:
        """Make a running step of a game give up."""
        if key in self._games:
            self._games[key].interrupt()

    def close(self, key: int) -> None:
        """Free a game."""
        game = self._games.pop(key, None)
        if game is not None:
            game.close()

    def _game(self, key: int) -> Game:
        if key not in self._games:
            raise HostLostError("the environment's host was restarted and its episode lost")
        return self._games[key]
