"""Mastermind: a hidden row of colours, guesses answered by counts of black and white.

Players are in `scripts`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from operator import eq
from typing import Any, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message
from agentgym.task import Limits, Task

COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "brown", "pink")
"""Every colour that a game may use."""
MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a guess."""

_WORD = re.compile(r"[a-z]+")
_ALL_COLOURS = frozenset(COLOURS)


def feedback(secret: Sequence[str], guess: Sequence[str]) -> tuple[int, int]:
    """Black and white of a guess.

    Returns:
        How many places are right (black), and how many further colours are right in the wrong place (white); each
        colour of the secret counts once.
    """
    black = sum(map(eq, secret, guess))
    common = 0
    for colour in set(guess):
        in_secret, in_guess = secret.count(colour), guess.count(colour)
        common += in_secret if in_secret < in_guess else in_guess
    return black, common - black


def mastermind_task(
    task_id: str, seed: int, colours: Sequence[str], secret: Sequence[str], tries: int, **fields: Any
) -> Task:
    """The task of finding the row `secret` of some `colours`; `fields` are further ones of the task."""
    instruction = (
        f"Find the hidden row of {len(secret)} colours out of {', '.join(colours)}. Colours may repeat. "
        f"black: right colour, right place. white: right colour, wrong place. You have {tries} tries."
    )
    return Task(
        task_id,
        seed,
        instruction,
        config={"colours": list(colours), "places": len(secret), "tries": tries},
        private={"secret": list(secret)},
        limits=_limits(tries),
        **fields,
    )


@cache
def _limits(tries: int) -> Limits:
    return Limits(max_turns=tries + Limits.max_invalid)


class MastermindEnv(AgentEnv):
    """Find a hidden row of colours from counts of black and white.

    Observation:
        Text. The first message gives the colours, the length of the row and the number of tries. Each guess is answered
        by counts such as `1 black, 2 white`: black for right places, white for right colours in wrong places. The last
        message is `correct` or `No tries left.`
    Action:
        A message that names as many colours as the row has places, in order, such as `red blue blue`; other words
        are ignored. Anything else is invalid and costs no try.
    Reward:
        `success`: 1 for finding the row, else 0. `format`: 0 for an invalid message.
    Termination:
        The row is found, the tries are used up, or there were more invalid messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0; the tasks of dialogue/mastermind are generated, CC0-1.0.

    Example:
        `Find the hidden row of 3 colours out of red, green, blue, pink. …` / `red red blue` / `1 black, 1 white` /
        `red blue pink` / `correct`

    Args:
        num_colours: Colours of a task made from a seed, 2 to 8.
        num_places: Length of its row, 1 to 8.
        num_tries: Its tries, at least 1.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    def __init__(
        self, num_colours: int = 6, num_places: int = 4, num_tries: int = 6, render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        if not 2 <= num_colours <= len(COLOURS) or not 1 <= num_places <= 8 or num_tries < 1:
            raise ConfigError(
                f"mastermind got num_colours={num_colours}, num_places={num_places}, num_tries={num_tries}; "
                f"expected 2 to {len(COLOURS)} colours, 1 to 8 places and at least 1 try"
            )
        self.num_colours, self.num_places, self.num_tries = num_colours, num_places, num_tries
        self._secret: list[str] = []
        self._names: Sequence[str] = ()
        self._colours: frozenset[str] = frozenset()
        self._tries_left = 0
        self._most_black = 0
        self._guesses: list[str] = []

    def make_task(self, seed: int) -> Task:
        """Random colours and a random row of them."""
        rng = random.Random(seed)
        colours = rng.sample(COLOURS, self.num_colours)
        secret = rng.choices(colours, k=self.num_places)
        return mastermind_task(f"mastermind:{seed}", seed, colours, secret, self.num_tries)

    def begin(self, task: Task) -> Sequence[Message]:
        """State the colours, the length of the row and the number of tries."""
        try:
            self._names, places, tries = task.config["colours"], task.config["places"], task.config["tries"]
            self._secret = list(task.private["secret"])
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; mastermind needs colours, places and tries in config, "
                "secret in private"
            ) from None
        self._colours = frozenset(self._names)
        if not self._colours <= _ALL_COLOURS or not self._colours.issuperset(self._secret):
            raise TaskError(f"task {task.id!r}: colours {list(self._names)} or a secret outside {list(COLOURS)}")
        if len(self._secret) != places or tries < 1:
            raise TaskError(f"task {task.id!r}: a secret of {len(self._secret)} for {places} places, {tries} tries")
        self._tries_left = tries
        self._most_black = 0
        self._guesses = []
        return [{"role": "user", "content": task.instruction}]

    def respond(self, action: Action) -> EnvReply:
        """Answer one guess."""
        guess = self._read_guess(action.content)
        black, white = feedback(self._secret, guess)
        self._tries_left -= 1
        if black > self._most_black:
            self._most_black = black
        self._guesses.append(" ".join(guess))
        if black == len(self._secret):
            return EnvReply([{"role": "user", "content": "correct"}], [self.event("success", 1.0)], True, True)
        if self._tries_left:
            return EnvReply([{"role": "user", "content": f"{black} black, {white} white"}])
        return EnvReply([{"role": "user", "content": "No tries left."}], [self.event("success", 0.0)], True, False)

    def anchor(self) -> str:
        """The guesses so far in any order, tries left and invalid messages so far; equal within one task only."""
        guesses = "; ".join(sorted(set(self._guesses)))
        return f"{guesses}, {self._tries_left} tries, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Largest share of right places in one guess so far."""
        return self._most_black / len(self._secret)

    def _read_guess(self, content: str) -> list[str]:
        places = len(self._secret)
        if len(content) <= MAX_CHARS:
            guess = content.split()
            if len(guess) != places or not self._colours.issuperset(guess):
                guess = [word for word in _WORD.findall(content.lower()) if word in _ALL_COLOURS]
            if len(guess) == places and self._colours.issuperset(guess):
                return guess
        raise ActionSyntaxError(f"Name {places} colours out of {', '.join(self._names)}.")
