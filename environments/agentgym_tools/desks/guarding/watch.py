"""Who failed an episode: faults as they happen, and the verdict at its end, by rules and without a judge.

The first fault that can make an episode fail is to blame. If there was none, it is what the agent left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, user
from agentgym_tools.desks import talk
from agentgym_tools.desks.grading import Verdict
from agentgym_tools.desks.guarding.rules import HARMLESS, Finding, findings_in
from agentgym_tools.desks.guarding.tracker import Tracker
from agentgym_tools.desks.planning import open_moves
from agentgym_tools.desks.session import FOREIGN, UNCONFIRMED, UNIDENTIFIED, UNREAD, Session
from agentgym_tools.worlds.calls import Call, as_text

AGENT, USER, TOOL = "agent", "user", "tool"
FORBIDDEN, PATIENCE, FAILED_ONCE = "forbidden", "patience", "failed_once"
_OF_WRITES = (UNIDENTIFIED, FOREIGN, UNREAD, UNCONFIRMED)
_LEFT_OPEN = {
    talk.ASK: "not_asked",
    talk.PROPOSE: "not_proposed",
    talk.INSTRUCT: "not_instructed",
    talk.TELL: "not_told",
    talk.REFUSE: "not_refused",
    talk.TRANSFER: "not_transferred",
}
MAX_ACT, MAX_HEARD = 2_000, 60_000
"""Characters of an act that a customer listens to, and of all acts of an episode."""
_MAX_EVIDENCE = 200


class Fault(NamedTuple):
    """Something that can make an episode fail.

    Attributes:
        who: agent, user or tool.
        why: What kind of fault it is.
        turn: The agent's turn in which it happened; for the customer, the next one.
        evidence: The call or act, and what is wrong with it.
        is_unfinished: Whether nothing was wrong so far, so that a limit that cut the episode is to blame instead.
    """

    who: str
    why: str
    turn: int
    evidence: str
    is_unfinished: bool = False

    def to_json(self) -> dict[str, Any]:
        """The detail of a `blame` event."""
        return {**self._asdict(), "evidence": self.evidence[:_MAX_EVIDENCE]}


class Watch:
    """Follows an episode.

    Args:
        session: The session of the episode.

    Attributes:
        tracker: The talk from the customer's side.
        num_heard: Characters that the customer was told.
    """

    def __init__(self, session: Session) -> None:
        self.tracker = Tracker(session.domain, session.plan)
        self.num_heard = 0
        self._coming: list[Call] = []
        self._faults: list[Fault] = []
        self._left_at: int | None = None

    def require_room(self, act: Call) -> None:
        """Refuse an act that is longer than a customer listens to.

        So no agent can talk until a model that plays the customer has no room left.

        Raises:
            ActionSyntaxError: It is.
        """
        size = sum(len(value if type(value) is str else str(value)) for value in act.arguments.values())
        if size > MAX_ACT or self.num_heard + size > MAX_HEARD:
            raise ActionSyntaxError(
                f"A customer listens to {MAX_ACT} characters of an act and to {MAX_HEARD} in all; this act has {size}, "
                f"after {self.num_heard}. Say less."
            )

    def tell(self, act: Call) -> Message:
        """An act as a message to the customer; `deliver` or `drop` says what becomes of it."""
        text = talk.to_text(act)
        self._coming.append(act)
        self.num_heard += len(text)
        return user(text)

    def deliver(self) -> None:
        """The customer hears what it was told."""
        if self._coming:
            for act in self._coming:
                self.tracker.hear_act(act)
            self._coming = []

    def drop(self) -> None:
        """What it was told does not reach the customer."""
        self._coming = []

    def follow(self, acts: Sequence[Call], turn: int) -> Finding | None:
        """Take in a message of the customer; returns the first fault in it."""
        findings = findings_in(self.tracker, acts)
        if any(act.tool == talk.BYE for act in acts) and not (self.tracker.is_last and self.tracker.is_settled):
            self._left_at = turn
        blamed = next((each for each in findings if each.cause not in HARMLESS), None)
        if blamed is not None:
            said = "".join(map(str, acts))[: _MAX_EVIDENCE // 2]
            self._faults.append(Fault(USER, blamed.cause, turn, f"{said}: {blamed.why}"))
        return findings[0] if findings else None

    def violate(self, call: Call, reasons: Sequence[str], turn: int) -> Sequence[str]:
        """Note what is wrong with a write of the agent; returns it."""
        for reason in reasons:
            why = reason if reason in _OF_WRITES else FORBIDDEN
            self._faults.append(Fault(AGENT, why, turn, f"{call}: {reason}"))
        return reasons

    def fail(self, call: Call, turn: int) -> None:
        """Note that a tool failed through no fault of the agent."""
        self._faults.append(Fault(TOOL, FAILED_ONCE, turn, str(call)))

    def succeed(self, call: Call) -> None:
        """Note that a call of the agent was carried out: a failure of the same before it did no harm."""
        if self._faults:
            self._faults = [each for each in self._faults if each.who != TOOL or each.evidence != str(call)]

    def verdict(self, session: Session, verdict: Verdict, turn: int) -> Fault:
        """Who failed an episode that has failed.

        Args:
            session: The session at its end.
            verdict: What it came to.
            turn: The agent's last turn.
        """
        if self._faults:
            return self._faults[0]
        for why, evidence in _wrong_words(session):
            return Fault(AGENT, why, turn, evidence)
        if not verdict.is_untouched:
            changed = ", ".join(map(str, session.made[-3:]))
            return Fault(AGENT, "extra_change", turn, f"made: {changed}")
        move = next(iter(open_moves(session)), None)
        wanted = "nothing" if move is None else str(move)
        if self._left_at is not None:
            return Fault(AGENT, PATIENCE, self._left_at, f"open: {wanted}")
        return Fault(AGENT, _left_open(session, move), turn, f"open: {wanted}", is_unfinished=True)

    def key(self) -> tuple[object, ...]:
        """A canonical value of what the customer's rewards depend on."""
        return (self.num_heard, *self.tracker.key())


def _wrong_words(session: Session) -> Iterator[tuple[str, str]]:
    """Refusals, transfers and answers that are wrong, or rest on nothing that was read."""
    for number, case in enumerate(session.cases):
        if not case.is_due:
            continue
        ending = session.endings.get(number)
        if ending is not None:
            said = f"{ending.decision}(reason={ending.reason!r}) of {case.goal.kind}"
            if ending.decision != case.decision or ending.is_early:
                yield ("wrong_refusal" if ending.decision == talk.REFUSE else "wrong_transfer"), said
            elif not ending.is_founded:
                yield UNREAD, said
            elif ending.reason not in case.reasons:
                yield "wrong_reason", said
        if case.decision != "answer":
            continue
        for fact, value in case.answers.items():
            told = session.told.get(fact, {})
            said = f"told {fact}: {', '.join(told)}"
            if set(told) - {as_text(value)}:
                yield "wrong_answer", said
            elif told and not all(told.values()):
                yield UNREAD, said


def _left_open(session: Session, move: Call | None) -> str:
    """What kind of move was left open."""
    if move is None:
        return "ended_early"
    if move.tool in _LEFT_OPEN:
        return _LEFT_OPEN[move.tool]
    tools = {**session.domain.toolbox.tools, **session.domain.user_tools}
    if move.tool not in tools:
        return "ended_early"
    return "not_written" if tools[move.tool].is_writing else "not_read"
