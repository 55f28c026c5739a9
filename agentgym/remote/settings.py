"""The settings of servers and clients: limits, times, access.

docs/remote.md explains them in operation.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from agentgym.errors import ConfigError
from agentgym.ranges import POSITIVE, Range, Ranged

Inline = Literal["auto", "always", "never"]
_MIN_TOKEN = 16
_PORT = Range(0, 2**16 - 1)
_MODE = Range(0, 0o777)


@dataclass(frozen=True)
class ServerConfig(Ranged):
    """How a server runs."""

    host: str = "127.0.0.1"
    """Address to listen at; an address that other machines can reach needs a token."""
    port: Annotated[int, _PORT] = 8000
    """Port to listen at; 0 takes a free one."""
    uds: str = ""
    """Path of a unix socket to listen at instead."""
    uds_mode: Annotated[int, _MODE] = 0o600
    """Permissions of that socket: by default only its owner may connect."""
    token: str = ""
    """Secret that clients send as `Authorization: Bearer TOKEN`; "" asks for none."""
    max_sessions: Annotated[int, Range(1)] = 2048
    """Largest number of sessions at once; each has its own environment."""
    idle_timeout_s: Annotated[float, POSITIVE] = 1800.0
    """Time without a message after which a session ends."""
    session_timeout_s: Annotated[float, POSITIVE] = 86_400.0
    """Time after which a session ends in any case."""
    step_timeout_s: Annotated[float, POSITIVE] = 600.0
    """Largest wall time of one call of an environment; a task may state less."""
    drain_timeout_s: Annotated[float, POSITIVE] = 30.0
    """Time that running steps have to end when the server is told to stop."""
    handshake_timeout_s: Annotated[float, POSITIVE] = 10.0
    """Time in which a request has to arrive completely, and in which a stalled client has to read what it was sent."""
    max_message_bytes: Annotated[int, Range(1)] = 4 * 2**20
    """Largest message or request body that is accepted."""
    max_unsent_bytes: Annotated[int, Range(1)] = 2**20
    """Bytes that may wait for a slow client before its session pauses."""
    max_waiting: Annotated[int, Range(1)] = 16
    """Messages of a session that may wait during a step before the server stops reading its connection."""
    max_threads: Annotated[int, Range(1)] = 32
    """Threads for slow environments."""
    results: str = ""
    """Path of a file to which each episode of an MCP client adds a line of JSON with its outcome; "" keeps none."""
    inline: Inline = "auto"
    """Whether steps run on the event loop: if they proved to be quick, always, or never."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inline not in get_args(Inline):
            raise ConfigError(f"inline must be auto, always or never, got {self.inline!r}")
        if self.token and (len(self.token) < _MIN_TOKEN or not self.token.isascii() or not self.token.isprintable()):
            raise ConfigError(f"a token has at least {_MIN_TOKEN} printable ASCII characters; draw a longer one")
        if not self.uds and not self.token and not is_loopback(self.host):
            raise ConfigError(
                f"refusing to listen at {self.host!r} without a token: everyone who reaches it could run sessions. "
                f"Pass a token, or listen at 127.0.0.1 or a unix socket."
            )


@dataclass(frozen=True)
class ClientSettings(Ranged):
    """Limits of a client."""

    connect_timeout_s: Annotated[float, POSITIVE] = 10.0
    """Wall time of connecting, including the handshake."""
    reply_timeout_s: Annotated[float | None, POSITIVE] = None
    """Wall time of one reply, after which the connection is closed. None: the task's limit of a step plus a minute."""
    interrupt_grace_s: Annotated[float, POSITIVE] = 5.0
    """Time in which an interrupted step has to answer before the connection is closed."""
    max_message_bytes: Annotated[int, Range(1)] = 100 * 2**20
    """Largest message that is accepted."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host name or address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
