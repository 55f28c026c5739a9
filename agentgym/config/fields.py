"""What the types of a configuration say: the keys of a dataclass, and which of a union a table is, by its tag."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from agentgym.config.source import Source
from agentgym.errors import ConfigError


def fields_of(cls: Any) -> Mapping[str, tuple[dataclasses.Field[Any], Any]]:
    """The fields of a dataclass with their types, by key."""
    return _fields_once(cls)


@cache
def _fields_once(cls: Any) -> Mapping[str, tuple[dataclasses.Field[Any], Any]]:
    origin = get_origin(cls) or cls
    hints = get_type_hints(origin)
    given = dict(zip(getattr(origin, "__parameters__", ()), get_args(cls), strict=False))
    return {
        field.name.removesuffix("_"): (field, given.get(hints[field.name], hints[field.name]))
        for field in dataclasses.fields(origin)
    }


def dataclasses_of(hint: Any) -> list[Any]:
    """The dataclasses that a table of this type may be."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return [part for part in parts if dataclasses.is_dataclass(get_origin(part) or part)]


def literals_of(hint: Any) -> tuple[Any, ...]:
    """The values of a Literal; () for other types."""
    return get_args(hint) if get_origin(hint) is Literal else ()


def tag_of(variants: Sequence[Any]) -> str:
    """The key by which the dataclasses of a union differ: all have it, each with another value."""
    for key in fields_of(variants[0]):
        values = [literals_of(fields_of(each)[key][1]) if key in fields_of(each) else () for each in variants]
        if all(len(each) == 1 for each in values) and len(set(values)) == len(variants):
            return key
    names = ", ".join(each.__name__ for each in variants)
    raise TypeError(f"{names} have no key by which they can be told apart; give each a Literal field of one value")


def tag_value(variant: Any, tag: str) -> Any:
    """The value of a dataclass's tag; None where it has none."""
    return literals_of(fields_of(variant)[tag][1])[0] if tag else None


def variant_of(hint: Any, tables: Mapping[str, Any], key: str = "", source: Source | None = None) -> Any:
    """The dataclass that a table is, by its tag; the first of the union where it says none.

    Raises:
        ConfigError: No variant has that name.
    """
    variants = dataclasses_of(hint)
    if len(variants) == 1:
        return variants[0]
    tag = tag_of(variants)
    by_value = {tag_value(each, tag): each for each in variants}
    value = tables.get(tag, next(iter(by_value)))
    if not isinstance(value, str) or value not in by_value:
        place = (source or Source()).place(f"{key}.{tag}" if key else tag)
        raise ConfigError(f"{place} is {value!r}; expected one of {', '.join(map(repr, by_value))}")
    return by_value[value]
