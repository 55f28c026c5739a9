"""The servers of the sites, one process a site for all environments of this process, and their control.

A server ends when this process does, however that ends, and removes its sockets.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from agentgym.errors import InfrastructureError
from agentgym_web.browser.gate import Server

_START_S = 90.0
_PACKAGES = Path(__file__).parents[2]


class SiteError(InfrastructureError):
    """A site that did not start, or that stopped answering."""


class SiteServer:
    """The server of one site.

    Args:
        name: The site.

    Raises:
        SiteError: It did not start; carries its last words.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._folder = Path(tempfile.mkdtemp(prefix="agentgym-site-"))
        self.web, self._control = self._folder / "web.sock", self._folder / "control.sock"
        command = [sys.executable, "-m", "agentgym_web.sites.core.server", name]
        command += ["--web", str(self.web), "--control", str(self._control)]
        paths = os.pathsep.join(path for path in (str(_PACKAGES), os.environ.get("PYTHONPATH", "")) if path)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - read as long as the server runs
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
        )
        self._await()
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(uds=str(self._control)), base_url="http://control", timeout=30
        )

    @property
    def is_lost(self) -> bool:
        """Whether its process ended."""
        return self._process.poll() is not None

    def behind_gate(self, session: str) -> Server:
        """The site as pages of a session reach it."""
        return Server(socket=str(self.web), headers=(("X-Agentgym-Session", session),))

    def reset(self, session: str, user: str | None, plants: Sequence[Any] = ()) -> None:
        """Bring a session back to the snapshot.

        Args:
            session: The session.
            user: Who is logged in; None for nobody.
            plants: Statements and their parameters that are carried out then.
        """
        self._ask("reset", {"session": session, "user": user, "plants": list(plants)})

    def check(self, session: str, checks: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Whether each of some checks holds now."""
        asked = [{"sql": check["sql"], "rows": check["rows"]} for check in checks]
        found: list[bool] = self._ask("check", {"session": session, "checks": asked}) if asked else []
        return found

    def changes(self, session: str) -> dict[str, Any]:
        """By table what differs from the state after the reset."""
        found: dict[str, Any] = self._ask("changes", {"session": session})
        return found

    def drop(self, session: str) -> None:
        """Forget a session; a server that is gone has forgotten it."""
        with suppress(SiteError):
            self._ask("drop", {"session": session})

    def close(self) -> None:
        """End the server; a second call does nothing."""
        self._client.close()
        self._end()

    def _ask(self, what: str, body: Mapping[str, Any]) -> Any:
        try:
            answer = self._client.post(f"/{what}", json=body)
        except httpx.HTTPError as error:
            raise SiteError(f"the site {self.name!r} does not answer: {error}; it said: {self._said()}") from error
        if answer.status_code != 200:
            raise SiteError(f"the site {self.name!r} refused {what}: {answer.text[:500]}")
        return answer.json()

    def _await(self) -> None:
        deadline = time.monotonic() + _START_S
        while not (self._control.exists() and self.web.exists()):
            if self.is_lost or time.monotonic() > deadline:
                said = self._said()
                self._end()
                raise SiteError(f"the site {self.name!r} did not start; it said: {said}")
            time.sleep(0.01)

    def _end(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        for path in (self.web, self._control):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()

    def _said(self) -> str:
        with suppress(OSError, ValueError):
            self._log.seek(0)
            return " ".join(self._log.read().decode(errors="replace").split())[-400:] or "nothing"
        return "nothing"


_servers: dict[str, SiteServer] = {}
_lock = threading.Lock()
_owner: list[int] = []


def the_server(name: str) -> SiteServer:
    """The server of a site, started when it is first asked for, and anew after it ended.

    Raises:
        SiteError: It did not start.
    """
    with _lock:
        if _owner != [os.getpid()]:
            _servers.clear()  # they are the parent's, where this process was forked
            _owner[:] = [os.getpid()]
            atexit.register(close_servers)
        found = _servers.get(name)
        if found is not None and found.is_lost:
            found.close()
            found = None
        if found is None:
            found = _servers[name] = SiteServer(name)
        return found


def close_servers() -> None:
    """End all servers of this process."""
    if _owner != [os.getpid()]:
        return
    for server in _servers.values():
        server.close()
    _servers.clear()
