"""One game of two of TextArena, seen by one player: the other side moves within it.

Which moves the other side finds sensible is in `habits`; tasks and rewards are the matter of `env`.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.errors import PartnerError
from agentgym_dialogue.adapted.textarena_games.episode import Answer, ObservationType, collect_refusals, started_game
from agentgym_dialogue.adapted.textarena_games.own_random import drawing_from
from agentgym_dialogue.adapted.textarena_pairs.catalog import PAIRS
from agentgym_dialogue.adapted.textarena_pairs.habits import HABITS, Turn
from agentgym_dialogue.adapted.textarena_pairs.moves import MOVES

NO_MOVE = "[pass]"
"""What is said for a player who has no move; where a game refuses that, the player has lost."""
PARTNER = 0x9E3779B9
"""What the other side's seed differs by from the game's."""


class Match:
    """A running game.

    Args:
        name: The game, see `catalog.PAIRS`.
        seed: Seed of everything random in it, the other side included.
        options: Keyword arguments of the game over those of its id.
        player: Which player the agent is, 0 or 1.
    """

    def __init__(self, name: str, seed: int, options: Mapping[str, Any], player: int) -> None:
        self.name, self.player, self._game = name, player, PAIRS[name]
        self.generator, self.partner = random.Random(seed), random.Random(seed ^ PARTNER)
        self.style = self.partner.random()
        self.raw = started_game(self._game.id, self.generator, options, 2, seed)
        self._refusals = collect_refusals(self.raw.state)
        self._made: tuple[list[str], list[str]] = ([], [])
        self._let_partner_move()
        self.first = self._told()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.raw.state.done)

    @property
    def moves(self) -> Sequence[str]:
        """The agent's legal moves; in talk some lines."""
        return MOVES[self.name](self.raw)

    @property
    def is_talk(self) -> bool:
        """Whether the agent is to talk, not to move."""
        return self._game.has_talk and self.raw.state.game_state["phase"] == "conversation"

    def sensible(self, style: float) -> Sequence[str]:
        """The agent's moves that a player of some style finds sensible."""
        return HABITS[self.name](Turn(self.raw, self.moves, self._made, style))

    def play(self, move: str) -> Answer:
        """Play a move, in its brackets, and the other side's after it; a refused one changes nothing."""
        if self._game.is_strict and not self.is_talk:
            known = {each.lower(): each for each in self.moves}
            if move.lower() not in known:
                return Answer("", f"Say {' or '.join(known.values())}.", False, 0.0)
            move = known[move.lower()]
        self._step(move)
        if self._refusals:
            refusal = self._refusals[0]
            self._told()
            return Answer("", refusal, False, 0.0)
        self._let_partner_move()
        told, state = self._told(), self.raw.state
        if not state.done:
            return Answer(told, "", False, 0.0)
        reason = str(state.game_info[self.player].get("reason") or "")
        return Answer("\n".join(filter(None, (told, reason))), "", True, float(state.rewards[self.player]))

    def copy(self) -> Match:
        """A copy that goes on from here with the same randomness."""
        return copy.deepcopy(self)

    def reseed(self, seed: int) -> None:
        """Draw what is random from here on, the other side's moves included, from a seed."""
        self.generator.seed(seed)
        self.partner.seed(seed ^ PARTNER)

    def _step(self, move: str) -> None:
        """Play a move of whose turn it is."""
        self._refusals.clear()
        mover = self.raw.state.current_player_id
        with drawing_from(self.generator):
            self.raw.step(action=move)
        if not self._refusals:
            self._made[mover].append(move)

    def _let_partner_move(self) -> None:
        """Play on until the game is over, or it is the agent's turn and it has a move.

        Raises:
            PartnerError: The game refuses a move of the other side.
        """
        state = self.raw.state
        while not state.done:
            moves = self.moves
            if state.current_player_id == self.player and moves:
                return
            mover = state.current_player_id
            move = NO_MOVE if not moves else self._partner_move(moves)
            self._step(move)
            if self._refusals and not moves:
                state.set_winner(1 - mover, reason=f"Player {mover} has no move.")
            elif self._refusals:
                raise PartnerError(f"TextArena's {self._game.id} refuses the partner's {move}: {self._refusals[0]}")

    def _partner_move(self, moves: Sequence[str]) -> str:
        errs = self.partner.random() < self._game.errors
        turn = Turn(self.raw, moves, self._made, self.style)
        return self.partner.choice(moves if errs else HABITS[self.name](turn))

    def _told(self) -> str:
        """What the agent was told since it was asked last: of boards the last one, of moves the other's talk alone."""
        observations = self.raw.state.observations
        news, observations[self.player] = observations[self.player], []
        boards = [text for _, text, kind in news if kind == ObservationType.GAME_BOARD]
        told = []
        for sender, text, kind in news:
            if kind == ObservationType.PLAYER_ACTION:
                if self._game.has_talk and sender == 1 - self.player:
                    told.append(f"Player {sender} says: {text}")
            elif kind != ObservationType.GAME_BOARD:
                told.append(str(text).strip())
        return "\n".join([*told, *(str(text).strip() for text in boards[-1:])])
