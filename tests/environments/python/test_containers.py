"""Python-v0 in containers: what only isolation can promise."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from agentgym.errors import InfrastructureError, SandboxLostError
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing import check_env
from agentgym.testing.episodes import play_script
from agentgym_tools.python import env as python_env
from agentgym_tools.python import interpreter_env
from agentgym_tools.python.env import RIGHT, PythonEnv
from agentgym_tools.python.scripts import SCRIPTS
from tests.environments.in_containers import needs_image
from tests.environments.python.conftest import call, run

pytestmark = needs_image("python")
NUM_EPISODES = 32


@pytest.fixture(scope="module")
def pool() -> Iterator[SandboxPool]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=2)) as made:
        yield made
        assert made.stats().leased == 0


@pytest.fixture
def env(pool: SandboxPool) -> Iterator[PythonEnv]:
    made = PythonEnv(sandbox=pool)
    yield made
    made.close()


def submit(env: PythonEnv, task: Task, body: str) -> tuple[str, bool]:
    """Submit a function that passes the public tests by heart and else does something."""
    known = repr({repr(arguments): value for arguments, value in task.config["public"]})
    name = task.config["function"]
    program = (
        f"def {name}(*a):\n    known = {known}\n    if repr(list(a)) in known:\n        return known[repr(list(a))]\n"
    )
    program += "\n".join(f"    {line}" for line in body.splitlines())
    env.reset(options={"task": task})
    observation, reward, terminated, _, info = env.step(call("submit", solution=program))
    assert terminated
    assert reward == 0.0
    return observation["text"], info["success"]


def test_oracle_is_right_and_steps_start_no_container(env: PythonEnv, function_task: Task) -> None:
    record = play_script(env, function_task, SCRIPTS["oracle"](function_task, 0))
    assert (record.steps[-1].text, record.reward) == (RIGHT, 1.0)


def test_agent_is_nobody_without_network(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    assert run(env, "import os\nos.getuid(), os.listdir('/sys/class/net')") == "(1000, ['lo'])"
    assert "Error" in run(env, "open('/usr/bin/x', 'w')")


def test_memory_hog_is_killed_and_the_episode_goes_on(env: PythonEnv, function_task: Task) -> None:
    env.reset(options={"task": function_task})
    said = run(env, "x = bytearray(600 << 20)\nx[::4096] = b'1' * len(x[::4096])")
    assert "The interpreter crashed." in said or "MemoryError" in said
    assert run(env, "1 + 1") == "2"


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos.fork()\nwhile True:\n    os.fork()",
        "x = bytearray(900 << 20)\nx[::4096] = b'1' * len(x[::4096])\nreturn x",
        "import os\nos.kill(-1, 9)",
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nos.kill(os.getppid(), 9)",
        "import os\nopen('/agentgym/work/big', 'wb').write(bytes(200 << 20))",
        "import os\nfor _ in range(1000):\n    os.write(3, b'x' * 1_000_000)",
    ],
    ids=["fork", "memory", "kill-all", "kill-parent", "disk", "output"],
)
def test_taking_down_the_judge_is_a_failure_and_no_way_out(env: PythonEnv, function_task: Task, body: str) -> None:
    text, success = submit(env, function_task, body)
    assert not success
    assert text.startswith("Wrong. 8 of 8 hidden tests fail.")


@pytest.mark.parametrize("body", ["while True:\n    pass", "import time\ntime.sleep(1000)"], ids=["loop", "sleep"])
def test_keeping_the_judge_waiting_is_a_failure(
    env: PythonEnv, function_task: Task, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_env, "TESTS_LIMIT_S", 1.0)
    text, success = submit(env, function_task, body)
    assert not success
    assert text.startswith("Wrong. 8 of 8 hidden tests fail.")


def test_container_killed_in_the_middle_is_an_infrastructure_failure(
    env: PythonEnv, function_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter_env, "RUN_LIMIT_S", 60.0)
    env.reset(options={"task": function_task})
    run(env, "1")
    client = provider_named("docker").host.client  # type: ignore[attr-defined]
    threading.Timer(0.5, client.api.kill, [env.sandbox.id]).start()
    with pytest.raises(SandboxLostError) as caught:
        run(env, "import time\ntime.sleep(55)")
    assert isinstance(caught.value, InfrastructureError)
    env.reset(options={"task": function_task})
    assert run(env, "1") == "1"


def test_many_episodes_of_one_task_at_once(function_task: Task) -> None:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=0)) as pool:
        barrier = threading.Barrier(NUM_EPISODES)

        def play(number: int) -> tuple[str, bool]:
            env = PythonEnv(sandbox=pool)
            env.reset(options={"task": function_task})
            barrier.wait(200)
            run(env, f"x = {number}")
            barrier.wait(200)
            said = run(env, "x")
            solution = function_task.private["solution"]
            success = env.step(call("submit", solution=solution))[4]["success"]
            env.close()
            return said, success

        with ThreadPoolExecutor(NUM_EPISODES) as threads:
            results = list(threads.map(play, range(NUM_EPISODES)))
        assert results == [(str(number), True) for number in range(NUM_EPISODES)]
        assert pool.stats().leased == 0


def test_same_actions_give_the_same_trajectory_as_without_containers(env: PythonEnv, function_task: Task) -> None:
    bare = PythonEnv(sandbox="process")
    for name in ("oracle", "demo", "random", "cheat_known_tests"):
        here, there = (play_script(e, function_task, SCRIPTS[name](function_task, 3)) for e in (bare, env))
        assert here == there
    bare.close()


@pytest.mark.slow
def test_env_keeps_the_contract_in_containers() -> None:
    tasks = [task for task in load_suite("tools/python").tasks("test") if task.stratum == "lists"][:1]
    with SandboxPool(provider_named("docker"), PoolConfig(ready=4)) as pool:
        # Many episodes at once are checked above, the rest without containers.
        checks = ("finalize", "interrupt", "oracle", "hostile_actions")
        report = check_env(partial(PythonEnv, sandbox=pool), tasks=tasks, scripts=SCRIPTS, only=checks)
        report.raise_if_failed()
        assert pool.stats().leased == 0
