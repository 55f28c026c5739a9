"""The acts of a talk: what an agent and a customer can say to each other, as typed calls.

How they are said in words, and how words are understood, is in `words`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from agentgym.message import ToolSchema
from agentgym.tools import tool_schema
from agentgym_tools.worlds.calls import Call

if TYPE_CHECKING:
    from agentgym_tools.desks.domain import Domain

AGENT, USER = "agent", "user"
"""The roles of a desk."""
ASK, PROPOSE, TELL, REPORT, REFUSE, TRANSFER, CLOSE = (
    "ask",
    "propose",
    "tell",
    "report",
    "refuse",
    "transfer",
    "close",
)
REQUEST, INFORM, UNKNOWN, CONFIRM, DENY, INSIST, ACCEPT, DIGRESS, WAIT, BYE, NOTICE = (
    "request",
    "inform",
    "unknown",
    "confirm",
    "deny",
    "insist",
    "accept",
    "digress",
    "wait",
    "bye",
    "notice",
)
UNCLEAR = "unclear"
"""What a customer hears beside the acts of a message in words: the parts that were not understood."""
INSTRUCT, DID = "instruct", "did"
ACTS_OF_AGENT = frozenset({ASK, PROPOSE, TELL, REPORT, REFUSE, TRANSFER, CLOSE, INSTRUCT})
"""What an agent and a customer say of the customer's own tools, where it has some."""

SAID = "Said."
"""What the speaker of an act gets as its result."""
_as_json = json.JSONEncoder(ensure_ascii=False).encode

_VALUE = {"type": ["string", "number"], "description": "Its value, as the tools give it."}


def _one_of(names: Any, description: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(names), "description": description}


def agent_acts(domain: Domain, *, lists_tools: bool = True) -> list[ToolSchema]:
    """What the agent can say to the customer.

    Args:
        domain: The desk.
        lists_tools: Whether proposals and reports list the tools that can be named; else the agent has to find them.
    """
    fact = _one_of(domain.facts, "Name of the fact.")
    action = _one_of(domain.writing, "Name of a tool that changes something.")
    if domain.unlisted or not lists_tools:
        kinds = "a tool or a procedure" if domain.unlisted else "a tool that you have found and"
        action = {"type": "string", "description": f"Name of {kinds} that changes something."}
    reason = _one_of(domain.reasons, "The reason.")
    arguments = {"type": "object", "description": "The arguments with which you would call it."}
    return [
        tool_schema(ASK, "Ask the customer for a fact.", fact=fact),
        tool_schema(PROPOSE, "Ask for the customer's yes to a call.", action=action, arguments=arguments),
        tool_schema(TELL, "Tell the customer a fact that you have read.", fact=fact, value=_VALUE),
        tool_schema(REPORT, "Say that something has been done.", action=action),
        tool_schema(REFUSE, "Say that the request may not be fulfilled.", reason=reason),
        tool_schema(TRANSFER, "Hand the customer over to a person; the talk ends.", reason=reason),
        tool_schema(CLOSE, "End the talk."),
        *([_instruct_schema(domain)] if domain.user_tools else []),
    ]


def solo_acts(domain: Domain) -> list[ToolSchema]:
    """What the agent can say where there is nobody to ask: what becomes of a ticket."""
    names = (TELL, REPORT, REFUSE, TRANSFER, CLOSE)
    return [act for act in agent_acts(domain) if act["function"]["name"] in names]


@cache
def user_acts(domain: Domain) -> Sequence[ToolSchema]:
    """What the customer can say to the agent."""
    fact = _one_of(domain.facts, "Name of the fact.")
    number = {"type": "integer", "minimum": 1, "description": "Which proposal of the last message, from 1."}
    facts = {"type": "object", "description": "What you say about it at once, by name of the fact."}
    return [
        tool_schema(REQUEST, "Say what you want.", goal=_one_of(domain.kinds, "Kind of the goal."), facts=facts),
        tool_schema(INFORM, "Tell a fact.", fact=fact, value=_VALUE),
        tool_schema(UNKNOWN, "Say that you do not know a fact.", fact=fact),
        tool_schema(CONFIRM, "Say yes to a proposal.", number=number),
        tool_schema(DENY, "Say no to a proposal.", number=number),
        tool_schema(INSIST, "Ask again for what was refused."),
        tool_schema(ACCEPT, "Accept what was refused."),
        tool_schema(DIGRESS, "Talk about something else."),
        tool_schema(WAIT, "Say that you are waiting."),
        tool_schema(BYE, "Say goodbye; the talk ends."),
        *([_did_schema(domain)] if domain.user_tools else []),
    ]


def described_call(tool: ToolSchema) -> str:
    """A tool as a line of text: its name, its parameters, and what it does."""
    function = tool["function"]
    fields = function["parameters"]["properties"].items()
    listed = ", ".join(key + (f" (one of {', '.join(each['enum'])})" if "enum" in each else "") for key, each in fields)
    return f"{function['name']}({listed}): {function['description']}"


@cache
def _instruct_schema(domain: Domain) -> ToolSchema:
    """It lists the customer's tools, which are none of the agent's, with their parameters."""
    lines = map(described_call, domain.user_tools.values())
    action = _one_of(domain.user_tools, "Name of one of the customer's tools.")
    arguments = {"type": "object", "description": "The arguments with which the customer shall use it."}
    described = "Ask the customer to use a tool of its own, and to tell what came of it:\n" + "\n".join(lines)
    return tool_schema(INSTRUCT, described, action=action, arguments=arguments)


def _did_schema(domain: Domain) -> ToolSchema:
    action = _one_of(domain.user_tools, "Name of your tool.")
    arguments = {"type": "object", "description": "The arguments with which you used it."}
    return tool_schema(
        DID, "Say that you used a tool of yours.", action=action, arguments=arguments, result="What came of it."
    )


def to_text(act: Call) -> str:
    """An act as its hearer on the customer's side gets it: a call as JSON."""
    return _as_json({"name": act.tool, "arguments": dict(act.arguments)})


def from_text(text: str) -> Call:
    """The inverse of `to_text`."""
    fields = json.loads(text)
    return Call(fields["name"], fields["arguments"])
