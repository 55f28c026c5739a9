"""One agent message as an action: content, reasoning and tool calls, parsed once from text.

There are no tokens here, and nothing is executed: Python call syntax is read by an `ast` whitelist.
`agentgym.prompting.parsing` knows how model families spell calls, and `agentgym.arguments` checks arguments against
schemas.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from agentgym.arguments import check_arguments, find_tool, parameters_of, tool_name
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, ToolSchema
from agentgym.python_source import in_words, parse, without_warnings

MAX_TEXT = 1_000_000
"""Longest text, in characters, that is parsed for tool calls."""
MAX_PYTHON_TEXT = 20_000
"""Longest text, in characters, that is parsed as Python call syntax."""
MAX_DEPTH = 32
"""Deepest nesting of brackets that is parsed."""
MAX_CALLS = 64
"""Most tool calls in one message."""
MAX_INT_BITS = 14_000
"""Longest integer that is read, a little shorter than what Python writes out (4,300 digits)."""

EXPECTED = (
    'Expected a tool call such as <tool_call>{"name": "tool", "arguments": {"key": "value"}}</tool_call> '
    'or tool(key="value").'
)


class ToolCall(NamedTuple):
    """One call of a tool.

    Attributes:
        id: Ties the call to its result; `call_<i>` if the model gave none.
        name: The tool's name as its schema states it.
        arguments: Argument values by parameter name, checked against the schema; plain JSON types.
    """

    id: str
    name: str
    arguments: dict[str, Any]


class Action(NamedTuple):
    """One agent message, normalised.

    Attributes:
        text: The message as it was written.
        content: The text without reasoning and tool calls.
        reasoning: The text between think tags; None without such tags.
        tool_calls: The calls, in order; empty in dialogue.
    """

    text: str
    content: str
    reasoning: str | None
    tool_calls: tuple[ToolCall, ...]


_THOUGHT = re.compile(r"\s*+(?:<think>)?(.*?)</think>\s*", re.DOTALL)
_OPENING, _CLOSING = "<tool_call>", "</tool_call>"
_BLOCK = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z_]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_STRING = re.compile(r"(?P<quote>['\"])(?:\\.|(?!(?P=quote))[^\\\n])*(?P<end>(?P=quote))?", re.DOTALL)
"""A string as far as its line goes; `end` is missing from one that does not end there."""
_PYTHON_CONSTANTS = {"true": True, "false": False, "null": None}


def parse_text(text: str) -> Action:
    """Reads a message of a dialogue: everything except the text between think tags is content.

    Args:
        text: The message as the policy wrote it.

    Returns:
        The action, without tool calls. A thought that is never closed leaves the content empty.
    """
    if "think>" not in text:
        return Action(text, text, None, ())
    content, reasoning = split_reasoning(text)
    return Action(text, content, reasoning, ())


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Splits a message into content and reasoning.

    The opening tag may be missing: some templates write it into the prompt.

    Returns:
        Content and reasoning; reasoning is None if the text has no think tag.
    """
    if "think>" not in text:
        return text, None
    thought = _THOUGHT.match(text)
    if thought:
        return text[thought.end() :], thought.group(1).strip()
    if text.lstrip().startswith("<think>"):
        return "", text.lstrip()[len("<think>") :].strip()
    return text, None


def parse_tool_calls(text: str, tools: Sequence[ToolSchema]) -> Action:
    """Reads a message that calls tools.

    Accepted: a JSON object `{"name", "arguments"}`, OpenAI's `{"function": {"name", "arguments": "<json>"}}` or a list
    of either; `<tool_call>` blocks with text around them; Python calls on lines, separated by `;` or in a list; each
    also in a fenced code block.

    Args:
        text: The message as the policy wrote it.
        tools: The tools that may be called, as OpenAI function schemas.

    Returns:
        The action, with at least one tool call; the arguments are checked against the schemas.

    Raises:
        ActionSyntaxError: The text has no valid call; the message says what to write instead.
    """
    if len(text) > MAX_TEXT:
        raise ActionSyntaxError(f"The message has {len(text)} characters; at most {MAX_TEXT} are read. Write less.")
    if not text.isascii():
        _refuse_surrogates(text)
    body, reasoning = split_reasoning(text)
    if body.startswith(_OPENING) and body.endswith(_CLOSING) and body.count(_OPENING) == body.count(_CLOSING) == 1:
        content, sources = "", [body[len(_OPENING) : -len(_CLOSING)]]  # the usual message, without searching it
    elif _OPENING in body:
        content = _BLOCK.sub("", body).strip()
        sources = _BLOCK.findall(body)
    elif "```" in body and _FENCE.search(body):
        content = _FENCE.sub("", body).strip()
        sources = _FENCE.findall(body)
    else:
        content, sources = "", [body]
    calls: list[ToolCall] = []
    for source in sources:
        for call_id, name, arguments in _read_calls(source.strip(), tools):
            if len(calls) >= MAX_CALLS:
                raise ActionSyntaxError(f"The message holds more than {MAX_CALLS} tool calls. Make fewer at once.")
            tool = find_tool(name, tools)
            check_arguments(arguments, tool)
            calls.append(ToolCall(call_id or f"call_{len(calls)}", tool_name(tool), arguments))
    if not calls:
        raise ActionSyntaxError(f"The message holds no tool call. {EXPECTED}")
    return Action(text, content, reasoning, tuple(calls))


def to_message(action: Action) -> Message:
    """The assistant message of an action, with arguments as JSON text, as in OpenAI's form."""
    message: Message = {"role": "assistant", "content": action.content}
    if action.reasoning is not None:
        message["reasoning_content"] = action.reasoning
    if action.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in action.tool_calls
        ]
    return message


def reply_message(text: str, tools: Sequence[ToolSchema]) -> Message:
    """A role's message as its conversation has it: with its tool calls, or as text if no calls can be read.

    Args:
        text: The message as it was written.
        tools: The tools that the role may call; none in dialogue.
    """
    if tools:
        try:
            return to_message(parse_tool_calls(text, tools))
        except ActionSyntaxError:
            pass
    return to_message(parse_text(text))


def render_python_call(call: ToolCall) -> str:
    """The call as a person reads it in a transcript: `search(query='Oslo')`."""
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


_RawCall = tuple[str | None, str, dict[str, Any]]


def _read_calls(source: str, tools: Sequence[ToolSchema]) -> Iterator[_RawCall]:
    """Calls of one source text as (id or None, name, arguments), JSON where it looks like it, else Python syntax."""
    if not source:
        raise ActionSyntaxError(f"A tool call is empty. {EXPECTED}")
    if source[0] == "{":
        return _json_calls(_load_json(source))
    if source[0] == "[":
        try:
            return _json_calls(_load_json(source))
        except ActionSyntaxError:
            if "(" not in source:
                raise
    return _python_calls(source, tools)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {digits[:20]} is too large")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)


def _load_json(source: str) -> Any:
    _refuse_depth(source)
    try:
        value = _DECODER.decode(source)
    except json.JSONDecodeError as error:
        found = source[max(0, error.pos - 12) : error.pos + 12]
        raise ActionSyntaxError(
            f"The tool call is not valid JSON: {error.msg.removesuffix(' at')} at character {error.pos}, "
            f"near {found!r}. {EXPECTED}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ActionSyntaxError(f"The tool call is not valid JSON: {str(error)[:200]}. {EXPECTED}") from None
    if "\\u" in source:
        _refuse_surrogates(json.dumps(value, ensure_ascii=False))
    return value


def _json_calls(value: Any) -> Iterator[_RawCall]:
    for item in value if isinstance(value, list) else [value]:
        yield _json_call(item)


def _json_call(item: Any) -> _RawCall:
    if not isinstance(item, dict):
        raise ActionSyntaxError(f"A tool call must be a JSON object, got {type(item).__name__}. {EXPECTED}")
    function = item.get("function", item)
    if not isinstance(function, dict):
        raise ActionSyntaxError(f'"function" must be a JSON object with "name" and "arguments". {EXPECTED}')
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise ActionSyntaxError(f'The tool call has no "name". {EXPECTED}')
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = _load_json(arguments.strip() or "{}")
    if not isinstance(arguments, dict):
        kind = type(arguments).__name__
        raise ActionSyntaxError(f'"arguments" of {name[:80]} must be a JSON object, got {kind}. {EXPECTED}')
    call_id = item.get("id")
    return (call_id if isinstance(call_id, str) and call_id else None), name, arguments


def _python_calls(source: str, tools: Sequence[ToolSchema]) -> Iterator[_RawCall]:
    if len(source) > MAX_PYTHON_TEXT:
        raise ActionSyntaxError(f"The call has {len(source)} characters; at most {MAX_PYTHON_TEXT} are read.")
    _refuse_depth(source)
    try:
        tree = parse(without_warnings(source))
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ActionSyntaxError(f"The message holds no readable tool call ({reason}). {EXPECTED}") from None
    for statement in tree.body:
        if not isinstance(statement, ast.Expr):
            raise ActionSyntaxError(f"Only calls are allowed, got {in_words(statement)}. {EXPECTED}")
        expression = statement.value
        for node in expression.elts if isinstance(expression, ast.List) else [expression]:
            yield _python_call(node, tools)


def _python_call(node: ast.expr, tools: Sequence[ToolSchema]) -> _RawCall:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ActionSyntaxError(f"Only calls of tools are allowed, got {in_words(node)}. {EXPECTED}")
    name = node.func.id
    arguments: dict[str, Any] = {}
    if node.args:
        order = list(parameters_of(find_tool(name, tools)))
        if len(node.args) > len(order):
            names = f" ({', '.join(order)})" if order else ""
            raise ActionSyntaxError(f"{name} takes at most {len(order)} arguments{names}, got {len(node.args)}.")
        for parameter, value in zip(order, node.args, strict=False):
            arguments[parameter] = _literal(value)
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            got = "**" if keyword.arg is None else f"{keyword.arg} twice"
            raise ActionSyntaxError(f"{name} got {got}: give each argument once, by position or by name.")
        arguments[keyword.arg] = _literal(keyword.value)
    return None, name, arguments


def _literal(node: ast.expr) -> Any:
    """The value of a literal of JSON types; depth is bounded by `_refuse_depth`."""
    match node:
        case ast.Constant(value=str() as text):
            _refuse_surrogates(text)
            return text
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=int() as value):
            _refuse_digits(value)
            return value
        case ast.Constant(value=float() as value):
            if math.isinf(value):
                raise ActionSyntaxError("Numbers must be finite, got one that is too large, such as 1e400.")
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_literal_key(key): _literal(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if value is not True:
            return -_literal(node.operand)
        case ast.Name(id=name) if name in _PYTHON_CONSTANTS:
            return _PYTHON_CONSTANTS[name]
        case ast.Name(id=name):
            raise ActionSyntaxError(f"{name[:80]} is no literal: put text into quotes, as in tool({name[:80]!r}).")
    raise ActionSyntaxError(f"Arguments must be literals (text, numbers, lists, dicts), got {in_words(node)}.")


def _literal_key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        _refuse_surrogates(node.value)
        return node.value
    raise ActionSyntaxError("Keys of a dict must be text in quotes.")


def _refuse_depth(source: str) -> None:
    """Refuses nesting that a parser would need exponential time or a deep stack for."""
    if source.count("(") + source.count("[") + source.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for character in _STRING.sub(lambda found: "" if found["end"] else found[0], source):
        if character in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ActionSyntaxError(f"Brackets are nested deeper than {MAX_DEPTH}. {EXPECTED}")
        elif character in ")]}":
            depth -= 1


def _refuse_digits(value: int) -> None:
    """Refuses what no record could hold; the parser does so for decimals alone."""
    if value.bit_length() > MAX_INT_BITS:
        raise ActionSyntaxError(f"An integer has {value.bit_length()} bits; at most {MAX_INT_BITS} are read.")


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ActionSyntaxError("The message holds half of a surrogate pair, which is no valid text.") from None
