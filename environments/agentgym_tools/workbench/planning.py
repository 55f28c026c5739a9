"""What is right to do next in the present state of a session: the oracle's calls, and the references of calls.

It is planned anew at every turn, so that a detour does not make it wrong.
"""

from __future__ import annotations

from agentgym_tools.workbench.acts import ASK, DECLINE, DONE
from agentgym_tools.workbench.session import Session
from agentgym_tools.worlds.calls import Call


def next_calls(session: Session) -> list[Call]:
    """Every call that is right now; the first is the oracle's. Empty when all requests are over."""
    if session.is_over:
        return []
    if session.lacks_value:
        return [Call(ASK, {"parameter": session.stage.request.template.missing})]
    case = session.aim.case
    unread = [call for call in case.reads if call.key not in session.tried]
    if not session.has_evidence and unread:
        return unread
    if case.reason:
        return [Call(DECLINE, {"reason": case.reason})]
    if not case.evidence and unread and not session.made:
        return unread
    writes = _writes(session)
    return writes or [Call(DONE, {} if case.answer is None else {"answer": _plain(case.answer)})]


def share_made(session: Session) -> float:
    """The share of the steps to the end that have been made, in [0, 1]: the potential of milestones.

    Steps of a request are the question for what is missing, the evidence, and each change of the nearest right way,
    less what else has changed; then its end. A request that was dealt with wrongly is worth nothing.
    """
    done = sum(verdict.is_right for verdict in session.verdicts)
    return (done + (0.0 if session.is_over else _share_of_stage(session))) / len(session.stages)


def _share_of_stage(session: Session) -> float:
    aim = session.aim
    made, steps = 0, 1
    if session.stage.request.condition == "ask":
        made, steps = made + session.is_asked, steps + 1
    if aim.case.evidence:
        made, steps = made + session.has_evidence, steps + 1
    now = session.now()
    found, wanted = max(((_common(now, wanted), len(wanted)) for wanted in aim.expected), key=lambda pair: pair[0])
    return max(0, made + found - (len(now) - found)) / (steps + wanted)


def _common(now: list[str], wanted: object) -> int:
    assert isinstance(wanted, list | tuple)
    return sum(min(now.count(content), wanted.count(content)) for content in set(wanted))


def _writes(session: Session) -> list[Call]:
    """The calls that are missing from the ways that have been begun; those of all ways where none has."""
    outcomes = session.aim.case.outcomes
    begun = max(sum(call in session.made for call in calls) for calls in outcomes)
    ways = [calls for calls in outcomes if sum(call in session.made for call in calls) == begun]
    missing = [call for calls in ways for call in calls if call not in session.made]
    return list(dict.fromkeys(missing))


def _plain(answer: object) -> object:
    return list(answer) if isinstance(answer, tuple) else answer
