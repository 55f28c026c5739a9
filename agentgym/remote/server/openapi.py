"""The server's description of itself: JSON schemas of messages, and the OpenAPI document.

It describes `http_api` and `session`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.remote.server.requests import MAX_EPISODE_ID, MAX_SEED, STEP_SCHEMA
from agentgym.remote.wire import OURS

_OWN_FIELD = {
    "type": "object",
    "description": (
        "What OpenEnv's frames lack: messages, reward_events, turn, is_invalid, truncated; after a reset the public "
        "task; at the end outcome, success and score; whatever else the environment tells in info."
    ),
}
OBSERVATION_SCHEMA: dict[str, Any] = {
    "title": "Observation",
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What the agent is told, as text."},
        "image": {
            "type": "object",
            "description": "Pixels, where the environment has any: base64 of the bytes, and height, width, channels.",
            "properties": {
                "$uint8": {"type": "string"},
                "shape": {"type": "array", "items": {"type": "integer"}},
            },
        },
        OURS: _OWN_FIELD,
    },
    "required": ["text"],
}
"""JSON schema of an observation."""
STATE_SCHEMA: dict[str, Any] = {
    "title": "State",
    "type": "object",
    "properties": {
        "episode_id": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "step_count": {"type": "integer", "minimum": 0},
        "task_id": {"type": "string"},
    },
    "additionalProperties": True,
}
"""JSON schema of a state."""

_RESET_PROPERTIES: dict[str, Any] = {
    "seed": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_SEED - 1}, {"type": "null"}]},
    "episode_id": {"anyOf": [{"type": "string", "maxLength": MAX_EPISODE_ID}, {"type": "null"}]},
    "task": {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]},
}
_STEP_PROPERTIES: dict[str, Any] = {
    "action": STEP_SCHEMA,
    "timeout_s": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
    "request_id": {"anyOf": [{"type": "string", "maxLength": 255}, {"type": "null"}]},
    **_RESET_PROPERTIES,
}
_RESULT = {
    "type": "object",
    "properties": {
        "observation": OBSERVATION_SCHEMA,
        "reward": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "done": {"type": "boolean"},
    },
    "required": ["observation", "reward", "done"],
}
_ERROR = {"type": "object", "properties": {"detail": {}}, "required": ["detail"]}
_RPC = {
    "type": "object",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        "result": {},
        "error": {"type": "object"},
    },
    "required": ["jsonrpc", "id"],
}
_STATELESS = (
    "Stateless: a fresh environment is made for this request and closed after it. An episode of more than one step "
    "needs a WebSocket at /ws, or a session at /mcp."
)


def openapi(name: str, version: str, has_token: bool) -> dict[str, Any]:
    """The OpenAPI document of a server."""
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{name} served by agentgym",
            "version": "1.0.0",
            "description": f"The OpenEnv wire, spoken by agentgym {version}. Sessions are WebSockets at /ws.",
        },
        "paths": {
            "/health": {"get": _get("Whether the server is healthy", {"status": {"type": "string"}})},
            "/metadata": {
                "get": _get(
                    "What is served", {key: {"type": "string"} for key in ("name", "description", "version", "author")}
                )
            },
            "/schema": {
                "get": _get("JSON schemas", {key: {"type": "object"} for key in ("action", "observation", "state")})
            },
            "/state": {"get": _get(f"The state of a fresh environment. {_STATELESS}", STATE_SCHEMA["properties"])},
            "/reset": {"post": _post(f"Begin an episode. {_STATELESS}", _RESET_PROPERTIES, (), _RESULT)},
            "/step": {
                "post": _post(
                    f"Begin an episode and play its first step. {_STATELESS}", _STEP_PROPERTIES, ("action",), _RESULT
                )
            },
            "/mcp": {"post": _mcp(), "delete": _end()},
        },
    }
    if has_token:
        document["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        document["security"] = [{"token": []}]
        document["paths"]["/health"]["get"]["security"] = []
    return document


def _answers(schema: Mapping[str, Any], *statuses: int) -> dict[str, Any]:
    answers = {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}
    refused = {"description": "Refused", "content": {"application/json": {"schema": _ERROR}}}
    return answers | {str(status): refused for status in (401, 403, *statuses)}


def _get(summary: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties)}
    return {"summary": summary, "responses": _answers(schema, 500, 503)}


def _body(schema: Mapping[str, Any], is_required: bool) -> dict[str, Any]:
    return {"required": is_required, "content": {"application/json": {"schema": schema}}}


def _post(summary: str, properties: Mapping[str, Any], required: tuple[str, ...], result: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    answers = _answers(result, 408, 413, 422, 500, 503)
    return {"summary": summary, "requestBody": _body(schema, bool(required)), "responses": answers}


def _session_header() -> dict[str, Any]:
    return {"name": "Mcp-Session-Id", "in": "header", "required": False, "schema": {"type": "string"}}


def _mcp() -> dict[str, Any]:
    answers = _answers(_RPC, 404, 408, 413, 503) | {"202": {"description": "A notification was taken"}}
    request = {
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "method": {"type": "string"},
            "params": {"type": "object"},
            "id": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        },
        "required": ["jsonrpc", "method"],
    }
    summary = "JSON-RPC: MCP's initialize, tools/list and tools/call; openenv/session/create and close"
    body = _body(request, is_required=True)
    return {"summary": summary, "parameters": [_session_header()], "requestBody": body, "responses": answers}


def _end() -> dict[str, Any]:
    answers = {str(status): {"description": "Refused"} for status in (400, 401, 403, 404)}
    answers["204"] = {"description": "The session has ended"}
    return {"summary": "End an MCP session", "parameters": [_session_header()], "responses": answers}
