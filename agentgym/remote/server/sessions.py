"""All sessions of a server: how many there may be, how they are found again, and when they end.

`session` handles messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from agentgym.env import AgentEnv
from agentgym.remote.frames import GOING_AWAY, POLICY
from agentgym.remote.server.calls import CallRunner, Seat
from agentgym.remote.server.requests import Refused
from agentgym.remote.server.results import Results
from agentgym.remote.server.session import Session
from agentgym.remote.settings import ServerConfig

_LOG = logging.getLogger(__name__)
_TICK_S = 0.5


class SessionTable:
    """The sessions of one server.

    Args:
        name: Name of the environment.
        version: Version of this distribution.
        factory: Makes an environment; called once for each session, in any thread.
        config: Limits.
    """

    def __init__(self, name: str, version: str, factory: Callable[[], AgentEnv], config: ServerConfig) -> None:
        self.name, self.version, self.config = name, version, config
        self.runner = CallRunner(config.inline, config.max_threads)
        self.results = Results(config.results) if config.results else None
        self.is_draining = False
        self._factory = factory
        self._sessions: dict[str, Session] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def start(self) -> None:
        """Begin to watch sessions, on the running event loop; further starts do nothing."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self.runner.start(self._loop)
            self._loop.call_later(_TICK_S, self._tick)

    @property
    def health(self) -> str:
        """healthy; degraded while environments hang; unhealthy if as many hang as may run at once."""
        if not self.runner.num_hung:
            return "healthy"
        return "degraded" if self.runner.num_hung < self.config.max_threads else "unhealthy"

    def new_seat(self) -> Seat:
        """The place of a further environment."""
        return Seat(self._factory)

    def open(self) -> Session:
        """A new session.

        Raises:
            Refused: There is no room, the server is about to stop, or too many environments hang.
        """
        return self.adopt(self.new_seat())

    def adopt(self, seat: Seat) -> Session:
        """A new session around an environment; raises as `open` does."""
        assert self._loop is not None
        if self.is_draining:
            raise Refused("SESSION_ERROR", "the server is about to stop and takes no new sessions")
        if self.health == "unhealthy":
            raise Refused(
                "SESSION_ERROR", f"{self.runner.num_hung} environments hang; the server takes no new sessions"
            )
        if len(self._sessions) >= self.config.max_sessions:
            counts = {"active_sessions": len(self._sessions), "max_sessions": self.config.max_sessions}
            raise Refused("CAPACITY_REACHED", f"all {self.config.max_sessions} sessions are taken; try again", **counts)
        session = Session(self, seat, self._loop.time())
        self._sessions[session.id] = session
        return session

    def find(self, session_id: str) -> Session | None:
        """The session of that id."""
        return self._sessions.get(session_id)

    def forget(self, session: Session) -> None:
        """A session has ended."""
        self._sessions.pop(session.id, None)

    def drain(self) -> None:
        """Take no new sessions, end idle ones now, and end the others when their step has ended."""
        self.is_draining = True
        for session in list(self._sessions.values()):
            if not session.is_busy:
                session.end(GOING_AWAY, "the server is about to stop")

    def close(self) -> None:
        """End all sessions and threads."""
        self.is_draining = True
        for session in list(self._sessions.values()):
            session.end(GOING_AWAY, "the server stops")
        self.runner.close()
        self._loop = None

    def _tick(self) -> None:
        if self._loop is None:
            return
        now, config = self._loop.time(), self.config
        for session in list(self._sessions.values()):
            if self.is_draining and not session.is_busy:
                session.end(GOING_AWAY, "the server is about to stop")
            elif now - session.opened > config.session_timeout_s:
                session.end(POLICY, f"the session lasted longer than {config.session_timeout_s:g} s")
            elif now - session.last_active > config.idle_timeout_s and not session.is_busy:
                session.end(POLICY, f"nothing was heard for {config.idle_timeout_s:g} s")
        self._loop.call_later(_TICK_S, self._tick)
