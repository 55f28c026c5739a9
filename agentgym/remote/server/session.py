"""One client's session: one environment, whose calls run one at a time while further messages wait.

`openenv`, `harness` and `rpc` interpret messages. Sockets are in `connection`, and `sessions` limits the number of
sessions and how long they last.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from gymnasium.error import ResetNeeded

from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError
from agentgym.outcome import Outcome
from agentgym.remote.server.calls import CallRunner, Seat
from agentgym.remote.server.kept_replies import KeptReplies
from agentgym.remote.server.replies import error_frame, observation_frame
from agentgym.remote.server.requests import Refused
from agentgym.remote.server.results import Results
from agentgym.remote.server.tasks import chosen_task
from agentgym.remote.settings import ServerConfig
from agentgym.remote.wire import error_name

_LOG = logging.getLogger(__name__)
_EPISODES = random.Random()  # names of episodes are no secrets

Send = Callable[[bytes], None]
Fields = dict[str, Any]


class Peer(Protocol):
    """The connection of a session."""

    def hold(self, is_held: bool) -> None:
        """Stop or go on reading."""

    def close(self, code: int, reason: str) -> None:
        """End the connection."""


class Host(Protocol):
    """The parts that sessions share."""

    config: ServerConfig
    runner: CallRunner
    name: str
    version: str
    results: Results | None

    def new_seat(self) -> Seat:
        """The place of a further environment."""

    def adopt(self, seat: Seat) -> Session:
        """A session without a connection, around an environment; raises Refused if there is no room."""

    def forget(self, session: Session) -> None:
        """A session has ended."""


class Session:
    """One client's session.

    Attributes:
        id: Secret name, by which a client finds it again.
        peer: Its connection; None if it has none at the moment.
        is_detachable: Whether it outlives its connection, because it is the session of an HTTP client.
        last_active: Loop time of its last message.
        opened: Loop time of its start.
        limit_s: Longest wall time of one call of the environment.
        replies: Replies to requests with an id; None before the first of them.
        unrecorded: The sum of rewards of an MCP client's episode whose end was not recorded yet; None without one.
    """

    __slots__ = (
        "_ended",
        "_host",
        "_is_draining",
        "_is_held",
        "_pace",
        "_waiting",
        "episode_id",
        "id",
        "is_busy",
        "is_closed",
        "is_detachable",
        "last_active",
        "limit_s",
        "opened",
        "peer",
        "replies",
        "seat",
        "start",
        "step_count",
        "unrecorded",
    )

    def __init__(self, host: Host, seat: Seat, now: float) -> None:
        self._host, self.seat = host, seat
        self.id = secrets.token_urlsafe(24)
        self.peer: Peer | None = None
        self.is_detachable = False
        self.opened = self.last_active = now
        self.episode_id: str | None = None
        self.step_count = 0
        self.start: Fields = {}
        self.is_busy = self.is_closed = self._is_held = self._is_draining = False
        self._pace = host.runner.pace("step")
        self.limit_s = host.config.step_timeout_s
        self._waiting: deque[Callable[[], None]] | None = None
        self.replies: KeptReplies | None = None
        self.unrecorded: float | None = None
        self._ended: asyncio.Future[None] | None = None

    # Incoming messages.

    @property
    def is_free(self) -> bool:
        """Whether a message is handled at once."""
        return not (self.is_busy or self._is_held or self._waiting)

    def wait(self, thunk: Callable[[], None]) -> None:
        """Handle a message after earlier ones; the server stops reading from a peer that sends too many."""
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(thunk)
        if self.peer is not None and len(self._waiting) == self._host.config.max_waiting:
            self.peer.hold(True)

    def go_on(self) -> None:
        """Handle the waiting messages if nothing runs."""
        if self._is_draining:
            return
        self._is_draining = True
        while self._waiting and not self.is_busy and not self._is_held:
            self._waiting.popleft()()
        self._is_draining = False
        if not self._waiting and self.peer is not None:
            self.peer.hold(False)

    def hold(self, is_held: bool) -> None:
        """Stop answering while the client does not read its replies, or continue."""
        self._is_held = is_held
        if not is_held:
            self.go_on()

    def end(self, code: int = 1000, reason: str = "") -> None:
        """End the session, its connection and its environment."""
        if self.is_closed:
            return
        self.is_closed = True
        self._waiting = None
        self.record({"outcome": Outcome("cancelled")})
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)
        self._host.forget(self)
        if self.peer is not None:
            self.peer.close(code, reason)
            self.peer = None
        if self.is_busy:
            self.seat.give_up()
        else:
            self._leave()

    def record(self, info: Mapping[str, Any]) -> None:
        """Record how an MCP client's episode ended, for whoever runs the server; once an episode."""
        total, self.unrecorded = self.unrecorded, None
        env, results = self.seat.env, self._host.results
        if total is None or results is None or env is None or env.task is None:
            return
        outcome: Outcome = info["outcome"]
        told = {"success": info.get("success"), "score": info.get("score"), "return": total}
        ended = {"turns": self.step_count, "outcome": {"kind": outcome.kind, "cause": outcome.cause}}
        results.add({"episode_id": self.episode_id, "task": env.task.id, "seed": env.episode_seed, **ended, **told})

    def ended(self) -> asyncio.Future[None]:
        """Completes when the session ends; its open requests then get no answer."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
            if self.is_closed:
                self._ended.set_result(None)
        return self._ended

    # Calls of the environment.

    def perform(
        self, kind: str, function: Callable[[], Any], then: Callable[[Any, BaseException | None], None]
    ) -> None:
        """Run a call of the environment; no other message is handled before `then` was called."""
        self._work(self._host.runner.pace(kind), function, then)

    def perform_step(self, text: str, then: Callable[[Any, BaseException | None], None]) -> None:
        """As `perform`, for one step; raises Refused if no episode has begun."""
        self._work(self._pace, partial(self.running_env().step, text), then)

    def begin(self, fields: Mapping[str, Any]) -> tuple[AgentEnv, Fields, Fields]:
        """Reset the environment, which is made first if there is none; runs as a call.

        Returns:
            The environment, the observation and the info.
        """
        env = self.seat.make()
        task = chosen_task(env, fields.get("task"))
        options = None if task is None else {"task": task}
        observation, info = env.reset(seed=fields.get("seed"), options=options)
        return env, observation, info

    def note_begun(self, env: AgentEnv, episode_id: str | None) -> None:
        """The environment was reset."""
        assert env.task is not None
        self.episode_id = episode_id or f"{_EPISODES.getrandbits(64):016x}"
        self.step_count = 0
        self.limit_s = min(self._host.config.step_timeout_s, env.task.limits.step_timeout_s)

    def explain(self, error: BaseException) -> tuple[str, str]:
        """A failure for a client: the name of the error's class, "" for a foreign error, and a message."""
        if self.seat.is_overdue:
            self.seat = self._host.new_seat()  # the call still holds the other one
        if isinstance(error, AgentGymError):
            return error_name(error), str(error)
        if isinstance(error, ResetNeeded | NotImplementedError):
            return type(error).__name__, str(error)
        _LOG.error("an environment of %s failed", self._host.name, exc_info=error)
        self._leave()
        return "", f"the environment failed with {type(error).__name__}; the server's log says more"

    @property
    def host(self) -> Host:
        """The parts that it shares with other sessions."""
        return self._host

    def _work(self, pace: Any, function: Callable[[], Any], then: Callable[[Any, BaseException | None], None]) -> None:
        self.is_busy = True
        self._host.runner.run(pace, function, self.limit_s, self.seat, partial(self._settle, then))

    def _settle(
        self, then: Callable[[Any, BaseException | None], None], value: Any, error: BaseException | None
    ) -> None:
        self.is_busy = False
        if self.is_closed:
            if not self.seat.is_overdue:
                self._leave()
            return
        then(value, error)
        if self._waiting:
            self.go_on()

    def _leave(self) -> None:
        """Close the environment if nobody waits for it."""
        seat, self.seat = self.seat, self._host.new_seat()
        if seat.env is not None:
            runner = self._host.runner
            runner.run(runner.pace("close"), seat.close, self._host.config.step_timeout_s, seat, _no_news)

    def answer_call(
        self,
        kind: str,
        function: Callable[[], Any],
        observe: Callable[[Any], tuple[Fields, float | None, bool]],
        send: Send,
    ) -> None:
        """Run a call and send its value as an observation; `observe` turns it into observation, reward and done."""
        encode = lambda value: observation_frame(*observe(value))  # noqa: E731
        self.perform(kind, function, partial(self.answer, send, encode))

    def running_env(self) -> AgentEnv:
        """The environment; raises Refused if no episode has begun."""
        if self.seat.env is None or self.episode_id is None:
            raise Refused("EXECUTION_ERROR", "no episode is running; send a reset first", error="ResetNeeded")
        return self.seat.env

    def answer(self, send: Send, encode: Callable[[Any], bytes], value: Any, error: BaseException | None) -> None:
        """Send the result of a call, or why it failed."""
        if error is None:
            try:
                send(encode(value))
            except (TypeError, ValueError, RecursionError) as fault:
                error = fault
        if error is not None:
            name, text = self.explain(error)
            send(error_frame("EXECUTION_ERROR", text, error=name))


def _no_news(value: Any, error: BaseException | None) -> None:
    """Ignore that an environment was closed."""
