"""Tools that read or write a world: methods, each declared as the one or the other.

They refuse only what cannot be done at all; what an agent may do with them is not their matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.tools import Tool
from agentgym.tools.dispatch import methods_of
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.world import World

Seen = tuple[str, str]
"""A row that a tool showed: its table and its key as text."""

_as_json = json.JSONEncoder(ensure_ascii=False).encode


class ToolFailure(Exception):  # noqa: N818 - the agent's business, no fault of the program
    """What a tool answers instead of doing something; nothing has changed then."""


class WorldTool(Tool):
    """A tool that says whether it writes.

    Args:
        function: A method of a `Toolbox`; it returns what JSON has, which becomes the tool's answer.
        is_writing: Whether it changes the world.

    Attributes:
        is_listed: Whether agents are shown it; else only documents name it.
    """

    def __init__(self, function: Callable[..., Any], is_writing: bool) -> None:
        super().__init__(function)
        self.is_writing = is_writing
        self.is_listed = True


def reads(function: Callable[..., Any]) -> WorldTool:
    """Decorator: a method as a tool that only reads."""
    return WorldTool(function, is_writing=False)


def writes(function: Callable[..., Any]) -> WorldTool:
    """Decorator: a method as a tool that changes the world."""
    return WorldTool(function, is_writing=True)


def unlisted(tool: WorldTool) -> WorldTool:
    """Decorator above `reads` or `writes`: a tool that agents are not shown."""
    tool.is_listed = False
    return tool


@dataclass(frozen=True)
class Result:
    """What a call did.

    Attributes:
        answer: What the tool returned, or why it failed.
        is_failure: Whether it failed; nothing has changed then.
        seen: The rows that it showed.
    """

    answer: Any
    is_failure: bool
    seen: frozenset[Seen]

    @property
    def text(self) -> str:
        """The answer as the agent reads it."""
        return self.answer if isinstance(self.answer, str) else _as_json(self.answer)


class Toolbox:
    """Tools bound to one world.

    A subclass decorates methods with `reads` and `writes`. They raise `ToolFailure` for what cannot be done.

    Args:
        world: The world that they read and write.

    Attributes:
        tools: All tools by name.
    """

    tools: ClassVar[dict[str, WorldTool]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.tools = {each["function"]["name"]: each for each in methods_of(cls) if isinstance(each, WorldTool)}

    def __init__(self, world: World) -> None:
        self.world = world
        self._seen: set[Seen] = set()

    def call(self, call: Call) -> Result:
        """Carry out a call; one that fails changes nothing.

        Raises:
            ContractError: There is no such tool.
        """
        tool = self.tools.get(call.tool)
        if tool is None:
            raise ContractError(f"{type(self).__name__} has no tool {call.tool!r}; it has {', '.join(self.tools)}")
        self._seen = set()
        try:
            arguments = tool.arguments(dict(call.arguments))
            with self.world.call(may_write=tool.is_writing):
                answer = tool.function(self, **arguments)
        except (ToolFailure, ActionSyntaxError) as failure:
            return Result(f"Error: {failure}", True, frozenset())
        except (UnicodeEncodeError, OverflowError):
            return Result("Error: an argument is no valid text, or a number too large.", True, frozenset())
        return Result(answer, False, frozenset(self._seen))

    def show(self, table: str, key: str | int) -> None:
        """Note that the answer shows a row: the evidence for a refusal is what was seen."""
        self._seen.add((table, str(key)))


class UserToolbox(Toolbox):
    """The tools in a customer's own hands, such as those of its phone; they change the same world.

    Args:
        world: The world that they read and write.
        customer: Key of the customer.
    """

    def __init__(self, world: World, customer: str) -> None:
        super().__init__(world)
        self.customer = customer
