"""Sandboxes under bubblewrap: for machines without a container engine, as root or as any other user.

It limits neither memory nor CPU time, runs no images, and joins no sandboxes in a network. It refuses a specification
that asks for any of these.

Root gives up its rights before bubblewrap starts: a process in the sandbox is a user that exists nowhere else, in a
user namespace with that one user. A sandbox starts within milliseconds, so a reset creates it again.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import (
    AgentGymError,
    SandboxDirtyError,
    SandboxError,
    SandboxLostError,
    SandboxStartError,
    UnsupportedSpecError,
)
from agentgym.sandbox.base import Capabilities, ResetReport, Sandbox, SandboxProvider, Snapshot, WorkView
from agentgym.sandbox.egress.proxy import EgressProxy
from agentgym.sandbox.engines.bubblewrap_process import BubblewrapProcess
from agentgym.sandbox.engines.bubblewrap_root import (
    HOME,
    ISOLATION,
    PROXY_PORT,
    RUNNER,
    SOCKETS,
    SharedFiles,
    arguments,
    make_shared,
    packed_folder,
    programs,
    why_unreachable,
)
from agentgym.sandbox.engines.shared_snapshot import SharedSnapshot
from agentgym.sandbox.leasing.owner import Owner, state_folder, this_owner
from agentgym.sandbox.leasing.sweeper import sweep
from agentgym.sandbox.leasing.workspace import LayerStore, Workspace, remove_tree
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.runner.sandbox import RunnerSandbox
from agentgym.sandbox.spec import DEFAULT_WORK_DIR, SandboxSpec

# Neither a user's nor a service's: systemd leaves 60578 to 61183 unused (systemd.io, Users, Groups, UIDs and GIDs).
ROOTS_AGENT_ID = 61000
_PROBE_TIMEOUT_S = 20.0
_PROXY_SOCKET, _LAYERS, _FILES = "proxy.sock", "layers", "files.tar"
_MEMORY_FOLDERS = ("/tmp", HOME)  # noqa: S108 - inside the sandbox
_WHOLE: dict[str, Any] = {"timeout_s": 120.0, "max_output_bytes": 1 << 40}
_NOTES = {
    "memory_mib": "bubblewrap sets no control groups; use docker, or name it in the option relaxed",
    "cpus": "bubblewrap sets no control groups; use docker, or name it in the option relaxed",
    "internal": "its network namespaces are joined to nothing; use docker for groups of peers",
    "images": "it runs the programs of the host, or of a folder that an image was exported to",
    "in_place_reset": "making a new sandbox takes about as long as cleaning one",
}


@dataclass(frozen=True)
class _Host:
    """What all sandboxes of this process share.

    Attributes:
        owner: Whose they are.
        user: Who their processes are on the host.
        program: Bubblewrap, and what gives up the rights of root before it.
        folder: Of the owner's, for what they share and for snapshots.
        shared: Files that they see.
        layers: Pristine work folders; None where this user may not mount them.
    """

    owner: Owner
    user: int
    program: tuple[str, ...]
    folder: Path
    shared: SharedFiles
    layers: LayerStore | None


class BubblewrapProvider(SandboxProvider):
    """Starts sandboxes under bubblewrap.

    Args:
        root: Folder whose programs they run: the host's root, or one that an image was exported to.
        state: Folder for work folders and sockets; None for `owner.state_folder()`.
    """

    name = "bubblewrap"

    def __init__(self, root: Path = Path("/"), *, state: Path | None = None) -> None:
        self._root, self._state = root, state
        self._lock = threading.Lock()
        self._hosts: dict[int, _Host] = {}
        self._capabilities: Capabilities | None = None

    def capabilities(self) -> Capabilities:
        """What it can do and enforce here; see `SandboxProvider.capabilities`."""
        if self._capabilities is None:
            _probe()
            limits, notes = {"work_mib", "tmp_mib"}, dict(_NOTES)
            if _counts_processes_by_namespace():
                limits.add("pids")
            else:
                notes["pids"] = "needs Linux 5.14 or later, which counts processes for each user namespace"
            networks = frozenset({"none", "allowlist"})
            self._capabilities = Capabilities(frozenset(limits), networks, False, True, False, True, notes)
        return self._capabilities

    def check(self, spec: SandboxSpec) -> None:
        """Refuse what cannot be enforced; see `SandboxProvider.check`."""
        super().check(spec)
        if spec.user != "agent":
            raise UnsupportedSpecError(f"sandbox provider 'bubblewrap' knows the user 'agent' alone: got {spec.user!r}")
        user = _user()
        _let_pass(self._state or state_folder(), user)  # mounts may lie below it
        for mount in spec.mounts:
            why = why_unreachable(Path(mount.source), user, user) if os.path.exists(mount.source) else "it is missing"
            if why:
                raise UnsupportedSpecError(f"sandbox provider 'bubblewrap' cannot mount {mount.source}: {why}")

    def start(self, spec: SandboxSpec) -> BubblewrapSandbox:
        """A fresh sandbox; see `SandboxProvider.start`."""
        self.check(spec)
        return BubblewrapSandbox(self._host(), spec)

    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove the folders of owners that have ended; their processes ended with them."""
        return [left.name for left in sweep(None, state=self._state, dry_run=dry_run).leftovers if not left.error]

    def discard(self, snapshot: Snapshot) -> None:
        """Remove a snapshot before this process ends; sandboxes that were started from it must be closed."""
        remove_tree(snapshot.path)

    def _host(self) -> _Host:
        with self._lock:
            if os.getpid() not in self._hosts:
                self._hosts = {os.getpid(): _make_host(self._root, this_owner(self._state))}
            return self._hosts[os.getpid()]


class BubblewrapSandbox(RunnerSandbox):
    """A sandbox under bubblewrap, running from construction to `close`.

    Args:
        host: What it shares with others.
        spec: What it must be.
        snapshot: Where its files start; None for the pristine ones.
    """

    def __init__(self, host: _Host, spec: SandboxSpec, snapshot: Snapshot | None = None) -> None:
        sandbox_id = f"agentgym-{os.urandom(6).hex()}"
        self._host = host
        self._closing = threading.RLock()
        self._process: BubblewrapProcess | None = None
        self._proxy: EgressProxy | None = None
        self._workspace: Workspace | None = None
        self._own_snapshot: SharedSnapshot | None = None
        try:
            self._folder = host.owner.new_folder(sandbox_id)
            with ExitStack() as undo:
                undo.callback(self._take_down)
                self._make_workspace(spec, snapshot)
                self._process = self._launch(sandbox_id, spec)
                super().__init__(sandbox_id, spec, self._process.control)
                self._make_ready(snapshot)
                undo.pop_all()
        except OSError as error:
            if isinstance(error, AgentGymError):
                raise
            raise SandboxStartError(f"sandbox {sandbox_id} could not be started: {error}") from error

    @contextmanager
    def standing_still(self) -> Iterator[WorkView | None]:
        """The work folder on the host, while nothing moves; see `Sandbox.standing_still`."""
        with self._closing:
            if self._workspace is None or self._process is None:
                yield None
                return
            with self._process.stopped():
                yield WorkView(self._workspace.work, self._workspace.upper)

    def snapshot(self) -> Snapshot:
        """Keep the present file state until this process ends, the home and temporary folders included."""
        made = self._copied()
        if self._own_snapshot is not None:
            self._own_snapshot.enter()  # and never leave: the new one stands on it
        return made

    def _copied(self) -> Snapshot:
        snapshot_id = os.urandom(6).hex()
        folder = self._host.folder / f"snapshot-{snapshot_id}"
        snapshot = Snapshot(snapshot_id, self.spec, folder)
        folder.mkdir(mode=0o700)
        try:
            with self._closing:
                layers: tuple[Path, ...] = ()
                if self._workspace is not None and self._process is not None:
                    with self._process.stopped():
                        layers = self._workspace.copy_changes(folder / "layer")
                (folder / _LAYERS).write_text("\n".join(map(str, layers)))
                (folder / _FILES).write_bytes(self._pack())
        except OSError as error:
            remove_tree(folder)
            raise SandboxError(f"the files of sandbox {self.id} could not be copied: {error}") from error
        except BaseException:
            remove_tree(folder)
            raise
        return snapshot

    def reset(self, to: Snapshot | None = None) -> ResetReport:
        """Create it again in the same place; see `Sandbox.reset`."""
        started = time.monotonic()
        with self._closing:
            if self._process is None or self.control.is_parents:
                raise SandboxLostError(f"sandbox {self.id} is closed")
            try:
                self.streams.end()
                self._end()
                if self._workspace is not None:
                    self._workspace.reset(self._layers(self.spec, to))
                self._process = self._launch(self.id, self.spec)
                self.attach(self._process.control)
                self._make_ready(to)
                self._drop_own_snapshot()
            except BaseException as error:
                self._take_down()
                if isinstance(error, OSError) and not isinstance(error, SandboxError):
                    raise SandboxDirtyError(f"sandbox {self.id} was closed: its reset failed: {error}") from error
                raise
        return ResetReport("recreate", time.monotonic() - started, _NOTES["in_place_reset"])

    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the present file state; see `Sandbox.fork`."""
        shared = SharedSnapshot(self._copied(), self._own_snapshot).enter()
        made: list[BubblewrapSandbox] = []
        try:
            for _ in range(count):
                made.append(BubblewrapSandbox(self._host, self.spec, shared.snapshot))
                made[-1]._own_snapshot = shared.enter()
        except BaseException:
            for sandbox in made:
                sandbox.close()
            raise
        finally:
            shared.leave()
        return list(made)

    def close(self) -> None:
        """End it and remove everything of it; see `Sandbox.close`. In a forked child it does nothing."""
        if self.control.is_parents:
            return
        self.control.close()  # before the lock: what runs lets go of it
        with self._closing:
            self.streams.end()
            self._take_down()

    def endpoint_folder(self) -> Path:
        """A private folder of the host for the sockets of endpoints."""
        folder = self._folder / "endpoints"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    # How it comes and goes.

    def _make_workspace(self, spec: SandboxSpec, snapshot: Snapshot | None) -> None:
        if self._host.layers is None:
            return
        user = self._host.user
        try:
            self._workspace = Workspace(self._folder, size_mib=spec.limits.work_mib, uid=user, gid=user)
            self._workspace.mount(self._layers(spec, snapshot))
        except OSError as error:
            raise SandboxStartError(f"the work folder of a sandbox could not be mounted: {error}") from error

    def _layers(self, spec: SandboxSpec, snapshot: Snapshot | None) -> Sequence[Path]:
        if snapshot is not None:
            return [Path(line) for line in (snapshot.path / _LAYERS).read_text().splitlines()]
        assert self._host.layers is not None
        return [self._host.layers.layer(spec.work, self._host.user, self._host.user)]

    def _launch(self, name: str, spec: SandboxSpec) -> BubblewrapProcess:
        sockets = self._folder / "sockets"
        sockets.mkdir(mode=0o755)
        sockets.chmod(0o755)
        self._proxy = EgressProxy(sockets / _PROXY_SOCKET, spec.network.allow) if spec.network.allow else None
        work = None if self._workspace is None else self._workspace.work
        command = [RUNNER, "--init", "--work", DEFAULT_WORK_DIR]
        if spec.limits.pids is not None:
            command += ["--processes", str(spec.limits.pids)]
        return BubblewrapProcess(
            name, self._host.program, arguments(spec, self._host.shared, sockets, work), command, sockets
        )

    def _make_ready(self, snapshot: Snapshot | None) -> None:
        if self._proxy is not None:
            self.streams.relay(listen_port=PROXY_PORT, path=f"{SOCKETS}/{_PROXY_SOCKET}")
        if snapshot is not None:
            self._unpack((snapshot.path / _FILES).read_bytes())
        elif self._workspace is None and self.spec.work:
            self._unpack(packed_folder(Path(self.spec.work), DEFAULT_WORK_DIR))
        self.start_command()

    def _pack(self) -> bytes:
        """What lies in memory file systems, as an archive that is opened in sandboxes alone."""
        folders = list(_MEMORY_FOLDERS) + ([] if self._workspace is not None else [DEFAULT_WORK_DIR])
        names = [folder.lstrip("/") for folder in folders]
        packed = self.exec(["/usr/bin/tar", "-C", "/", "-cf", "-", "--", *names], **_WHOLE)
        if packed.exit_code > 1 or packed.timed_out:  # 1: a file changed meanwhile
            raise SandboxError(f"the files of sandbox {self.id} could not be packed: {packed.stderr[-500:]!r}")
        return packed.stdout

    def _unpack(self, archive: bytes) -> None:
        unpacked = self.exec(["/usr/bin/tar", "-C", "/", "-xpf", "-", "--overwrite-dir"], stdin=archive, **_WHOLE)
        if not unpacked.is_ok:
            raise SandboxError(f"the files of sandbox {self.id} could not be restored: {unpacked.stderr[-500:]!r}")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
        if self._proxy is not None:
            self._proxy.close()
            self._proxy = None
        for name in ("sockets", "endpoints"):
            shutil.rmtree(self._folder / name, ignore_errors=True)

    def _take_down(self) -> None:
        try:
            self._end()
        finally:
            if self._workspace is not None:
                self._workspace.close()
            remove_tree(self._folder)
            self._drop_own_snapshot()

    def _drop_own_snapshot(self) -> None:
        shared, self._own_snapshot = self._own_snapshot, None
        if shared is not None:
            shared.leave()


def _make_host(root: Path, owner: Owner) -> _Host:
    user = _user()
    bubblewrap = _find("bwrap", "bubblewrap")
    program = (*without_rights(), bubblewrap)
    _let_pass(owner.state, user)
    folder = owner.folder / f"bubblewrap-{os.urandom(4).hex()}"
    shared = make_shared(folder, root, runner_binary())
    why = why_unreachable(shared.etc, user, user)
    if why:
        raise SandboxStartError(f"{why}; name another folder for the state of sandboxes in AGENTGYM_STATE_DIR")
    return _Host(owner, user, program, folder, shared, LayerStore(folder / "layers") if os.geteuid() == 0 else None)


def _let_pass(state: Path, user: int) -> None:
    """Let the user of root's sandboxes pass through the state folder, and see nothing in it."""
    if os.geteuid() == 0 and state.is_dir():
        os.chown(state, 0, user)
        state.chmod(0o710)


def _user() -> int:
    return ROOTS_AGENT_ID if os.geteuid() == 0 else os.geteuid()


def _find(program: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise SandboxStartError(f"{program} is not on PATH; install it with 'apt-get install {package}'")
    return path


def without_rights() -> list[str]:
    """What root runs before a command to start it as the user that sandboxes run as; nothing for anybody else.

    Raises:
        SandboxStartError: The program for it is missing.
    """
    if os.geteuid() != 0:
        return []
    user = str(ROOTS_AGENT_ID)
    return [_find("setpriv", "util-linux"), "--reuid", user, "--regid", user, "--clear-groups"]


def trial_command() -> list[str]:
    """A command that starts a program as sandboxes are started, and ends well where they can be.

    Raises:
        SandboxStartError: A program that it takes is missing.
    """
    bubblewrap = _find("bwrap", "bubblewrap")
    # Not all of /: what others mount and unmount meanwhile below it makes bubblewrap fail.
    places = [*programs(Path("/")), "--proc", "/proc", "--dev", "/dev"]
    return [*without_rights(), bubblewrap, *ISOLATION, *places, "--", "/usr/bin/true"]


def _probe() -> None:
    """Try whether sandboxes can be started.

    Raises:
        SandboxStartError: This machine does not let them; says what it said.
    """
    try:
        tried = subprocess.run(  # noqa: S603 - our own program and arguments
            trial_command(), capture_output=True, text=True, timeout=_PROBE_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxStartError(f"bubblewrap cannot be tried here: {error}") from error
    if tried.returncode != 0:
        raise SandboxStartError(
            f"bubblewrap cannot make a sandbox here: {tried.stderr.strip()}; it needs version 0.8 or later, and user "
            "namespaces for users without rights: sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, "
            "kernel.apparmor_restrict_unprivileged_userns; agentgym doctor says more"
        )


def _counts_processes_by_namespace() -> bool:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) >= (5, 14)
