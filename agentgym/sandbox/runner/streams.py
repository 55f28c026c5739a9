"""What goes on in a sandbox beside its calls: streams to servers inside, endpoints, relays, and the spec's command.

Single commands and files are in `sandbox`.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from agentgym.errors import SandboxError
from agentgym.sandbox.runner.channel import Channel
from agentgym.sandbox.runner.link import RunnerLink
from agentgym.sandbox.runner.listener import unix_listener
from agentgym.sandbox.runner.process import RunnerProcess
from agentgym.sandbox.runner.protocol import Command, ExecFlag, Kind, frame, packed_target

_STREAM_TIMEOUT_S = 30.0


class RunnerStreams:
    """Streams of one sandbox.

    Args:
        link: Its runner.
        endpoint_folder: Makes the private folder of the host for the sockets of endpoints.
    """

    def __init__(self, link: RunnerLink, endpoint_folder: Callable[[], Path]) -> None:
        self._link = link
        self._endpoint_folder = endpoint_folder
        self._endpoints: dict[int, str] = {}
        self._lock = threading.Lock()
        self._command: Channel | None = None
        self._relays: list[Channel] = []

    def start_command(self, argv: Sequence[str]) -> None:
        """Start the spec's command, which runs until the sandbox is cleared or closed; its output is dropped.

        Args:
            argv: The command; an empty one starts nothing.
        """
        if argv:
            command = Command(argv, {}, flags=ExecFlag.MERGES_STDERR, max_output=0)
            if self._command is not None:
                self._command.close()
            self._command = self._link.control.open(frame(Kind.EXEC, command.packed()), lasts=True)

    def end_command(self) -> None:
        """Kill the spec's command and everything that it started; twice is harmless."""
        channel, self._command = self._command, None
        if channel is not None:
            RunnerProcess(channel, 0).close()

    def connect(self, port: int | str) -> socket.socket:
        """A stream to a server inside; see `Sandbox.connect`."""
        target = packed_target(0, port) if isinstance(port, str) else packed_target(port)
        channel = self._link.control.open(frame(Kind.CONNECT, target))
        channel.reads_ahead = False
        try:
            self._answer(channel, port)
        except BaseException:
            channel.close()
            raise
        return channel.detach()

    def endpoint(self, port: int) -> str:
        """A unix socket of the host for a port inside; see `Sandbox.endpoint`."""
        with self._lock:
            if port not in self._endpoints:
                path = self._endpoint_folder() / f"{port}.sock"
                with unix_listener(path) as listener:
                    self.relay(port=port, listener=listener)
                self._endpoints[port] = f"unix:{path}"
            return self._endpoints[port]

    def relay(
        self, *, port: int = 0, path: str = "", listener: socket.socket | None = None, listen_port: int = 0
    ) -> None:
        """Carry each connection to a listener into another one inside, until the sandbox ends.

        Args:
            port: Loopback port inside that connections go to; 0 for `path`.
            path: Unix socket inside that they go to.
            listener: A listening socket of the host that they come from; None for `listen_port`.
            listen_port: Loopback port inside that they come from.

        Raises:
            SandboxError: The port inside is taken.
        """
        request = frame(Kind.RELAY, listen_port.to_bytes(4, "little") + packed_target(port, path))
        channel = self._link.control.open(request, lasts=True, passed=listener)
        try:
            self._answer(channel, listen_port or port)
        except ConnectionRefusedError as error:
            channel.close()
            raise SandboxError(f"sandbox {self._link.sandbox_id}: {error}") from error
        except BaseException:
            channel.close()
            raise
        self._relays.append(channel)

    def end(self) -> None:
        """End endpoints, relays and the spec's command, which a reset kills; they are made anew when asked for."""
        with self._lock:
            for channel in (*self._relays, *([self._command] if self._command else [])):
                channel.close()
            for address in self._endpoints.values():
                Path(address.removeprefix("unix:")).unlink(missing_ok=True)
            self._command = None
            self._relays.clear()
            self._endpoints.clear()

    def _answer(self, channel: Channel, port: int | str) -> None:
        received = self._link.receive(channel, _STREAM_TIMEOUT_S)
        if received is None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, f"the stream to {port} inside was killed")
        if received.kind == Kind.FAILED:
            failure = self._link.failure(received)
            raise ConnectionRefusedError(failure.errno, failure.message)
