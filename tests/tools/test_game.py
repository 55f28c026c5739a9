from __future__ import annotations

import re

import pytest

from agentgym import RoleView
from agentgym.errors import ContractError
from agentgym.game import GameReply
from agentgym.policies.partner import PartnerPolicy
from agentgym.policy import Reply
from agentgym.rollout import Job, collect_episodes
from agentgym.rollout.settings import RolloutSettings
from agentgym.tools import tool
from tests.toys.game import saying
from tests.toys.phone import AGENT, USER, Phone, phone_task

AGENT_SAYS = ("book(gigabytes=2)", "Please restart your phone.", "close_case()")
USER_SAYS = ('[{"name": "restart", "arguments": {}}, {"name": "look", "arguments": {}}]', "It works, thank you!")


@pytest.fixture
def game():
    game = Phone()
    game.reset(phone_task())
    return game


def texts(reply, role):
    return [message["content"] for message in reply.inbox.get(role, ())]


def test_a_role_acts_again_after_calls_until_it_speaks(game):
    booked = game.step("book(gigabytes=2)")
    assert (game.acting_role, texts(booked, AGENT), texts(booked, USER)) == (AGENT, ["2 GB booked."], [])
    asked = game.step(AGENT_SAYS[1])
    assert (game.acting_role, texts(asked, AGENT), texts(asked, USER)) == (USER, [], ["Please restart your phone."])


def test_each_role_calls_its_own_tools_and_both_change_one_world(game):
    game.step("book(gigabytes=2)")
    game.step("Restart it.")
    reply = game.step(USER_SAYS[0])
    assert [(m["role"], m["name"], m["tool_call_id"], m["content"]) for m in reply.inbox[USER]] == [
        ("tool", "restart", "call_0", "It works."),
        ("tool", "look", "call_1", "It works."),
    ]
    assert reply.inbox.get(AGENT, []) == []
    game.step("Done.")
    closed = game.step("close_case()")
    assert (texts(closed, AGENT), texts(closed, USER)) == (["Closed."], ["The case was closed."])
    assert closed.successes == {AGENT: True, USER: True}
    assert game.turns == {AGENT: 3, USER: 2}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("restart()", "There is no tool 'restart'"),
        ('book(gigabytes="2")', "book.gigabytes must be an integer"),
        ("bok(1)", "Did you mean book"),
        ('I book. <tool_call>{"name": "book"}</tool_call>', "book needs the argument 'gigabytes'"),
        ('{"name": "book", "arguments": {"gigabytes": 1}', "not valid JSON"),
    ],
)
def test_a_wrong_call_is_refused_and_said_to_nobody(game, text, why):
    reply = game.step(text)
    assert reply.is_invalid
    assert (game.acting_role, game.booked) == (AGENT, 0)
    assert why in texts(reply, AGENT)[0]
    assert reply.inbox.keys() == {AGENT}


@pytest.mark.parametrize("text", ["Yes (two).", "[smiles] It is 2 GB.", "<think>book(1)</think>Hello.", "2"])
def test_what_is_no_call_is_said(game, text):
    reply = game.step(text)
    assert texts(reply, USER) == [text.rpartition(">")[2]]


def test_calls_beyond_the_limit_and_after_the_end_are_not_run(game):
    game.max_calls = 2
    reply = game.step("book(1); book(1); book(1)")
    assert texts(reply, AGENT)[2] == "Not run: at most 2 calls a message."
    game.step("close_case(); book(5)")
    assert game.booked == 2


def test_a_game_may_pass_the_turn_after_calls(game, monkeypatch):
    monkeypatch.setattr(Phone, "after_calls", lambda self, role: setattr(self, "acting_role", USER))
    game.step("book(gigabytes=2)")
    assert game.acting_role == USER


def test_calls_count_as_turns():
    game = Phone()
    game.reset(phone_task(max_turns=2))
    game.step("book(1)")
    assert str(game.step("book(1)").outcome) == "truncated:turns"


def test_a_forked_game_has_a_world_of_its_own(game):
    twin = game.fork()
    twin.step("book(gigabytes=2)")
    assert (game.booked, twin.booked) == (0, 2)


def test_a_tool_that_returns_something_else_is_named(game, monkeypatch):
    monkeypatch.setattr(Phone, "call", lambda self, role, call: None)
    with pytest.raises(ContractError, match=r"returned None, expected an agentgym\.GameReply"):
        game.step("book(gigabytes=2)")


def test_a_tool_whose_reward_is_no_event_is_named_with_its_own_line(game, monkeypatch):
    def book(self, gigabytes: int) -> GameReply:
        """Book some.

        Args:
            gigabytes: How many.
        """
        return GameReply({}, 1.0)

    monkeypatch.setattr(game, "tools", {AGENT: [tool(book).__get__(game)]})
    place = rf"\({re.escape(__file__)}, line {book.__code__.co_firstlineno}\)"
    with pytest.raises(ContractError, match=rf"book\(\) {place} returned a reply whose events are the float 1.0"):
        game.step("book(gigabytes=2)")


@pytest.mark.parametrize("role", [AGENT, USER])
def test_a_view_plays_either_role_with_the_others_tools_in_its_partner(role):
    said = {AGENT: AGENT_SAYS, USER: USER_SAYS}
    other = USER if role == AGENT else AGENT
    view = RoleView(Phone(), role, {other: saying(*said[other])})
    view.reset(options={"task": phone_task()})
    assert view.tools == Phone.tools[role]
    for text in said[role]:
        *_, info = view.step(text)
    assert (str(info["outcome"]), info["success"]) == ("terminated", True)
    heard = view.partners[other]
    assert heard.texts == [said[other][-1]]


def test_a_partner_is_shown_its_calls_and_their_results(game):
    class Listener:
        def act(self, messages):
            self.heard = list(messages)
            return USER_SAYS[sum(message["role"] == "assistant" for message in messages)]

    view = RoleView(Phone(), AGENT, {USER: lambda task, seed: Listener()})
    view.reset(options={"task": phone_task()})
    view.step("Restart it.")
    call, *results = view.partners[USER].heard[2:]
    assert [made["id"] for made in call["tool_calls"]] == [result["tool_call_id"] for result in results]


class Players:
    """A policy of text that plays both roles."""

    name, uses_tokens, concurrency = "players", False, 1

    def __init__(self):
        self.tools = {}

    def generate(self, requests):
        self.tools |= {request.role: [tool["function"]["name"] for tool in request.tools] for request in requests}
        return [Reply({AGENT: AGENT_SAYS, USER: USER_SAYS}[request.role][request.turn]) for request in requests]

    def forget(self, episode):
        pass


def test_rollouts_show_each_role_its_tools_and_record_calls_with_their_results():
    policy = Players()
    records, _ = collect_episodes(
        [Job(phone_task(), "e0", 0)], lambda task: Phone(), {"*": policy}, RolloutSettings(max_concurrent=1)
    )
    assert policy.tools == {AGENT: ["book", "close_case"], USER: ["restart", "look"]}
    agent, holder = records
    assert [(record.success, record.total_reward) for record in records] == [(True, 1.0), (True, 1.0)]
    assert [message["role"] for message in agent.transcript()] == [
        "user",
        *("assistant", "tool"),
        "assistant",
        "user",
        "assistant",
    ]
    told = [[message["role"] for message in turn.messages] for turn in holder.turns]
    assert told == [["user", "user"], ["tool", "tool"]]
    assert [call["function"]["name"] for call in holder.turns[0].reply["tool_calls"]] == ["restart", "look"]


def test_a_partner_in_a_rollout_calls_its_tools():
    policies = {AGENT: Players(), USER: PartnerPolicy(Players())}
    records, _ = collect_episodes([Job(phone_task(), "e0", 0)], lambda task: Phone(), policies, RolloutSettings())
    assert [(record.role, record.success) for record in records] == [(AGENT, True)]
