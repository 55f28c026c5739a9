from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.errors import SandboxFileError, SandboxLostError, UnsupportedSpecError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.spec import Mount, Network, SandboxSpec

LIMITS = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")


@pytest.fixture
def spec() -> SandboxSpec:
    return SandboxSpec().relaxed(*LIMITS)


@pytest.fixture
def sandbox(spec: SandboxSpec) -> Iterator[Sandbox]:
    with ProcessProvider().start(spec) as started:
        yield started


def test_process_refuses_limits_by_name() -> None:
    with pytest.raises(UnsupportedSpecError, match="cpus, memory_mib, pids, work_mib, tmp_mib"):
        ProcessProvider().start(SandboxSpec())


def test_process_refuses_mounts_networks_and_users(spec: SandboxSpec) -> None:
    wants = [{"mounts": (Mount("/tmp", "/x"),)}, {"network": Network(group="a")}, {"user": "root"}, {"image": "alpine"}]
    for want in wants:
        with pytest.raises(UnsupportedSpecError):
            ProcessProvider().start(dataclasses.replace(spec, **want))


def test_process_commands_see_only_their_own_variables(sandbox: Sandbox) -> None:
    assert "SECRET" not in sandbox.exec(["env"]).text()
    os.environ["AGENTGYM_TEST_SECRET"] = "SECRET"
    try:
        assert "SECRET" not in sandbox.exec(["env"]).text()
    finally:
        del os.environ["AGENTGYM_TEST_SECRET"]


def test_process_starts_with_the_content_of_the_specs_folder(spec: SandboxSpec, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("pristine")
    with ProcessProvider().start(dataclasses.replace(spec, work=str(tmp_path))) as sandbox:
        assert sandbox.read_file("sub/a.txt") == b"pristine"
        sandbox.write_file("sub/a.txt", b"changed")
        sandbox.exec(["sh", "-c", "echo dirt > $HOME/x; echo dirt > $TMPDIR/y; setsid sleep 600 >/dev/null 2>&1 &"])
        sandbox.reset()
        assert sandbox.read_file("sub/a.txt") == b"pristine"
        assert sandbox.exec(["sh", "-c", "ls $HOME $TMPDIR | grep -c dirt"]).exit_code == 1


def test_process_names_one_of_many_mounts_that_it_refuses(spec: SandboxSpec) -> None:
    mounts = tuple(Mount("/usr", f"/usr/{number}") for number in range(3))
    with pytest.raises(UnsupportedSpecError, match="mounts nothing: got /usr/0 and 2 more; use docker or bubblewrap"):
        ProcessProvider().start(dataclasses.replace(spec, mounts=mounts))


def test_process_forks_carry_the_files_as_they_are(sandbox: Sandbox) -> None:
    sandbox.write_file("a", b"1")
    forks = sandbox.fork(2)
    sandbox.write_file("a", b"2")
    forks[0].write_file("a", b"3")
    assert [fork.read_file("a") for fork in forks] == [b"3", b"1"]
    for fork in forks:
        fork.close()


def test_process_snapshot_is_returned_to(sandbox: Sandbox) -> None:
    sandbox.write_file("a", b"1")
    snapshot = sandbox.snapshot()
    sandbox.write_file("a", b"2")
    sandbox.reset(snapshot)
    assert sandbox.read_file("a") == b"1"
    sandbox.reset()
    with pytest.raises(SandboxFileError):
        sandbox.read_file("a")


def test_process_close_ends_what_runs_and_removes_the_folder(sandbox: Sandbox) -> None:
    pid = int(sandbox.exec(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], keep_background=True).stdout)
    folder = Path(sandbox.exec(["pwd"]).stdout.decode().strip())
    assert Path(f"/proc/{pid}").exists()
    sandbox.close()
    sandbox.close()
    assert not Path(f"/proc/{pid}").exists()
    assert not folder.exists()
    with pytest.raises(SandboxLostError):
        sandbox.exec(["true"])


def test_process_command_of_the_spec_runs_from_the_start(spec: SandboxSpec) -> None:
    with ProcessProvider().start(dataclasses.replace(spec, command=("sh", "-c", "echo up > up; sleep 600"))) as sandbox:
        deadline = time.monotonic() + 60
        while sandbox.exec(["test", "-s", "up"]).exit_code and time.monotonic() < deadline:
            time.sleep(0.01)
        assert sandbox.read_file("up") == b"up\n"


def test_process_command_of_the_spec_ends_with_all_that_it_started_and_starts_again_with_a_reset(
    spec: SandboxSpec,
) -> None:
    script = "(trap '' TERM; exec sleep 600) & echo $! > child; mv child started; wait"
    with ProcessProvider().start(dataclasses.replace(spec, command=("setsid", "sh", "-c", script))) as sandbox:
        for _ in range(2):
            deadline = time.monotonic() + 60
            while sandbox.exec(["test", "-s", "started"]).exit_code and time.monotonic() < deadline:
                time.sleep(0.01)
            pid = int(sandbox.read_file("started"))
            assert Path(f"/proc/{pid}").exists()
            sandbox.end_command()
            sandbox.end_command()
            assert not Path(f"/proc/{pid}").exists()
            assert sandbox.exec(["echo", "on"]).stdout == b"on\n"
            sandbox.reset()
