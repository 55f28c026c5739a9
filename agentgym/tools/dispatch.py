"""The calls of one message carried out: read, found among the tools, run in order, and answered by tool messages.

Whose tools they are, and what an answer means for the episode, is up to `ToolEnv` and `ToolGame`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from agentgym.action import Action, ToolCall, parse_tool_calls
from agentgym.arguments import find_tool, tool_name
from agentgym.env import EnvReply, require_events, require_messages, wrong_return
from agentgym.errors import ContractError
from agentgym.game import GameReply
from agentgym.message import Message, ToolSchema, tool_result
from agentgym.tools.tool import Tool

Answer = TypeVar("Answer", EnvReply, GameReply)


def parse_calls(text: str, tools: Sequence[ToolSchema]) -> Action:
    """The calls of a message, their arguments checked against the tools, those of functions in full depth.

    Raises:
        ActionSyntaxError: There is none, or one is wrong; explains it to the author.
    """
    action = parse_tool_calls(text, tools)
    for call in action.tool_calls:
        tool = find_tool(call.name, tools)
        if isinstance(tool, Tool):
            tool.arguments(call.arguments)
    return action


def run_tool(tools: Sequence[ToolSchema], call: ToolCall, owner: object, reply: type[Answer]) -> str | Answer:
    """Run the function of one call.

    Args:
        tools: The tools that may be called.
        call: The call.
        owner: The environment or game: what methods that belong to no object yet are called on.
        reply: What a function may return besides a text.

    Raises:
        ContractError: The tool has no function, or it returned something else; names the function.
    """
    tool = find_tool(call.name, tools)
    if not isinstance(tool, Tool):
        raise ContractError(
            f"{type(owner).__name__} got the call {call}, but no function belongs to that tool; decorate one with "
            "@tool, or write call()"
        )
    function: Callable[..., Any] = tool if tool.owner is not None else tool.__get__(owner)
    answer = function(**tool.arguments(call.arguments))
    if isinstance(answer, str):
        return answer
    if not isinstance(answer, reply):
        raise wrong_return(tool.function, answer, f"a text or an agentgym.{reply.__name__}")
    require_events(answer.events, tool.function)
    if isinstance(answer, EnvReply):
        require_messages(answer.messages, tool.function, "a reply whose messages are ")
    return answer


def run_calls(
    calls: Sequence[ToolCall], max_calls: int, run: Callable[[ToolCall], Answer]
) -> Iterator[tuple[ToolCall, Answer | Message]]:
    """Each call of a message with its answer, in order; those beyond `max_calls` with a message that says so.

    Whoever reads it stops where an answer ends the episode: what follows is not run then.
    """
    for number, call in enumerate(calls):
        if number < max_calls:
            yield call, run(call)
        else:
            yield call, tool_result(call.id, call.name, f"Not run: at most {max_calls} calls a message.")


def as_tool_messages(call: ToolCall, messages: Sequence[Message]) -> list[Message]:
    """What a call was answered, as results of that call."""
    return [
        message
        if "tool_call_id" in message
        else {**message, "role": "tool", "tool_call_id": call.id, "name": call.name}
        for message in messages
    ]


def methods_of(kind: type) -> tuple[Tool, ...]:
    """The decorated methods of a class, those of its bases first, each in order of definition."""
    names = dict.fromkeys(
        name for base in reversed(kind.__mro__) for name, value in vars(base).items() if isinstance(value, Tool)
    )
    found = [getattr(kind, name) for name in names]
    return tuple(each for each in found if isinstance(each, Tool))


def require_different(tools: Sequence[ToolSchema], whose: str) -> None:
    """Refuse two tools of one name.

    Raises:
        ContractError: There are two; says which.
    """
    names = [tool_name(tool) for tool in tools]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ContractError(f"{whose} has two tools called {twice[0]!r}; rename one with @tool(name=...)")
