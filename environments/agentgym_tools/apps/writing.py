"""The ways in which calls of APIs are written: by call_api, as tools of their own, or in Python.

The opening of an episode says which it is, so that whoever plays knows it; what a call does is in `catalogue`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from agentgym.authoring.players import call_text
from agentgym.message import Message, content_text
from agentgym_tools.apps.session import FINISH
from agentgym_tools.worlds.calls import Call

Way = Literal["call", "schemas", "python"]
NOTES: Mapping[Way, str] = {
    "call": "",
    "schemas": "\nEach API is a tool, such as mail__get_mail.",
    "python": "\nIn Python, apis.mail.get_mail(mail_id=7) calls an API; apis.docs has the documentation.",
}
"""What the opening says of each way, at its end."""


def way_of(messages: Sequence[Message]) -> Way:
    """The way that the opening of a conversation names."""
    opening = content_text(messages[0])
    return next((way for way, note in NOTES.items() if note and opening.endswith(note)), "call")


def text_of(calls: Sequence[Call], way: Way = "call") -> str:
    """The message that makes some calls, in this order, and shows the results.

    Args:
        calls: The calls; one that ends the episode stands alone.
        way: How they are written.
    """
    if way == "python" and calls[0].tool != FINISH:
        lines = [f"print(apis.{call.tool}(**{dict(call.arguments)!r}))" for call in calls]
        return call_text("run_python", code="\n".join(lines))
    return "".join(_tool_call(call, way) for call in calls)


def _tool_call(call: Call, way: Way) -> str:
    app, _, api = call.tool.partition(".")
    if call.tool == FINISH:
        return call_text(FINISH, **call.arguments)
    if way == "schemas":
        return call_text(f"{app}__{api}", **call.arguments)
    return call_text("call_api", app=app, api=api, arguments=dict(call.arguments))
