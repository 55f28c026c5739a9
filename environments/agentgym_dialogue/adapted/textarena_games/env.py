"""Single-player games of TextArena as environments.

A running game is an `episode`; players are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, UnknownNameError
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.adapted.textarena_games.catalog import GAMES, KNOWN_GAMES
from agentgym_dialogue.adapted.textarena_games.episode import Episode
from agentgym_dialogue.adapted.textarena_games.solutions import is_won

MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a move."""
MAX_INVALID = 2
STRIDE = 1_000_003
"""From one seed to the next that is looked at, of games of which some cannot be won."""

_MOVE = re.compile(r"\[[ -Z\\^-~]{1,60}\]")


class TextArenaEnv(AgentEnv):
    """Play a single-player game of TextArena.

    Observation:
        Text: TextArena's rules and board, then after each turn each message of the game, once; at the end also why it
        ended.
    Action:
        A message with exactly one move in square brackets, such as `I try [7]`; the rules say which moves there are.
    Reward:
        `reward`: what TextArena gives at the end: 1 for a solution, else often the share that was solved. In Set it is
        the number of sets found, divided by 10; in Blackjack the share of hands won, divided by 0.6; both are at most
        1. `format`: -0.1 for an invalid message, also for a move that the game refuses.
        Differs: refused moves are counted over the whole episode, and the episode ends as invalid after the second one,
        without a reward from the game. (TextArena ends it when two follow each other.) Several bugs are fixed: each
        episode has its own random draws; Bandit gives 1 - regret instead of the regret; solving FifteenPuzzle raises no
        error; reasons and rewards are not mixed up; LogicPuzzle has enough turns for its cells. Countdown's numbers,
        Cryptarithm's equation, PegJump's hole and TowerOfHanoi's disks are drawn from the seed.
    Termination:
        TextArena ends the game, also at its own limit of turns; more than two invalid messages.
    Truncation:
        After `Game.turns` turns.
    Info:
        The keys of `AgentEnv`; success is the full reward, the score is the reward.
    Sandbox:
        None.
    Source and licence:
        Games of TextArena 0.7 (MIT), arXiv 2504.11442; the adapter was written for this project, Apache-2.0.

    Example:
        `You are Player 0. You are playing Guess The Number. …` / `[10]` / `The target number is lower.`

    Args:
        game: Such as "GuessTheNumber", see `catalog.GAMES`; "" draws one of the known games for each task from a seed.
        render_mode: None or "ansi".

    Raises:
        UnknownNameError: No such game, or it does not start without a network.
    """

    reward_weights = {"reward": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(self, game: str = "", render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        if game not in ("", *GAMES):
            raise UnknownNameError("single-player game of TextArena", game, GAMES)
        self.game = game
        self._episode: Episode | None = None

    def make_task(self, seed: int) -> Task:
        """A game from the seed; where some seeds cannot be won, the first after it that can."""
        return game_task(self.game or random.Random(seed).choice(KNOWN_GAMES), seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Start the game."""
        self._episode = started(task)
        if self.episode_seed != task.seed:
            self._episode.generator.seed(self.episode_seed)
        return [user(f"{self._episode.first}\n{task.instruction}")]

    def respond(self, action: Action) -> EnvReply:
        """Play one move."""
        assert self._episode is not None
        assert self.task is not None
        game = GAMES[self.task.config["game"]]
        moves = _MOVE.findall(action.content) if len(action.content) <= MAX_CHARS else []
        if len(moves) != 1:
            raise ActionSyntaxError(f"Put one move into square brackets, such as {game.example}.")
        answer = self._episode.play(moves[0])
        if answer.refusal and not answer.is_over:
            raise ActionSyntaxError(f"{answer.refusal} Say another move.")
        if not answer.is_over:
            return EnvReply([user(answer.text or "Go on.")])
        score = game.score(answer.reward)
        return EnvReply([user(answer.text)], [self.event("reward", score)], True, score >= 1.0, score)

    def grade(self) -> EnvReply:
        """An unfinished game is worth nothing."""
        return EnvReply(success=False)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here."""
        twin = self.fork_by_copy(seed)
        if seed is not None and twin._episode is not None:
            twin._episode.generator.seed(seed)
        return twin


def game_task(name: str, seed: int) -> Task:
    """The task of a game from a seed, or the next one that can be won."""
    game = GAMES[name]
    while game.is_sifted and not is_won(name, seed):
        seed = (seed + STRIDE) % 2**31
    drawn = game.draw(random.Random(seed)) if game.draw else {}
    return Task(
        f"textarena-{name}:{seed}",
        seed,
        f"Put your move into square brackets, one a message, such as {game.example}.",
        config={"game": name, "options": {**game.options, **drawn}},
        limits=Limits(max_turns=game.turns, max_invalid=MAX_INVALID),
        seed_is_content=not game.is_fixed,
    )


def started(task: Task) -> Any:
    """The game of a task at its start."""
    return Episode(GAMES[task.config["game"]].id, task.seed, task.config["options"])
