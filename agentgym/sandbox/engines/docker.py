"""Sandboxes in containers of an engine: Docker, or Podman through its Docker-compatible socket.

The engine makes, starts and removes them; commands, files and resets in place never go through it. One sandbox is in
`docker_sandbox`.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property
from pathlib import Path

from agentgym.errors import UnsupportedSpecError
from agentgym.sandbox.base import Capabilities, SandboxProvider, Snapshot
from agentgym.sandbox.engines.docker_container import DockerHost
from agentgym.sandbox.engines.docker_image import ImageShelf
from agentgym.sandbox.engines.docker_network import GroupNetworks
from agentgym.sandbox.engines.docker_removal import ContainerRemoval
from agentgym.sandbox.engines.docker_sandbox import DockerSandbox
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.leasing.mounts import share_mounts
from agentgym.sandbox.leasing.owner import Owner, this_owner
from agentgym.sandbox.leasing.sweeper import sweep
from agentgym.sandbox.leasing.workspace import LayerStore, Workspace, remove_tree
from agentgym.sandbox.spec import SandboxSpec, how_to_relax

_LIMIT_SUPPORT = {"cpus": "CpuCfsQuota", "memory_mib": "MemoryLimit", "pids": "PidsLimit"}


class DockerProvider(SandboxProvider):
    """Sandboxes as hardened containers.

    Args:
        address: The engine's, such as "unix:///var/run/docker.sock"; None for DOCKER_HOST or the default socket.
        state: Folder for work folders and sockets; None for `owner.state_folder()`.

    Attributes:
        address: As given.
    """

    name = "docker"

    def __init__(self, address: str | None = None, *, state: Path | None = None) -> None:
        self.address, self._state = address, state
        self._connecting = threading.RLock()
        self._hosts: dict[int, DockerHost] = {}

    @property
    def owner(self) -> Owner:
        """This process, to which the sandboxes belong."""
        return self.host.owner

    @property
    def host(self) -> DockerHost:
        """The engine and what the sandboxes of this process share; a forked child has its own.

        Raises:
            SandboxStartError: No engine answers.
        """
        with self._connecting:
            if os.getpid() not in self._hosts:
                self._hosts = {os.getpid(): self._connect()}
            return self._hosts[os.getpid()]

    def _connect(self) -> DockerHost:
        client = connect_engine(self.address)
        owner = this_owner(self._state)
        layers = None if self._overlay_obstacle else LayerStore(owner.folder / "layers")
        images = ImageShelf(client, owner.labels())
        networks = GroupNetworks(client, owner)
        parts = client.version().get("Components") or []
        is_podman = any("Podman" in part.get("Name", "") for part in parts)
        removal = ContainerRemoval(client)
        return DockerHost(client, owner, images, networks, layers, self._overlay_obstacle, removal, is_podman)

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
        networks = {"none", "internal", "allowlist"}
        if host.is_podman:
            networks.remove("internal")
            notes["internal"] = "Podman's networks of peers reach the host as well; use Docker"
        return Capabilities(
            limits=frozenset(limits | {"output_bytes", "exec_s", "wall_s"}),
            networks=frozenset(networks),
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
                f"writable_root=True allows; {how_to_relax(['work_mib'])}"
            )

    def start(self, spec: SandboxSpec) -> DockerSandbox:
        """A fresh sandbox; see `SandboxProvider.start`."""
        self.check(spec)
        return DockerSandbox(self.host, spec)

    def sweep(self, *, dry_run: bool = False) -> list[str]:
        """Remove what owners that have ended left; see `SandboxProvider.sweep`."""
        report = sweep(self.host.client, state=self.owner.state, dry_run=dry_run)
        return [leftover.name for leftover in report.leftovers]

    def close(self) -> None:
        """Close the connections to the engine; sandboxes stay as they are, and a later call connects again."""
        with self._connecting:
            for host in self._hosts.values():
                host.client.close()
            self._hosts.clear()

    def discard(self, snapshot: Snapshot) -> None:
        """Remove a snapshot before this process ends; sandboxes that were started from it must be closed."""
        remove_tree(snapshot.path)
