"""Templates: what a task of a desk is like before its customer, goals and policy are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_tools.desks.goals import Case


@dataclass(frozen=True)
class Template:
    """What a task is like: its kinds of goals, and how the last one has to be settled.

    Attributes:
        kinds: Kinds of the goals, in order; all but the last are fulfilled.
        decision: What the desk has to do about the last goal.
        reason: The plainest reason where it is refused or handed over.
    """

    kinds: tuple[str, ...]
    decision: str
    reason: str = ""

    @property
    def name(self) -> str:
        """Its name, such as "return_items+cancel_order refuse too_late"."""
        return " ".join(part for part in ("+".join(self.kinds), self.decision, self.reason) if part)

    @property
    def is_infeasible(self) -> bool:
        """Whether its last goal may not be fulfilled at the desk."""
        return self.decision in ("refuse", "transfer")

    def fits(self, cases: Sequence[Case]) -> bool:
        """Whether cases are of this template."""
        *others, last = cases
        if any(case.decision not in ("do", "answer") for case in others) or last.decision != self.decision:
            return False
        return not self.reason or last.reasons[0] == self.reason
