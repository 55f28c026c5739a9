"""Actions that a message writes as JSON: bare, in a fenced block, in a tool call or after some prose.

What the fields mean is up to each syntax.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from agentgym.action import parse_tool_calls, split_reasoning
from agentgym.errors import ActionSyntaxError
from agentgym.message import ToolSchema
from agentgym_gui.actions.events import ActionError, Done, Event, Fail, shown
from agentgym_gui.actions.values import MAX_ACTIONS, typeable, whole_message

_MAX_STARTS = 64
FENCE = re.compile(r"```(?:[a-zA-Z]*[ \t]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
"""A fenced block; its first group is what stands in it."""
_TAGS = re.compile(r"</?tool_call>")
_START = re.compile(r"[\[{]")
_LOOKS_LIKE_JSON = re.compile(r"""[\[{]\s*(?:["'\[{}\]]|\Z)""")
DONE, FAIL = ENDS = ("DONE", "FAIL")
"""Words that end an episode; an answer or a reason may stand behind them."""
END_GUIDE = (
    "When the task is done, answer DONE without an action, and behind it what was asked for, if anything, as in "
    "DONE 42. Answer FAIL when it cannot be done."
)
"""Tells a model how to end an episode. Some tools have no action for it."""
_ENVELOPES = ("arguments", "input", "action", "actions")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON knows")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def json_actions(
    message: object, example: str, words: Sequence[str] = (), tools: Sequence[ToolSchema] = ()
) -> list[dict[str, Any] | str]:
    """The actions of a message, in order: objects, and words that stand for one.

    Args:
        message: What the model wrote.
        example: An action, for error messages.
        words: Words that are actions by themselves, such as "DONE". Without JSON, the last line may begin with one of
            them, and then it is returned whole.
        tools: Tools that may be called in Python call syntax instead.

    Raises:
        ActionError: There is no action, a part of the JSON is broken, or there are too many.
    """
    text = split_reasoning(whole_message(message))[0]
    if "```" in text:
        text = "\n".join(FENCE.findall(text))
    text = _TAGS.sub(" ", text).strip()
    found: list[dict[str, Any] | str] = []
    for value in _values(text, example):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) or (isinstance(item, str) and item in words):
                found.append(item)
            else:
                raise ActionError(f"An action is a JSON object, got {shown(item)}. Write it as {example}.")
            if len(found) > MAX_ACTIONS:
                raise ActionError(f"The message has more than {MAX_ACTIONS} actions. Send fewer at once.")
    is_call = any(f"{tool['function']['name']}(" in text for tool in tools)
    if not found and not is_call and (word := _last_word(text, words)):
        found = [word]
    if not found and tools and "(" in text:
        found = _called(text, tools)
    if not found:
        end = f" When the task is done, answer {DONE}." if DONE in words else ""
        raise ActionError(f"The message has no action. Write one as {example}.{end}")
    return found


def ended(word: str) -> tuple[Event, ...]:
    """What the word DONE or FAIL says, with the answer or the reason behind it; nothing for another word.

    Raises:
        ActionError: What stands behind it cannot be read.
    """
    name = next((each for each in ENDS if word.startswith(each)), "")
    if not name:
        return ()
    said = typeable(word.removeprefix(name).lstrip(":.!").strip(), f"What stands behind {name}")
    return (Done(said),) if name == DONE else (Fail(said),)


def unwrapped(item: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The actions inside an envelope of an API, such as {"name": "computer", "input": {…}}; the object itself if bare.

    Args:
        item: The object.
        name: Name of the tool.

    Raises:
        ActionError: The envelope names another tool, or what is in it is no object.
    """
    inner = item.get("function", item)
    if not isinstance(inner, dict):
        raise ActionError(f'"function" must be an object, got {shown(inner)}.')
    called = inner.get("name")
    is_envelope = isinstance(called, str) or item.get("type") == "computer_call"
    if not is_envelope:
        return [inner]
    if isinstance(called, str) and called != name:
        raise ActionError(f"There is no tool {called[:40]!r}. The tool is {name!r}.")
    for key in _ENVELOPES:
        if key in inner:
            content = inner[key]
            if isinstance(content, str):
                content = _load(content, f'"{key}" of {name}')
            contents = content if isinstance(content, list) else [content]
            if not contents or not all(isinstance(each, dict) for each in contents):
                raise ActionError(f'"{key}" of {name} must be an object, got {shown(content)}.')
            return contents
    raise ActionError(f'The call of {name} has no "arguments".')


def _last_word(text: str, words: Sequence[str]) -> str:
    """The last line of a text, if it begins with one of some words; else ""."""
    line = text.strip().rpartition("\n")[2].strip().strip('"')
    found = re.match(r"[A-Z]+\b", line)
    return line if found is not None and found[0] in words else ""


def _values(text: str, example: str) -> Iterator[Any]:
    """The JSON objects and lists of a text; prose between them is skipped, and broken JSON is not."""
    at = num_starts = 0
    while start := _START.search(text, at):
        num_starts += 1
        if num_starts > _MAX_STARTS + MAX_ACTIONS:
            raise ActionError(f"The message has too many brackets that are no JSON. Write an action as {example}.")
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            if not isinstance(error, json.JSONDecodeError) or _LOOKS_LIKE_JSON.match(text, start.start()):
                raise _broken(error, text, example) from None
            at = start.end()
        else:
            yield value


def _broken(error: Exception, text: str, example: str) -> ActionError:
    if isinstance(error, json.JSONDecodeError):
        near = text[max(0, error.pos - 12) : error.pos + 12]
        reason = f"{error.msg} at character {error.pos}, near {near!r}"
    else:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
    return ActionError(f"The action is no valid JSON: {reason}. Write it as {example}.")


def _load(text: str, what: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise ActionError(f"{what} is no valid JSON: {str(error)[:200] or 'it is nested too deeply'}.") from None


def _called(text: str, tools: Sequence[ToolSchema]) -> list[dict[str, Any] | str]:
    try:
        action = parse_tool_calls(text, tools)
    except ActionSyntaxError as error:
        raise ActionError(str(error)) from None
    return [call.arguments for call in action.tool_calls]
