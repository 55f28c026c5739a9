"""The contract of sandboxes and their providers: where untrusted work runs.

Nothing here starts anything: providers are in `engines`, and `pool` keeps sandboxes ready.
"""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from agentgym.errors import UnsupportedSpecError
from agentgym.leasing.maker import ResetMethod
from agentgym.sandbox.spec import SandboxSpec, how_to_relax

DEFAULT_MAX_FILE_BYTES = 64 << 20


@dataclass(frozen=True)
class ExecResult:
    """What one command did.

    Attributes:
        exit_code: Its exit code; 128 + the signal's number if a signal ended it.
        stdout: What it wrote to standard output, up to the limit; any bytes.
        stderr: What it wrote to standard error, likewise.
        timed_out: Whether it was killed at its time limit.
        dropped_bytes: Bytes of output beyond the limit, of both streams.
        duration_s: Wall time from start to end, measured inside.
        oom_killed: Whether the kernel killed a process of the sandbox for memory meanwhile; None if unknown.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    dropped_bytes: int = 0
    duration_s: float = 0.0
    oom_killed: bool | None = None

    @property
    def is_ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    def text(self) -> str:
        """Standard output, then standard error, as text; undecodable bytes become U+FFFD."""
        return (self.stdout + self.stderr).decode("utf-8", "replace")


@dataclass(frozen=True)
class ShellResult:
    """What one command of a shell session did.

    Attributes:
        exit_code: Its status; None if the shell ended or was killed before it reported one.
        output: Standard output and error in the order written, up to the limit.
        timed_out: Whether it was killed at its time limit.
        dropped_bytes: Bytes of output beyond the limit.
        shell_exited: Whether the shell is gone (`exit`, `exec`, killed): the next run starts a fresh one in the same
            folder, without the variables.
        duration_s: Wall time.
    """

    exit_code: int | None
    output: bytes
    timed_out: bool = False
    dropped_bytes: int = 0
    shell_exited: bool = False
    duration_s: float = 0.0

    def text(self) -> str:
        """The output as text; undecodable bytes become U+FFFD."""
        return self.output.decode("utf-8", "replace")


class ShellSession(Protocol):
    """A stateful shell: folder, variables and background jobs last from one command to the next."""

    def run(self, command: str, *, timeout_s: float | None = None, max_output_bytes: int | None = None) -> ShellResult:
        """Run one command and wait for its end."""

    def close(self) -> None:
        """End the shell and what it left running."""


class SandboxProcess(Protocol):
    """A long-lived process in a sandbox, reached over its standard streams (standard error goes to output)."""

    def send(self, content: bytes) -> None:
        """Write to its standard input."""

    def receive(self, max_bytes: int = 65536, *, timeout_s: float | None = None) -> bytes:
        """The next bytes of its output; b"" when it has ended.

        Raises:
            TimeoutError: Nothing came in time; the process keeps running.
        """

    def wait(self, *, timeout_s: float | None = None) -> int:
        """Its exit code, as in `ExecResult`; raises TimeoutError."""

    def close(self) -> None:
        """Kill it and everything that it started."""


@dataclass(frozen=True)
class Snapshot:
    """The file state of a sandbox at one moment; sandboxes can start from it any number of times.

    Attributes:
        id: Unique.
        spec: The specification of the sandbox that it was taken from.
        path: Where the provider keeps it.
    """

    id: str
    spec: SandboxSpec
    path: Path


class WorkView(NamedTuple):
    """A sandbox's work folder as the host sees it; what lies there is hostile.

    Attributes:
        work: The folder.
        changes: What was changed in it, as an overlay's upper layer.
    """

    work: Path
    changes: Path


@dataclass(frozen=True)
class ResetReport:
    """The result of a reset.

    Attributes:
        method: Whether the sandbox was reset in place or created again.
        duration_s: Wall time.
        why: Why it was not reset in place; "" if it was.
    """

    method: ResetMethod
    duration_s: float
    why: str = ""


@dataclass(frozen=True)
class Capabilities:
    """What a provider can do and enforce on this machine.

    Attributes:
        limits: Names of the fields of `Limits` that it enforces.
        networks: Kinds of network that it offers.
        images: Whether it runs images.
        isolates: Whether it may run hostile work.
        in_place_reset: Whether a reset keeps the sandbox; otherwise it is created again.
        snapshots: Whether `snapshot` and `fork` work.
        notes: For each missing feature, why it is missing here, and what would change that.
    """

    limits: frozenset[str]
    networks: frozenset[str]
    images: bool
    isolates: bool
    in_place_reset: bool
    snapshots: bool
    notes: Mapping[str, str]


class Sandbox(ABC):
    """One running sandbox, made by a provider's `start`. Use it as a context manager, or call `close`.

    Calls may come from several threads at once. All of them raise SandboxLostError if the sandbox is gone, which is an
    infrastructure failure. Mistakes of the work inside show in the results.
    """

    id: str
    spec: SandboxSpec

    @abstractmethod
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
        """Run one command and wait for its end.

        Args:
            argv: The program and its arguments; no shell is involved.
            timeout_s: Wall time; None for the limit of the specification.
            stdin: Its standard input.
            env: Variables in addition to those of the specification.
            cwd: Its folder, relative to the work folder.
            max_output_bytes: Bytes kept of each stream; None for the limit of the specification.
            keep_background: Whether processes that it leaves keep running; otherwise they are killed when the command
                ends.

        Returns:
            The result. A program that does not exist gives exit code 127, one that must not be run 126; stderr says so.
        """

    @abstractmethod
    def spawn(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> SandboxProcess:
        """Start a long-lived process, such as an interpreter."""

    @abstractmethod
    def shell(self, *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> ShellSession:
        """Start a stateful shell session (bash)."""

    @abstractmethod
    def read_file(self, path: str, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> bytes:
        """Content of a regular file; relative paths start in the work folder and cannot leave it through links.

        Raises:
            SandboxFileError: Missing, not a regular file, outside, unreadable or too large.
        """

    @abstractmethod
    def write_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a whole file as the sandbox's user; parent folders are created.

        Raises:
            SandboxFileError: The path is outside or not writable, or there is no room.
        """

    @abstractmethod
    def upload(self, source: Path, target: str) -> None:
        """Copy a file or tree of the host into the sandbox; links are copied as links.

        Raises:
            SandboxFileError: A link in the tree leaves it, or the target cannot be written.
        """

    @abstractmethod
    def download(self, source: str, target: Path, *, max_bytes: int = DEFAULT_MAX_FILE_BYTES) -> None:
        """Copy a file or tree out of the sandbox to a path of the host that does not exist yet.

        Links that leave the tree, devices, special bits, absolute names and `..` are refused; then nothing is left on
        the host.

        Raises:
            SandboxFileError: The tree is missing, hostile or too large.
        """

    @contextmanager
    def standing_still(self) -> Iterator[WorkView | None]:
        """The work folder on the host, while nothing in the sandbox moves; None where the host does not see it.

        Nothing runs inside for it. Whoever reads there must follow no link and open no special file.
        """
        yield None

    @abstractmethod
    def connect(self, port: int | str) -> socket.socket:
        """A stream to a server inside.

        Args:
            port: The loopback port that it listens on, or the path of its unix socket.

        Raises:
            ConnectionRefusedError: Nothing listens there.
        """

    @abstractmethod
    def endpoint(self, port: int) -> str:
        """A unix socket of the host ("unix:/…") whose connections reach that port inside, until the sandbox closes."""

    @abstractmethod
    def interrupt(self) -> None:
        """End every running operation from another thread: their commands are killed, their callers return."""

    @abstractmethod
    def end_command(self) -> None:
        """Kill the command of the specification and everything that it started; a reset starts it again."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Keep the present file state; processes are not part of it.

        Raises:
            SandboxError: The provider has no snapshots, or the state could not be copied.
        """

    @abstractmethod
    def reset(self, to: Snapshot | None = None) -> ResetReport:
        """Restore the original state or a snapshot; every process inside ends, and `id` may change.

        Raises:
            SandboxDirtyError: Something survived; the sandbox was closed.
        """

    @abstractmethod
    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the present file state. Processes do not survive."""

    @abstractmethod
    def close(self) -> None:
        """End it and remove everything that belongs to it; calling it twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SandboxProvider(ABC):
    """A way to make sandboxes on this machine."""

    name: str

    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What it can do and enforce here.

        Raises:
            SandboxStartError: It cannot run here at all; the message says what is missing.
        """

    @abstractmethod
    def start(self, spec: SandboxSpec) -> Sandbox:
        """A fresh sandbox.

        Raises:
            UnsupportedSpecError: It cannot enforce the specification.
            SandboxStartError: The engine failed, or the image is missing.
        """

    @abstractmethod
    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove sandboxes of this provider whose owners have ended; returns their names."""

    def check(self, spec: SandboxSpec) -> None:
        """Refuse a specification that asks for more than this provider enforces here.

        Raises:
            UnsupportedSpecError: It cannot enforce something; the message names each such limit, network and image, and
                what to do.
        """
        can = self.capabilities()
        missing = [
            name
            for name in ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")
            if getattr(spec.limits, name) is not None and name not in can.limits
        ]
        if missing:
            raise UnsupportedSpecError(
                f"sandbox provider {self.name!r} cannot enforce the limits {', '.join(missing)} here; use a provider "
                f"that can, or {how_to_relax(missing)}"
            )
        if spec.network.kind not in can.networks:
            raise UnsupportedSpecError(
                f"sandbox provider {self.name!r} offers the networks {', '.join(sorted(can.networks))}: "
                f"got {spec.network.kind!r}"
            )
        if not can.images and (spec.image != "agentgym/base" or spec.writable_root):
            raise UnsupportedSpecError(f"sandbox provider {self.name!r} runs no images: got {spec.image!r}; use docker")
