"""What is special at the telephone company's desk: the phone has tools of its own, and both sides change one world."""

import itertools
import random
from dataclasses import replace

import pytest

from agentgym.authoring.players import call_text
from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.telecom.network import situation_of
from agentgym_tools.desks.telecom.trouble_goals import TROUBLES
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds.calls import Call
from tests.environments.tools.desks.conftest import env_of, play_calls, play_script, task_of

DATA, SLOW = Template(("fix_data",), "do"), Template(("fix_slow_data",), "do")


@pytest.fixture(scope="module")
def env():
    return env_of("telecom")


def instruct(action, **arguments):
    return Call(talk.INSTRUCT, {"action": action, "arguments": arguments})


def writes_on_phone(call):
    return call.tool == talk.INSTRUCT and desk("telecom").user_tools[call.arguments["action"]].is_writing


def task_with(template, *actions, **wanted):
    """A task whose oracle has the customer do all of this on its phone."""
    for seed in range(60):
        task = task_of("telecom", template, seed, **wanted)
        (case,) = plan_of(task, desk("telecom")).cases
        if set(actions) <= {call.tool for call in case.outcomes[0]}:
            return task
    raise AssertionError(f"no task of {template.name} has {actions}")


def phone_of(env):
    world = env.game.session.world
    with world.call(may_write=False):
        return dict(situation_of(world, env.game.session.plan.customer).phone)


def test_tasks_of_dual_control_need_a_change_at_the_desk_and_one_on_the_phone():
    domain = desk("telecom")
    tasks = [task for task in load_suite("tools/desk-telecom").tasks("test") if task.stratum == "dual_control"]
    assert len(tasks) == 60
    for task in tasks:
        outcomes = [case.outcomes for case in plan_of(task, domain).cases if case.decision == "do" and case.is_due]
        for ending in itertools.product(*outcomes):
            tools = {call.tool for calls in ending for call in calls}
            assert tools & set(domain.user_tools), task.id
            assert tools & set(domain.writing), task.id


def test_phone_has_many_tools_and_none_is_the_agents(env):
    env.reset(options={"task": task_of("telecom", DATA)})
    own = set(desk("telecom").user_tools)
    assert len(own) >= 25
    assert own <= {tool["function"]["name"] for tool in env.game.tools["user"]}
    assert not own & {tool["function"]["name"] for tool in env.tools}


def test_customer_does_what_it_is_asked_to_and_tells_what_it_saw(env):
    env.reset(options={"task": task_of("telecom", DATA)})
    before = phone_of(env)
    text = env.step(call_text(talk.INSTRUCT, action="toggle_bluetooth", arguments={}))[0]["text"]
    assert "did(action='toggle_bluetooth'" in text
    assert phone_of(env) == {**before, "bluetooth": 1 - before["bluetooth"]}
    text = env.step(call_text(talk.INSTRUCT, action="check_wifi", arguments={}))[0]["text"]
    assert f'"bluetooth": "{"off" if before["bluetooth"] else "on"}"' in text


def test_instruction_that_no_tool_takes_is_an_invalid_message(env):
    env.reset(options={"task": task_of("telecom", DATA)})
    *_, info = env.step(call_text(talk.INSTRUCT, action="set_network_mode", arguments={"mode": "6g"}))
    assert [event.component for event in info["reward_events"]] == ["format"]


@pytest.mark.parametrize("kind", TROUBLES)
def test_each_change_of_the_phone_counts(env, kind):
    task = task_with(Template((kind,), "do"))
    calls = play_script(env, task, "oracle").calls
    for place in [place for place, call in enumerate(calls) if writes_on_phone(call)]:
        assert not play_calls(env, task, [*calls[:place], *calls[place + 1 :]]).is_success, str(calls[place])


def test_access_point_takes_effect_only_at_a_restart_after_it(env):
    task = task_with(DATA, "set_apn", "reboot")
    calls = play_script(env, task, "oracle").calls
    restart = instruct("reboot")
    typed = next(place for place, call in enumerate(calls) if call.arguments.get("action") == "set_apn")
    early = [call for call in calls if call != restart]
    assert not play_calls(env, task, [*early[:typed], restart, *early[typed:]]).is_success


def test_needless_change_fails_unless_it_is_undone(env):
    task = task_of("telecom", DATA)
    calls = play_script(env, task, "oracle").calls
    extra = instruct("toggle_bluetooth")
    assert not play_calls(env, task, [*calls[:-2], extra, *calls[-2:]]).is_success
    assert play_calls(env, task, [*calls[:-2], extra, extra, *calls[-2:]]).is_success


def test_claiming_customer_has_changed_nothing_until_it_is_asked_for_a_check(env):
    task = task_with(SLOW, "disconnect_vpn", personas=("claiming",))
    calls = play_script(env, task, "oracle").calls
    env.reset(options={"task": task})
    seen = []
    for call in calls:
        text = env.step(call_text(call.tool, **call.arguments))[0]["text"]
        if call.arguments.get("action") == "disconnect_vpn":
            assert "did(action='disconnect_vpn', arguments={}, result='Done.')" in text
        seen.append(phone_of(env)["vpn"])
    last = next(place for place, call in enumerate(calls) if call == instruct("run_speed_test"))
    assert seen[:last] == [1] * last
    assert seen[-1] == 0


def test_claims_are_believed_at_a_price(env):
    """Who leaves without a check fails a customer that only claims, and none that does what it says."""
    for persona, is_success in (("claiming", False), ("plain", True)):
        task = task_with(SLOW, "disconnect_vpn", personas=(persona,))
        calls = [call for call in play_script(env, task, "oracle").calls if call != instruct("run_speed_test")]
        assert play_calls(env, task, calls).is_success is is_success


def test_claimed_change_is_made_when_it_is_asked_for_again(env):
    task = task_with(SLOW, "disconnect_vpn", personas=("claiming",))
    calls = play_script(env, task, "oracle").calls
    again = [each for call in calls for each in ([call, call] if writes_on_phone(call) else [call])]
    assert play_calls(env, task, [call for call in again if call != instruct("run_speed_test")]).is_success


def test_instruction_against_the_policy_breaks_a_rule_at_its_turn(env):
    task = task_with(SLOW, "set_network_mode")
    mode = plan_of(task, desk("telecom")).policy.network_mode
    calls = play_script(env, task, "oracle").calls
    other = instruct("set_network_mode", mode="4g" if mode == "auto" else "auto")
    changed = [other if call.arguments.get("action") == "set_network_mode" else call for call in calls]
    episode = play_calls(env, task, changed)
    (event,) = [event for event in episode.events if event.component == "violation"]
    assert (event.turn, event.detail["why"]) == (changed.index(other), "wrong_mode")
    assert not episode.is_success


def test_several_instructions_of_one_message_are_done_in_order(env):
    task = task_of("telecom", DATA)
    env.reset(options={"task": task})
    text = "".join(call_text(talk.INSTRUCT, action=name, arguments={}) for name in ("toggle_wifi", "check_wifi"))
    told = env.step(text)[0]["text"]
    assert told.index("toggle_wifi") < told.index("check_wifi")
    assert f'"wifi": "{"on" if phone_of(env)["wifi"] else "off"}"' in told


@pytest.mark.parametrize("persona", ["plain", "claiming"])
def test_fork_goes_on_by_itself_at_every_turn(env, persona):
    task = task_with(SLOW, "disconnect_vpn", personas=(persona,))
    calls = play_script(env, task, "oracle").calls
    env.reset(options={"task": task})
    for place, call in enumerate(calls):
        twin = env.fork()
        assert twin.anchor() == env.anchor()
        for rest in calls[place:]:
            *_, info = twin.step(call_text(rest.tool, **rest.arguments))
        assert info["success"], place
        env.step(call_text(call.tool, **call.arguments))


def test_every_phone_in_trouble_can_be_cured():
    """Whatever is wrong with a phone, each set of changes that is listed brings back what was missing."""
    domain = desk("telecom")
    world, rng, num_cured = domain.world("full"), random.Random(5), 0
    policy = domain.policy()
    for _ in range(150):
        with world.call(may_write=False):
            customer = domain.draw_customer(rng, world)
            name = rng.choice(list(TROUBLES))
            facts = domain.kinds[name].draw(rng, world, customer)
            if facts is None:
                continue
            goal = Goal(name, customer, facts)
            wanted = domain.kinds[name].wanted(world, goal, policy)
        assert wanted
        for calls in wanted:
            trial = world.fork()
            for call in calls:
                assert not domain.carry_out(trial, customer, call).is_failure, str(call)
            with trial.call(may_write=False):
                assert domain.kinds[name].draw(rng, trial, customer) is None, (name, calls)
            trial.close()
            num_cured += 1
    assert num_cured > 30


def test_a_look_after_a_change_at_the_desk_is_of_use(env):
    """An impatient customer leaves after two useless messages: here after the same look twice more."""
    task = task_with(SLOW, "add_data_pack", "set_network_mode", personas=("impatient",))
    calls = play_script(env, task, "oracle").calls
    bought = calls.index(next(call for call in calls if call.tool == "add_data_pack"))
    look = str(instruct("run_speed_test"))
    env.reset(options={"task": task})
    env.step(look)
    for call in calls[: bought + 1]:
        if call.tool != talk.INSTRUCT:
            env.step(str(call))
    env.step(call_text(talk.REPORT, action="add_data_pack"))
    for _ in range(2):
        observation, _, terminated, *_ = env.step(look)
        assert "mbit_per_second" in observation["text"]
        assert not terminated
    *_, terminated, _, _ = env.step(look)
    assert terminated


def test_a_customer_corrects_no_bill_that_is_the_one_it_means(env):
    """The bill is told as "the oldest open" and proposed by its number; only the fee is wrong."""
    for seed in range(60):
        task = task_of("telecom", Template(("pay_bill",), "do"), seed)
        (case,) = plan_of(task, env.game.domain).cases
        if case.goal.facts["bill"] == "the oldest open":
            break
    ((right,),) = case.outcomes
    env.reset(options={"task": task})
    env.step(call_text(talk.ASK, fact="bill"))
    for changed, is_corrected in (({"late_fee_cents": 1}, False), ({"bill": "B1"}, True)):
        arguments = {**right.arguments, **changed}
        observation, *_, info = env.step(call_text(talk.PROPOSE, action=right.tool, arguments=arguments))
        assert "deny(number=1)" in observation["text"]
        assert ("inform(fact='bill'" in observation["text"]) == is_corrected
        assert not [event for event in info["reward_events"] if event.component == "agenda"]


def test_without_a_customer_a_trouble_need_not_be_shown_to_be_gone():
    """A ticket's next request can be refused although the last change was not checked."""
    task = task_of("telecom", Template(("fix_data", "pay_bill"), "refuse", "already_paid"))
    played = replace(task, config={**task.config, "options": {"solo": True}})
    solo = env_of("telecom")
    calls = play_script(solo, played, "oracle").calls
    first, _ = plan_of(task, desk("telecom")).cases
    assert first.check in calls
    last_change = max(number for number, call in enumerate(calls) if call in first.outcomes[0])
    without_check = [call for number, call in enumerate(calls) if call != first.check or number < last_change]
    assert len(without_check) < len(calls)
    assert play_calls(solo, played, without_check).is_success
