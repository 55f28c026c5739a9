"""The counts of an episode: turns of each role, refused messages, and when and how it ends.

`AgentEnv` keeps them for one role and `GameEnv` for several. These classes decide what messages mean.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from gymnasium.error import ResetNeeded

from agentgym.errors import ContractError
from agentgym.outcome import Outcome
from agentgym.reward import require_score
from agentgym.task import Limits

Phase = Literal["fresh", "running", "ended"]
"""The state of an episode: not begun, running, or over."""
_TERMINATED = Outcome("terminated")
_INVALID = Outcome("invalid")
_OUT_OF_TURNS = Outcome("truncated", "turns")


class Books:
    """Counts and limits of one episode.

    Attributes:
        phase: "fresh" before an episode has begun, "running", or "ended".
        turns: For each role, the number of messages that it has sent, including refused ones. It is the index of its
            next turn.
        num_invalid: For each role, how many of them were refused.
        moving: In a game, the role whose message is being played; None between messages.
    """

    __slots__ = ("moving", "num_invalid", "phase", "turns")

    def __init__(self) -> None:
        self.phase: Phase = "fresh"
        self.turns: dict[str, int] = {}
        self.num_invalid: dict[str, int] = {}
        self.moving: str | None = None

    def clear(self, *roles: str) -> None:
        """Start over for these roles; the episode runs once `phase` says so."""
        self.phase, self.moving = "fresh", None
        self.turns = dict.fromkeys(roles, 0)
        self.num_invalid = self.turns.copy()

    def require_running(self, method: str) -> None:
        """Raise ResetNeeded, which names the method that was called, unless the episode is running."""
        if self.phase != "running":
            raise ResetNeeded(f"{method}() on an episode that is {self.phase}; call reset() first")

    def now(self, role: str) -> int:
        """Index of the turn that a role plays now, else of its last turn; -1 before its first."""
        return self.turns[role] if role == self.moving else self.turns[role] - 1

    def outcome_after(
        self, role: str, acts_next: str | None, limits: Limits, is_over: bool, is_invalid: bool
    ) -> Outcome | None:
        """How the episode ends with the message that a role is playing; None: it goes on.

        Args:
            role: Whose message it is; it is not counted in `turns` yet.
            acts_next: Who acts next; None: nobody.
            limits: The task's.
            is_over: Whether the task has ended.
            is_invalid: Whether the message was refused.
        """
        if is_over:
            return _TERMINATED
        if is_invalid and self.num_invalid[role] > limits.max_invalid:
            return _INVALID
        most = limits.max_turns
        if most is None or acts_next is None:
            return None
        used = self.turns[acts_next] + 1 if acts_next == role else self.turns[acts_next]
        return None if used < most else _OUT_OF_TURNS

    def close(self, outcome: Outcome, success: bool | None, score: float | None, whose: str) -> tuple[bool, float]:
        """End the episode for a role.

        Args:
            outcome: How it ended, for messages.
            success: Whether the role solved the task; None is no.
            score: The official metric; None takes 1.0 for success, else 0.0.
            whose: Name of the environment and role, for messages.

        Returns:
            Success and score, in [0, 1].

        Raises:
            ContractError: There is neither success nor score, or the score is not in [0, 1].
        """
        if success is None and score is None:
            raise ContractError(f"{whose} ended an episode ({outcome}) without success or score")
        is_solved = bool(success)
        graded = float(is_solved) if score is None else require_score(score, whose)
        self.phase = "ended"
        return is_solved, graded

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy for a fork; it holds numbers and names alone."""
        twin = type(self)()
        twin.phase, twin.moving = self.phase, self.moving
        twin.turns, twin.num_invalid = self.turns.copy(), self.num_invalid.copy()
        return twin


def books_of(env: object) -> Books:
    """The counts of an environment.

    Raises:
        ContractError: It has none, because its constructor does not call that of its parent.
    """
    books = vars(env).get("books")
    if isinstance(books, Books):
        return books
    raise ContractError(f"{type(env).__name__}.__init__() does not call super().__init__(); let it do so first")
