"""Environments that work in a sandbox: leased at the start, given back at every end, one at a time."""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from agentgym.action import ToolCall
from agentgym.env import EnvReply
from agentgym.errors import (
    CancelledEpisode,
    ContractError,
    SandboxError,
    SandboxLostError,
    SandboxStartError,
    UnsupportedSpecError,
)
from agentgym.game import SoloGame
from agentgym.message import Message, user
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import RolloutSettings, collect_episodes
from agentgym.rollout.episode import Job
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym.task import Limits as TaskLimits
from agentgym.task import Task
from agentgym.tools import said, tool_schema

TASK = Task("toy:1", 1, "Run something.", limits=TaskLimits(max_turns=4))


class ToyEnv(SandboxEnv):
    """Runs commands; `end` compares what a fresh sandbox holds."""

    tools = (tool_schema("run", "Run a command.", command="It."), tool_schema("end", "End."))

    def make_task(self, seed: int) -> Task:
        return TASK

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        return SandboxSpec(limits=Limits(cpus=1.0))

    def set_up(self, task: Task) -> Sequence[Message]:
        if task.config.get("is_broken"):
            raise SandboxStartError("broken")
        return [user(task.instruction)]

    def carry_out(self, call: ToolCall) -> EnvReply:
        if call.name == "run":
            return said(self.sandbox.exec(["sh", "-c", call.arguments["command"]]).text())
        mine = self.sandbox.id
        with self.fresh_sandbox() as sandbox:
            is_fresh = not sandbox.exec(["ls"]).stdout
            assert self.sandbox is sandbox
        return EnvReply([user(mine)], [self.event("success", float(is_fresh))], terminated=True, success=is_fresh)


class LateEnv(ToyEnv):
    """Has no sandbox before a command needs it."""

    leases_late = True


class CopyingEnv(ToyEnv):
    """Judges by a file that the agent may have removed."""

    def carry_out(self, call: ToolCall) -> EnvReply:
        return super().carry_out(call) if call.name == "run" else said(self.sandbox.read_file("gone").decode())


class Player:
    """Runs a command or two, then ends."""

    def __init__(self, task: Task, seed: int) -> None:
        self._calls = ["run(command='touch a')", "run(command='ls')", "end()"]

    def act(self, messages: Sequence[Message]) -> str:
        return self._calls.pop(0)


@pytest.fixture
def pool() -> Iterator[SandboxPool]:
    with SandboxPool(ProcessProvider(), PoolConfig(ready=0, max_cpus=3)) as made:
        yield made
        assert made.stats().leased == 0


@pytest.fixture
def env(pool: SandboxPool) -> Iterator[ToyEnv]:
    made = ToyEnv(pool)
    yield made
    made.close()


def reset(env: ToyEnv, **config: Any) -> None:
    env.reset(options={"task": Task("toy:1", 1, "Run.", config=config) if config else TASK})


def leased(env: ToyEnv) -> int:
    pool = env._wanted
    assert isinstance(pool, SandboxPool)
    return pool.stats().leased


def test_an_episode_holds_one_sandbox_until_it_ends(env: ToyEnv) -> None:
    reset(env)
    assert leased(env) == 1
    env.step("run(command='touch a')")
    assert env.step("run(command='ls')")[0]["text"] == "a\n"
    *_, info = env.step("end()")
    assert info["success"] is True
    assert leased(env) == 0
    with pytest.raises(ContractError, match="no sandbox outside an episode"):
        env.sandbox  # noqa: B018


def test_reset_gives_the_last_sandbox_back_first(env: ToyEnv) -> None:
    for _ in range(6):
        reset(env)
        assert leased(env) == 1


def test_late_lease_waits_for_the_first_use(pool: SandboxPool) -> None:
    env = LateEnv(pool)
    for command, count in (("", 0), ("touch a", 1), ("ls", 1)):
        reset(env)
        assert leased(env) == 0
        if command:
            assert env.step(f"run(command='{command}')")[0]["text"] == ""
        assert leased(env) == count
    env.finalize("time")
    assert leased(env) == 0
    with pytest.raises(ContractError, match="no sandbox outside an episode"):
        env.sandbox  # noqa: B018


def test_late_lease_refuses_at_reset_what_can_never_be_leased() -> None:
    env = LateEnv("bubblewrap")
    with pytest.raises(UnsupportedSpecError):
        reset(env)


def test_set_up_that_fails_gives_the_sandbox_back(env: ToyEnv) -> None:
    with pytest.raises(SandboxStartError, match="broken"):
        reset(env, is_broken=True)
    assert leased(env) == 0
    reset(env)
    assert env.step("run(command='echo hi')")[0]["text"] == "hi\n"


def test_lost_sandbox_goes_up_and_ends_the_episode(env: ToyEnv) -> None:
    reset(env)
    env.sandbox.close()
    with pytest.raises(SandboxLostError):
        env.step("run(command='true')")
    assert leased(env) == 0
    reset(env)
    assert env.step("run(command='echo on')")[0]["text"] == "on\n"


def test_interrupt_between_steps_gives_back_at_once(env: ToyEnv) -> None:
    reset(env)
    env.interrupt()
    assert leased(env) == 0
    with pytest.raises(CancelledEpisode):
        env.step("run(command='true')")


def test_interrupt_ends_a_running_command(env: ToyEnv) -> None:
    reset(env)
    threading.Timer(0.2, env.interrupt).start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        env.step("run(command='sleep 20')")
    assert time.monotonic() - began < 18
    assert leased(env) == 0


def test_calls_after_an_interrupt_are_not_carried_out(env: ToyEnv) -> None:
    reset(env)
    threading.Timer(0.2, env.interrupt).start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        env.step("run(command='sleep 20'); run(command='sleep 20'); run(command='sleep 20')")
    assert time.monotonic() - began < 38


def test_capacity_is_what_the_pool_holds(env: ToyEnv) -> None:
    assert env.capacity is None
    reset(env)
    assert env.capacity == 3


def test_more_episodes_than_sandboxes_wait_without_holding_each_other_up(pool: SandboxPool) -> None:
    """With as many threads as sandboxes, episodes that wait for one would keep those that have one from stepping."""
    records, _ = collect_episodes(
        [Job(TASK, f"job-{index}", index) for index in range(20)],
        lambda task: SoloGame(ToyEnv(pool)),
        {"*": ScriptedPolicy("player", Player)},
        RolloutSettings(max_concurrent=20, env_threads=2, step_timeout_s=20),
    )
    assert [record.success for record in records] == [True] * 20
    assert pool.stats().leased == 0


def test_a_file_that_cannot_be_read_in_a_step_is_an_infrastructure_failure(pool: SandboxPool) -> None:
    env = CopyingEnv(pool)
    reset(env)
    with pytest.raises(SandboxError, match="gone"):
        env.step("end()")
    assert leased(env) == 0
    env.close()


def test_close_twice_is_harmless(env: ToyEnv) -> None:
    reset(env)
    env.close()
    env.close()
    assert leased(env) == 0
