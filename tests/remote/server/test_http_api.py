import threading
import time

import httpx
import pytest

from agentgym.registration import make
from agentgym.remote.client.socket_client import Address
from tests.toys.env import ToyEnv, toy_task


@pytest.fixture
def served(start):
    return start("agentgym/Lookup-v0")


@pytest.fixture
def http(served):
    transport = httpx.HTTPTransport(uds=Address.parse(served[0]).path)
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=60) as client:
        yield client


@pytest.fixture
def rpc(http):
    def call(method, params=None, **headers):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return http.post("/mcp", json=body, headers=headers).json()

    return call


def test_descriptions_are_there(http):
    assert http.get("/health").json() == {"status": "healthy"}
    assert http.get("/metadata").json()["name"] == "agentgym/Lookup-v0"
    assert set(http.get("/schema").json()) == {"action", "observation", "state"}
    assert http.get("/state").json() == {"episode_id": None, "step_count": 0}
    document = http.get("/openapi.json").json()
    assert {"/reset", "/step", "/state", "/mcp", "/health"} <= set(document["paths"])
    assert "Stateless" in document["paths"]["/step"]["post"]["summary"]


def test_reset_and_step_stand_alone(http, served):
    begun = http.post("/reset", json={"seed": 3}).json()
    local = make("agentgym/Lookup-v0")
    assert begun["observation"]["text"] == local.reset(seed=3)[0]["text"]
    assert http.post("/reset").json()["done"] is False
    played = http.post("/step", json={"action": {"message": "nothing"}, "seed": 3}).json()
    assert played["observation"]["text"] == local.step("nothing")[0]["text"]
    assert played["observation"]["agentgym"]["turn"] == 0
    assert len(served[1]) == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/reset", {"sead": 3}),
        ("/reset", [1]),
        ("/reset", {"task": "tools/lookup:nothing"}),
        ("/step", {}),
        ("/step", {"action": {"text": "a"}}),
        ("/step", {"action": {"message": "a"}, "timeout_s": 0}),
        ("/step", {"action": {"message": "a"}, "request_id": "x" * 256}),
        ("/step", {"action": {"message": "a"}, "colour": "red"}),
    ],
)
def test_wrong_body_is_unprocessable(http, path, body):
    answer = http.post(path, json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_malformed_json_is_unprocessable(http):
    assert http.post("/reset", content=b"{").status_code == 422
    assert http.post("/mcp", content=b"{").json()["error"]["code"] == -32700


def test_mcp_session_of_openenv(rpc, served):
    session_id = rpc("openenv/session/create", {"seed": 1})["result"]["session_id"]
    assert len(session_id) >= 32
    tools = rpc("tools/list", {"session_id": session_id})["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["search", "lookup", "answer"]
    assert "inputSchema" in tools[0]
    call = {"session_id": session_id, "name": "search", "arguments": {"query": "Corvo"}}
    assert "Mount Corvo" in rpc("tools/call", call)["result"]["content"][0]["text"]
    assert rpc("openenv/session/close", {"session_id": session_id})["result"] == {
        "session_id": session_id,
        "closed": True,
    }
    assert rpc("tools/call", call)["error"]["code"] == -32602
    assert len(served[1]) == 0


def test_mcp_without_a_session_uses_one_for_the_request_alone(rpc, served):
    assert len(rpc("tools/list")["result"]["tools"]) == 3
    assert len(served[1]) == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, -32600),
        ([], -32600),
        ({"jsonrpc": "1.0", "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "method": "ping", "id": []}, -32600),
        ({"jsonrpc": "2.0", "method": "ping", "params": [], "id": 1}, -32602),
        ({"jsonrpc": "2.0", "method": "fly", "id": 1}, -32601),
        ({"jsonrpc": "2.0", "method": "tools/call", "id": 1}, -32602),
        ({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "fly"}, "id": 1}, -32602),
        ({"jsonrpc": "2.0", "method": "openenv/session/create", "params": {"sead": 1}, "id": 1}, -32602),
        ({"jsonrpc": "2.0", "method": "openenv/session/close", "params": {"session_id": 5}, "id": 1}, -32602),
    ],
)
def test_malformed_rpc_is_answered_with_its_code(http, served, body, code):
    answer = http.post("/mcp", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, code)
    assert len(served[1]) == 0


def test_full_server_answers_unavailable(start):
    url, _ = start(max_sessions=1)
    transport = httpx.HTTPTransport(uds=Address.parse(url).path)
    with httpx.Client(transport=transport, base_url="http://localhost") as http:
        create = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create"}
        assert "result" in http.post("/mcp", json=create).json()
        full = http.post("/mcp", json=create).json()["error"]
        assert (full["code"], full["data"]) == (-32000, {"active_sessions": 1, "max_sessions": 1})
        assert http.post("/reset").status_code == 503


def test_private_part_of_a_task_does_not_come_back_over_http(start):
    transport = httpx.HTTPTransport(uds=Address.parse(start()[0]).path)
    with httpx.Client(transport=transport, base_url="http://localhost") as http:
        answer = http.post("/reset", json={"task": toy_task("t", 3).to_json()})
        assert answer.status_code == 200
        assert "sesame" not in answer.text


def test_request_is_answered_when_its_session_ends(start):
    begun = threading.Event()

    class Slow(ToyEnv):
        def respond(self, action):
            begun.set()
            for _ in range(1000):
                time.sleep(0.01)
                self.check_interrupt()

    url, table = start(Slow)
    transport = httpx.HTTPTransport(uds=Address.parse(url).path)
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=60) as http:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        headers = {"Mcp-Session-Id": http.post("/mcp", json=body).headers["Mcp-Session-Id"]}
        say = {"name": "send_message", "arguments": {"message": "up"}}
        ended = threading.Thread(target=lambda: begun.wait(60) and http.delete("/mcp", headers=headers))
        ended.start()
        answer = http.post("/mcp", json={**body, "method": "tools/call", "params": say}, headers=headers).json()
        ended.join()
        assert answer["error"]["code"] == -32000
        assert len(table) == 0


def test_cancelled_notification_ends_a_call(start):
    begun = threading.Event()

    class Slow(ToyEnv):
        def respond(self, action):
            begun.set()
            for _ in range(1000):
                time.sleep(0.01)
                self.check_interrupt()

    transport = httpx.HTTPTransport(uds=Address.parse(start(Slow)[0]).path)
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=60) as http:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        headers = {"Mcp-Session-Id": http.post("/mcp", json=body).headers["Mcp-Session-Id"]}
        say = {"name": "send_message", "arguments": {"message": "up"}}
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        cancel = threading.Thread(target=lambda: begun.wait(60) and http.post("/mcp", json=note, headers=headers))
        cancel.start()
        answer = http.post("/mcp", json={**body, "method": "tools/call", "params": say}, headers=headers).json()
        cancel.join()
        assert answer["error"]["data"] == {"error": "CancelledEpisode"}
