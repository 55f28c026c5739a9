"""A pool over containers: quick leases, resets in place, killed containers replaced, and nothing left behind."""

import os
import random
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentgym.errors import SandboxLostError, SandboxStartError
from agentgym.sandbox.leasing.watcher import watch
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from tests.sandbox.docker_engine import SPEC, running_provider
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="resets in place need root"),
]


@pytest.fixture(scope="module")
def provider():
    with running_provider() as provider:
        watch(provider.owner, provider.address)  # which a pool does, and which lasts
        yield provider


def test_leases_are_clean_quick_and_hit(provider):
    before = provider.footprint()
    with SandboxPool(provider, PoolConfig(ready=2, reset="in_place")) as pool:
        pool.prepare(SPEC)
        for number in range(50):
            with pool.lease(SPEC) as sandbox:
                assert sandbox.exec(["sh", "-c", "ls -A . /tmp ~ | grep -c x"]).stdout == b"0\n"
                sandbox.exec(["sh", "-c", f"touch x{number} /tmp/x ~/x; sleep 100 &"], keep_background=True)
        stats = pool.stats()
    assert stats.hit_rate is not None
    assert stats.hit_rate > 0.9
    assert stats.lease.p50_s is not None
    assert stats.reset.p50_s is not None
    assert stats.lease.p50_s < stats.reset.p50_s
    assert stats.started <= 4
    assert stats.resets["in_place"] >= 45
    assert provider.settled(before) == before


def test_containers_killed_at_random_are_replaced_and_the_others_undisturbed(provider):
    before = provider.footprint()
    client, stop, killed = provider.host.client, threading.Event(), []
    chance = random.Random(7)

    def kill_some():
        while not stop.wait(0.3) and len(killed) < 40:  # also where 150 episodes take long
            labels = [f"{name}={value}" for name, value in provider.owner.labels().items()]
            found = client.api.containers(filters={"label": labels})
            if found:
                victim = chance.choice(found)["Id"]
                client.api.kill(victim) if client.api.containers(filters={"id": victim}) else None
                killed.append(victim)

    def episode(number):
        try:
            with pool.lease(SPEC) as sandbox:
                sandbox.write_file("number", str(number).encode())
                time.sleep(0.05)
                return int(sandbox.exec(["cat", "number"]).stdout)
        except (SandboxLostError, SandboxStartError):  # the second where it was killed while it started
            return "lost"

    with SandboxPool(provider, PoolConfig(ready=2)) as pool, ThreadPoolExecutor(4) as executor:
        killer = threading.Thread(target=kill_some)
        killer.start()
        try:
            outcomes = list(executor.map(episode, range(150)))
        finally:
            stop.set()
            killer.join()
        stats = pool.stats()
    assert len(outcomes) == 150
    assert all(outcome in (number, "lost") for number, outcome in enumerate(outcomes))
    assert 0 < outcomes.count("lost") <= len(killed) or stats.lost > 0
    assert outcomes.count("lost") < 75
    assert statistics.mean(outcome != "lost" for outcome in outcomes) > 0.5
    assert provider.settled(before) == before
