"""The runner as first process of namespaces of its own, with nothing else of any provider around it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.errors import SandboxDirtyError, SandboxFileError, SandboxLostError, SandboxStartError
from agentgym.sandbox.base import ResetReport, Sandbox, Snapshot
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.runner.listener import ControlListener
from agentgym.sandbox.runner.sandbox import RunnerSandbox
from agentgym.sandbox.spec import SandboxSpec

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

SECRET = "hunter2"


class BareSandbox(RunnerSandbox):
    def snapshot(self) -> Snapshot:
        raise NotImplementedError

    def reset(self, to: Snapshot | None = None) -> ResetReport:
        raise NotImplementedError

    def fork(self, count: int = 1) -> list[Sandbox]:
        raise NotImplementedError

    def close(self) -> None:
        self.control.close()


def bubblewrap(control: Path, *runner: str) -> list[str]:
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--as-pid-1", "--uid", "1000", "--gid", "1000"),
        *("--cap-drop", "ALL", "--new-session"),
        *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
        *("--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/shm"),
        *("--size", str(2 << 20), "--tmpfs", "/tmp", "--size", str(8 << 20), "--tmpfs", "/agentgym/work"),
        *("--ro-bind", str(control), "/run/agentgym", "--ro-bind", str(runner_binary()), "/run/runner"),
        *("--clearenv", "--setenv", "PATH", "/usr/bin", "--setenv", "RUNNER_SECRET", SECRET),
        *("/run/runner", "--init", *runner),
    ]


@contextlib.contextmanager
def started(tmp_path: Path, *runner: str) -> Iterator[tuple[BareSandbox, subprocess.Popen[bytes]]]:
    tmp_path.chmod(0o711)
    listener = ControlListener(tmp_path)
    process = subprocess.Popen(bubblewrap(tmp_path, *runner))
    control = listener.accept("bare", is_alive=lambda: process.poll() is None)
    sandbox = BareSandbox("bare", SandboxSpec(), control)
    try:
        yield sandbox, process
    finally:
        sandbox.close()
        process.wait(60)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[BareSandbox]:
    with started(tmp_path) as (opened, _):
        yield opened


def test_init_is_the_first_process_and_works_in_the_work_folder(sandbox: BareSandbox) -> None:
    assert sandbox.control.runner_pid == 1
    assert sandbox.exec(["sh", "-c", "pwd; cat /proc/1/comm"]).stdout == b"/agentgym/work\nrunner\n"


def test_init_ends_when_its_host_lets_go(tmp_path: Path) -> None:
    with started(tmp_path) as (sandbox, process):
        sandbox.exec(["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 &"], keep_background=True)
        sandbox.close()
        assert process.wait(60) == 0


def test_init_refuses_to_be_another_process() -> None:
    refused = subprocess.run([runner_binary(), "--init"], capture_output=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert b"first process" in refused.stderr


def test_init_gives_up_without_a_host(tmp_path: Path) -> None:
    argv = [str(runner_binary()), "--socket", str(tmp_path / "none.sock")]
    refused = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    assert refused.returncode == 1


@pytest.mark.parametrize(
    "attack",
    [
        "kill -9 1; kill -TERM 1; kill -SEGV 1; kill -STOP 1",
        "cat /proc/1/environ",
        "cat /proc/1/mem /proc/1/maps",
        "ls /proc/1/fd && cat /proc/1/fd/*",
        "ls -l /proc/1/root/ /proc/1/cwd/",
        "echo x > /proc/1/oom_score_adj; echo 1000 > /proc/1/oom_adj",
        "for fd in $(seq 0 20); do echo c > /proc/1/fd/$fd; done",
    ],
)
def test_init_cannot_be_read_or_ended_from_inside(sandbox: BareSandbox, attack: str) -> None:
    result = sandbox.exec(["sh", "-c", attack])
    assert SECRET.encode() not in result.stdout
    assert sandbox.exec(["echo", "alive"]).stdout == b"alive\n"


TAKE_DESCRIPTORS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
taken = []
for pid in [1, os.getppid()]:
    if libc.ptrace(16, pid, 0, 0) == 0: taken.append(f"ptrace {pid}")
    pidfd = os.pidfd_open(pid)
    for fd in range(30):
        if libc.syscall(438, pidfd, fd, 0) >= 0: taken.append(f"{pid}:{fd}")
print(taken)
"""


def test_init_and_keepers_give_no_descriptor_away(sandbox: BareSandbox) -> None:
    assert sandbox.exec(["python3", "-c", TAKE_DESCRIPTORS]).stdout == b"[]\n"


WATCH_FOR_A_MOMENT = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
end = time.monotonic() + 2
taken = tried = 0
known = set()
while time.monotonic() < end or tried < 20:
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in known or int(name) in (1, os.getpid()): continue
        try: pidfd = os.pidfd_open(int(name))
        except OSError: continue
        tried += 1
        for fd in range(3, 12):
            got = libc.syscall(438, pidfd, fd, 0)
            if got >= 0:
                if os.readlink(f"/proc/self/fd/{got}").startswith("socket:"): taken += 1
                os.close(got)
        os.close(pidfd)
open("/agentgym/work/taken.new", "w").write(f"{tried > 0} {taken}")
os.rename("/agentgym/work/taken.new", "/agentgym/work/taken")
"""


def test_channels_cannot_be_caught_while_commands_start(sandbox: BareSandbox) -> None:
    sandbox.exec(["sh", "-c", f"python3 -c '{WATCH_FOR_A_MOMENT}' >/tmp/log 2>&1 &"], keep_background=True)
    while not sandbox.exec(["test", "-e", "taken"]).is_ok:
        pass
    assert sandbox.read_file("taken") == b"True 0", sandbox.read_file("/tmp/log")


def test_control_socket_is_gone_once_the_runner_is_there(sandbox: BareSandbox, tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []
    assert sandbox.exec(["ls", "-A", "/run/agentgym"]).stdout == b""
    assert not sandbox.exec(["touch", "/run/agentgym/control.sock"]).is_ok


def test_clear_ends_everything_inside_and_empties_memory(sandbox: BareSandbox) -> None:
    before = sandbox.status(["/tmp", "/dev/shm"])
    assert (before["processes"], before["leftovers"], before["ipc"]) == ("0", "0", "0")
    bomb = "for i in $(seq 20); do setsid sleep 600 & done; ipcmk -M 4096 -S 2 -Q >/dev/null; echo x > /tmp/.hidden; "
    bomb += "mkdir -p /dev/shm/a/b; echo y > /dev/shm/a/b/c"
    sandbox.exec(["bash", "-c", f"({bomb}) >/dev/null 2>&1"], keep_background=True)
    dirty = sandbox.status(["/tmp", "/dev/shm"])
    assert int(dirty["processes"]) >= 20
    assert (dirty["leftovers"], dirty["ipc"]) == ("2", "3")
    sandbox.clear(["/tmp", "/dev/shm"])
    assert sandbox.status(["/tmp", "/dev/shm"]) == before


def test_clear_says_what_it_cannot_remove(sandbox: BareSandbox) -> None:
    with pytest.raises(SandboxDirtyError):
        sandbox.clear(["/usr/bin"])
    with pytest.raises(SandboxLostError):
        sandbox.exec(["true"])


# As many processes as are forked in time, each in a session of its own; bounded by itself in number and time, because
# here no provider bounds it.
FORK_BOMB = """
import os, time
end = time.monotonic() + 60
while time.monotonic() < end:
    if len(os.listdir("/proc")) < 250 and os.fork() == 0:
        os.setsid()
        if os.fork(): os._exit(0)
"""


def test_time_out_ends_a_fork_bomb_and_nothing_else(sandbox: BareSandbox) -> None:
    other = sandbox.spawn(["cat"])
    started_s = time.monotonic()
    result = sandbox.exec(["python3", "-c", FORK_BOMB], timeout_s=1)
    assert time.monotonic() - started_s < 50
    assert result.timed_out
    assert sandbox.status()["processes"] == "2"  # the other command and its keeper
    other.send(b"still here")
    assert other.receive(timeout_s=60) == b"still here"
    other.close()


def test_time_out_in_a_shell_ends_a_fork_bomb_and_no_older_job(sandbox: BareSandbox) -> None:
    sandbox.write_file("bomb.py", FORK_BOMB.encode())
    with sandbox.shell() as shell:
        shell.run("sleep 600 & x=kept")
        result = shell.run("python3 bomb.py", timeout_s=1)
        assert (result.timed_out, result.shell_exited) == (True, False)
        assert shell.run("echo $x; kill -0 $!").output.endswith(b"kept\n")
        assert sandbox.status()["processes"] == "3"  # the shell, its job and its keeper


def test_clear_ends_a_fork_bomb(sandbox: BareSandbox) -> None:
    sandbox.write_file("bomb.py", FORK_BOMB.encode())
    sandbox.exec(["sh", "-c", "python3 bomb.py >/dev/null 2>&1 &"], keep_background=True)
    while int(sandbox.status()["processes"]) < 50:
        time.sleep(0.01)
    started_s = time.monotonic()
    sandbox.clear([])
    assert time.monotonic() - started_s < 50
    assert sandbox.status()["processes"] == "0"
    assert sandbox.exec(["echo", "on"]).stdout == b"on\n"


def test_full_disk_is_the_commands_and_the_writers_own_trouble(sandbox: BareSandbox) -> None:
    result = sandbox.exec(["sh", "-c", "head -c 20000000 /dev/zero > fill"])
    assert b"No space left" in result.stderr
    with pytest.raises(SandboxFileError, match="No space left"):
        sandbox.write_file("more", b"x" * 100_000)
    assert sandbox.exec(["ls", "-A"]).stdout == b"fill\n"
    sandbox.exec(["rm", "fill"])
    sandbox.write_file("more", b"x" * 100_000)


def test_fresh_loopback_serves_streams(sandbox: BareSandbox) -> None:
    echo = "import socket; l = socket.create_server(('127.0.0.1', 8000)); print('up', flush=True); "
    echo += "c = l.accept()[0]; c.sendall(c.recv(100).upper())"
    process = sandbox.spawn(["python3", "-c", echo])
    assert process.receive(timeout_s=60) == b"up\n"
    with sandbox.connect(8000) as stream:
        stream.sendall(b"hello")
        assert stream.recv(100) == b"HELLO"
    process.close()


def test_memory_pressure_offers_commands_first(sandbox: BareSandbox) -> None:
    wait = "for i in $(seq 3000); do [ $(cat /proc/$$/oom_score_adj) = 1000 ] && break; sleep 0.01; done; "
    look = "cat /proc/$$/oom_score_adj /proc/1/oom_score_adj"
    own, runner = sandbox.exec(["sh", "-c", wait + look]).stdout.split()
    assert (int(own), int(runner)) == (1000, int(Path("/proc/self/oom_score_adj").read_text()))


def test_listener_takes_nobody_who_is_not_the_runner(tmp_path: Path) -> None:
    listener = ControlListener(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
        stranger.connect(str(listener.path))
        with pytest.raises(SandboxStartError, match=f"process {os.getpid()}, which is not its runner"):
            listener.accept("bare", is_runner=lambda pid: pid != os.getpid())
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("greeting", [b"hello", b"agentgym-runner 999 1", b"agentgym-runner 1 x", b"\xff" * 200, b""])
def test_listener_takes_no_runner_of_another_kind(tmp_path: Path, greeting: bytes) -> None:
    listener = ControlListener(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
        stranger.connect(str(listener.path))
        stranger.send(greeting) if greeting else stranger.shutdown(socket.SHUT_RDWR)
        with pytest.raises(SandboxStartError):
            listener.accept("bare", timeout_s=5)


def test_listener_gives_up_in_time_or_when_the_sandbox_is_dead(tmp_path: Path) -> None:
    with pytest.raises(SandboxStartError, match="did not report"):
        ControlListener(tmp_path).accept("bare", timeout_s=0.1)
    with pytest.raises(SandboxStartError, match="ended before"):
        ControlListener(tmp_path).accept("bare", is_alive=lambda: False)
