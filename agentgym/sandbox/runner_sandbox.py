"""What a sandbox does through its runner, the same for every provider: commands, processes, shells, files, streams.

How it is started, reset and closed is each provider's subclass.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentgym.errors import SandboxDirtyError, SandboxError, SandboxFileError, SandboxLostError
from agentgym.sandbox.base import DEFAULT_MAX_FILE_BYTES, ExecResult, Sandbox, SandboxProcess, ShellSession
from agentgym.sandbox.channel import Channel, ControlConnection, Frame, input_frames
from agentgym.sandbox.protocol import (
    PIECE_BYTES,
    Command,
    ExecFlag,
    ExitFlag,
    Failure,
    Kind,
    frame,
    packed_strings,
    parsed_exit,
    parsed_failure,
)
from agentgym.sandbox.runner_process import RunnerProcess
from agentgym.sandbox.spec import SandboxSpec

_ANSWER_MARGIN_S = 30.0
_FILE_TIMEOUT_S = 120.0
_CANNOT_RUN = 126
_KILLED = 137
_SMALL_INPUT = 32768


class RunnerSandbox(Sandbox):
    """A sandbox whose work goes through a runner.

    The variables of the spec, and those of the image, are the runner's own: providers start it with them.

    Args:
        sandbox_id: Its id.
        spec: What it is.
        control: The connection to its runner.
        work_dir: The work folder as the runner knows it; None for the spec's.
    """

    def __init__(
        self, sandbox_id: str, spec: SandboxSpec, control: ControlConnection, work_dir: str | None = None
    ) -> None:
        self.id = sandbox_id
        self.spec = spec
        self.work_dir = work_dir or spec.work_dir
        self._control = control
        self._endpoints: dict[int, str] = {}
        self._endpoint_lock = threading.Lock()
        self._command: Channel | None = None

    @property
    def control(self) -> ControlConnection:
        """The connection to the runner."""
        return self._control

    def attach(self, control: ControlConnection) -> None:
        """Go on with another runner, after a reset that made the sandbox anew; the old connection is closed."""
        old, self._control = self._control, control
        self._endpoints.clear()
        old.close()

    def is_lost(self) -> bool:
        """Whether the sandbox is gone."""
        return self._control.is_lost()

    def oom_killed(self) -> bool | None:
        """Whether the kernel has killed for memory since the last time this was asked; providers that can tell do."""
        return None

    # Commands.

    def exec(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        max_output_bytes: int | None = None,
        keep_background: bool = False,
    ) -> ExecResult:
        """Run one command and wait for its end; see `Sandbox.exec`."""
        limits = self.spec.limits
        flags = ExecFlag.KEEPS_BACKGROUND if keep_background else ExecFlag(0)
        command = Command(
            argv,
            env or {},
            self._path(cwd or ""),
            flags | (ExecFlag.HAS_STDIN if stdin else ExecFlag(0)),
            timeout_ms=_milliseconds(limits.exec_s if timeout_s is None else timeout_s),
            max_output=limits.output_bytes if max_output_bytes is None else max_output_bytes,
        )
        return self.run_command(command, _pieces(stdin) if stdin else None)

    def run_command(self, command: Command, stdin: Iterable[bytes] | None = None) -> ExecResult:
        """Run one command as the protocol has it.

        Args:
            command: What to run.
            stdin: Its standard input in pieces of at most 64 KiB, where the command's flags say that it has one.
        """
        output: list[bytes] = []
        errors: list[bytes] = []
        feed = None if stdin is None else input_frames(stdin)
        patience_s = command.timeout_ms / 1000 + command.grace_ms / 1000 + _ANSWER_MARGIN_S
        request = frame(Kind.EXEC, command.packed())
        with self._control.open(request) as channel:
            while True:
                received = self._receive(channel, patience_s if command.timeout_ms else None, feed)
                if received is None:
                    return ExecResult(_KILLED, b"".join(output), b"".join(errors))
                kind, payload = received
                if kind == Kind.OUTPUT:
                    output.append(payload)
                elif kind == Kind.ERROR_OUTPUT:
                    errors.append(payload)
                elif kind == Kind.EXIT:
                    return self._exec_result(payload, output, errors)
                else:
                    return ExecResult(
                        _CANNOT_RUN, b"", f"agentgym-runner: {self._failure(received).message}\n".encode()
                    )

    def _exec_result(self, payload: bytes, output: list[bytes], errors: list[bytes]) -> ExecResult:
        end = parsed_exit(payload)
        if end.flags & ExitFlag.LEFTOVERS:
            self._control.close()
            raise SandboxError(f"sandbox {self.id} was closed: a command left processes that nothing could kill")
        timed_out = bool(end.flags & ExitFlag.TIMED_OUT)
        return ExecResult(
            end.exit_code,
            b"".join(output),
            b"".join(errors),
            timed_out=timed_out,
            dropped_bytes=end.dropped_bytes,
            duration_s=end.duration_s,
            oom_killed=self.oom_killed() if end.exit_code == _KILLED and not timed_out else None,
        )

    def spawn(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> SandboxProcess:
        """Start a long-lived process; see `Sandbox.spawn`."""
        flags = ExecFlag.HAS_STDIN | ExecFlag.MERGES_STDERR
        request = frame(Kind.EXEC, Command(argv, env or {}, self._path(cwd or ""), flags).packed())
        return RunnerProcess(self._control.open(request), self.spec.limits.output_bytes)

    def start_command(self) -> None:
        """Start the spec's command, which runs until the sandbox is cleared or closed; its output is dropped."""
        if self.spec.command:
            command = Command(self.spec.command, {}, flags=ExecFlag.MERGES_STDERR, max_output=0)
            if self._command is not None:
                self._command.close()
            self._command = self._control.open(frame(Kind.EXEC, command.packed()), lasts=True)

    def shell(self, *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> ShellSession:
        """Start a stateful shell session; see `Sandbox.shell`."""
        raise SandboxError("shell sessions are not there yet")

    # Files.

    def read_file(self, path: str, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> bytes:
        """Content of a regular file; see `Sandbox.read_file`."""
        request = frame(Kind.READ, max_bytes.to_bytes(8, "little") + _packed_path(self._path(path)))
        pieces: list[bytes] = []
        with self._control.open(request) as channel:
            while True:
                kind, payload = self._answer(channel, path)
                if kind != Kind.OUTPUT:
                    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
                pieces.append(payload)

    def write_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file whole; see `Sandbox.write_file`."""
        numbers = mode.to_bytes(4, "little") + len(content).to_bytes(8, "little")
        request = frame(Kind.WRITE, numbers + _packed_path(self._path(path)))
        frames = [request, *(frame(Kind.INPUT, piece) for piece in _pieces(content))]
        is_small = len(content) <= _SMALL_INPUT
        with self._control.open(b"".join(frames) if is_small else request) as channel:
            self._answer(channel, path, None if is_small else iter(frames[1:]))

    def _answer(self, channel: Channel, path: str, feed: Iterator[bytes] | None = None) -> Frame:
        received = self._receive(channel, _FILE_TIMEOUT_S, feed)
        if received is None:
            raise SandboxFileError(errno.EINTR, "the operation was interrupted or killed from inside", path)
        if received.kind == Kind.FAILED:
            failure = self._failure(received)
            raise SandboxFileError(failure.errno, failure.message)
        return received

    def upload(self, source: Path, target: str) -> None:
        """Copy a file or tree into the sandbox; see `Sandbox.upload`."""
        raise SandboxError("uploads are not there yet")

    def download(self, source: str, target: Path, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> None:
        """Copy a file or tree out of the sandbox; see `Sandbox.download`."""
        raise SandboxError("downloads are not there yet")

    def connect(self, port: int) -> socket.socket:
        """A stream to a server inside; see `Sandbox.connect`."""
        raise SandboxError("connections are not there yet")

    def endpoint(self, port: int) -> str:
        """A unix socket of the host for a port inside; see `Sandbox.endpoint`."""
        raise SandboxError("endpoints are not there yet")

    # State of the whole.

    def clear(self, folders: Sequence[str]) -> None:
        """Kill everything in the sandbox, and empty folders and, in an IPC namespace of its own, shared memory.

        The spec's command is killed as well; `start_command` starts it again.

        Raises:
            SandboxDirtyError: Something could not be removed; the sandbox was closed.
        """
        request = len(folders).to_bytes(4, "little") + packed_strings(*folders)
        with self._control.open(frame(Kind.CLEAR, request), clears=True) as channel:
            _, payload = self._answer(channel, "clear")
        left = int.from_bytes(payload, "little")
        if left:
            self._control.close()
            raise SandboxDirtyError(f"sandbox {self.id} was closed: {left} entries of {', '.join(folders)} stayed")

    def status(self, folders: Sequence[str] = ()) -> dict[str, str]:
        """Numbers that a reset must bring back: processes, entries in folders, IPC objects, a hash of the mounts."""
        request = len(folders).to_bytes(4, "little") + packed_strings(*folders)
        with self._control.open(frame(Kind.STATUS, request)) as channel:
            _, payload = self._answer(channel, "status")
        return dict(line.split(" ", 1) for line in payload.decode().splitlines())

    def interrupt(self) -> None:
        """End every running operation; see `Sandbox.interrupt`."""
        self._control.interrupt()

    # What the operations share.

    def _receive(self, channel: Channel, timeout_s: float | None, feed: Iterator[bytes] | None = None) -> Frame | None:
        try:
            return channel.receive(timeout_s, feed)
        except TimeoutError as error:
            self._control.close()
            raise SandboxLostError(f"sandbox {self.id} was closed: its runner did not answer in time") from error

    def _failure(self, received: Frame) -> Failure:
        if received.kind != Kind.FAILED:
            raise SandboxError(f"the runner of sandbox {self.id} answered with an unexpected frame {received.kind}")
        return parsed_failure(received.payload)

    def _path(self, path: str) -> str:
        """A path of the spec's world as the runner knows it."""
        named = self.spec.work_dir
        if self.work_dir != named and (path == named or path.startswith(named + "/")):
            return self.work_dir + path[len(named) :]
        return path


def _milliseconds(seconds: float) -> int:
    return min(max(int(seconds * 1000), 1), 0xFFFFFFFF)


def _pieces(content: bytes) -> Iterator[bytes]:
    return (content[at : at + PIECE_BYTES] for at in range(0, len(content), PIECE_BYTES))


def _packed_path(path: str) -> bytes:
    try:
        return packed_strings(path)
    except ValueError as error:
        raise SandboxFileError(errno.EINVAL, f"a path cannot hold a null byte: {path!r}") from error
