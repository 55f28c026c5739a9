"""The verdict on an episode: its net changes against every admissible outcome, and what was told and refused."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_tools.desks.domain import changes_by
from agentgym_tools.desks.planning import is_ended_rightly, is_told
from agentgym_tools.desks.session import Session
from agentgym_tools.worlds.changes import contains_all, contents

MAX_OUTCOMES = 64
"""Most combinations of outcomes of a customer's goals that are compared with."""


@dataclass(frozen=True)
class Verdict:
    """What an episode came to.

    Attributes:
        is_state_right: Whether the writes that were wanted and allowed were made, whatever else was.
        is_untouched: Whether nothing else changed.
        is_communicated: Whether each answer was told after it was read, and each goal that may not be fulfilled was
            refused or handed over for a right reason, with its evidence read.
        is_lawful: Whether no write went against the rules.
    """

    is_state_right: bool
    is_untouched: bool
    is_communicated: bool
    is_lawful: bool

    @property
    def is_success(self) -> bool:
        """Whether all is right."""
        return self.is_state_right and self.is_untouched and self.is_communicated and self.is_lawful


def judge(session: Session) -> Verdict:
    """The verdict on a session as it stands."""
    now = contents(session.world.changes())
    expected = _expected(session)
    is_state_right = any(contains_all(now, wanted) for wanted in expected)
    is_untouched = any(now == wanted for wanted in expected) if is_state_right else _is_within(now, expected)
    said = all(
        all(is_told(session, fact, value) for fact, value in case.answers.items())
        if case.decision == "answer"
        else case.decision == "do" or is_ended_rightly(session, number)
        for number, case in enumerate(session.cases)
        if case.is_due
    )
    ended = [session.cases[number] for number in session.endings]
    is_over_told = any(case.decision in ("do", "answer") or not case.is_due for case in ended)
    return Verdict(is_state_right, is_untouched, said and not is_over_told, not session.violations)


def _expected(session: Session) -> Sequence[Sequence[str]]:
    """The contents of the net changes of every admissible combination of outcomes, worked out once for each plan."""
    plan = session.plan
    if not plan.expected:
        choices = [case.outcomes for case in session.cases if case.decision == "do" and case.is_due]
        plan.expected[:] = [
            contents(changes_by(session.domain, plan.customer, session.start, list(itertools.chain(*combination))))
            for combination in itertools.islice(itertools.product(*choices), MAX_OUTCOMES)
        ]
    return plan.expected


def _is_within(now: Sequence[str], expected: Sequence[Sequence[str]]) -> bool:
    """Whether every change belongs to some admissible outcome."""
    return any(contains_all(wanted, now) for wanted in expected)
