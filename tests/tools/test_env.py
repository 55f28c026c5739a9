from __future__ import annotations

import json
import re

import pytest

from agentgym.env import EnvReply
from agentgym.errors import ContractError
from agentgym.message import tool_result
from agentgym.task import Task
from agentgym.tools import ToolEnv, said, tool, tool_schema


class Till(ToolEnv):
    """Add coins up, then pay."""

    tools = (
        tool_schema("add", "Put a coin in.", cents={"type": "integer", "description": "1 to 50"}),
        tool_schema("pay", "Pay what is in.", to="Whom."),
    )
    max_calls = 3

    def make_task(self, seed):
        return Task(f"till:{seed}", seed, "Pay 7 to Ann.")

    def begin(self, task):
        self.cents = 0
        return said(task.instruction).messages

    def call(self, call):
        if call.name == "add":
            self.cents += call.arguments["cents"]
            return said(f"{self.cents} in")
        won = self.cents == 7 and call.arguments["to"] == "Ann"
        return EnvReply([tool_result(call.id, call.name, "paid")], [self.event("success", float(won))], True, won)


@pytest.fixture
def env():
    env = Till()
    env.reset(seed=0)
    return env


def calls(*pairs):
    return json.dumps(
        [{"id": f"c{i}", "name": name, "arguments": arguments} for i, (name, arguments) in enumerate(pairs)]
    )


def test_tool_schema_requires_every_parameter():
    function = Till.tools[1]["function"]
    assert function["parameters"]["required"] == ["to"]
    assert function["parameters"]["properties"]["to"] == {"type": "string", "description": "Whom."}
    assert function["parameters"]["additionalProperties"] is False


def test_each_call_of_a_message_gets_a_tool_message_in_one_turn(env):
    observation, _, terminated, _, info = env.step(calls(("add", {"cents": 3}), ("add", {"cents": 4})))
    assert observation["text"] == "3 in\n7 in"
    assert [(m["role"], m["tool_call_id"], m["name"]) for m in info["messages"]] == [
        ("tool", "c0", "add"),
        ("tool", "c1", "add"),
    ]
    assert (terminated, info["turn"]) == (False, 0)


def test_calls_after_the_end_are_not_run(env):
    env.step("add(cents=7)")
    _, reward, terminated, _, info = env.step(calls(("pay", {"to": "Ann"}), ("add", {"cents": 1})))
    assert (reward, terminated, env.cents) == (1.0, True, 7)
    assert [m["content"] for m in info["messages"]] == ["paid"]


def test_calls_beyond_the_limit_are_answered_but_not_run(env):
    observation, *_ = env.step(calls(*[("add", {"cents": 1})] * 5))
    assert env.cents == 3
    assert observation["text"].splitlines()[3:] == ["Not run: at most 3 calls a message."] * 2


@pytest.mark.parametrize("text", ["I pay.", "add()", 'add(cents="1")', "ad(cents=1)", "add(cents=1, to='x')", "add(1"])
def test_bad_calls_are_invalid_and_run_nothing(env, text):
    *_, info = env.step(text)
    assert info["is_invalid"]
    assert env.cents == 0


def test_one_bad_call_keeps_the_good_ones_of_its_message_from_running(env):
    *_, info = env.step(calls(("add", {"cents": 1}), ("steal", {})))
    assert info["is_invalid"]
    assert env.cents == 0


def test_a_call_that_returns_no_reply_is_named(env, monkeypatch):
    monkeypatch.setattr(Till, "call", lambda self, call: None)
    with pytest.raises(ContractError, match=r"line \d+\) returned None, expected an agentgym.EnvReply"):
        env.step(json.dumps({"name": "pay", "arguments": {"to": "Ann"}}))


class Vault(ToolEnv):
    """One tool whose reward is no event."""

    def make_task(self, seed):
        return Task(f"vault:{seed}", seed, "Open it.")

    def begin(self, task):
        return said(task.instruction).messages

    @tool
    def unlock(self) -> EnvReply:
        """Open it."""
        return EnvReply([], 1.0, True, True)

    @tool
    def knock(self) -> EnvReply:
        """Knock."""
        return EnvReply("Nobody is in.")


@pytest.mark.parametrize(
    ("method", "returned"), [("unlock", "whose events are the float 1.0"), ("knock", "whose messages are the str")]
)
def test_a_tool_that_returns_a_wrong_reply_is_named_with_its_own_line(method, returned):
    env = Vault()
    env.reset(seed=0)
    with pytest.raises(ContractError, match=rf"^Vault.{method}\(\) \({re.escape(__file__)}, line \d+\) .*{returned}"):
        env.step(f"{method}()")
