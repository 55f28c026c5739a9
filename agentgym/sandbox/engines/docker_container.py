"""One container with everything that belongs to it on the host, made and taken down as one.

Commands and files go to the runner inside it, never through the engine; that is `DockerSandbox` in `docker_sandbox`.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.errors import AgentGymError, SandboxError, SandboxStartError, UnsupportedSpecError
from agentgym.sandbox.egress.proxy import EgressProxy
from agentgym.sandbox.engines.cgroup import ContainerCgroup
from agentgym.sandbox.engines.docker_image import ImageShelf, User
from agentgym.sandbox.engines.docker_network import GroupNetworks
from agentgym.sandbox.engines.docker_options import FILTER_NAME, ContainerPlan, creation_arguments, memory_folders
from agentgym.sandbox.engines.docker_removal import ContainerRemoval
from agentgym.sandbox.engines.seccomp import filter_program
from agentgym.sandbox.leasing.mounts import mount_table
from agentgym.sandbox.leasing.owner import LEASE_LABEL, SANDBOX_LABEL, SPEC_LABEL, Owner
from agentgym.sandbox.leasing.workspace import LayerStore, Workspace, remove_tree
from agentgym.sandbox.runner.binary import runner_binary
from agentgym.sandbox.runner.channel import FOR_MEMORY, ControlConnection
from agentgym.sandbox.runner.listener import ControlListener
from agentgym.sandbox.spec import DEFAULT_WORK_DIR, SandboxSpec, how_to_relax

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

PROXY_SOCKET = "proxy.sock"
_NOBODY = 65534
_HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost\n"
_REPORT_WAIT_S = 60.0
_CAUSE_WAIT_S = 1.0
_OOM_NEAR_NS = 2_000_000_000
"""How long before the end of a container the kernel has killed for memory at most, if that ended it."""


@dataclass(frozen=True)
class DockerHost:
    """What all sandboxes of one provider share.

    Attributes:
        client: The engine's.
        owner: Whose they are.
        images: Facts about images.
        networks: Networks of groups.
        layers: Pristine work folders; None where work folders cannot be overlays here.
        obstacle: Why they cannot; "" where they can.
        removal: Removes containers.
        is_podman: Whether the engine is Podman.
    """

    client: DockerClient
    owner: Owner
    images: ImageShelf
    networks: GroupNetworks
    layers: LayerStore | None
    obstacle: str
    removal: ContainerRemoval
    is_podman: bool = False


class DockerContainer:
    """A running container whose runner has reported. `close` takes down all of it.

    Args:
        host: The provider's.
        spec: What it must be.
        layers: Layers of its work folder, the topmost first; None for the spec's pristine one.

    Raises:
        SandboxStartError: The engine failed, or the image is missing; nothing is left.
        UnsupportedSpecError: The image has volumes, which nothing limits, and the spec asks for a limit.
    """

    control: ControlConnection

    def __init__(self, host: DockerHost, spec: SandboxSpec, layers: Sequence[Path] | None = None) -> None:
        import docker

        self.name = f"agentgym-{os.urandom(6).hex()}"
        self.id = ""
        self.spec = spec
        self.pid = 0
        self._is_paused = False
        self._end = ""
        self.workspace: Workspace | None = None
        self.proxy: EgressProxy | None = None
        self._host = host
        with ExitStack() as undo:
            try:
                self.image = host.images.facts(spec.image)
                self._check_volumes()
                self.user: User = self.image.user(spec.user)
                self.folder = host.owner.new_folder(self.name)
                undo.callback(_quietly, lambda: remove_tree(self.folder))
                self._make_workspace(undo, layers)
                self._start(undo)
            except docker.errors.APIError as error:
                raise SandboxStartError(f"the engine refused sandbox {self.name}: {_reason(error)}") from error
            except (OSError, docker.errors.DockerException) as error:
                if isinstance(error, AgentGymError):
                    raise
                raise SandboxStartError(f"sandbox {self.name} could not be started: {error}") from error
            self._undo = undo.pop_all()

    def _check_volumes(self) -> None:
        volumes, spec = self.image.volumes, self.spec
        if volumes and spec.limits.work_mib is not None:
            raise UnsupportedSpecError(
                f"image {spec.image} declares {', '.join(volumes)} as volumes, and nothing limits how much is written "
                f"there; build it without VOLUME, or {how_to_relax(['work_mib'])}"
            )

    def _make_workspace(self, undo: ExitStack, layers: Sequence[Path] | None) -> None:
        spec, user = self.spec, self.user
        if self._host.layers is None or spec.work_dir != DEFAULT_WORK_DIR:
            return
        workspace = Workspace(self.folder, size_mib=spec.limits.work_mib, uid=user.uid, gid=user.gid)
        # Root inside is root here; without capabilities it cannot write beside the overlay, in a folder of nobody's.
        os.chown(workspace.view, _NOBODY, _NOBODY)
        workspace.view.chmod(0o555)
        undo.callback(_quietly, workspace.close)
        workspace.mount(layers or self.pristine_layers())
        self.workspace = workspace

    def pristine_layers(self) -> tuple[Path, ...]:
        """The layers of the spec's work folder."""
        assert self._host.layers is not None
        return (self._host.layers.layer(self.spec.work, self.user.uid, self.user.gid),)

    def _start(self, undo: ExitStack) -> None:
        host, spec = self._host, self.spec
        control = self.folder / "control"
        control.mkdir(mode=0o711)
        control.chmod(0o711)
        # On top of the engine's own: what that allows differs from version to version (io_uring, AF_VSOCK).
        (control / FILTER_NAME).write_bytes(filter_program())
        (control / FILTER_NAME).chmod(0o444)
        listener = ControlListener(control)
        undo.callback(_quietly, listener.close)
        network = ""
        if spec.network.group:
            network = host.networks.join(spec.network.group)
            undo.callback(_quietly, lambda: host.networks.leave(spec.network.group))
        if spec.network.allow:
            self.proxy = EgressProxy(control / PROXY_SOCKET, spec.network.allow)
            undo.callback(_quietly, self.proxy.close)
            (control / PROXY_SOCKET).chmod(0o666)
        arguments = creation_arguments(host.client, self._plan(control, network))
        # By name where the engine made it and the answer was lost.
        undo.callback(_quietly, lambda: host.removal.remove(self.id or self.name))
        self.id = host.client.api.create_container(**arguments)["Id"]
        host.client.api.start(self.id)
        self.control = listener.accept(
            self.name, timeout_s=_REPORT_WAIT_S, is_runner=self._is_runner, is_alive=self._is_running
        )
        undo.callback(self.control.close)
        self._check_network()
        self.control.explain = self.why_lost
        self.cgroup = ContainerCgroup(self.pid)

    def _plan(self, control: Path, network: str) -> ContainerPlan:
        spec = self.spec
        passwd = None
        if self.user.is_new:
            passwd = (self.folder / "passwd", self.folder / "group")
            for path, text in zip(passwd, self.image.files_with(self.user), strict=True):
                path.write_text(text)
                path.chmod(0o644)
        labels = {
            **self._host.owner.labels(),
            SANDBOX_LABEL: self.name,
            SPEC_LABEL: spec.key,
            LEASE_LABEL: str(spec.limits.wall_s or ""),
        }
        view = None if self.workspace is None else self.workspace.view
        runner = None if self.image.has_runner else runner_binary()
        hosts = self.folder / "hosts"
        hosts.write_text(_HOSTS)
        hosts.chmod(0o644)
        return ContainerPlan(
            name=self.name,
            spec=spec,
            image=self.image,
            user=self.user,
            control=control,
            view=view,
            runner=runner,
            passwd=passwd,
            network=network,
            is_podman=self._host.is_podman,
            hosts=hosts,
            labels=labels,
        )

    def _is_runner(self, pid: int) -> bool:
        """Whether the kernel says that a process is in this container; it is the runner, as nothing else runs yet."""
        self.pid = pid
        try:
            return self.id in Path(f"/proc/{pid}/cgroup").read_text()
        except OSError:
            return False

    def _check_network(self) -> None:
        """Refuse a container that an engine put into the host's network, whatever it was asked for."""
        try:
            is_shared = os.readlink(f"/proc/{self.pid}/ns/net") == os.readlink("/proc/self/ns/net")
        except OSError:  # another user's process, where this is not root
            return
        if is_shared:
            raise SandboxStartError(f"the engine gave sandbox {self.name} the network of the host")

    def _is_running(self) -> bool:
        import docker

        try:
            return bool(self._host.client.api.inspect_container(self.id)["State"]["Running"])
        except docker.errors.APIError:
            return False

    @property
    def memory_folders(self) -> list[str]:
        """Folders inside that are in memory and may be written to, the work folder excepted."""
        return memory_folders(self.user, self.spec, is_podman=self._host.is_podman)

    def inside(self, folder: str) -> Path:
        """A folder of the sandbox as the host sees it.

        Raises:
            OSError: A link lies on the way, which would lead out of the sandbox here.
        """
        path = Path(f"/proc/{self.pid}/root")
        for part in folder.strip("/").split("/"):
            path = path / part
            if path.is_symlink():
                raise OSError(errno.ELOOP, "a link in the image lies on the way to", folder)
        return path

    def mounts(self) -> tuple[list[str], list[str]]:
        """Devices mounted at the work folder inside, and all other lines of the mount table, as the kernel tells it."""
        lines = Path(f"/proc/{self.pid}/mountinfo").read_text().splitlines()
        at_work = [line for line in lines if f" {self.spec.work_dir} " in line]
        others = [line for line in lines if line not in at_work]
        return [entry.device for entry in mount_table("\n".join(at_work))], others

    def sees_work_folder(self) -> bool:
        """Whether what is mounted at the work folder inside is what is mounted on the host."""
        return self.workspace is None or self.mounts()[0] == [self.workspace.device]

    def freeze(self) -> None:
        """Stop every process inside.

        Raises:
            SandboxError: The engine could not, either.
        """
        if not self.cgroup.freeze():
            self._pause(self._host.client.api.pause)
            self._is_paused = True

    def thaw(self) -> None:
        """Let them go on."""
        self.cgroup.thaw()
        if self._is_paused:
            self._is_paused = False
            self._pause(self._host.client.api.unpause)

    def _pause(self, call: Callable[[str], object]) -> None:
        import docker

        try:
            call(self.id)
        except (docker.errors.DockerException, OSError) as error:
            raise SandboxError(
                f"the engine could not pause or unpause sandbox {self.name}: {_reason(error)}"
            ) from error

    def why_lost(self) -> str:
        """What the engine knows about its end; "" where it knows nothing."""
        if not self._end:
            self._end = self._told_end()
        return self._end

    def _told_end(self) -> str:
        import docker

        filters = {"container": self.id, "type": "container"}
        deadline = time.monotonic() + _CAUSE_WAIT_S
        try:
            while True:
                now = f"{time.time():.6f}"
                events = self._host.client.api.events(since=1, until=now, filters=filters, decode=True)
                seen = {event["Action"]: event for event in events}
                if "die" in seen or time.monotonic() > deadline:
                    break
                time.sleep(0.02)
        except (OSError, docker.errors.DockerException):
            return "its engine does not answer"
        return _cause(seen)

    def close(self) -> None:
        """Take down all of it; twice is harmless."""
        self._undo.close()


def _quietly(step: Callable[[], object]) -> None:
    """One step of taking down: what fails here is the sweeper's, and the other steps go on."""
    import docker

    try:
        step()
    except (OSError, docker.errors.DockerException):
        return


def _cause(seen: Mapping[str, Mapping[str, Any]]) -> str:
    """What the last event of each kind says of a container's end; "" where they say nothing.

    A command that was killed for memory is no cause: the sandbox outlives it, and may end of something else later.
    """
    if "kill" in seen:
        return f"it was killed from outside with signal {seen['kill']['Actor']['Attributes'].get('signal', '?')}"
    if "die" not in seen:
        return ""
    if "oom" in seen and abs(seen["die"]["timeNano"] - seen["oom"]["timeNano"]) < _OOM_NEAR_NS:
        return FOR_MEMORY
    return f"its runner ended with exit code {seen['die']['Actor']['Attributes'].get('exitCode', '?')}"


def _reason(error: object) -> str:
    return str(getattr(error, "explanation", "") or error)
