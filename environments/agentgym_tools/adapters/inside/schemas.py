"""What BFCL and ACEBench share: function documents as OpenAI schemas, references in Python's syntax, states."""

from __future__ import annotations

import ast
from typing import Any

_TYPES = {
    "dict": "object",
    "float": "number",
    "int": "integer",
    "tuple": "array",
    "list": "array",
    "list(string)": "array",
    "list(enum)": "array",
    "objectArray": "array",
    "enum": "string",
    "any": "",
}
"""Their names of types, and JSON Schema's; "" for any type."""


def schema_of(doc: dict[str, Any]) -> dict[str, Any]:
    """A document of a function as a tool."""
    parameters = _typed(doc.get("parameters") or {"type": "object", "properties": {}})
    described = {"name": doc["name"], "description": doc.get("description", ""), "parameters": parameters}
    return {"type": "function", "function": described}


def read_calls(text: str, orders: dict[str, list[str]]) -> list[dict[str, Any]]:
    """The calls of a reference, their arguments named.

    Args:
        text: Such as "sort('report.txt')" or "[f(a=1), g()]".
        orders: For each function its parameters in order.

    Raises:
        ValueError: It is no call of known functions with literals.
    """
    try:
        [statement] = ast.parse(text.strip()).body
    except SyntaxError as error:
        raise ValueError(f"{text[:80]!r} is no call: {error.msg}") from None
    found = statement.value if isinstance(statement, ast.Expr) else None
    calls = found.elts if isinstance(found, (ast.List, ast.Tuple)) else [found]
    return [_read(call, orders) for call in calls]


def call_text(name: str, arguments: dict[str, Any]) -> str:
    """A call as their executors read it: a name and literals, with which nothing else can be said."""
    if not all(key.isidentifier() for key in arguments):
        return f"{name}(unreadable)"
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def public_state(value: Any) -> Any:
    """An object as JSON values: its public attributes; of a tree, downwards."""
    if isinstance(value, dict):
        return {str(key): public_state(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [public_state(part) for part in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if not hasattr(value, "__dict__"):
        return str(value)
    return {
        key: public_state(part)
        for key, part in vars(value).items()
        if not key.startswith("_") and key != "parent" and not callable(part)
    }


def _read(call: ast.expr | None, orders: dict[str, list[str]]) -> dict[str, Any]:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in orders:
        raise ValueError("no call of a known function")
    arguments = dict(zip(orders[call.func.id], map(ast.literal_eval, call.args)))  # noqa: B905 - some are left out
    arguments |= {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    return {"name": call.func.id, "arguments": arguments}


def _typed(schema: Any) -> Any:
    """A schema with the names of types that JSON Schema has."""
    if isinstance(schema, list):
        return [_typed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _typed(part) for key, part in schema.items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind in _TYPES:
        found["type"] = _TYPES[kind]
        if not _TYPES[kind]:
            del found["type"]
    return found
