"""What a sandbox does through its runner, the same for every provider: commands, processes, shells and files.

Streams are in `streams`; each provider's subclass starts, resets and closes its sandboxes.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from agentgym.errors import SandboxDirtyError, SandboxError, SandboxFileError
from agentgym.sandbox.base import DEFAULT_MAX_FILE_BYTES, ExecResult, Sandbox, SandboxProcess, ShellSession
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.runner.channel import Channel, ControlConnection, Frame, input_frames
from agentgym.sandbox.runner.files import packed_tree, unpack_tree
from agentgym.sandbox.runner.link import RunnerLink
from agentgym.sandbox.runner.process import RunnerProcess
from agentgym.sandbox.runner.protocol import (
    PIECE_BYTES,
    Command,
    ExecFlag,
    Exit,
    ExitFlag,
    Kind,
    frame,
    milliseconds,
    packed_strings,
    parsed_exit,
    parsed_failure,
)
from agentgym.sandbox.runner.shell import RunnerShell
from agentgym.sandbox.runner.streams import RunnerStreams
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

    Attributes:
        streams: What goes on beside its calls: endpoints, relays and the spec's command.
    """

    def __init__(
        self, sandbox_id: str, spec: SandboxSpec, control: ControlConnection, work_dir: str | None = None
    ) -> None:
        self.id = sandbox_id
        self.spec = spec
        self.work_dir = work_dir or spec.work_dir
        self._link = RunnerLink(sandbox_id, control)
        self.streams = RunnerStreams(self._link, self.endpoint_folder)

    @property
    def control(self) -> ControlConnection:
        """The connection to the runner."""
        return self._link.control

    def attach(self, control: ControlConnection) -> None:
        """Go on with another runner, after a reset that made the sandbox anew; the old connection is closed."""
        self._link.attach(self.id, control)

    def is_lost(self) -> bool:
        """Whether the sandbox is gone."""
        return self.control.is_lost()

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
        flags = (ExecFlag.KEEPS_BACKGROUND if keep_background else 0) | (ExecFlag.HAS_STDIN if stdin else 0)
        if any(_has_null(text) for text in (*argv, cwd or "", *(env or {}).values())):
            return ExecResult(_CANNOT_RUN, b"", b"agentgym-runner: null byte in an argument, variable or folder\n")
        command = Command(
            argv,
            env or {},
            self._path(cwd or ""),
            flags,
            timeout_ms=milliseconds(limits.exec_s if timeout_s is None else timeout_s),
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
        with self.control.run(request) if feed is None else self.control.open(request) as channel:
            while True:
                received = self._link.receive(channel, patience_s if command.timeout_ms else None, feed)
                if received is None:
                    return ExecResult(_KILLED, b"".join(output), b"".join(errors))
                kind, payload = received
                if kind == Kind.OUTPUT:
                    output.append(payload)
                elif kind == Kind.ERROR_OUTPUT:
                    errors.append(payload)
                elif kind == Kind.EXIT:
                    end = parsed_exit(payload)
                    leaves_nothing = not command.flags & (ExecFlag.KEEPS_BACKGROUND | ExecFlag.HAS_STDIN)
                    channel.is_free = leaves_nothing and not end.flags
                    return self._exec_result(end, output, errors)
                else:
                    return ExecResult(
                        _CANNOT_RUN, b"", f"agentgym-runner: {self._link.failure(received).message}\n".encode()
                    )

    def _exec_result(self, end: Exit, output: list[bytes], errors: list[bytes]) -> ExecResult:
        if end.flags & ExitFlag.LEFTOVERS:
            self.control.close()
            raise SandboxError(f"sandbox {self.id} was closed: a command left processes that nothing could kill")
        if end.flags & ExitFlag.INTERRUPTED and self.is_lost():
            raise self.control.loss(f"sandbox {self.id} ended while a command ran")
        timed_out = bool(end.flags & ExitFlag.TIMED_OUT)
        return ExecResult(
            end.exit_code,
            b"".join(output),
            b"".join(errors),
            timed_out=timed_out,
            dropped_bytes=end.dropped_bytes,
            duration_s=end.duration_s,
            oom_killed=self.oom_killed(),
        )

    def spawn(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> SandboxProcess:
        """Start a long-lived process; see `Sandbox.spawn`."""
        flags = ExecFlag.HAS_STDIN | ExecFlag.MERGES_STDERR
        request = frame(Kind.EXEC, Command(argv, env or {}, self._path(cwd or ""), flags).packed())
        return RunnerProcess(self.control.open(request), self.spec.limits.output_bytes)

    def start_command(self) -> None:
        """Start the spec's command, which runs until the sandbox is cleared or closed; its output is dropped."""
        self.streams.start_command(self.spec.command)

    def end_command(self) -> None:
        """Kill the spec's command; see `Sandbox.end_command`."""
        self.streams.end_command()

    def shell(self, *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> ShellSession:
        """Start a stateful shell session; see `Sandbox.shell`."""

        def start(folder: str) -> Channel:
            return self.control.open(frame(Kind.SHELL, Command(["bash"], env or {}, folder).packed_shell()))

        return RunnerShell(start, self._path(cwd or ""), self.spec.limits)

    # Files.

    def read_file(self, path: str, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> bytes:
        """Content of a regular file; see `Sandbox.read_file`."""
        request = frame(Kind.READ, max_bytes.to_bytes(8, "little") + _packed_path(self._path(path)))
        pieces: list[bytes] = []
        with self.control.run(request) as channel:
            while True:
                kind, payload = self._answer(channel, path)
                if kind != Kind.OUTPUT:
                    channel.is_free = True
                    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
                pieces.append(payload)

    def write_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file whole; see `Sandbox.write_file`."""
        self._write(path, _pieces(content), len(content), mode)

    def _write(self, path: str, pieces: Iterable[bytes], size: int, mode: int) -> None:
        numbers = mode.to_bytes(4, "little") + size.to_bytes(8, "little")
        request = frame(Kind.WRITE, numbers + _packed_path(self._path(path)))
        frames = (frame(Kind.INPUT, piece) for piece in pieces)
        if size <= _SMALL_INPUT:
            request = b"".join((request, *frames))
        with self.control.run(request) if size <= _SMALL_INPUT else self.control.open(request) as channel:
            self._answer(channel, path, frames)
            channel.is_free = True

    def _answer(self, channel: Channel, path: str, feed: Iterator[bytes] | None = None) -> Frame:
        received = self._link.receive(channel, _FILE_TIMEOUT_S, feed)
        if received is None:
            raise SandboxFileError(errno.EINTR, "the operation was interrupted or killed from inside", path)
        if received.kind == Kind.FAILED:
            failure = self._link.failure(received)
            raise SandboxFileError(failure.errno, failure.message)
        return received

    def upload(self, source: Path, target: str) -> None:
        """Copy a file or tree into the sandbox; see `Sandbox.upload`."""
        if not source.is_dir():
            self._upload_file(source, target)
            return
        pieces = packed_tree(source)
        folder = self._path(target)
        flags = self._beneath(folder)
        made = self.exec(["mkdir", "-p", "--", folder], timeout_s=_FILE_TIMEOUT_S)
        if made.is_ok:
            limit_ms = milliseconds(_FILE_TIMEOUT_S)
            unpack = Command(["tar", "-xpof", "-"], {}, folder, flags | ExecFlag.HAS_STDIN, timeout_ms=limit_ms)
            made = self.run_command(unpack, pieces)
        if not made.is_ok:
            raise SandboxFileError(errno.EIO, f"cannot upload to {target}: {_last_words(made.stderr)}")

    def _upload_file(self, source: Path, target: str) -> None:
        try:
            with open(source, "rb") as reader:
                found = os.fstat(reader.fileno())
                pieces = iter(partial(reader.read, PIECE_BYTES), b"")
                self._write(target, pieces, found.st_size, found.st_mode & 0o777)
        except SandboxFileError:
            raise
        except OSError as error:
            raise SandboxFileError(error.errno or errno.EIO, f"cannot read {source}: {error.strerror}") from error

    def download(self, source: str, target: Path, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> None:
        """Copy a file or tree out of the sandbox; see `Sandbox.download`."""
        if os.path.lexists(target):
            raise SandboxFileError(errno.EEXIST, f"{target} exists; a download makes its target")
        try:
            content = self.read_file(source, max_bytes=max_bytes)
        except SandboxFileError as error:
            if error.errno != errno.EISDIR:
                raise
        else:
            target.write_bytes(content)
            return
        folder = self._path(source)
        limit_ms = milliseconds(_FILE_TIMEOUT_S)
        pack = Command(["tar", "-cf", "-", "."], {}, folder, self._beneath(folder), timeout_ms=limit_ms)
        with self.control.open(frame(Kind.EXEC, pack.packed())) as channel:
            archive = _Output(self._link, channel)
            unpack_tree(archive, target, max_bytes)
            why = archive.failure()
        if why:
            remove_tree(target)
            raise SandboxFileError(errno.EIO, f"cannot download {source}: {why}")

    def connect(self, port: int | str) -> socket.socket:
        """A stream to a server inside; see `Sandbox.connect`."""
        return self.streams.connect(self._path(port) if isinstance(port, str) else port)

    def endpoint(self, port: int) -> str:
        """A unix socket of the host for a port inside; see `Sandbox.endpoint`."""
        return self.streams.endpoint(port)

    def endpoint_folder(self) -> Path:
        """A private folder of the host for the sockets of endpoints."""
        raise SandboxError(f"sandbox {self.id} has no folder for endpoints")

    # State of the whole.

    def clear(self, folders: Sequence[str]) -> None:
        """Kill everything in the sandbox, and empty folders and, in an IPC namespace of its own, shared memory.

        The spec's command is killed as well; `start_command` starts it again.

        Raises:
            SandboxDirtyError: Something could not be removed; the sandbox was closed.
        """
        request = len(folders).to_bytes(4, "little") + packed_strings(*folders)
        with self.control.open(frame(Kind.CLEAR, request), clears=True) as channel:
            _, payload = self._answer(channel, "clear")
        left = int.from_bytes(payload, "little")
        if left:
            self.control.close()
            raise SandboxDirtyError(f"sandbox {self.id} was closed: {left} entries of {', '.join(folders)} stayed")

    def status(self, folders: Sequence[str] = ()) -> dict[str, str]:
        """Numbers that a reset must bring back: processes, entries in folders, IPC objects, a hash of the mounts."""
        request = len(folders).to_bytes(4, "little") + packed_strings(*folders)
        with self.control.open(frame(Kind.STATUS, request)) as channel:
            _, payload = self._answer(channel, "status")
        return dict(line.split(" ", 1) for line in payload.decode().splitlines())

    def interrupt(self) -> None:
        """End every running operation; see `Sandbox.interrupt`."""
        self.control.interrupt()

    # What the operations share.

    def _beneath(self, folder: str) -> int:
        """Whether links may not lead a command's folder out of the work folder: where it is named as part of it."""
        is_inside = not folder.startswith("/") or f"{folder}/".startswith(f"{self.work_dir}/")
        return ExecFlag.STAYS_BENEATH if is_inside else 0

    def _path(self, path: str) -> str:
        """A path of the spec's world as the runner knows it."""
        named = self.spec.work_dir
        if self.work_dir != named and (path == named or path.startswith(named + "/")):
            return self.work_dir + path[len(named) :]
        return path


class _Output:
    """The standard output of a command, read like a file."""

    def __init__(self, link: RunnerLink, channel: Channel) -> None:
        self._link = link
        self._channel = channel
        self._content = bytearray()
        self._errors = bytearray()
        self._exit_code: int | None = None

    def read(self, size: int) -> bytes:
        """The next bytes, fewer than asked for only at the end."""
        while len(self._content) < size and self._exit_code is None:
            self._take()
        content = bytes(memoryview(self._content)[:size])
        del self._content[: len(content)]
        return content

    def failure(self) -> str:
        """Why the command failed; "" where it did not."""
        while self._exit_code is None:
            self._take()
            self._content.clear()
        return _last_words(self._errors) or f"exit code {self._exit_code}" if self._exit_code else ""

    def _take(self) -> None:
        received = self._link.receive(self._channel, _FILE_TIMEOUT_S)
        if received is None:
            self._exit_code = _KILLED
        elif received.kind == Kind.OUTPUT:
            self._content += received.payload
        elif received.kind == Kind.ERROR_OUTPUT:
            self._errors = (self._errors + received.payload)[-4096:]
        elif received.kind == Kind.EXIT:
            self._exit_code = parsed_exit(received.payload).exit_code
        else:
            self._errors += parsed_failure(received.payload).message.encode()
            self._exit_code = _CANNOT_RUN


def _last_words(errors: bytes | bytearray) -> str:
    return errors.decode("utf-8", "replace").strip()[-300:]


def _has_null(text: str | bytes) -> bool:
    return (b"\0" in text) if isinstance(text, bytes) else ("\0" in text)


def _pieces(content: bytes) -> Iterator[bytes]:
    return (content[at : at + PIECE_BYTES] for at in range(0, len(content), PIECE_BYTES))


def _packed_path(path: str) -> bytes:
    try:
        return packed_strings(path)
    except ValueError as error:
        raise SandboxFileError(errno.EINVAL, f"a path cannot hold a null byte: {path!r}") from error
