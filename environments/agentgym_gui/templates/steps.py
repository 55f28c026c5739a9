"""Steps of an oracle that acts through the interface alone: calls of tools, as JSON that a task can hold.

Elements are named by role and name and are found on the screen when the step is played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Step = Mapping[str, Any]


def call(tool: str, **arguments: Any) -> Step:
    """A call of a tool."""
    return {"tool": tool, "arguments": arguments}


def click(role: str = "", name: str | None = None, nth: int = 0) -> Step:
    """A click on the element of that role and name."""
    return {"tool": "click", "arguments": {}, "element": {"role": role, "name": name, "nth": nth}}


def press(keys: str) -> Step:
    """A combination of keys."""
    return call("press", keys=keys)


def typed(text: str) -> Step:
    """Text at the place of the caret."""
    return call("type_text", text=text)


def finish(answer: str = "") -> Step:
    """The end, with an answer where one is asked for."""
    return call("finish", answer=answer) if answer else call("finish")


def give_up(reason: str) -> Step:
    """The end, where the task cannot be done."""
    return call("give_up", reason=reason)
