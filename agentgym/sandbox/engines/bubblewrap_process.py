"""One running bubblewrap with its runner: started, stopped for a moment, killed.

What it sees is in `bubblewrap_root`, what it is for in `bubblewrap`.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agentgym.errors import SandboxError, SandboxStartError
from agentgym.sandbox.engines.seccomp import filter_program
from agentgym.sandbox.runner.listener import ControlListener

_END_WAIT_S = 10.0
_STOP_WAIT_S = 30.0
_STOPPED = ("T", "t", "Z", "X")


class BubblewrapProcess:
    """A sandbox's processes, from the start to `kill`.

    It outlives the thread that started it, and ends when the control connection does: bubblewrap's own way of dying
    with its parent means a thread, and a pool's threads come and go.

    Args:
        name: Of the sandbox, for messages.
        program: Bubblewrap, and what gives up the rights of root before it.
        arguments: What it is told; they may hold secrets, so no command line shows them.
        command: What it runs.
        sockets: Folder on the host that the runner finds its socket in.

    Raises:
        SandboxStartError: It ended before its runner reported; says what it said.
    """

    def __init__(
        self, name: str, program: Sequence[str], arguments: Sequence[str], command: Sequence[str], sockets: Path
    ) -> None:
        listener = ControlListener(sockets)
        said = os.memfd_create("said")
        self._descriptor, self._runner = -1, 0
        try:
            self._process = _start(program, arguments, command, said)
            try:
                self._descriptor = os.pidfd_open(self._process.pid)
                self.control = listener.accept(name, is_runner=self._is_runner, is_alive=self._is_alive)
            except SandboxStartError as error:
                self._end()
                raise SandboxStartError(f"{error}: {_text(said) or 'bubblewrap said nothing'}") from error
            except BaseException:
                self._end()
                raise
        except OSError as error:
            raise SandboxStartError(f"bubblewrap could not be started for sandbox {name}: {error}") from error
        finally:
            os.close(said)
            listener.close()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop every command inside for the time of the block.

        Raises:
            SandboxError: They could not be stopped.
        """
        try:
            self._stop_all()
            yield
        finally:
            for pid in self._others():
                _signal(pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill everything inside and wait until it is gone; twice is harmless.

        Raises:
            SandboxError: The kernel does not let go of a process.
        """
        if self._descriptor < 0:
            return
        self.control.close()
        self._end()

    def _is_runner(self, pid: int) -> bool:
        """Whether a process is bubblewrap's only child, the first of the sandbox's namespace."""
        if _parent_of(pid) != self._process.pid:
            return False
        self._runner = os.pidfd_open(pid)
        self._namespace = os.readlink(f"/proc/{pid}/ns/pid") if os.geteuid() == 0 else ""
        self._runner_pid = pid
        return True

    def _is_alive(self) -> bool:
        return self._process.poll() is None

    def _end(self) -> None:
        # The first process of a namespace takes all others with it. Bubblewrap sees its end and ends; where it is stuck
        # before it has started anything, there is nothing else to kill.
        if self._runner > 0:
            _signal_descriptor(self._runner)
            os.close(self._runner)
            self._runner = 0
        else:
            self._process.kill()
        if self._descriptor < 0:  # there was none to be had
            self._process.wait()
            return
        has_ended = _wait(self._descriptor, _END_WAIT_S)
        if not has_ended:
            self._process.kill()
            has_ended = _wait(self._descriptor, _END_WAIT_S)
        os.close(self._descriptor)
        self._descriptor = -1
        if not has_ended:
            raise SandboxError(f"bubblewrap, process {self._process.pid}, does not end")
        self._process.wait()

    def _stop_all(self) -> None:
        """Stop them until two looks in a row find none that runs: until the first, one may still wake another."""
        deadline = time.monotonic() + _STOP_WAIT_S
        num_quiet = 0
        while num_quiet < 2:
            running = [pid for pid in self._others() if _state_of(pid) not in _STOPPED]
            for pid in running:
                _signal(pid, signal.SIGSTOP)
            num_quiet = 0 if running else num_quiet + 1
            if time.monotonic() > deadline:
                raise SandboxError(f"processes {running} of a sandbox could not be stopped for a snapshot")

    def _others(self) -> list[int]:
        """Processes of the sandbox's namespace but the runner and its keepers.

        Keepers are the runner's children in its process group, which nothing that they start can join. It would take
        one that is stopped for the victim of an attack, and kill it.
        """
        own = _stat_of(self._runner_pid)[1:3]
        found = []
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                is_inside = os.readlink(f"/proc/{name}/ns/pid") == self._namespace
            except OSError:
                continue
            is_keeper = is_inside and _stat_of(int(name))[1:3] == [str(self._runner_pid), *own[1:]]
            if is_inside and not is_keeper and int(name) != self._runner_pid:
                found.append(int(name))
        return found


def _start(
    program: Sequence[str], arguments: Sequence[str], command: Sequence[str], said: int
) -> subprocess.Popen[bytes]:
    arguments_fd = _in_memory("arguments", b"".join(os.fsencode(text) + b"\0" for text in arguments))
    seccomp = -1
    try:
        seccomp = _in_memory("seccomp", filter_program())
        return subprocess.Popen(  # noqa: S603 - our own program and arguments
            [*program, "--args", str(arguments_fd), "--seccomp", str(seccomp), "--", *command],
            pass_fds=[arguments_fd, seccomp],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd="/",
            env={},
            start_new_session=True,  # an interrupt typed into our terminal is not for it
        )
    finally:
        os.close(arguments_fd)
        if seccomp >= 0:
            os.close(seccomp)


def _in_memory(name: str, content: bytes) -> int:
    descriptor = os.memfd_create(name)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _text(said: int) -> str:
    return os.pread(said, 2000, 0).decode("utf-8", "replace").strip()


def _wait(descriptor: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(int(seconds * 1000)))


def _parent_of(pid: int) -> int:
    return int(_stat_of(pid)[1]) if _stat_of(pid) else -1


def _state_of(pid: int) -> str:
    fields = _stat_of(pid)
    return fields[0] if fields else "X"


def _stat_of(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the state on; the name before it may hold anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _signal_descriptor(descriptor: int) -> None:
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except ProcessLookupError:
        return
