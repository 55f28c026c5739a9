"""Serves one site: `python -m agentgym_web.sites.core.server shop --web PATH.sock --control PATH.sock`.

It ends by itself when its standard input closes. For people, `--port N` serves it on the loopback interface instead,
with `--user NAME` logged in, and without the control.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from agentgym.errors import ConfigError, UnknownNameError
from agentgym_web.sites.core.all_sites import SITES, load_site
from agentgym_web.sites.core.control import control_app
from agentgym_web.sites.core.sessions import DEFAULT, Sessions
from agentgym_web.sites.core.site import Site, connect, snapshot
from agentgym_web.sites.core.web import POLICY, web_app

_MAX_PORT = 65535


class _Server(uvicorn.Server):
    """A server that leaves signals to `_serve`, since several run in one loop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the site that the arguments name until the input closes or a signal comes."""
    options = _parse(arguments)
    if options.port is not None:
        serve_site(options.site, options.port, options.user, lambda url: print(url, flush=True))  # noqa: T201 - for people
        return
    sessions = _sessions(options.site, options.user)
    web, control = web_app(sessions.site, sessions), control_app(sessions)
    listeners = [(web, _unix_socket(options.web)), (control, _unix_socket(options.control))]
    try:
        asyncio.run(_serve(listeners, watch_input=True))
    finally:
        _remove(options.web, options.control)


def serve_site(name: str, port: int, user: str | None, on_start: Callable[[str], object]) -> None:
    """Serve a site for people on the loopback interface until a signal comes.

    Args:
        name: The site.
        port: The port on 127.0.0.1; 0 takes a free one.
        user: Who is logged in; None for nobody.
        on_start: Gets the address once signals are heard and the site answers.

    Raises:
        ConfigError: The port is out of range, or taken.
        UnknownNameError: There is no such site, or it has no such user.
    """
    if not 0 <= port <= _MAX_PORT:
        raise ConfigError(f"the port must be from 0 to {_MAX_PORT}: got {port}; 0 takes a free one")
    sessions = _sessions(name, user)
    listener = _listener(port)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    web = web_app(sessions.site, sessions, is_debug=True)
    asyncio.run(_serve([(web, listener)], watch_input=False, on_start=lambda: on_start(url)))


def _sessions(name: str, user: str | None) -> Sessions:
    """The sessions of a site, with somebody logged in on the default one."""
    site = load_site(name)
    sessions = Sessions(site)
    if user is not None:
        require_user(site, user)
    sessions.reset(DEFAULT, user)
    return sessions


def require_user(site: Site, user: str) -> None:
    """Refuse somebody that a site does not know.

    Raises:
        UnknownNameError: The site has no such user.
    """
    db = connect(snapshot(site))
    known = [name for (name,) in db.execute(site.users)]
    db.close()
    if user not in known:
        raise UnknownNameError("user", user, known, owner=f"the site {site.name!r}")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m agentgym_web.sites.core.server", description="Serve a site.")
    parser.add_argument("site", choices=sorted(SITES))
    parser.add_argument("--web", type=Path, help="socket of the pages")
    parser.add_argument("--control", type=Path, help="socket of the control")
    parser.add_argument("--port", type=int, help="port of the pages on 127.0.0.1, for people; 0 takes a free one")
    parser.add_argument("--user", help="who is logged in at the start of the default session")
    options = parser.parse_args(arguments)
    if (options.port is None) == (options.web is None or options.control is None):
        parser.error("give either --port, or --web and --control")
    return options


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise ConfigError(
            f"port {port} of 127.0.0.1 cannot be used: {os.strerror(error.errno or 0)}; name another one, "
            "or let --port 0 take a free one"
        ) from error


def _remove(*sockets: Path) -> None:
    """Remove sockets and the folders that are empty then; whoever started the server may be gone."""
    for path in sockets:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            path.parent.rmdir()


def _unix_socket(path: Path) -> socket.socket:
    """A socket for the owner alone; its path exists from when it takes connections."""
    path.unlink(missing_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(fresh))
    finally:
        os.umask(before)
    listener.listen(128)
    fresh.rename(path)
    return listener


async def _serve(
    listeners: Sequence[tuple[Starlette, socket.socket]],
    *,
    watch_input: bool,
    on_start: Callable[[], object] | None = None,
) -> None:
    """Serve until the input closes or a signal comes; `on_start` is called once signals are heard."""
    servers = [_Server(_config(app)) for app, _ in listeners]
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for server in servers:
            server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    if on_start is not None:
        on_start()
    if watch_input:
        threading.Thread(target=_wait_for_end, args=(lambda: loop.call_soon_threadsafe(stop),), daemon=True).start()
    pairs = zip(servers, listeners, strict=True)
    await asyncio.gather(*(server.serve(sockets=[listener]) for server, (_, listener) in pairs))


def _config(app: Starlette) -> uvicorn.Config:
    headers = [
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
    ]
    return uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", headers=headers, timeout_graceful_shutdown=1
    )


def _wait_for_end(stop: Callable[[], object]) -> None:
    while os.read(0, 65536):
        pass
    stop()


if __name__ == "__main__":
    main()
