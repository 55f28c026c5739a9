"""The guard against the rule-based customer and planted faults, on a few tasks; `benchmarks.desk_guard` takes all."""

from __future__ import annotations

from collections import Counter

import pytest

from agentgym.suite import load_suite
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.guarding.rules import CAUSES, follow
from agentgym_tools.desks.guarding.tracker import Tracker
from agentgym_tools.desks.personas import PERSONAS
from agentgym_tools.desks.scripts import PARTNERS
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.user import Customer
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_guard import FAULTS, check_task, invent, read_calls, with_persona
from tests.environments.tools.desks.guarding.conftest import task_with


def test_every_planted_fault_is_found_and_no_right_message_is_refused(shop, telecom):
    counts, wrong = Counter[str](), []
    for name in DESKS:
        game = DeskGame(name)
        task = load_suite(f"tools/desk-{name}").tasks("test")[100]
        for agent in ("demo", "random", "ask all"):
            check_task(game, task, agent, counts, wrong)
        for persona in PERSONAS if name == "telecom" else list(PERSONAS)[::3]:
            check_task(game, with_persona(task, persona), "oracle", counts, wrong)
    game = DeskGame("shop")
    tasks = [task_with(shop, "correcting"), task_with(shop, num_goals=2), task_with(shop, "plain", "return_item")]
    depending = next(each for each in shop.tasks("test") if any("only_if" in goal for goal in each.private["goals"]))
    for task in (*tasks, depending, task_with(shop, "changing")):
        for agent in ("oracle", "wrong first"):
            check_task(game, task, agent, counts, wrong)
    check_task(DeskGame("telecom"), task_with(telecom, kind="fix_slow_data"), "oracle", counts, wrong)
    assert not wrong
    assert counts["messages"] > 150
    assert not [cause for cause in FAULTS.values() if not counts[f"{cause} planted"]]
    assert {*FAULTS.values(), "unreadable"} == set(CAUSES)


@pytest.mark.parametrize("is_inventing", [False, True])
def test_a_learning_customer_loses_by_what_its_agenda_does_not_have(shop, is_inventing):
    task = task_with(shop, kind="return_item", decision="do")
    env = RoleView(DeskGame("shop"), "user", PARTNERS)
    _, info = env.reset(options={"task": task})
    customer, messages, events = Customer(task, 0), list(info["messages"]), []
    tools = env.game.tools["user"]
    num_invented = 0
    while "outcome" not in info:
        calls = read_calls(customer.act(messages), tools)
        if is_inventing:
            changed = invent(env.game._watch.tracker, calls)
            num_invented += changed is not None
            calls = changed or calls
        said = "\n".join(map(str, calls))
        _, _, _, _, info = env.step(said)
        messages += [{"role": "assistant", "content": said}, *info["messages"]]
        events += info["reward_events"]
    faults = [event for event in events if event.component == "agenda"]
    assert [(event.role, event.value, event.detail["cause"]) for event in faults] == [
        ("user", -1.0, "invented")
    ] * num_invented
    assert bool(info["success"]) == (not is_inventing) == (num_invented == 0)
    assert sum(env.reward_weights[event.component] * event.value for event in events) == pytest.approx(
        -0.1 * num_invented + (not is_inventing)
    )
    assert [event.detail["who"] for event in events if event.component == "blame"] == ["user"] * is_inventing


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_wrong_proposal_frees_a_customer_to_tell_only_what_was_asked_for(shop, is_asked):
    task = task_with(shop, kind="return_item", decision="do")
    plan = plan_of(task, desk("shop"))
    tracker = Tracker(desk("shop"), plan)
    follow(tracker, [Call(talk.REQUEST, {"goal": "return_item", "facts": {}})])
    told = Call(talk.INFORM, {"fact": "order_id", "value": plan.cases[0].goal.facts["order_id"]})
    if is_asked:
        tracker.hear_act(Call(talk.ASK, {"fact": "order_id"}))
        assert follow(tracker, [told]) is None
    right = plan.cases[0].wanted[0][0]
    wrong = {"action": right.tool, "arguments": {**right.arguments, "order_id": "W1"}}
    tracker.hear_act(Call(talk.PROPOSE, wrong))
    finding = follow(tracker.fork(), [Call(talk.DENY, {"number": 1}), told])
    assert (None if finding is None else finding.cause) == (None if is_asked else "premature")
    assert follow(tracker, [Call(talk.DENY, {"number": 1})]) is None
    assert tracker.num_useless == (not is_asked)


def test_no_customer_may_leave_while_what_it_agreed_to_has_not_happened(shop):
    task = task_with(shop, "impatient", decision="do")
    plan = plan_of(task, desk("shop"))
    case = plan.cases[0]
    tracker = Tracker(desk("shop"), plan)
    follow(tracker, [Call(talk.REQUEST, {"goal": case.goal.kind, "facts": {}})])
    right = case.wanted[0][0]
    tracker.hear_act(Call(talk.PROPOSE, {"action": right.tool, "arguments": dict(right.arguments)}))
    follow(tracker, [Call(talk.CONFIRM, {"number": 1})])
    for _ in range(3):
        tracker.hear_act(Call(talk.REPORT, {"action": right.tool}))
        finding = follow(tracker.fork(), [Call(talk.BYE)])
        assert finding is not None
        assert finding.cause == "early_end"
        assert "you said yes to" in finding.why
        assert follow(tracker, [Call(talk.WAIT)]) is None
    tracker.agreed.clear()
    assert follow(tracker, [Call(talk.BYE)]) is None


def findings(tracker, *calls):
    """The cause of the fault of each of these messages, were it the next."""
    found = [follow(tracker.fork(), [call]) for call in calls]
    return [None if finding is None else finding.cause for finding in found]


def test_a_change_of_mind_is_premature_before_the_first_wish_is_proposed_and_final_after_it(shop):
    task = task_with(shop, "changing", decision="do")
    case = plan_of(task, desk("shop")).cases[0]
    ((fact, old),) = case.goal.at_first.items()
    first, last = (Call(talk.INFORM, {"fact": fact, "value": value}) for value in (old, case.goal.facts[fact]))
    tracker = Tracker(desk("shop"), plan_of(task, desk("shop")))
    follow(tracker, [Call(talk.REQUEST, {"goal": case.goal.kind, "facts": {}})])
    for _ in range(3):
        tracker.hear_act(Call(talk.ASK, {"fact": fact}))
        assert findings(tracker, first, last) == [None, "premature"]
        follow(tracker, [first])
    right, wish = case.wanted[0][0], case.first.wanted[0][0]
    twin = tracker.fork()
    twin.hear_act(Call(talk.PROPOSE, {"action": right.tool, "arguments": dict(right.arguments)}))
    assert findings(twin, Call(talk.CONFIRM, {"number": 1}), Call(talk.DENY, {"number": 1})) == ["wrong_yes", None]
    tracker.hear_act(Call(talk.PROPOSE, {"action": wish.tool, "arguments": dict(wish.arguments)}))
    assert findings(tracker, Call(talk.CONFIRM, {"number": 1}), Call(talk.WAIT)) == ["wrong_yes", "unanswered"]
    assert follow(tracker.fork(), [Call(talk.DENY, {"number": 1}), last]) is None
    follow(tracker, [Call(talk.DENY, {"number": 1})])
    tracker.hear_act(Call(talk.ASK, {"fact": fact}))
    assert findings(tracker, first, last) == ["mistaken", None]
    assert tracker.key() != twin.key()


def test_a_goal_that_depends_on_a_refusal_is_asked_for_only_after_one(shop):
    task = next(
        each
        for each in shop.tasks("test")
        if any(goal.get("only_if", {}).get("ended") == "refused" for goal in each.private["goals"])
    )
    plan = plan_of(task, desk("shop"))
    first, second = plan.cases
    requests = [Call(talk.REQUEST, {"goal": case.goal.kind, "facts": {}}) for case in (first, second)]
    tracker = Tracker(desk("shop"), plan)
    assert findings(tracker, *requests) == [None, "wrong_goal"]
    follow(tracker, [requests[0]])
    assert findings(tracker, requests[1], Call(talk.BYE)) == ["early_next", "early_end"]
    done = tracker.fork()
    done.received += first.wanted[0]
    assert findings(done, requests[1], Call(talk.BYE)) == ["wrong_goal", None]
    tracker.hear_act(Call(talk.REFUSE, {"reason": "too_late"}))
    follow(tracker.fork(), [Call(talk.ACCEPT)])
    assert follow(tracker, [Call(talk.ACCEPT), requests[1]]) is None
    assert tracker.case is second


def test_what_a_customer_who_changes_its_mind_is_told_of_a_wrong_yes(shop):
    task = task_with(shop, "changing", decision="do")
    case = plan_of(task, desk("shop")).cases[0]
    ((fact, _),) = case.goal.at_first.items()
    tracker = Tracker(desk("shop"), plan_of(task, desk("shop")))
    follow(tracker, [Call(talk.REQUEST, {"goal": case.goal.kind, "facts": {}})])
    new = f"say no, and tell that on second thoughts {fact} is {case.goal.facts[fact]}"
    for call, is_wish in ((case.first.wanted[0][0], True), (case.wanted[0][0], False)):
        twin = tracker.fork()
        twin.hear_act(Call(talk.PROPOSE, {"action": call.tool, "arguments": dict(call.arguments)}))
        finding = follow(twin, [Call(talk.CONFIRM, {"number": 1})])
        assert (finding.cause, new in finding.why) == ("wrong_yes", is_wish)


def test_the_same_wrong_proposal_is_of_use_once(shop):
    """A customer who had changed its mind, or corrected a fact, bore a wrong proposal for ever."""
    task = task_with(shop, "changing", decision="do")
    plan = plan_of(task, desk("shop"))
    wish = plan.cases[0].first.wanted[0][0]
    proposal = Call(talk.PROPOSE, {"action": wish.tool, "arguments": dict(wish.arguments)})
    customer, tracker, messages, last = Customer(task, 0), Tracker(desk("shop"), plan), [], []
    tools = DeskGame("shop").tools["user"]
    for number in range(plan.persona.patience + 3):
        said = customer.act(messages)
        last = [call.tool for call in read_calls(said, tools)]
        assert follow(tracker, read_calls(said, tools)) is None, number
        told = {"role": "user", "content": talk.to_text(proposal)}
        messages += [{"role": "assistant", "content": said}, told]
        tracker.hear([told])
    assert last == [talk.BYE]


def test_proposals_of_a_refused_message_are_forgotten(shop):
    """So that a customer's yes is to the call that it read."""
    task = task_with(shop, kind="return_item", decision="do")
    game = DeskGame("shop")
    game.reset(task)
    game.step(Customer(task, 0).act([]))
    wrong = Call("cancel_order", {"order_id": "W1", "reason": "no longer needed"})
    right = game.session.case.wanted[0][0]

    def proposed(call):
        return str(Call(talk.PROPOSE, {"action": call.tool, "arguments": dict(call.arguments)}))

    reply = game.step(f"{proposed(wrong)}\n{proposed(Call('cancel_order', {'order': 1}))}")
    assert reply.is_invalid
    game.step(proposed(right))
    game.step(str(Call(talk.CONFIRM, {"number": 1})))
    assert game.session.agreed == [right]
