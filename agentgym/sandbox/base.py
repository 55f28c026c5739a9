"""The contract of sandboxes and their providers: where untrusted work runs.

Nothing here starts anything: providers are in `engines`, and `pool` keeps sandboxes ready.
"""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from agentgym.errors import UnsupportedSpecError
from agentgym.leasing.maker import ResetMethod
from agentgym.sandbox.spec import SandboxSpec

DEFAULT_MAX_FILE_BYTES = 64 << 20


@dataclass(frozen=True)
class ExecResult:
    """What one command did.

    Attributes:
        exit_code: Its exit code; 128 + the signal's number where a signal ended it.
        stdout: What it wrote there, up to the limit; any bytes.
        stderr: Likewise.
        timed_out: Whether it was killed at its time limit.
        dropped_bytes: Bytes of output beyond the limit, of both streams.
        duration_s: Wall time from start to end, measured inside.
        oom_killed: Whether the kernel killed a process of the sandbox for memory meanwhile; None where unknown.
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
        exit_code: Its status; None where the shell ended or was killed before it reported one.
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
    """A long-lived process in a sandbox, spoken to over its standard streams (standard error is joined to output)."""

    def send(self, content: bytes) -> None:
        """Write to its standard input."""

    def receive(self, max_bytes: int = 65536, *, timeout_s: float | None = None) -> bytes:
        """The next bytes of its output; b"" when it has ended.

        Raises:
            TimeoutError: Nothing came in time; the process goes on.
        """

    def wait(self, *, timeout_s: float | None = None) -> int:
        """Its exit code, as in `ExecResult`; raises TimeoutError."""

    def close(self) -> None:
        """Kill it and everything that it started."""


@dataclass(frozen=True)
class Snapshot:
    """The file state of a sandbox at one moment, to be started from again and again.

    Attributes:
        id: Unique.
        spec: What it was taken from.
        path: Where the provider keeps it.
    """

    id: str
    spec: SandboxSpec
    path: Path


@dataclass(frozen=True)
class ResetReport:
    """How a sandbox came back.

    Attributes:
        method: In place, or made anew.
        duration_s: Wall time.
        why: Why not in place; "" where it was.
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
        isolates: Whether hostile work may be given to it.
        in_place_reset: Whether a reset keeps the sandbox; else it is made anew.
        snapshots: Whether `snapshot` and `fork` work.
        notes: For each thing that it cannot do here, why, and what would change that.
    """

    limits: frozenset[str]
    networks: frozenset[str]
    images: bool
    isolates: bool
    in_place_reset: bool
    snapshots: bool
    notes: Mapping[str, str]


class Sandbox(ABC):
    """One running sandbox. Made by a provider's `start`; used as a context manager or closed by `close`.

    Calls may come from several threads at once. All of them raise SandboxLostError when the sandbox is gone, which is
    an infrastructure failure; what the work inside does wrong is in the results.
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
            timeout_s: Wall time; None for the spec's limit.
            stdin: Its standard input.
            env: Variables beside the spec's.
            cwd: Its folder, relative to the work folder.
            max_output_bytes: Kept of each stream; None for the spec's limit.
            keep_background: Whether what it leaves running goes on; else it is killed when the command ends.

        Returns:
            The result; a program that does not exist is exit code 127, one that may not be run 126, said in stderr.
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
        """Write a file whole, as the sandbox's user; parent folders are made.

        Raises:
            SandboxFileError: Outside, unwritable, or no room.
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

        Links that leave the tree, devices, special bits, absolute names and `..` are refused, and nothing is left then.

        Raises:
            SandboxFileError: The tree is missing, hostile or too large.
        """

    @abstractmethod
    def connect(self, port: int) -> socket.socket:
        """A stream to a server that listens on a loopback port inside.

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
    def snapshot(self) -> Snapshot:
        """Keep the present file state; processes are no part of it.

        Raises:
            SandboxError: The provider cannot, or the state could not be copied.
        """

    @abstractmethod
    def reset(self, to: Snapshot | None = None) -> ResetReport:
        """Back to the pristine state or a snapshot; every process inside is gone, `id` may change.

        Raises:
            SandboxDirtyError: Something survived; the sandbox was closed.
        """

    @abstractmethod
    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the present file state. Processes do not survive."""

    @abstractmethod
    def close(self) -> None:
        """End it and remove everything of it; twice is harmless."""

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
            SandboxStartError: It cannot run at all here; says what is missing.
        """

    @abstractmethod
    def start(self, spec: SandboxSpec) -> Sandbox:
        """A fresh sandbox.

        Raises:
            UnsupportedSpecError: It cannot enforce the spec.
            SandboxStartError: The engine failed, or the image is missing.
        """

    @abstractmethod
    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove what dead owners left of this provider's sandboxes; returns their names."""

    def check(self, spec: SandboxSpec) -> None:
        """Refuse a spec that asks for more than this provider enforces here.

        Raises:
            UnsupportedSpecError: Names each limit, network and image that it cannot enforce, and the way out.
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
                f"that can, or say that they may go unenforced: spec.relaxed({', '.join(map(repr, missing))})"
            )
        if spec.network.kind not in can.networks:
            raise UnsupportedSpecError(
                f"sandbox provider {self.name!r} offers the networks {', '.join(sorted(can.networks))}: "
                f"got {spec.network.kind!r}"
            )
        if not can.images and (spec.image != "agentgym/base" or spec.writable_root):
            raise UnsupportedSpecError(f"sandbox provider {self.name!r} runs no images: got {spec.image!r}; use docker")
