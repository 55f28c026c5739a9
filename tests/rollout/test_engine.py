from __future__ import annotations

import re
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from toy import CountEnv, Parrot, make_game, task

import agentgym
from agentgym.env import EnvReply
from agentgym.errors import (
    ConfigError,
    ContextOverflowError,
    ContractError,
    EndpointError,
    InfrastructureError,
    StepTimeoutError,
)
from agentgym.game import GameEnv, GameReply, SoloGame
from agentgym.message import user
from agentgym.rollout import Job, RolloutEngine, RolloutSettings, collect_episodes, engine, episode, notices
from agentgym.rollout.ray_hosts import HostSettings
from agentgym.tools import ToolEnv, said, tool


def jobs(tasks):
    return [Job(each, f"e{index:03d}", index) for index, each in enumerate(tasks)]


def play(tasks, policy=None, **settings):
    return collect_episodes(jobs(tasks), make_game, {"*": policy or Parrot()}, RolloutSettings(**settings))


def test_collect_returns_records_in_the_order_of_jobs():
    records, stats = play([task(seed, length=1 + seed % 3) for seed in range(40)])
    assert [record.task_id for record in records] == [f"toy-{seed}" for seed in range(40)]
    assert all(record.outcome.kind == "terminated" and record.success for record in records)
    assert [record.total_reward for record in records] == [1 + 0.125 * (1 + seed % 3) for seed in range(40)]
    assert stats.episodes == 40
    assert stats.turns == sum(1 + seed % 3 for seed in range(40))


def test_collect_forgets_every_episode_once():
    policy = Parrot()
    play([task(seed) for seed in range(5)], policy)
    assert sorted(policy.forgotten) == [f"e{index:03d}/agent" for index in range(5)]


def test_lockstep_asks_for_all_ready_episodes_at_once():
    policy = Parrot()
    tasks = [task(seed, length=1 + seed % 2, wait_s=0.002 * (seed % 5)) for seed in range(16)]
    play(tasks, policy, is_lockstep=True)
    assert [len(batch) for batch in policy.batches] == [16, 8]
    assert policy.batches[0] == sorted(policy.batches[0])


def test_two_hung_steps_do_not_hold_up_the_others():
    hung = [task(seed, fault="hang", limits=agentgym.Limits(max_turns=8, step_timeout_s=0.3)) for seed in (0, 1)]
    began = time.monotonic()
    records, stats = play(hung + [task(seed) for seed in range(2, 30)], env_threads=2, retries=0, max_fault_share=0.2)
    assert time.monotonic() - began < 60  # a hung step goes on for 120 s
    assert [str(record.outcome) for record in records[:2]] == ["infrastructure:StepTimeoutError"] * 2
    assert all(record.success for record in records[2:])
    assert stats.abandoned_calls == 2
    assert [record.total_reward for record in records[:2]] == [None, None]


def test_a_game_whose_environment_reports_a_time_out_is_closed():
    made, closed = [], []

    class Impatient(CountEnv):
        """Its tool, on another machine, took too long; the call itself came back."""

        def respond(self, action):
            raise StepTimeoutError("the tool took longer than 1 s")

        def close(self):
            closed.append(self)

    def make(_):
        made.append(Impatient())
        return SoloGame(made[-1])

    settings = RolloutSettings(retries=1, max_fault_share=1.0)
    records, stats = collect_episodes(jobs([task(0), task(1)]), make, {"*": Parrot()}, settings)
    assert {str(record.outcome) for record in records} == {"infrastructure:StepTimeoutError"}
    assert len(made) == 4
    assert set(made) == set(closed)
    assert stats.abandoned_calls == 0


def test_a_fault_is_retried_with_the_same_seed_and_counted():
    CountEnv.attempts.clear()
    records, stats = play([task(7, "flaky", fault="raise", times=2)], retries=2)
    assert records[0].success
    assert records[0].usage["retries"] == 2
    assert stats.retries == 2


def test_a_fault_that_stays_is_no_zero_and_keeps_its_cause():
    CountEnv.attempts.clear()
    records, stats = play([task(7, "broken", fault="raise", times=99), *[task(seed) for seed in range(30)]])
    assert str(records[0].outcome) == "infrastructure:OSError"
    assert records[0].total_reward is None
    assert records[0].score is None
    assert "on fire" in records[0].error
    assert stats.outcomes["terminated"] == 30


def test_too_many_faults_stop_the_run_with_the_cause():
    CountEnv.attempts.clear()
    tasks = [task(seed, f"b{seed}", fault="raise" if seed % 2 else None, times=99) for seed in range(60)]
    with pytest.raises(InfrastructureError, match="on fire"):
        play(tasks, retries=0)


class Buggy(CountEnv):
    """Divides by zero in tasks whose seed is odd."""

    runs = 0

    def respond(self, action):
        Buggy.runs += 1
        return super().respond(action) if 1 // (1 - self.task.seed % 2) else None


def test_an_error_of_the_environment_that_returns_with_the_seed_stops_the_run_and_says_where():
    Buggy.runs = 0
    line = Buggy.respond.__code__.co_firstlineno + 2
    with pytest.raises(
        ContractError, match=rf"ZeroDivisionError: .* \({__file__}, line {line}, in respond\)"
    ) as raised:
        collect_episodes(
            jobs([task(2 * seed + 1) for seed in range(200)]),
            buggy_game,
            {"*": Parrot()},
            RolloutSettings(max_concurrent=4),
        )
    assert "3 of 3 episodes" in str(raised.value)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert Buggy.runs < 20


def buggy_game(_):
    return SoloGame(Buggy())


class Immeasurable(CountEnv):
    def respond(self, action):
        return EnvReply([], [self.event("success", float("nan"))], True, success=True)


def test_rewards_that_are_no_numbers_with_the_same_seed_again_are_the_environments_mistake():
    with pytest.raises(ContractError, match=r"3 of 3 episodes raised the same error .*: 6 x RewardError: .*in respond"):
        collect_episodes(
            jobs([task(seed) for seed in range(5)]),
            lambda _: SoloGame(Immeasurable()),
            {"*": Parrot()},
            RolloutSettings(max_concurrent=1),
        )


def test_a_few_errors_of_the_environment_are_faults_that_are_not_tried_a_third_time():
    records, stats = collect_episodes(
        jobs([task(seed) for seed in (1, 3, 5, 7, *range(0, 100, 2))]),
        buggy_game,
        {"*": Parrot()},
        RolloutSettings(max_fault_share=1.0),
    )
    assert [str(record.outcome) for record in records[:4]] == ["infrastructure:ZeroDivisionError"] * 4
    assert (stats.outcomes["terminated"], stats.repeated_errors, stats.retries) == (50, 4, 4)


def test_invalid_actions_end_as_invalid_with_the_declared_penalty():
    records, _ = play([task(0)], Parrot("what?"))
    assert str(records[0].outcome) == "invalid"
    assert records[0].total_reward == -1.5
    assert [turn.was_invalid for turn in records[0].turns] == [True] * 3


class Counting(ToolEnv):
    """Count on from any number."""

    @tool
    def count(self, start: int) -> EnvReply:
        """Count on.

        Args:
            start: Where from.
        """
        return EnvReply([], [self.event("success", 1.0)], True, success=True)

    tools = (count,)

    def make_task(self, seed):
        return task(seed)

    def begin(self, task):
        return said("count").messages


class HugeNumbers(Parrot):
    """Counts in task 1 from a number that Python does not write out."""

    def generate(self, requests):
        starts = [f"0x{'f' * 4_000}" if request.task.seed == 1 else "0xf" for request in requests]
        return [agentgym.Reply(f"count(start={start})") for start in starts]


def test_a_number_too_long_to_write_out_is_an_invalid_action_of_its_episode_alone():
    tasks = [task(seed) for seed in range(3)]
    records, stats = collect_episodes(
        jobs(tasks), lambda _: SoloGame(Counting()), {"*": HugeNumbers()}, RolloutSettings()
    )
    assert [str(record.outcome) for record in records] == ["terminated", "invalid", "terminated"]
    assert all(turn.was_invalid for turn in records[1].turns)
    assert (stats.faults, stats.outcomes["terminated"]) == (0, 2)


def test_turn_limit_truncates():
    records, _ = play([task(0, length=99)])
    assert str(records[0].outcome) == "truncated:turns"
    assert len(records[0].turns) == 8
    assert records[0].success is False


def test_time_limit_truncates_and_grades(monkeypatch):
    now = [0.0]

    def step(self, config):
        now[0] += 0.25

    monkeypatch.setattr(CountEnv, "_misbehave", step)
    monkeypatch.setattr(episode, "time", SimpleNamespace(monotonic=lambda: now[0]))
    records, _ = play([task(0, length=99, limits=agentgym.Limits(max_turns=100, max_seconds=1.0))])
    assert str(records[0].outcome) == "truncated:time"
    assert len(records[0].turns) == 4


def test_an_episode_that_nothing_ends_is_cut_and_said_to_be(monkeypatch, caplog):
    for module in (notices, episode):
        monkeypatch.setattr(module, "MAX_UNLIMITED_TURNS", 5)
    monkeypatch.setattr(notices, "MANY_TURNS", 3)
    endless = agentgym.Limits()
    records, _ = play([task(seed, length=99, limits=endless) for seed in (0, 1)] + [task(2)])
    assert [str(record.outcome) for record in records] == ["truncated:turns"] * 2 + ["terminated"]
    assert [len(record.turns) for record in records] == [5, 5, 2]
    [said] = caplog.messages
    assert "has had 3 turns, and the task has no limit; it is cut at 5. Give such tasks limits=Limits(max" in said
    records, _ = play([task(0, length=7, limits=agentgym.Limits(max_turns=9))])
    assert len(records[0].turns) == 7


def test_a_step_that_takes_long_is_named_with_its_line(monkeypatch, caplog):
    def wait(self, config):
        end = time.monotonic() + 30
        while self.count == 1 and time.monotonic() < end and not any("step 1 of" in said for said in caplog.messages):
            time.sleep(0.01)

    monkeypatch.setattr(CountEnv, "_misbehave", wait)
    monkeypatch.setattr(notices, "PATIENCE_S", 0.0)
    monkeypatch.setattr("agentgym.rollout.engine._LOOK_S", 0.01)
    play([task(0, "slow-one", length=3)])
    said = next(text for text in caplog.messages if text.startswith("step 1 of task 'slow-one'"))
    assert re.search(r"toy\.py, line \d+, in respond\) has run for \d+ s; it is given up after \d+ s\.$", said)


class CutParrot(Parrot):
    def generate(self, requests):
        return [agentgym.Reply(self.text, was_cut=True) for _ in requests]


def test_a_cut_message_is_an_invalid_action_by_default():
    records, _ = play([task(0)], CutParrot())
    assert str(records[0].outcome) == "invalid"
    assert all(turn.was_cut and turn.was_invalid for turn in records[0].turns)
    played, _ = play([task(0)], CutParrot(), cut_messages="play")
    assert played[0].success


class FailingPolicy(Parrot):
    def __init__(self, fails):
        super().__init__()
        self.fails = fails

    def generate(self, requests):
        if self.fails:
            self.fails -= 1
            raise EndpointError("no route")
        return super().generate(requests)


def test_a_failing_policy_is_retried_as_infrastructure():
    records, stats = play([task(seed) for seed in range(3)], FailingPolicy(1), is_lockstep=True)
    assert all(record.success for record in records)
    assert stats.retries == 3


class BrokenPolicy(Parrot):
    def generate(self, requests):
        raise ContractError("a bug")


def test_a_mistake_in_a_policy_is_raised():
    with pytest.raises(ContractError, match="a bug"):
        play([task(0)], BrokenPolicy())


class MeetingParrot(Parrot):
    """Answers once eight requests are there at the same time."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.meeting = threading.Barrier(8, timeout=60)

    def generate(self, requests):
        self.meeting.wait()
        return super().generate(requests)


def test_concurrent_policies_are_asked_one_request_at_a_time_in_parallel():
    policy = MeetingParrot(concurrency=8)
    play([task(seed, length=1) for seed in range(8)], policy)
    assert [len(batch) for batch in policy.batches] == [1] * 8


class InterruptedParrot(Parrot):
    def generate(self, requests):
        if len(self.batches) == 2:
            raise KeyboardInterrupt
        return super().generate(requests)


def test_an_interrupt_keeps_what_is_complete():
    records, stats = play(
        [task(seed, length=1 + 3 * (seed % 2)) for seed in range(10)], InterruptedParrot(), is_lockstep=True
    )
    assert len(records) == 5
    assert all(record.success for record in records)
    assert stats.outcomes == {"terminated": 5}


def test_settings_refuse_unknown_values():
    with pytest.raises(ConfigError, match="history"):
        RolloutSettings(history="first_turn")
    with pytest.raises(ConfigError, match="env_threads"):
        RolloutSettings(env_threads=0)


class ClosingEnv(CountEnv):
    """Counts how often it is closed."""

    def __init__(self):
        super().__init__()
        self.num_closed = 0

    def close(self):
        self.num_closed += 1


@pytest.mark.parametrize("fault", [None, "hang"], ids=["between-steps", "during-a-step"])
def test_closing_the_engine_closes_every_game_once(fault):
    envs = []

    def make(_):
        envs.append(ClosingEnv())
        return SoloGame(envs[-1])

    with RolloutEngine(make, {"*": Parrot()}, RolloutSettings()) as engine:
        for job in jobs([task(0, length=1), *(task(seed, length=4, fault=fault) for seed in range(1, 6))]):
            engine.submit(job)
        engine.next()
    deadline = time.monotonic() + 60  # a hung step ends by itself after 120 s
    while sum(env.num_closed for env in envs) < len(envs) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(envs) == 6
    assert [env.num_closed for env in envs] == [1] * 6


class HeldParrot(Parrot):
    """Answers once it is let go."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.release, self.has_answered = threading.Event(), False

    def generate(self, requests):
        replies = super().generate(requests)
        self.release.wait(60)
        self.has_answered = True
        return replies


@pytest.mark.parametrize(("concurrency", "is_awaited"), [(1, True), (4, False)], ids=["in-process", "server"])
def test_closing_waits_for_a_policy_in_this_process_and_for_no_server(concurrency, is_awaited):
    policy = HeldParrot(concurrency=concurrency)
    with RolloutEngine(make_game, {"*": policy}, RolloutSettings()) as engine:
        engine.submit(*jobs([task(0)]))
        engine._start_waiting()
        call = engine._pool.next()
        call.then(call)
        engine._ask_policies()
        while not policy.batches:  # a call that no thread has taken up is dropped
            time.sleep(0.001)
        if is_awaited:
            threading.Timer(0.5, policy.release.set).start()
    assert policy.has_answered == is_awaited
    policy.release.set()


class ForgetfulServer(Parrot):
    """Says after the first turn of task 1 that the conversation is too long."""

    def generate(self, requests):
        if (requests[0].task.id, requests[0].turn) == ("toy-1", 1):
            raise ContextOverflowError("the context has 8 tokens")
        return super().generate(requests)


def test_a_conversation_too_long_for_the_server_is_cut_alone():
    records, stats = play([task(seed, length=3) for seed in range(3)], ForgetfulServer(concurrency=4))
    assert [str(record.outcome) for record in records] == ["terminated", "truncated:context", "terminated"]
    assert [len(record.turns) for record in records] == [3, 1, 3]
    assert records[1].total_reward == 0.125
    assert [message["content"] for message in records[1].metadata["last_messages"]] == ["1"]
    assert stats.faults == 0


def test_the_token_limit_counts_what_a_server_counts():
    limits = agentgym.Limits(max_turns=30, max_tokens=5)
    records, _ = play([task(0, length=20, limits=limits)])
    assert str(records[0].outcome) == "truncated:tokens"
    assert len(records[0].turns) == 5


class Duel(GameEnv):
    """One message of each role, then a reward for the first."""

    roles = ("first", "second")

    def make_task(self, seed):
        return task(seed)

    def begin(self, task):
        self.acting_role = "first"
        return {role: [user("fight")] for role in self.roles}

    def respond(self, role, action):
        if role == "first":
            self.acting_role = "second"
            return GameReply({"second": [user("your turn")]})
        events = [self.event("first", "success", self.task.config["value"])]
        return GameReply({}, events, True, {"first": True, "second": False})


def test_a_reward_of_a_game_that_is_no_number_is_a_fault_once():
    CountEnv.attempts.clear()
    recorded = []
    records, stats = collect_episodes(
        jobs([task(0, value=float("nan")), task(1, value=1.0)]),
        lambda _: Duel(),
        {"*": Parrot()},
        RolloutSettings(retries=0),
        on_finish=lambda finished: recorded.extend(record.total_reward for record in finished),
    )
    assert [record.outcome.kind for record in records] == ["infrastructure"] * 2 + ["terminated"] * 2
    assert sorted(recorded, key=str) == [0.0, 1.0, None, None]
    assert (stats.episodes, stats.faults) == (2, 1)


def test_policies_that_are_refused_leave_no_hosts_behind(monkeypatch):
    """All of them partners: nobody could close the hosts of an engine that was not made."""
    started = []
    monkeypatch.setattr(engine, "RayHosts", lambda *_: started.append("hosts"))
    partner = Parrot()
    partner.is_partner = True
    with pytest.raises(ConfigError, match="are partners'"):
        RolloutEngine(make_game, {"agent": partner}, RolloutSettings(hosts=HostSettings(kind="ray", num_hosts=1)))
    assert not started
