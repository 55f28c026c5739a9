"""Podman through its Docker-compatible socket passes what Docker passes, less what it names."""

import dataclasses
import gc
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from agentgym.errors import UnsupportedSpecError
from agentgym.sandbox.engines.engine import EngineInfo, connect_engine, probe_engine
from agentgym.sandbox.leasing.mounts import mounts_below, unmount
from agentgym.sandbox.spec import Network
from agentgym.testing import SANDBOX_CHECKS, check_sandbox
from tests.sandbox.docker_engine import IMAGE, SPEC, running_provider
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(shutil.which("podman") is None, reason="podman is not installed"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
    pytest.mark.skipif(not has_engine(), reason="no container engine has the test's image"),
]


@pytest.fixture(scope="module")
def address():
    """A Podman service with storage of its own and the test's image in it."""
    folder = Path(tempfile.mkdtemp(prefix="agentgym-podman-", dir="/var/tmp"))
    places = [part for name in ("root", "runroot", "tmpdir") for part in (f"--{name}", str(folder / name))]
    command = ["podman", *places, "--cgroup-manager", "cgroupfs", "--events-backend", "file"]
    address = f"unix://{folder}/podman.sock"
    with open(folder / "log", "wb") as log:
        service = [*command, "system", "service", "--time=0", address]
        # Its conmon notes a container out of memory in a file of the folder that it was started in.
        process = subprocess.Popen(service, stdout=log, stderr=log, start_new_session=True, cwd=folder)
    try:
        deadline = time.monotonic() + 60
        while not isinstance(probe_engine(address), EngineInfo):
            assert time.monotonic() < deadline, (folder / "log").read_text()
            time.sleep(0.1)
        ours, theirs = connect_engine(), connect_engine(address)
        theirs.images.load(b"".join(ours.images.get(IMAGE).save(named=True)))
        ours.close()
        theirs.close()
        yield address
    finally:
        process.terminate()
        process.wait()
        for path in mounts_below(folder):
            unmount(path, lazily=True)
        shutil.rmtree(folder, ignore_errors=True)
        gc.collect()


@pytest.fixture(scope="module")
def provider(address):
    with running_provider(address=address) as provider:
        yield provider


@pytest.mark.parametrize("name", SANDBOX_CHECKS)
def test_podman_keeps_the_contract(provider, name):
    report = check_sandbox(provider, spec=SPEC, only=[name])
    report.raise_if_failed()
    assert [result.status for result in report.results] == ["passed"]


def test_podman_is_recognised_and_names_what_it_cannot_do(provider):
    can = provider.capabilities()
    assert provider.host.is_podman
    assert can.in_place_reset
    assert "reach the host" in can.notes["internal"]
    with pytest.raises(UnsupportedSpecError, match="internal"):
        provider.start(dataclasses.replace(SPEC, network=Network(group="shop")))


def test_folders_that_podman_adds_are_limited_and_emptied(provider):
    with provider.start(SPEC) as sandbox:
        assert not sandbox.exec(["touch", "/run/x"]).is_ok
        filled = sandbox.exec(["sh", "-c", "head -c 40M /dev/zero > /var/tmp/x"])
        assert b"No space left" in filled.stderr
        assert sandbox.reset().method == "in_place"
        assert sandbox.exec(["ls", "-A", "/var/tmp"]).stdout == b""


def test_podman_is_left_without_a_container(provider):
    before = provider.footprint()
    with provider.start(SPEC) as sandbox:
        sandbox.exec(["true"])
        assert provider.footprint().containers == before.containers + 1
    assert provider.settled(before) == before
