"""What an engine is told about a sandbox's container: the hardening, the limits, what is mounted, all in one place.

The engine is talked to in `docker_container`.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.sandbox.engines.docker_image import ImageFacts, User
from agentgym.sandbox.engines.docker_network import NO_NAME_SERVER
from agentgym.sandbox.spec import DEFAULT_WORK_DIR, SandboxSpec

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

CONTROL_DIR = "/run/agentgym"
FILTER_NAME = "filter.bpf"
PROXY_PORT = 8118
"""Port of the sandbox's own loopback at which an allowlist's proxy is reached."""
_VIEW_DIR = "/agentgym"
_IMAGE_RUNNER = "/usr/local/bin/agentgym-runner"
_BOUND_RUNNER = "/run/agentgym-runner"


@dataclass(frozen=True)
class ContainerPlan:
    """One container before it is made.

    Attributes:
        name: Its name at the engine.
        spec: What it must be.
        image: Facts about its image.
        user: Who its commands run as.
        control: Folder of the host with the control socket.
        view: Folder of the host with the mounted work folder in it; None gives it a work folder in memory.
        runner: The runner on the host, where the image has none of ours.
        passwd: Passwd and group files on the host to lay over the image's; None keeps those.
        network: The engine's name of its network; "" for none.
        is_podman: Whether the engine is Podman.
        hosts: Hosts file on the host to lay over the image's, where it has no network.
        labels: Who it belongs to.
    """

    name: str
    spec: SandboxSpec
    image: ImageFacts
    user: User
    control: Path
    view: Path | None
    runner: Path | None
    passwd: tuple[Path, Path] | None
    network: str
    is_podman: bool
    hosts: Path
    labels: dict[str, str]


def creation_arguments(client: DockerClient, plan: ContainerPlan) -> dict[str, Any]:
    """Arguments of the SDK's `create_container`."""
    from docker.types import LogConfig, Ulimit  # type: ignore[import-untyped]

    spec, limits = plan.spec, plan.spec.limits
    runner = ["--init", "--filter", f"{CONTROL_DIR}/{FILTER_NAME}"]
    memory = None if limits.memory_mib is None else f"{limits.memory_mib}m"
    host_config = client.api.create_host_config(
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        read_only=not spec.writable_root,
        network_mode=plan.network or "none",
        dns=[NO_NAME_SERVER] if plan.network else None,
        dns_opt=["timeout:1", "attempts:1"] if plan.network else None,  # names outside the group fail soon
        ipc_mode="none",  # its own, and the engine mounts no /dev/shm on the host for it: ours has the limit
        pids_limit=limits.pids,
        mem_limit=memory,
        memswap_limit=memory,  # the sum with swap: no swap beyond memory
        nano_cpus=None if limits.cpus is None else int(limits.cpus * 1e9),
        ulimits=[Ulimit(name=name, soft=value, hard=value) for name, value in _rlimits(plan).items()],
        tmpfs=_memory_folders(plan),
        mounts=_mounts(plan),
        binds=[f"{plan.view}:{_VIEW_DIR}:rw,rslave"] if plan.view else None,  # Podman knows propagation here only
        auto_remove=True,
        log_config=LogConfig(type="none"),
    )
    arguments: dict[str, Any] = {
        "image": plan.image.id,
        "command": [],
        "entrypoint": [_BOUND_RUNNER if plan.runner else _IMAGE_RUNNER, *runner, "--work", spec.work_dir],
        "name": plan.name,
        "hostname": "sandbox",
        "user": f"{plan.user.uid}:{plan.user.gid}",
        "working_dir": "/",  # a process in the work folder would keep it from being reset
        "environment": _environment(plan),
        "labels": plan.labels,
        "healthcheck": {"test": ["NONE"]},
        # To set up even an empty network takes an engine as long as all the rest; without, there is the loopback.
        "network_disabled": not plan.network,
        "host_config": host_config,
    }
    if plan.network:
        aliases = [spec.network.alias] if spec.network.alias else None
        endpoint = client.api.create_endpoint_config(aliases=aliases)
        arguments["networking_config"] = client.api.create_networking_config({plan.network: endpoint})
    return arguments


def _environment(plan: ContainerPlan) -> dict[str, str]:
    proxies = {}
    if plan.spec.network.allow:
        address = f"http://127.0.0.1:{PROXY_PORT}"
        proxies = {name: address for scheme in ("http_proxy", "https_proxy") for name in (scheme, scheme.upper())}
        proxies |= dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1")
    return {"HOME": plan.user.home, "USER": plan.user.name, **proxies, **plan.spec.env}


def _rlimits(plan: ContainerPlan) -> dict[str, int]:
    limits = {"core": 1}  # the one value that also keeps cores from a host's core handler
    if plan.is_podman:  # it raises these two to the kernel's maximum, for which its machine may not give it the right
        most_processes, own = (
            int(Path("/proc/sys/kernel/pid_max").read_text()),
            resource.getrlimit(resource.RLIMIT_NPROC)[1],
        )
        limits["nproc"] = most_processes if own == resource.RLIM_INFINITY else min(own, most_processes)
        limits["nofile"] = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return limits


def memory_folders(user: User, spec: SandboxSpec, *, is_podman: bool) -> list[str]:
    """Folders beside the work folder that may be written to, and that a reset empties."""
    folders = ["/tmp", "/dev/shm"]  # noqa: S108 - inside the sandbox
    if not spec.writable_root:
        # Podman puts one there by itself, without a limit, where the root is read-only.
        folders += ["/var/tmp"] if is_podman else []  # noqa: S108 - inside the sandbox
        folders += [user.home] if user.home not in ("", "/", "/nonexistent") else []
    return folders


def _memory_folders(plan: ContainerPlan) -> dict[str, str]:
    limits, user = plan.spec.limits, plan.user
    base = "rw,exec,nosuid,nodev"
    size = f",size={limits.tmp_mib}m" if limits.tmp_mib is not None else ""
    shared, own = "mode=1777", f"uid={user.uid},gid={user.gid}"
    home, work = (shared, shared) if plan.is_podman else (f"mode=0700,{own}", f"mode=0755,{own}")
    folders = {
        folder: f"{base}{size},{home if folder == user.home else shared}"
        for folder in memory_folders(user, plan.spec, is_podman=plan.is_podman)
    }
    if plan.view is None and plan.spec.work_dir == DEFAULT_WORK_DIR:
        size = f",size={limits.work_mib}m" if limits.work_mib is not None else ""
        folders[DEFAULT_WORK_DIR] = f"{base}{size},{work}"
    return folders


def _mounts(plan: ContainerPlan) -> list[Any]:
    from docker.types import Mount

    mounts = [Mount(CONTROL_DIR, str(plan.control), type="bind", read_only=True)]
    if plan.runner is not None:
        mounts.append(Mount(_BOUND_RUNNER, str(plan.runner), type="bind", read_only=True))
    if plan.passwd is not None:
        for target, source in zip(("/etc/passwd", "/etc/group"), plan.passwd, strict=True):
            mounts.append(Mount(target, str(source), type="bind", read_only=True))
    if not plan.network:
        mounts.append(Mount("/etc/hosts", str(plan.hosts), type="bind", read_only=True))
    own = [Mount(m.target, m.source, type="bind", read_only=not m.writable) for m in plan.spec.mounts]
    return [*mounts, *own]
