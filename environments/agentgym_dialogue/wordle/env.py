"""Wordle: a hidden word of five letters, six guesses, a mark for each letter.

Players are in `scripts`, the word list in `words`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message
from agentgym.task import Limits, Task
from agentgym_dialogue.wordle.words import all_words, vocabulary

NUM_LETTERS = 5
MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a guess."""
MAX_INVALID = 4
"""Invalid messages that an episode survives: words outside the vocabulary are easily said."""

_WORD = re.compile(r"\b[a-z]{5}\b")
_BRACKETED = re.compile(r"\[\s*([a-z]+)\s*\]")


def marks(secret: str, guess: str) -> str:
    """A mark for each letter of the guess.

    Returns:
        `G` for a letter in its place, `Y` for one that stands elsewhere, `-` else, with spaces between. A letter gets
        as many marks as the secret has of it: right places first, then from the left.
    """
    found = ["-"] * NUM_LETTERS
    rest = []
    for place, letter in enumerate(secret):
        if guess[place] == letter:
            found[place] = "G"
        else:
            rest.append(letter)
    for place, letter in enumerate(guess):
        if found[place] == "-" and letter in rest:
            found[place] = "Y"
            rest.remove(letter)
    return " ".join(found)


def wordle_task(task_id: str, seed: int, vocabulary_size: int, secret: str, tries: int = 6, **fields: Any) -> Task:
    """The task of finding `secret` among the first words of the list; `fields` are further ones of the task."""
    instruction = (
        f"Find the hidden word of five letters, one of {vocabulary_size} common English words. Each guess is marked: "
        f"G right place, Y other place, - not in the word. You have {tries} tries."
    )
    return Task(
        task_id,
        seed,
        instruction,
        config={"vocabulary_size": vocabulary_size, "tries": tries},
        private={"secret": secret},
        limits=_limits(tries),
        **fields,
    )


@cache
def _limits(tries: int) -> Limits:
    return Limits(max_turns=tries + MAX_INVALID, max_invalid=MAX_INVALID)


class WordleEnv(AgentEnv):
    """Find a hidden word of five letters from marks on the letters of guesses.

    Observation:
        Text. First the rules, then a mark for each letter such as `- Y G - -`: G right place, Y in the word at another
        place, - not in it (again); at the end `correct` or `No tries left.`
    Action:
        A message with a word of the declared vocabulary (`words.vocabulary(size)`), as its only word of five letters
        or in brackets: `crane`, `I take [crane]`. Anything else is invalid and costs no try.
    Reward:
        `success`: 1 for finding the word, else 0. `format`: 0 for an invalid message.
    Termination:
        The word is found, the tries are used up, or there were more invalid messages than the task's limit (4).
    Truncation:
        None of its own.
    Info:
        As `AgentEnv`; the score is the success.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0. The word list comes from SCOWL (see tasks/dialogue/wordle/README.md);
        the tasks of dialogue/wordle are generated, CC0-1.0.

    Example:
        `Find the hidden word of five letters, one of 200 common English words. …` / `heard` / `- Y - - -` / `level` /
        `- G - G -` / `seven` / `correct`

    Args:
        vocabulary_size: Words that may be guessed and hidden in a task made on the fly: the first of the list.
        num_tries: Its tries, at least 1.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    def __init__(self, vocabulary_size: int = 1000, num_tries: int = 6, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        if not 1 <= vocabulary_size <= len(all_words()) or num_tries < 1:
            raise ConfigError(
                f"wordle got vocabulary_size={vocabulary_size} and num_tries={num_tries}; expected 1 to "
                f"{len(all_words())} words and at least 1 try"
            )
        self.vocabulary_size, self.num_tries = vocabulary_size, num_tries
        self._size = 0
        self._secret = ""
        self._tries_left = 0
        self._most_right = 0
        self._guesses: list[str] = []

    def make_task(self, seed: int) -> Task:
        """A random word of the vocabulary."""
        secret = all_words()[random.Random(seed).randrange(self.vocabulary_size)]
        return wordle_task(f"wordle:{seed}", seed, self.vocabulary_size, secret, self.num_tries)

    def begin(self, task: Task) -> Sequence[Message]:
        """State the rules."""
        try:
            self._size, tries = task.config["vocabulary_size"], task.config["tries"]
            self._secret = task.private["secret"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; wordle needs vocabulary_size and tries in config, secret in private"
            ) from None
        if self._secret not in vocabulary(self._size) or tries < 1:
            raise TaskError(f"task {task.id!r}: the secret is not among the first {self._size} words, or {tries} tries")
        self._tries_left = tries
        self._most_right = 0
        self._guesses = []
        return [{"role": "user", "content": task.instruction}]

    def respond(self, action: Action) -> EnvReply:
        """Answer one guess."""
        guess = self._read_guess(action.content)
        self._tries_left -= 1
        self._guesses.append(guess)
        if guess == self._secret:
            self._most_right = NUM_LETTERS
            return EnvReply([{"role": "user", "content": "correct"}], [self.event("success", 1.0)], True, True)
        answer = marks(self._secret, guess)
        num_right = answer.count("G")
        if num_right > self._most_right:
            self._most_right = num_right
        if self._tries_left:
            return EnvReply([{"role": "user", "content": answer}])
        return EnvReply([{"role": "user", "content": "No tries left."}], [self.event("success", 0.0)], True, False)

    def anchor(self) -> str:
        """The guesses so far in any order, tries left and invalid messages so far; equal within one task only."""
        return f"{' '.join(sorted(set(self._guesses)))}, {self._tries_left} tries, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Largest share of letters in their right places in one guess so far."""
        return self._most_right / NUM_LETTERS

    def _read_guess(self, content: str) -> str:
        allowed = vocabulary(self._size)
        if content in allowed:
            return content
        found: set[str] = set()
        if len(content) <= MAX_CHARS:
            text = content.lower()
            found = set(_BRACKETED.findall(text) or _WORD.findall(text))
        if len(found) != 1:
            raise ActionSyntaxError("Guess one word of five letters.")
        guess = found.pop()
        if guess not in allowed:
            raise ActionSyntaxError(f"{guess[:20]} is not in the vocabulary. Guess another word of five letters.")
        return guess
