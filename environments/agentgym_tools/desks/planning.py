"""What is right to do next in the present state of a session: the oracle's moves, and the references of calls.

It plans anew at every turn, so a detour does not make the plan wrong.
"""

from __future__ import annotations

from agentgym_tools.desks import talk
from agentgym_tools.desks.goals import Case, Read
from agentgym_tools.desks.session import Session, has_happened
from agentgym_tools.worlds.calls import Call, Value, as_text


def open_moves(session: Session) -> list[Call]:
    """Every call or act that is right now; the first is the oracle's. Empty where the customer has to move."""
    if not session.is_known:
        return _askable(session, session.plan.identification) or [session.plan.identification]
    if session.is_solo and session.is_settled:
        checks = [session.case.check] if session.case.check is not None and session.is_unchecked else []
        return checks or [Call(talk.CLOSE)]
    case = session.case
    asking = _untold(session)
    unread = [read for read in case.reads if not session.has_seen(read.seen)]
    if asking or unread:
        calls = dict.fromkeys(call for read in unread for call in _reading(session, read))
        return [*asking, *(making(session, call) for call in calls if not _askable(session, call))]
    return _decisions(session, case)


def steps_of(session: Session) -> tuple[int, int]:
    """How many of the steps to the end have been made, and how many there are: the milestones.

    Steps are the customer's identification, each read, each yes that is needed, each write of the nearest outcome,
    each answer told, each right refusal or transfer, and each proposal about which the customer changes its mind.
    """
    num_made = int(session.is_known)
    num_all = 1
    for number, case in enumerate(session.cases):
        if not case.is_due:
            continue
        if case.first is not None and not session.is_solo:
            num_all += 1
            num_made += number in session.reconsidered
        num_all += len(case.reads)
        num_made += sum(session.has_seen(read.seen) for read in case.reads)
        if case.decision == "do":
            made = max(_writes_made(session, calls) for calls in case.outcomes)
            num_made, num_all = num_made + made[0], num_all + made[1]
        elif case.decision == "answer":
            num_all += len(case.answers)
            num_made += sum(is_told(session, fact, value) for fact, value in case.answers.items())
        else:
            num_all += 1
            num_made += is_ended_rightly(session, number)
    return num_made, num_all


def is_told(session: Session, fact: str, value: Value) -> bool:
    """Whether this value of a fact was told after it was read, and no other value."""
    return session.told.get(fact) == {as_text(value): True}


def is_ended_rightly(session: Session, number: int) -> bool:
    """Whether a goal that the policy forbids was refused, or handed over, for a right reason and with the evidence."""
    ending, case = session.endings.get(number), session.cases[number]
    if ending is None or ending.is_early:
        return False
    return ending.is_founded and ending.decision == case.decision and ending.reason in case.reasons


def _decisions(session: Session, case: Case) -> list[Call]:
    if case.decision == "answer":
        missing = [(fact, value) for fact, value in case.answers.items() if fact not in session.told]
        return [Call(talk.TELL, {"fact": fact, "value": value}) for fact, value in missing]
    if case.decision in ("refuse", "transfer"):
        return [Call(case.decision, {"reason": reason}) for reason in case.reasons]
    checks = [making(session, case.check)] if case.check is not None and session.is_unchecked else []
    if has_happened(case, session.made, session.told):
        done = [call.tool for call in session.made if call.tool in session.domain.toolbox.tools]
        return checks or [Call(talk.REPORT, {"action": tool}) for tool in done[-1:]] or [Call(talk.CLOSE)]
    begun = max(case.outcomes, key=lambda calls: sum(call in session.made for call in calls))
    outcomes = [begun, *(calls for calls in case.outcomes if calls is not begun)]
    if any(call in session.made for call in begun):
        outcomes = [begun]
    moves = [_way(session, call) for calls in outcomes for call in _next_of(session, calls)]
    return list(dict.fromkeys([*moves, *checks]))


def _reading(session: Session, read: Read) -> list[Call]:
    """The call towards a read that can be made now; none where a document has to name its tool first."""
    if read.finding is not None and read.finding.shows not in session.seen:
        return [read.finding.call]
    return [read.call] if session.has_seen(session.domain.named_by(read.call.tool)) else []


def _next_of(session: Session, calls: tuple[Call, ...]) -> list[Call]:
    """The calls of an outcome that can be made now; of the customer's own, whose order counts, the first."""
    missing = [call for call in calls if call not in session.made]
    own = [call for call in missing if call.tool in session.domain.user_tools]
    return [call for call in missing if call not in own[1:]]


def making(session: Session, call: Call) -> Call:
    """A call as a move of the agent: made, or asked of the customer where the tool is the customer's own."""
    if call.tool in session.domain.user_tools and not session.is_solo:
        return Call(talk.INSTRUCT, {"action": call.tool, "arguments": dict(call.arguments)})
    return call


def _way(session: Session, call: Call) -> Call:
    """The move towards a write that is open now: the proposal of it, or itself."""
    if session.domain.needs_yes(call.tool, session.plan.policy) and call not in session.agreed:
        return Call(talk.PROPOSE, {"action": call.tool, "arguments": dict(call.arguments)})
    return making(session, call)


def _askable(session: Session, call: Call) -> list[Call]:
    """Questions for what the call needs and only the customer can tell."""
    questions = []
    for value in call.arguments.values():
        for part in value if isinstance(value, list) else [value]:
            facts = _facts_of(session, part)
            if facts and not any(as_text(session.informed.get(fact)) == as_text(part) for fact in facts):
                questions.append(Call(talk.ASK, {"fact": facts[0]}))
    return questions


def _untold(session: Session) -> list[Call]:
    """Questions for what the goal is about and the customer has not told, or has told wrongly."""
    goal = session.case.goal
    return [
        Call(talk.ASK, {"fact": fact})
        for fact, value in goal.facts.items()
        if fact not in goal.unknown and as_text(session.informed.get(fact)) != as_text(value)
    ]


def _facts_of(session: Session, value: Value) -> list[str]:
    """The facts with this value that the customer can tell."""
    goal = session.case.goal
    known = {**session.plan.profile, **goal.facts}
    return [fact for fact in known if fact not in goal.unknown and as_text(known[fact]) == as_text(value)]


def _writes_made(session: Session, calls: tuple[Call, ...]) -> tuple[int, int]:
    needed = [call for call in calls if session.domain.needs_yes(call.tool, session.plan.policy)]
    agreed = sum(call in session.agreed or call in session.made for call in needed)
    return agreed + sum(call in session.made for call in calls), len(needed) + len(calls)
