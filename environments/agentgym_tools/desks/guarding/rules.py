"""What a customer may say: each act held against its agenda and the talk so far; the first fault is named.

The rules allow whatever a truthful customer could say, not only what the rule-based one would.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agentgym_tools.desks import talk
from agentgym_tools.desks.guarding.tracker import MAX_CALLS, Tracker
from agentgym_tools.desks.user import DONE, FAILED
from agentgym_tools.worlds.calls import Call, Value, as_text

CAUSES: Mapping[str, str] = {
    "invented": "told a value that its agenda does not have",
    "premature": "told a fact that it was not asked for, or what it would want later",
    "mistaken": "told a value again after it was corrected, or after it had changed its mind",
    "withheld": "said not to know what it knows",
    "unanswered": "did not answer a question, a proposal, an instruction or a refusal, or did not go on",
    "wrong_yes": "said yes to a call that it does not want",
    "wrong_no": "said no to a call that it wants",
    "wrong_goal": "asked for something else than its agenda says",
    "early_next": "asked for the next thing before the present one had come to an end",
    "early_end": "left before all had come to an end, with patience left or a change open to which it said yes",
    "claimed": "said to have done what it has not done",
    "unasked": "used its own tools, or told of them, without being asked to",
    "out_of_turn": "answered a proposal or a refusal that there was not",
    "unreadable": "sent no call that can be read",
}
"""What a customer can do wrong, and what each is."""
HARMLESS = frozenset({"premature", "out_of_turn"})
"""Faults that make no episode fail."""
_DONE = frozenset({as_text(DONE), "done", "ok", "it is done."})
_WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")


class Finding(NamedTuple):
    """A fault of a customer.

    Attributes:
        cause: One of `CAUSES`.
        why: What is wrong, said to who plays the customer.
    """

    cause: str
    why: str


def follow(tracker: Tracker, calls: Sequence[Call]) -> Finding | None:
    """Take in a message of the customer; returns the first fault in it.

    Args:
        tracker: The talk before it, which goes on behind it.
        calls: Its acts, and calls of its own tools.
    """
    return next(iter(findings_in(tracker, calls)), None)


def findings_in(tracker: Tracker, calls: Sequence[Call]) -> list[Finding]:
    """Take in a message of the customer, as `follow` does; returns the faults of its acts, then what it left open."""
    found: list[Finding | None] = []
    taken = calls[:MAX_CALLS]
    if tracker.domain.user_tools:
        tracker.take(taken)
    for call in taken:
        found.append(_fault(tracker, call))
        tracker.do(call)
    own = tracker.domain.user_tools
    if not own or any(call.tool not in own for call in taken):
        found.append(_left_open(tracker, calls))
        tracker.end_turn(taken)
    return [finding for finding in found if finding is not None]


def _fault(tracker: Tracker, call: Call) -> Finding | None:
    if tracker.number < 0 and call.tool != talk.REQUEST:
        return Finding("wrong_goal", "say first what you want, by request")
    rule = _RULES.get(call.tool)
    if rule is not None:
        return rule(tracker, call.arguments)
    if call.tool in tracker.domain.user_tools and not _is_asked_for(tracker, call):
        return Finding("unasked", f"nobody asked you for {call}")
    return None


def _of_request(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    cases, kind = tracker.plan.cases, given["goal"]
    number = tracker.following
    if tracker.number >= 0 and not tracker.is_settled:
        is_later = any(case.goal.kind == kind for case in cases[tracker.number + 1 :])
        if kind != tracker.case.goal.kind or is_later:
            return Finding("early_next", f"{tracker.case.goal.kind} has not come to an end; wait for that")
        number = tracker.number
    if number is None or cases[number].goal.kind != kind:
        wanted = "nothing more" if number is None else cases[number].goal.kind
        return Finding("wrong_goal", f"you do not want {kind} now, but {wanted}")
    for fact, value in given["facts"].items():
        is_free = tracker.may_volunteer(fact, number) or (number == tracker.number and fact in tracker.told)
        finding = _of_value(tracker, number, fact, value, is_free)
        if finding is not None:
            return finding
    return None


def _of_inform(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    fact = given["fact"]
    return _of_value(tracker, tracker.number, fact, given["value"], tracker.may_tell(fact))


def _of_value(tracker: Tracker, number: int, fact: str, value: Value, is_free: bool) -> Finding | None:
    known, said = tracker.known_of(number), as_text(value)
    goal = tracker.plan.cases[number].goal
    at_first = goal.at_first
    if fact in known and said == as_text(known[fact]):
        return None if is_free else Finding("premature", f"you were not asked for {fact}")
    if fact in known and fact in at_first and goal.changes_mind:
        if said == as_text(at_first[fact]):
            return Finding("mistaken", f"you have changed your mind: {fact} is {known[fact]}")
        if said == as_text(goal.facts[fact]):
            return Finding(
                "premature", f"{fact} is {known[fact]} until just what you want first is proposed; this was not yet it"
            )
    elif fact in known and fact in at_first and said == as_text(at_first[fact]):
        if number == tracker.number and (fact in tracker.told or fact in tracker.corrected):
            return Finding("mistaken", f"{fact} is {known[fact]}; correct yourself")
        return None if is_free else Finding("premature", f"you were not asked for {fact}")
    later = tracker.plan.cases[number + 1 :]
    if any(fact in case.goal.facts and said == as_text(case.goal.facts[fact]) for case in later):
        return Finding("premature", f"{fact}={value} belongs to something that you ask for later")
    right = f"it is {known[fact]}" if fact in known else "you do not know it"
    return Finding("invented", f"{fact}={value} is not in your notes: {right}")


def _of_unknown(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    fact = given["fact"]
    if fact not in tracker.known:
        return None
    is_forgotten = tracker.plan.persona.forgets and fact in tracker.case.goal.facts
    if is_forgotten and fact not in tracker.forgotten and fact not in tracker.told:
        return None
    return Finding("withheld", f"you know {fact}: it is {tracker.known[fact]}")


def _of_confirm(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    call = _proposal(tracker, given["number"])
    if call is None:
        return Finding("out_of_turn", f"there is no proposal {given['number']}")
    if tracker.is_wanted(call):
        return None
    new = tracker.plan.cases[tracker.number]
    why = "".join(
        f"; say no, and tell that on second thoughts {fact} is {new.goal.facts[fact]}" for fact in new.goal.at_first
    )
    return Finding("wrong_yes", f"you do not want {call}{why if new.is_reconsidered(call) else ''}")


def _of_deny(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    call = _proposal(tracker, given["number"])
    if call is None:
        return Finding("out_of_turn", f"there is no proposal {given['number']}")
    is_open = tracker.is_wanted(call) and not tracker.has_received(call)
    return Finding("wrong_no", f"{call} is what you want") if is_open else None


def _proposal(tracker: Tracker, number: int) -> Call | None:
    return tracker.proposed[number - 1] if 1 <= number <= len(tracker.proposed) else None


def _of_insist(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    if not tracker.num_refused:
        return Finding("out_of_turn", "nothing was refused")
    if tracker.num_insisted >= tracker.plan.persona.insists:
        return Finding("out_of_turn", "you have insisted often enough; accept it")
    return None


def _of_accept(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    return None if tracker.num_refused else Finding("out_of_turn", "nothing was refused")


def _of_did(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    call, told = Call(given["action"], given["arguments"]), given["result"]
    if not _is_asked_for(tracker, call):
        return Finding("unasked", f"nobody asked you for {call}")
    is_writing = tracker.domain.user_tools[call.tool].is_writing
    result = tracker.ran.get(call.key)
    if result is None:
        may_claim = is_writing and tracker.plan.persona.claims and tracker.instructed.get(call.key, 0) == 1
        return None if may_claim else Finding("claimed", f"you have not called {call}; call it, then tell")
    is_failure = result.startswith(FAILED)
    if is_writing and not is_failure and as_text(told) in _DONE:
        return None
    if _words(told) <= _words(result) and (not is_failure or FAILED.rstrip(":") in told):
        return None
    return Finding("claimed" if is_failure else "invented", f"tell word for word what {call.tool} answered")


def _is_asked_for(tracker: Tracker, call: Call) -> bool:
    return call.key in tracker.instructed or call in tracker.claimed


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _of_bye(tracker: Tracker, given: Mapping[str, Any]) -> Finding | None:
    if (tracker.is_last and tracker.is_settled) or tracker.is_impatient:
        return None
    if tracker.owed:
        return Finding("early_end", f"you said yes to {tracker.owed[0]}, which has not happened yet; stay")
    return Finding("early_end", f"{tracker.case.goal.kind} or what comes after it has not come to an end; stay")


_RULES: Mapping[str, Callable[[Tracker, Mapping[str, Any]], Finding | None]] = {
    talk.REQUEST: _of_request,
    talk.INFORM: _of_inform,
    talk.UNKNOWN: _of_unknown,
    talk.CONFIRM: _of_confirm,
    talk.DENY: _of_deny,
    talk.INSIST: _of_insist,
    talk.ACCEPT: _of_accept,
    talk.DID: _of_did,
    talk.BYE: _of_bye,
}


def _left_open(tracker: Tracker, calls: Sequence[Call]) -> Finding | None:
    """What of the agent's message a message of the customer does not answer."""
    if len(calls) >= MAX_CALLS or any(call.tool == talk.BYE for call in calls):
        return None
    for act in tracker.open:
        if not any(_answers(tracker, act, call) for call in calls):
            return Finding("unanswered", f"answer {act}")
    goes_on = any(call.tool == talk.REQUEST for call in calls)
    if tracker.is_settled and not tracker.is_last and not goes_on:
        return Finding("unanswered", "go on with the next thing that you want, by request")
    return None


def _answers(tracker: Tracker, act: Call, call: Call) -> bool:
    given, said = act.arguments, call.arguments
    if act.tool == talk.ASK:
        return call.tool in (talk.INFORM, talk.UNKNOWN) and said["fact"] == given["fact"]
    if act.tool == talk.INSTRUCT:
        return call.tool == talk.DID and Call(said["action"], said["arguments"]) == Call(
            given["action"], given["arguments"]
        )
    if act.tool == talk.REFUSE:
        return call.tool in (talk.INSIST, talk.ACCEPT)
    asked = Call(given["action"], given["arguments"])
    numbers = [number for number, proposal in enumerate(tracker.proposed, 1) if proposal == asked]
    return call.tool in (talk.CONFIRM, talk.DENY) and said["number"] in numbers
