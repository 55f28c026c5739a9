"""A long-lived process in a sandbox, spoken to over its standard streams.

One-off commands are `RunnerSandbox.exec`, stateful shells are in `shell`.
"""

from __future__ import annotations

import threading
import time

from agentgym.errors import SandboxError
from agentgym.sandbox.runner.channel import Channel
from agentgym.sandbox.runner.protocol import PIECE_BYTES, Kind, parsed_exit, parsed_failure

_CLOSE_S = 15.0
_KILLED = 137
_CANNOT_RUN = 126


class RunnerProcess:
    """A process that a keeper started; see `SandboxProcess`.

    One thread may send while another receives.

    Args:
        channel: The channel on which it was started.
        max_kept_bytes: Output kept for `receive` while `wait` waits; the rest is dropped.
    """

    def __init__(self, channel: Channel, max_kept_bytes: int) -> None:
        self._channel = channel
        self._max_kept_bytes = max_kept_bytes
        self._kept = bytearray()
        self._exit_code: int | None = None
        self._is_closed = False
        self._receiving = threading.Lock()
        self._sending = threading.Lock()

    def send(self, content: bytes) -> None:
        """Write to its standard input.

        Raises:
            SandboxError: It has ended, or reads nothing for a minute.
        """
        with self._sending:
            for at in range(0, len(content), PIECE_BYTES):
                try:
                    is_sent = self._exit_code is None and self._channel.send(Kind.INPUT, content[at : at + PIECE_BYTES])
                except TimeoutError as error:
                    raise SandboxError("a process in the sandbox has not read its input for a minute") from error
                if not is_sent:
                    raise SandboxError("a process in the sandbox was sent input after its end")

    def end_input(self) -> None:
        """Close its standard input."""
        with self._sending:
            self._channel.send(Kind.INPUT_END)

    def receive(self, max_bytes: int = 65536, *, timeout_s: float | None = None) -> bytes:
        """The next bytes of its output; b"" when it has ended; raises TimeoutError."""
        with self._receiving:
            if not self._kept and self._exit_code is None:
                self._take(timeout_s)
            content = bytes(memoryview(self._kept)[:max_bytes])
            del self._kept[: len(content)]
            return content

    def wait(self, *, timeout_s: float | None = None) -> int:
        """Its exit code; raises TimeoutError. What it writes meanwhile is kept for `receive`, up to a limit."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        with self._receiving:
            while self._exit_code is None:
                self._take(None if deadline is None else max(deadline - time.monotonic(), 0.0))
            return self._exit_code

    def close(self) -> None:
        """Kill it and everything that it started; twice is harmless.

        A runner that does not report its end in time is given up, and the sandbox with it.
        """
        self._channel.interrupt()  # so that a thread that waits lets go
        with self._receiving:
            if self._is_closed:
                return
            self._is_closed = True
            try:
                while self._exit_code is None:
                    self._take(_CLOSE_S)
            except TimeoutError:
                self._exit_code = _KILLED
                self._channel.give_up()
            except SandboxError:
                self._exit_code = _KILLED
            self._channel.close()

    def __enter__(self) -> RunnerProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _take(self, timeout_s: float | None) -> None:
        received = self._channel.receive(timeout_s)
        if received is None:
            self._exit_code = _KILLED
        elif received.kind == Kind.OUTPUT:
            self._kept += received.payload[: max(self._max_kept_bytes - len(self._kept), 0)]
        elif received.kind == Kind.EXIT:
            self._exit_code = parsed_exit(received.payload).exit_code
        elif received.kind == Kind.FAILED:
            self._kept += f"agentgym-runner: {parsed_failure(received.payload).message}\n".encode()
            self._exit_code = _CANNOT_RUN
