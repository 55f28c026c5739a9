"""Templates: what a task of a desk is like before its customer, goals and policy are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_tools.desks.goals import Case, Ended


@dataclass(frozen=True)
class Template:
    """What a task is like: its kinds of goals, and how the last one has to be settled.

    Attributes:
        kinds: Kinds of the goals, in order; all but the last that is asked for are fulfilled, unless `only_if` is
            "refused".
        decision: What the desk has to do about the last goal that is asked for.
        reason: The plainest reason where it is refused or handed over.
        only_if: How the last goal but one has to end for the customer to ask for the last; None: it asks in any case.
        holds: Whether it ends so.
        same: Facts that these two goals share.
    """

    kinds: tuple[str, ...]
    decision: str
    reason: str = ""
    only_if: Ended | None = None
    holds: bool = True
    same: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name, such as "return_items+cancel_order refuse too_late"."""
        condition = f"{'if' if self.holds else 'unless'} {self.only_if}" if self.only_if else ""
        return " ".join(part for part in ("+".join(self.kinds), self.decision, self.reason, condition) if part)

    @property
    def is_infeasible(self) -> bool:
        """Whether its last goal that is asked for may not be fulfilled at the desk."""
        return self.decision in ("refuse", "transfer")

    @property
    def refused_kind(self) -> str:
        """The kind of the goal that may not be fulfilled where it is infeasible."""
        return self.kinds[-1] if self.holds else self.kinds[-2]

    @property
    def done(self) -> tuple[str, ...]:
        """Kinds of its goals that end as done."""
        *others, last = self.kinds if self.holds else self.kinds[:-1]
        done = others[:-1] if self.only_if == "refused" and self.holds else others
        return tuple(done) if self.is_infeasible else (*done, last)

    def fits(self, cases: Sequence[Case]) -> bool:
        """Whether cases are of this template."""
        if cases[-1].is_due != self.holds:
            return False
        *others, last = (case for case in cases if case.is_due)
        fulfilled = others[:-1] if self.only_if == "refused" and self.holds else others
        if any(case.decision not in ("do", "answer") for case in fulfilled) or last.decision != self.decision:
            return False
        return not self.reason or last.reasons[0] == self.reason


def depending(kinds: tuple[str, str], only_if: Ended, same: tuple[str, ...] = ()) -> tuple[Template, ...]:
    """The templates of two goals of which the second, to be fulfilled, is asked for only if the first ends so.

    Args:
        kinds: Their kinds; the first one is fulfilled or refused.
        only_if: How the first has to end.
        same: Facts that they share.

    Returns:
        One whose first goal ends so, and one whose first goal ends otherwise.
    """
    otherwise = "do" if only_if == "refused" else "refuse"
    return Template(kinds, "do", "", only_if, same=same), Template(kinds, otherwise, "", only_if, False, same)
