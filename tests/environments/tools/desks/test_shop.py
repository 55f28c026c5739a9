"""What happens at the shop's desk, step by step."""

import dataclasses

import pytest

import agentgym
from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym_tools.desks import talk
from agentgym_tools.desks.drawing import Wanted
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.planning import steps_of
from agentgym_tools.desks.references import call_score
from agentgym_tools.desks.tasks import agenda_text, plan_of, ticket_text
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds.calls import Call
from tests.environments.tools.desks.conftest import env_of, play_calls, play_script, task_of

ADDRESS = Template(("change_address",), "do")


@pytest.fixture(scope="module")
def env():
    return env_of("shop")


def oracle_calls(env, task):
    return play_script(env, task, "oracle").calls


def without(calls, tool):
    return [call for call in calls if call.tool != tool]


def violations(episode):
    return [event.detail["why"] for event in episode.events if event.component == "violation"]


def test_env_is_registered_and_names_its_roles():
    env = agentgym.make("agentgym/ShopDesk-v0", size="small")
    env.reset(seed=3)
    assert env.role == "agent"
    assert "get_order" in {tool["function"]["name"] for tool in env.tools}


def test_milestones_are_those_that_a_fresh_count_finds():
    """The steps are counted again only where something changed that they depend on."""
    env = env_of("shop")
    for template in (Template(("return_item",), "do"), Template(("cancel_order", "change_address"), "do"), ADDRESS):
        task = task_of("shop", template)
        for player in ("oracle", "demo"):
            calls = play_script(env, task, player).calls
            env.reset(options={"task": task})
            for call in calls:
                *_, info = env.step(call_text(call.tool, **call.arguments))
                if "outcome" in info:
                    break
                assert env.game._num_made == steps_of(env.game.session)[0]


def test_write_without_the_customers_yes_breaks_a_rule_at_its_turn(env):
    task = task_of("shop", Template(("cancel_order",), "do"))
    calls = without(oracle_calls(env, task), talk.PROPOSE)
    episode = play_calls(env, task, calls)
    assert violations(episode) == ["unconfirmed"]
    (event,) = [event for event in episode.events if event.component == "violation"]
    assert event.turn == [call.tool for call in episode.calls].index("cancel_order")
    assert not episode.is_success


@pytest.mark.parametrize("decision", ["do", "refuse"])
def test_hasty_player_makes_the_oracles_moves_up_to_a_decision(env, decision):
    task = task_of("shop", Template(("cancel_order",), decision))
    right = oracle_calls(env, task)
    hasty = [play_script(env, task, "hasty", seed) for seed in range(12)]
    won = [episode for episode in hasty if episode.is_success]
    lost = [episode for episode in hasty if not episode.is_success]
    assert won
    assert lost
    place = next(number for number, call in enumerate(right) if call.tool in (talk.PROPOSE, talk.REFUSE))
    assert {tuple(episode.calls) for episode in won} == {tuple(right)}
    for episode in lost:
        assert episode.calls[:place] == right[:place]
        assert episode.calls[place].tool == "cancel_order"


def test_write_for_an_unknown_customer_breaks_a_rule(env):
    task = task_of("shop", Template(("cancel_order",), "do"))
    plan = plan_of(task, env.game.domain)
    calls = without(oracle_calls(env, task), plan.identification.tool)
    assert violations(play_calls(env, task, calls)) == ["unidentified"]


def test_forbidden_write_breaks_the_rule_that_forbids_it(env):
    task = task_of("shop", Template(("cancel_order",), "refuse", "too_late"))
    calls = oracle_calls(env, task)
    (write,) = plan_of(task, env.game.domain).cases[0].wanted[0]
    propose = Call(talk.PROPOSE, {"action": write.tool, "arguments": write.arguments})
    episode = play_calls(env, task, [*calls[:-1], propose, write])
    assert violations(episode) == ["too_late"]
    assert not episode.is_success


def test_failing_call_changes_nothing_and_is_explained(env):
    task = task_of("shop", ADDRESS)
    calls = oracle_calls(env, task)
    broken = Call("cancel_order", {"order_id": "W1", "reason": "too slow"})
    episode = play_calls(env, task, [broken, *calls])
    assert "There is no 'W1' among the orders." in episode.texts[0]
    assert episode.is_success


@pytest.mark.parametrize("value", ["\\ud800", "x" * 100_000, "'; DROP TABLE orders; --", "\x00"])
def test_hostile_argument_is_answered_and_changes_nothing(env, value):
    task = task_of("shop", ADDRESS)
    calls = oracle_calls(env, task)
    env.reset(options={"task": task})
    before = env.game.session.world.state()
    env.step(
        f'{{"name": "get_order", "arguments": {{"order_id": "{value}"}}}}'
        if "\\u" in value
        else call_text("get_order", order_id=value)
    )
    assert env.game.session.world.state() == before
    assert play_calls(env, task, [Call("issue_voucher", {"order_id": "W1", "amount_cents": 10**30}), *calls]).is_success


def test_refusing_without_reading_pays_nothing(env):
    task = task_of("shop", Template(("cancel_order",), "refuse", "too_late"))
    calls = oracle_calls(env, task)
    assert play_calls(env, task, calls).is_success
    assert not play_calls(env, task, without(calls, "get_order")).is_success


def test_several_values_of_one_fact_are_no_answer(env):
    task = task_of("shop", Template(("ask_state",), "answer"))
    calls = oracle_calls(env, task)
    (tell,) = [call for call in calls if call.tool == talk.TELL]
    others = [Call(talk.TELL, {"fact": "state", "value": value}) for value in ("pending", "shipped", "delivered")]
    place = calls.index(tell)
    assert not play_calls(env, task, [*calls[:place], *others]).is_success


def test_each_of_several_cheapest_items_is_right():
    env = env_of("shop")
    found = 0
    for seed in range(300):
        task = task_of("shop", Template(("exchange_item",), "do"), seed)
        (case,) = plan_of(task, env.game.domain).cases
        if len(case.outcomes) < 2:
            continue
        found += 1
        calls = oracle_calls(env, task)
        first, second = (outcome[0] for outcome in case.outcomes[:2])
        swapped = [
            second
            if call == first
            else Call(talk.PROPOSE, {"action": second.tool, "arguments": second.arguments})
            if call.tool == talk.PROPOSE
            else call
            for call in calls
        ]
        assert play_calls(env, task, swapped).is_success
        if found == 2:
            break
    assert found


def test_customer_corrects_what_it_told_wrongly(env):
    for seed in range(20):
        task = task_of("shop", ADDRESS, seed, personas=("correcting",))
        (goal,) = [case.goal for case in plan_of(task, env.game.domain).cases]
        if goal.at_first:
            break
    wrong = str(goal.at_first["order_id"])
    _, info = env.reset(options={"task": task})
    assert wrong in info["messages"][-2]["content"]
    observation, *_ = env.step(call_text(talk.ASK, fact="order_id"))
    assert str(goal.facts["order_id"]) in observation["text"]


CHANGING = Template(("exchange_item",), "do")


def proposal_of(call):
    return Call(talk.PROPOSE, {"action": call.tool, "arguments": dict(call.arguments)})


def test_customer_holds_to_its_first_wish_until_it_is_proposed(env):
    task = task_of("shop", CHANGING, personas=("changing",))
    (case,) = plan_of(task, env.game.domain).cases
    ((fact, first),) = case.goal.at_first.items()
    env.reset(options={"task": task})
    for _ in range(3):
        observation, *_ = env.step(call_text(talk.ASK, fact=fact))
        assert f"value={first!r}" in observation["text"]
    wish, right = case.first.outcomes[0][0], case.outcomes[0][0]
    observation, *_ = env.step(str(proposal_of(right)))
    assert "deny(number=1)" in observation["text"]
    assert env.game.session.is_first_wish
    observation, *_ = env.step(str(proposal_of(wish)))
    assert "deny(number=1)" in observation["text"]
    assert f"inform(fact={fact!r}, value={case.goal.facts[fact]!r})" in observation["text"]
    observation, *_ = env.step(call_text(talk.ASK, fact=fact))
    assert f"value={case.goal.facts[fact]!r}" in observation["text"]
    observation, *_ = env.step(str(proposal_of(right)))
    assert "confirm(number=1)" in observation["text"]


def test_a_message_with_both_wishes_gets_a_yes_to_the_new_one_alone(env):
    task = task_of("shop", CHANGING, personas=("changing",))
    (case,) = plan_of(task, env.game.domain).cases
    wish, right = case.first.outcomes[0][0], case.outcomes[0][0]
    env.reset(options={"task": task})
    observation, _, _, _, info = env.step(f"{proposal_of(right)}\n{proposal_of(wish)}")
    assert "confirm(number=1)" in observation["text"]
    assert "deny(number=2)" in observation["text"]
    assert not [event for event in info["reward_events"] if event.component == "agenda"]


def test_first_wish_of_a_customer_is_one_that_the_desk_may_fulfil(env):
    """Else a right agent would refuse it, and the customer would never change its mind."""
    for seed in range(12):
        task = task_of("shop", CHANGING, seed, personas=("changing",))
        (case,) = plan_of(task, env.game.domain).cases
        assert case.goal.changes_mind
        assert case.first.decision == "do"
        assert not {call for calls in case.first.wanted for call in calls} & {
            call for calls in case.wanted for call in calls
        }


def test_a_refusal_before_the_customer_changed_its_mind_pays_nothing(env):
    task = task_of("shop", Template(("return_item",), "refuse", "refund_method"), personas=("changing",))
    calls = oracle_calls(env, task)
    assert play_calls(env, task, calls).is_success
    episode = play_calls(env, task, without(calls, talk.PROPOSE))
    assert not episode.is_success
    (blame,) = [event.detail for event in episode.events if event.component == "blame"]
    assert (blame["who"], blame["why"]) == ("agent", "wrong_refusal")


def test_agenda_says_how_the_customer_changes_its_mind_and_what_depends_on_what(env):
    changing = task_of("shop", CHANGING, personas=("changing",))
    (case,) = plan_of(changing, env.game.domain).cases
    ((fact, first),) = case.goal.at_first.items()
    told = agenda_text(env.game.domain, changing)
    assert f"{first}, until a change with it is proposed to you" in told
    assert f"on second thoughts it is {case.goal.facts[fact]}" in told
    assert "Keep to what you want at first" in told
    depending = task_of("shop", EXCHANGE_OR_RETURN)
    assert "Ask for it only if 1 was refused." in agenda_text(env.game.domain, depending)
    ticket = ticket_text(env.game.domain, plan_of(depending, env.game.domain))
    assert "This counts only if 1 was refused." in ticket


SHARED = ("order_id", "item")
EXCHANGE_OR_RETURN = Template(("exchange_item", "return_item"), "do", "", "refused", same=SHARED)
EXCHANGE_NOT_RETURN = Template(("exchange_item", "return_item"), "do", "", "refused", holds=False, same=SHARED)


def solo(task):
    return dataclasses.replace(task, config={**task.config, "options": {"solo": True}})


def requests(episode):
    return [text for text in episode.texts if "request(" in text]


def test_a_goal_is_asked_for_only_if_its_condition_holds(env):
    for template, is_asked in ((EXCHANGE_OR_RETURN, True), (EXCHANGE_NOT_RETURN, False)):
        task = task_of("shop", template)
        first, second = plan_of(task, env.game.domain).cases
        assert second.is_due == is_asked
        assert {first.goal.facts[name] == second.goal.facts[name] for name in SHARED} == {True}
        for played in (task, solo(task)):
            episode = play_script(env_of("shop"), played, "oracle")
            assert episode.is_success
            assert episode.total("milestone") == pytest.approx(0.0)
            tools = {call.tool for call in episode.calls}
            assert ("return_items" in tools) == is_asked
            assert ("exchange_item" in tools) != is_asked
        assert bool(requests(play_script(env, task, "oracle"))) == is_asked


def test_a_wrong_refusal_opens_an_alternative_that_pays_nothing(env):
    """The customer, who was refused, asks for the other thing; doing that rightly is no success."""
    task = task_of("shop", EXCHANGE_NOT_RETURN)
    first, second = plan_of(task, env.game.domain).cases
    calls = [call for call in oracle_calls(env, task) if call.tool not in (talk.PROPOSE, "exchange_item", talk.REPORT)]
    write = second.wanted[0][0]
    returning = [Call("list_payments", {"customer_id": first.goal.customer}), proposal_of(write), write]
    episode = play_calls(env, task, [*calls, Call(talk.REFUSE, {"reason": "too_late"}), *returning])
    assert "request(goal='return_item'" in " ".join(episode.texts)
    assert "confirm(number=1)" in " ".join(episode.texts)
    assert not episode.is_success
    assert not [event for event in episode.events if event.component == "agenda"]


def test_a_goal_that_depends_on_a_later_one_is_refused(env):
    task = task_of("shop", EXCHANGE_OR_RETURN)
    first, second = task.private["goals"]
    assert second["only_if"] == {"goal": 0, "ended": "refused"}
    assert "only_if" not in first
    broken = {**task.private, "goals": [{**first, "only_if": {"goal": 1, "ended": "done"}}, second]}
    with pytest.raises(TaskError, match="depends on goal 1; expected an earlier one"):
        env.reset(options={"task": dataclasses.replace(task, private=broken)})


def test_customer_waits_for_what_was_only_reported(env):
    task = task_of("shop", ADDRESS, personas=("impatient",))
    env.reset(options={"task": task})
    observation, *_ = env.step(call_text(talk.REPORT, action="change_address"))
    assert "wait()" in observation["text"]
    observation, _, terminated, _, info = env.step(call_text(talk.REPORT, action="change_address"))
    assert terminated
    assert not info["success"]


def test_customer_does_not_leave_while_what_it_agreed_to_has_not_happened(env):
    task = task_of("shop", Template(("cancel_order",), "do"), personas=("impatient",))
    calls = oracle_calls(env, task)
    agreed_at = next(number for number, call in enumerate(calls) if call.tool == talk.PROPOSE)
    useless = call_text(talk.ASK, fact="email")
    env.reset(options={"task": task})
    for call in calls[: agreed_at + 1]:
        env.step(call_text(call.tool, **call.arguments))
    for _ in range(5):
        observation, _, terminated, *_ = env.step(useless)
        assert not terminated
        assert "bye" not in observation["text"]
    env.step(call_text(calls[agreed_at + 1].tool, **calls[agreed_at + 1].arguments))
    observation, _, terminated, _, info = env.step(call_text(talk.REPORT, action="cancel_order"))
    assert terminated
    assert info["success"]


def test_customer_says_no_to_what_it_does_not_want(env):
    task = task_of("shop", Template(("cancel_order",), "do"))
    calls = oracle_calls(env, task)
    proposal = next(call for call in calls if call.tool == talk.PROPOSE)
    other = {**proposal.arguments, "arguments": {**proposal.arguments["arguments"], "order_id": "W10001"}}
    env.reset(options={"task": task})
    observation, *_ = env.step(call_text(talk.PROPOSE, **other))
    assert "deny(number=1)" in observation["text"]


def test_agenda_names_goals_and_facts_as_the_customers_calls_take_them(env):
    task = task_of("shop", ADDRESS)
    domain = env.game.domain
    (case,) = plan_of(task, domain).cases
    text = agenda_text(domain, task)
    assert f"1. {case.goal.kind}: you want to" in text
    for fact, value in case.goal.facts.items():
        assert f"- {fact}, {domain.facts[fact]}: {value}" in text


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(UnknownNameError, match="size"):
        DeskGame("shop", "huge")
    with pytest.raises(UnknownNameError, match="desk"):
        DeskGame("bakery")
    with pytest.raises(ConfigError, match="tips"):
        DeskGame("shop", weights={"tips": 1.0})
    with pytest.raises(UnknownNameError, match="persona"):
        Wanted(personas=("rude",))


def test_task_that_lacks_something_is_refused(env):
    task = task_of("shop", ADDRESS)
    for broken in (
        {"config": {}},
        {"private": {}},
        {"config": {**task.config, "policy": {}}},
        {"config": {**task.config, "desk": "bakery"}},
        {"config": {**task.config, "policy": {**task.config["policy"], "return_days": -1}}},
    ):
        fields = {**task.to_json(), **broken}
        with pytest.raises(TaskError):
            env.reset(options={"task": type(task).from_json(fields)})


def test_call_score_is_that_of_toolrl():
    reference = Call("cancel", {"order": "W1", "reason": "late"})
    assert call_score(reference, [reference]) == 3.0
    assert call_score(Call("other"), [reference]) == -3.0
    assert call_score(reference, []) == -3.0
    # name 1, names 1 of 2, values 1 of 2: 6 * 2.5 / 4 - 3
    assert call_score(Call("cancel", {"order": "W1"}), [reference]) == pytest.approx(6 * 2.5 / 4 - 3)
    assert call_score(Call("cancel", {"order": "w1", "reason": "late"}), [reference]) == 3.0


def test_states_differ_by_whether_a_refusal_rests_on_what_was_read(env):
    """Only the refusal behind the reading wins, so a search may not take both for one state."""
    task = task_of("shop", Template(("return_item",), "refuse", "refund_method"), personas=("insisting",))
    calls = oracle_calls(env, task)
    refusal = next(call for call in calls if call.tool == talk.REFUSE)
    read = calls[calls.index(refusal) - 1]
    before = calls[: calls.index(read)]
    anchors = []
    for order in ((refusal, read), (read, refusal)):
        env.reset(options={"task": task})
        for call in [*before, *order]:
            env.step(str(call))
        anchors.append(env.game.session.key())
    assert anchors[0] != anchors[1]


def test_what_is_told_before_it_is_asked_for_is_no_answer(env):
    """An agent may tell more than it was asked for: the state of another order does not spoil a later answer."""
    task = task_of("shop", Template(("update_contact", "ask_state"), "answer"))
    calls = oracle_calls(env, task)
    told = next(call for call in calls if call.tool == talk.TELL)
    other = Call(talk.TELL, {"fact": told.arguments["fact"], "value": "another"})
    request = next(number for number, call in enumerate(calls) if call.tool == talk.REPORT)
    assert play_calls(env, task, [*calls[:request], other, *calls[request:]]).is_success
    assert not play_calls(env, task, [*calls[: calls.index(told)], other, *calls[calls.index(told) :]]).is_success


def test_a_ticket_says_that_its_requests_come_in_order(env):
    ticket = ticket_text(env.game.domain, plan_of(task_of("shop", EXCHANGE_OR_RETURN), env.game.domain))
    assert "in their order, one after the other" in ticket
