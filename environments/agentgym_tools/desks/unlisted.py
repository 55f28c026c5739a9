"""Tools that only documents name: the one tool by which an agent uses them.

Everywhere else they are tools as others; an agent's calls are read and written by `conditions.options.Interface`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym.message import ToolSchema
from agentgym.tools import tool_schema
from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import WorldTool

PROCEDURE = "use_procedure"
UNKNOWN = "Error: there is no procedure of this name; nothing was done. The documents name the procedures."
"""What an unknown name is answered; it does not say which names there are."""
PROCEDURE_TOOL: ToolSchema = tool_schema(
    PROCEDURE,
    "Use a procedure that a document names. Open its document first.",
    name="Its name, as the document has it.",
    arguments={"type": "object", "description": "Its arguments, as the document describes them."},
)


def shown_tools(domain: Domain) -> dict[str, ToolSchema]:
    """A desk's tools that agents are shown, by name: those listed, and the one that makes unlisted calls."""
    return {**domain.listed, **({PROCEDURE: PROCEDURE_TOOL} if domain.unlisted else {})}


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


def refusal_of(call: Call, unlisted: Mapping[str, WorldTool]) -> str:
    """Why a procedure is not carried out: its name is unknown, or its arguments do not fit; "" for all other calls."""
    if call.tool == PROCEDURE:
        return UNKNOWN
    if call.tool in unlisted:
        try:
            unlisted[call.tool].arguments(dict(call.arguments))
        except ActionSyntaxError as refusal:
            return f"Error: {refusal}"
    return ""


def named_in(act: Call, tools: Mapping[str, WorldTool]) -> WorldTool:
    """The tool that an act proposes or instructs to use.

    Raises:
        ActionSyntaxError: There is none of this name, or it changes nothing that could be proposed.
    """
    tool = tools.get(act.arguments["action"])
    if tool is None or (act.tool == talk.PROPOSE and not tool.is_writing):
        raise ActionSyntaxError(f"{act.tool}.action must name what changes something, as it is called here.")
    return tool
