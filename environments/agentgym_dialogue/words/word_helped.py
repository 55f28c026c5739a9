"""Wordle with a helper: the guesser of a hidden word of five letters, and another role that helps by words.

How the helper helps is the business of each game; the marks and the word list are those of `wordle`.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Self

from agentgym.errors import ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.taboo.cards import cards
from agentgym_dialogue.words.wordle.env import NUM_LETTERS, marks
from agentgym_dialogue.words.wordle.words import vocabulary

VOCABULARY_SIZE = 2000
"""Words that may be guessed: the first of wordle's list."""
NUM_HINTS = 3
"""Words of a hint; no two cards share more than two, so that they tell the word from all others with a card."""
MAX_INVALID = 4
"""Invalid messages that a role survives: words outside the vocabulary are easily said."""
CORRECT, NO_TRIES_LEFT = "correct", "No tries left."


@cache
def hidden_words() -> tuple[str, ...]:
    """The words that may be hidden: those of five letters in the vocabulary that have a card in taboo."""
    return tuple(word for word in cards() if len(word) == NUM_LETTERS and word in vocabulary(VOCABULARY_SIZE))


@cache
def words_of_clue() -> Mapping[str, frozenset[str]]:
    """By stem of a clue word the hidden words that it goes with."""
    found: dict[str, set[str]] = {}
    for word in hidden_words():
        for clue in cards()[word]:
            found.setdefault(stem(clue), set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}


@cache
def helped_limits(tries: int) -> Limits:
    """Limits of a game in which the guesser says two things a try."""
    return Limits(max_turns=2 * tries + MAX_INVALID, max_invalid=MAX_INVALID)


def draw_hint(rng: random.Random) -> tuple[str, list[str]]:
    """A word to hide, and some of the words that go with it."""
    word = rng.choice(hidden_words())
    return word, rng.sample(cards()[word], NUM_HINTS)


class HelpedGame(GameEnv):
    """A game of a guesser and a helper; the cards are those of the games.

    Args:
        num_tries: The guesser's tries in tasks made from a seed, at least 1.

    Raises:
        ConfigError: The number is out of its range.
    """

    def __init__(self, num_tries: int) -> None:
        super().__init__()
        if num_tries < 1:
            raise ConfigError(f"{type(self).__name__} got num_tries={num_tries}; expected at least 1")
        self.num_tries = num_tries
        self.secret = ""
        self.tries_left = 0
        self.said: list[str] = []

    @abstractmethod
    def start(self, task: Task) -> Inbox:
        """Set the acting role, and tell the roles the rules."""

    def begin(self, task: Task) -> Inbox:
        """Set up what both games share."""
        try:
            self.secret, self.tries_left = task.private["secret"], task.config["tries"]
            self.said = []
            if self.secret not in hidden_words() or self.tries_left < 1:
                raise TaskError(f"task {task.id!r}: the secret is not among the words that may be hidden, or no tries")
            return self.start(task)
        except KeyError as error:
            raise TaskError(f"task {task.id!r} lacks {error}; expected tries in config and secret in private") from None

    def grade(self) -> GameReply:
        """The word was not found."""
        return self._end(False)

    def anchor(self) -> str:
        """All that was said so far, tries left and invalid messages so far; equal within one task only."""
        return f"{self.acting_role}: {' / '.join(self.said)}, {self.tries_left} tries, {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def judge(self, guess: str, told: Sequence[str]) -> GameReply:
        """Mark a guess, or end the game.

        Args:
            guess: The guess.
            told: The roles that are told the marks.
        """
        self.tries_left -= 1
        self.said.append(guess)
        if guess == self.secret or not self.tries_left:
            return self._end(guess == self.secret)
        self.acting_role = "guesser"
        return GameReply({role: [user(f"{guess}: {marks(self.secret, guess)}")] for role in told})

    def _end(self, is_found: bool) -> GameReply:
        assert self.task is not None
        tries: int = self.task.config["tries"]
        score = (self.tries_left + 1) / tries if is_found else 0.0
        return GameReply(
            {role: [user(CORRECT if is_found else NO_TRIES_LEFT)] for role in self.roles},
            [self.event(role, "success", float(is_found)) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, is_found),
            scores=dict.fromkeys(self.roles, score),
        )


def best_words(hint: Sequence[str], marked: Sequence[tuple[str, str]]) -> list[str]:
    """The words that go with most words of a hint, of those that may be hidden and that all marks allow.

    Args:
        hint: The words of the hint.
        marked: Guesses with their marks.

    Returns:
        None where no word goes with any.
    """
    counts: dict[str, int] = {}
    for word in {stem(part) for part in hint}:
        for hidden in words_of_clue().get(word, ()):
            counts[hidden] = counts.get(hidden, 0) + 1
    fit = [word for word in counts if all(marks(word, guess) == found for guess, found in marked)]
    most = max((counts[word] for word in fit), default=0)
    return sorted(word for word in fit if counts[word] == most)


def marked_in(texts: Sequence[str]) -> list[tuple[str, str]]:
    """The guesses with their marks that a role was told."""
    lines = [text.partition(": ") for text in texts]
    is_word = [len(guess) == NUM_LETTERS and len(found) == 2 * NUM_LETTERS - 1 for guess, _, found in lines]
    return [(guess, found) for (guess, _, found), is_marked in zip(lines, is_word, strict=True) if is_marked]
