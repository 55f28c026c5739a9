"""How a server is started in a sandbox: when it is asked for, or, as far as that is safe, before.

A server that is started early has imported its module and done nothing else. It serves one episode, and ends with it;
the sandbox's reset starts another.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import time

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_tools.mcp.inside.served import SOCKET
from agentgym_tools.mcp.servers import FOLDER, Server

EARLY_ERRORS = "agentgym-early.err"
"""Name of the file that a server that is started early writes its standard error to."""
FAKE_CLOCK = "/usr/local/lib/libfaketime.so.1"
_EARLY_SOCKET = "/tmp/agentgym-early.sock"  # noqa: S108 - inside the sandbox
_LISTENS_S, _GONE_S, _PAUSE_S = 10.0, 0.5, 0.01
# Standard error goes to a file, as a process of a sandbox has one output; the clock is set where that can be done.
_START = (
    'e=$1; t=$2; l=$3; shift 3; if [ -n "$t" ] && [ -e "$l" ]; then export LD_PRELOAD="$l" FAKETIME="$t" '
    'FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1; fi; exec "$@" 2>"${TMPDIR:-/tmp}/$e"'
)


def command_of(server: Server, errors: str, folder: str = "", clock: str = "") -> tuple[str, ...]:
    """The command that starts a server.

    Args:
        server: Which one.
        errors: Name of the file of its standard error, which is in the sandbox's folder for temporary files.
        folder: Where its folder is in the sandbox.
        clock: The time that it is told; "" for the real one.
    """
    command = (part.replace(FOLDER, folder) for part in server.command)
    return ("sh", "-c", _START, "sh", errors, clock, FAKE_CLOCK, *command)


def end_of(errors: str) -> tuple[str, ...]:
    """The command that prints the end of a file of standard error."""
    return ("sh", "-c", 'tail -c 300 "${TMPDIR:-/tmp}/$1"', "sh", errors)


def early_command(server: Server, clock: str) -> tuple[str, ...]:
    """The command of a sandbox that starts a server from PyPI early."""
    variables = {**server.env, SOCKET: _EARLY_SOCKET}
    return (
        "env",
        *(f"{name}={value}" for name, value in variables.items()),
        *command_of(server, EARLY_ERRORS, "", clock),
    )


class EarlyProcess:
    """The server that a sandbox has started early, spoken to as a process is over its standard streams.

    Args:
        sandbox: Its command must be an `early_command`.

    Raises:
        ConnectionRefusedError: Nothing listens.
        SandboxError: The sandbox is gone.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._socket = _connected(sandbox)

    def send(self, content: bytes) -> None:
        """Write to its standard input; raises SandboxError where it has ended."""
        try:
            self._socket.sendall(content)
        except OSError as error:
            raise SandboxError("a server in the sandbox was sent input after its end") from error

    def receive(self, max_bytes: int) -> bytes:
        """The next bytes of its output; b"" when it has ended."""
        try:
            return self._socket.recv(max_bytes)
        except OSError:
            return b""

    def wait(self, *, timeout_s: float | None = None) -> int:
        """Nothing to wait for: its output ends with it. Its exit code is not known."""
        return 0

    def close(self) -> None:
        """Kill it and everything that it started; twice is harmless."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # a thread that waits does not notice that it is closed
        self._socket.close()
        self._sandbox.end_command()


def _connected(sandbox: Sandbox) -> socket.socket:
    deadline = time.monotonic() + _LISTENS_S
    while True:
        try:
            return sandbox.connect(_EARLY_SOCKET)
        except ConnectionRefusedError as error:
            if error.errno != errno.ENOENT:  # the socket is there, and who made it is gone or is just about to listen
                deadline = min(deadline, time.monotonic() + _GONE_S)
            if time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE_S)
