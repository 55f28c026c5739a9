"""Checks of clients' messages: unknown fields are refused, never silently dropped.

`openenv` handles the checked messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from agentgym.env import CutMessage
from agentgym.outcome import CutReason
from agentgym.remote.json_text import dumps
from agentgym.remote.wire import ErrorCode

MAX_EPISODE_ID = 255
MAX_SEED = 2**64
_FINAL_REASONS = get_args(CutReason)

STEP_SCHEMA: dict[str, Any] = {
    "title": "Action",
    "type": "object",
    "properties": {
        "message": {"type": "string", "description": "One message of the agent: text, or tool calls in it."},
        "was_cut": {"type": "boolean", "default": False, "description": "Whether the token limit cut the message."},
        "metadata": {"type": "object", "default": {}, "description": "Ignored."},
    },
    "required": ["message"],
    "additionalProperties": False,
}
"""JSON schema of an action."""


class Refused(Exception):  # noqa: N818 - internal: becomes an error message to the client
    """A message that cannot be carried out.

    Args:
        code: OpenEnv's code.
        text: Text for the client.
        more: Further fields of the error message.
    """

    def __init__(self, code: ErrorCode, text: str, **more: Any) -> None:
        super().__init__(text)
        self.code, self.more = code, more

    @classmethod
    def wrong(cls, loc: Sequence[str], text: str, got: Any) -> Refused:
        """The refusal of a value that is missing or of the wrong type."""
        kind = "missing" if got is None else "value_error"
        fault = {"type": kind, "loc": list(loc), "msg": text, "input": _short(got)}
        return cls("VALIDATION_ERROR", f"Invalid message: {'.'.join(loc)}: {text}", errors=[fault])

    @classmethod
    def unknown(cls, names: Sequence[str], expected: str = "") -> Refused:
        """The refusal of unknown keys."""
        faults = [{"type": "extra_forbidden", "loc": [name[:100]], "msg": "unknown key"} for name in names[:20]]
        listed = ", ".join(repr(name[:100]) for name in names[:20])
        return cls("VALIDATION_ERROR", f"Invalid message: unknown keys {listed}{expected}", errors=faults)

    def to_json(self) -> dict[str, Any]:
        """The data of the error message."""
        return {"message": str(self), "code": self.code, **self.more}

    def frame(self) -> bytes:
        """The error message."""
        return dumps({"type": "error", "data": self.to_json()})


def read_reset(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check `seed`, `episode_id` and `task` of a reset.

    Raises:
        Refused: It has another field, or a value is of the wrong type.
    """
    unknown = sorted(data.keys() - {"seed", "episode_id", "task"})
    if unknown:
        raise Refused.unknown(unknown, "; a reset takes seed, episode_id and task")
    read_seed({"seed": data.get("seed")})
    episode_id = data.get("episode_id")
    if episode_id is not None and (type(episode_id) is not str or len(episode_id) > MAX_EPISODE_ID):
        raise Refused.wrong(["episode_id"], f"an episode id is text of at most {MAX_EPISODE_ID} characters", episode_id)
    if not isinstance(data.get("task"), str | dict | None):
        raise Refused.wrong(["task"], "a task is an id or an object", data["task"])
    return data


def read_step(data: Mapping[str, Any]) -> str:
    """The agent's message of an action.

    Raises:
        Refused: It is malformed.
    """
    unknown = sorted(data.keys() - {"message", "was_cut", "metadata"})
    if unknown:
        raise Refused.unknown(unknown, "; an action takes message, was_cut and metadata")
    text, was_cut = data.get("message"), data.get("was_cut", False)
    if type(text) is not str:
        raise Refused.wrong(["message"], "Field required" if text is None else "a message is text", text)
    if type(was_cut) is not bool:
        raise Refused.wrong(["was_cut"], "true or false", was_cut)
    if not isinstance(data.get("metadata", {}), dict):
        raise Refused.wrong(["metadata"], "metadata is an object", data["metadata"])
    return CutMessage(text) if was_cut else text


def read_seed(data: Mapping[str, Any]) -> int | None:
    """The seed of a message that contains nothing else.

    Raises:
        Refused: There is another field, or the value is no seed.
    """
    unknown = sorted(data.keys() - {"seed"})
    if unknown:
        raise Refused.unknown(unknown)
    seed = data.get("seed")
    if seed is None:
        return None
    if type(seed) is not int or not 0 <= seed < MAX_SEED:
        raise Refused.wrong(["seed"], "a seed is an integer from 0 to 2^64 - 1", seed)
    return seed


def read_finalize(data: Mapping[str, Any]) -> CutReason:
    """The reason why an episode is cut.

    Raises:
        Refused: There is another field, or the reason does not exist.
    """
    unknown = sorted(data.keys() - {"reason"})
    if unknown:
        raise Refused.unknown(unknown)
    reason = data.get("reason")
    if reason not in _FINAL_REASONS:
        raise Refused.wrong(["reason"], f"one of {', '.join(_FINAL_REASONS)}", reason)
    return cast(CutReason, reason)


def _short(value: Any) -> Any:
    return value if isinstance(value, int | float | bool | None) else repr(value)[:100]
