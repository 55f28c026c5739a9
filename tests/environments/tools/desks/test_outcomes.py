"""Whether the outcomes of a case are all that there are, found by search over the writes that a policy allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest

from agentgym.suite import load_suite
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Case
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.worlds.calls import Call, as_text
from benchmarks.verdicts import desk_outcomes
from benchmarks.verdicts.requests.searching import Found

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
    for task in load_suite("tools/desk-airline").tasks("test"):
        session = session_of(task, domain)
        case = session.cases[0]
        if case.goal.kind == "rebook" and case.outcomes:
            calls = [call for name, call in variants(session, case) if name == "new_flight_id"]
            found += sum(is_allowed(session, call) and call not in case.outcomes[0] for call in calls)
        session.world.close()
    assert found


NOTHING_WRONG = {"refused": 0, "wrong": 0, "unreached": 0}


def wrong_in(found: Found) -> dict[str, int]:
    return {name: value for name, value in asdict(found).items() if name in NOTHING_WRONG}


def test_every_kind_of_goal_that_asks_for_a_change_is_stated(desk_name: str) -> None:
    assert desk_outcomes.unstated(desk(desk_name)) == []


def test_the_statements_and_the_admitted_outcomes_agree(desk_name: str) -> None:
    found, kinds = Found(), Counter[str]()
    for task in load_suite(f"tools/desk-{desk_name}").tasks("test")[::90]:
        desk_outcomes.search(desk(desk_name), task, found, kinds)
    assert found.tasks == kinds.total() >= 3
    assert found.states > 15 * found.tasks
    assert wrong_in(found) == NOTHING_WRONG


def several_ways(desk_name: str) -> Any:
    """A task of one goal with several right outcomes."""
    tasks = (task for task in load_suite(f"tools/desk-{desk_name}").tasks("test") if len(task.private["goals"]) == 1)
    return next(task for task in tasks if len(plan_of(task, desk(desk_name)).cases[0].outcomes) > 1)


@pytest.mark.parametrize("is_known", [True, False])
def test_the_search_finds_an_outcome_that_is_not_admitted(monkeypatch, is_known: bool) -> None:
    """The first of several is left out: as an outcome alone, or also of what the customer would be content with."""
    task = several_ways("clinic")
    plan = plan_of(task, desk("clinic"))
    case = plan.cases[0]
    fewer = replace(case, outcomes=case.outcomes[1:], wanted=case.wanted if is_known else case.wanted[1:])
    monkeypatch.setattr(desk_outcomes, "plan_of", lambda *_: replace(plan, cases=[fewer]))
    found = Found()
    desk_outcomes.search(desk("clinic"), task, found, Counter())
    assert wrong_in(found) == {**NOTHING_WRONG, "refused": 1}


def test_the_search_finds_an_outcome_that_the_rules_forbid(monkeypatch) -> None:
    domain = desk("shop")
    task = next(task for task in load_suite("tools/desk-shop").tasks("test") if refused(task) == "cancel_order")
    plan = plan_of(task, domain)
    case = replace(plan.cases[0], decision="do", outcomes=plan.cases[0].wanted, wanted=plan.cases[0].wanted)
    monkeypatch.setattr(desk_outcomes, "plan_of", lambda *_: replace(plan, cases=[case]))
    found = Found()
    desk_outcomes.search(domain, task, found, Counter())
    assert found.wrong + found.unreached == 1


def refused(task: Any) -> str:
    """The kind of the only goal of a shop's task if it may not be fulfilled although its tool would do it."""
    (first, *more) = plan_of(task, desk("shop")).cases
    return "" if more or first.decision != "refuse" or first.reasons != ("reason_not_accepted",) else first.goal.kind
