"""Terminal-v0 in containers."""

import threading
from collections.abc import Iterator

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import SandboxLostError
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.testing import check_env
from agentgym.testing.episodes import play_script
from agentgym_swe.terminal.env import TerminalEnv
from agentgym_swe.terminal.scripts import SCRIPTS
from tests.environments.in_containers import needs_image

pytestmark = needs_image("terminal")


@pytest.fixture(scope="module")
def env() -> Iterator[TerminalEnv]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=2)) as pool:
        made = TerminalEnv(sandbox=pool)
        yield made
        made.close()
        assert pool.stats().leased == 0


def test_oracle_solves_a_task_of_every_third_kind_and_nothing_solves_none(env: TerminalEnv) -> None:
    tasks = {task.config["kind"]: task for task in load_suite("swe/terminal").tasks("test")}
    assert len(tasks) >= 25
    for task in list(tasks.values())[::3]:
        assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success, task.id
        assert not play_script(env, task, SCRIPTS["null"](task, 0)).success, task.id


@pytest.mark.parametrize("name", sorted(name for name in SCRIPTS if name.startswith("cheat_")))
def test_cheats_get_nothing(env: TerminalEnv, name: str) -> None:
    for task in load_suite("swe/terminal").tasks("test")[::30]:
        record = play_script(env, task, SCRIPTS[name](task, 0))
        assert not record.success
        assert record.reward <= 0.0


def test_same_actions_give_the_same_trajectory_as_without_containers(env: TerminalEnv) -> None:
    bare = TerminalEnv(sandbox="process")
    for task in load_suite("swe/terminal").tasks("test")[::9]:
        here, there = (play_script(each, task, SCRIPTS["oracle"](task, 3)) for each in (bare, env))
        assert here == there
    bare.close()


@pytest.mark.slow
def test_env_keeps_the_contract_in_containers(env: TerminalEnv) -> None:
    checks = ("concurrency", "finalize", "interrupt", "oracle", "hostile_actions")  # the others without containers
    tasks = load_suite("swe/terminal").tasks("test")[:2]
    check_env("agentgym/Terminal-v0", tasks=tasks, runtime="docker", only=checks).raise_if_failed()


@pytest.mark.parametrize(
    "command",
    [
        ":(){ :|:& };:",
        "dd if=/dev/zero of=big bs=1M count=500",
        "head -c 500M /dev/zero | tail",
        "chmod 000 .",
        "kill -9 -1",
    ],
    ids=["fork", "disk", "memory", "rights", "kill"],
)
def test_hostile_command_ends_in_a_verdict(env: TerminalEnv, command: str) -> None:
    task = load_suite("swe/terminal").tasks("test")[0]
    env.reset(options={"task": task})
    env.step(call_text("shell", command=f"({command}) >/dev/null 2>&1"))
    _, reward, terminated, _, info = env.step(call_text("submit"))
    assert (reward, terminated, info["success"]) == (0.0, True, False)


def test_container_killed_in_the_middle_is_an_infrastructure_failure(env: TerminalEnv) -> None:
    env.reset(options={"task": load_suite("swe/terminal").tasks("test")[0]})
    client = provider_named("docker").host.client  # type: ignore[attr-defined]
    threading.Timer(0.5, client.api.kill, [env.sandbox.id]).start()
    with pytest.raises(SandboxLostError):
        env.step(call_text("shell", command="sleep 19"))
