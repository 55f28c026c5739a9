"""JSON-RPC on a session: MCP's tools over an environment, and OpenEnv's actions that call tools.

A tool call is a step whose message is that call. No answer here contains rewards, because these are for the harness,
which uses `/ws`. Transports are in `http_api` and `connection`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gymnasium.error import ResetNeeded

from agentgym.arguments import tool_name
from agentgym.env import AgentEnv
from agentgym.errors import ContractError
from agentgym.message import ToolSchema, text_of
from agentgym.remote.server.requests import Refused
from agentgym.remote.server.session import Session
from agentgym.remote.wire import OURS, step_fields, tool_list
from agentgym.tools import tool_schema

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
SERVER_ERROR = -32000
CANCELLED = "notifications/cancelled"
"""The notification that ends a running call."""
PROTOCOL_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of MCP that are spoken, newest first; tools look alike in all of them."""
ENDED = "The episode has ended."
"""The text that ends an episode for a client of MCP; each later call is answered with it, too."""
SAY = "send_message"
"""The tool that stands for free text, in environments without tools and in those that take both."""

Reply = Callable[[dict[str, Any] | None], None]
_SAY_SCHEMA = tool_schema(SAY, "Say something to the environment and read its answer.", message="What to say.")


class Fault(Exception):  # noqa: N818 - internal
    """An error that becomes a JSON-RPC error."""

    def __init__(self, code: int, text: str, data: Any = None) -> None:
        super().__init__(text)
        self.code, self.data = code, data


def receive(session: Session, request: Any, reply: Reply, now: float) -> None:
    """Handle one request, now or when earlier ones have been answered.

    Args:
        session: The session of the request.
        request: JSON values.
        reply: Takes the response, None for a notification.
        now: Loop time.
    """
    session.last_active = now
    if is_notification(request):
        if session.is_busy and request["method"] == CANCELLED:
            session.seat.give_up()
        reply(None)
        return
    session.wait(partial(answer, session, request, reply))
    session.go_on()


def answer(session: Session, request: Any, reply: Reply) -> None:
    """Answer one request; `reply` takes the response, None for a notification."""
    request_id = None
    try:
        method, params, request_id = read_request(request)
        handler = _METHODS.get(method)
        if handler is None:
            raise Fault(NO_METHOD, f"Method not found: {method[:100]}")
        handler(session, params, partial(_respond, session, request_id, reply))
    except Fault as fault:
        reply(error_response(request_id, fault.code, str(fault), fault.data))


def is_notification(request: Any) -> bool:
    """Whether a request asks for no response."""
    if not isinstance(request, dict) or "id" in request or request.get("jsonrpc") != "2.0":
        return False
    return isinstance(method := request.get("method"), str) and method.startswith("notifications/")


def read_request(request: Any) -> tuple[str, dict[str, Any], str | int | None]:
    """Method, params and id of a JSON-RPC request.

    Raises:
        Fault: The message is no JSON-RPC request.
    """
    if not isinstance(request, dict):
        raise Fault(INVALID_REQUEST, "Invalid request: expected an object")
    unknown = sorted(request.keys() - {"jsonrpc", "method", "params", "id"})
    method, params, request_id = request.get("method"), request.get("params"), request.get("id")
    if request.get("jsonrpc") != "2.0" or type(method) is not str or unknown:
        raise Fault(INVALID_REQUEST, "Invalid request: expected jsonrpc '2.0', method, params and id")
    if request_id is not None and type(request_id) not in (str, int):
        raise Fault(INVALID_REQUEST, "Invalid request: an id is text or an integer")
    if params is not None and not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "Params must be an object")
    return method, params or {}, request_id


def response(request_id: str | int | None, result: Any) -> dict[str, Any]:
    """A JSON-RPC response."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_response(request_id: str | int | None, code: int, text: str, data: Any = None) -> dict[str, Any]:
    """A JSON-RPC response about an error."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text, "data": data}}


def act(session: Session, data: Mapping[str, Any], send: Callable[[bytes], None]) -> None:
    """Carry out one of OpenEnv's actions `list_tools` and `call_tool`.

    Raises:
        Refused: It is malformed.
    """
    kind = data["type"]
    keys = {"list_tools": {"type", "metadata"}, "call_tool": {"type", "metadata", "tool_name", "arguments"}}
    if not isinstance(kind, str) or kind not in keys:
        raise Refused.wrong(["type"], "an action's type is list_tools or call_tool", kind)
    unknown = sorted(data.keys() - keys[kind])
    if unknown:
        raise Refused.unknown(unknown)
    if kind == "list_tools":
        session.answer_call("tools", session.seat.make, _list_observation, send)
        return
    name, arguments = data.get("tool_name"), data.get("arguments", {})
    if type(name) is not str or not isinstance(arguments, dict):
        raise Refused.wrong(["tool_name"], "a tool call has a tool_name and an object of arguments", name)
    call = partial(_call_tool, session, name, arguments)
    session.answer_call("step", call, partial(_call_observation, session, name), send)


# Methods. Each gets the session, the params, and a function that takes the result or the error.

_Done = Callable[[Callable[[Any], Any], Any, BaseException | None], None]


def _initialize(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    asked = params.get("protocolVersion")
    about = {
        "protocolVersion": asked if asked in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": session.host.name, "version": session.host.version},
    }

    def introduced(begun: tuple[AgentEnv, str | None]) -> dict[str, Any]:
        return {**about, "instructions": begun[1] or ""}

    session.perform("first reset", partial(_ensure_episode, session), partial(done, introduced))


def _ping(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    done(lambda _: {}, None, None)


def _list_tools(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    session.perform("tools", session.seat.make, partial(done, lambda env: {"tools": _tools(env, "inputSchema")}))


def _call(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    name, arguments = params.get("name"), params.get("arguments")
    if type(name) is not str:
        raise Fault(INVALID_PARAMS, "Missing 'name' in params")
    if not isinstance(arguments, dict | None):
        raise Fault(INVALID_PARAMS, "'arguments' must be an object")
    call = partial(_call_unless_ended, session, name, arguments or {})
    session.perform("step", call, partial(done, partial(_tool_result, session, name)))


def _create_session(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    done(lambda _: {"session_id": session.id}, None, None)


def _close_session(session: Session, params: Mapping[str, Any], done: _Done) -> None:
    raise Fault(INVALID_REQUEST, "a session is not closed on its own connection; close the connection")


_METHODS: Mapping[str, Callable[[Session, Mapping[str, Any], _Done], None]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call,
    "openenv/session/create": _create_session,
    "openenv/session/close": _close_session,
}


def _respond(
    session: Session,
    request_id: str | int | None,
    reply: Reply,
    encode: Callable[[Any], Any],
    value: Any,
    error: BaseException | None,
) -> None:
    if error is None:
        try:
            reply(response(request_id, encode(value)))
        except Fault as fault:
            reply(error_response(request_id, fault.code, str(fault), fault.data))
    else:
        name, text = session.explain(error)
        reply(error_response(request_id, INTERNAL_ERROR, text, {"error": name} if name else None))


# Functions that run as calls of the environment.


def _ensure_episode(session: Session) -> tuple[AgentEnv, str | None]:
    """The environment with a running episode, and the episode's first text if it began now."""
    env = session.seat.env
    if session.episode_id is not None:
        if env is None:
            raise ContractError("the episode was lost when its environment failed; open a new session")
        return env, None
    env, observation, _ = session.begin(session.start)
    session.note_begun(env, session.start.get("episode_id"))
    session.unrecorded = 0.0
    return env, observation["text"]


def _call_tool(session: Session, name: str, arguments: dict[str, Any]) -> Any:
    """The result of the step; None if there is no such tool."""
    env, _ = _ensure_episode(session)
    if name not in [tool_name(tool) for tool in _offered(env)]:
        return None
    if name == SAY and name not in [tool_name(tool) for tool in env.tools]:
        return env.step(str(arguments.get("message", "")))
    return env.step(json.dumps({"name": name, "arguments": arguments}))


def _call_unless_ended(session: Session, name: str, arguments: dict[str, Any]) -> Any:
    """The same; `ENDED` after the end of the episode, as a client of MCP cannot ask for another one."""
    try:
        return _call_tool(session, name, arguments)
    except ResetNeeded:
        return ENDED


def _tool_result(session: Session, name: str, stepped: Any) -> dict[str, Any]:
    if stepped is None:
        raise Fault(INVALID_PARAMS, f"Tool not found: {name[:100]}")
    if stepped is ENDED:
        return _result([f"{ENDED} Nothing was done. Open a new session to play another one."], True, True)
    observation, reward, terminated, truncated, info = stepped
    session.step_count += 1
    if session.unrecorded is not None:
        session.unrecorded += reward
    if terminated or truncated:
        session.record(info)
    text = text_of(info["messages"]) if info["messages"] else observation["text"]
    is_over = terminated or truncated
    return _result([text, ENDED] if is_over and ENDED not in text else [text], info["is_invalid"], is_over)


def _result(texts: Sequence[str], is_error: bool, is_over: bool) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content, "isError": is_error, "_meta": {OURS: {"done": is_over}}}


def _tools(env: AgentEnv, schema_key: str) -> list[dict[str, Any]]:
    return tool_list(_offered(env), schema_key)


def _offered(env: AgentEnv) -> Sequence[ToolSchema]:
    """The environment's tools, and the tool that speaks if the agent may speak."""
    return [*env.tools, _SAY_SCHEMA] if env.speaks or not env.tools else env.tools


def _list_observation(env: AgentEnv) -> tuple[dict[str, Any], float | None, bool]:
    return {"tools": _tools(env, "input_schema")}, None, False


def _call_observation(session: Session, name: str, stepped: Any) -> tuple[dict[str, Any], float | None, bool]:
    if stepped is None:
        missing = {"error_type": "tool_not_found", "message": f"there is no tool {name[:100]!r}"}
        return {"tool_name": name, "result": None, "error": missing}, None, False
    observation, reward, terminated, truncated, info = stepped
    session.step_count += 1
    fault = {"error_type": "invalid_args", "message": observation["text"]} if info["is_invalid"] else None
    result = None if fault else observation["text"]
    fields = {"tool_name": name, "result": result, "error": fault, OURS: step_fields(info, truncated)}
    return fields, reward, terminated or truncated
