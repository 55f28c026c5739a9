"""Python processes that start with the trainer imported, forked from one that has: a tenth of a second, not six.

A process takes the arguments of `python` (`-c CODE`, `-m MODULE …` or `SCRIPT …`), a folder and an environment.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.warm.client import answer, ask

ROOT = Path(__file__).parents[2]
_START_S = 120.0


@dataclass
class WarmProcess:
    """A process that goes on; `pid` is its own id."""

    pid: int
    _connection: socket.socket = field(repr=False)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout_s: float = 280.0) -> int:
        """The exit code, negative for a signal.

        Raises:
            TimeoutError: The process went on for longer; it is killed.
        """
        self._connection.settimeout(timeout_s)
        try:
            return answer(self._connection)
        finally:
            self._connection.close()  # the server kills a process that nobody waits for


@dataclass(frozen=True)
class WarmPython:
    """The server behind a socket."""

    path: Path

    def start_server(self) -> None:
        """Start the server; it ends with the test run, the parent of the test workers."""
        watched = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        paths = os.pathsep.join(str(ROOT / part) for part in (".", "environments", "trainers"))
        subprocess.run(
            [sys.executable, "-m", "tests.warm.server", str(self.path), str(watched)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            timeout=_START_S,
            check=True,
        )

    def popen(
        self, args: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, stdout: int = 1, stderr: int = 2
    ) -> WarmProcess:
        """Start a process.

        Args:
            args: Arguments of `python`.
            cwd: The folder that it runs in.
            env: Its environment; None takes this process's.
            stdout: The file descriptor of its output.
            stderr: The file descriptor of its errors.
        """
        request = {"args": [*args], "cwd": str(cwd), "env": {**(os.environ if env is None else env)}}
        with open(os.devnull, "rb") as nothing:
            connection, pid = ask(str(self.path), request, [nothing.fileno(), stdout, stderr])
        return WarmProcess(pid, connection)

    def run(
        self, args: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, timeout_s: float = 280.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a process to its end, as `subprocess.run` does with captured text."""
        stdout, stderr = (os.memfd_create(name) for name in ("stdout", "stderr"))
        try:
            code = self.popen(args, cwd=cwd, env=env, stdout=stdout, stderr=stderr).wait(timeout_s)
            texts = [os.pread(each, os.fstat(each).st_size, 0).decode() for each in (stdout, stderr)]
        finally:
            os.close(stdout)
            os.close(stderr)
        return subprocess.CompletedProcess(["python", *args], code, *texts)

    def write_program(self, path: Path, *args: str, prefix: Path | None = None) -> None:
        """Write an executable that runs `python ARGS …`, for shell scripts.

        Args:
            path: The file.
            args: Arguments in front of the caller's.
            prefix: A virtual environment whose packages it sees.
        """
        base = None if prefix is None else str(prefix)
        path.write_text(
            f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {str(ROOT / 'tests' / 'warm')!r})\n"
            f"import client\nsys.exit(client.main({str(self.path)!r}, {list(args)!r}, {base!r}, sys.argv[1:]))\n"
        )
        path.chmod(0o755)
