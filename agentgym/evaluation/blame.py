"""Who failed an episode: the agent, the user it served, a tool, or the policy behind the agent; by rules, no judge.

Environments that declare the component `blame` say it of their own faults in an event; this file adds those that the
harness sees.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from agentgym.reward import BLAME
from agentgym.trajectory import REFUSED, Trajectory

AGENT, USER, TOOL, POLICY = "agent", "user", "tool", "policy"
WHO = (AGENT, USER, TOOL, POLICY)
_OF_PARTNERS = ("PartnerError", "PartnerForfeitError")  # others are of what a partner runs on
_OVER = 200


class Blame(NamedTuple):
    """Who failed an episode.

    Attributes:
        who: agent (what it did or left undone), user (the partner that it serves), tool (a tool or the infrastructure
            failed), or policy (messages that cannot be read, or a limit of turns, tokens, time or context, in an
            episode in which nothing else was wrong so far).
        why: In a word.
        turn: The agent's turn, from 0; -1 where there is none.
        evidence: What shows it.
    """

    who: str
    why: str
    turn: int = -1
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.who}: {self.why}"

    @classmethod
    def of(cls, record: Trajectory) -> Self | None:
        """The blame for an episode.

        Args:
            record: A role's record of it.

        Returns:
            None where it succeeded or was cancelled, or its environment does not say who fails.
        """
        outcome = record.outcome
        if outcome is None or outcome.kind == "cancelled" or record.success or BLAME not in record.weights:
            return None
        if outcome.kind == "partner_fault":
            is_own = outcome.cause in _OF_PARTNERS or not outcome.cause.endswith("Error")
            return cls(USER if is_own else TOOL, outcome.cause, _last_refused(record), record.error[:_OVER])
        if outcome.kind == "infrastructure":
            return cls(TOOL, outcome.cause, len(record.turns) - 1, record.error[:_OVER])
        said = next((event.detail for event in record.events if event.component == BLAME and event.detail), {})
        if outcome.kind in ("invalid", "truncated") and said.get("is_unfinished", True):
            why = outcome.cause or outcome.kind
            return cls(POLICY, why, len(record.turns) - 1, str(said.get("evidence", "")))
        return cls(*(said.get(name, default) for name, default in _DEFAULTS))


_DEFAULTS: tuple[tuple[str, Any], ...] = (("who", AGENT), ("why", "failed"), ("turn", -1), ("evidence", ""))


def _last_refused(record: Trajectory) -> int:
    return int(next((each["turn"] for each in reversed(record.metadata.get(REFUSED, ()))), len(record.turns) - 1))
