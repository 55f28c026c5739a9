"""Data between server and client: public tasks, arrays, outcomes, and the extra field in OpenEnv's frames.

Frames are in `agentgym.remote.frames`. `session` and `client` decide who sends what and when.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from agentgym import errors
from agentgym.errors import AgentGymError, InfrastructureError, TaskError
from agentgym.outcome import Outcome
from agentgym.reward import event_from_json
from agentgym.task import Limits, Task

VERSION = 1
"""Of what the field `agentgym` of observations holds."""
OURS = "agentgym"
"""Name of the declared observation field, and type of the messages that OpenEnv does not have."""
CONTENT_HASH = "content_hash"
"""Beside a public task: the hash of the whole, by which a server tells that its own copy is the same problem."""

ErrorCode = Literal[
    "INVALID_JSON",
    "UNKNOWN_TYPE",
    "VALIDATION_ERROR",
    "EXECUTION_ERROR",
    "CAPACITY_REACHED",
    "FACTORY_ERROR",
    "SESSION_ERROR",
]
_ARRAY = "$uint8"
_DEFAULTS = Limits()
_LIMITS = tuple(field.name for field in dataclasses.fields(Limits))
_STEP_KEYS = frozenset({"messages", "reward_events", "turn", "is_invalid", "outcome", "success", "score"})
_RESET_KEYS = frozenset({"messages", "task_id", "reward_events"})


def public_task(task: Task) -> dict[str, Any]:
    """A task as JSON without its private part and everything that depends on it."""
    limits = task.limits
    return {
        "id": task.id,
        "seed": task.seed,
        "instruction": task.instruction,
        "suite": task.suite,
        "split": task.split,
        "stratum": task.stratum,
        "config": dict(task.config),
        "seed_is_content": task.seed_is_content,
        "limits": {name: value for name in _LIMITS if (value := getattr(limits, name)) != getattr(_DEFAULTS, name)},
    }


def task_fields(task: Task, *, with_private: bool) -> dict[str, Any]:
    """A task as a client sends it.

    Args:
        task: The task.
        with_private: Whether a task of a suite is sent with its private part. If not, its content hash names it, and
            the server reads the rest from its own copy of the suite.
    """
    if task.suite and not with_private:
        return {**public_task(task), CONTENT_HASH: task.content_hash}
    return task.to_json() if task.private else public_task(task)


def read_task(fields: Any) -> Task:
    """A task from JSON.

    Raises:
        TaskError: It is malformed.
    """
    if not isinstance(fields, Mapping):
        raise TaskError(f"a task is an id or an object, got {type(fields).__name__}")
    try:
        return Task.from_json(fields)
    except TypeError as error:
        raise TaskError(f"task {fields.get('id')!r} has a value of the wrong type: {error}") from None


def is_same_problem(public: Task, known: Task) -> bool:
    """Whether a public task may be completed with the private part of a known one."""
    return public_task(public) == public_task(known)


def reset_fields(info: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """The contents of the field `agentgym` after a reset."""
    ours = {"messages": info["messages"], "task": public_task(task), "truncated": False}
    if info["reward_events"]:
        ours["reward_events"] = [event._asdict() for event in info["reward_events"]]
    return _with_extras(ours, info, _RESET_KEYS)


def step_fields(info: Mapping[str, Any], truncated: bool) -> dict[str, Any]:
    """The contents of the field `agentgym` after a step or a finalize."""
    ours = {
        "messages": info.get("messages", ()),
        "reward_events": [event._asdict() for event in info["reward_events"]],
        "truncated": truncated,
    }
    if "turn" in info:
        ours["turn"], ours["is_invalid"] = info["turn"], info["is_invalid"]
    outcome = info.get("outcome")
    if outcome is not None:
        ours["outcome"] = {"kind": outcome.kind, "cause": outcome.cause}
        ours["success"], ours["score"] = info["success"], info["score"]
    return _with_extras(ours, info, _STEP_KEYS)


def read_info(ours: Mapping[str, Any]) -> dict[str, Any]:
    """The info of a reset, step or finalize from the field `agentgym`."""
    events = [event_from_json(fields) for fields in ours.get("reward_events", ())]
    info: dict[str, Any] = {"messages": ours["messages"], "reward_events": events}
    for name in ("turn", "is_invalid"):
        if name in ours:
            info[name] = ours[name]
    outcome = ours.get("outcome")
    if outcome is not None:
        info["outcome"] = Outcome(outcome["kind"], outcome["cause"])
        info["success"], info["score"] = ours["success"], ours["score"]
    info.update(ours.get("info", {}))
    return info


def encode_special(value: Any) -> Any:
    """JSON for values that JSON lacks: arrays of bytes, and numpy numbers."""
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        return {_ARRAY: base64.b64encode(value.tobytes()).decode("ascii"), "shape": value.shape}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def decode_special(fields: dict[str, Any]) -> Any:
    """The inverse for JSON objects; objects that are no array stay as they are."""
    if _ARRAY not in fields or len(fields) != 2:
        return fields
    pixels = np.frombuffer(base64.b64decode(fields[_ARRAY]), np.uint8)
    return pixels.reshape(fields["shape"]).copy()


def error_name(error: BaseException) -> str:
    """The name of an error's class for a client; "" for an error that is not agentgym's."""
    return type(error).__name__ if isinstance(error, AgentGymError) else ""


def error_of(name: str, message: str) -> Exception:
    """The error that a client raises for a server's."""
    if name == "UnknownNameError":
        return TaskError(message)
    kind = getattr(errors, name, None) if name else None
    if isinstance(kind, type) and issubclass(kind, AgentGymError) and kind is not errors.MissingExtraError:
        return kind(message)
    return InfrastructureError(message)


def _with_extras(ours: dict[str, Any], info: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    if len(info) > len(known) or not info.keys() <= known:
        ours["info"] = {name: value for name, value in info.items() if name not in known}
    return ours


def tool_list(tools: Sequence[Mapping[str, Any]], schema_key: str) -> list[dict[str, Any]]:
    """OpenAI function schemas as MCP's list of tools.

    Args:
        tools: The schemas.
        schema_key: Name of the parameters' schema: inputSchema in MCP, input_schema in OpenEnv's observations.
    """
    functions = [tool.get("function", tool) for tool in tools]
    return [
        {
            "name": function["name"],
            "description": function.get("description") or "",
            schema_key: function.get("parameters") or {"type": "object", "properties": {}},
        }
        for function in functions
    ]
