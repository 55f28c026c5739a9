"""The game of guessing a number, with as many tries as halving needs.

Players are in `scripts`, the suite's tasks in `generate`.
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

MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a guess."""

_NUMBER = re.compile(r"(?:(?<!\w)-)?[0-9]+")


def num_tries(count: int) -> int:
    """Tries in which halving always finds one of `count` numbers: ceil(log2(count + 1))."""
    return count.bit_length()


def guess_number_task(task_id: str, seed: int, numbers: range, secret: int, **fields: Any) -> Task:
    """The task of guessing `secret` among consecutive `numbers`; `fields` are further ones of the task."""
    low, high, tries = numbers[0], numbers[-1], num_tries(len(numbers))
    return Task(
        task_id,
        seed,
        f"Guess the number between {low} and {high}. You have {tries} tries.",
        config={"low": low, "high": high, "tries": tries},
        private={"secret": secret},
        limits=_limits(tries),
        **fields,
    )


@cache
def _limits(tries: int) -> Limits:
    return Limits(max_turns=tries + Limits.max_invalid)


class GuessNumberEnv(AgentEnv):
    """Find a hidden number with hints of higher and lower.

    Observation:
        Text. The first message gives the range and the number of tries. Each guess is answered by `higher` or `lower`.
        The last message is `correct` or `No tries left.`
    Action:
        A message with exactly one number of the range in it, such as `17` or `I guess 17.` Anything else is invalid
        and costs no try.
    Reward:
        `success`: 1 for finding the number, else 0. `format`: 0 for an invalid message.
    Termination:
        The number is found, the tries are used up, or there were more invalid messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0; the tasks of dialogue/guess-number are generated, CC0-1.0.

    Example:
        `Guess the number between 3 and 9. You have 3 tries.` / `6` / `higher` / `8` / `lower` / `7` / `correct`

    Args:
        min_numbers: Fewest numbers in the range of a task made from a seed, inclusive.
        max_numbers: Most numbers in it, inclusive.
        highest: Largest number that may occur; the smallest is 1.
        render_mode: None or "ansi".

    Raises:
        ConfigError: Not 1 <= min_numbers <= max_numbers <= highest.
    """

    def __init__(
        self, min_numbers: int = 5, max_numbers: int = 16, highest: int = 99, render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        if not 1 <= min_numbers <= max_numbers <= highest:
            got = f"min_numbers={min_numbers}, max_numbers={max_numbers}, highest={highest}"
            raise ConfigError(f"guess-number got {got}; expected 1 <= min_numbers <= max_numbers <= highest")
        self.min_numbers, self.max_numbers, self.highest = min_numbers, max_numbers, highest
        self._low = self._high = self._known_low = self._known_high = self._secret = self._tries_left = 0

    def make_task(self, seed: int) -> Task:
        """A range within 1 to `highest`, uniform in its size, and a number of it."""
        rng = random.Random(seed)
        count = rng.randint(self.min_numbers, self.max_numbers)
        low = rng.randint(1, self.highest - count + 1)
        secret = rng.randrange(low, low + count)
        return guess_number_task(f"guess-number:{seed}", seed, range(low, low + count), secret)

    def begin(self, task: Task) -> Sequence[Message]:
        """State the range and the number of tries."""
        try:
            low, high, tries = task.config["low"], task.config["high"], task.config["tries"]
            secret = task.private["secret"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; guess-number needs low, high and tries in config, secret in private"
            ) from None
        if not low <= secret <= high or tries < 1:
            raise TaskError(
                f"task {task.id!r}: no game with numbers {low} to {high}, a secret outside or {tries} tries"
            )
        self._low = self._known_low = low
        self._high = self._known_high = high
        self._secret, self._tries_left = secret, tries
        return [{"role": "user", "content": task.instruction}]

    def respond(self, action: Action) -> EnvReply:
        """Answer one guess."""
        guess = self._read_guess(action.content)
        self._tries_left -= 1
        if guess < self._secret:
            hint = "higher"
            self._known_low = max(self._known_low, guess + 1)
        elif guess > self._secret:
            hint = "lower"
            self._known_high = min(self._known_high, guess - 1)
        else:
            self._known_low = self._known_high = guess
            return EnvReply([{"role": "user", "content": "correct"}], [self.event("success", 1.0)], True, True)
        if self._tries_left:
            return EnvReply([{"role": "user", "content": hint}])
        return EnvReply([{"role": "user", "content": "No tries left."}], [self.event("success", 0.0)], True, False)

    def anchor(self) -> str:
        """What the agent can know, tries left and invalid messages so far; equal within one task only."""
        return f"{self._known_low}-{self._known_high}, {self._tries_left} tries, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Share of the other numbers that are ruled out."""
        return 1.0 - (self._known_high - self._known_low) / max(1, self._high - self._low)

    def _read_guess(self, content: str) -> int:
        if len(content) <= MAX_CHARS:
            found = set(_NUMBER.findall(content))
            if len(found) == 1:
                digits = found.pop()
                guess = int(digits) if len(digits) < 20 else self._high + 1
                if self._low <= guess <= self._high:
                    return guess
        raise ActionSyntaxError(f"Guess one number between {self._low} and {self._high}.")
