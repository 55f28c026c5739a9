"""How an episode ended, and how it may be used.

The rollout records the causes. An option of the trainer says how it treats truncated episodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from agentgym.errors import ContractError

OutcomeKind = Literal["terminated", "truncated", "invalid", "infrastructure", "partner_fault", "cancelled"]
CutReason = Literal["turns", "tokens", "time", "context", "cancelled"]
KINDS: tuple[str, ...] = get_args(OutcomeKind)
GRADED: frozenset[str] = frozenset({"terminated", "truncated", "invalid"})
TRUNCATION_CAUSES: frozenset[str] = frozenset({"turns", "tokens", "time", "context"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode ended.

    Attributes:
        kind: terminated (the task ended), truncated (a limit cut it), invalid (the format failed too often), or one of
            infrastructure, partner_fault and cancelled: these carry no reward and enter no loss, baseline or rate.
        cause: If truncated, one of turns, tokens, time and context; for faults, what broke; else "".
    """

    kind: OutcomeKind
    cause: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ContractError(f"outcome kind {self.kind!r} does not exist; expected one of {', '.join(KINDS)}")
        if self.kind == "truncated" and self.cause not in TRUNCATION_CAUSES:
            expected = ", ".join(sorted(TRUNCATION_CAUSES))
            raise ContractError(f"a truncated outcome names its cause: got {self.cause!r}, expected one of {expected}")

    @property
    def is_graded(self) -> bool:
        """Whether the episode has a reward that may be used."""
        return self.kind in GRADED

    @property
    def is_retryable(self) -> bool:
        """Whether running it again with the same seed can help."""
        return self.kind in ("infrastructure", "partner_fault")

    def __str__(self) -> str:
        return f"{self.kind}:{self.cause}" if self.cause else self.kind
