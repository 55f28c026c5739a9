"""Rule-based players of matrix games: they say what they will play, truly or not, and move as their habit is.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.matrix_games.game import ROLES, move_named
from agentgym_dialogue.bargaining.matrix_games.habits import Habit
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES, as_payoffs

_PLAYED = re.compile(r"^Round \d+: you ([a-z]+), they ([a-z]+)\. ", re.MULTILINE)
_SAID = "They say: "


class Talk(NamedTuple):
    """What a role's conversation shows.

    Attributes:
        rounds: The moves of the role and of the other in each round played.
        heard: The move that the other announced in this round; None where it did not.
        is_move: Whether a move is asked, not a line.
    """

    rounds: list[tuple[int, int]]
    heard: int | None
    is_move: bool


def talk_of(messages: Sequence[Message], game: str) -> Talk:
    """Reads a conversation of a role."""
    rounds: list[tuple[int, int]] = []
    heard: int | None = None
    for message in messages:
        if message["role"] != "user":
            continue
        text = message["content"]
        played = _PLAYED.search(text)
        if played:
            rounds.append((MOVES[game].index(played[1]), MOVES[game].index(played[2])))
            heard = None
        if text.startswith(_SAID):
            heard = move_named(text.split("\n", 1)[0].removeprefix(_SAID), game)
    return Talk(rounds, heard, messages[-1]["content"].endswith("Say your move."))


class Habitual:
    """Keeps to a habit.

    Args:
        role: Its role.
        task: The task, whose private part has its habit.
        seed: By which a mixture draws.
    """

    def __init__(self, role: str, task: Task, seed: int) -> None:
        kind, share, is_honest = task.private[role]
        payoffs, self._game = as_payoffs(task.config["payoffs"]), task.config["game"]
        self._habit = Habit(kind, role, payoffs, share, is_honest, seed, task.config["rounds"])

    def act(self, messages: Sequence[Message]) -> str:
        """A line that announces a move, or a move."""
        habit, talk = self._habit, talk_of(messages, self._game)
        state = habit.start
        for own, other in talk.rounds:
            state = habit.after(state, own, other)
        number = len(talk.rounds)
        if talk.is_move:
            return MOVES[self._game][habit.move(state, number, talk.heard)]
        return f"I play {MOVES[self._game][habit.announced(state, number, talk.heard)]}."

    def anchor(self) -> str:
        """Nothing: what it says follows from the conversation."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {role: partial(Habitual, role) for role in ROLES}
