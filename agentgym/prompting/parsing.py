"""Replies of model families, rewritten in one form: content, think tags, and `<tool_call>` blocks of JSON.

This is a table of spellings. `agentgym.action` checks the form of a call and its arguments. Plain JSON, Hermes and Qwen
2.5/3 blocks and Python syntax need nothing from here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentgym.action import Action, parse_tool_calls
from agentgym.arguments import parameters_of, tool_name
from agentgym.message import ToolSchema

MAX_REPLY = 50_000
"""Longest reply, in characters, that is searched for spellings: hostile ones cost quadratic time."""

_Tools = Sequence[ToolSchema]

_CHANNEL = "<|channel|>"
_CHANNEL_HEAD = re.compile(r"(?P<channel>\w++)(?P<to>[^<]*+)(?:<\|constrain\|>\w++)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|call|return)\|>|\Z")
_RECIPIENT = re.compile(r"to=(?:functions\.)?([^\s<]+)")
_XML_CALL = re.compile(r"<tool_call>\s*<function=([^>\n]+)>(.*?)</function>\s*(?:</tool_call>|\Z)", re.DOTALL)
_XML_ARGUMENT = re.compile(r"<parameter=([^>\n]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_GLM_CALL = re.compile(r"<tool_call>\s*([^\s<{\[(]+)\s*((?:<arg_key>.*?)?)(?:</tool_call>|\Z)", re.DOTALL)
_GLM_ARGUMENT = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_DEEPSEEK_CALL = re.compile(
    r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([^\n<]+?)(?:\n```json\n|<｜tool▁sep｜>)(.*?)(?:\n```)?<｜tool▁call▁end｜>",
    re.DOTALL,
)
_MISTRAL_CALL = re.compile(
    r"\[TOOL_CALLS\]\s*(?:([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?)?\s*(.*?)(?=\[TOOL_CALLS\]|\Z)", re.S
)
_LLAMA_CALL = re.compile(r'^\s*+(?:<\|python_tag\|>)?\s*+(?=\{\s*"(?:type|name)")')


def parse_reply(text: str, tools: Sequence[ToolSchema]) -> Action:
    """Reads the tool calls of a reply in whichever spelling it uses.

    Args:
        text: The decoded reply, control tokens included.
        tools: The tools that may be called.

    Raises:
        ActionSyntaxError: The reply holds no valid call.
    """
    return parse_tool_calls(canonical_text(text, tools), tools)._replace(text=text)


def canonical_text(text: str, tools: Sequence[ToolSchema] = ()) -> str:
    """The reply with its calls as `<tool_call>` blocks of JSON and its reasoning in think tags.

    Args:
        text: The decoded reply.
        tools: Used to find which arguments are text if a spelling does not say so.

    Returns:
        The rewritten text; unchanged if no spelling of the table occurs in it.
    """
    if len(text) > MAX_REPLY:
        return text
    for marker, rewrite in _SPELLINGS:
        if marker in text:
            return rewrite(text, tools)
    return text


def _block(name: str, arguments: dict[str, Any] | str) -> str:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f'<tool_call>{{"name": {json.dumps(name.strip(), ensure_ascii=False)}, "arguments": {given}}}</tool_call>'


def _channels(text: str, tools: _Tools) -> str:
    """GPT-OSS: `<|channel|>analysis<|message|>…`, calls addressed `to=functions.name`."""
    thoughts: list[str] = []
    said: list[str] = []
    calls: list[str] = []
    for channel, to, content in _channel_messages(text):
        recipient = _RECIPIENT.search(to)
        if recipient:
            calls.append(_block(recipient[1], content.strip() or "{}"))
        else:
            (thoughts if channel == "analysis" else said).append(content)
    thought = "<think>" + "\n".join(thoughts) + "</think>" if thoughts else ""
    return thought + "\n".join(said) + "".join(calls)


def _channel_messages(text: str) -> Iterator[tuple[str, str, str]]:
    """The messages of GPT-OSS: the channel, what stands around its name, such as `to=functions.name`, and the text."""
    position = 0
    while (found := text.find(_CHANNEL, position)) >= 0:
        before = text[position:found].rpartition("<")[2]
        position = found + len(_CHANNEL)
        head = _CHANNEL_HEAD.match(text, position)
        if head is not None:
            end = _CHANNEL_END.search(text, head.end())
            assert end is not None  # at the latest, the text's own
            yield head["channel"], before + head["to"], text[head.end() : end.start()]
            position = end.end()


def _xml(text: str, tools: _Tools) -> str:
    """Qwen 3.5 and Nemotron: `<function=name><parameter=key>value</parameter></function>`."""
    return _XML_CALL.sub(lambda m: _block(m[1], _typed(m[1], _XML_ARGUMENT.findall(m[2]), tools)), text)


def _glm(text: str, tools: _Tools) -> str:
    """GLM: `<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>`."""
    return _GLM_CALL.sub(lambda m: _block(m[1], _typed(m[1], _GLM_ARGUMENT.findall(m[2]), tools)), text)


def _deepseek(text: str, tools: _Tools) -> str:
    """DeepSeek V3 and R1: name and a fenced JSON object between `<｜tool▁call▁begin｜>` and its end."""
    calls = "".join(_block(name, arguments.strip() or "{}") for name, arguments in _DEEPSEEK_CALL.findall(text))
    return text.split("<｜tool▁call", 1)[0] + calls


def _mistral(text: str, tools: _Tools) -> str:
    """Mistral: `[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]name[ARGS]{…}` for each call."""
    content = text.split("[TOOL_CALLS]", 1)[0]
    calls = [
        _block(name, arguments.strip() or "{}") if name else f"<tool_call>{arguments}</tool_call>"
        for name, arguments in _MISTRAL_CALL.findall(text)
    ]
    return content + "".join(calls)


def _liquid(text: str, tools: _Tools) -> str:
    """LFM2: Python calls between `<|tool_call_start|>` and `<|tool_call_end|>`."""
    return text.replace("<|tool_call_start|>", "<tool_call>").replace("<|tool_call_end|>", "</tool_call>")


def _llama(text: str, tools: _Tools) -> str:
    """Llama 3: `{"name": …, "parameters": {…}}`, several separated by semicolons, perhaps after `<|python_tag|>`."""
    if not _LLAMA_CALL.match(text):
        return text
    decoder, position, blocks = json.JSONDecoder(), _LLAMA_CALL.match(text).end(), []  # type: ignore[union-attr]
    while position < len(text):
        try:
            call, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return text
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return text
        blocks.append(_block(call["name"], call.get("parameters", {})))
        while position < len(text) and text[position] in "; \n\t":
            position += 1
    return "".join(blocks)


def _typed(name: str, pairs: list[tuple[str, str]], tools: _Tools) -> dict[str, Any]:
    """Arguments that were written without quotes: text where the tool's schema says so, else JSON where it is JSON."""
    schemas = next((parameters_of(tool) for tool in tools if tool_name(tool) == name.strip()), {})
    arguments: dict[str, Any] = {}
    for key, value in pairs:
        arguments[key.strip()] = value
        if schemas.get(key.strip(), {}).get("type") != "string":
            try:
                arguments[key.strip()] = json.loads(value)
            except (ValueError, RecursionError):
                continue
    return arguments


_SPELLINGS: tuple[tuple[str, Callable[[str, _Tools], str]], ...] = (
    ("<|channel|>", _channels),
    ("<function=", _xml),
    ("<arg_key>", _glm),
    ("<｜tool▁call", _deepseek),
    ("[TOOL_CALLS]", _mistral),
    ("<|tool_call_start|>", _liquid),
    ('"parameters"', _llama),
    ("<|python_tag|>", _llama),
)
"""A marker of each spelling, and what rewrites a text that holds it; the first that occurs wins."""
