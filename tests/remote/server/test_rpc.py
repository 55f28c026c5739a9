"""MCP's own client against environments of ours, and JSON-RPC over a WebSocket."""

import asyncio
import json
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import httpx
    import websockets.sync.client
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.exceptions import McpError

from agentgym.registration import make, spec
from agentgym.remote import frames
from agentgym.wrappers.role_view import RoleView
from tests.remote.raw import Talk, dial, read_all, shake
from tests.toys.game import saying
from tests.toys.phone import Phone

TOKEN = "a token of the tests"


def with_client(url, use, query="", headers=None):
    """Run a coroutine function with an initialized session of MCP's client."""

    async def talk():
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(f"{url}/mcp{query}", http_client=http) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            return await use(session, await session.initialize())

    return asyncio.run(talk())


def test_mcp_client_solves_a_task_with_tools(start):
    url, table = start("agentgym/Lookup-v0", port=0)
    local = make("agentgym/Lookup-v0")
    local.reset(seed=3)
    script = spec("agentgym/Lookup-v0").load_scripts()["oracle"](local.task, 3)
    messages = [{"role": "user", "content": local.task.instruction}]

    async def solve(session, about):
        assert about.instructions == local.task.instruction
        assert [tool.name for tool in (await session.list_tools()).tools] == ["search", "lookup", "answer"]
        for _ in range(8):
            text = script.act(messages)
            call = json.loads(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))
            result = await session.call_tool(call["name"], call["arguments"])
            observation, _, terminated, _, info = local.step(text)
            assert result.content[0].text == observation["text"]
            assert not result.isError
            messages.extend([{"role": "assistant", "content": text}, *info["messages"]])
            assert result.meta["agentgym"]["done"] == terminated
            if terminated:
                return info["success"]
        return False

    assert with_client(url, solve, "?seed=3")
    assert len(table) == 0


def test_wrong_calls_are_told_to_the_mcp_client(start):
    url, _ = start("agentgym/Lookup-v0", port=0)

    async def use(session, about):
        wrong = await session.call_tool("search", {"qurey": "x"})
        assert wrong.isError
        with pytest.raises(McpError, match="Tool not found"):
            await session.call_tool("fly", {})
        await session.send_ping()
        return (await session.call_tool("search", {"query": "x"})).isError

    assert with_client(url, use) is False


def test_environment_without_tools_is_spoken_to_by_one(start):
    url, _ = start("agentgym/GuessNumber-v0", port=0)

    async def use(session, about):
        tools = (await session.list_tools()).tools
        return tools[0].name, (await session.call_tool("send_message", {"message": "80"})).content[0].text

    assert with_client(url, use, "?seed=3") == ("send_message", "lower")


def test_a_role_with_tools_also_speaks_by_one(start):
    url, _ = start(lambda: RoleView(Phone(), "agent", {"user": saying("restart()", "It works.")}), port=0)

    async def use(session, about):
        tools = [tool.name for tool in (await session.list_tools()).tools]
        booked = await session.call_tool("book", {"gigabytes": 1})
        answer = await session.call_tool(tools[-1], {"message": "Restart it."})
        closed = await session.call_tool("close_case", {})
        return tools, [result.content[0].text for result in (booked, answer, closed)]

    assert with_client(url, use) == (["book", "close_case", "send_message"], ["1 GB booked.", "It works.", "Closed."])


def test_call_after_the_end_is_told_of_it(start):
    url, _ = start("agentgym/GuessNumber-v0", port=0)

    async def use(session, about):
        for guess in ("76", "77", "78", "79", "80", "81", "82", "83"):
            told = await session.call_tool("send_message", {"message": guess})
            if told.meta["agentgym"]["done"]:
                break
        assert told.content[-1].text == "The episode has ended."
        late = await session.call_tool("send_message", {"message": "1"})
        assert (late.isError, late.meta) == (True, told.meta)
        assert late.content[0].text.startswith("The episode has ended. Nothing was done. Open a new session")

    with_client(url, use, "?seed=3")


def test_mcp_client_needs_the_token(start):
    url, _ = start("agentgym/Lookup-v0", port=0, token=TOKEN)

    async def use(session, about):
        return len((await session.list_tools()).tools)

    assert with_client(url, use, headers={"Authorization": f"Bearer {TOKEN}"}) == 3
    with pytest.raises(ExceptionGroup):
        with_client(url, use)


def test_unknown_mcp_session_is_not_found(start):
    url, _ = start("agentgym/Lookup-v0", port=0)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert httpx.post(f"{url}/mcp", json=call, headers={"Mcp-Session-Id": "guess"}).status_code == 404
    assert httpx.delete(f"{url}/mcp", headers={"Mcp-Session-Id": "guess"}).status_code == 404
    assert httpx.delete(f"{url}/mcp").status_code == 400
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert httpx.post(f"{url}/mcp", json=note).status_code == 202


def test_rpc_over_a_websocket(start):
    url, table = start("agentgym/Lookup-v0", port=0)
    with websockets.sync.client.connect(url.replace("http", "ws") + "/mcp", compression=None) as socket:

        def call(body):
            socket.send(body if isinstance(body, str) else json.dumps(body))
            return json.loads(socket.recv(timeout=60))

        listed = call({"jsonrpc": "2.0", "id": "a", "method": "tools/list"})
        assert (listed["id"], len(listed["result"]["tools"])) == ("a", 3)
        assert call("{")["error"]["code"] == -32700
        assert call({"method": "x"})["error"]["code"] == -32600
        created = call({"jsonrpc": "2.0", "id": 2, "method": "openenv/session/create"})
        assert table.find(created["result"]["session_id"])
        closing = {"jsonrpc": "2.0", "id": 3, "method": "openenv/session/close", "params": {"session_id": "x"}}
        assert call(closing)["error"]["code"] == -32600
        socket.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        assert call({"jsonrpc": "2.0", "id": 4, "method": "ping"}) == {"jsonrpc": "2.0", "id": 4, "result": {}}


def test_rpc_within_ws(start):
    with Talk(start("agentgym/Lookup-v0")[0]) as talk:
        reply = talk.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}})
        assert reply["type"] == "mcp"
        assert len(reply["data"]["result"]["tools"]) == 3
        talk.ask({"type": "reset", "data": {"seed": 1}})
        call = {"name": "search", "arguments": {"query": "Corvo"}}
        reply = talk.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}})
        assert "Corvo" in reply["data"]["result"]["content"][0]["text"]
        assert "reward" not in str(reply)
        assert talk.ask({"type": "state"})["data"]["step_count"] == 1


def test_full_server_answers_rpc_with_its_code(start):
    url, _ = start("agentgym/Lookup-v0", max_sessions=1)
    with Talk(url), dial(url) as second:
        assert shake(second, "/mcp") == "HTTP/1.1 101 Switching Protocols"
        (opcode, payload), (closing, _) = read_all(second)
        assert (opcode, closing) == (frames.TEXT, frames.CLOSE)
        assert json.loads(payload)["error"]["code"] == -32000
