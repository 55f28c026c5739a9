"""Whether the outcomes of a case are all that there are, found by search over the writes that a policy allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentgym.suite import load_suite
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Case
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.worlds.calls import Call, as_text

STEP = 10
"""One test task in so many is searched."""
CHOSEN_BY_WORDS = {
    ("airline", "change_flight", "new_flight_id"),
    ("airline", "rebook", "new_flight_id"),
    ("bank", "see_adviser", "appointment_id"),
    ("clinic", "book_day", "slot_id"),
    ("clinic", "book_family_doctor", "slot_id"),
    ("clinic", "book_for_other", "slot_id"),
    ("clinic", "book_specialist", "slot_id"),
    ("clinic", "leave_waiting_list", "doctor_id"),
    ("clinic", "move_visit", "new_slot_id"),
    ("insurance", "change_tariff", "tariff_id"),
    ("shop", "change_payment", "payment_id"),
    ("shop", "exchange_item", "new_item_id"),
    ("shop", "return_item", "refund_to"),
    ("telecom", "pay_bill", "payment_id"),
}
"""Arguments, by desk and goal, that the customer's words choose without naming them: the earliest slot, the card."""


def shown_values(answer: Any) -> Iterator[Any]:
    """All numbers and texts of a tool's answer."""
    parts = answer.values() if isinstance(answer, Mapping) else answer if isinstance(answer, list) else ()
    for part in parts:
        yield from shown_values(part)
    if isinstance(answer, int | str):
        yield answer


def variants(session: Session, case: Case) -> Iterator[tuple[str, Call]]:
    """Each right call with one value that no fact names replaced by each other value that was shown, or is listed."""
    domain, plan = session.domain, session.plan
    facts = {**plan.profile, **case.goal.facts}
    known = {as_text(value) for fact, value in facts.items() if fact not in case.goal.unknown}
    answers = [domain.carry_out(session.world, plan.customer, read.call).answer for read in case.reads]
    shown = {value for answer in answers for value in shown_values(answer)}
    for calls in case.outcomes:
        if len(calls) > 1 or calls[0].tool not in domain.toolbox.tools:
            continue
        call = calls[0]
        properties = domain.toolbox.tools[call.tool]["function"]["parameters"]["properties"]
        for name, value in call.arguments.items():
            if isinstance(value, list) or as_text(value) in known:
                continue
            others = properties[name].get("enum") or {each for each in shown if type(each) is type(value)}
            for other in others:
                yield name, Call(call.tool, {**call.arguments, name: other})


def is_allowed(session: Session, call: Call) -> bool:
    """Whether a call does something to the customer's own data that the policy allows."""
    domain, customer = session.domain, session.plan.customer
    with session.world.call(may_write=False):
        if domain.objections(session.world, call, session.plan.policy):
            return False
        owner = domain.owner(session.world, call)
    world = session.world.fork()
    result = domain.carry_out(world, customer, call)
    changes = world.changes()
    world.close()
    return owner in (None, customer) and not result.is_failure and bool(changes)


def test_every_allowed_write_near_a_right_one_is_listed_or_chosen_by_the_customers_words(desk_name: str) -> None:
    domain, num_searched, missing = desk(desk_name), 0, []
    for task in load_suite(f"tools/desk-{desk_name}").tasks("test")[::STEP]:
        session = session_of(task, domain)
        case = session.cases[0]
        for name, call in variants(session, case):
            num_searched += 1
            is_listed = any(call in calls for calls in case.wanted)
            is_chosen = (desk_name, case.goal.kind, name) in CHOSEN_BY_WORDS
            if not is_listed and not is_chosen and is_allowed(session, call):
                missing.append((task.id, str(call)))
        session.world.close()
    assert num_searched > 20
    assert not missing


def test_the_search_finds_what_is_not_listed() -> None:
    """Without the customer's words, other flights than the wished one would be right."""
    domain, found = desk("airline"), 0
    for task in load_suite("tools/desk-airline").tasks("test")[::2]:
        session = session_of(task, domain)
        case = session.cases[0]
        if case.goal.kind == "rebook":
            calls = [call for name, call in variants(session, case) if name == "new_flight_id"]
            found += sum(is_allowed(session, call) and call not in case.outcomes[0] for call in calls)
        session.world.close()
    assert found
