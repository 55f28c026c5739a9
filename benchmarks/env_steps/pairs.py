"""Games of two players for `benchmarks.env_steps`: ours beside TextArena's, the same moves being played on both sides.

The moves of each episode, of both players in turns, are written down before the clock starts, and are legal on both
sides: random games of tic-tac-toe and Connect Four from the empty board, rounds of the same bids and a call, ten rounds
of a line and a move each, five rounds of an offer and an answer. A step is a turn of either player.

- agentgym: `RoleView`: the environment of one role with the whole contract; a script in it plays the other role.
- agentgym-game: the game alone, `GameEnv.step` for every turn of both, as rollouts with self-play drive it.
- textarena, textarena-fresh, textarena-raw: as in `env_steps`, with two players; `get_observation` before each turn.

No game is here that TextArena plays by other rules, or that does not start: see `NOT_COMPARED`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import textarena  # type: ignore[import-untyped]

from agentgym.message import Message
from agentgym.registration import make_game, spec
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from benchmarks.env_steps.clock import EPISODES, Player, Side

NOT_COMPARED = {
    "textarena": {
        "Chess": "its module does not compile before Python 3.12, and ours plays Stockfish",
        "Codenames, TwentyQuestions, Wordle": "they download words or ask a paid model at the start",
        "UsedCarNegotiation": "a file of its is missing in the package",
        "Taboo": "two teams of two guess words in turns; ours is one team and one word",
        "SecretMafia": "Werewolf with other phases: three rounds of talk before each vote, all votes at once",
        "SimpleNegotiation": "trading of resources; ours divides items once",
        "IteratedMatchingPennies, IteratedStagHunt": "without talk; its module does not compile before Python 3.12",
    },
    "gem": "it has GuessTheNumber, Mastermind and Wordle in common with us, which have rows, and no other game",
}
"""Games of the peers like ours that have no row, and why."""

LADDER = (("1 two", "[Bid: 1, 2]"), ("1 four", "[Bid: 1, 4]"), ("2 fours", "[Bid: 2, 4]"), ("2 sixes", "[Bid: 2, 6]"))
"""Bids that each rule takes for higher ones, whoever begins and however few dice are left."""
DICE, ROUNDS, OFFERS, POT = 5, 10, 5, 50

Moves = Sequence[tuple[str, str]]
"""Both players' moves in turns, in our words and in TextArena's."""


@dataclass(frozen=True)
class Pair:
    """A game of two.

    Attributes:
        env_id, options: Of our game.
        textarena_id, textarena_options: Of TextArena's.
        moves: The moves of an episode from a generator; more than it takes.
        differs: What is not the same work on both sides.
        config: What tasks have other than the game draws them.
    """

    env_id: str
    textarena_id: str
    moves: Callable[[random.Random], Moves]
    differs: str
    options: Mapping[str, Any] = field(default_factory=dict)
    textarena_options: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> list[Task]:
        """Our tasks, one an episode."""
        game = make_game(self.env_id, **self.options)
        drawn = [game.make_task(seed) for seed in range(EPISODES)]
        return [replace(task, config={**task.config, **self.config}) for task in drawn]

    def episodes(self) -> list[Moves]:
        """The moves of each episode."""
        return [self.moves(random.Random(seed)) for seed in range(EPISODES)]


def _squares(rng: random.Random) -> Moves:
    return [(str(square + 1), f"[{square}]") for square in rng.sample(range(9), 9)]


def _columns(rng: random.Random) -> Moves:
    return [(str(column + 1), f"[col {column}]") for column in rng.sample([*range(7)] * 6, 42)]


def _bids(rng: random.Random) -> Moves:
    return [*LADDER, ("liar", "[Call]")] * (2 * DICE)


def _dilemmas(rng: random.Random) -> Moves:
    moves: list[tuple[str, str]] = []
    for _ in range(ROUNDS):
        moves += [("I will cooperate.", "I will cooperate."), ("So will I.", "So will I.")]
        moves += [(move, f"[{move.capitalize()}]") for move in rng.choices(("cooperate", "defect"), k=2)]
    return moves


def _offers(rng: random.Random) -> Moves:
    moves: list[tuple[str, str]] = []
    for _ in range(OFFERS):
        offer, answer = rng.randint(0, POT), rng.choice(("accept", "reject"))
        moves += [(f"offer {offer}", f"[Offer: ${offer}]"), (answer, f"[{answer.capitalize()}]")]
    return moves


PAIRS: Mapping[str, Pair] = {
    "tic-tac-toe": Pair(
        "agentgym/TicTacToe-v0",
        "TicTacToe-v0",
        _squares,
        "TextArena names the free squares at every turn, ours numbers them in the picture and names them on refusals",
    ),
    "connect-four": Pair(
        "agentgym/ConnectFour-v0",
        "ConnectFour-v0",
        _columns,
        "the same board from its start; a reset of ours also draws an opening and the scripted player's errors",
        config={"opening": []},
    ),
    "liars-dice": Pair(
        "agentgym/LiarsDice-v0",
        "LiarsDice-v0",
        _bids,
        "ours knows the dice of all rounds from the start, TextArena rolls them after each call; who lost begins in "
        "ours, who comes next in TextArena's; dice are drawn apart, so that single episodes differ in length",
        options={"num_dice": DICE},
        textarena_options={"num_dice": DICE},
    ),
    "prisoners-dilemma": Pair(
        "agentgym/MatrixGames-v0",
        "IteratedPrisonersDilemma-v0",
        _dilemmas,
        "ours draws the payoffs and checks that lines are plain words of one line; TextArena takes any text",
        options={"game": "prisoners_dilemma", "num_rounds": ROUNDS},
        textarena_options={"num_rounds": ROUNDS, "communication_turns": 1},
    ),
    "ultimatum": Pair(
        "agentgym/Ultimatum-v0",
        "IteratedUltimatumGame-v0",
        _offers,
        "the same offers and answers; ours also hands on what is said besides",
        options={"pot": POT, "num_rounds": OFFERS},
        textarena_options={"pool": POT, "max_turns": 2 * OFFERS},
    ),
}
"""The games of two that start offline in TextArena and that are ours too."""


class _Lines:
    """What both roles say in turns; as a script it plays the role that the environment's agent does not."""

    def __init__(self) -> None:
        self.texts: Sequence[str] = ()
        self.num_said = 0

    def begin(self, texts: Sequence[str]) -> None:
        """Start over with the texts of an episode."""
        self.texts, self.num_said = texts, 0

    def say(self) -> str:
        """The next text."""
        self.num_said += 1
        return self.texts[self.num_said - 1]

    def act(self, messages: Sequence[Message]) -> str:
        """The next text, whatever was said."""
        return self.say()


def own_side(pair: Pair) -> Side:
    """Ours: the environment of the first role, in which a script plays the other."""
    tasks, texts = pair.tasks(), [[ours for ours, _ in moves] for moves in pair.episodes()]
    role, other = spec(pair.env_id).roles

    def make_player() -> Player:
        lines = _Lines()
        env = RoleView(make_game(pair.env_id, **pair.options), role, {other: lambda task, seed: lines})

        def prepare(seed: int) -> None:
            lines.begin(texts[seed])
            env.reset(options={"task": tasks[seed]})

        def play(_: int) -> int:
            is_over = False
            while not is_over:
                answer = env.step(lines.say())
                is_over = answer[2] or answer[3]
            return lines.num_said

        return Player(lambda seed: env.reset(seed=seed), prepare, play)

    return make_player


def own_game_side(pair: Pair) -> Side:
    """Our game alone, asked for every turn of both roles."""
    tasks, texts = pair.tasks(), [[ours for ours, _ in moves] for moves in pair.episodes()]

    def make_player() -> Player:
        game = make_game(pair.env_id, **pair.options)

        def play(seed: int) -> int:
            for number, text in enumerate(texts[seed], start=1):
                if game.step(text).outcome is not None:
                    return number
            raise RuntimeError(f"{pair.env_id} still runs after {len(texts[seed])} moves")

        return Player(
            lambda seed: game.reset(game.make_task(seed), seed), lambda seed: game.reset(tasks[seed], seed), play
        )

    return make_player


def textarena_side(pair: Pair, suffix: str = "", is_fresh: bool = False) -> Side:
    """TextArena's; a fresh one is made anew for each episode."""
    texts = [[theirs for _, theirs in moves] for moves in pair.episodes()]

    def make_player() -> Player:
        env: Any = textarena.make(pair.textarena_id + suffix, **pair.textarena_options)

        def reset(seed: int) -> None:
            nonlocal env
            if is_fresh:
                env = textarena.make(pair.textarena_id + suffix, **pair.textarena_options)
            env.reset(num_players=2, seed=seed)

        def play(seed: int) -> int:
            for number, text in enumerate(texts[seed], start=1):
                env.get_observation()
                is_over, _ = env.step(text)
                if is_over:
                    return number
            raise RuntimeError(f"{pair.textarena_id} still runs after {len(texts[seed])} moves")

        return Player(reset, reset, play)

    return make_player


def sides(pair: Pair) -> dict[str, Side]:
    """All sides of a game."""
    return {
        "agentgym": own_side(pair),
        "agentgym-game": own_game_side(pair),
        "textarena": textarena_side(pair),
        "textarena-fresh": textarena_side(pair, is_fresh=True),
        "textarena-raw": textarena_side(pair, "-raw"),
    }
