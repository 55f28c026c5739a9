"""What no agent should send: a message that is answered, changes nothing and pays nothing; the task stays solvable."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym.arguments import tool_name
from agentgym.authoring.players import call_text
from agentgym.env import AgentEnv
from agentgym.message import Message, content_text
from agentgym.registration import make, spec
from agentgym_tools.apps.catalogue import APPS
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.workbench.env import WorkbenchEnv

DOMAINS = (
    "agentgym/Lookup-v0",
    "agentgym/Maths-v0",
    "agentgym/Python-v0",
    "agentgym/McpTools-v0",
    "agentgym/Sql-v0",
    "agentgym/Search-v0",
    "agentgym/SearchSelfPlay-v0",
    "agentgym/Apps-v0",
    "agentgym/Workbench-v0",
    *(f"agentgym/{name.title()}Desk-v0" for name in sorted(DESKS)),
)
ENDING = {
    "answer",
    "finish",
    "submit",
    "close",
    "transfer",
    "refuse",
    "tell",
    "report",
    "propose",
    "ask",
    "instruct",
} | {
    *("done", "decline", "ask_user"),
}
"""Tools whose well-formed calls end a task, or say something to somebody."""
LAWFUL = {"set_brake", "set_cruise_speed", "set_fan", "set_lights", "set_mode", "start_engine", "stop_engine"} | {
    *("stop_navigation", "publish_post"),
}
"""Tools of a workbench that change something for just about any text and number."""
MCP_TESTS = Path(__file__).parent / "mcp"
SQL = "x'; DROP TABLE customers; DELETE FROM orders; --"


@pytest.fixture(scope="module", params=DOMAINS, ids=lambda env_id: env_id.removeprefix("agentgym/"))
def env_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def env(env_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentEnv]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache-of-bad-input"))
        made = make(env_id, **options_of(env_id, tmp_path_factory)).unwrapped
        yield made
        made.close()


def options_of(env_id: str, paths: pytest.TempPathFactory) -> dict[str, Any]:
    """Options with which an environment is made in little time: small worlds, and sandboxes that are processes."""
    if "McpTools" in env_id:
        return {"sandbox": "process", **own_server(paths.mktemp("own-server"))}
    sandboxed = {"sandbox": "process"} if "Maths" in env_id or "Python" in env_id else {}
    articles = {"articles": 300} if "Search" in env_id else {}
    return sandboxed | articles | ({"distractors": 0} if "Workbench" in env_id else {})


def own_server(folder: Path) -> dict[str, Path]:
    """A server of MCP that adds, and a task for it."""
    command = {"command": "python3", "args": ["{folder}/faulty_server.py", "none"], "folder": str(MCP_TESTS)}
    rule = {"rule": "answer", "type": "number", "value": "42"}
    task = {"instruction": "Add 20 and 22.", "rules": [rule], "calls": [["sums__add", {"one": 20, "other": 22}]]}
    (folder / "servers.json").write_text(json.dumps({"mcpServers": {"sums": {**command, "tools": ["add"]}}}))
    (folder / "tasks.jsonl").write_text(json.dumps(task))
    return {"servers": folder / "servers.json", "tasks": folder / "tasks.jsonl"}


def wrong(env: AgentEnv, text: Any, number: Any) -> list[str]:
    """A call of each tool with values that it refuses, acts and ends among them, and of APIs of apps."""
    calls = [
        call_text(tool_name(tool), **{name: _value(schema, text, number) for name, schema in fields(tool).items()})
        for tool in some(env)
        if fields(tool)
    ]
    return [*calls, *([] if not has_apps(env) else called_apis(text, number))]


def not_numbers(env: AgentEnv) -> list[str]:
    """Calls of each tool that takes a number, of one that takes none, and of APIs of apps, with NaN or no end."""
    numeric = [tool for tool in env.tools if any(map(_is_number, fields(tool).values()))]
    calls = [
        call_text(tool_name(tool), **{name: _value(schema, "x", number) for name, schema in fields(tool).items()})
        for tool in numeric
        for number in (math.nan, math.inf)
    ]
    others = [tool for tool in env.tools if fields(tool) and tool not in numeric][:1]
    texts = [call_text(tool_name(tool), **dict.fromkeys(fields(tool), math.nan)) for tool in others]
    endless = [text.replace("Infinity", "1e999") for text in calls if "Infinity" in text]
    return [*texts, *calls, *endless, *([] if not has_apps(env) else called_apis("x", math.nan))]


def called(env: AgentEnv, text: Any, number: Any) -> list[str]:
    """A call of each tool that ends nothing, with these values for its texts and numbers."""
    found = []
    for tool in some(env):
        if tool_name(tool) not in ENDING | LAWFUL:
            values = {name: _value(schema, text, number) for name, schema in fields(tool).items()}
            found.append(call_text(tool_name(tool), **values))
    return [*found, *([] if not has_apps(env) else called_apis(text, number))]


def has_apps(env: AgentEnv) -> bool:
    return any(tool_name(tool) == "call_api" for tool in env.tools)


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


def fields(tool: Any) -> dict[str, Any]:
    found: dict[str, Any] = tool["function"]["parameters"].get("properties", {})
    return found


def _is_number(schema: dict[str, Any]) -> bool:
    return schema.get("type") in ("integer", "number")


def _value(schema: dict[str, Any], text: Any, number: Any) -> Any:
    if _is_number(schema):
        return number
    return [text] if schema.get("type") == "array" else text


def raw(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


MESSAGES = {
    "unknown tool": lambda env: [call_text("fly_to_the_moon", speed=3)],
    "wrong types": lambda env: wrong(env, {"a": [1]}, "three"),
    "missing arguments": lambda env: [call_text(tool_name(tool)) for tool in some(env) if _needs(tool)],
    "arguments that are none": lambda env: [raw(tool_name(env.tools[0]), "[1, 2]")],
    "nearly a megabyte": lambda env: called(env, "x" * 900_000, 10**400),
    "SQL": lambda env: called(env, SQL, 1),
    "NaN": not_numbers,
    "negative amounts": lambda env: called(env, "-100", -100),
    "control characters": lambda env: called(env, "\x00\u202e\x1b[31m", 0),
    "half a character": lambda env: [raw(tool_name(tool), '{"query": "\\ud800"}') for tool in some(env)],
    "others' ids": lambda env: called(env, "C1", 1),
    "a call cut short": lambda env: ['<tool_call>{"name": "' + tool_name(env.tools[0])],
    "deep nesting": lambda env: [raw(tool_name(env.tools[0]), '{"x": ' + "[" * 5000 + "]" * 5000 + "}")],
}
REFUSED: Mapping[str, Sequence[str]] = {
    "unknown tool": (),
    "wrong types": (),
    "missing arguments": (),
    "arguments that are none": (),
    "NaN": ("NaN is not valid JSON", "Infinity is not valid JSON", "the number 1e999 is too large"),
    "half a character": ("half of a surrogate pair",),
    "a call cut short": ("Unterminated string",),
    "deep nesting": ("deep",),
}
"""Messages of which no call is run, and the words that say why where neither tool nor parameter is named."""


def names_in(text: str) -> set[str]:
    """Names of tools, APIs and parameters that a message has."""
    return {name for name in re.findall(r'"(\w+)"', text) if name not in ("name", "arguments", "x", "a")}


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
    assert messages or (name, env_id) == ("missing arguments", "agentgym/McpTools-v0"), "its server requires none"
    # What is refused unread cannot change anything: some of these messages stand for all.
    for text in messages[:: 6 if name in REFUSED else 1]:
        is_solved, rewards = solve(env, env_id, [text])
        assert max(rewards) <= 0
        assert is_solved, text[:200]


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_message_is_told_which_tool_or_value_is_wrong(env: AgentEnv, name: str) -> None:
    env.reset(seed=5)
    for text in MESSAGES[name](env):
        env.reset(seed=5)
        _, reward, terminated, truncated, info = env.step(text)
        said = "\n".join(map(content_text, info["messages"]))
        assert any(word in said for word in [*REFUSED[name], *names_in(text)]), (text[:200], said[:200])
        assert (float(reward) <= 0, terminated, truncated) == (True, False, False), text[:200]


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
