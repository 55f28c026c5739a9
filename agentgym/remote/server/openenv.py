"""Messages of `/ws`: those of OpenEnv's clients, which are handled one at a time, and the replies.

Further messages of a harness are in `harness`, MCP is in `rpc`, and the session itself in `session`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from agentgym.env import AgentEnv
from agentgym.remote.json_text import loads
from agentgym.remote.server import harness, rpc
from agentgym.remote.server.kept_replies import KeptReplies
from agentgym.remote.server.replies import error_frame, observation_frame, rpc_frame, state_frame, step_frame
from agentgym.remote.server.requests import Refused, read_reset, read_step
from agentgym.remote.server.session import Fields, Send, Session
from agentgym.remote.wire import OURS, reset_fields

INTERRUPT = {"type": OURS, "data": {"method": "interrupt"}}
"""The one message that is taken up while a step runs; it has no reply."""
_MAX_INTERRUPT = 100
_NOTHING: Fields = {}


def receive(session: Session, raw: bytes, send: Send, now: float) -> None:
    """Handle one message, now or when earlier messages have been answered.

    Args:
        session: The session of the message.
        raw: JSON text.
        send: Takes the reply.
        now: Loop time.
    """
    session.last_active = now
    if session.is_busy and len(raw) < _MAX_INTERRUPT and _is_interrupt(raw):
        session.seat.give_up()
    elif session.is_free:
        _take(session, raw, send)
    else:
        session.wait(partial(_take, session, raw, send))


def _take(session: Session, raw: bytes, send: Send) -> None:
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
    try:
        if type(data) is not dict or len(message) > 2 or (len(message) == 2 and "data" not in message):
            data, send = _unusual(session, message, send)
            if data is None:
                return
        handler(session, data, send)
    except Refused as refusal:
        send(refusal.frame())


def _unusual(session: Session, message: Fields, send: Send) -> tuple[Fields | None, Send]:
    """Data and way of the reply for a message with more than type and data; None if it was answered before."""
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
    if session.replies is None:
        session.replies = KeptReplies()
    reply = session.replies.find(request_id)
    if reply is None:
        return data, partial(_keep_and_send, session.replies, request_id, send)
    send(reply)
    return None, send


def _keep_and_send(replies: KeptReplies, request_id: str, send: Send, reply: bytes) -> None:
    replies.keep(request_id, reply)
    send(reply)


def _step(session: Session, data: Fields, send: Send) -> None:
    text = data.get("message")
    if type(text) is not str or len(data) > 1:
        if "type" in data:
            rpc.act(session, data, send)
            return
        text = read_step(data)
    session.perform_step(text, partial(session.answer, send, partial(_stepped, session)))


def _stepped(session: Session, result: Any) -> bytes:
    session.step_count += 1
    return step_frame(*result)


def _reset(session: Session, data: Fields, send: Send) -> None:
    fields = read_reset(data)
    session.episode_id = None
    encode = partial(_begun, session, fields.get("episode_id"))
    kind = "reset" if session.seat.env is not None else "first reset"
    session.perform(kind, partial(session.begin, fields), partial(session.answer, send, encode))


def _begun(session: Session, episode_id: str | None, result: tuple[AgentEnv, Fields, Fields]) -> bytes:
    env, observation, info = result
    session.note_begun(env, episode_id)
    assert env.task is not None
    ours = reset_fields(info, env.task)
    return observation_frame({**observation, OURS: ours}, None, False)


def _state(session: Session, data: Fields, send: Send) -> None:
    if data:
        raise Refused.unknown(sorted(data))
    env = session.seat.env
    state: Fields = {"episode_id": session.episode_id, "step_count": session.step_count}
    if session.episode_id is not None and env is not None and env.task is not None:
        state["task_id"] = env.task.id
    send(state_frame(state))


def _close(session: Session, data: Fields, send: Send) -> None:
    if data:
        raise Refused.unknown(sorted(data))
    if session.is_detachable and session.peer is not None:
        session.peer.close(1000, "")
        session.peer = None
    else:
        session.end()


def _mcp(session: Session, data: Fields, send: Send) -> None:
    rpc.answer(session, data, lambda reply: send(rpc_frame(reply)) if reply else None)


_HANDLERS: Mapping[Any, Callable[[Session, Fields, Send], None]] = {
    "step": _step,
    "reset": _reset,
    "state": _state,
    "close": _close,
    "mcp": _mcp,
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
