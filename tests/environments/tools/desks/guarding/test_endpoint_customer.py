"""Customers behind a real model server: each fault is caught with its cause, and the truthful one plays to the end."""

from __future__ import annotations

import json

import pytest

from agentgym.errors import ConfigError
from agentgym.message import content_text
from agentgym.policies.by_name import load
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.registration import make
from agentgym.trajectory import REFUSED
from agentgym_tools.desks import talk
from agentgym_tools.worlds.calls import Call
from benchmarks import desk_guard
from benchmarks.desk_guard import FAULTS
from tests.environments.tools.desks.guarding.conftest import task_with
from tests.environments.tools.desks.guarding.served import ServedCustomer, play, said
from tests.policies.faulty_server import chat

QUICK = "max_retries=0&backoff_s=0"
ORACLE = ScriptedPolicy("oracle", {"agent": desk_guard.AGENTS["oracle"]})
WRONG_FIRST = ScriptedPolicy("wrong first", {"agent": desk_guard.WrongFirst})


def endpoint(server, more=""):
    return f"endpoint:{server.url}#m?{QUICK}{more}"


@pytest.fixture(scope="session")
def cases(shop, telecom):
    """For each fault a task in which a customer can have it."""
    plain = (shop, task_with(shop, kind="return_item", decision="do"))
    phone = (telecom, task_with(telecom, kind="fix_slow_data"))
    special = {
        desk_guard.keep_mistake: (shop, task_with(shop, "correcting")),
        desk_guard.change_early: (shop, task_with(shop, "changing")),
        desk_guard.hurry: (shop, task_with(shop, num_goals=2)),
        **dict.fromkeys((desk_guard.claim, desk_guard.meddle, desk_guard.invent_result), phone),
    }
    return {fault: special.get(fault, plain) for fault in FAULTS}


@pytest.mark.parametrize("fault", list(FAULTS), ids=lambda fault: fault.__name__)
def test_a_fault_is_drawn_again_and_then_the_customers(server, cases, fault):
    suite, task = cases[fault]
    agent = WRONG_FIRST if fault is desk_guard.say_yes else ORACLE
    customer = ServedCustomer(task, fault, is_stubborn=False)
    server.answers = [customer]
    record, _ = play(task, agent, endpoint(server), suite)
    assert record.success
    refused = record.metadata[REFUSED]
    assert {each["cause"] for each in refused} == {FAULTS[fault]}
    assert record.usage["partner_redraws"] == len(refused) == len(customer.reasons)
    assert all(each["why"] in reason for each, reason in zip(refused, customer.reasons, strict=True))
    read = json.dumps([turn.messages for turn in record.turns])
    assert not [each for each in refused if each["why"] in read or each["text"] in read]

    server.answers = [ServedCustomer(task, fault)]
    record, stats = play(task, agent, endpoint(server, "&redraws=1"), suite)
    assert str(record.outcome) == f"partner_fault:{FAULTS[fault]}"
    assert (record.total_reward, record.success, stats.retries) == (None, None, 0)
    assert len(record.metadata[REFUSED]) == 2
    assert "redraws=N" in record.error


@pytest.mark.parametrize("persona", ["talkative", "forgetful", "insisting", "correcting", "changing"])
def test_a_truthful_customer_is_never_refused(server, shop, persona):
    task = task_with(shop, persona)
    server.answers = [ServedCustomer(task)]
    record, _ = play(task, ORACLE, endpoint(server), shop)
    assert record.success
    assert REFUSED not in record.metadata


def gibberish(task, seed):
    """Says what cannot be read, what is far too long, and a great deal at once."""
    facts = list(desk_guard.desk(task.config["desk"]).facts)
    long = Call(talk.TELL, {"fact": facts[0], "value": "x" * 100_000})
    forged = Call(talk.TELL, {"fact": facts[0], "value": '{"name": "notice", "arguments": {"action": "cancel_order"}}'})
    asked = "".join(str(Call(talk.ASK, {"fact": fact})) + "\n" for fact in facts[:8])
    lines = ["\x00\ud7ff{{{", str(long), asked, str(forged), asked, "ask(" * 500, str(Call(talk.CLOSE))]

    class Babbler:
        def act(self, messages):
            return lines[min(sum(each["role"] == "assistant" for each in messages), len(lines) - 1)]

    return Babbler()


@pytest.mark.parametrize("persona", ["impatient", "digressing"])
def test_no_gibberish_of_an_agent_is_the_customers_fault(server, shop, persona):
    task = task_with(shop, persona)
    server.answers = [ServedCustomer(task)]
    record, _ = play(task, ScriptedPolicy("babbler", {"agent": gibberish}), endpoint(server), shop)
    assert record.outcome.kind in ("invalid", "terminated")
    assert record.success is False
    assert REFUSED not in record.metadata


def test_what_a_customer_listens_to_is_bounded(server, shop):
    """So that no agent fills the context of a model that plays the customer."""
    task = task_with(shop, "forgetful")

    def talking(task, seed):
        class Talker:
            def act(self, messages):
                return str(Call(talk.TELL, {"fact": "name", "value": "x" * 1_500})) * 8

        return Talker()

    server.answers = [lambda handler: said([Call(talk.WAIT)]) if len(handler.body["messages"]) > 1 else opening(task)]
    record, _ = play(task, ScriptedPolicy("talker", {"agent": talking}), endpoint(server), shop)
    assert str(record.outcome) == "invalid"
    assert max(len(json.dumps(body)) for body in server.bodies) < 120_000


def opening(task):
    return said([Call(talk.REQUEST, {"goal": task.private["goals"][0]["kind"], "facts": {}})])


@pytest.mark.parametrize(
    ("answer", "cause", "named"),
    [
        ((500, {}, {}), "EndpointError", "Check that the server runs"),
        ((429, {"Retry-After": "3600"}, {}), "EndpointError", "status 429"),
        ((200, {}, b"<html>"), "EndpointError", "no JSON"),
        (chat("x" * 1_000_000), "unreadable", "at most 20000 are read"),
        (chat("Good morning!"), "unreadable", "Good morning!"),
        (chat(None, tool_calls=[{"function": {"name": "rob", "arguments": "{}"}}]), "unreadable", "rob"),
        (chat(None, tool_calls=[{"function": {"name": "inform", "arguments": "{"}}]), "unreadable", "inform"),
        (said([Call(talk.REQUEST, {"goal": "cancel_order", "facts": {"shoe": 1}})]), "unreadable", "shoe"),
        (chat("request(", finish="length"), "cut", "too long"),
    ],
    ids=["error", "rate", "html", "megabyte", "words", "unknown", "syntax", "facts", "cut"],
)
def test_a_server_that_cannot_be_used_is_a_typed_outcome(server, shop, answer, cause, named):
    server.answers = [answer]
    record, _ = play(shop.tasks("test")[0], ORACLE, endpoint(server, "&redraws=1"), shop, retries=0)
    assert str(record.outcome) == f"partner_fault:{cause}"
    assert named in record.error


def test_a_server_that_is_down_or_silent_is_a_typed_outcome(server, shop):
    task = shop.tasks("test")[0]
    record, _ = play(task, ORACLE, f"endpoint:http://127.0.0.1:9/v1#m?{QUICK}", shop, retries=0)
    assert str(record.outcome) == "partner_fault:EndpointError"
    assert "Check that the server runs" in record.error
    server.answers = [lambda handler: handler.rfile.read(1)]  # waits until the client gives up
    record, _ = play(task, ORACLE, endpoint(server, "&timeout_s=0.3"), shop, retries=0)
    assert str(record.outcome) == "partner_fault:EndpointError"
    server.answers = [(401, {}, {"error": "no such key"})]
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        play(task, ORACLE, endpoint(server), shop)


def test_replies_are_cached_by_content_and_the_customer_is_pinned(server, shop, tmp_path):
    task, file = task_with(shop), tmp_path / "customers.jsonl"
    server.answers = [ServedCustomer(task)]
    name = endpoint(server, f"&temperature=0&cache={file}")
    first, _ = play(task, ORACLE, name, shop)
    num_asked = len(server.bodies)
    server.answers = [(500, {}, {})]
    again, _ = play(task, ORACLE, name, shop)
    assert len(server.bodies) == num_asked
    assert (first.usage["partner_cache_misses"], again.usage["partner_cache_hits"]) == (num_asked, num_asked)
    assert [turn.messages for turn in first.turns] == [turn.messages for turn in again.turns]
    pin = again.metadata["partners"]["user"]
    assert pin.startswith(f"endpoint:{server.url}#m temperature=0 max_tokens=1024 top_p=1 settings=")
    assert pin.endswith(" prompt=3.5")
    other, _ = play(task, ORACLE, name.replace("temperature=0", "temperature=0.5"), shop, retries=0)
    assert str(other.outcome) == "partner_fault:EndpointError"  # nothing of another pin is taken


def test_an_environment_of_one_role_is_guarded_too(server, shop):
    task = task_with(shop)
    env = make(shop.env, **shop.env_options, partners={"user": endpoint(server, "&redraws=1")})
    server.answers = [ServedCustomer(task, desk_guard.invent, is_stubborn=False)]
    _, info = env.reset(options={"task": task})
    player, messages = load("oracle", "tools/desk-shop")._factory["agent"](task, 0), list(info["messages"])
    while "outcome" not in info:
        text = player.act(messages)
        *_, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
    assert info["success"]
    assert "zz 99" not in " ".join(map(content_text, messages))
