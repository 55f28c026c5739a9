"""Faults under rollouts: each is typed, the episode is played again with its seed, and no other episode notices."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import docker
import pytest

from agentgym.errors import SandboxLostError
from agentgym.sandbox.leasing.watcher import watch
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.runner import process as runner_process
from tests.repository.test_system import engine  # noqa: F401 - a fixture
from tests.sandbox.docker_engine import IMAGE, SPEC, new_state, provider_on, take_down
from tests.sandbox.engine import has_engine
from tests.sandbox.shell_env import HONEST, Saboteur, play, shell_task, told

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]

TASKS = [shell_task(f"task-{number}", HONEST) for number in range(8)]
HIT = {"task-1": 0, "task-4": 1, "task-6": 3}


@pytest.fixture(scope="module")
def provider():
    provider = provider_on(new_state())
    with SandboxPool(provider) as pool:
        play(TASKS, pool)  # looks into the image, compiles the runner, fills the pool of connections
    yield provider
    take_down(provider)


@pytest.fixture(scope="module")
def undisturbed(provider):
    with SandboxPool(provider) as pool:
        records, stats = play(TASKS, pool)
    assert (stats.successes, stats.retries, stats.faults) == (len(TASKS), 0, 0)
    return [told(record) for record in records]


@pytest.fixture
def pool(provider):
    """A pool of the test's own, which must leave nothing behind."""
    before = provider.footprint()
    with SandboxPool(provider, PoolConfig(ready=2)) as pool:
        yield pool
    assert provider.settled(before) == before


# Faults of the machine.


def container_of(provider, sandbox):
    return provider.host.client.containers.get(sandbox.id)


def under_way(act):
    """Do it while the command runs, which it then does for long."""

    def start(provider, sandbox):
        threading.Timer(0.05, act, (provider, sandbox)).start()
        return "sleep 20; "

    return start


WAYS = {
    "killed": under_way(lambda provider, sandbox: container_of(provider, sandbox).kill()),
    "removed": under_way(lambda provider, sandbox: container_of(provider, sandbox).remove(force=True)),
    "runner shot": under_way(lambda provider, sandbox: os.kill(first_process(provider, sandbox), signal.SIGKILL)),
    "dead between steps": lambda provider, sandbox: container_of(provider, sandbox).kill(),
}


def first_process(provider, sandbox):
    return container_of(provider, sandbox).attrs["State"]["Pid"]


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_container_costs_a_retry_and_changes_no_trajectory(provider, pool, undisturbed, way):
    saboteur = Saboteur(lambda sandbox: WAYS[way](provider, sandbox), HIT)
    records, stats = play(TASKS, pool, saboteur=saboteur)
    assert saboteur.count == dict.fromkeys(HIT, 1)
    assert stats.retries == len(HIT)
    assert {error.partition(":")[0] for error in stats.errors} == {"SandboxLostError"}
    assert [told(record) for record in records] == undisturbed
    assert [record.usage["retries"] for record in records] == [float(task.id in HIT) for task in TASKS]


def test_a_frozen_container_runs_into_the_step_s_time_and_is_replaced(provider, pool, undisturbed):
    frozen = []

    def freeze(sandbox):
        frozen.append(container_of(provider, sandbox))
        frozen[-1].pause()

    hit = {"task-2": 1, "task-5": 2}
    tasks = [shell_task(task.id, HONEST, step_timeout_s=8.0 if task.id in hit else 60.0) for task in TASKS]
    saboteur = Saboteur(freeze, hit)
    records, stats = play(tasks, pool, saboteur=saboteur)
    assert (len(frozen), stats.retries, stats.abandoned_calls) == (2, 2, 2)
    assert [error.partition(":")[0] for error in stats.errors] == ["StepTimeoutError"]
    assert [told(record) for record in records] == undisturbed


def test_an_engine_that_refuses_containers_costs_retries_and_changes_no_trajectory(provider, undisturbed, monkeypatch):
    api = provider.host.client.api
    create, failures = api.create_container, iter(range(5))

    def refuse(**arguments):
        if next(failures, None) is not None:
            raise docker.errors.APIError("500 Server Error", explanation="no space left on device")
        return create(**arguments)

    with SandboxPool(provider, PoolConfig(ready=0)) as pool:
        monkeypatch.setattr(api, "create_container", refuse)
        records, stats = play(TASKS, pool, retries=5)
        assert pool.stats().failed_starts == 5
    assert 1 <= stats.retries <= 5
    assert {error.partition(":")[0] for error in stats.errors} == {"SandboxStartError"}
    assert "no space left on device" in next(iter(stats.errors))
    assert [told(record) for record in records] == undisturbed


def test_a_process_that_cannot_be_ended_means_that_the_sandbox_is_lost(provider, monkeypatch):
    monkeypatch.setattr(runner_process, "_CLOSE_S", 1.0)
    with provider.start(SPEC) as sandbox:
        process = sandbox.spawn(["cat"])
        process.send(b"x")
        assert process.receive(timeout_s=60) == b"x"
        container_of(provider, sandbox).pause()
        process.close()
        assert sandbox.is_lost()
        with pytest.raises(SandboxLostError):
            sandbox.exec(["true"])


# Clocks.


class Clock:
    """Seconds that jump."""

    def __init__(self):
        self.ahead = 0.0

    def __call__(self):
        return time.monotonic() + self.ahead


@pytest.mark.parametrize(("jump_s", "num_lost"), [(1e6, 8), (-1e6, 0)])
def test_a_jump_of_the_clock_ends_leases_at_most_and_changes_no_trajectory(provider, undisturbed, jump_s, num_lost):
    clock, everybody = Clock(), threading.Barrier(len(TASKS))

    def jump(sandbox):
        if everybody.wait(60) == 0:
            clock.ahead = jump_s
        return "sleep 60; " if num_lost else "sleep 2; "

    saboteur = Saboteur(jump, {task.id: 1 for task in TASKS})
    with SandboxPool(provider, PoolConfig(ready=0, lease_s=3600.0), clock=clock) as pool:
        records, stats = play(TASKS, pool, saboteur=saboteur)
        assert (pool.stats().expired, stats.retries) == (num_lost, num_lost)
        assert pool.stats().leased == 0
    assert {error.partition(":")[0] for error in stats.errors} <= {"SandboxLostError"}
    assert [told(record) for record in records] == undisturbed


# What agents do that is no fault: their commands' results say so, nothing is retried, and nobody else notices.

ORPHANS = "setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 0.5; while :; do echo x >> orphan; sleep 0.1; done' & "
DEEDS = {
    "takes all memory": ("head -c 300M /dev/zero | tail -c 300M > x", {"exit": 137, "oom": True}),
    "forks without end": ("b() { b | b & }; b; sleep 1; exit 6", {}),
    "fills the disk": ("head -c 40M /dev/zero > full", {"exit": 1, "text": "No space left"}),
    "writes a gigabyte": ("head -c 1G /dev/zero", {"exit": 0, "dropped": (1 << 30) - (1 << 20)}),
    "writes no text": (r"printf '\377\376\000\200'; exit 3", {"exit": 3, "text": "\ufffd\ufffd\0\ufffd"}),
    "ignores the request to end": ("trap '' TERM INT HUP; while :; do sleep 1; done", {"exit": 137, "late": True}),
    "forks twice and goes on": (f"({ORPHANS}) ; sleep 1; exit 4", {"exit": 4}),
    "holds the pipe open": ("sleep 1000 & exit 5", {"exit": 5}),
    "sleeps for ever": ("sleep 1000", {"exit": 137, "late": True}),
}


AFTERWARDS = (
    "rm -f full; count() { cat orphan 2>/dev/null | wc -l; }; n=$(count); sleep 0.4; [ $n = $(count) ] && echo calm"
)


def shown(message):
    """What a command's reply says of it, and the beginning of its output."""
    facts, _, text = message["content"].partition("\n")
    return json.loads(facts) | {"text": text}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_misdeed_is_its_own_result_and_disturbs_nobody(pool, undisturbed, deed):
    command, expected = DEEDS[deed]
    exec_s = 60.0 if "exit" in expected and "late" not in expected else 3.0
    spec = dataclasses.replace(SPEC, limits=dataclasses.replace(SPEC.limits, exec_s=exec_s))
    evil = shell_task("evil", [command, AFTERWARDS])
    records, stats = play([*TASKS[:4], evil, *TASKS[4:]], pool, spec=spec)
    assert (stats.retries, stats.faults) == (0, 0)
    turns = records.pop(4).turns
    assert [told(record) for record in records] == undisturbed
    first, second = shown(turns[1].messages[0]), shown(turns[2].messages[0])
    assert expected.get("text", "") in first["text"]
    assert first | {**expected, "text": first["text"]} == first
    assert second == {"exit": 0, "late": False, "oom": False, "dropped": 0, "text": "calm\n"}


# The engine.


def lend_image(host):
    """Give a second engine the image that the tests run."""
    client, second = docker.from_env(), docker.DockerClient(base_url=host)
    second.images.load(b"".join(client.images.get(IMAGE).save(named=True)))
    client.close()
    second.close()


@pytest.fixture
def second(engine):  # noqa: F811
    """A second engine that has the image; what it leaves when it is killed under a start is ended."""
    assert engine.start().returncode == 0
    lend_image(engine.host)
    yield engine
    assert engine.start().returncode == 0  # it ends what it had running
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{engine.folder}/exec/containerd/".encode() in (folder / "cmdline").read_bytes().partition(b"shim")[2]:
                os.kill(int(folder.name), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_engine_that_stops_is_typed_and_once_it_is_back_all_goes_on(second, undisturbed, number):
    provider, everybody = provider_on(new_state(), address=second.host), threading.Barrier(len(TASKS))
    stopping = threading.Thread(target=second.stop, args=(number,))

    def stop(sandbox):
        if everybody.wait(60) == 0:
            stopping.start()
        return "sleep 5; " if number == signal.SIGKILL else "sleep 25; "

    try:
        watch(provider.owner, provider.address)  # which a pool does, and which lasts
        before = provider.footprint()
        with SandboxPool(provider, PoolConfig(ready=0)) as pool:
            saboteur = Saboteur(stop, {task.id: 1 for task in TASKS})
            records, stats = play(TASKS, pool, saboteur=saboteur, max_fault_share=1.0)
            stopping.join()
            if number == signal.SIGKILL:  # containers live on, and commands never went through the engine
                assert (stats.retries, stats.faults) == (0, 0)
                assert [told(record) for record in records] == undisturbed
            else:
                kinds = Counter(error.partition(":")[0] for error in stats.errors.elements())
                assert kinds == {"SandboxLostError": 8, "SandboxStartError": 16}
                assert {(str(record.outcome), record.score) for record in records} == {
                    ("infrastructure:SandboxStartError", None)
                }
            assert second.start().returncode == 0
            records, stats = play(TASKS, pool)
            assert [told(record) for record in records] == undisturbed
        assert provider.settled(before) == before, (provider.host.removal.left, provider.containers())
    finally:
        take_down(provider)


# The trainer.

TRAINER = """
import sys, threading
from pathlib import Path
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from tests.sandbox.shell_env import Saboteur, play, shell_task

everybody = threading.Barrier(50, action=lambda: print("ready", flush=True))
def wait(sandbox):
    everybody.wait()
    return "setsid sleep 1000 & sleep 1000; "

tasks = [shell_task(f"task-{number}", ["true"]) for number in range(50)]
with SandboxPool(DockerProvider(state=Path(sys.argv[1])), PoolConfig(ready=0, max_cpus=64, lease_s=60)) as pool:
    play(tasks, pool, saboteur=Saboteur(wait, {task.id: 0 for task in tasks}))
"""


@pytest.mark.slow
def test_a_killed_trainer_s_fifty_sandboxes_are_gone_within_one_lease(provider):
    before, lease_s = provider.footprint(), 60.0
    owners = provider.owner.state / "owners"
    command = [sys.executable, "-c", TRAINER, str(provider.owner.state)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as trainer:
        assert trainer.stdout.readline() == "ready\n"
        assert provider.footprint().containers >= before.containers + 50
        os.killpg(trainer.pid, signal.SIGKILL)
        began = time.monotonic()
    while provider.footprint() != before or os.listdir(owners) != [provider.owner.id]:
        assert time.monotonic() - began < lease_s
        time.sleep(0.2)
