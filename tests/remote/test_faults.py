"""Hostile and broken clients: each fault so many times, and after it the server serves the next client as before."""

import contextlib
import dataclasses
import json
import resource
import threading
import time
import warnings

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym.remote import RemoteEnv, frames
from agentgym.remote.client.socket_client import Address
from tests.remote.raw import Talk, dial, read_all, shake
from tests.sandbox.holdings import Holdings
from tests.toys.env import ToyEnv

TOKEN = "a token of the tests"
GUARDED = [f"GET /{name}" for name in ("metadata", "schema", "state", "openapi.json", "nothing")]
GUARDED += ["POST /reset", "POST /step", "POST /mcp", "DELETE /mcp"]
RESET = {"type": "reset", "data": {"seed": 7}}


def http_of(url):
    transport = httpx.HTTPTransport(uds=Address.parse(url).path)
    return httpx.Client(transport=transport, base_url="http://localhost", timeout=60)


def assert_serves(url, token=""):
    env = RemoteEnv(url, token=token)
    env.reset(seed=1)
    assert env.step("up")[-1]["turn"] == 0
    env.close()


def limit(table, **limits):
    """Change limits of a server that runs; what comes before is not bound by them however slow the machine is."""
    table.config = dataclasses.replace(table.config, **limits)


def wait_until(condition, timeout_s=60.0):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not come about"
        time.sleep(0.02)


# Who may come in.


@pytest.mark.parametrize(
    "header",
    ["", "Authorization: Bearer wrong\r\n", f"Authorization: {TOKEN}\r\n", f"Authorization: Basic {TOKEN}\r\n"],
)
def test_100_websockets_without_the_token_are_refused(start, header):
    url, table = start(token=TOKEN)
    for path in ("/ws", "/mcp"):
        for _ in range(50):
            with dial(url) as dialled:
                assert shake(dialled, path, header) == "HTTP/1.1 401 Refused"
    assert len(table) == 0
    assert_serves(url, TOKEN)


def test_requests_without_the_token_are_refused_but_for_the_health(start):
    url, table = start(token=TOKEN)
    with http_of(url) as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {TOKEN}x"}):
            for request in GUARDED:
                assert http.request(*request.split(), headers=headers).status_code == 401
        assert http.get("/health").status_code == 200
        assert http.get("/metadata", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert len(table) == 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "[::1]:1"}, 200),
    ],
)
def test_pages_of_other_sites_are_refused(start, headers, status):
    url, _ = start(port=0)
    assert httpx.get(f"{url}/metadata", headers=headers).status_code == status
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if name == "Origin")
    if more:
        with dial(url) as dialled:
            assert "403" in shake(dialled, more=more)


# Malformed bytes.


@pytest.mark.parametrize(
    "data",
    [b"\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100, b"GET /ws HTTP/1.1\r\n" + b"a: b\r\n" * 10_000, b"\x16\x03\x01\x02"],
)
def test_what_is_no_http_is_refused_20_times(start, data):
    url, table = start(handshake_timeout_s=1.0)
    with contextlib.ExitStack() as stack:
        strangers = [stack.enter_context(dial(url)) for _ in range(20)]
        for dialled in strangers:
            with contextlib.suppress(ConnectionError):
                dialled.sendall(data)
        for dialled in strangers:
            with contextlib.suppress(ConnectionError):
                assert not dialled.recv(65536).startswith(b"HTTP/1.1 2")
    limit(table, handshake_timeout_s=60.0)
    assert_serves(url)


@pytest.mark.parametrize(
    ("handshake", "status"),
    [
        ("Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "426"),
        ("Sec-WebSocket-Version: 13\r\n", "400"),
        ("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n", "400"),
    ],
)
def test_wrong_handshakes_are_refused(start, handshake, status):
    url, table = start()
    with dial(url) as dialled:
        head = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        dialled.sendall(f"{head}{handshake}\r\n".encode())
        assert status in dialled.recv(65536).decode().partition("\r\n")[0]
    assert len(table) == 0


def test_websocket_elsewhere_is_not_found(start):
    url, _ = start()
    for path in ("/", "/wsx", "/reset"):
        with dial(url) as dialled:
            assert "404" in shake(dialled, path)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (frames.frame(b"unmasked"), frames.PROTOCOL_ERROR),
        (b"\xf1\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (frames.masked_frame(b"{}", frames.BINARY), frames.UNSUPPORTED),
        (b"\x81\xff" + (2**40).to_bytes(8) + b"\0\0\0\0", frames.TOO_BIG),
        (frames.masked_frame(b"x" * 2**17), frames.TOO_BIG),
        (b"\x01\xfe\xff\xff\0\0\0\0" + b"x" * 65_535 + b"\x80\xfe\xff\xff\0\0\0\0" + b"x" * 10, frames.TOO_BIG),
    ],
    ids=["unmasked", "reserved", "binary", "announced", "huge", "fragments"],
)
def test_frames_that_break_the_protocol_close_the_session_20_times(start, data, code):
    url, table = start(max_message_bytes=2**16)
    for _ in range(20):
        with dial(url) as dialled:
            shake(dialled)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the server may close before the end
                dialled.sendall(data)
            (*_, (opcode, payload)) = read_all(dialled)
            assert (opcode, frames.read_close(payload)[0]) == (frames.CLOSE, code)
    wait_until(lambda: len(table) == 0)
    assert_serves(url)


def test_100_malformed_messages_are_answered_and_the_session_goes_on(url):
    with Talk(url) as talk:
        for number in range(100):
            talk.say(b'{"type": "reset"' + b"x" * number)
            assert talk.hear()["data"]["code"] == "INVALID_JSON"
        talk.say(b"\xff\xfe")
        assert talk.hear()["data"]["code"] == "INVALID_JSON"
        assert talk.ask(RESET)["type"] == "observation"


def test_body_over_the_limit_is_refused_before_it_is_read(start):
    url, _ = start(max_message_bytes=1000)
    with http_of(url) as http:
        assert http.post("/reset", content=b" " * 1001).status_code == 413
        assert http.post("/mcp", content=b" " * 1001).status_code == 413
        assert http.post("/reset", json={"seed": 1}).status_code == 200


# Slow and idle clients.


def test_20_requests_that_never_end_are_cut_off(start):
    url, table = start(handshake_timeout_s=1.5)
    slow = [dial(url) for _ in range(20)]
    for number, dialled in enumerate(slow):
        dialled.sendall(
            (b"", b"GET /ws HTTP/1.1\r\nHost:", b"POST /reset HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")[number % 3]
        )
    with contextlib.suppress(ConnectionError), dial(url) as last:
        shake(last)  # taken up or cut off after all of them were
    limit(table, handshake_timeout_s=60.0)
    assert_serves(url)
    for dialled in slow:
        assert not dialled.recv(65536).startswith(b"HTTP/1.1 2")
        dialled.close()


def test_client_that_never_reads_is_held_and_then_cut_off(start):
    class Long(ToyEnv):
        def begin(self, task):
            super().begin(task)
            return [{"role": "user", "content": "x" * 100_000}]

    url, table = start(Long, max_unsent_bytes=200_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with dial(url) as dialled:
        shake(dialled)
        wait_until(lambda: len(table) == 1)
        limit(table, handshake_timeout_s=1.0)
        dialled.setblocking(False)
        resets = frames.masked_frame(json.dumps(RESET).encode()) * 20_000
        began, sent = time.monotonic(), 0
        while sent < len(resets) and len(table) and time.monotonic() - began < 60:
            with contextlib.suppress(BlockingIOError, ConnectionError):
                sent += dialled.send(resets[sent : sent + 4096])
            time.sleep(0.001)
        wait_until(lambda: len(table) == 0)
        assert 0.9 < time.monotonic() - began < 60
        assert sent < len(resets)
    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mib < 60
    limit(table, handshake_timeout_s=60.0)
    env = RemoteEnv(url)
    env.reset(seed=1)
    env.close()


def test_messages_sent_while_a_step_runs_wait_without_bound_neither_in_number_nor_forever(start):
    may_go_on = threading.Event()

    class Slow(ToyEnv):
        def respond(self, action):
            may_go_on.wait(60)
            return super().respond(action)

    url, table = start(Slow, inline="never", max_waiting=4)
    with Talk(url) as talk:
        talk.ask(RESET)
        talk.say({"type": "step", "data": {"message": "up"}})
        (session,) = table._sessions.values()
        releasing = threading.Thread(
            target=lambda: (wait_until(lambda: len(session._waiting or ()) >= 4), may_go_on.set())
        )
        releasing.start()
        for _ in range(200):  # which fills the socket while the server reads no more
            talk.say({"type": "state"})
        releasing.join()
        assert may_go_on.is_set()
        kinds = [talk.hear()["type"] for _ in range(201)]
        assert kinds == ["observation", *["state"] * 200]


def test_1000_idle_sessions_cost_little_and_leave_nothing(start):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    try:
        url, table = start(handshake_timeout_s=250.0)  # all dial before the first speaks
        before = Holdings()
        idle = [dial(url) for _ in range(1000)]
        for dialled in idle:
            assert "101" in shake(dialled)
        wait_until(lambda: len(table) == 1000)
        began = time.monotonic()
        assert_serves(url)
        assert time.monotonic() - began < 60
        assert len(before.new_threads()) < 40
        for dialled in idle:
            dialled.close()
        wait_until(lambda: len(table) == 0)
        wait_until(lambda: len(before.new_descriptors()) <= 5)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_idle_and_old_sessions_end(start):
    url, table = start()
    with Talk(url) as talk:
        talk.ask(RESET)
        limit(table, idle_timeout_s=0.5)
        told = talk.hear()
        assert (told["type"], told["data"]["code"]) == ("error", "SESSION_ERROR")
        assert "nothing was heard" in told["data"]["message"]
    assert len(table) == 0


def test_session_ends_after_its_whole_time(start):
    url, table = start()
    with Talk(url) as talk:
        talk.ask(RESET)
        limit(table, session_timeout_s=0.5)
        told = {"type": "state"}
        while told["type"] == "state":
            told = talk.ask({"type": "state"})
            time.sleep(0.05)
        assert "lasted longer" in told["data"]["message"]
    wait_until(lambda: len(table) == 0)


def test_sessions_that_are_never_attached_end_too(start):
    url, table = start()
    with http_of(url) as http:
        for number in range(10):
            created = {"jsonrpc": "2.0", "id": number, "method": "openenv/session/create"}
            assert "result" in http.post("/mcp", json=created).json()
    assert len(table) > 0
    limit(table, idle_timeout_s=0.5)
    wait_until(lambda: len(table) == 0)


# Replays and other people's sessions.


def test_200_replayed_steps_are_played_once(url):
    with Talk(url) as talk:
        talk.ask({"type": "reset", "data": {"seed": 7}})
        step = {"type": "step", "data": {"message": "up"}, "request_id": "one"}
        replies = [talk.ask(step) for _ in range(200)]
        assert all(reply == replies[0] for reply in replies)
        assert talk.ask({"type": "state"})["data"]["step_count"] == 1


def test_request_ids_of_one_session_say_nothing_in_another(url):
    with Talk(url) as one, Talk(url) as two:
        one.ask(RESET)
        two.ask({"type": "reset", "data": {"seed": 8}})
        step = {"type": "step", "data": {"message": "up"}, "request_id": "same"}
        one.ask(step)
        two.ask(step)
        assert two.ask({"type": "state"})["data"] | {"episode_id": ""} == {
            "episode_id": "",
            "step_count": 1,
            "task_id": "toy:8",
        }


def test_1000_guessed_session_ids_find_nothing(start):
    url, table = start()
    with Talk(url) as owner, http_of(url) as http:
        owner.ask(RESET)
        (known,) = table._sessions
        assert len(known) == 32
        guesses = [known[:-1] + letter for letter in "abcdefghij" if not known.endswith(letter)]
        guesses += [known.swapcase(), known[:16], "", "0", "../ws", "%00"]
        for number in range(1000):
            guess = guesses[number] if number < len(guesses) else f"{number:032d}"
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
            call["params"] = {"session_id": guess, "name": "send_message", "arguments": {"message": "up"}}
            found = http.post("/mcp", json=call).json()
            assert "error" in found or guess == ""
        with Talk(url, session_id=known) as thief:
            assert thief.hear()["data"]["code"] == "SESSION_ERROR"
        assert owner.ask({"type": "state"})["data"]["step_count"] == 0


def test_300_sessions_at_once_see_their_own_episodes_alone(start):
    url, _ = start(inline="never", max_threads=8)
    talks = [Talk(url) for _ in range(300)]
    try:
        for number, talk in enumerate(talks):
            talk.say({"type": "reset", "data": {"seed": number, "episode_id": f"e{number}"}})
        for turn in range(3):
            for talk in talks:
                talk.say({"type": "step", "data": {"message": "sideways" if turn else "up"}})
        for number, talk in enumerate(talks):
            assert talk.hear()["data"]["observation"]["agentgym"]["task"]["id"] == f"toy:{number}"
            assert [talk.hear()["data"]["observation"]["agentgym"]["turn"] for _ in range(3)] == [0, 1, 2]
            assert talk.ask({"type": "state"})["data"]["episode_id"] == f"e{number}"
    finally:
        for talk in talks:
            talk.socket.close()


# Fuzzing.

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_KINDS = ("reset", "step", "state", "mcp", "agentgym")
_RPC = ("jsonrpc", "id", "params", "name")
_KEYS = ("seed", "episode_id", "task", "message", "was_cut", "method", "reason", "type", *_RPC)
_METHODS = (
    "hello",
    "anchor",
    "progress",
    "legal_actions",
    "make_task",
    "finalize",
    "tools/list",
    "tools/call",
    "interrupt",
)
_VALUES = _JSON | st.sampled_from([*_METHODS, "2.0", "call_tool", "turns", "up"])
_MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(_KINDS)},
    optional={
        "data": st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=5) | _JSON,
        "request_id": _JSON,
        "extra": _JSON,
    },
)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    from agentgym.remote import ServerConfig
    from agentgym.remote.server.app import create_app, running

    app = create_app(ToyEnv, ServerConfig(uds=str(tmp_path_factory.mktemp("fuzz") / "socket"), max_message_bytes=2**16))
    with running(app) as url, Talk(url) as owner:
        owner.ask({"type": "reset", "data": {"seed": 7, "episode_id": "mine"}})
        yield url
        assert owner.ask({"type": "state"})["data"] == {"episode_id": "mine", "step_count": 0, "task_id": "toy:7"}


_QUIET = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@given(st.lists(_MESSAGES | _JSON, min_size=1, max_size=6))
@_QUIET
def test_400_conversations_of_any_json_are_answered_in_kind(fuzzed, messages):
    is_silent = ('"interrupt"', '"notifications/')
    with Talk(fuzzed) as talk:
        for message in messages:
            raw = json.dumps(message)
            talk.say(raw.encode())
            if not any(name in raw for name in is_silent):
                reply = talk.hear()
                assert reply["type"] in ("observation", "state", "mcp", "agentgym", "error")
                assert "Traceback" not in str(reply)
                assert "sesame" not in str(reply)
        talk.say(RESET)
        while talk.hear()["type"] != "observation":
            pass


@given(st.binary(max_size=400))
@_QUIET
def test_400_streams_of_any_bytes_do_no_harm(fuzzed, data):
    with dial(fuzzed) as dialled:
        shake(dialled)
        with contextlib.suppress(ConnectionError):
            dialled.sendall(data)
    with dial(fuzzed) as dialled, contextlib.suppress(ConnectionError):
        dialled.sendall(data)


@pytest.mark.filterwarnings("ignore")
def test_requests_from_the_openapi_document_are_answered_as_it_says(start):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import schemathesis
        from schemathesis.checks import not_a_server_error
    url, table = start("agentgym/Lookup-v0", port=0)
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    counts = {}

    for operation in schema.get_all_operations():

        @given(case=operation.ok().as_strategy())
        @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
        def play(case):
            answer = case.call()
            counts[case.path] = counts.get(case.path, 0) + 1
            case.validate_response(answer, checks=(not_a_server_error, _conforms))
            assert "Traceback" not in answer.text

        play()
    assert set(counts) == {"/health", "/metadata", "/schema", "/state", "/reset", "/step", "/mcp"}
    assert counts["/step"] >= 30
    wait_until(lambda: all(session.is_detachable for session in table._sessions.values()))
    assert_serves(url)


def _conforms(ctx, response, case):
    documented = {int(status) for status in case.operation.definition.raw["responses"]}
    assert response.status_code in documented, response.text
