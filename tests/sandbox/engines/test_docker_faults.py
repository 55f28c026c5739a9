"""An engine that stops and starts again: sandboxes are lost with the reason, nothing is left, and new ones work."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

from agentgym.errors import SandboxLostError, SandboxStartError
from agentgym.sandbox.engines.engine import EngineInfo, connect_engine, probe_engine
from agentgym.sandbox.leasing.mounts import mounts_below, unmount
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from tests.sandbox.docker_engine import IMAGE, SPEC, running_provider
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("dockerd") is None, reason="a second engine needs root"),
]


class SecondEngine:
    """A Docker engine of the test's own, which may be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix://{folder}/engine.sock"
        self.process = None

    def start(self):
        options = {"--data-root": "data", "--exec-root": "exec", "--pidfile": "pid"}
        paths = [part for name, path in options.items() for part in (name, str(self.folder / path))]
        # In a network namespace of its own: an engine without a bridge removes the one that the machine's engine uses.
        command = [
            "unshare",
            "--net",
            "dockerd",
            "--host",
            self.address,
            *paths,
            "--bridge=none",
            "--iptables=false",
            "--shutdown-timeout=3",
        ]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while not isinstance(probe_engine(self.address), EngineInfo):
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.1)

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)
            self.process = None


@pytest.fixture(scope="module")
def engine():
    folder = Path(tempfile.mkdtemp(prefix="agentgym-engine-", dir="/var/tmp"))
    engine = SecondEngine(folder)
    try:
        engine.start()
        ours, theirs = connect_engine(), connect_engine(engine.address)
        theirs.images.load(b"".join(ours.images.get(IMAGE).save(named=True)))
        ours.close()
        theirs.close()
        yield engine
    finally:
        engine.stop()
        for path in mounts_below(folder):
            unmount(path, lazily=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def provider(engine):
    with running_provider(address=engine.address) as provider:
        yield provider
        if engine.process is None:
            engine.start()


@pytest.mark.slow
def test_an_engine_that_stops_loses_its_sandboxes_with_the_reason_and_works_again_when_started(engine, provider):
    sandbox = provider.start(SPEC)
    outcome = []

    def work():
        try:
            outcome.append(sandbox.exec(["sleep", "60"]))
        except SandboxLostError as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    engine.stop()
    thread.join(timeout=60)
    assert isinstance(outcome[0], SandboxLostError)
    assert "engine does not answer" in str(outcome[0]) or "signal" in str(outcome[0])
    with pytest.raises(SandboxStartError):
        provider.start(SPEC)
    sandbox.close()
    assert os.listdir(provider.owner.folder / "sandboxes") == []
    assert len(provider.host.removal.left) == 2, "what an absent engine could not remove is not forgotten"
    engine.start()
    with provider.start(SPEC) as again:
        assert again.exec(["true"]).is_ok
    deadline = time.monotonic() + 60
    while provider.host.removal.left and time.monotonic() < deadline:
        time.sleep(0.05)
    assert provider.footprint().containers == 0
    assert mounts_below(provider.owner.folder) == []


@pytest.mark.slow
def test_a_pool_outlives_a_stop_of_its_engine(engine, provider):
    with SandboxPool(provider, PoolConfig(ready=2)) as pool:
        pool.prepare(SPEC)
        with pool.lease(SPEC) as sandbox:
            engine.stop()
            with pytest.raises(SandboxLostError):
                sandbox.exec(["true"])
        with pytest.raises(SandboxStartError):
            pool.lease(SPEC)
        engine.start()
        with pool.lease(SPEC) as sandbox:
            assert sandbox.exec(["true"]).is_ok
        assert pool.stats().lost >= 1
