"""History policies: how many of a conversation's first turns are left out of the prompt.

The system message and the first user message always stay, and a turn (an assistant message and its answer) is left out
as a whole. Leaving turns out breaks the token prefix, so policies leave out blocks, not one turn at a time. Summaries
and retrieval are not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agentgym.errors import ConfigError
from agentgym.message import Message, with_text


class HistoryPolicy(Protocol):
    """Decides how many turns are left out."""

    def left_out(self, head_tokens: int, turn_tokens: Sequence[int], left_out: int) -> int:
        """The number of first turns to leave out from now on.

        Args:
            head_tokens: Tokens before the first turn.
            turn_tokens: Tokens of each turn so far, the last one being the turn that the next reply answers.
            left_out: Turns left out so far.

        Returns:
            At least `left_out`, less than the number of turns. An equal number keeps the token prefix.
        """
        ...


@dataclass(frozen=True)
class FullHistory:
    """Leaves nothing out."""

    def left_out(self, head_tokens: int, turn_tokens: Sequence[int], left_out: int) -> int:
        """Nothing more is left out."""
        return left_out


@dataclass(frozen=True)
class LastTurns:
    """Keeps at most the last turns.

    If there are more than `num_turns`, enough turns are left out that `block - 1` further turns fit.

    Raises:
        ConfigError: `num_turns` is not positive, or `block` is not between 1 and `num_turns`.
    """

    num_turns: int
    """Most turns kept."""
    block: int = 0
    """Turns left out at a time; 0 means half of `num_turns`, rounded up."""

    def __post_init__(self) -> None:
        if self.num_turns < 1:
            raise ConfigError(f"LastTurns.num_turns is {self.num_turns}; expected at least 1")
        if not 0 <= self.block <= self.num_turns:
            raise ConfigError(f"LastTurns.block is {self.block}; expected 1 to num_turns = {self.num_turns}")

    def left_out(self, head_tokens: int, turn_tokens: Sequence[int], left_out: int) -> int:
        """Leaves out a block where more than `num_turns` turns would be kept."""
        block = self.block or (self.num_turns + 1) // 2
        if len(turn_tokens) - left_out <= self.num_turns:
            return left_out
        return len(turn_tokens) - self.num_turns + block - 1


@dataclass(frozen=True)
class TokenBudget:
    """Keeps a prompt within a number of tokens.

    If it exceeds `max_tokens`, the first turns are left out until it is at most `refill` times this. The last turn
    always stays, so a single long turn can exceed the budget.

    Raises:
        ConfigError: `max_tokens` is not positive, or `refill` is not in (0, 1].
    """

    max_tokens: int
    """Most tokens of a prompt."""
    refill: float = 0.6
    """Share of the budget that a prompt may take after turns were left out."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ConfigError(f"TokenBudget.max_tokens is {self.max_tokens}; expected at least 1")
        if not 0 < self.refill <= 1:
            raise ConfigError(f"TokenBudget.refill is {self.refill}; expected a share in (0, 1]")

    def left_out(self, head_tokens: int, turn_tokens: Sequence[int], left_out: int) -> int:
        """Leaves out turns where the prompt is over the budget."""
        total = head_tokens + sum(turn_tokens[left_out:])
        if total <= self.max_tokens:
            return left_out
        while total > self.refill * self.max_tokens and left_out < len(turn_tokens) - 1:
            total -= turn_tokens[left_out]
            left_out += 1
        return left_out


def parse_history(text: str) -> HistoryPolicy:
    """The policy that a setting names: `full`, `last:N` (turns) or `tokens:N`.

    Raises:
        ConfigError: The text is none of these.
    """
    kind, _, number = text.partition(":")
    if text == "full":
        return FullHistory()
    if kind in ("last", "tokens") and number.isdecimal() and int(number):
        return LastTurns(int(number)) if kind == "last" else TokenBudget(int(number))
    raise ConfigError(f"unknown history {text!r}; expected full, last:N (turns) or tokens:N, N being at least 1")


def with_note(head: Sequence[Message], left_out: int) -> list[Message]:
    """The messages before the first turn, the last one ending with a note of how many turns were left out.

    The note is not a separate message, because many templates refuse two messages of one role in a row.
    """
    if not left_out or not head:
        return list(head)
    note = f"[{left_out} earlier {'turn was' if left_out == 1 else 'turns were'} left out here.]"
    return [*head[:-1], with_text(head[-1], note)]
