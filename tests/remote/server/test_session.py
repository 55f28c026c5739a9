import threading
import time
from dataclasses import replace

import pytest

from agentgym.errors import StepTimeoutError
from agentgym.remote.server.app import create_app, running
from agentgym.remote.server.kept_replies import MAX_KEPT_REPLIES, MAX_REQUEST_IDS
from agentgym.remote.settings import ServerConfig
from tests.remote.raw import Talk
from tests.toys.env import ToyEnv, toy_task

RESET = {"type": "reset", "data": {"seed": 7, "episode_id": "ep-1"}}


def step(message, **more):
    return {"type": "step", "data": {"message": message, **more}}


@pytest.fixture
def talk(url):
    with Talk(url) as talk:
        yield talk


def error_of(reply):
    assert reply["type"] == "error"
    return reply["data"]["code"]


def test_session_follows_the_golden_example(talk):
    begun = talk.ask(RESET)
    assert begun["type"] == "observation"
    assert set(begun["data"]) == {"observation", "reward", "done"}
    assert (begun["data"]["reward"], begun["data"]["done"]) == (None, False)
    assert set(begun["data"]["observation"]) == {"text", "agentgym"}
    played = talk.ask(step("up"))
    assert played["data"]["reward"] == pytest.approx(-0.05)
    assert talk.ask({"type": "state"}) == {
        "type": "state",
        "data": {"episode_id": "ep-1", "step_count": 1, "task_id": "toy:7"},
    }
    refused = talk.ask({"type": "step", "data": {"nope": 1}})
    assert error_of(refused) == "VALIDATION_ERROR"
    assert refused["data"]["errors"][0]["loc"] == ["nope"]
    assert error_of(talk.ask(b"not json")) == "INVALID_JSON"
    assert talk.ask({"type": "state"})["data"]["step_count"] == 1


def test_close_is_not_answered_and_frees_the_session(start):
    url, table = start(max_sessions=1)
    with Talk(url) as first:
        first.ask(RESET)
        with Talk(url) as second:
            full = second.hear()
            assert error_of(full) == "CAPACITY_REACHED"
            assert (full["data"]["active_sessions"], full["data"]["max_sessions"]) == (1, 1)
        first.say({"type": "close"})
        with pytest.raises(RuntimeError, match="closed"):
            first.hear()
    assert len(table) == 0
    with Talk(url) as third:
        assert third.ask(RESET)["type"] == "observation"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([], "VALIDATION_ERROR"),
        ({}, "UNKNOWN_TYPE"),
        ({"type": "fly"}, "UNKNOWN_TYPE"),
        ({"type": ["step"]}, "UNKNOWN_TYPE"),
        ({"type": "reset", "data": []}, "VALIDATION_ERROR"),
        ({"type": "reset", "more": 1}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"sead": 1}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"seed": -1}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"seed": True}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"seed": 2**64}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"episode_id": "x" * 256}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"task": 3}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"task": {"id": "a"}}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"task": "dialogue/nothing:1"}}, "EXECUTION_ERROR"),
        ({"type": "step", "data": {"message": 3}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"message": "up", "was_cut": 1}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"message": "up", "metadata": 1}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"type": "fly"}}, "VALIDATION_ERROR"),
        ({"type": "state", "data": {"a": 1}}, "VALIDATION_ERROR"),
        ({"type": "agentgym", "data": {"method": "__init__"}}, "VALIDATION_ERROR"),
        ({"type": "agentgym", "data": {"method": "finalize", "reason": "whim"}}, "VALIDATION_ERROR"),
        ({"type": "agentgym", "data": {"method": "fork", "seed": "1"}}, "VALIDATION_ERROR"),
    ],
)
def test_wrong_message_is_refused_and_the_session_goes_on(talk, message, code):
    assert error_of(talk.ask(message)) == code
    assert talk.ask(RESET)["type"] == "observation"


def test_result_that_json_cannot_hold_is_an_error_and_the_session_goes_on(start):
    class Huge(ToyEnv):
        def step(self, action):
            *result, info = super().step(action)
            return (*result, {**info, "huge": 10**5000})  # more digits than Python writes

    with Talk(start(Huge)[0]) as talk:
        talk.ask(RESET)
        refused = talk.ask(step("up"))
        assert error_of(refused) == "EXECUTION_ERROR"
        assert "failed with ValueError" in refused["data"]["message"]
        assert talk.ask(RESET)["type"] == "observation"


def test_step_before_reset_says_so(talk):
    refused = talk.ask(step("up"))["data"]
    assert (refused["code"], refused["error"]) == ("EXECUTION_ERROR", "ResetNeeded")


def test_request_sent_again_is_answered_again_and_not_played_again(talk):
    talk.ask(RESET)
    first = talk.ask({**step("up"), "request_id": "a"})
    talk.ask({**step("up"), "request_id": "b"})
    assert talk.ask({**step("up"), "request_id": "a"}) == first
    assert talk.ask({"type": "state"})["data"]["step_count"] == 2


def test_request_whose_reply_is_no_longer_kept_is_still_not_played_again(talk):
    talk.ask({"type": "reset", "data": {"task": toy_task("t", 50, limits=None or toy_task("x", 1).limits).to_json()}})
    for number in range(MAX_KEPT_REPLIES + 1):
        talk.ask({"type": "state", "request_id": f"r{number}"})
    talk.ask({**step("up"), "request_id": "s"})
    forgotten = talk.ask({**step("up"), "request_id": "r0"})
    assert "no longer kept" in forgotten["data"]["message"]
    assert talk.ask({"type": "state"})["data"]["step_count"] == 1
    assert MAX_REQUEST_IDS > 1000


def test_private_part_of_a_task_never_comes_back(talk):
    task = toy_task("secret", 3).to_json()
    for message in (
        {"type": "reset", "data": {"task": task}},
        step("up"),
        {"type": "state"},
        {"type": "agentgym", "data": {"method": "make_task", "seed": 3}},
    ):
        reply = talk.ask(message)
        assert "sesame" not in str(reply)
        assert "content_hash" not in str(reply)


def test_own_messages_answer_what_the_harness_asks(talk):
    about = talk.ask_own("hello")["data"]
    assert (about["role"], about["reward_weights"]["step"], about["tools"]) == ("agent", 0.5, [])
    talk.ask(RESET)
    assert talk.ask_own("anchor")["data"] == {"anchor": "0 0 0"}
    assert talk.ask_own("progress")["data"] == {"progress": 0.0}
    assert talk.ask_own("screenshot")["data"] == {"screenshot": None}
    assert talk.ask_own("legal_actions")["data"] == {"legal_actions": ["up", "down"]}
    final = talk.ask_own("finalize", reason="time")["data"]
    assert final["agentgym"]["outcome"] == {"kind": "truncated", "cause": "time"}


def test_half_of_a_surrogate_pair_passes_both_ways(start):
    class Echo(ToyEnv):
        def respond(self, action):
            return super().respond(action)._replace(messages=[{"role": "user", "content": action.content + "\ud800"}])

        def parse(self, text):
            return super().parse("up" if "\udfff" in text else text)

    url, _ = start(Echo)
    with Talk(url) as talk:
        talk.ask(RESET)
        assert talk.ask(step("\udfff"))["data"]["observation"]["text"] == "up\ud800"


def test_failure_of_the_environment_is_told_without_its_traceback(start, caplog):
    class Broken(ToyEnv):
        def respond(self, action):
            raise RuntimeError("password sesame3")

    url, _ = start(Broken)
    with Talk(url) as talk:
        talk.ask(RESET)
        failed = talk.ask(step("up"))
        assert error_of(failed) == "EXECUTION_ERROR"
        assert "RuntimeError" in failed["data"]["message"]
        assert "sesame" not in str(failed)
        assert talk.ask(step("up"))["data"]["error"] == "ResetNeeded"
        assert talk.ask(RESET)["type"] == "observation"
    assert "password sesame3" in caplog.text


def test_fork_is_a_session_of_its_own(url, talk):
    talk.ask(RESET)
    talk.ask(step("up"))
    twin_id = talk.ask_own("fork")["data"]["session_id"]
    with Talk(url, session_id=twin_id) as twin:
        assert twin.ask_own("anchor") == talk.ask_own("anchor")
        twin.ask(step("up"))
        assert twin.ask_own("anchor") != talk.ask_own("anchor")
        with Talk(url, session_id=twin_id) as third:
            assert error_of(third.hear()) == "SESSION_ERROR"


def test_messages_that_come_at_once_are_answered_in_order(start):
    url, _ = start(inline="never")
    with Talk(url) as talk:
        talk.say(RESET)
        for _ in range(40):
            talk.say({"type": "state"})
        assert talk.hear()["type"] == "observation"
        assert [talk.hear()["type"] for _ in range(40)] == ["state"] * 40


@pytest.mark.parametrize("limit_s", [0.5, 300.0])
def test_fork_that_nobody_waits_for_any_more_is_closed(start, limit_s):
    opened = []
    forking, release = threading.Event(), threading.Event()

    class Forking(ToyEnv):
        is_open = True

        def fork(self, seed=None):
            forking.set()
            release.wait(120)
            twin = super().fork(seed)
            opened.append(twin)
            return twin

        def close(self):
            self.is_open = False

    url, table = start(Forking, inline="never")
    with Talk(url) as talk:
        wait_until(lambda: len(table) == 1)
        table.config = replace(table.config, step_timeout_s=limit_s)  # from the next reset on
        talk.ask(RESET)
        talk.say({"type": "agentgym", "data": {"method": "fork"}})
        assert forking.wait(60)
        if limit_s < 1:
            assert talk.hear()["data"]["error"] == "StepTimeoutError"
    wait_until(lambda: len(table) == 0)
    release.set()
    wait_until(lambda: opened and not opened[0].is_open)


def wait_until(holds):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_all_environments_are_closed_when_the_server_stops(tmp_path):
    closed = []

    class SlowToClose(ToyEnv):
        def close(self):
            time.sleep(0.05)
            closed.append(self)

    app = create_app(SlowToClose, ServerConfig(uds=str(tmp_path / "socket"), inline="never", max_threads=2))
    with running(app) as url:
        closed.clear()  # of the environment that was made to look at
        talks = [Talk(url) for _ in range(20)]
        for talk in talks:
            talk.ask(RESET)
    wait_until(lambda: len(closed) == 20)
    for talk in talks:
        talk.socket.close()


def test_an_environment_that_reports_a_time_out_is_closed_with_its_session(start):
    closed = []

    class Impatient(ToyEnv):
        def respond(self, action):
            raise StepTimeoutError("the tool took longer than 1 s")

        def close(self):
            closed.append(self)

    url, table = start(Impatient)
    with Talk(url) as talk:
        talk.ask(RESET)
        closed.clear()  # of the environment that was made to look at
        refused = talk.ask(step("up"))
        assert "took longer than 1 s" in refused["data"]["message"]
    wait_until(lambda: len(closed) == 1 and len(table) == 0)
