from __future__ import annotations

import copy
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import agentgym
from agentgym.errors import ConfigError, EndpointError, InfrastructureError
from agentgym.policies.judge import PolicyJudge, judge_named
from agentgym.policy import Reply


class Answering:
    """A policy that counts what it is asked."""

    name, uses_tokens, concurrency = "answering", False, 1

    def __init__(self, fails=False):
        self.asked, self.fails = [], fails

    def generate(self, requests):
        if self.fails:
            raise EndpointError("no route")
        self.asked += [request.messages[0]["content"] for request in requests]
        assert all(request.sampling.is_greedy for request in requests)
        return [Reply(f"answer {len(self.asked)}") for _ in requests]

    def forget(self, episode):
        pass


def test_judge_answers_equal_questions_alike_and_asks_once(tmp_path):
    policy = Answering()
    judge = PolicyJudge(policy, tmp_path / "verdicts.jsonl")
    assert [judge.ask(text) for text in ("a", "b", "a")] == ["answer 1", "answer 2", "answer 1"]
    assert policy.asked == ["a", "b"]
    again = PolicyJudge(Answering(fails=True), tmp_path / "verdicts.jsonl")
    assert again.ask("b") == "answer 2"


def test_fault_of_a_judge_is_one_of_infrastructure():
    with pytest.raises(InfrastructureError, match="the judge answering failed: no route"):
        PolicyJudge(Answering(fails=True)).ask("a")


def test_judge_is_shared_by_forks():
    judge = PolicyJudge(Answering())
    assert copy.deepcopy([judge])[0] is judge


def test_judge_is_made_by_name_once():
    judge = judge_named("endpoint:http://127.0.0.1:9/v1#judge")
    assert judge_named("endpoint:http://127.0.0.1:9/v1#judge") is judge
    game = agentgym.make_game("agentgym/SocialScenario-v0", judge="endpoint:http://127.0.0.1:9/v1#judge")
    assert game._judge is judge
    with pytest.raises(ConfigError, match="incomplete"):
        agentgym.make("agentgym/SocialScenario-v0", judge="endpoint:")


def test_judge_needs_a_policy_that_speaks_text():
    policy = Answering()
    policy.uses_tokens = True
    with pytest.raises(ConfigError, match="needs token ids"):
        PolicyJudge(policy)


VERDICT = {"goal": 10, "relationship": 5, "knowledge": 0, "secret": 0, "rule": 0}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": self.server.answer}
        body = json.dumps({"model": "judge", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        found.asked, found.answer = [], json.dumps(VERDICT)
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_judge_behind_an_endpoint_weighs_the_lines_of_a_game(server):
    name = f"endpoint:http://127.0.0.1:{server.server_port}/v1#judge"
    env = agentgym.make("agentgym/SocialScenario-v0", judge=name)
    for _ in range(2):
        env.reset(seed=1)
        _, reward, _, _, info = env.step("Hello.")
        assert reward == pytest.approx(1.2)
        assert {event.source for event in info["reward_events"]} == {"judge"}
    assert [request["temperature"] for request in server.asked] == [0.0, 0.0]  # one a line, for both episodes
    server.answer = "I liked it."
    with pytest.raises(InfrastructureError, match="the judge gave no verdict"):
        env.step("What do you need?")
