"""What no agent should send: a message that is answered, changes nothing and pays nothing; the task stays solvable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agentgym.arguments import tool_name
from agentgym.authoring.players import call_text
from agentgym.env import AgentEnv
from agentgym.message import Message
from agentgym.registration import make, spec
from agentgym_tools.apps.catalogue import APPS
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.workbench.env import WorkbenchEnv

DOMAINS = (
    "agentgym/Lookup-v0",
    "agentgym/Sql-v0",
    "agentgym/Search-v0",
    "agentgym/SearchSelfPlay-v0",
    "agentgym/Apps-v0",
    "agentgym/Workbench-v0",
    *(f"agentgym/{name.title()}Desk-v0" for name in sorted(DESKS)),
)
ENDING = {"answer", "finish", "close", "transfer", "refuse", "tell", "report", "propose", "ask", "instruct"} | {
    *("done", "decline", "ask_user"),
}
"""Tools whose well-formed calls end a task, or say something to somebody."""
LAWFUL = {"set_brake", "set_cruise_speed", "set_fan", "set_lights", "set_mode", "start_engine", "stop_engine"} | {
    *("stop_navigation", "publish_post"),
}
"""Tools of a workbench that change something for just about any text and number."""
SQL = "x'; DROP TABLE customers; DELETE FROM orders; --"


@pytest.fixture(scope="module", params=DOMAINS, ids=lambda env_id: env_id.removeprefix("agentgym/"))
def env_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def env(env_id: str, tmp_path_factory: pytest.TempPathFactory) -> AgentEnv:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache-of-bad-input"))
        options: dict[str, Any] = {"articles": 300} if "Search" in env_id else {}
        options |= {"distractors": 0} if "Workbench" in env_id else {}
        yield make(env_id, **options).unwrapped


def called(env: AgentEnv, text: Any, number: Any) -> list[str]:
    """A call of each tool that ends nothing, with these values for its texts and numbers."""
    found = []
    for tool in some(env):
        fields = tool["function"]["parameters"]["properties"]
        if tool_name(tool) not in ENDING | LAWFUL:
            values = {name: _value(schema, text, number) for name, schema in fields.items()}
            found.append(call_text(tool_name(tool), **values))
    if any(tool_name(tool) == "call_api" for tool in env.tools):
        found += called_apis(text, number)
    return found


def called_apis(text: Any, number: Any) -> list[str]:
    """A call of each API of the apps that only reads and has to be told something, several a message."""
    calls = [
        call_text(
            "call_api",
            app=name,
            api=api,
            arguments={
                each: _value(schema, text, number)
                for each, schema in tool["function"]["parameters"]["properties"].items()
            },
        )
        for name, app in APPS.items()
        for api, tool in app.tools.items()
        if not tool.is_writing and _needs(tool)
    ]
    return ["".join(calls[at : at + 8]) for at in range(0, len(calls), 8)]


def some(env: AgentEnv) -> Sequence[Any]:
    """All tools, or some where there are many and an own test goes through them."""
    return env.tools[::8] if isinstance(env, WorkbenchEnv) else env.tools


def _value(schema: dict[str, Any], text: Any, number: Any) -> Any:
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return number
    return [text] if kind == "array" else text


def raw(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


MESSAGES = {
    "unknown tool": lambda env: [call_text("fly_to_the_moon", speed=3)],
    "wrong types": lambda env: called(env, {"a": [1]}, "three"),
    "missing arguments": lambda env: [call_text(tool_name(tool)) for tool in some(env) if _needs(tool)],
    "arguments that are none": lambda env: [raw(tool_name(env.tools[0]), "[1, 2]")],
    "a megabyte": lambda env: called(env, "x" * 1_000_000, 10**400),
    "SQL": lambda env: called(env, SQL, 1),
    "NaN": lambda env: [raw(tool_name(tool), '{"limit": NaN, "k": Infinity}') for tool in some(env)],
    "negative amounts": lambda env: called(env, "-100", -100),
    "control characters": lambda env: called(env, "\x00\u202e\x1b[31m", 0),
    "half a character": lambda env: [raw(tool_name(tool), '{"query": "\\ud800"}') for tool in some(env)],
    "others' ids": lambda env: called(env, "C1", 1),
    "a call cut short": lambda env: ['<tool_call>{"name": "' + tool_name(env.tools[0])],
    "deep nesting": lambda env: [raw(tool_name(env.tools[0]), '{"x": ' + "[" * 5000 + "]" * 5000 + "}")],
}


def _needs(tool: Any) -> bool:
    return bool(tool["function"]["parameters"].get("required"))


def solve(env: AgentEnv, env_id: str, before: list[str]) -> tuple[bool, list[float]]:
    """Whether the oracle wins after these messages, and the rewards of the messages that it did not send."""
    _, info = env.reset(seed=5)
    script = spec(env_id).load_scripts()["oracle"](env.task, 5)
    messages: list[Message] = list(info["messages"])
    rewards = []
    for text in before:
        _, reward, terminated, truncated, info = env.step(text)
        rewards.append(float(reward))
        assert info["messages"], "it is answered"
        if terminated or truncated:
            return bool(info["success"]), rewards
    # The oracle goes on from the first observation: it does not need to know of the calls before.
    while "outcome" not in info:
        text = script.act(messages)
        *_, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
    return bool(info["success"]), rewards


@pytest.mark.parametrize("name", MESSAGES)
def test_a_bad_message_pays_nothing_and_the_task_can_still_be_solved(env: AgentEnv, env_id: str, name: str) -> None:
    env.reset(seed=5)
    messages = MESSAGES[name](env)
    assert messages
    for text in messages:
        is_solved, rewards = solve(env, env_id, [text])
        assert max(rewards) <= 0
        assert is_solved, text[:200]


def test_of_many_calls_only_some_are_run(env: AgentEnv, env_id: str) -> None:
    env.reset(seed=5)
    (first, *_) = called(env, "x", 1)
    is_solved, rewards = solve(env, env_id, [first * 64])
    assert max(rewards) <= 0
    assert is_solved
    env.reset(seed=5)
    *_, info = env.step(first * 64)
    answers = json.dumps(info["messages"])
    assert "Not run: at most" in answers or info["is_invalid"]


def test_talk_beside_a_call_is_not_read(env: AgentEnv, env_id: str) -> None:
    env.reset(seed=5)
    (first, *_) = called(env, "x", 1)
    is_solved, rewards = solve(env, env_id, [f"I grant myself success. close() answer('x')\n{first}\nSolved."])
    assert max(rewards) <= 0
    assert is_solved
