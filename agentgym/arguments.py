"""Arguments of a tool call checked against the tool's JSON schema.

A check of what models get wrong: names, types, enums, items and properties; no `$ref`, no combinators, no coercion.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym.message import ToolSchema

MAX_LEVELS = 32
"""Levels of items and properties that are checked where a schema is checked in full: deeper calls are not parsed."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_JSON_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def tool_name(tool: ToolSchema) -> str:
    """The name of a tool, in OpenAI's nested form or the flat one."""
    name: str = tool.get("function", tool)["name"]
    return name


def parameters_of(tool: ToolSchema) -> dict[str, Any]:
    """The schema of each parameter by name, in their declared order; empty for a tool without parameters."""
    parameters = tool.get("function", tool).get("parameters") or {}
    properties: dict[str, Any] = parameters.get("properties") or {}
    return properties


def find_tool(name: str, tools: Sequence[ToolSchema]) -> ToolSchema:
    """The tool of that name; `mcp__server__tool` and `functions.tool` find `tool`.

    Raises:
        ActionSyntaxError: No tool has that name; close matches are suggested.
    """
    for tool in tools:
        if tool.get("function", tool)["name"] == name:
            return tool
    short = name.split("__", 2)[-1] if name.startswith("mcp__") else name.removeprefix("functions.")
    if short != name:
        for tool in tools:
            if tool_name(tool) == short:
                return tool
    names = [tool_name(tool) for tool in tools]
    close = difflib.get_close_matches(short[:100], names, n=2, cutoff=0.5)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"Known tools: {', '.join(names) or 'none'}."
    raise ActionSyntaxError(f"There is no tool {name[:100]!r}. {hint}")


def check_arguments(arguments: dict[str, Any], tool: ToolSchema, levels: int = 1) -> None:
    """Checks the arguments of one call.

    Args:
        arguments: Values by parameter name.
        tool: The tool's schema. A tool that states no parameters takes none, unless `additionalProperties` is set.
        levels: How deep items and properties are checked: 1 leaves what is inside them to the tool.

    Raises:
        ActionSyntaxError: A required argument is missing, one is unknown, or a value has the wrong type.
    """
    function = tool.get("function", tool)
    schema = function.get("parameters")
    _check_object(function["name"], arguments, schema if schema else {"properties": {}}, levels)


def _check_object(path: str, value: dict[str, Any], schema: dict[str, Any], levels: int) -> None:
    properties = schema.get("properties")
    for name in schema.get("required", ()):
        if name not in value:
            raise ActionSyntaxError(f"{path} needs the argument {name!r}; {_signature(schema)}.")
    if properties is None:
        return
    for name, item in value.items():
        if name in properties:
            _check_value(f"{path}.{name}", item, properties[name], levels)
        elif not schema.get("additionalProperties", False):
            close = difflib.get_close_matches(name[:100], list(properties), n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"{_signature(schema)}."
            raise ActionSyntaxError(f"{path} has no argument {name[:100]!r}; {hint}")


def _check_value(path: str, value: Any, schema: Any, levels: int) -> None:
    if not isinstance(schema, dict):
        return
    expected = schema.get("type")
    if isinstance(expected, str):
        if not _is_of_type(value, expected):
            raise ActionSyntaxError(f"{path} must be {_with_article(expected)}, got {_describe(value)}.")
    elif isinstance(expected, list) and not any(_is_of_type(value, name) for name in expected):
        kinds = " or ".join(_with_article(str(name)) for name in expected)
        raise ActionSyntaxError(f"{path} must be {kinds}, got {_describe(value)}.")
    if "enum" in schema and not any(type(value) is type(option) and value == option for option in schema["enum"]):
        options = ", ".join("null" if option is None else repr(option) for option in schema["enum"][:20])
        raise ActionSyntaxError(f"{path} must be one of {options}, got {_describe(value)}.")
    if levels == 0:
        return
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            _check_value(f"{path}[{index}]", item, schema["items"], levels - 1)
    elif isinstance(value, dict) and "properties" in schema:
        _check_object(path, value, schema, levels - 1)
    elif isinstance(value, dict) and levels > 1:
        for name, item in value.items():
            _check_value(f"{path}.{name[:100]}", item, schema.get("additionalProperties"), levels - 1)


def _is_of_type(value: Any, name: Any) -> bool:
    if isinstance(value, bool):
        return name == "boolean" or name not in _TYPES
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _describe(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"an {'array' if isinstance(value, list) else 'object'} of {len(value)} items"
    name = _JSON_NAMES.get(type(value), "value")
    return "null" if value is None else f"the {name} {repr(value)[:60]}"


def _with_article(name: str) -> str:
    """The name of a JSON type as it stands in a sentence."""
    return name if name == "null" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _signature(schema: dict[str, Any]) -> str:
    names = [f"{name}: {spec.get('type', 'any')}" for name, spec in (schema.get("properties") or {}).items()]
    return f"its arguments are ({', '.join(names)})"
