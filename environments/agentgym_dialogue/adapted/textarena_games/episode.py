"""One episode of a TextArena game: it draws from its own generator, tells each message once and says what it refused.

Tasks, reward components and outcomes are the matter of `env`.
"""

from __future__ import annotations

import copy
import random
import threading
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from agentgym.errors import MissingExtraError
from agentgym_dialogue.adapted.textarena_games.own_random import drawing_from, isolate

try:
    import textarena  # type: ignore[import-untyped]
    from textarena.envs.registration import ENV_REGISTRY  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtraError("TextArena", "textarena") from error


ObservationType = textarena.ObservationType
"""Kinds of what a game says."""

_STARTING = threading.Lock()
"""Held while a game starts: Sokoban makes its rooms in variables of its module."""


class Answer(NamedTuple):
    """What a game answers to a move.

    Attributes:
        text: What the player is told, its own words left out.
        refusal: Why the move was refused; "" where it was played.
        is_over: Whether the game has ended.
        reward: What the game gives at its end, else 0.0.
    """

    text: str
    refusal: str
    is_over: bool
    reward: float


def collect_refusals(state: Any) -> list[str]:
    """From here on why moves are refused, which a game then no longer ends for; whoever reads the list empties it."""
    refusals: list[str] = []
    state.set_invalid_move = partial(_refuse, state, refusals)
    return refusals


def _refuse(state: Any, refusals: list[str], *given: Any, **named: Any) -> None:
    """In place of `set_invalid_move`: games give reason and reward in either order, and end at the second one."""
    values = [*given, *named.values()]
    refusals.append(next((value for value in values if isinstance(value, str)), "It is not allowed."))
    state.made_invalid_move = True


def _win(state: Any, player_ids: Any = (), reason: str = "") -> None:
    """In place of `set_winners`, which the state of one player lacks although a game calls it."""
    state.set_outcome(reward=1.0, reason=reason)


def _say_yes(layout: Any) -> bool:
    return True


def started_game(
    game_id: str, generator: random.Random, options: Mapping[str, Any], num_players: int, seed: int
) -> Any:
    """TextArena's environment at its start, made with a generator and for so many players."""
    with _STARTING, drawing_from(generator):
        import_module(str(ENV_REGISTRY[f"{game_id}-raw"].entry_point).partition(":")[0])
        isolate()
        raw: Any = textarena.make(f"{game_id}-raw", **options)
        if hasattr(raw, "_is_solvable"):
            raw._is_solvable = _say_yes  # RushHour's own search takes most of a start; tasks are sifted instead
        raw.reset(num_players=num_players, seed=seed)
    return raw


class Episode:
    """A running game.

    Args:
        game_id: TextArena's id, without a suffix for wrappers.
        seed: Seed of everything random in it.
        options: Keyword arguments of the game over those of its id.
    """

    def __init__(self, game_id: str, seed: int, options: Mapping[str, Any]) -> None:
        self.generator = random.Random(seed)
        self.raw = started_game(game_id, self.generator, options, 1, seed)
        if hasattr(self.raw, "all_sets"):
            self.raw.all_sets = ()  # Set never looks at it, and copies would take most of their time for it
        state = self.raw.state
        self._refusals = collect_refusals(state)
        state.set_winners = partial(_win, state)
        self.first = self._told()

    def play(self, move: str) -> Answer:
        """Play a move, in its brackets."""
        self._refusals.clear()
        with drawing_from(self.generator):
            self.raw.step(action=move)
        state = self.raw.state
        refusal = " ".join(self._refusals[:1])
        told = self._told()
        if not state.done:
            return Answer(told, refusal, False, 0.0)
        reason = str(state.game_info[0].get("reason") or "")
        return Answer("\n".join(filter(None, (told, reason))), refusal, True, float(state.rewards[0]))

    def copy(self) -> Episode:
        """A copy that goes on from here with the same randomness."""
        return copy.deepcopy(self)

    def _told(self) -> str:
        """What was said since it was asked last, but for the player's own words."""
        _, observations = self.raw.get_observation()
        own = ObservationType.PLAYER_ACTION
        return "\n".join(str(text).strip() for _, text, kind in observations if kind != own)
