"""Conversations as endpoints get them, checked by a server that refuses what OpenAI's does."""

import copy
import json

import pytest

from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.message import system, tool_result, user
from agentgym.policies.endpoint import EndpointPolicy
from agentgym.policies.endpoint_history import with_calls_answered
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.suite import load_suite
from tests.policies.faulty_server import chat, fault_of, running_server, strict

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def calling(*ids, name="search", arguments='{"query": "Mara"}'):
    calls = [{"id": each, "type": "function", "function": {"name": name, "arguments": arguments}} for each in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def test_a_refusal_is_the_answer_to_the_first_call_of_a_refused_message():
    refusal = "There is no tool 'nosuch'. Did you mean search?"
    sent = with_calls_answered([system("play"), user("go"), calling("c1", "c2", name="nosuch"), user(refusal)])
    assert sent[:3] == [system("play"), user("go"), calling("c1", "c2", name="nosuch")]
    assert sent[3:] == [
        tool_result("c1", "nosuch", refusal),
        tool_result("c2", "nosuch", "The answer to the first call is for all calls of the message."),
    ]


def test_what_follows_answered_calls_stays_behind_the_answers():
    found = tool_result("c2", "search", "found")
    sent = with_calls_answered([calling("c1", "c2"), user("The customer waits."), found, user("Hurry.")])
    assert sent[1] == tool_result("c1", "search", "This call has no answer of its own.")
    assert sent[2:] == [found, user("The customer waits."), user("Hurry.")]


def test_pictures_stay_with_the_user():
    page = user([{"type": "text", "text": "No action."}, PICTURE])
    sent = with_calls_answered([calling("c1"), page])
    assert sent[1:] == [tool_result("c1", "search", "The next message is the answer."), page]


def test_several_results_of_a_call_are_one_message_and_a_result_of_no_call_is_the_users():
    several = [tool_result("c1", "search", "one"), tool_result("c1", "search", "two")]
    assert with_calls_answered([calling("c1"), *several])[1:] == [tool_result("c1", "search", "one\ntwo")]
    seen = tool_result("c1", "search", [{"type": "text", "text": "two"}, PICTURE])
    [_, joined] = with_calls_answered([calling("c1"), several[0], seen])
    assert joined["content"] == [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, PICTURE]
    words = {"role": "assistant", "content": "search(query='Mara')"}
    assert with_calls_answered([words, tool_result("call_0", "search", "one")])[1:] == [user("one")]
    assert with_calls_answered([calling("c1")])[1]["tool_call_id"] == "c1"


@pytest.mark.parametrize("ids", [("c1",), ("c1", "c2"), ("c1", "c2", "c3")])
@pytest.mark.parametrize("num_answered", range(4))
@pytest.mark.parametrize("says_more", [False, True])
def test_servers_that_check_calls_take_any_conversation_and_it_is_not_changed(ids, num_answered, says_more):
    answers = [tool_result(each, "search", "found") for each in ids[:num_answered]]
    more = [user("Go on.")] if says_more else []
    talk = [user("go"), calling(*ids), *answers, *more, calling("d1"), *more, *answers, {"role": "assistant"}]
    before = copy.deepcopy(talk)
    assert fault_of(with_calls_answered(talk)) is None
    assert talk == before
    answered = [user("go"), calling("c1"), tool_result("c1", "search", "found"), user("more")]
    assert with_calls_answered(answered) == answered


def test_an_episode_of_refused_messages_is_played_to_its_end_on_a_strict_server_and_kept_as_it_was():
    said = [
        calling("c1"),
        calling("c2", name="nosuch"),
        calling("c3", "c4", arguments='{"query": 3}'),
        {"role": "assistant", "content": 'search(query="Mara")'},
        {"role": "assistant", "content": '<tool_call>{"name": "search", "arguments": {"query": "M"}}</tool_call>'}
        | {"tool_calls": calling("c5")["tool_calls"]},
    ]
    with running_server() as server:
        cut = chat(None, tool_calls=calling("c6")["tool_calls"], finish="length")
        server.answers = [strict(each) for each in [*(chat(**{**one, "role": "assistant"}) for one in said), cut]]
        policy = EndpointPolicy.load(f"{server.url}#tiny", max_retries=0)
        jobs = [Job(load_suite("tools/lookup").tasks("test")[0], "strict", 0)]
        settings = RolloutSettings(retries=0)
        [episode], _ = collect_episodes(jobs, game_maker(load_suite("tools/lookup")), {"*": policy}, settings)
        policy.close()
    assert episode.outcome.is_graded, episode.error
    assert len(episode.turns) > len(said)
    assert [turn.reply.get("tool_calls") for turn in episode.turns[:3]] == [one["tool_calls"] for one in said[:3]]
    kept = [turn.messages for turn in episode.turns]
    assert kept[1][0]["role"] == "tool"
    [refusal] = kept[2]
    assert refusal["role"] == "user"
    assert "nosuch" in refusal["content"]
    sent = server.bodies[2]["messages"]
    assert sent[-1] == tool_result("c2", "nosuch", refusal["content"])


def test_an_evaluation_ends_well_where_every_message_is_refused():
    with running_server() as server:
        server.answers = [strict(chat(None, tool_calls=calling("c1", name="nosuch")["tool_calls"]))]
        policy = EndpointPolicy.load(f"{server.url}#tiny", max_retries=0)
        result = evaluate(policy, "tools/lookup", settings=EvaluationSettings(limit=2))
        policy.close()
    assert result.num_faults == 0
    assert all(fault_of(body["messages"]) is None for body in server.bodies)
    assert json.dumps(server.bodies[-1]).count("There is no tool") > 0
