"""A call of a tool, or an act of a talk, as a value that is compared and kept in task files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

Value: TypeAlias = int | str
"""What facts are: whole numbers (money in cents) and texts."""
_as_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


@dataclass(frozen=True)
class Call:
    """A call.

    Attributes:
        tool: Name of the tool or act.
        arguments: JSON values by parameter name. The order of a list means nothing.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """Equal for equal calls."""
        return f"{self.tool} {_as_json(_settled(self.arguments))}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return f"{self.tool}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `from_json` reads back."""
        return {"tool": self.tool, "arguments": dict(self.arguments)}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Call:
        """The inverse of `to_json`."""
        return cls(fields["tool"], dict(fields["arguments"]))


def as_text(value: Any) -> str:
    """A value as it is compared with others: a whole float is the integer, and letters' case means nothing."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()


def _settled(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _settled(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sorted((_settled(part) for part in value), key=str)
    return as_text(value)
