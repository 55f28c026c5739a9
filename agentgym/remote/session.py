"""One client's session: messages in, replies out, one environment behind them.

Frames and sockets are in `connection`, capacity and time limits of sessions in `sessions`, MCP in `rpc`.
"""

from __future__ import annotations

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
from agentgym.remote import rpc
from agentgym.remote.calls import CallRunner, Seat
from agentgym.remote.json_text import dumps, loads
from agentgym.remote.requests import Refused, read_finalize, read_reset, read_seed, read_step
from agentgym.remote.settings import ServerConfig
from agentgym.remote.tasks import chosen_task
from agentgym.remote.wire import OURS, VERSION, ErrorCode, error_name, public_task, reset_fields, step_fields

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
    """

    __slots__ = (
        "_host",
        "_is_draining",
        "_is_held",
        "_limit_s",
        "_pace",
        "_replies",
        "_waiting",
        "episode_id",
        "id",
        "is_busy",
        "is_closed",
        "is_detachable",
        "last_active",
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
        self._limit_s = host.config.step_timeout_s
        self._waiting: deque[Callable[[], None]] | None = None
        self._replies: OrderedDict[str, bytes | None] | None = None

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
        self._host.forget(self)
        if self.peer is not None:
            self.peer.close(code, reason)
            self.peer = None
        if self.is_busy:
            self.seat.give_up()
        else:
            self._leave()

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
        self._limit_s = min(self._host.config.step_timeout_s, env.task.limits.step_timeout_s)

    def explain(self, error: BaseException) -> tuple[str, str]:
        """What a client is told of a failure: the kind of error, "" for one that is not ours, and a message."""
        if isinstance(error, StepTimeoutError):
            self.seat = self._host.new_seat()  # the call still holds the other one
        if isinstance(error, AgentGymError):
            return error_name(error), str(error)
        if isinstance(error, ResetNeeded):
            return "ResetNeeded", str(error)
        _LOG.error("an environment of %s failed", self._host.name, exc_info=error)
        self._leave()
        return "", f"the environment failed with {type(error).__name__}; the server's log says more"

    @property
    def host(self) -> Host:
        """What it shares with other sessions."""
        return self._host

    def _work(self, pace: Any, function: Callable[[], Any], then: Callable[[Any, BaseException | None], None]) -> None:
        self.is_busy = True
        self._host.runner.run(pace, function, self._limit_s, self.seat, partial(self._settle, then))

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
        self.perform(kind, function, partial(self._answer, send, encode))

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

    def _running_env(self) -> AgentEnv:
        if self.seat.env is None or self.episode_id is None:
            raise Refused("EXECUTION_ERROR", "no episode is running; send a reset first", error="ResetNeeded")
        return self.seat.env

    def _answer(self, send: Send, encode: Callable[[Any], bytes], value: Any, error: BaseException | None) -> None:
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
        self._work(self._pace, partial(self._running_env().step, text), partial(self._answer, send, self._stepped))

    def _stepped(self, result: Any) -> bytes:
        self.step_count += 1
        return step_frame(*result)

    def _reset(self, data: Fields, send: Send) -> None:
        fields = read_reset(data)
        self.episode_id = None
        encode = partial(self._begun, fields.get("episode_id"))
        kind = "reset" if self.seat.env is not None else "first reset"
        self.perform(kind, partial(self.begin, fields), partial(self._answer, send, encode))

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
        send(dumps({"type": "state", "data": state}))

    def _close(self, data: Fields, send: Send) -> None:
        if data:
            raise Refused.unknown(sorted(data))
        if self.is_detachable and self.peer is not None:
            self.peer.close(1000, "")
            self.peer = None
        else:
            self.end()

    def _mcp(self, data: Fields, send: Send) -> None:
        rpc.answer(self, data, lambda reply: send(dumps({"type": "mcp", "data": reply})) if reply else None)

    # Messages of ours.

    def _own(self, data: Fields, send: Send) -> None:
        method = data.get("method")
        handler = _OWN_METHODS.get(method) if isinstance(method, str) else None
        if handler is None:
            raise Refused.wrong(["method"], f"known methods: {', '.join(sorted(_OWN_METHODS))}", method)
        handler(self, {name: value for name, value in data.items() if name != "method"}, send)

    def _hello(self, data: Fields, send: Send) -> None:
        if data:
            raise Refused.unknown(sorted(data))
        self.perform("hello", self.seat.make, partial(self._answer, send, self._introduced))

    def _introduced(self, env: AgentEnv) -> bytes:
        about = {
            "version": VERSION,
            "env": self._host.name,
            "role": env.role,
            "reward_weights": dict(env.reward_weights),
            "invalid_value": env.invalid_value,
            "tools": list(env.tools),
            "deterministic": env.deterministic,
        }
        return own_frame(about)

    def _ask(self, name: str, data: Fields, send: Send) -> None:
        if data:
            raise Refused.unknown(sorted(data))
        question = getattr(self._running_env(), name)
        self.perform(name, question, partial(self._answer, send, lambda value: own_frame({name: value})))

    def _make_task(self, data: Fields, send: Send) -> None:
        seed = read_seed(data)
        if seed is None:
            raise Refused.wrong(["seed"], "a seed is an integer from 0", seed)
        encode = lambda task: own_frame({"task": public_task(task)})  # noqa: E731
        self.perform("make_task", lambda: self.seat.make().make_task(seed), partial(self._answer, send, encode))

    def _finalize(self, data: Fields, send: Send) -> None:
        reason = read_finalize(data)
        env = self._running_env()
        encode = lambda result: own_frame(  # noqa: E731
            {"reward": result[0], OURS: step_fields(result[1], reason != "cancelled")}
        )
        self.perform("finalize", lambda: env.finalize(reason), partial(self._answer, send, encode))

    def _fork(self, data: Fields, send: Send) -> None:
        seed = read_seed(data)
        self.perform("fork", partial(self._running_env().fork, seed), partial(self._answer, send, self._forked))

    def _forked(self, env: AgentEnv) -> bytes:
        seat = self._host.new_seat()
        seat.env = env
        try:
            twin = self._host.adopt(seat)
        except Refused as refusal:
            seat.close()
            return refusal.frame()
        twin.episode_id, twin.step_count, twin._limit_s = self.episode_id, self.step_count, self._limit_s
        return own_frame({"session_id": twin.id})

    def _interrupt(self, data: Fields, send: Send) -> None:
        self.seat.give_up()


_NOTHING: Fields = {}
_HANDLERS: Mapping[Any, Callable[[Session, Fields, Send], None]] = {
    "step": Session._step,
    "reset": Session._reset,
    "state": Session._state,
    "close": Session._close,
    "mcp": Session._mcp,
    OURS: Session._own,
}
_OWN_METHODS: Mapping[str, Callable[[Session, Fields, Send], None]] = {
    "hello": Session._hello,
    "anchor": lambda session, data, send: session._ask("anchor", data, send),
    "progress": lambda session, data, send: session._ask("progress", data, send),
    "make_task": Session._make_task,
    "finalize": Session._finalize,
    "fork": Session._fork,
    "interrupt": Session._interrupt,
}


def step_frame(observation: Fields, reward: float, terminated: bool, truncated: bool, info: Fields) -> bytes:
    """The reply to a step."""
    ours = step_fields(info, truncated)
    return observation_frame({**observation, OURS: ours}, reward, terminated or truncated)


def observation_frame(observation: Fields, reward: float | None, is_over: bool) -> bytes:
    """A message with an observation."""
    return dumps({"type": "observation", "data": {"observation": observation, "reward": reward, "done": is_over}})


def own_frame(data: Fields) -> bytes:
    """A message that OpenEnv does not have."""
    return dumps({"type": OURS, "data": data})


def error_frame(code: ErrorCode, text: str, **more: Any) -> bytes:
    """A message about an error."""
    return dumps({"type": "error", "data": {"message": text, "code": code, **more}})


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
