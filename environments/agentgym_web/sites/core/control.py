"""The application by which a trainer resets sessions and asks about them; browsers never reach it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentgym_web.sites.core.sessions import DEFAULT, Sessions


def control_app(sessions: Sessions) -> Starlette:
    """The control of the sessions of one site: POST of JSON to /reset, /check, /changes and /drop."""

    def reset(body: Mapping[str, Any]) -> Any:
        sessions.reset(_session(body), body.get("user"), body.get("plants") or ())
        return {}

    def check(body: Mapping[str, Any]) -> Any:
        return sessions.check(_session(body), body["checks"])

    def changes(body: Mapping[str, Any]) -> Any:
        return sessions.changes(_session(body))

    def drop(body: Mapping[str, Any]) -> Any:
        sessions.drop(_session(body))
        return {}

    return Starlette(routes=[_route(f"/{act.__name__}", act) for act in (reset, check, changes, drop)])


def _session(body: Mapping[str, Any]) -> str:
    return str(body.get("session") or DEFAULT)


def _route(path: str, act: Callable[[Mapping[str, Any]], Any]) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            return JSONResponse(act(await request.json()))
        except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
            return JSONResponse({"error": f"{type(error).__name__}: {error}"}, status_code=400)

    return Route(path, endpoint, methods=["POST"])
