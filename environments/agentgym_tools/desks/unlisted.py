"""Tools that only documents name: the one tool by which an agent uses them.

Everywhere else they are tools as others; an agent's calls are read and written by `conditions.options.Interface`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.message import ToolSchema
from agentgym.tools import tool_schema
from agentgym_tools.worlds.calls import Call

PROCEDURE = "use_procedure"
UNKNOWN = "Error: there is no procedure of this name; nothing was done. The documents name the procedures."
"""What an unknown name is answered; it does not say which names there are."""
PROCEDURE_TOOL: ToolSchema = tool_schema(
    PROCEDURE,
    "Use a procedure that a document names. Open its document first.",
    name="Its name, as the document has it.",
    arguments={"type": "object", "description": "Its arguments, as the document describes them."},
)


def as_procedure(call: Call, unlisted: Mapping[str, Any]) -> Call:
    """A call as an agent has to make it."""
    if call.tool not in unlisted:
        return call
    return Call(PROCEDURE, {"name": call.tool, "arguments": dict(call.arguments)})


def from_procedure(call: Call, unlisted: Mapping[str, Any]) -> Call:
    """The inverse of `as_procedure`; a call of an unknown procedure stays as it is."""
    given = call.arguments
    if call.tool != PROCEDURE or given.get("name") not in unlisted or not isinstance(given.get("arguments"), Mapping):
        return call
    return Call(given["name"], given["arguments"])
