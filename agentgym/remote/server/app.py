"""Serving an environment: the application, the server that runs it until it is told to stop, and one in a thread.

`http_api` and `session` answer requests, and `settings` has the limits.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from types import FrameType
from typing import Any

import gymnasium
from gymnasium.error import Error as GymnasiumError

from agentgym.entry_points import load_entry_points
from agentgym.env import AgentEnv
from agentgym.errors import DISTRIBUTION, ConfigError, InfrastructureError, MissingExtraError
from agentgym.remote.server.connection import HttpConnection
from agentgym.remote.server.http_api import HttpApi
from agentgym.remote.server.sessions import SessionTable
from agentgym.remote.settings import ServerConfig

try:
    import uvicorn
except ImportError as error:
    raise MissingExtraError("serving environments", "serve") from error

_BACKLOG = 4096
_START_S = 20.0


def create_app(env: str | Callable[[], AgentEnv], config: ServerConfig | None = None, **options: Any) -> HttpApi:
    """The application that serves an environment; `serve` and `running` run it.

    Args:
        env: Registered id, or something that makes an environment; called once for each session, in any thread.
        config: Limits.
        options: Keyword arguments of the environment if it is given by its id.

    Raises:
        ConfigError: The id is unknown, or the factory makes no AgentEnv.
    """
    factory = _maker(env, options) if isinstance(env, str) else env
    first = factory()
    if not isinstance(first, AgentEnv):
        raise ConfigError(f"only an agentgym.AgentEnv can be served, {env!r} makes a {type(first).__name__}")
    name = env if isinstance(env, str) else type(first).__name__
    description = (type(first).__doc__ or name).strip().partition("\n")[0]
    first.close()
    table = SessionTable(name, _version(), factory, config or ServerConfig())
    return HttpApi(table, description)


def serve(app: HttpApi, on_ready: Callable[[str], None] | None = None) -> None:
    """Run a server in this process until SIGTERM or SIGINT; it lets running steps end, and then returns.

    Args:
        app: The application from `create_app`.
        on_ready: Called with the address once the server takes connections.

    Raises:
        ConfigError: The server cannot listen at the address.
    """
    listener, url = _listen(app.table.config)
    server = _server(app)
    server.on_ready = lambda: on_ready(url) if on_ready else None
    gc.collect()
    gc.freeze()  # what is loaded now stays: collections need not look at it again
    gc.set_threshold(50_000, 20, 100)
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()
        _forget(app.table.config)


@contextmanager
def running(app: HttpApi) -> Iterator[str]:
    """Run a server in a thread of this process for the duration of the block, and give its address."""
    listener, url = _listen(app.table.config)
    server = _server(app)
    ready = threading.Event()
    server.on_ready = ready.set
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="agentgym-server", daemon=True)
    thread.start()
    try:
        if not ready.wait(_START_S):
            raise InfrastructureError(f"the server at {url} did not start within {_START_S:g} s")
        yield url
    finally:
        server.should_exit = True
        thread.join(app.table.config.drain_timeout_s + _START_S)
        listener.close()
        _forget(app.table.config)


class _Server(uvicorn.Server):
    """A server that reports when it takes connections, and ends without raising a signal again."""

    on_ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def _server(app: HttpApi) -> _Server:
    config = app.table.config
    settings = uvicorn.Config(
        app,
        http=HttpConnection,
        ws="none",
        loop="auto",
        lifespan="on",
        backlog=_BACKLOG,
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=max(1, round(config.drain_timeout_s)),
    )
    return _Server(settings)


def _maker(env_id: str, options: dict[str, Any]) -> Callable[[], AgentEnv]:
    load_entry_points()

    def make() -> AgentEnv:
        try:
            return gymnasium.make(env_id, **options).unwrapped  # type: ignore[return-value]
        except (GymnasiumError, TypeError) as error:
            raise ConfigError(f"environment {env_id!r} cannot be made with the options {options}: {error}") from error

    return make


def _listen(config: ServerConfig) -> tuple[socket.socket, str]:
    family = socket.AF_UNIX if config.uds else socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if config.uds:
            _bind_path(listener, config)
            return listener, f"unix:{config.uds}"
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((config.host, config.port))
        host = f"[{config.host}]" if family == socket.AF_INET6 else config.host
        return listener, f"http://{host}:{listener.getsockname()[1]}"
    except ConfigError:
        listener.close()
        raise
    except OSError as error:
        listener.close()
        where = config.uds or f"{config.host}:{config.port}"
        raise ConfigError(f"cannot listen at {where}: {error.strerror or error}; choose another address") from error


def _bind_path(listener: socket.socket, config: ServerConfig) -> None:
    if os.path.exists(config.uds):
        _remove_stale(config.uds)
    mask = os.umask(0o777 & ~config.uds_mode)
    try:
        listener.bind(config.uds)
    finally:
        os.umask(mask)


def _remove_stale(path: str) -> None:
    if not stat.S_ISSOCK(os.stat(path).st_mode):
        raise ConfigError(f"{path} is no socket; choose another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except OSError as error:
            raise ConfigError(f"cannot tell whether a server listens at {path}: {error}") from error
    raise ConfigError(f"a server listens at {path} already; choose another path")


def _forget(config: ServerConfig) -> None:
    if config.uds and os.path.exists(config.uds):
        os.unlink(config.uds)


def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0"
