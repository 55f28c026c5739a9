"""Tools of MCP servers as OpenAI function schemas: names that say whose they are, texts that are short and plain.

Names and descriptions come from a server, which is untrusted: they are shortened and lose what does not print.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.errors import ConfigError
from agentgym.message import ToolSchema

MAX_TOOLS = 512
MAX_NAME, MAX_DESCRIPTION, MAX_LEVELS = 64, 1_000, 8
_KEPT = {"type", "description", "enum", "items", "properties", "required", "additionalProperties", "default"}
_UNPRINTED = re.compile(r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def shown_name(server: str, tool: str) -> str:
    """The name of a server's tool as an agent calls it."""
    return f"{server}__{re.sub(r'[^A-Za-z0-9_]', '_', tool)}"[:MAX_NAME]


def shown_tools(server: str, listed: Sequence[Mapping[str, Any]], wanted: Sequence[str] = ()) -> dict[str, ToolSchema]:
    """By a server's own name of each tool its schema.

    Args:
        server: The server's name.
        listed: Its tools, as it lists them.
        wanted: Names of those that are shown; () for all.

    Raises:
        ConfigError: A wanted tool is missing, two look alike, or there are too many.
    """
    found = {str(tool["name"]): tool for tool in listed}
    missing = sorted(set(wanted) - found.keys())
    if missing:
        raise ConfigError(f"the MCP server {server!r} has no tools {missing}; it has {', '.join(found)}")
    if len(found) > MAX_TOOLS:
        raise ConfigError(f"the MCP server {server!r} lists {len(found)} tools; name at most {MAX_TOOLS} in `tools`")
    names = list(wanted or found)
    shown = [shown_name(server, name) for name in names]
    if len(set(shown)) < len(shown):
        twice = next(name for name in shown if shown.count(name) > 1)
        raise ConfigError(f"two tools of the MCP server {server!r} would be called {twice!r}; name one in `tools`")
    return {name: _schema(shown_name(server, name), found[name]) for name in names}


def _schema(name: str, tool: Mapping[str, Any]) -> ToolSchema:
    stated = tool.get("inputSchema") or {}
    parameters = _plain(stated, stated.get("$defs", {}), 0)
    parameters = {"type": "object", "properties": {}, **parameters}
    described = plain_text(tool.get("description") or "")
    return {"type": "function", "function": {"name": name, "description": described, "parameters": parameters}}


def plain_text(text: str, most: int = MAX_DESCRIPTION) -> str:
    """A text of a server without what does not print, cut where it is long."""
    printed = _UNPRINTED.sub(" ", text).strip()
    return printed if len(printed) <= most else f"{printed[:most]}…"


def _plain(schema: Any, definitions: Mapping[str, Any], level: int) -> dict[str, Any]:
    """A JSON schema without references and combinators: what chat templates and the check of arguments read."""
    if not isinstance(schema, Mapping) or level > MAX_LEVELS:
        return {}
    if "$ref" in schema:
        named = definitions.get(str(schema["$ref"]).rpartition("/")[2], {})
        return _plain(
            {**named, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions, level + 1
        )
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    options = [_plain(each, definitions, level + 1) for each in schema.get("anyOf", schema.get("oneOf", ()))]
    types = list(dict.fromkeys(each["type"] for each in options if isinstance(each.get("type"), str)))
    if types:
        richest = next((each for each in options if "properties" in each or "items" in each), {})
        kept = {**richest, **kept, "type": types if len(types) > 1 else types[0]}
    if "description" in kept:
        kept["description"] = plain_text(str(kept["description"]))
    if isinstance(kept.get("properties"), Mapping):
        inner = kept["properties"].items()
        kept["properties"] = {str(name)[:MAX_NAME]: _plain(each, definitions, level + 1) for name, each in inner}
    for name in ("items", "additionalProperties"):
        if isinstance(kept.get(name), Mapping):
            kept[name] = _plain(kept[name], definitions, level + 1)
    return kept
