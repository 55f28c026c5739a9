"""Sandboxes in containers of an engine: Docker, or Podman through its Docker-compatible socket.

The engine makes, starts and removes them; commands, files and resets in place never go through it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from agentgym.errors import (
    SandboxDirtyError,
    SandboxError,
    SandboxLostError,
    SandboxStartError,
    UnsupportedSpecError,
)
from agentgym.sandbox.base import Capabilities, ResetReport, Sandbox, SandboxProvider, Snapshot
from agentgym.sandbox.docker_container import DockerContainer, DockerHost
from agentgym.sandbox.docker_image import ImageShelf
from agentgym.sandbox.docker_network import GroupNetworks
from agentgym.sandbox.engine import connect_engine
from agentgym.sandbox.mounts import share_mounts
from agentgym.sandbox.owner import Owner, this_owner
from agentgym.sandbox.runner_sandbox import RunnerSandbox
from agentgym.sandbox.spec import SandboxSpec
from agentgym.sandbox.sweeper import sweep
from agentgym.sandbox.tree_copy import TreeCopy
from agentgym.sandbox.workspace import LayerStore, Workspace, remove_tree

_QUEUES = "/dev/mqueue"
_FORK_THREADS = 8
_EXIT_WAIT_S = 0.1
_LIMIT_SUPPORT = {"cpus": "CpuCfsQuota", "memory_mib": "MemoryLimit", "pids": "PidsLimit"}


class DockerProvider(SandboxProvider):
    """Sandboxes as hardened containers.

    Args:
        address: The engine's, such as "unix:///var/run/docker.sock"; None for DOCKER_HOST or the default socket.
        state: Folder for work folders and sockets; None for `owner.state_folder()`.
    """

    name = "docker"

    def __init__(self, address: str | None = None, *, state: Path | None = None) -> None:
        self._address, self._state = address, state
        self._starting = threading.Lock()

    @property
    def owner(self) -> Owner:
        """This process, to which the sandboxes belong."""
        return self.host.owner

    @cached_property
    def host(self) -> DockerHost:
        """The engine and what its sandboxes share.

        Raises:
            SandboxStartError: No engine answers.
        """
        client = connect_engine(self._address)
        owner = this_owner(self._state)
        layers = None if self._overlay_obstacle else LayerStore(owner.folder / "layers")
        images = ImageShelf(client, owner.labels())
        return DockerHost(client, owner, images, GroupNetworks(client, owner), layers)

    @cached_property
    def _overlay_obstacle(self) -> str:
        """Why work folders cannot be overlays mounted by this process; "" where they can."""
        if os.geteuid() != 0:
            return "mounting the work folder needs root on the engine's host; run as root"
        owner = this_owner(self._state)
        trial = owner.new_folder(f"trial-{os.urandom(4).hex()}")
        try:
            share_mounts(owner.state)
            workspace = Workspace(trial, size_mib=1, uid=0, gid=0)
            workspace.mount([LayerStore(owner.folder / "layers").layer("", 0, 0)])
            workspace.close()
        except OSError as error:
            return f"this process may not mount an overlay here ({error}); run it with CAP_SYS_ADMIN"
        finally:
            remove_tree(trial)
        return ""

    def capabilities(self) -> Capabilities:
        """What it can do and enforce here; see `Capabilities`."""
        return self._capabilities

    @cached_property
    def _capabilities(self) -> Capabilities:
        host = self.host
        info = host.client.info()
        limits = {name for name, key in _LIMIT_SUPPORT.items() if info.get(key)} | {"work_mib", "tmp_mib"}
        notes = {name: f"the engine has no control group for it ({key})" for name, key in _LIMIT_SUPPORT.items()}
        notes = {name: why for name, why in notes.items() if name not in limits}
        if self._overlay_obstacle:
            notes |= dict.fromkeys(("in_place_reset", "snapshots"), self._overlay_obstacle)
        return Capabilities(
            limits=frozenset(limits | {"output_bytes", "exec_s", "wall_s"}),
            networks=frozenset({"none", "internal", "allowlist"}),
            images=True,
            isolates=True,
            in_place_reset=not self._overlay_obstacle,
            snapshots=not self._overlay_obstacle,
            notes=notes,
        )

    def check(self, spec: SandboxSpec) -> None:
        """Refuse a spec that asks for more than the engine enforces; see `SandboxProvider.check`."""
        super().check(spec)
        if spec.writable_root and spec.limits.work_mib is not None:
            raise UnsupportedSpecError(
                "sandbox provider 'docker' cannot limit how much is written to the image's own files, which "
                'writable_root=True allows; say that it may go unenforced: spec.relaxed("work_mib")'
            )

    def start(self, spec: SandboxSpec) -> DockerSandbox:
        """A fresh sandbox; see `SandboxProvider.start`."""
        self.check(spec)
        return self.start_from(spec, None)

    def start_from(self, spec: SandboxSpec, snapshot: Snapshot | None) -> DockerSandbox:
        """A sandbox in the pristine state, or in that of a snapshot.

        Raises:
            SandboxStartError: The engine failed, or the image is missing.
        """
        container = self._contained(spec, snapshot)
        try:
            return DockerSandbox(self, container, snapshot)
        except BaseException:
            container.close()
            raise

    def _contained(self, spec: SandboxSpec, snapshot: Snapshot | None) -> DockerContainer:
        layers = None if snapshot is None else snapshot_layers(snapshot)
        container = DockerContainer(self.host, spec, layers)
        if container.sees_work_folder():
            return container
        container.close()
        raise SandboxStartError(
            "the engine's containers do not see what this process mounts: it runs in another mount namespace; "
            "run this process beside the engine, or without root, where work folders are in memory"
        )

    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove what dead owners left; see `SandboxProvider.sweep`."""
        report = sweep(self.host.client, state=self.owner.state, dry_run=dry_run)
        return [leftover.name for leftover in report.leftovers]

    def close(self) -> None:
        """Close the connections to the engine; sandboxes stay as they are, and a later call connects again."""
        host = self.__dict__.pop("host", None)
        if host is not None:
            host.client.close()

    def discard(self, snapshot: Snapshot) -> None:
        """Remove a snapshot before this process ends; sandboxes that were started from it must be closed."""
        remove_tree(snapshot.path)


class DockerSandbox(RunnerSandbox):
    """A container with a runner. Made by `DockerProvider.start`."""

    def __init__(self, provider: DockerProvider, container: DockerContainer, snapshot: Snapshot | None) -> None:
        super().__init__(container.name, container.spec, container.control)
        self._provider, self._container = provider, container
        self._closing = threading.Lock()
        self._own_snapshot: _SharedSnapshot | None = None
        self._num_oom_kills = container.cgroup.num_oom_kills()
        self._folders = [*container.memory_folders, _QUEUES]
        self._fresh = self.status(self._folders)
        self._begin(snapshot)

    def _begin(self, snapshot: Snapshot | None) -> None:
        """From a clean container to one that may be used."""
        if snapshot is not None:
            self._restore(snapshot)
        elif self.spec.work and self._container.workspace is None:
            self.upload(Path(self.spec.work), ".")
        if self.spec.network.allow:
            self._relay()
        self.start_command()

    def _relay(self) -> None:
        raise NotImplementedError

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
            return self._provider.capabilities().notes.get("in_place_reset", "its work folder is the image's")
        if self.spec.writable_root:
            return "the image's own files may have been changed (writable_root)"
        if self._container.user.uid == 0:
            return "root inside may have changed more than the work and temporary folders"
        return ""

    def _reset_in_place(self, to: Snapshot | None) -> None:
        workspace = self._container.workspace
        assert workspace is not None
        self.clear(self._folders)
        try:
            workspace.reset(self._container.pristine_layers() if to is None else snapshot_layers(to))
            is_seen = self._container.sees_work_folder()
        except OSError as error:
            self._refuse(f"its work folder could not be put back ({error})", error)
        if not is_seen:
            self._refuse("it does not see its new work folder")
        deadline = time.monotonic() + _EXIT_WAIT_S
        while (status := self.status(self._folders)) != self._fresh:  # what cleared may still be on its way out
            if time.monotonic() > deadline:
                changed = [f"{key} {value}" for key, value in status.items() if value != self._fresh.get(key)]
                self._refuse(f"something survived: {', '.join(changed)}")
        self._drop_own_snapshot()

    def _refuse(self, why: str, cause: BaseException | None = None) -> None:
        self.close()
        raise SandboxDirtyError(f"sandbox {self.id} did not come back clean and was closed: {why}") from cause

    def _recreate(self, to: Snapshot | None) -> None:
        self.close()
        container = self._provider._contained(self.spec, to)
        self._container, self.id = container, container.name
        self.attach(container.control)
        self._num_oom_kills = container.cgroup.num_oom_kills()
        self._fresh = self.status(self._folders)

    # Copies.

    def snapshot(self) -> Snapshot:
        """Keep the present file state until this process ends; see `Sandbox.snapshot`."""
        made = self._copied()
        if self._own_snapshot is not None:
            self._own_snapshot.enter()  # and never leave: the new one stands on it
        return made

    def _copied(self) -> Snapshot:
        container, workspace = self._container, self._container.workspace
        if workspace is None or self.spec.writable_root:
            why = self._why_not_in_place() or "the image's own files may have been changed (writable_root)"
            raise SandboxError(f"sandbox {self.id} cannot be snapshotted: {why}")
        snapshot_id = f"snapshot-{os.urandom(6).hex()}"
        path = self._provider.owner.folder / "snapshots" / snapshot_id
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
                raise SandboxLostError(f"sandbox {self.id} is gone{self.control.reason()}") from error
            raise SandboxError(f"the state of sandbox {self.id} could not be copied: {error}") from error
        return Snapshot(snapshot_id, self.spec, path)

    def _restore(self, snapshot: Snapshot) -> None:
        for number, folder in enumerate(self._container.memory_folders):
            TreeCopy().copy(snapshot.path / f"memory{number}", self._container.inside(folder))

    def fork(self, count: int = 1) -> list[Sandbox]:
        """New sandboxes with a copy of the present file state; see `Sandbox.fork`."""
        shared = _SharedSnapshot(self._copied(), self._own_snapshot)
        with ThreadPoolExecutor(min(count, _FORK_THREADS)) as executor:
            starts = [executor.submit(self._provider.start_from, self.spec, shared.snapshot) for _ in range(count)]
        made = [start.result() for start in starts if start.exception() is None]
        for sandbox in made:
            sandbox._own_snapshot = shared.enter()
        failures = [start.exception() for start in starts if start.exception() is not None]
        if failures and failures[0] is not None:
            for sandbox in made:
                sandbox.close()
            shared.remove_unused()
            raise failures[0]
        return list(made)

    def _drop_own_snapshot(self) -> None:
        shared, self._own_snapshot = self._own_snapshot, None
        if shared is not None:
            shared.leave()

    def close(self) -> None:
        """End it and remove everything of it; twice is harmless."""
        with self._closing:
            self._container.close()
            self._drop_own_snapshot()


class _SharedSnapshot:
    """A snapshot that goes with the last of the sandboxes that stand on it: forks, and forks of those.

    Args:
        snapshot: Nobody else's.
        below: What it stands on itself.
    """

    def __init__(self, snapshot: Snapshot, below: _SharedSnapshot | None) -> None:
        self.snapshot = snapshot
        self._below = below.enter() if below is not None else None
        self._num_users = 0
        self._lock = threading.Lock()

    def enter(self) -> _SharedSnapshot:
        with self._lock:
            self._num_users += 1
        return self

    def leave(self) -> None:
        with self._lock:
            self._num_users -= 1
        self.remove_unused()

    def remove_unused(self) -> None:
        with self._lock:
            if self._num_users > 0:
                return
        remove_tree(self.snapshot.path)
        if self._below is not None:
            self._below.leave()


def snapshot_layers(snapshot: Snapshot) -> Sequence[Path]:
    """The layers of a snapshot's work folder, the topmost first."""
    return [Path(layer) for layer in json.loads((snapshot.path / "layers.json").read_text())]
