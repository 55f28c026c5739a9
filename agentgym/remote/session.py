"""One client's session: messages in, replies out, one environment behind them.

Frames and sockets are in `connection`, capacity and time limits of sessions in `sessions`, MCP in `rpc`.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from gymnasium.error import ResetNeeded

from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, StepTimeoutError
from agentgym.remote import harness, rpc
from agentgym.remote.calls import CallRunner, Seat
from agentgym.remote.json_text import loads
from agentgym.remote.replies import error_frame, observation_frame, rpc_frame, state_frame, step_frame
from agentgym.remote.requests import Refused, read_reset, read_step
from agentgym.remote.settings import ServerConfig
from agentgym.remote.tasks import chosen_task
from agentgym.remote.wire import OURS, error_name, reset_fields

_LOG = logging.getLogger(__name__)
MAX_REQUEST_IDS = 4096
"""Request ids that a session remembers; beyond that the oldest are forgotten."""
MAX_KEPT_REPLIES = 16
"""Replies that are kept for requests that are sent again; of older ones only the ids are."""
INTERRUPT = {"type": OURS, "data": {"method": "interrupt"}}
"""The one message that is taken up while a step runs; it has no reply."""
_MAX_INTERRUPT = 100
_EPISODES = random.Random()  # names of episodes are no secrets

Send = Callable[[bytes], None]
Fields = dict[str, Any]


class Peer(Protocol):
    """The connection that a session answers."""

    def hold(self, is_held: bool) -> None:
        """Stop or go on reading."""

    def close(self, code: int, reason: str) -> None:
        """End the connection."""


class Host(Protocol):
    """What sessions share."""

    config: ServerConfig
    runner: CallRunner
    name: str
    version: str

    def new_seat(self) -> Seat:
        """The place of a further environment."""

    def adopt(self, seat: Seat) -> Session:
        """A session without a connection, around an environment; raises Refused where there is no room."""

    def forget(self, session: Session) -> None:
        """A session has ended."""


class Session:
    """One client's session.

    Attributes:
        id: Secret name, by which a client finds it again.
        peer: Its connection; None where it has none at the moment.
        is_detachable: Whether it outlives its connection, being the session of an HTTP client.
        last_active: Loop time of its last message.
        opened: Loop time of its start.
        limit_s: Wall time that one call of the environment may take.
    """

    __slots__ = (
        "_ended",
        "_host",
        "_is_draining",
        "_is_held",
        "_pace",
        "_replies",
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
        "seat",
        "start",
        "step_count",
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
        self._replies: OrderedDict[str, bytes | None] | None = None
        self._ended: asyncio.Future[None] | None = None

    # What comes in.

    def receive(self, raw: bytes, send: Send, now: float) -> None:
        """Take up one message in the form of `/ws`.

        Args:
            raw: JSON text.
            send: Takes the reply.
            now: Loop time.
        """
        self.last_active = now
        if self.is_busy and len(raw) < _MAX_INTERRUPT and _is_interrupt(raw):
            self.seat.give_up()
        elif self.is_busy or self._is_held or self._waiting:
            self._wait(partial(self._take, raw, send))
        else:
            self._take(raw, send)

    def receive_rpc(self, request: Any, reply: rpc.Reply, now: float) -> None:
        """Take up one JSON-RPC request; `reply` takes the response, None for a notification."""
        self.last_active = now
        if rpc.is_notification(request):
            if self.is_busy and request["method"] == rpc.CANCELLED:
                self.seat.give_up()
            reply(None)
            return
        self._wait(partial(rpc.answer, self, request, reply))
        self._go_on()

    def hold(self, is_held: bool) -> None:
        """Stop answering while the client does not take what it was sent, or go on."""
        self._is_held = is_held
        if not is_held:
            self._go_on()

    def end(self, code: int = 1000, reason: str = "") -> None:
        """End the session, its connection and its environment."""
        if self.is_closed:
            return
        self.is_closed = True
        self._waiting = None
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

    def ended(self) -> asyncio.Future[None]:
        """Comes to pass when the session ends: what it was asked before is not answered then."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
            if self.is_closed:
                self._ended.set_result(None)
        return self._ended

    # Work.

    def perform(
        self, kind: str, function: Callable[[], Any], then: Callable[[Any, BaseException | None], None]
    ) -> None:
        """Run a call of the environment; no other message is taken up before `then` was called."""
        self._work(self._host.runner.pace(kind), function, then)

    def begin(self, fields: Mapping[str, Any]) -> tuple[AgentEnv, Fields, Fields]:
        """Reset the environment, made first where there is none; runs as a call.

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
        """What a client is told of a failure: the kind of error, "" for one that is not ours, and a message."""
        if isinstance(error, StepTimeoutError):
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
        """What it shares with other sessions."""
        return self._host

    def _work(self, pace: Any, function: Callable[[], Any], then: Callable[[Any, BaseException | None], None]) -> None:
        self.is_busy = True
        self._host.runner.run(pace, function, self.limit_s, self.seat, partial(self._settle, then))

    def _settle(
        self, then: Callable[[Any, BaseException | None], None], value: Any, error: BaseException | None
    ) -> None:
        self.is_busy = False
        if self.is_closed:
            if not isinstance(error, StepTimeoutError):
                self._leave()
            return
        then(value, error)
        if self._waiting:
            self._go_on()

    def _leave(self) -> None:
        """Close the environment where nobody waits for it."""
        seat, self.seat = self.seat, self._host.new_seat()
        if seat.env is not None:
            runner = self._host.runner
            runner.run(runner.pace("close"), seat.close, self._host.config.step_timeout_s, seat, _no_news)

    def _wait(self, thunk: Callable[[], None]) -> None:
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(thunk)
        if self.peer is not None and len(self._waiting) == self._host.config.max_waiting:
            self.peer.hold(True)

    def _go_on(self) -> None:
        """Take up what waits."""
        if self._is_draining:
            return
        self._is_draining = True
        while self._waiting and not self.is_busy and not self._is_held:
            self._waiting.popleft()()
        self._is_draining = False
        if not self._waiting and self.peer is not None:
            self.peer.hold(False)

    def answer_call(
        self,
        kind: str,
        function: Callable[[], Any],
        observe: Callable[[Any], tuple[Fields, float | None, bool]],
        send: Send,
    ) -> None:
        """Run a call and send its value as an observation; `observe` makes observation, reward and done of it."""
        encode = lambda value: observation_frame(*observe(value))  # noqa: E731
        self.perform(kind, function, partial(self.answer, send, encode))

    # Messages of /ws.

    def _take(self, raw: bytes, send: Send) -> None:
        try:
            message = loads(raw)
        except ValueError as error:
            send(error_frame("INVALID_JSON", f"Invalid JSON: {error}"))
            return
        try:
            kind = message["type"]
            handler = _HANDLERS[kind]
        except (TypeError, KeyError):
            send(_unknown(message))
            return
        data = message.get("data", _NOTHING)
        if type(data) is not dict or len(message) > 2 or (len(message) == 2 and "data" not in message):
            try:
                data, send = self._unusual(message, send)
            except Refused as refusal:
                send(refusal.frame())
                return
            if data is None:
                return
        try:
            handler(self, data, send)
        except Refused as refusal:
            send(refusal.frame())

    def _unusual(self, message: Fields, send: Send) -> tuple[Fields | None, Send]:
        """Data and way of the reply for a message with more than type and data; None where it was answered before."""
        unknown = sorted(message.keys() - {"type", "data", "request_id"})
        if unknown:
            raise Refused.unknown(unknown)
        data = message.get("data", _NOTHING)
        if type(data) is not dict:
            raise Refused.wrong(["data"], "a message's data is an object", data)
        request_id = message.get("request_id")
        if request_id is None:
            return data, send
        if type(request_id) is not str or not 0 < len(request_id) <= 255:
            raise Refused.wrong(["request_id"], "a request id is text of 1 to 255 characters", request_id)
        if self._replies is None:
            self._replies = OrderedDict()
        if request_id not in self._replies:
            self._replies[request_id] = None
            if len(self._replies) > MAX_REQUEST_IDS:
                self._replies.popitem(last=False)
            return data, partial(self._keep, request_id, send)
        kept = self._replies[request_id]
        if kept is None:
            raise Refused("EXECUTION_ERROR", f"request {request_id!r} was carried out; its reply is no longer kept")
        send(kept)
        return None, send

    def _keep(self, request_id: str, send: Send, reply: bytes) -> None:
        assert self._replies is not None
        self._replies[request_id] = reply
        for number, known in enumerate(reversed(self._replies)):
            if number >= MAX_KEPT_REPLIES:
                if self._replies[known] is None:
                    break
                self._replies[known] = None
        send(reply)

    def running_env(self) -> AgentEnv:
        """The environment; raises Refused where no episode was begun."""
        if self.seat.env is None or self.episode_id is None:
            raise Refused("EXECUTION_ERROR", "no episode is running; send a reset first", error="ResetNeeded")
        return self.seat.env

    def answer(self, send: Send, encode: Callable[[Any], bytes], value: Any, error: BaseException | None) -> None:
        """Send what a call returned, or why it failed."""
        if error is None:
            try:
                send(encode(value))
            except TypeError as fault:
                error = fault
        if error is not None:
            name, text = self.explain(error)
            send(error_frame("EXECUTION_ERROR", text, error=name))

    def _step(self, data: Fields, send: Send) -> None:
        text = data.get("message")
        if type(text) is not str or len(data) > 1:
            if "type" in data:
                rpc.act(self, data, send)
                return
            text = read_step(data)
        self._work(self._pace, partial(self.running_env().step, text), partial(self.answer, send, self._stepped))

    def _stepped(self, result: Any) -> bytes:
        self.step_count += 1
        return step_frame(*result)

    def _reset(self, data: Fields, send: Send) -> None:
        fields = read_reset(data)
        self.episode_id = None
        encode = partial(self._begun, fields.get("episode_id"))
        kind = "reset" if self.seat.env is not None else "first reset"
        self.perform(kind, partial(self.begin, fields), partial(self.answer, send, encode))

    def _begun(self, episode_id: str | None, result: tuple[AgentEnv, Fields, Fields]) -> bytes:
        env, observation, info = result
        self.note_begun(env, episode_id)
        assert env.task is not None
        ours = reset_fields(info, env.task)
        return observation_frame({**observation, OURS: ours}, None, False)

    def _state(self, data: Fields, send: Send) -> None:
        if data:
            raise Refused.unknown(sorted(data))
        env = self.seat.env
        state: Fields = {"episode_id": self.episode_id, "step_count": self.step_count}
        if self.episode_id is not None and env is not None and env.task is not None:
            state["task_id"] = env.task.id
        send(state_frame(state))

    def _close(self, data: Fields, send: Send) -> None:
        if data:
            raise Refused.unknown(sorted(data))
        if self.is_detachable and self.peer is not None:
            self.peer.close(1000, "")
            self.peer = None
        else:
            self.end()

    def _mcp(self, data: Fields, send: Send) -> None:
        rpc.answer(self, data, lambda reply: send(rpc_frame(reply)) if reply else None)


_NOTHING: Fields = {}
_HANDLERS: Mapping[Any, Callable[[Session, Fields, Send], None]] = {
    "step": Session._step,
    "reset": Session._reset,
    "state": Session._state,
    "close": Session._close,
    "mcp": Session._mcp,
    OURS: harness.answer,
}


def _is_interrupt(raw: bytes) -> bool:
    try:
        return b"interrupt" in raw and bool(loads(raw) == INTERRUPT)
    except ValueError:
        return False


def _unknown(message: Any) -> bytes:
    if not isinstance(message, dict):
        return error_frame("VALIDATION_ERROR", f"a message is an object, got {type(message).__name__}")
    return error_frame("UNKNOWN_TYPE", f"Unknown message type: {str(message.get('type', ''))[:100]}")


def _no_news(value: Any, error: BaseException | None) -> None:
    """A closed environment is no news."""
