"""Served environments in containers: the same environment behind the wire, its server in a sandbox.

One container serves all environments of this process that were made alike, a session each; the last one to close ends
it. Environments that drive a sandbox themselves are no matter of this file.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Self

from agentgym.config import build
from agentgym.env import Observation
from agentgym.errors import ConfigError, InfrastructureError, SandboxError, SandboxLostError, SandboxStartError
from agentgym.registration.registry import spec
from agentgym.remote import RemoteEnv
from agentgym.sandbox.base import Sandbox, SandboxProcess
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import Limits, SandboxSpec

_PORT = 8000
_MAX_SESSIONS = 1024
_START_S = 60.0
_LIMITS = Limits(cpus=2.0, memory_mib=1024, pids=256, wall_s=None)


@dataclass
class Server:
    """The server of environments made alike; what it says is read for as long as it runs, so that it never waits.

    Attributes:
        sandbox: Where it runs.
        process: It.
        url: The unix socket that reaches it.
        num_open: Environments that use it.
    """

    sandbox: Sandbox
    process: SandboxProcess
    url: str
    num_open: int = 0

    def __post_init__(self) -> None:
        threading.Thread(target=self._listen, name="agentgym-contained", daemon=True).start()

    def _listen(self) -> None:
        with suppress(SandboxError):  # the container is gone, which its environments find out
            while self.process.receive():
                pass

    def close(self) -> None:
        """End the server and its container."""
        self.process.close()
        self.sandbox.close()


class Servers:
    """The servers of this process, by what they serve."""

    def __init__(self) -> None:
        self._servers: dict[str, Server] = {}
        self._starting: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._servers)

    def take(self, provider: str, env_id: str, options: Mapping[str, Any]) -> Server:
        """A server with room for one more environment, started where there is none.

        Raises:
            SandboxStartError: Its container or the server in it did not start.
        """
        key = json.dumps([provider, env_id, options], sort_keys=True)
        with self._lock:
            starting = self._starting.setdefault(key, threading.Lock())
        with starting:
            with self._lock:  # in one go with the count: the last environment may be closing it just now
                server = self._servers.get(key)
                if server is not None:
                    server.num_open += 1
                    return server
            server = _start(provider, env_id, options)
            with self._lock:
                server.num_open += 1
                self._servers[key] = server
            return server

    def give_back(self, server: Server, *, is_lost: bool = False) -> None:
        """An environment closes, or found its server lost; the last one ends the container."""
        with self._lock:
            server.num_open -= 1
            if server.num_open and not is_lost:
                return
            for key in [key for key, known in self._servers.items() if known is server]:
                del self._servers[key]
        if not server.num_open:
            server.close()


SERVERS = Servers()


class ContainedEnv(RemoteEnv):
    """An environment whose server runs in a container; a lost container is replaced at the next reset.

    Args:
        env_id: Id of the environment.
        provider: Name of the sandbox provider.
        options: Keyword arguments of the environment; JSON values.
        session_id: Session to go on with; "" opens a new one.

    Raises:
        ConfigError: The options are no JSON.
        SandboxStartError: The container or the server in it did not start.
    """

    def __init__(self, env_id: str, provider: str, options: Mapping[str, Any], session_id: str = "") -> None:
        self._made_of = (provider, env_id, _plain(env_id, options))
        self._server: Server | None = SERVERS.take(*self._made_of)
        try:
            super().__init__(self._server.url, sends_private_tasks=True, session_id=session_id)
        except BaseException as error:
            is_dead = isinstance(error, InfrastructureError) and not self._is_alive()
            self._give_back(is_lost=True)
            if session_id or not is_dead:
                raise
            self._open_anew()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, in a new container where the old one is gone; see `AgentEnv.reset`."""
        if self._server is not None:
            try:
                return super().reset(seed=seed, options=options)
            except InfrastructureError:
                if self._is_alive():
                    raise
                self._give_back(is_lost=True)
        self._server = SERVERS.take(*self._made_of)
        self._move(self._server.url)
        return super().reset(seed=seed, options=options)

    def close(self) -> None:
        """Close the session; a second call does nothing."""
        super().close()
        self._give_back()

    def _open_anew(self) -> None:
        """Once more, in a container of its own: the one that it was to share died unnoticed."""
        self._server = SERVERS.take(*self._made_of)
        try:
            super().__init__(self._server.url, sends_private_tasks=True)
        except BaseException:
            self._give_back(is_lost=True)
            raise

    def _join(self, session_id: str) -> Self:
        provider, env_id, options = self._made_of
        return type(self)(env_id, provider, options, session_id)

    def _is_alive(self) -> bool:
        assert self._server is not None
        try:
            return self._server.sandbox.exec(["true"], timeout_s=5.0).is_ok
        except SandboxError:
            return False

    def _give_back(self, *, is_lost: bool = False) -> None:
        server, self._server = self._server, None
        if server is not None:
            SERVERS.give_back(server, is_lost=is_lost)


def _plain(env_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(options)))
    except TypeError as error:
        raise ConfigError(
            f"the options of environment {env_id!r} must be JSON values to run it in a container: {error}"
        ) from error
    return plain


def _start(provider: str, env_id: str, options: Mapping[str, Any]) -> Server:
    with ExitStack() as stack:
        found = spec(env_id)
        limits = build(Limits, {**dataclasses.asdict(_LIMITS), **found.limits})
        wanted = SandboxSpec(image=found.image, limits=limits)
        sandbox = provider_named(provider).start(wanted)
        stack.callback(sandbox.close)
        argv = ["agentgym", "serve", env_id, "--port", str(_PORT), "--max-sessions", str(_MAX_SESSIONS)]
        given = [part for name, value in options.items() for part in ("--env-option", f"{name}={json.dumps(value)}")]
        process = sandbox.spawn([*argv, *given])
        stack.callback(process.close)
        _wait_until_ready(env_id, process)
        server = Server(sandbox, process, sandbox.endpoint(_PORT))
        stack.pop_all()  # its close does it
        return server


def _wait_until_ready(env_id: str, process: SandboxProcess) -> None:
    """Wait for the address, which the server prints once connections are taken."""
    said = b""
    while b"http://" not in said or not said.endswith(b"\n"):
        try:
            more = process.receive(timeout_s=_START_S)
        except TimeoutError as error:
            raise SandboxStartError(
                f"the server of {env_id!r} accepted no connections within {_START_S:g} s"
            ) from error
        except SandboxLostError as error:
            raise SandboxStartError(f"the container of {env_id!r} ended while its server started: {error}") from error
        if not more:
            raise SandboxStartError(f"the server of {env_id!r} ended at once: {said.decode('utf-8', 'replace')[-500:]}")
        said += more
