"""Sandboxes without isolation: a private folder and a runner, as this user on this host. For trusted work and tests.

Nothing is isolated or limited here; hostile work goes to `docker` or `bubblewrap`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from agentgym.errors import SandboxError, SandboxStartError, UnsupportedSpecError
from agentgym.sandbox.base import Capabilities, ResetReport, Sandbox, SandboxProvider, Snapshot
from agentgym.sandbox.leasing.owner import Owner, this_owner
from agentgym.sandbox.leasing.sweeper import sweep
from agentgym.sandbox.leasing.tree_copy import TreeCopy
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.runner.channel import ControlConnection
from agentgym.sandbox.runner.sandbox import RunnerSandbox
from agentgym.sandbox.spec import SandboxSpec

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_END_WAIT_S = 15.0
_NOTES = {
    "isolation": "commands run as this user, beside everything else of it; use docker or bubblewrap for hostile work",
    "network": "the host's network stays within reach; use docker or bubblewrap to be without",
}


class ProcessProvider(SandboxProvider):
    """Starts sandboxes without isolation.

    Args:
        owner: Whose they are; None for this process.
    """

    name = "process"

    def __init__(self, owner: Owner | None = None) -> None:
        self._owner = owner

    def capabilities(self) -> Capabilities:
        """What it can do: it enforces no limit beyond those of a command's time and output."""
        return Capabilities(frozenset(), frozenset({"none"}), False, False, True, True, _NOTES)

    def check(self, spec: SandboxSpec) -> None:
        """Refuse what needs isolation; see `SandboxProvider.check`."""
        super().check(spec)
        if spec.mounts:
            first, *others = [mount.target for mount in spec.mounts]
            more = f" and {len(others)} more" if others else ""
            raise UnsupportedSpecError(
                f"sandbox provider 'process' mounts nothing: got {first}{more}; use docker or bubblewrap"
            )
        if spec.user != "agent":
            raise UnsupportedSpecError(f"sandbox provider 'process' runs as this user: got {spec.user!r}; use docker")

    def start(self, spec: SandboxSpec) -> ProcessSandbox:
        """A fresh sandbox; see `SandboxProvider.start`."""
        self.check(spec)
        return self.start_from(spec, None)

    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove the folders of owners that have ended; their processes ended with them."""
        return [left.name for left in sweep(None, dry_run=dry_run).leftovers if not left.error]

    def start_from(self, spec: SandboxSpec, snapshot: Snapshot | None) -> ProcessSandbox:
        """A sandbox with the file state of a snapshot; None for the spec's own."""
        owner = self._owner or this_owner()
        sandbox_id = f"agentgym-{os.urandom(6).hex()}"
        folder = owner.new_folder(sandbox_id)
        try:
            _fill(folder, spec, snapshot)
            runner, control = _start_runner(sandbox_id, spec, folder)
        except BaseException:
            remove_tree(folder)
            raise
        sandbox = ProcessSandbox(self, sandbox_id, spec, control, runner, folder)
        sandbox.start_command()
        return sandbox


class ProcessSandbox(RunnerSandbox):
    """A private folder and a runner. Its commands find their home and temporary folders in it."""

    def __init__(
        self,
        provider: ProcessProvider,
        sandbox_id: str,
        spec: SandboxSpec,
        control: ControlConnection,
        runner: subprocess.Popen[bytes],
        folder: Path,
    ) -> None:
        super().__init__(sandbox_id, spec, control, str(folder / "work"))
        self._provider = provider
        self._runner = runner
        self._folder = folder
        self._closing = threading.Lock()

    def snapshot(self) -> Snapshot:
        """Keep the present work folder; see `Sandbox.snapshot`."""
        snapshot_id = os.urandom(6).hex()
        path = self._folder.parent / f"snapshot-{snapshot_id}"
        try:
            TreeCopy().copy(self._folder / "work", path)
        except OSError as error:
            remove_tree(path)
            raise SandboxError(f"the work folder of sandbox {self.id} could not be copied: {error}") from error
        return Snapshot(snapshot_id, self.spec, path)

    def reset(self, to: Snapshot | None = None) -> ResetReport:
        """Kill everything and create its folders again; see `Sandbox.reset`."""
        started = time.monotonic()
        self.clear(())
        for name in ("work", "home", "tmp"):
            remove_tree(self._folder / name)
        _fill(self._folder, self.spec, to)
        self.start_command()
        return ResetReport("in_place", time.monotonic() - started)

    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the work folder; see `Sandbox.fork`."""
        snapshot = self.snapshot()
        forks: list[Sandbox] = []
        try:
            forks.extend(self._provider.start_from(self.spec, snapshot) for _ in range(count))
        except BaseException:
            for fork in forks:
                fork.close()
            raise
        finally:
            remove_tree(snapshot.path)
        return forks

    def endpoint_folder(self) -> Path:
        """Where sockets of endpoints lie."""
        folder = self._folder / "endpoints"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def close(self) -> None:
        """End it; see `Sandbox.close`. In a forked child it does nothing."""
        if self.control.is_parents:
            return
        self.control.close()
        with self._closing:
            try:
                self._runner.wait(_END_WAIT_S)
            except subprocess.TimeoutExpired:
                self._runner.kill()
                self._runner.wait()
            if self._folder.exists():
                remove_tree(self._folder)


def _fill(folder: Path, spec: SandboxSpec, snapshot: Snapshot | None) -> None:
    for name in ("work", "home", "tmp"):
        (folder / name).mkdir(mode=0o700)
    source = str(snapshot.path) if snapshot else spec.work
    if source:
        TreeCopy().copy(Path(source), folder / "work")


def _environment(folder: Path, spec: SandboxSpec) -> Mapping[str, str]:
    places = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
    return {"PATH": _PATH, "LANG": "C.UTF-8", **places, **spec.env}


def _start_runner(
    sandbox_id: str, spec: SandboxSpec, folder: Path
) -> tuple[subprocess.Popen[bytes], ControlConnection]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = [str(runner_binary()), "--control", str(theirs.fileno()), "--work", str(folder / "work")]
    try:
        with theirs:
            runner = subprocess.Popen(  # noqa: S603 - our own program
                argv,
                pass_fds=[theirs.fileno()],
                env=_environment(folder, spec),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
    except OSError as error:
        ours.close()
        raise SandboxStartError(f"the runner of sandbox {sandbox_id} could not be started: {error}") from error
    try:
        return runner, ControlConnection(ours, sandbox_id)
    except BaseException:
        runner.kill()
        runner.wait()
        raise
