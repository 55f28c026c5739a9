"""Harder desks: what the agent sees under each option, and that right work still wins and wrong work does not."""

import json
from dataclasses import replace

import pytest

from agentgym.arguments import tool_name
from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.message import content_text
from agentgym.registration import make
from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.many_tools import NUM_TOOLS, index_of
from agentgym_tools.desks.conditions.options import FAILED_ONCE, NOT_OURS, Options, interface_of
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.game import AGENT, DeskGame
from agentgym_tools.desks.scripts import PARTNERS, SCRIPTS
from agentgym_tools.desks.unlisted import shown_tools
from agentgym_tools.worlds.calls import Call

HARDEST = {"distractors": "all", "scrambled": "all", "solo": True, "fails_once": True}


def tasks_of(name, options, step=60):
    suite = f"tools/desk-{name}"
    return [
        replace(task, config={**task.config, "options": options}) for task in load_suite(suite).tasks("test")[::step]
    ]


@pytest.fixture
def shop_task():
    return lambda **options: tasks_of("shop", options)[0]


def play(task, name):
    """The last reply of an episode, and what the agent was answered."""
    game = DeskGame(desk=task.config["desk"])
    players = {AGENT: SCRIPTS[AGENT][name](task, 0), "user": PARTNERS["user"](task, 0)}
    heard = {role: [] for role in players}
    reply = None
    for role, messages in game.reset(task).items():
        heard[role] += messages
    while (role := game.acting_role) is not None:
        said = players[role].act(heard[role])
        heard[role].append({"role": "assistant", "content": said})
        reply = game.step(said)
        for each, messages in reply.inbox.items():
            heard[each] += messages
    return reply, [content_text(message) for message in heard[AGENT] if message["role"] == "tool"]


@pytest.mark.parametrize("name", DESKS)
@pytest.mark.parametrize(
    "options",
    [{"scrambled": "names"}, {"solo": True}, {"fails_once": True}, {"finds_tools": True}, HARDEST],
    ids=lambda options: "+".join(options),
)
def test_the_oracle_wins_under_each_option(name, options):
    for task in tasks_of(name, options, step=150):
        assert play(task, "oracle")[0].successes[AGENT], task.id


@pytest.mark.parametrize("name", ["shop", "telecom"])
def test_nobody_else_wins_without_a_customer(name):
    losers = [script for script in SCRIPTS[AGENT] if script not in ("oracle", "demo", "hasty", "gullible")]
    for task in tasks_of(name, {"solo": True}):
        assert [script for script in losers if play(task, script)[0].successes[AGENT]] == []


def test_distractors_are_tools_of_other_desks_and_do_nothing(shop_task):
    own = {tool_name(tool) for tool in interface_of(shop_task(), desk("shop")).tools}
    for count in (3, 10):
        shown = [tool_name(tool) for tool in interface_of(shop_task(distractors=count), desk("shop")).tools]
        assert len(shown) == len(set(shown)) == len(own) + count
    everything = interface_of(shop_task(distractors="all"), desk("shop"))
    others = {name for other in DESKS if other != "shop" for name in desk(other).listed}
    assert {tool_name(tool) for tool in everything.tools} == own | others
    game = DeskGame()
    game.reset(shop_task(distractors="all"))
    game.step(str(Call(talk.WAIT)))
    before = game.anchor()
    reply = game.step(call_text("get_flight", flight_id="F1"))
    assert content_text(reply.inbox[AGENT][0]) == NOT_OURS
    assert game.anchor() == before


def test_tools_have_to_be_found_before_they_can_be_called(shop_task):
    game = DeskGame()
    game.reset(shop_task(finds_tools=True))
    game.step(str(Call(talk.WAIT)))
    assert tool_name(game.tools[AGENT][0]) == "find_tools"
    assert not {tool_name(tool) for tool in game.tools[AGENT]} & set(desk("shop").toolbox.tools)
    order = call_text("get_order", order_id="W1")
    before, twin = game.anchor(), game.fork()
    assert "Call find_tools" in content_text(game.step(order).inbox[AGENT][0])
    found = content_text(game.step(call_text("find_tools", query="read an order")).inbox[AGENT][0])
    assert '"get_order"' in found
    assert "has not been found" not in content_text(game.step(order).inbox[AGENT][0])
    assert game.step(call_text("list_payments", customer_id="C1")).is_invalid
    assert twin.anchor() == before
    assert "Call find_tools" in content_text(twin.step(order).inbox[AGENT][0])


def test_acts_name_only_tools_that_were_found(shop_task):
    game = DeskGame()
    game.reset(shop_task(finds_tools=True))
    game.step(str(Call(talk.WAIT)))
    shown = json.dumps(game.tools[AGENT])
    assert not [name for name in desk("shop").toolbox.tools if name in shown]
    cancelling = {"action": "cancel_order", "arguments": {"order_id": "W1", "reason": "no longer needed"}}
    for act in (call_text(talk.PROPOSE, **cancelling), call_text(talk.REPORT, action="cancel_order")):
        told = content_text(game.fork().step(act).inbox[AGENT][0])
        assert "cancel_order has not been found yet. Call find_tools" in told
    assert '"cancel_order"' in content_text(game.step(call_text("find_tools", query="cancel order")).inbox[AGENT][0])
    for act in (call_text(talk.PROPOSE, **cancelling), call_text(talk.REPORT, action="cancel_order")):
        assert not game.fork().step(act).is_invalid


@pytest.mark.parametrize("name", DESKS)
def test_each_tool_of_a_desk_is_found_among_500_by_its_description_and_by_its_name(name):
    domain = desk(name)
    index = index_of(domain)
    assert len(index.tools) == NUM_TOOLS
    for own, tool in shown_tools(domain).items():
        assert own in index.ranked(tool["function"]["description"], 5)
        assert own in index.ranked(own.replace("_", " "), 5)


def test_scrambled_names_say_nothing_and_the_policy_uses_them(shop_task):
    task = shop_task(scrambled="names")
    game = DeskGame()
    told = content_text(game.reset(task)[AGENT][0])
    plain = content_text(DeskGame().reset(shop_task())[AGENT][0])
    real = desk("shop").toolbox.tools
    assert any(name in plain for name in real)
    assert not any(name in told for name in real)
    shown = {tool_name(tool): tool for tool in game.tools[AGENT]}
    assert not set(shown) & set(real)
    action = shown["propose"]["function"]["parameters"]["properties"]["action"]
    assert set(action["enum"]) <= set(shown)
    interface = interface_of(task, desk("shop"))
    call = Call("cancel_order", {"order_id": "W1", "reason": "too slow"})
    assert interface.read(interface.write(call)) == call
    proposal = Call("propose", {"action": "cancel_order", "arguments": dict(call.arguments)})
    assert interface.read(interface.write(proposal)) == proposal
    assert "cancel_order" not in str(interface.write(proposal))


def test_names_differ_from_task_to_task(shop_task):
    task = shop_task(scrambled="names")
    other = replace(task, seed=task.seed + 1)
    named = [[tool_name(tool) for tool in interface_of(each, desk("shop")).tools] for each in (task, task, other)]
    assert named[0] == named[1] != named[2]


def test_errors_use_the_scrambled_names(shop_task):
    task = shop_task(scrambled="names")
    game = DeskGame()
    game.reset(task)
    game.step(str(Call(talk.WAIT)))
    name = interface_of(task, desk("shop")).write(Call("find_customer_by_email")).tool
    reply = game.step(call_text(name, p1=3))
    assert name in content_text(reply.inbox[AGENT][0])
    assert "find_customer" not in content_text(reply.inbox[AGENT][0])


def test_errors_of_proposals_use_the_scrambled_names_too(shop_task):
    task = shop_task(scrambled="names")
    game = DeskGame()
    game.reset(task)
    game.step(str(Call(talk.WAIT)))
    wrong = interface_of(task, desk("shop")).write(
        Call("propose", {"action": "cancel_order", "arguments": {"order_id": 3}})
    )
    reply = game.step(call_text("propose", **wrong.arguments))
    assert reply.is_invalid
    assert wrong.arguments["action"] in content_text(reply.inbox[AGENT][0])
    assert "cancel_order" not in content_text(reply.inbox[AGENT][0])


def test_missing_descriptions_are_missing(shop_task):
    tools = interface_of(shop_task(scrambled="descriptions"), desk("shop")).tools
    (order,) = [tool for tool in tools if tool_name(tool) == "get_order"]
    assert order["function"]["description"] == "A tool of the desk."
    assert "description" not in order["function"]["parameters"]["properties"]["order_id"]


def test_a_call_fails_once_and_changes_nothing(shop_task):
    for task in tasks_of("shop", {"fails_once": True}):
        _, answers = play(task, "oracle")
        assert answers.count(FAILED_ONCE) <= 1
    task = next(each for each in tasks_of("shop", {"fails_once": True}) if FAILED_ONCE in play(each, "oracle")[1])
    game = DeskGame()
    game.reset(task)
    game.step(str(Call(talk.WAIT)))
    answers = [content_text(game.step(call_text("get_order", order_id="W1")).inbox[AGENT][0]) for _ in range(6)]
    assert answers.count(FAILED_ONCE) == 1


def test_a_ticket_tells_what_the_customer_knows(shop_task):
    task = shop_task(solo=True)
    game = DeskGame()
    inbox = game.reset(task)
    assert list(inbox) == list(game.roles) == [AGENT]
    ticket = content_text(inbox[AGENT][1])
    for goal in task.private["goals"]:
        for fact, value in goal["facts"].items():
            assert (str(value) in ticket) != (fact in goal.get("unknown", ()))
    assert not {"ask", "propose"} & {tool_name(tool) for tool in game.tools[AGENT]}


def test_nobody_can_play_the_customer_of_a_ticket(shop_task):
    env = make("agentgym/ShopDesk-v0", role="user")
    with pytest.raises(TaskError, match="no role 'user'"):
        env.reset(options={"task": shop_task(solo=True)})


def test_a_game_goes_from_a_ticket_back_to_a_customer(shop_task):
    game = DeskGame()
    game.reset(shop_task(solo=True))
    game.reset(shop_task())
    assert game.roles == (AGENT, "user")
    assert game.acting_role == "user"
    assert "propose" in {tool_name(tool) for tool in game.tools[AGENT]}


def test_options_of_the_environment_are_those_of_its_tasks():
    game = DeskGame(size="small", solo=True, distractors=3)
    assert Options.of(game.make_task(1)) == Options(distractors=3, solo=True)
    assert "options" not in DeskGame(size="small").make_task(1).config


@pytest.mark.parametrize(
    "options", [{"distractors": -1}, {"distractors": "some"}, {"scrambled": True}, {"solo": 1}, {"distractors": 2.5}]
)
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(ConfigError, match="got"):
        DeskGame(**options)


def test_unknown_options_of_a_task_are_refused(shop_task):
    with pytest.raises(ConfigError, match="expected some of"):
        DeskGame().reset(shop_task(harder=True))
