"""Stateful shell sessions: bash in the sandbox, one command after another.

The end of a command is detected inside, by the runner; here are only requests and results.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import ShellResult
from agentgym.sandbox.runner.channel import Channel
from agentgym.sandbox.runner.protocol import ExitFlag, Kind, packed_run, parsed_exit, parsed_failure, parsed_folder
from agentgym.sandbox.spec import Limits

_UNKNOWN = 0xFFFFFFFF
_ANSWER_MARGIN_S = 30.0


class RunnerShell:
    """A shell session on a channel of its own; see `ShellSession`.

    A session whose shell is gone starts a fresh one, in the last known folder, with the next command. Commands of
    several threads wait for each other.

    Args:
        start: Opens a channel with a shell that starts in a folder.
        cwd: The first folder.
        limits: Of time and output where a command names none.
    """

    def __init__(self, start: Callable[[str], Channel], cwd: str, limits: Limits) -> None:
        self._start = start
        self._cwd = cwd
        self._limits = limits
        self._lock = threading.Lock()
        self._is_closed = False
        self._channel: Channel | None = start(cwd)

    @property
    def cwd(self) -> str:
        """The folder after the last command."""
        return self._cwd

    def run(self, command: str, *, timeout_s: float | None = None, max_output_bytes: int | None = None) -> ShellResult:
        """Run one command and wait for its end; see `ShellSession.run`.

        Raises:
            SandboxLostError: The sandbox is gone, or the session was closed.
        """
        limit_s = self._limits.exec_s if timeout_s is None else timeout_s
        max_output = self._limits.output_bytes if max_output_bytes is None else max_output_bytes
        with self._lock:
            if self._is_closed:
                raise SandboxLostError("the shell session was closed")
            if self._channel is None:
                self._channel = self._start(self._cwd)
            try:
                result = self._run(self._channel, packed_run(command, limit_s, max_output), limit_s + _ANSWER_MARGIN_S)
            except BaseException:
                self._drop()
                raise
            return result

    def close(self) -> None:
        """End the shell and what it left running; twice is harmless."""
        channel = self._channel
        if channel is not None:
            channel.interrupt()  # so that a thread that waits lets go
        with self._lock:
            self._is_closed = True
            if self._channel is not None:
                self._await_end(self._channel)
            self._drop()

    def __enter__(self) -> RunnerShell:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _run(self, channel: Channel, request: bytes, patience_s: float) -> ShellResult:
        output: list[bytes] = []
        channel.send(Kind.RUN, request)
        while True:
            try:
                received = channel.receive(patience_s)
            except TimeoutError as error:
                raise SandboxLostError("the shell's keeper did not answer in time") from error
            if received is None:
                self._drop()
                return ShellResult(None, b"".join(output), shell_exited=True)
            if received.kind == Kind.OUTPUT:
                output.append(received.payload)
            elif received.kind == Kind.EXIT:
                return self._result(received.payload, output)
            elif received.kind == Kind.FAILED:
                why = f"agentgym-runner: {parsed_failure(received.payload).message}\n"
                return ShellResult(None, why.encode(), shell_exited=True)
            else:
                raise SandboxError(f"the shell's keeper answered with an unexpected frame {received.kind}")

    def _result(self, payload: bytes, output: list[bytes]) -> ShellResult:
        end = parsed_exit(payload)
        self._cwd = parsed_folder(payload)
        return ShellResult(
            None if end.exit_code == _UNKNOWN else end.exit_code,
            b"".join(output),
            timed_out=bool(end.flags & ExitFlag.TIMED_OUT),
            dropped_bytes=end.dropped_bytes,
            shell_exited=bool(end.flags & ExitFlag.SHELL_GONE),
            duration_s=end.duration_s,
        )

    def _await_end(self, channel: Channel) -> None:
        """Wait until the keeper has killed what the shell left."""
        try:
            while channel.receive(_ANSWER_MARGIN_S) is not None:
                pass
        except (TimeoutError, SandboxError):
            return

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()
