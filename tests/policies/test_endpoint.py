import logging
import re
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from agentgym.action import parse_tool_calls
from agentgym.errors import (
    ConfigError,
    ContextOverflowError,
    ContractError,
    CostLimitError,
    EndpointDownError,
    EndpointError,
    InfrastructureError,
)
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.message import user
from agentgym.policies.endpoint import EndpointPolicy
from agentgym.policies.endpoint_client import Transport
from agentgym.policy import Policy, Request, Sampling
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.rollout.progress import describe
from agentgym.suite import load_suite
from agentgym.task import Task
from tests.policies.faulty_server import USAGE, chat, refusing_url, running_server

KEY = "sk-very-secret-0123456789"
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


@pytest.fixture
def server():
    with running_server() as running:
        yield running


@pytest.fixture
def policy_of(server):
    made = []

    def make(**options):
        settings = {"backoff_s": 0.01, "max_retries": 2, **options}
        made.append(EndpointPolicy.load(f"{server.url}#tiny", **settings))
        return made[-1]

    yield make
    for policy in made:
        policy.close()


def ask(messages=None, *, tools=(), prompt_ids=None, seed=5, **sampling):
    messages = [user("hi")] if messages is None else messages
    return Request("e", 0, Task("t", 0), messages, tools, prompt_ids, seed, Sampling(**sampling))


def test_a_message_is_asked_for_and_counted(server, policy_of):
    server.answers = [chat()]
    policy = policy_of(prompt_price=2.0, completion_price=5.0)
    reply = policy.generate([ask([{**user("hi"), "private_note": 1}], temperature=0.5, max_tokens=7)])[0]
    assert isinstance(policy, Policy)
    assert (reply.text, reply.was_cut, reply.ids, reply.version) == ("hello", False, None, -1)
    assert reply.message == {"role": "assistant", "content": "hello"}
    expected = {"model": "tiny", "temperature": 0.5, "top_p": 1.0, "max_tokens": 7, "seed": 5}
    assert server.bodies == [{**expected, "messages": [user("hi")]}]
    assert reply.usage == pytest.approx({**USAGE, "retries": 0, "cost_usd": 40e-6})
    assert policy.cost == pytest.approx(40e-6)


def test_half_a_character_is_sent_and_read_as_it_is(server, policy_of):
    server.answers = [chat("an emoji, cut: \ud83d")]
    policy = policy_of()
    reply = policy.generate([ask()])[0]
    policy.generate([ask([user("hi"), reply.message, user("go on")])])
    assert server.bodies[1]["messages"][1]["content"] == "an emoji, cut: \ud83d"


def test_tool_calls_become_text_that_environments_read(server, policy_of):
    calls = [
        {"id": "x1", "type": "function", "function": {"name": "search", "arguments": '{"query": "a </tool_call> b"}'}},
        {"function": {"name": "search", "arguments": {"query": "two"}}},
    ]
    server.answers = [chat(None, tool_calls=calls, reasoning_content="hm", finish="tool_calls")]
    reply = policy_of().generate([ask(tools=[SEARCH])])[0]
    action = parse_tool_calls(reply.text, [SEARCH])
    assert [(c.id, c.name, c.arguments) for c in action.tool_calls] == [
        ("x1", "search", {"query": "a </tool_call> b"}),
        ("call_1", "search", {"query": "two"}),
    ]
    assert reply.message["content"] == ""
    assert reply.message["reasoning_content"] == "hm"
    assert [call["id"] for call in reply.message["tool_calls"]] == ["x1", "call_1"]
    assert server.bodies[0]["tools"] == [SEARCH]


def test_malformed_arguments_of_a_model_are_left_to_the_environment(server, policy_of):
    server.answers = [chat("so", tool_calls=[{"function": {"name": "search", "arguments": '{"query": '}}])]
    reply = policy_of().generate([ask(tools=[SEARCH])])[0]
    assert reply.text == 'so\n<tool_call>{"name": "search", "id": "call_0", "arguments": {"query":}</tool_call>'


def test_cut_messages_are_flagged(server, policy_of):
    server.answers = [chat(finish="length")]
    assert policy_of().generate([ask()])[0].was_cut


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529, 408])
def test_passing_faults_are_retried(server, policy_of, status):
    server.answers = [(status, {}, {"error": "busy"}), (status, {}, b"<html>busy</html>"), chat()]
    reply = policy_of().generate([ask()])[0]
    assert (reply.text, reply.usage["retries"], len(server.bodies)) == ("hello", 2, 3)


def test_retry_after_is_honoured_and_too_long_waits_are_given_up(server, policy_of):
    server.answers = [(429, {"Retry-After": "0.4"}, {}), chat()]
    policy_of().generate([ask()])
    assert server.times[1] - server.times[0] >= 0.4
    server.answers = [(503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}, {}), chat()]
    with pytest.raises(EndpointError, match="status 503"):
        policy_of().generate([ask()])


def test_backoff_grows(server, policy_of):
    server.answers = [(500, {}, {})]
    with pytest.raises(EndpointError, match="failed 4 times"):
        policy_of(max_retries=3, backoff_s=0.08).generate([ask()])
    waits = np.diff(server.times)
    assert (waits >= [0.04, 0.08, 0.16]).all()
    assert waits.sum() < 60


LIES = {
    "no choices": (200, {}, {"usage": USAGE}),
    "empty choices": (200, {}, {"choices": [], "usage": USAGE}),
    "choices of text": (200, {}, {"choices": "hello"}),
    "no message": (200, {}, {"choices": [{}]}),
    "content is a number": chat(3),
    "a list": (200, {}, []),
    "null": (200, {}, None),
    "empty body": (200, {}, b""),
    "html": (200, {"Content-Type": "text/html"}, b"<html>hello</html>"),
    "half of the json": (200, {}, b'{"choices": [{"mess'),
    "not utf-8": (200, {}, b"\xff\xfe\x00"),
    "deep": (200, {}, b"[" * 100_000),
    "an error": (200, {}, {"error": {"message": "out of memory"}}),
    "usage of text": chat(usage={"prompt_tokens": "10", "completion_tokens": 1}),
    "usage below zero": chat(usage={"prompt_tokens": -1, "completion_tokens": 1}),
    "calls without names": chat(tool_calls=[{"function": {}}]),
    "calls that are text": chat(tool_calls="search"),
    "a length too long": (200, {"Content-Length": "999"}, b'{"choices"'),
    "bad request": (400, {}, {"error": "no such field"}),
    "redirect": (307, {"Location": "http://127.0.0.1:1/"}, b""),
}


@pytest.mark.parametrize("lie", LIES)
def test_lying_servers_are_endpoint_errors(server, policy_of, lie):
    server.answers = [LIES[lie]]
    with pytest.raises(EndpointError, match=r"(?s)127\.0\.0\.1.*(failed 2 times|refused)"):
        policy_of(max_retries=1, timeout_s=0.5).generate([ask()])


def test_closed_slow_and_dripping_servers_are_endpoint_errors(server, policy_of):
    def close(handler):
        handler.close_connection = True

    def hang(handler):
        time.sleep(0.6)

    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1200):
            handler.wfile.write(b" ")
            time.sleep(0.05)

    for fault in (close, hang, drip):
        server.answers = [fault]
        start = time.monotonic()
        with pytest.raises(EndpointError, match="failed 1 times"):
            policy_of(max_retries=0, timeout_s=0.3).generate([ask()])
        assert time.monotonic() - start < 30  # the drip alone would last a minute
    with pytest.raises(EndpointError, match="no connection"):
        EndpointPolicy.load("http://127.0.0.1:9#m", max_retries=0).generate([ask()])


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_or_model_is_the_users_mistake(server, policy_of, status):
    server.answers = [(status, {}, {"error": "no"})]
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        policy_of().generate([ask()])
    assert len(server.bodies) == 1


def test_a_conversation_that_is_too_long_is_an_overflow(server, policy_of):
    server.answers = [(400, {}, {"error": {"code": "context_length_exceeded"}})]
    with pytest.raises(ContextOverflowError):
        policy_of().generate([ask()])


def test_the_key_is_sent_and_shown_nowhere(server, policy_of, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OTHER_KEY", KEY)
    policy = policy_of(key_variable="OTHER_KEY", max_retries=0)
    shown = [repr(policy), repr(vars(policy)), repr(vars(policy._client)), repr(policy.settings), policy.name]
    server.answers = [chat()]
    shown.append(repr(policy.generate([ask()])))
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    echo = f"you sent Bearer {KEY}"
    for answer in [(401, {}, {"error": echo}), (500, {}, {"error": echo}), (200, {}, {"error": echo})]:
        server.answers = [answer]
        with pytest.raises((ConfigError, EndpointError)) as caught:
            policy.generate([ask()])
        assert "[key]" in str(caught.value)
        shown += [str(caught.value), repr(caught.value.__cause__)]
    assert not [text for text in (*shown, caplog.text) if KEY in text]
    monkeypatch.delenv("OTHER_KEY")
    server.answers = [chat()]
    policy.generate([ask()])
    assert "Authorization" not in server.headers[-1]


def test_max_cost_stops_before_it_is_exceeded(server, policy_of):
    server.answers = [chat(usage={"prompt_tokens": 100, "completion_tokens": 50})]
    policy = policy_of(prompt_price=10.0, completion_price=20.0, max_cost=0.011)
    with pytest.raises(CostLimitError, match=r"max_cost=0\.011"):
        policy.generate([ask(max_tokens=100)] * 10)
    assert len(server.bodies) == 5  # 0.002 each; with the bound of a sixth, 0.0027, it would be over
    assert policy.cost == pytest.approx(0.010)
    with pytest.raises(CostLimitError):
        policy.generate([ask(max_tokens=100_000)])


def test_attempts_that_may_have_been_billed_count_at_their_bound(server, policy_of):
    server.answers = [(200, {}, b""), (500, {}, b""), chat(usage=None)]
    policy = policy_of(completion_price=10.0, prompt_price=0.0, max_cost=1.0)
    reply = policy.generate([ask(max_tokens=100)])[0]
    assert policy.cost == pytest.approx(2 * 0.001)  # the empty answer and the one without usage
    assert reply.usage == pytest.approx({"retries": 2, "cost_usd": 0.002})


def test_rate_and_concurrency_are_bounded(server, policy_of):
    def slow(handler):
        while server.most_open < 3:
            time.sleep(0.01)
        time.sleep(0.1)  # in which a fourth would come
        return chat()

    server.answers = [slow]
    policy = policy_of(max_concurrency=3)
    threads = [threading.Thread(target=policy.generate, args=([ask()],)) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert policy.concurrency == server.most_open == 3
    server.answers, began = [chat()], time.monotonic()
    policy_of(requests_per_minute=600).generate([ask() for _ in range(4)])
    assert server.times[-1] - began > 0.25  # three gaps of 0.1 s


def tokens(**choice):
    return 200, {}, {"choices": [{"text": "hi", "finish_reason": "stop", **choice}], "usage": USAGE}


def test_token_ids_and_logprobs_are_taken_over(server, policy_of):
    server.answers = [tokens(token_ids=[5, 9], logprobs={"token_logprobs": [-0.5, -1.25]})]
    policy = policy_of(protocol="tokens", stop_ids=[9])
    reply = policy.generate([ask(prompt_ids=np.array([1, 2, 3]))])[0]
    assert policy.uses_tokens
    assert (reply.ids.dtype, reply.ids.tolist(), reply.logprobs.tolist()) == (np.int32, [5, 9], [-0.5, -1.25])
    assert (server.bodies[0]["prompt"], server.bodies[0]["stop_token_ids"]) == ([1, 2, 3], [9])
    assert "messages" not in server.bodies[0]
    server.answers = [tokens(logprobs={"tokens": ["token_id:5"], "token_logprobs": [-0.5]})]
    scaled = policy.generate([ask(prompt_ids=[1], temperature=0.5)])[0]
    assert scaled.ids.tolist() == [5]
    assert scaled.logprobs is None  # stated before the temperature
    with pytest.raises(ContractError, match="prompt_ids"):
        policy.generate([ask()])


def test_rollouts_refuse_an_endpoint_that_takes_token_ids(policy_of):
    with pytest.raises(ConfigError, match=r"no tokenizer: .*policy.generate .*; rollouts need protocol 'chat'"):
        evaluate(policy_of(protocol="tokens"), "tools/lookup", settings=EvaluationSettings(limit=1))


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"token_ids": []},
        {"token_ids": [1, "2"]},
        {"token_ids": [-1]},
        {"token_ids": [True]},
        {"logprobs": {"tokens": ["a", "b"]}},
        {"token_ids": [1, 2], "logprobs": {"token_logprobs": [-1.0]}},
        {"token_ids": [1], "logprobs": {"token_logprobs": [None]}},
        {"token_ids": [1], "logprobs": {"token_logprobs": [0.7]}},
    ],
)
def test_lies_about_tokens_are_endpoint_errors(server, policy_of, choice):
    server.answers = [tokens(**choice)]
    with pytest.raises(EndpointError, match=r"token|log-prob"):
        policy_of(protocol="tokens", max_retries=0).generate([ask(prompt_ids=[1])])


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host",
        "localhost:8000",
        "http://",
        "http://user:pw@host",
        "http://h/v1?key=1",
        "http://h:99999/v1",
        f"http://{'h' * 80}.example/v1",
    ],
)
def test_addresses_are_checked(url):
    with pytest.raises(ConfigError) as caught:
        EndpointPolicy(url, "m")
    assert "pw" not in str(caught.value)


def test_an_address_without_http_is_shown_as_it_is_to_be_written():
    for address in ("127.0.0.1:9/v1", "ftp://127.0.0.1:9/v1"):
        with pytest.raises(ConfigError, match=r"write http://127\.0\.0\.1:9/v1$"):
            EndpointPolicy(address, "m")


def test_a_bare_address_gets_the_version():
    assert EndpointPolicy("http://host:8000", "a/b").name == "endpoint:http://host:8000/v1#a/b"


@pytest.mark.parametrize(
    "options", [{"protocol": "mail"}, {"max_cost": 1.0}, {"prompt_price": -1.0}, {"max_retries": -1}, {"timeout_s": 0}]
)
def test_settings_are_checked(options):
    with pytest.raises(ConfigError):
        EndpointPolicy.load("http://host#m", **options)


def test_transport_refuses_a_rate_of_zero():
    with pytest.raises(ConfigError):
        Transport(requests_per_minute=0)


def test_fingerprint_tells_settings_that_shape_answers_apart_and_nothing_else():
    address = "http://127.0.0.1:1/v1#model"
    plain = EndpointPolicy.load(address).fingerprint
    assert EndpointPolicy.load(address, timeout_s=1.0, max_retries=0, prompt_price=1.0).fingerprint == plain
    shaping = ({"extra": {"top_k": 5}}, {"extra": {"top_k": 6}}, {"send_seed": False}, {"protocol": "tokens"})
    found = {EndpointPolicy.load(address, **options).fingerprint for options in shaping}
    assert len(found | {plain}) == 5


def messages_of(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "agentgym.policies.patience"]


def test_a_dead_server_is_named_at_the_first_attempt_with_what_is_waited_for_and_until_when(caplog, monkeypatch):
    monkeypatch.setattr("agentgym.policies.patience._SILENCE_S", 60.0)
    with refusing_url() as url:
        policy = EndpointPolicy.load(f"{url}#m", max_retries=3, backoff_s=0.01, first_answer_s=60)
        with pytest.raises(EndpointError, match="failed 4 times"):
            policy.generate([ask()])
    [message] = messages_of(caplog)
    expected = rf"waiting for {url}: no connection \(.+\); it is tried again\. It is given up at \d\d:"
    assert re.match(expected, message)


def test_a_silent_server_is_named_once_and_one_that_has_answered_may_take_its_time(server, caplog, monkeypatch):
    monkeypatch.setattr("agentgym.policies.patience._SILENCE_S", 0.05)
    monkeypatch.setattr("agentgym.policies.patience._QUIET_S", 0.0)

    def late(handler):
        while not messages_of(caplog):
            time.sleep(0.01)
        time.sleep(0.2)  # in which the second request would be told of
        return chat()

    server.answers = [late]
    policy = EndpointPolicy.load(f"{server.url}#m", timeout_s=120, max_retries=0)
    for _ in range(2):
        policy.generate([ask()])
    [message] = messages_of(caplog)
    assert message.startswith(f"waiting for {server.url}: no answer yet. It is given up at ")


def test_a_server_that_never_answers_ends_the_whole_evaluation_with_one_line_of_waiting(caplog, monkeypatch):
    now = [0.0]

    def sleep(seconds):
        now[0] += seconds

    # Time passes between attempts alone, so that some are made however long the first of them takes.
    clock = SimpleNamespace(**{**vars(time), "monotonic": lambda: now[0], "sleep": sleep})
    for module in ("patience", "endpoint_client"):
        monkeypatch.setattr(f"agentgym.policies.{module}.time", clock)
    with refusing_url() as url:
        policy = EndpointPolicy.load(f"{url}#m", first_answer_s=0.2)
        with pytest.raises(EndpointDownError, match="refuses: no connection") as caught:
            evaluate(policy, "tools/lookup")
    assert re.search(r"not answered once in 0\.2 s\. Start the server, or correct the address", str(caught.value))
    assert "max_fault_share" not in str(caught.value)
    assert len(messages_of(caplog)) == 1


def test_a_server_that_has_answered_or_asks_to_wait_is_not_given_up_early(server, policy_of):
    server.answers = [(500, {}, {})]
    with pytest.raises(EndpointDownError):
        policy_of(first_answer_s=1e-6).generate([ask()])
    for answers in ([(429, {}, {}), (503, {"Retry-After": "0"}, {}), chat()], [chat(), (500, {}, {}), chat()]):
        server.answers = answers
        replies = policy_of(first_answer_s=1e-6).generate([ask(), ask()])
        assert [reply.text for reply in replies] == ["hello", "hello"]
    server.answers = [chat(), (500, {}, {})]
    with pytest.raises(EndpointError, match="failed 3 times"):
        policy_of(first_answer_s=1e-6).generate([ask(), ask()])


def test_an_evaluation_says_how_many_messages_the_limit_cut(server, policy_of):
    server.answers = [chat(finish="length"), chat(finish="length"), chat('search(query="Mara")')]
    result = evaluate(policy_of(max_concurrency=1), "tools/lookup", settings=EvaluationSettings(limit=1))
    assert result.cut_share == 2 / len(server.bodies)


def test_where_every_episode_fails_nobody_is_told_to_accept_more_failures(server, policy_of):
    server.answers = [(501, {}, b"Unsupported method")]
    for settings in (EvaluationSettings(limit=2), EvaluationSettings()):
        with pytest.raises(InfrastructureError, match=r"(20 of 20|2 of 2) episodes .* with status 501") as caught:
            evaluate(policy_of(), "tools/lookup", settings=settings)
        assert "Mend the cause" in str(caught.value)
        assert "max_fault_share" not in str(caught.value)


def test_waiting_for_a_model_is_not_counted_as_time_of_the_environment():
    jobs = [Job(load_suite("tools/lookup").tasks("test")[0], "dead", 0)]
    settings = RolloutSettings(retries=0, max_fault_share=1.0)
    with refusing_url() as url:
        policy = EndpointPolicy.load(f"{url}#m", max_retries=1, backoff_s=0.3, first_answer_s=60)
        _, stats = collect_episodes(jobs, game_maker(load_suite("tools/lookup")), {"*": policy}, settings)
    assert stats.model_s > 0.1
    assert "env 100%" not in describe(stats, 1.0)
