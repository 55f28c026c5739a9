"""Served environments in containers: the same trajectories, shared containers, and what a lost one breaks."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from docker.errors import NotFound

import agentgym
from agentgym.errors import ConfigError, InfrastructureError, SandboxStartError, UnknownNameError
from agentgym.policies.by_name import load
from agentgym.registration import EnvSpec, registry
from agentgym.registration.contained import SERVERS, Server, Servers, _start
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.sandbox.engines.engine import EngineFault, connect_engine, probe_engine
from agentgym.sandbox.images.build import build_images
from agentgym.sandbox.images.named import image_tag
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import SandboxSpec
from agentgym.suite import load_suite
from agentgym.testing import check_env
from tests.toys import env as toy

IMAGE = "agentgym/env"
SERVED = [spec.id for spec in agentgym.specs() if "served" in spec.runtimes and spec.image == IMAGE]


@pytest.fixture(scope="module", autouse=True)
def _image() -> None:
    answer = probe_engine()
    if isinstance(answer, EngineFault):
        pytest.skip(f"no container engine: {answer.detail}")
    build_images(connect_engine(), [IMAGE])


def told(env, task, actions):
    observation, info = env.reset(options={"task": task})
    story = [(observation, info["messages"])]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        info["reward_events"] = list(info["reward_events"])
        story.append((observation, reward, terminated, truncated, info))
        if terminated or truncated:
            break
    return story


@pytest.mark.parametrize("env_id", SERVED[::3])  # what differs between environments is tested without containers
def test_a_container_gives_the_same_trajectories(env_id):
    suite = load_suite(agentgym.spec(env_id).suites[0])
    here = agentgym.make(env_id, **suite.env_options)
    there = agentgym.make(env_id, runtime="docker", **suite.env_options)
    scripts = agentgym.spec(env_id).load_scripts()
    for task in suite.tasks("test")[:4]:
        for name in ("oracle", "random"):
            script = scripts[name](task, 1)
            observation, info = here.reset(options={"task": task})
            messages, actions = list(info["messages"]), []
            is_over = False
            while not is_over:
                actions.append(script.act(messages))
                observation, _, terminated, truncated, info = here.step(actions[-1])
                messages += [{"role": "assistant", "content": actions[-1]}, *info["messages"]]
                is_over = terminated or truncated
            assert observation["text"] is not None
            assert told(there, task, actions) == told(here, task, actions)
    there.close()


def test_rollouts_in_containers_are_those_of_one_process():
    suite = load_suite("dialogue/mastermind")
    jobs = [Job(task, f"e{number}", number) for number, task in enumerate(suite.tasks("test")[:40])]
    policy = {"*": load("random", suite.name)}
    here, _ = collect_episodes(jobs, game_maker(suite), policy, RolloutSettings(max_concurrent=16))
    there, stats = collect_episodes(jobs, game_maker(suite, "docker"), policy, RolloutSettings(max_concurrent=16))
    assert [[turn.text for turn in record.turns] for record in there] == [
        [turn.text for turn in record.turns] for record in here
    ]
    assert [record.total_reward for record in there] == [record.total_reward for record in here]
    assert stats.retries == 0


def test_environments_made_alike_share_a_container_and_the_last_ends_it():
    first = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    second = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    other = agentgym.make("agentgym/Mastermind-v0", runtime="docker")
    assert len(SERVERS) == 2
    first.close()
    first.close()
    second.reset(seed=1)
    second.close()
    other.close()
    assert len(SERVERS) == 0


def kill(env):
    """Kill an environment's container, and wait until it is removed."""
    container = connect_engine().containers.get(env._server.sandbox.id)
    container.kill()
    with suppress(NotFound):  # removed already
        container.wait(condition="removed")


def test_an_environment_made_like_one_whose_container_died_has_a_container_of_its_own():
    lost = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    kill(lost)
    env = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    assert env.reset(seed=1)[0]["text"]
    env.close()
    lost.close()
    assert len(SERVERS) == 0


def test_a_killed_container_is_an_infrastructure_failure_and_replaced_at_the_next_reset():
    env = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    task = load_suite("dialogue/guess-number").tasks("test")[0]
    before = told(env, task, ["1", "2"])
    env.reset(options={"task": task})
    kill(env)
    with pytest.raises(InfrastructureError):
        env.step("1")
    assert told(env, task, ["1", "2"]) == before
    env.close()
    assert len(SERVERS) == 0


def test_a_fork_in_a_container_goes_on_alike():
    env = agentgym.make("agentgym/GuessNumber-v0", runtime="docker")
    env.reset(seed=3)
    env.step("1")
    twin = env.fork()
    env.close()
    assert twin.step("2")[0]["text"]
    twin.close()
    assert len(SERVERS) == 0


@pytest.fixture
def image_of_a_package(tmp_path):
    """An image with a package that announces an environment, on top of ours."""
    (tmp_path / "Dockerfile").write_text(
        f"FROM {image_tag('env')}\nCOPY . /usr/local/lib/python3.11/dist-packages/\nENTRYPOINT []\n"
    )
    (tmp_path / "walk_env.py").write_text(Path(toy.__file__).read_text())
    (tmp_path / "walk.py").write_text(
        "from agentgym.registration import EnvSpec, register\n"
        "def announce(): register(EnvSpec('test/Walk-v0', 'walk_env:ToyEnv', 'x:SCRIPTS', 'test'))\n"
    )
    metadata = tmp_path / "walk-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: walk\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[agentgym.environments]\nwalk = walk:announce\n")
    tag = f"agentgym-test-walk:{tmp_path.parent.name}"
    client = connect_engine()
    client.images.build(path=str(tmp_path), tag=tag, rm=True)
    yield tag
    client.images.remove(tag)


def test_an_environment_is_served_from_the_image_and_in_the_limits_that_its_spec_names(image_of_a_package, monkeypatch):
    walk = EnvSpec(
        "test/Walk-v0",
        "tests.toys.env:ToyEnv",
        "x:SCRIPTS",
        "test",
        runtimes=("local", "served"),
        image=image_of_a_package,
        limits={"memory_mib": 300},
    )
    monkeypatch.setitem(registry._specs, walk.id, walk)
    env = agentgym.make(walk.id, runtime="docker")
    made = connect_engine().containers.get(env._server.sandbox.id)
    assert env.reset(seed=1)[0] == toy.ToyEnv().reset(seed=1)[0]
    env.close()
    assert made.attrs["HostConfig"]["Memory"] == 300 << 20
    assert made.attrs["HostConfig"]["PidsLimit"] == 256


def test_a_server_that_says_much_is_not_held_up_by_it():
    limits = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib", "wall_s")
    sandbox = provider_named("process").start(SandboxSpec().relaxed(*limits))
    server = Server(sandbox, sandbox.spawn(["sh", "-c", "yes | head -c 4000000; touch said; sleep 60"]), "unix:none")
    deadline = time.monotonic() + 60
    while not sandbox.exec(["test", "-e", "said"]).is_ok:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    server.close()


def test_servers_are_shared_while_others_close_theirs(monkeypatch):
    open_now, started = set(), itertools.count()

    class Counted:
        num_open = 0

        def __init__(self):
            self.number = next(started)
            open_now.add(self.number)

        def close(self):
            open_now.remove(self.number)

    monkeypatch.setattr("agentgym.registration.contained._start", lambda *_: Counted())
    servers, failures = Servers(), []

    def use():
        try:
            for _ in range(3000):
                server = servers.take("docker", "agentgym/GuessNumber-v0", {})
                assert server.number in open_now
                servers.give_back(server)
        except Exception as error:  # noqa: BLE001 - whatever a thread raises is the finding
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert not failures
    assert not open_now
    assert len(servers) == 0


@pytest.mark.slow
def test_the_checks_of_an_environment_share_one_container(monkeypatch):
    started = []
    monkeypatch.setattr(
        "agentgym.registration.contained._start", lambda *made_of: started.append(made_of) or _start(*made_of)
    )
    check_env("agentgym/GuessNumber-v0", runtime="docker").raise_if_failed()
    assert len(started) == 1
    assert len(SERVERS) == 0


@pytest.mark.parametrize(
    ("env_id", "options", "error", "message"),
    [
        ("agentgym/GuessNumber-v0", {"runtime": "dokcer"}, UnknownNameError, "docker"),
        ("agentgym/GuessNumber-v0", {"runtime": "bubblewrap"}, ConfigError, "or in a container"),
        ("agentgym/GuessNumber-v0", {"runtime": "process"}, ConfigError, "or in a container"),
        ("agentgym/GuessNumber-v0", {"runtime": "docker", "highest": object()}, ConfigError, "JSON"),
        ("agentgym/GuessNumber-v0", {"runtime": "docker", "no_such": 1}, SandboxStartError, "no_such"),
    ],
)
def test_a_wrong_runtime_is_refused(env_id, options, error, message):
    with pytest.raises(error, match=message):
        agentgym.make(env_id, **options)
    assert len(SERVERS) == 0
