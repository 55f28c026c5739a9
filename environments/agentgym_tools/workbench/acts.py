"""The acts by which an agent ends a request or asks the user, as tools."""

from __future__ import annotations

from agentgym.message import ToolSchema
from agentgym.tools import tool_schema

DONE, DECLINE, ASK = "done", "decline", "ask_user"
REASONS = {
    "already_so": "it is so already",
    "not_found": "what is named does not exist",
    "not_possible": "the state of things forbids it",
    "no_tool": "no tool that you have can do it",
}
"""Why a request comes to nothing, each in words."""
NO_CALL = f"Call a tool. When a request is dealt with, call {DONE}; if it comes to nothing, call {DECLINE}."
NO_VALUE = "I have told you all that I know about this."
PUT_RIGHT = "That was not right; I have put it right myself."
ALL_DONE = "That was all."

_ANSWER = {
    "type": ["string", "number", "array", "null"],
    "items": {"type": "string"},
    "description": "The answer alone, where the request asks for one.",
}
_done = tool_schema(DONE, "Say that the request is dealt with.", answer=_ANSWER)
_done["function"]["parameters"]["required"] = []
_REASON = {
    "type": "string",
    "enum": list(REASONS),
    "description": "; ".join(f"{name}: {words}" for name, words in REASONS.items()) + ".",
}
ACTS: tuple[ToolSchema, ...] = (
    _done,
    tool_schema(DECLINE, "Say that the request comes to nothing, and why; change nothing then.", reason=_REASON),
    tool_schema(
        ASK,
        "Ask the user for a value that the request needs and that no tool can show.",
        parameter="Name of the parameter of the tool that you would call with it.",
    ),
)
"""The acts as tools."""
