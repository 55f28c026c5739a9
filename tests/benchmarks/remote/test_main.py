import socket
import threading
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from benchmarks.remote.__main__ import many_goals, served, step_times
    from benchmarks.remote.sides import SIDES, make_env

from agentgym.remote import RemoteEnv
from benchmarks.remote.load import load


@pytest.mark.parametrize("side", SIDES)
def test_every_side_serves_the_same_game_to_the_same_load(side, tmp_path):
    where = str(tmp_path / "socket")
    with served(side, where) as pid:
        found = load(where, 4, 0.2, pid)
        env = RemoteEnv(f"unix:{where}")
        assert env.reset(seed=3)[0]["text"] == make_env().reset(seed=3)[0]["text"]
        assert (env.is_ours, env.step("50")[0]["text"] in ("higher", "lower")) == (side == "ours", True)
        env.close()
    assert found["steps_per_s"] > 0
    assert 0 < found["p50_ms"] <= found["p99_ms"] <= found["max_ms"]
    assert "kb_per_session" in found


def test_server_that_answers_nothing_is_reported_with_the_time_that_was_waited(tmp_path):
    where, held = str(tmp_path / "socket"), []

    def shake_hands_and_fall_silent():
        for _ in range(3):
            connection, _address = listener.accept()
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            held.append(connection)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(where)
        listener.listen()
        thread = threading.Thread(target=shake_hands_and_fall_silent)
        thread.start()
        found = load(where, 3, 0.2)
        thread.join()
    for connection in held:
        connection.close()
    assert "no step of 3 sessions was answered" in found["fault"]
    assert (found["steps_per_s"], found["silent_sessions"]) == (0.0, 3)
    assert found["p99_ms"] >= 200


def test_server_that_is_not_there_is_a_fault(tmp_path):
    assert "FileNotFoundError" in load(str(tmp_path / "socket"), 2, 0.1)["fault"]


def test_peer_that_failed_gives_a_bound_and_the_goal_says_so():
    sessions = (100, 1000, 2000)
    ours = {f"{name} at {n}": 10.0 for n in sessions for name in ("steps_per_s", "p99_ms", "kb_per_session")}
    silent = {**ours, "steps_per_s at 1000": 0.0, "p99_ms at 2000": 3000.0}
    faults = {"ours": [], "openenv-async": [], "openenv": [{"at 1000": "silence", "at 2000": "silence"}]}
    many = {"ours": [ours, ours], "openenv-async": [ours, ours], "openenv": [silent, ours]}
    goals = {goal.name: goal for goal in many_goals(many, faults, seconds=2.0)}
    rate = goals["steps/s at 1000 sessions / openenv"]
    assert (rate.value, rate.note) == ((20.0 + 1.0) / 2, "openenv failed in 1 of 2 rounds (silence)")
    assert goals["step p99 at 2,000 sessions / openenv"].note
    assert goals["steps/s at 100 sessions / openenv"].note == ""


def test_steps_are_timed_in_order():
    taken = step_times(make_env(), 50)
    assert len(taken) == 50
    assert taken == sorted(taken)
