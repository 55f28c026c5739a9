"""Gymnasium's FrozenLake, Taxi and Blackjack with observations in words and actions by name.

Turning an environment into text in general is `agentgym.wrappers.gymnasium_env`; players are in `scripts`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import gymnasium
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

from agentgym.errors import UnknownNameError
from agentgym.task import Task
from agentgym.wrappers.gymnasium_env import Ending, GymnasiumEnv, TextView
from agentgym_dialogue.adapted.toy_text.search import IDS, can_win_hand

SIZES = (4, 5, 6)
"""Rows of a lake made from a seed."""
STRIDE = 1_000_003
"""From one seed of a hand to the next that is looked at."""

_PLACES = ("red", "green", "yellow", "blue")


def _lake(state: Any, env: gymnasium.Env[Any, Any]) -> str:
    """The map, row by row, with the agent's place marked A."""
    raw: Any = env
    rows = [[tile.decode() for tile in row] for row in raw.desc]
    row, column = divmod(int(state), len(rows[0]))
    under = rows[row][column]
    rows[row][column] = "A"
    end = {"G": "You are at the goal.", "H": "You fell into a hole."}.get(under, "")
    return end or "\n".join(" ".join(row) for row in rows)


def _taxi(state: Any, env: gymnasium.Env[Any, Any]) -> str:
    """Where taxi, passenger and destination are, and the walls beside the taxi."""
    raw: Any = env
    row, column, passenger, destination = raw.decode(int(state))
    beside = [name for name, offset in (("west", 0), ("east", 2)) if raw.desc[row + 1, 2 * column + offset] != b":"]
    beside += [name for name, edge in (("north", 0), ("south", len(raw.desc) - 3)) if row == edge]
    where = "in the taxi" if passenger == len(_PLACES) else f"at {_place(raw, passenger)}"
    return (
        f"Taxi at {row} {column}. Passenger {where}. Destination {_place(raw, destination)}. "
        f"Walls {', '.join(sorted(beside)) or 'none'}."
    )


def _place(raw: Any, index: int) -> str:
    row, column = raw.locs[index]
    return f"{_PLACES[index]} {row} {column}"


def _cards(hand: Any, env: gymnasium.Env[Any, Any]) -> str:
    """The own cards and their sum, and what the dealer shows."""
    raw: Any = env
    own, shown, has_ace = hand
    ace = ", an ace as 11" if has_ace else ""
    return f"Cards {' '.join(str(card) for card in raw.player)}: {own}{ace}. Dealer shows {shown}."


def _new_lake(rng: random.Random) -> Mapping[str, Any]:
    size = rng.choice(SIZES)
    return {"desc": generate_random_map(size, 0.75, rng.randrange(2**31)), "is_slippery": False}


def _nothing(rng: random.Random) -> Mapping[str, Any]:
    return {}


class ToyGame(NamedTuple):
    """An environment of Gymnasium and how it is told.

    Attributes:
        gymnasium_id: Its id there.
        view: How it is told and played.
        draw: Keyword arguments of `gymnasium.make` for a new task.
    """

    gymnasium_id: str
    view: TextView
    draw: Callable[[random.Random], Mapping[str, Any]]


def _delivered(ending: Ending) -> bool:
    return ending.terminated


GAMES: Mapping[str, ToyGame] = {
    "FrozenLake": ToyGame(
        IDS["FrozenLake"],
        TextView(
            "Walk over the frozen lake to G. F is ice, H a hole, A you.",
            _lake,
            ("left", "down", "right", "up"),
            max_turns=40,
        ),
        _new_lake,
    ),
    "Taxi": ToyGame(
        IDS["Taxi"],
        TextView(
            "Fetch the passenger and drop them at the destination. Places are row and column; rows grow to the south.",
            _taxi,
            ("south", "north", "east", "west", "pickup", "dropoff"),
            success=_delivered,
            invalid_value=-1.0,
            max_turns=60,
            max_invalid=60,
        ),
        _nothing,
    ),
    "Blackjack": ToyGame(
        IDS["Blackjack"],
        TextView(
            "Come nearer to 21 than the dealer, not above it.",
            _cards,
            ("stick", "hit"),
            invalid_value=-0.5,
        ),
        _nothing,
    ),
}
"""The environments by the name in our id."""


class ToyTextEnv(GymnasiumEnv):
    """Play FrozenLake, Taxi or Blackjack of Gymnasium, described in words.

    Observation:
        Text: the task and the possible actions. After each turn: FrozenLake's map with the agent as A, Taxi's places
        with the walls beside it, or the cards of Blackjack.
    Action:
        A message that names one action. FrozenLake: left, down, right, up. Taxi: south, north, east, west, pickup,
        dropoff. Blackjack: stick, hit.
    Reward:
        `reward`: that of Gymnasium. FrozenLake: 1 at the goal. Taxi: -1 per turn, -10 for a wrong pickup or dropoff, 20
        for the right one. Blackjack: 1, 0 or -1. `format`: -0.1, -1 and -0.5 for an invalid message.
        Differs: FrozenLake is not slippery by default, and its maps of 4 to 6 rows are drawn from the seed. FrozenLake
        has 40 turns (Gymnasium: 100) and Taxi 60 (200). In Taxi, invalid messages do not end the episode, because
        ending early would be cheaper than driving on. Tasks of Blackjack can be won with the cards that come.
    Termination:
        Goal or hole; the passenger is at the destination; the hand is over. More than two invalid messages.
    Truncation:
        The limit of turns.
    Info:
        The keys of `AgentEnv`. Success means that the goal is reached, the passenger delivered or the hand won; the
        score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Environments of Gymnasium (MIT); text and tasks written for this project, Apache-2.0 and CC0-1.0.

    Example:
        `Walk over the frozen lake to G. F is ice, H a hole, A you. Each turn say left, down, right or up.` `A F F G` /
        `right` / `S A F G`

    Args:
        game: "FrozenLake", "Taxi" or "Blackjack".
        render_mode: None or "ansi".
        make_options: Keyword arguments of `gymnasium.make`, such as `is_slippery=True`.

    Raises:
        UnknownNameError: No such game.
        ConfigError: Gymnasium refuses the options.
    """

    def __init__(self, game: str = "FrozenLake", render_mode: str | None = None, **make_options: Any) -> None:
        if game not in GAMES:
            raise UnknownNameError("game", game, GAMES)
        self.game = game
        super().__init__(GAMES[game].gymnasium_id, GAMES[game].view, render_mode, **make_options)

    def make_task(self, seed: int) -> Task:
        """A lake, ride or hand from the seed; of hands the first after it that can be won."""
        config = {"game": self.game, "make": {**GAMES[self.game].draw(random.Random(seed)), **self._make_options}}
        task = replace(super().make_task(seed), id=f"{self.game.lower()}:{seed}", config=config)
        while self.game == "Blackjack" and not can_win_hand(task.seed):
            task = replace(task, seed=(task.seed + STRIDE) % 2**31)
        return task
