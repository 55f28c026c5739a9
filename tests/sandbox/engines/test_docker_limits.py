"""What a container's limits do: they end commands, and a sandbox that dies of memory says so."""

import dataclasses
import os
import signal

import pytest

from agentgym.errors import SandboxLostError
from tests.sandbox.docker_engine import SPEC, running_provider, shell
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]


@pytest.fixture(scope="module")
def provider():
    with running_provider() as provider:
        yield provider


@pytest.fixture
def sandbox(provider):
    with provider.start(SPEC) as sandbox:
        yield sandbox


@pytest.mark.parametrize(("folder", "mib"), [(".", 16), ("/tmp", 8), ("/home/agent", 8), ("/dev/shm", 8)])
def test_a_full_folder_is_full_and_the_sandbox_goes_on(sandbox, folder, mib):
    filled = shell(sandbox, f"head -c 40M /dev/zero > {folder}/large; stat -c %s {folder}/large")
    assert b"No space left" in filled.stderr
    assert (mib - 1) << 20 <= int(filled.stdout) <= mib << 20
    assert shell(sandbox, f"rm {folder}/large; echo x > {folder}/small").is_ok


def test_a_command_killed_for_memory_says_so_and_the_sandbox_goes_on(sandbox):
    ran = shell(sandbox, "head -c 300M /dev/zero | tail -c 300M > /dev/null")
    assert (ran.exit_code, ran.oom_killed) == (137, True)
    ran = shell(sandbox, "head -c 300M /dev/zero | tail -c 300M > /dev/null; echo went on")
    assert (ran.exit_code, ran.oom_killed) == (0, True)
    ran = sandbox.exec(["true"])
    assert (ran.exit_code, ran.oom_killed) == (0, False)


FILL = "head -c 64M /dev/zero > /tmp/full; head -c 64M /dev/zero > /dev/shm/full"
"""Files in memory, which stay there when what wrote them is killed for it."""


def fill_until_lost(sandbox):
    """Commands are killed first; the runner is when nothing else is left to kill."""
    for _ in range(200):
        shell(sandbox, FILL)


def test_a_container_that_dies_of_memory_says_so(provider):
    limits = dataclasses.replace(SPEC.limits, memory_mib=32, tmp_mib=128)
    with provider.start(dataclasses.replace(SPEC, limits=limits)) as sandbox:
        with pytest.raises(SandboxLostError, match="the kernel killed it for memory") as lost:
            fill_until_lost(sandbox)
        assert lost.value.is_for_memory


def test_a_command_that_was_killed_for_memory_is_no_cause_of_a_later_kill(provider):
    with provider.start(SPEC) as sandbox:
        assert shell(sandbox, "head -c 300M /dev/zero | tail -c 300M > /dev/null").oom_killed
        provider.host.client.api.kill(sandbox.id, signal=signal.SIGKILL)
        with pytest.raises(SandboxLostError, match="killed from outside with signal 9") as lost:
            sandbox.exec(["sleep", "9"])
        assert not lost.value.is_for_memory


def test_the_limit_of_processes_ends_commands_and_never_the_sandbox(sandbox):
    """So it is no cause of a loss that anybody could be blamed for."""
    for _ in range(3):
        ran = shell(sandbox, "for i in $(seq 99); do sleep 9 & done; wait", timeout_s=60)
        assert "Cannot fork" in ran.text()
        assert sandbox.exec(["true"]).is_ok


def test_a_fork_bomb_meets_the_limit_and_a_reset_ends_it(sandbox):
    shell(sandbox, "bomb() { bomb | bomb & }; bomb; sleep 1", timeout_s=3)
    assert sandbox.reset().method == "in_place"
    assert sandbox.exec(["true"]).is_ok
