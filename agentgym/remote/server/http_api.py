"""The HTTP side of a server: OpenEnv's endpoints, and MCP over streamable HTTP with plain JSON replies.

WebSockets are in `connection`. Each request to /reset, /step and /state uses a new environment, as in OpenEnv.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from agentgym.errors import MissingExtraError
from agentgym.remote.json_text import dumps, loads
from agentgym.remote.server import openenv, rpc
from agentgym.remote.server.access import refusal_of
from agentgym.remote.server.openapi import OBSERVATION_SCHEMA, STATE_SCHEMA, openapi
from agentgym.remote.server.requests import STEP_SCHEMA, Refused, read_reset
from agentgym.remote.server.session import Session
from agentgym.remote.server.sessions import SessionTable

try:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as error:
    raise MissingExtraError("serving environments", "serve") from error

_STATUS = {"VALIDATION_ERROR": 422, "INVALID_JSON": 422, "CAPACITY_REACHED": 503, "SESSION_ERROR": 503}
_SESSION_HEADER = "mcp-session-id"
_OPEN_PATHS = ("/health",)


class HttpApi:
    """Answers HTTP requests.

    Args:
        table: The sessions.
        description: One sentence about the environment.
    """

    def __init__(self, table: SessionTable, description: str) -> None:
        self.table, self.description = table, description
        routes = [
            Route("/health", self.health, methods=["GET"]),
            Route("/metadata", self.metadata, methods=["GET"]),
            Route("/schema", self.schema, methods=["GET"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
            Route("/state", self.state, methods=["GET"]),
            Route("/reset", self.reset, methods=["POST"]),
            Route("/step", self.step, methods=["POST"]),
            Route("/mcp", self.mcp, methods=["POST"]),
            Route("/mcp", self.end_mcp, methods=["DELETE"]),
        ]
        handlers: Any = {Refused: _answer_refused, _TooLarge: _answer_too_large}
        self._app = _Guard(Starlette(routes=routes, lifespan=self._lifespan, exception_handlers=handlers), table)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.table.start()
        yield
        self.table.close()

    # Endpoints.

    async def health(self, request: Request) -> Response:
        """Whether environments still answer."""
        return _json({"status": self.table.health})

    async def metadata(self, request: Request) -> Response:
        """Name and description."""
        about = {"name": self.table.name, "description": self.description, "version": self.table.version}
        return _json({**about, "author": "agentgym"})

    async def schema(self, request: Request) -> Response:
        """JSON schemas."""
        return _json({"action": STEP_SCHEMA, "observation": OBSERVATION_SCHEMA, "state": STATE_SCHEMA})

    async def openapi(self, request: Request) -> Response:
        """The OpenAPI document."""
        return _json(openapi(self.table.name, self.table.version, bool(self.table.config.token)))

    # One environment for each request.

    async def state(self, request: Request) -> Response:
        """The state of a fresh environment."""
        return _json({"episode_id": None, "step_count": 0})

    async def reset(self, request: Request) -> Response:
        """Begin an episode, which ends with this request."""
        body = await self._body(request, allows_empty=True)
        return await self._alone({"type": "reset", "data": body})

    async def step(self, request: Request) -> Response:
        """Begin an episode and play its first step."""
        body = await self._body(request)
        action, timeout_s, request_id = (
            body.pop("action", None),
            body.pop("timeout_s", None),
            body.pop("request_id", None),
        )
        if not isinstance(action, dict):
            raise Refused.wrong(["action"], "an action is an object", action)
        if timeout_s is not None and (type(timeout_s) not in (int, float) or not timeout_s > 0):
            raise Refused.wrong(["timeout_s"], "a positive number", timeout_s)
        if request_id is not None and (type(request_id) is not str or len(request_id) > 255):
            raise Refused.wrong(["request_id"], "text of at most 255 characters", request_id)
        return await self._alone({"type": "reset", "data": body}, {"type": "step", "data": action}, timeout_s=timeout_s)

    async def _alone(self, *messages: dict[str, Any], timeout_s: float | None = None) -> Response:
        """Play messages in a session of their own, and answer with the last reply."""
        session = self.table.open()
        try:
            async with asyncio.timeout(timeout_s):
                for message in messages:
                    reply = await _exchange(session, partial(_give, session, dumps(message)))
                    if reply["type"] == "error":
                        return _refusal(reply["data"])
        except TimeoutError:
            return _json({"detail": f"the step took longer than {timeout_s:g} s"}, 408)
        finally:
            session.end()
        return _json(reply["data"])

    # MCP.

    async def mcp(self, request: Request) -> Response:
        """One JSON-RPC request."""
        try:
            body = await self._raw_body(request)
            message = loads(body)
        except ValueError:
            return _json(rpc.error_response(None, rpc.PARSE_ERROR, "Parse error"))
        try:
            method, params, request_id = rpc.read_request(message)
        except rpc.Fault as fault:
            return _json(rpc.error_response(None, fault.code, str(fault), fault.data))
        try:
            session, is_ours = self._session_of(request, method, params)
        except rpc.Fault as fault:
            return _json(rpc.error_response(request_id, fault.code, str(fault), fault.data))
        except LookupError as error:
            return _json({"detail": str(error)}, 404)
        if session is None:
            return _json(self._close(request_id, params))
        message = {**message, "params": {name: value for name, value in params.items() if name != "session_id"}}
        try:
            reply = await _exchange(session, lambda send: rpc.receive(session, message, send, _now()))
        except Refused as refusal:
            return _json(rpc.error_response(request_id, rpc.SERVER_ERROR, str(refusal)))
        finally:
            if is_ours:
                session.end()
        if reply is None:
            return Response(status_code=202)
        headers = {_SESSION_HEADER: session.id} if method == "initialize" else {}
        return _json(reply, headers=headers)

    async def end_mcp(self, request: Request) -> Response:
        """End an MCP session."""
        session_id = request.headers.get(_SESSION_HEADER)
        if not session_id:
            return _json({"detail": f"the header {_SESSION_HEADER} names the session"}, 400)
        session = self.table.find(session_id)
        if session is None or not session.is_detachable:
            return _json({"detail": "there is no such session"}, 404)
        session.end()
        return Response(status_code=204)

    def _session_of(self, request: Request, method: str, params: dict[str, Any]) -> tuple[Session | None, bool]:
        """The session of a request, and whether it ends with the request; None for a request that closes a session."""
        named = request.headers.get(_SESSION_HEADER)
        if named is not None:
            return self._find(named), False
        if method == "openenv/session/close":
            return None, False
        given = params.get("session_id")
        if given is not None and method != "openenv/session/create":
            session = self.table.find(given) if isinstance(given, str) else None
            if session is None:
                raise rpc.Fault(rpc.INVALID_PARAMS, "Unknown session_id")
            return session, False
        try:
            session = self.table.open()
        except Refused as refusal:
            raise rpc.Fault(rpc.SERVER_ERROR, str(refusal), refusal.more or None) from None
        if method not in ("initialize", "openenv/session/create"):
            return session, True
        try:
            session.start = dict(read_reset(params if method != "initialize" else _from_query(request)))
        except Refused as refusal:
            session.end()
            raise rpc.Fault(rpc.INVALID_PARAMS, str(refusal)) from None
        session.is_detachable = True
        return session, False

    def _find(self, session_id: str) -> Session:
        session = self.table.find(session_id)
        if session is None:
            raise LookupError("there is no such session; initialize a new one")
        return session

    def _close(self, request_id: str | int | None, params: dict[str, Any]) -> dict[str, Any]:
        """Close the session that params name; a session with a WebSocket ends with its connection."""
        given = params.get("session_id")
        session = self.table.find(given) if isinstance(given, str) else None
        if session is None:
            return rpc.error_response(request_id, rpc.INVALID_PARAMS, "Unknown session_id")
        if session.peer is not None:
            session.is_detachable = False
            return rpc.response(request_id, {"session_id": session.id, "closed": False, "closing": True})
        session.end()
        return rpc.response(request_id, {"session_id": session.id, "closed": True})

    # Request bodies.

    async def _body(self, request: Request, allows_empty: bool = False) -> dict[str, Any]:
        raw = await self._raw_body(request)
        if not raw and allows_empty:
            return {}
        try:
            body = loads(raw)
        except ValueError as error:
            raise Refused.wrong(["body"], f"Invalid JSON: {error}", "") from None
        if not isinstance(body, dict):
            raise Refused.wrong(["body"], "expected an object", body)
        return body

    async def _raw_body(self, request: Request) -> bytes:
        limit = self.table.config.max_message_bytes
        parts: list[bytes] = []
        size = 0
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise _TooLarge(limit)
            parts.append(part)
        return b"".join(parts)


class _TooLarge(Exception):  # noqa: N818 - internal: becomes a status
    """A body over the limit."""


class _Guard:
    """Refuses requests without access."""

    def __init__(self, app: ASGIApp, table: SessionTable) -> None:
        self._app, self._table = app, table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = None if scope["path"] in _OPEN_PATHS else refusal_of(dict(scope["headers"]), self._table.config)
        if status is not None:
            headers = {"www-authenticate": "Bearer"} if status == 401 else {}
            await _json({"detail": "refused"}, status, headers)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _from_query(request: Request) -> dict[str, Any]:
    fields: dict[str, Any] = dict(request.query_params)
    if str(fields.get("seed", "")).isdecimal():
        fields["seed"] = int(fields["seed"])
    return fields


async def _exchange(session: Session, ask: Callable[[Callable[[Any], None]], None]) -> Any:
    """Send a request to a session and wait for its reply; raises Refused if the session ends meanwhile."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def take(reply: Any) -> None:
        if not future.done():
            future.set_result(loads(reply) if isinstance(reply, bytes) else reply)

    ended = session.ended()
    ask(take)
    await asyncio.wait((future, ended), return_when=asyncio.FIRST_COMPLETED)
    if not future.done():
        raise Refused("SESSION_ERROR", "the session ended meanwhile")
    return future.result()


def _give(session: Session, raw: bytes, send: Callable[[bytes], None]) -> None:
    openenv.receive(session, raw, send, _now())


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _answer_refused(request: Request, refusal: Refused) -> Response:
    return _refusal(refusal.to_json())


async def _answer_too_large(request: Request, limit: _TooLarge) -> Response:
    return _json({"detail": f"a body has at most {limit} bytes"}, 413, {"connection": "close"})


def _refusal(data: dict[str, Any]) -> Response:
    status = _STATUS.get(data["code"], 500)
    if data.get("error") in ("TaskError", "UnknownNameError"):
        status = 422
    return _json({"detail": data.get("errors") or data["message"]}, status)


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(dumps(value), status, headers, "application/json")
