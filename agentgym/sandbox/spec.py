"""What a sandbox must be: image, user, work folder, limits, network. It is part of a task: plain JSON and hashable.

Providers implement it, and refuse what they cannot enforce.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentgym.config import build
from agentgym.errors import ConfigError, suggestion

DEFAULT_WORK_DIR = "/agentgym/work"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?")


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use up. None asks for no limit, so the provider need not enforce it.

    Attributes:
        cpus: CPU cores, as a share of time.
        memory_mib: Memory of all its processes, including in-memory files; there is no swap.
        pids: Processes and threads at once.
        work_mib: Size of the work folder's changes.
        tmp_mib: Size of each temporary folder: /tmp, the home folder, /dev/shm.
        output_bytes: Bytes kept of each output stream of one command; the rest is read, dropped and counted.
        exec_s: Wall time of one command if the call names none.
        wall_s: Wall time of the sandbox from lease to return; beyond it, a pool takes it back.
    """

    cpus: float | None = 1.0
    memory_mib: int | None = 512
    pids: int | None = 128
    work_mib: int | None = 256
    tmp_mib: int | None = 64
    output_bytes: int = 1 << 20
    exec_s: float = 30.0
    wall_s: float | None = 3600.0

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if value is not None and value <= 0:
                raise ConfigError(f"sandbox limit {name!r} must be positive: got {value!r}; None asks for no limit")


@dataclass(frozen=True)
class Mount:
    """A folder or file of the host that the sandbox sees.

    Attributes:
        source: Absolute path on the host.
        target: Absolute path in the sandbox.
        writable: Whether the sandbox may change it. Never give hostile work a writable mount.
    """

    source: str
    target: str
    writable: bool = False

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            path = getattr(self, name)
            if not path.startswith("/") or ".." in path.split("/"):
                raise ConfigError(f"mount {name} must be an absolute path without '..': got {path!r}")


@dataclass(frozen=True)
class Network:
    """What a sandbox can reach: nothing, unless a peer group or hosts are named.

    Attributes:
        group: Sandboxes of one owner that name the same group reach each other, and nothing else; "" for none.
        alias: The name by which the other members of the group reach this one.
        allow: Hosts that may be reached through a filtering HTTP proxy, as "host", "host:port" or "*.domain"; without a
            port, 80 and 443. Exclusive with a group.
    """

    group: str = ""
    alias: str = ""
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.group and self.allow:
            raise ConfigError("a sandbox's network is a group of peers or a list of allowed hosts: got both")
        if self.alias and not self.group:
            raise ConfigError(f"network alias {self.alias!r} needs a group")
        for name in ("group", "alias"):
            value = getattr(self, name)
            if value and not _LABEL.fullmatch(value):
                raise ConfigError(f"network {name} must be lower-case letters, digits and '-': got {value!r}")
        for host in self.allow:
            if not _HOST.fullmatch(host):
                raise ConfigError(f"allowed host {host!r} is none; expected 'host', 'host:port' or '*.domain'")

    @property
    def kind(self) -> str:
        """One of "none", "internal", "allowlist"."""
        if self.group:
            return "internal"
        return "allowlist" if self.allow else "none"


@dataclass(frozen=True)
class SandboxSpec:
    """What a sandbox must be.

    Attributes:
        image: Image of the provider's engine: one of agentgym by short name ("agentgym/base"), or any other by its tag.
            A provider without images runs on the host's programs and ignores it only for "agentgym/base".
        command: Program that runs beside the runner from the start, such as a server; () for none.
        user: "agent" is uid 1000 with a passwd entry; any other user must exist in the image.
        env: Environment variables of everything that runs in it.
        work_dir: Where commands start and files are written.
        work: Folder on the host with the original content of the work folder; "" for an empty one. It is read once.
        mounts: Further folders of the host.
        limits: What it may use up.
        network: What it can reach.
        writable_root: Whether the image's own files may be changed, for images of others whose tasks need it. Such a
            sandbox is reset by creating it again.
    """

    image: str = "agentgym/base"
    command: tuple[str, ...] = ()
    user: str = "agent"
    env: Mapping[str, str] = field(default_factory=dict)
    work_dir: str = DEFAULT_WORK_DIR
    work: str = ""
    mounts: tuple[Mount, ...] = ()
    limits: Limits = field(default_factory=Limits)
    network: Network = field(default_factory=Network)
    writable_root: bool = False

    def __post_init__(self) -> None:
        if not self.image:
            raise ConfigError("a sandbox needs an image: got an empty name; 'agentgym/base' is ours")
        if not self.work_dir.startswith("/") or ".." in self.work_dir.split("/"):
            raise ConfigError(f"work_dir must be an absolute path without '..': got {self.work_dir!r}")
        if self.work_dir != DEFAULT_WORK_DIR and not self.writable_root:
            raise ConfigError(f"work_dir {self.work_dir!r} needs writable_root=True; the default is {DEFAULT_WORK_DIR}")
        for name, value in self.env.items():
            if not _NAME.fullmatch(name) or "\0" in value:
                raise ConfigError(f"environment variable {name!r} of a sandbox is malformed")

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def key(self) -> str:
        """SHA-256 in hex of everything in it; sandboxes of equal keys are interchangeable."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """JSON values, the inverse of `from_json`."""
        values = dataclasses.asdict(self)
        return {**values, "env": dict(self.env)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SandboxSpec:
        """A spec from JSON values.

        Raises:
            ConfigError: A key is unknown or a value malformed.
        """
        return build(cls, values)

    def relaxed(self, *limits: str) -> SandboxSpec:
        """The same without the named limits, such as "memory_mib": a user's explicit word that they may go unenforced.

        Raises:
            ConfigError: A name is not a limit that can be left out.
        """
        optional = {"cpus", "memory_mib", "pids", "work_mib", "tmp_mib", "wall_s"}
        for name in limits:
            if name not in optional:
                raise ConfigError(f"the limit {name!r} cannot be left out; {suggestion(str(name), optional)}")
        without: dict[str, Any] = dict.fromkeys(limits)
        return dataclasses.replace(self, limits=dataclasses.replace(self.limits, **without))


def how_to_relax(limits: Sequence[str]) -> str:
    """What a user says so that limits may go unenforced: on a command line, as an option, and of a specification.

    Args:
        limits: Their names; at least one.
    """
    it = "it" if len(limits) == 1 else "they"
    option = f"relaxed={json.dumps(list(limits), separators=(',', ':'))}"
    return (
        f"say that {it} may go unenforced: --env-option '{option}' on a command line, {option} in make(), or "
        f"spec.relaxed({', '.join(map(repr, limits))})"
    )
