"""Steps and resets a second of the text environments, beside TextArena and GEM playing the same games.

Each side plays whole episodes with guesses that were written down before the clock starts, in a fixed order and in
the side's own notation, until the episode ends. Secrets are drawn anew for each episode from as many numbers, colours
and words, with as many tries, so that episodes are equally long in distribution. Timed are the steps of episodes, and,
in a loop of their own, resets with a new seed that also draw the secret. A pass is a new environment that is reset for
each of 100 episodes; passes are repeated until the clock of a repeat runs out.

- agentgym: `gymnasium.make`, `reset`, `step`: the whole contract with messages, reward events, outcome and limits.
- gem: `gem.make(id)` without wrappers: `step` gives text, reward, terminated, truncated and an info.
- textarena: `textarena.make(id)` as it comes, with its default wrappers; `get_observation` and `step` are one turn.
  Its default wrapper keeps the observations of all episodes since `make`, so that it slows down with every reset.
- textarena-fresh: the same, made anew for each episode, which its wrapper is built for; a reset includes the making.
- textarena-raw: one environment without wrappers: its observation is a list of tuples, not a text.

Games of two that TextArena has too have rows like these, see `benchmarks.env_steps.pairs`; every game of the dialogue
family has one of its own without peers, see `benchmarks.env_steps.family`.
Episodes in parallel are not measured here; see `benchmarks.rollout_overhead`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import gem  # type: ignore[import-untyped]
import gem.envs.game_env.wordle as gem_wordle  # type: ignore[import-untyped]
import gymnasium
import textarena  # type: ignore[import-untyped]

import agentgym
from agentgym.task import Limits, Task
from agentgym_dialogue.words.wordle.words import all_words
from benchmarks.env_steps import family
from benchmarks.env_steps.clock import EPISODES, Player, Side, compared
from benchmarks.env_steps.pairs import NOT_COMPARED, PAIRS
from benchmarks.env_steps.pairs import sides as pair_sides
from benchmarks.measure import ratios
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "gymnasium", "TextArena", "gem-llm")
NUM_WORDS = 1_000
PAIR_REPEATS = 5
"""Repeats of games of two: over 100 resets of one, TextArena takes seconds for a pass of them."""


@dataclass(frozen=True)
class Game:
    """A game and its guesses.

    Attributes:
        env_id, options: Of our environment.
        tries: Tries of an episode on all sides.
        guesses: In the peers' notation without brackets, all different; more than tries, as TextArena takes one more.
        textarena_id: "" where TextArena has no such game offline.
        gem_id: GEM's id.
        gem_options: That make GEM's game equal to ours.
    """

    env_id: str
    options: Mapping[str, Any]
    tries: int
    guesses: Sequence[str]
    textarena_id: str
    gem_id: str
    gem_options: Mapping[str, Any]


def games() -> dict[str, Game]:
    """The games, as hard as TextArena's are by default."""
    codes = [[(first + step * place) % 6 for place in range(4)] for first in range(6) for step in (1, 5)]
    codes += [[code[1], code[0], code[2], code[3]] for code in codes]
    return {
        "guess-number": Game(
            "agentgym/GuessNumber-v0",
            {"min_numbers": 20, "max_numbers": 20, "highest": 20},
            10,
            [str(number) for number in range(1, 21)],
            "GuessTheNumber-v0",
            "game:GuessTheNumber-v0-easy",
            {"min_number": 1, "max_number": 20, "max_turns": 10},
        ),
        "mastermind": Game(
            "agentgym/Mastermind-v0",
            {"num_colours": 6, "num_places": 4, "num_tries": 20},
            20,
            [" ".join(str(colour + 1) for colour in code) for code in codes],
            "Mastermind-v0",
            "game:Mastermind-v0-easy",
            {"code_length": 4, "num_numbers": 6, "max_turns": 20},
        ),
        "wordle": Game(
            "agentgym/Wordle-v0",
            {"vocabulary_size": NUM_WORDS, "num_tries": 6},
            6,
            all_words()[7:NUM_WORDS:120],
            "",
            "game:Wordle-v0-hard",
            {"word_length": 5, "max_turns": 6},
        ),
    }


def own_side(game: Game) -> Side:
    """Ours, through Gymnasium."""
    tasks = [_with_tries(_make(game).unwrapped.make_task(seed), game.tries) for seed in range(EPISODES)]
    guesses = [[_translated(guess, task) for guess in game.guesses] for task in tasks]

    def make_player() -> Player:
        env = _make(game)

        def play(seed: int) -> int:
            for number, guess in enumerate(guesses[seed], start=1):
                _, _, terminated, truncated, _ = env.step(guess)
                if terminated or truncated:
                    return number
            raise RuntimeError(f"{game.env_id} still runs after {len(guesses[seed])} guesses")

        return Player(lambda seed: env.reset(seed=seed), lambda seed: env.reset(options={"task": tasks[seed]}), play)

    return make_player


def textarena_side(game: Game, suffix: str = "", is_fresh: bool = False) -> Side:
    """TextArena's; a fresh one is made anew for each episode."""
    guesses = [f"[{guess}]" for guess in game.guesses]

    def make_player() -> Player:
        env: Any = textarena.make(game.textarena_id + suffix, max_turns=game.tries)

        def reset(seed: int) -> None:
            nonlocal env
            if is_fresh:
                env = textarena.make(game.textarena_id + suffix, max_turns=game.tries)
            env.reset(num_players=1, seed=seed)

        def play(_: int) -> int:
            for number, guess in enumerate(guesses, start=1):
                env.get_observation()
                is_over, _ = env.step(guess)
                if is_over:
                    return number
            raise RuntimeError(f"{game.textarena_id} still runs after {len(guesses)} guesses")

        return Player(reset, reset, play)

    return make_player


def gem_side(game: Game) -> Side:
    """GEM's, its words being ours."""
    guesses = [f"\\boxed{{{guess}}}" for guess in game.guesses]

    def make_player() -> Player:
        with _own_words():
            env: Any = gem.make(game.gem_id, **game.gem_options)

        def play(_: int) -> int:
            for number, guess in enumerate(guesses, start=1):
                _, _, terminated, truncated, _ = env.step(guess)
                if terminated or truncated:
                    return number
            raise RuntimeError(f"{game.gem_id} still runs after {len(guesses)} guesses")

        return Player(lambda seed: env.reset(seed=seed), lambda seed: env.reset(seed=seed), play)

    return make_player


def measure(is_quick: bool) -> Report:
    """All games on all sides."""
    seconds, repeats = (0.1, 1) if is_quick else (0.5, 9)
    report = Report(
        setting={
            "seconds_a_repeat": seconds,
            "tries": {name: game.tries for name, game in games().items()},
            "not_the_same_work": {name: pair.differs for name, pair in PAIRS.items()},
            "not_compared": NOT_COMPARED,
        }
    )
    for name, game in games().items():
        progress(name)
        sides = {"agentgym": own_side(game), "gem": gem_side(game)}
        if game.textarena_id:
            sides |= {
                "textarena": textarena_side(game),
                "textarena-fresh": textarena_side(game, is_fresh=True),
                "textarena-raw": textarena_side(game, "-raw"),
            }
        report.figures[name], steps = compared(sides, seconds, repeats)
        report.goals += _goals(name, steps)
    for name, pair in PAIRS.items():
        progress(name)
        report.figures[name], _ = compared(pair_sides(pair), seconds, repeats if is_quick else PAIR_REPEATS)
    report.figures["family"] = {}
    for own in family.own_games():
        progress(own.id)
        report.figures["family"][own.id] = found = family.figures(own, is_quick)
        report.goals += family.goals(own, found)
    return report


def _goals(name: str, steps: Mapping[str, Sequence[float]]) -> Iterator[Goal]:
    if "textarena" in steps:
        value = ratios(steps["agentgym"], steps["textarena"]).median
        yield Goal(f"{name}: steps/s, times TextArena's over {EPISODES} resets of one", value, 50.0, "at least")
    value = ratios(steps["gem"], steps["agentgym"]).median
    yield Goal(f"{name}: GEM's bare loop, times our steps/s", value, 10.0, "at most")


def _make(game: Game) -> Any:
    return gymnasium.make(game.env_id, **game.options)


def _translated(guess: str, task: Task) -> str:
    """A guess in our notation: mastermind's numbers stand for the task's colours."""
    colours = task.config.get("colours")
    return " ".join(colours[int(number) - 1] for number in guess.split()) if colours else guess


def _with_tries(task: Task, tries: int) -> Task:
    limits = Limits(max_turns=tries + task.limits.max_invalid, max_invalid=task.limits.max_invalid)
    return replace(task, config={**task.config, "tries": tries}, limits=limits)


@contextmanager
def _own_words() -> Iterator[None]:
    """GEM asks NLTK for its words, which come over the network; here it gets ours."""
    words = mock.Mock()
    words.words.return_value = list(all_words()[:NUM_WORDS])
    with mock.patch.object(gem_wordle, "nltk"), mock.patch.object(gem_wordle, "words", words):
        yield


if __name__ == "__main__":
    agentgym.specs()
    sys.exit(main("env_steps", measure, PACKAGES))
