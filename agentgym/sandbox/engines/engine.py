"""Reaching a container engine: Docker, or Podman through its Docker-compatible socket.

`docker` and `agentgym.sandbox.images.build` work with it; nothing here starts an engine.
"""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from agentgym.errors import MissingExtraError, SandboxStartError
from agentgym.sandbox.engines.docker_transport import close_what_fails

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

DEFAULT_ADDRESS = "unix:///var/run/docker.sock"
MIN_API = (1, 41)
"""Docker 20.10 and Podman 4 speak it."""
_PROBE_S = 5.0

FaultKind = Literal["not installed", "not running", "no rights", "no engine", "too old", "bad address"]


@dataclass(frozen=True)
class EngineFault:
    """Why an engine cannot be used.

    Attributes:
        kind: Which of the known reasons.
        detail: What was found.
        fix: The command or the next move.
    """

    kind: FaultKind
    detail: str
    fix: str


@dataclass(frozen=True)
class EngineInfo:
    """What answered.

    Attributes:
        name: "Docker" or "Podman".
        version: Its version.
        api: Version of the interface that it speaks.
        address: Where it was reached.
    """

    name: str
    version: str
    api: str
    address: str


def engine_address() -> str:
    """Where the engine is looked for: DOCKER_HOST, else the default socket."""
    return os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS


def connect_engine(address: str | None = None, *, timeout_s: float = 60.0) -> DockerClient:
    """A client of the engine, which answered just now.

    Args:
        address: Such as "unix:///var/run/docker.sock"; None for `engine_address()`.
        timeout_s: How long one answer may take.

    Raises:
        MissingExtraError: The Docker SDK is not installed.
        SandboxStartError: No engine answers there; says why and what to do.
    """
    place = address or engine_address()
    client, fault = _connect(place, timeout_s)
    if fault is not None:
        raise SandboxStartError(f"no container engine at {place}: {fault.detail}; {fault.fix}")
    return client


def probe_engine(address: str | None = None) -> EngineInfo | EngineFault:
    """What answers at an address, or why nothing does; raises nothing but a missing SDK.

    Raises:
        MissingExtraError: The Docker SDK is not installed.
    """
    place = address or engine_address()
    client, fault = _connect(place, _PROBE_S)
    if fault is not None:
        return fault
    answer = client.version()
    client.close()
    is_podman = any("Podman" in part.get("Name", "") for part in answer.get("Components") or [])
    return EngineInfo("Podman" if is_podman else "Docker", answer["Version"], answer["ApiVersion"], place)


def _connect(address: str, timeout_s: float) -> tuple[DockerClient, EngineFault | None]:
    try:
        import docker
    except ImportError as error:
        raise MissingExtraError("a container engine", "docker") from error
    fault = _socket_fault(address)
    if fault is not None:
        return None, fault
    environment = {**os.environ, "DOCKER_HOST": address}
    try:
        client = docker.from_env(environment=environment, timeout=timeout_s)
        close_what_fails(client)
        version = client.version()
    except (docker.errors.DockerException, OSError, ValueError) as error:
        fix = "point DOCKER_HOST at an engine's socket, or unset it"
        return None, EngineFault("no engine", f"what listens there is no engine ({_first_line(error)})", fix)
    api = version.get("ApiVersion", "0")
    if tuple(int(part) for part in api.split(".")) < MIN_API:
        wanted = ".".join(map(str, MIN_API))
        client.close()
        detail = f"version {version.get('Version')} speaks API {api}, at least {wanted} is needed"
        return None, EngineFault("too old", detail, "install Docker 20.10 or later, or Podman 4 or later")
    return client, None


def _socket_fault(address: str) -> EngineFault | None:
    """What a first connection says; an address of another scheme than unix or tcp is left to the SDK."""
    parts = urlsplit(address)
    if parts.scheme == "unix":
        family, target = socket.AF_UNIX, parts.netloc + parts.path
        return _connection_fault(socket.socket(family, socket.SOCK_STREAM), target, address)
    if parts.scheme in ("tcp", "http", "https"):
        try:
            host, port = parts.hostname or "", parts.port or 2375
        except ValueError as error:
            return EngineFault("bad address", f"{error}", "write DOCKER_HOST as unix:///PATH or tcp://HOST:PORT")
        return _connection_fault(socket.socket(socket.AF_INET, socket.SOCK_STREAM), (host, port), address)
    if parts.scheme in ("ssh", "npipe", "http+unix", "fd"):
        return None
    return EngineFault(
        "bad address", f"{address!r} is no address", "write DOCKER_HOST as unix:///PATH or tcp://HOST:PORT"
    )


def _connection_fault(connection: socket.socket, target: str | tuple[str, int], address: str) -> EngineFault | None:
    with connection:
        connection.settimeout(_PROBE_S)
        try:
            connection.connect(target)
        except FileNotFoundError:
            return _absent("there is no such socket", address)
        except ConnectionRefusedError:
            return _absent("nothing listens there", address)
        except PermissionError:
            fix = "sudo usermod -aG docker $USER, then log in again (that group is as powerful as root)"
            return EngineFault("no rights", f"uid {os.geteuid()} may not open the socket", fix)
        except OSError as error:
            fix = "point DOCKER_HOST at an engine, or unset it"
            return EngineFault("not running", f"it cannot be reached ({error.strerror or error})", fix)
    return None


def _absent(detail: str, address: str) -> EngineFault:
    """The fault of a socket that nobody serves: whether an engine is installed decides the next move."""
    if address != DEFAULT_ADDRESS:
        return EngineFault("not running", detail, "start the engine that DOCKER_HOST names, or unset DOCKER_HOST")
    if shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None:
        return EngineFault("not installed", f"{detail}, and dockerd is not installed", "sudo apt-get install docker.io")
    has_systemd = Path("/run/systemd/system").is_dir()
    fix = "sudo systemctl start docker" if has_systemd else "sudo setsid dockerd >dockerd.log 2>&1 </dev/null &"
    return EngineFault("not running", f"{detail}, though dockerd is installed", fix)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
