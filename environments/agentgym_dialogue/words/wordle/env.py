"""Wordle: a hidden word of five letters, six guesses, a mark for each letter.

Players are in `scripts`, the word list in `words`, the suites' tasks in `generate` and `generate_tries`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence, Set
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message
from agentgym.task import Limits, Task
from agentgym_dialogue.words.wordle.words import all_words, vocabulary

NUM_LETTERS = 5
MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a guess."""
MAX_INVALID = 4
"""Invalid messages that an episode survives: words outside the vocabulary are easily said."""
REWARDS = ("success", "tries")
"""How a task pays: 1 for the word, or -1 for each message that is not the word."""

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


def read_guess(content: str, allowed: Set[str]) -> str:
    """The one guess of a message: its only word of five letters, or the only one in brackets.

    Raises:
        ActionSyntaxError: There is none or more than one, or it is not among the allowed words.
    """
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


def wordle_task(
    task_id: str, seed: int, vocabulary_size: int, secret: str, tries: int = 6, reward: str = "success", **fields: Any
) -> Task:
    """The task of finding `secret` among the first words of the list; `fields` are further ones of the task."""
    instruction = (
        f"Find the hidden word of five letters, one of {vocabulary_size} common English words. Each guess is marked: "
        f"G right place, Y other place, - not in the word. You have {tries} tries."
    )
    return Task(
        task_id,
        seed,
        instruction,
        config={"vocabulary_size": vocabulary_size, "tries": tries}
        | ({} if reward == "success" else {"reward": reward}),
        private={"secret": secret},
        limits=_limits(tries, reward),
        **fields,
    )


@cache
def _limits(tries: int, reward: str) -> Limits:
    if reward == "tries":
        return Limits(max_turns=tries, max_invalid=tries)
    return Limits(max_turns=tries + MAX_INVALID, max_invalid=MAX_INVALID)


class WordleEnv(AgentEnv):
    """Find a hidden word of five letters from marks on the letters of guesses.

    Observation:
        Text. The first message gives the rules. Each guess is answered by a mark for each letter, such as `- Y G - -`:
        G for the right place, Y for another place in the word, - for not in it (again). The last message is `correct`
        or `No tries left.`
    Action:
        A message with a word of the declared vocabulary (`words.vocabulary(size)`), as its only word of five letters or
        in brackets: `crane`, `I take [crane]`. Anything else is invalid; with `reward="success"`, it costs no try.
    Reward:
        With `reward="success"` (the default), `success`: 1 for finding the word, else 0; `format`: 0 for an invalid
        message. With `reward="tries"`, `tries`: -1 for a wrong word and 0 for the right one; `format`: -1. This is the
        reward of LMRL-Gym (Abdulhai et al. 2023, arXiv 2311.18232).
        Differs: words and marks are those of this environment instead of the official word list and coloured letters.
    Termination:
        The word is found, the tries are used up, or, with `reward="success"`, there were more invalid messages than the
        task's limit (4).
    Truncation:
        With `reward="tries"`, an invalid message that uses up the last try; otherwise, the game itself truncates
        nothing.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0. The word list comes from SCOWL (see tasks/dialogue/wordle/README.md);
        the tasks of dialogue/wordle are generated, CC0-1.0.

    Example:
        `Find the hidden word of five letters, one of 200 common English words. …` / `heard` / `- G - - -` / `level` /
        `- G G G -` / `seven` / `correct`

    Args:
        vocabulary_size: Words that may be guessed and hidden in a task made from a seed: the first of the list.
        num_tries: Its tries, at least 1.
        reward: What gives reward in it: "success" or "tries".
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    reward_weights = {"success": 1.0, "tries": 1.0, "format": 1.0}

    def __init__(
        self, vocabulary_size: int = 1000, num_tries: int = 6, reward: str = "success", render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        if not 1 <= vocabulary_size <= len(all_words()) or num_tries < 1 or reward not in REWARDS:
            raise ConfigError(
                f"wordle got vocabulary_size={vocabulary_size}, num_tries={num_tries} and reward={reward!r}; expected "
                f"1 to {len(all_words())} words, at least 1 try, and a reward for success or tries"
            )
        self.vocabulary_size, self.num_tries, self.reward = vocabulary_size, num_tries, reward
        self._tries_pay = False
        self._size = 0
        self._secret = ""
        self._tries_left = 0
        self._most_right = 0
        self._guesses: list[str] = []

    def make_task(self, seed: int) -> Task:
        """A random word of the vocabulary."""
        secret = all_words()[random.Random(seed).randrange(self.vocabulary_size)]
        return wordle_task(f"wordle:{seed}", seed, self.vocabulary_size, secret, self.num_tries, self.reward)

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
        self._tries_pay = task.config.get("reward") == "tries"
        self.invalid_value = -1.0 if self._tries_pay else 0.0
        self._tries_left = tries
        self._most_right = 0
        self._guesses = []
        return [{"role": "user", "content": task.instruction}]

    def respond(self, action: Action) -> EnvReply:
        """Answer one guess."""
        guess = read_guess(action.content, vocabulary(self._size))
        self._tries_left -= 1
        self._guesses.append(guess)
        if guess == self._secret:
            self._most_right = NUM_LETTERS
            event = self.event("tries", 0.0) if self._tries_pay else self.event("success", 1.0)
            return EnvReply([{"role": "user", "content": "correct"}], [event], True, True)
        answer = marks(self._secret, guess)
        num_right = answer.count("G")
        if num_right > self._most_right:
            self._most_right = num_right
        price = [self.event("tries", -1.0)] if self._tries_pay else []
        if self._tries_left > 0:
            return EnvReply([{"role": "user", "content": answer}], price)
        return EnvReply(
            [{"role": "user", "content": "No tries left."}], price or [self.event("success", 0.0)], True, False
        )

    def anchor(self) -> str:
        """The guesses so far in any order, tries left and invalid messages so far; equal within one task only."""
        return f"{' '.join(sorted(set(self._guesses)))}, {self._tries_left} tries, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Largest share of letters in their right places in one guess so far."""
        return self._most_right / NUM_LETTERS

    def refuse(self, refusal: ActionSyntaxError) -> EnvReply:
        """An invalid message costs a try where the task says so."""
        if self._tries_pay:
            self._tries_left -= 1
        return super().refuse(refusal)
