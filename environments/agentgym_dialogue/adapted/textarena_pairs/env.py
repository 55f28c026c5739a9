"""Games of two of TextArena as environments of one player.

A running game with its other side is a `match`; players are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, UnknownNameError
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.adapted.textarena_pairs.catalog import PAIRS
from agentgym_dialogue.adapted.textarena_pairs.match import Match
from agentgym_dialogue.adapted.textarena_pairs.plans import winning_line

MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a move."""
MAX_TALK = 300
"""Longest line of talk, in characters."""
MAX_INVALID = 2
STRIDE = 1_000_003
"""From one seed to the next that is looked at, where the oracle finds no way to win."""

_MOVE = re.compile(r"\[[ -Z\\^-~]{1,60}\]")


class TextArenaPairEnv(AgentEnv):
    """Play a two-player game of TextArena against a rule-based player, which errs at times.

    Observation:
        Text: TextArena's rules and board, then after each turn what the game says about both moves, once, and the last
        board; at the end also why it ended.
    Action:
        A message with exactly one move in square brackets, such as `I take [4]`; the rules say which moves there are.
        In IteratedPrisonersDilemma, each move comes after a line of talk of at most 300 characters.
    Reward:
        `reward`: what TextArena gives at the end: 1 for a win, 0 for a draw, -1 for a loss or a game that was not
        played to its end. `format`: -0.1 for an invalid message, also for a move that the game refuses.
        Differs: refused moves are counted over the whole game, which ends as invalid after the second one, not only
        when two follow each other. Each episode has its own random draws. A player without a move passes, or loses if
        the game does not allow passing. In IteratedPrisonersDilemma, a message that names no move is invalid (TextArena
        treats it as cooperation).
    Termination:
        TextArena ends the game, also at its own limit of turns; more than two invalid messages.
    Truncation:
        Two moves after `PairGame.turns` moves of the agent, which only liar's dice and pig can reach.
    Info:
        The keys of `AgentEnv`. Success is a win. The score is 1 for a win and 0.5 for a draw.
    Sandbox:
        None.
    Source and licence:
        Games of TextArena 0.7 (MIT), arXiv 2504.11442; the adapter and the other player were written for this project,
        Apache-2.0. The seed decides whether the agent is player 0 or 1. The other player wins or blocks where it sees a
        way, or follows habits that are drawn from the seed. It makes a random move in a share of its turns
        (`PairGame.errors`).

    Example:
        `You are Player 0 in Tic Tac Toe. …` / `[4]` / `Player 1 placed their symbol (X) in cell 0. …` / `[2]` / …

    Args:
        game: Such as "TicTacToe", see `catalog.PAIRS`.
        render_mode: None or "ansi".

    Raises:
        UnknownNameError: No such game, or it does not start without a network.
    """

    reward_weights = {"reward": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(self, game: str = "TicTacToe", render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        if game not in PAIRS:
            raise UnknownNameError("game of two of TextArena", game, PAIRS)
        self.game = game
        self._match: Match | None = None

    def make_task(self, seed: int) -> Task:
        """A game from the seed; where the oracle finds no way to win, the first after it that can be won."""
        return pair_task(self.game, seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Start the game; the other side may have moved already."""
        self._match = started(task)
        if self.episode_seed != task.seed:
            self._match.reseed(self.episode_seed)
        return [user(f"{self._match.first}\n{task.instruction}")]

    def respond(self, action: Action) -> EnvReply:
        """Play one move, and the other side's."""
        assert self._match is not None
        assert self.task is not None
        answer = self._match.play(self._read(action.content, self._match))
        if answer.refusal:
            raise ActionSyntaxError(f"{answer.refusal} Say another move.")
        if not answer.is_over:
            return EnvReply([user(answer.text or "Go on.")])
        score = (answer.reward + 1) / 2
        return EnvReply([user(answer.text)], [self.event("reward", answer.reward)], True, answer.reward > 0, score)

    def grade(self) -> EnvReply:
        """A game that is not played to its end is lost."""
        return EnvReply(events=[self.event("reward", -1.0)], success=False, score=0.0)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here."""
        twin = self.fork_by_copy(seed)
        if seed is not None and twin._match is not None:
            twin._match.reseed(seed)
        return twin

    def _read(self, content: str, match: Match) -> str:
        """The one move, or the line of talk.

        Raises:
            ActionSyntaxError: There is none.
        """
        if match.is_talk:
            line = " ".join(content.split())
            if not line or len(line) > MAX_TALK or not line.isascii() or not line.isprintable():
                raise ActionSyntaxError(f"Say a line to the other player, of at most {MAX_TALK} plain characters.")
            return line.translate({ord("["): "(", ord("]"): ")"})
        moves = _MOVE.findall(content) if len(content) <= MAX_CHARS else []
        if len(moves) != 1:
            example = PAIRS[match.name].example
            raise ActionSyntaxError(f"Put one move into square brackets, such as {example}.")
        return str(moves[0])


def pair_task(name: str, seed: int) -> Task:
    """The task of a game from a seed, or the next one in which the oracle finds a way to win."""
    while True:
        task = _task(name, seed)
        if winning_line(name, task.seed, task.config["options"], task.config["player"]) is not None:
            return task
        seed = (seed + STRIDE) % 2**31


def _task(name: str, seed: int) -> Task:
    game, rng = PAIRS[name], random.Random(seed)
    player = rng.randrange(2)
    drawn = game.draw(rng) if game.draw else {}
    say = "Talk and moves take turns: say a line, then put" if game.has_talk else "Put"
    return Task(
        f"textarena-{name}:{seed}",
        seed,
        f"{say} your move into square brackets, one a message, such as {game.example}.",
        config={"game": name, "options": {**game.options, **drawn}, "player": player},
        limits=Limits(max_turns=game.turns + MAX_INVALID, max_invalid=MAX_INVALID),
        seed_is_content=True,
    )


def started(task: Task) -> Match:
    """The game of a task at its start."""
    return Match(task.config["game"], task.seed, task.config["options"], task.config["player"])
