"""One sandbox in a container: how it comes back, and how it is copied.

What goes through its runner is `RunnerSandbox`'s; the container itself is `docker_container`'s.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from agentgym.errors import SandboxDirtyError, SandboxError, SandboxStartError
from agentgym.leasing.canary import leftovers
from agentgym.sandbox.base import ResetReport, Sandbox, Snapshot, WorkView
from agentgym.sandbox.engines.docker_container import PROXY_SOCKET, DockerContainer, DockerHost
from agentgym.sandbox.engines.docker_options import CONTROL_DIR, PROXY_PORT
from agentgym.sandbox.engines.shared_snapshot import SharedSnapshot
from agentgym.sandbox.leasing.tree_copy import TreeCopy
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.runner.channel import LOSS_WAIT_MS
from agentgym.sandbox.runner.sandbox import RunnerSandbox
from agentgym.sandbox.spec import SandboxSpec

_QUEUES = "/dev/mqueue"
_FORK_THREADS = 8
_EXIT_WAIT_S = 0.1
_PRISTINE = {"processes": "0", "leftovers": "0", "ipc": "0"}


class DockerSandbox(RunnerSandbox):
    """A container with a runner, running from construction to `close`.

    Args:
        host: What it shares with others.
        spec: What it must be.
        snapshot: Where its files start; None for the pristine ones.

    Raises:
        SandboxStartError: The engine failed, or the image is missing; nothing is left.
        SandboxLostError: It was killed before it was ready; nothing is left.
    """

    def __init__(self, host: DockerHost, spec: SandboxSpec, snapshot: Snapshot | None = None) -> None:
        container = _contained(host, spec, snapshot)
        super().__init__(container.name, spec, container.control)
        self._host, self._container = host, container
        self._closing = threading.Lock()
        self._own_snapshot: SharedSnapshot | None = None
        self._folders = [*container.memory_folders, _QUEUES]
        self._kept: list[_KeptFolder] = []
        with ExitStack() as undo:
            undo.callback(self.close)
            self._get_ready(snapshot)
            undo.pop_all()

    def _get_ready(self, snapshot: Snapshot | None) -> None:
        self._num_oom_kills = self._container.cgroup.num_oom_kills()
        try:
            self._mounts = self._container.mounts()[1]
            if not self._why_not_in_place():
                self._kept = [_KeptFolder.of(self._container.inside(folder)) for folder in self._folders]
        except OSError as error:
            if self.control.is_lost(LOSS_WAIT_MS):
                raise self.control.loss(f"sandbox {self.id} is gone") from error
            raise
        self._begin(snapshot)

    def _begin(self, snapshot: Snapshot | None) -> None:
        """From a clean container to one that may be used."""
        if snapshot is not None:
            self._restore(snapshot)
        elif self.spec.work and self._container.workspace is None:
            self.upload(Path(self.spec.work), ".")
        if self.spec.network.allow:
            self.streams.relay(listen_port=PROXY_PORT, path=f"{CONTROL_DIR}/{PROXY_SOCKET}")
        self.start_command()

    def endpoint_folder(self) -> Path:
        """Where sockets of endpoints lie."""
        folder = self._container.folder / "endpoints"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def oom_killed(self) -> bool | None:
        """Whether the kernel has killed a process of it for memory since this was last asked."""
        before, self._num_oom_kills = self._num_oom_kills, self._container.cgroup.num_oom_kills()
        return None if before is None or self._num_oom_kills is None else self._num_oom_kills > before

    # Coming back.

    def reset(self, to: Snapshot | None = None) -> ResetReport:
        """Back to the pristine state or a snapshot; see `Sandbox.reset`."""
        began = time.perf_counter()
        why = self._why_not_in_place()
        if why:
            self._recreate(to)
        else:
            self._reset_in_place(to)
            self._begin(to)
        return ResetReport("recreate" if why else "in_place", time.perf_counter() - began, why)

    def _why_not_in_place(self) -> str:
        if self._container.workspace is None:
            return self._host.obstacle or "its work folder is the image's"
        if self.spec.writable_root:
            return "the image's own files may have been changed (writable_root)"
        if self._container.image.volumes:
            return f"its image declares volumes ({', '.join(self._container.image.volumes)})"
        if self._container.user.uid == 0:
            return "root inside may have changed more than the work and temporary folders"
        return ""

    def _reset_in_place(self, to: Snapshot | None) -> None:
        workspace = self._container.workspace
        assert workspace is not None
        self.streams.end()
        self.clear(self._folders)
        try:
            for folder in self._kept:
                folder.put_back()
            workspace.reset(self._container.pristine_layers() if to is None else snapshot_layers(to))
            seen, others = self._container.mounts()
        except OSError as error:
            self._refuse(f"its folders could not be put back ({error})", error)
        if seen != [workspace.device]:
            self._refuse("it does not see its new work folder")
        if others != self._mounts:
            self._refuse("its mounts changed")
        left = leftovers(partial(self.status, self._folders), _PRISTINE, patience_s=_EXIT_WAIT_S)
        if left:
            self._refuse(f"something survived: {', '.join(f'{name} {number}' for name, number in left.items())}")
        self._num_oom_kills = self._container.cgroup.num_oom_kills()
        if self._container.proxy is not None:
            self._container.proxy.start_over()
        self._drop_own_snapshot()

    def _refuse(self, why: str, cause: BaseException | None = None) -> NoReturn:
        self.close()
        raise SandboxDirtyError(f"sandbox {self.id} did not come back clean and was closed: {why}") from cause

    def _recreate(self, to: Snapshot | None) -> None:
        if self.is_lost():
            raise self.control.loss(f"sandbox {self.id} is gone")
        self.close()
        container = _contained(self._host, self.spec, to)
        with self._closing:
            self._container, self.id = container, container.name
            self.attach(container.control)
        self._get_ready(to)

    # Copies.

    @contextmanager
    def standing_still(self) -> Iterator[WorkView | None]:
        """The work folder on the host, while nothing moves; see `Sandbox.standing_still`."""
        container = self._container
        if container.workspace is None:
            yield None
            return
        container.freeze()
        try:
            yield WorkView(container.workspace.work, container.workspace.upper)
        finally:
            container.thaw()

    def snapshot(self) -> Snapshot:
        """Keep the present file state until this process ends; see `Sandbox.snapshot`."""
        made = self._copied()
        if self._own_snapshot is not None:
            self._own_snapshot.enter()  # and never leave: the new one stands on it
        return made

    def _copied(self) -> Snapshot:
        container, workspace = self._container, self._container.workspace
        if workspace is None or self.spec.writable_root or container.image.volumes:
            why = self._why_not_in_place()
            raise SandboxError(f"sandbox {self.id} cannot be snapshotted: {why}")
        snapshot_id = f"snapshot-{os.urandom(6).hex()}"
        path = self._host.owner.folder / "snapshots" / snapshot_id
        path.mkdir(parents=True, mode=0o700)
        try:
            container.freeze()
            try:
                layers = workspace.copy_changes(path / "work")
                for number, folder in enumerate(container.memory_folders):
                    TreeCopy().copy(container.inside(folder), path / f"memory{number}")
            finally:
                container.thaw()
            (path / "layers.json").write_text(json.dumps([str(layer) for layer in layers]))
        except (OSError, SandboxError) as error:
            remove_tree(path)
            if self.is_lost():
                raise self.control.loss(f"sandbox {self.id} is gone") from error
            raise SandboxError(f"the state of sandbox {self.id} could not be copied: {error}") from error
        return Snapshot(snapshot_id, self.spec, path)

    def _restore(self, snapshot: Snapshot) -> None:
        for number, folder in enumerate(self._container.memory_folders):
            TreeCopy().copy(snapshot.path / f"memory{number}", self._container.inside(folder))

    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the present file state; see `Sandbox.fork`."""
        shared = SharedSnapshot(self._copied(), self._own_snapshot).enter()
        try:
            with ThreadPoolExecutor(min(count, _FORK_THREADS)) as executor:
                starts = [executor.submit(DockerSandbox, self._host, self.spec, shared.snapshot) for _ in range(count)]
            made = [start.result() for start in starts if start.exception() is None]
            for sandbox in made:
                sandbox._own_snapshot = shared.enter()
            failures = [start.exception() for start in starts if start.exception() is not None]
            if failures and failures[0] is not None:
                for sandbox in made:
                    sandbox.close()
                raise failures[0]
            return list(made)
        finally:
            shared.leave()

    def _drop_own_snapshot(self) -> None:
        shared, self._own_snapshot = self._own_snapshot, None
        if shared is not None:
            shared.leave()

    def close(self) -> None:
        """End it and remove everything of it; twice is harmless, and in a forked child it does nothing."""
        if self.control.is_parents:
            return
        with self._closing:
            self.control.close()
            self.streams.end()
            self._container.close()
            self._drop_own_snapshot()


@dataclass(frozen=True)
class _KeptFolder:
    """A folder that a reset in place empties and keeps, as it was when the container was new."""

    path: Path
    found: os.stat_result
    attributes: frozenset[str]

    @classmethod
    def of(cls, path: Path) -> _KeptFolder:
        return cls(path, os.stat(path), frozenset(os.listxattr(path)))

    def put_back(self) -> None:
        """Whose it is, who may use it, its times and its attributes.

        Raises:
            OSError: It is another folder by now, or cannot be changed.
        """
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not os.path.samestat(os.fstat(folder), self.found):
                raise OSError(errno.ESTALE, "the container's folder is another one", str(self.path))
            for name in set(os.listxattr(folder)) - self.attributes:
                os.removexattr(folder, name)
            os.chown(folder, self.found.st_uid, self.found.st_gid)
            os.chmod(folder, stat.S_IMODE(self.found.st_mode))
            os.utime(folder)
        finally:
            os.close(folder)


def snapshot_layers(snapshot: Snapshot) -> Sequence[Path]:
    """The layers of a snapshot's work folder, the topmost first."""
    return [Path(layer) for layer in json.loads((snapshot.path / "layers.json").read_text())]


def _contained(host: DockerHost, spec: SandboxSpec, snapshot: Snapshot | None) -> DockerContainer:
    layers = None if snapshot is None else snapshot_layers(snapshot)
    container = DockerContainer(host, spec, layers)
    with ExitStack() as undo:
        undo.callback(container.close)
        try:
            sees_work_folder = container.sees_work_folder()
        except OSError as error:
            raise container.control.loss(f"sandbox {container.name} is gone") from error
        if sees_work_folder:
            undo.pop_all()
            return container
        if container.control.is_lost(LOSS_WAIT_MS):  # of a process that is ending, the kernel tells no mounts
            raise container.control.loss(f"sandbox {container.name} is gone")
    raise SandboxStartError(
        "the engine's containers do not see what this process mounts: it runs in another mount namespace; "
        "run this process beside the engine, or without root, where work folders are in memory"
    )
