"""Dataclasses from tables and tables from dataclasses; every refused value is named with its place."""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import re
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from agentgym.config.fields import dataclasses_of, fields_of, literals_of, tag_of, tag_value, variant_of
from agentgym.config.source import Source
from agentgym.config.tables import dotted_keys, merged
from agentgym.config.toml import Table
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.ranges import ranges_of

T = TypeVar("T")
ADVICE = "advice"
"""Key of a field's metadata that says where to find a value for it; it follows the message that the key is missing."""
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
_MAX_NESTED = 3
"""Most keys of inner tables that are suggested for an unknown one."""


def build(cls: type[T], tables: Mapping[str, Any], source: Source | None = None, prefix: str = "") -> T:
    """A dataclass from tables, nested dataclasses from nested tables.

    A key that is a word of Python, such as `lambda`, stands for the field with an underscore behind it.

    Args:
        cls: The dataclass, which may be generic with its arguments given.
        tables: Its values.
        source: For messages.
        prefix: Dotted key of the table itself.

    Raises:
        ConfigError: A key is unknown (close matches are suggested) or missing, a value is of the wrong type, or
            a number is not finite or outside the range of its key.
    """
    source = source or Source()
    fields = fields_of(cls)
    values: Table = {}
    for key, value in tables.items():
        dotted = f"{prefix}{key}"
        if key not in fields:
            raise ConfigError(_unknown(cls, key, prefix, source))
        field, hint = fields[key]
        values[field.name] = _in_range(cls, field.name, _convert(hint, value, dotted, source), dotted, source)
    for key, (field, hint) in fields.items():
        if field.name not in values and field.default is field.default_factory is dataclasses.MISSING:
            values[field.name] = _missing(field, hint, f"{prefix}{key}", source)
    try:
        return cls(**values)
    except ConfigError as error:
        raise ConfigError(_placed(str(error), dotted_keys(tables, prefix), source)) from error


@contextmanager
def naming(key: str, source: Source) -> Iterator[None]:
    """In the block, an unknown name is reported with the place where the key that names it stands.

    Args:
        key: Dotted, such as "run.suite".
        source: Where the configuration was read from.

    Raises:
        UnknownNameError: From the block.
    """
    try:
        yield
    except UnknownNameError as error:
        raise error.at(source.place(key)) from None


def tables_of(config: Any) -> Table:
    """The tables of a dataclass, from which `build` makes it again: JSON values under the keys of a file."""
    return {
        key: _as_value(getattr(config, field.name)) for key, (field, _) in fields_of(type(config)).items() if field.init
    }


def pruned(hint: Any, tables: Mapping[str, Any]) -> Table:
    """Tables without the keys that their type does not know, such as those of a choice that was not made.

    Args:
        hint: The type of the table: a dataclass, or a union of them.
        tables: The values.
    """
    cls = variant_of(hint, tables)
    fields = fields_of(cls)
    kept: Table = {}
    for key, value in tables.items():
        if key in fields:
            inner = fields[key][1]
            is_table = isinstance(value, Mapping) and dataclasses_of(inner)
            kept[key] = pruned(inner, value) if is_table else value
    return kept


def above(hint: Any, lower: Mapping[str, Any], upper: Mapping[str, Any]) -> Table:
    """Nested tables with the values of `upper` over those of `lower`; a choice of `upper` drops the keys of another.

    Args:
        hint: The type of the table: a dataclass, or a union of them.
        lower: Such as the values of a preset.
        upper: Such as the values of a file.
    """
    both = merged(lower, upper)
    variants = dataclasses_of(hint)
    tag = tag_of(variants) if len(variants) > 1 else ""
    is_other = tag in upper and upper[tag] != lower.get(tag, tag_value(variants[0], tag))
    try:
        fields = fields_of(variant_of(hint, both))
    except ConfigError:  # an unknown choice, which `build` refuses with its place
        return both
    found: Table = {}
    for key, value in both.items():
        if is_other and key not in fields and key not in upper:
            continue
        below, inner = lower.get(key), fields[key][1] if key in fields else None
        if isinstance(below, Mapping) and isinstance(upper.get(key), Mapping) and dataclasses_of(inner):
            value = above(inner, below, upper[key])
        found[key] = value
    return found


def _convert(hint: Any, value: Any, key: str, source: Source) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if value in ("none", None) and type(None) in arguments:
        return None
    if dataclasses_of(hint):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{source.place(key)} must be a table, got {_shown(value)}")
        return build(variant_of(hint, value, key, source), value, source, f"{key}.")
    if origin in (Union, types.UnionType):
        return _convert(next(part for part in arguments if part is not type(None)), value, key, source)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{source.place(key)} is {value!r}; expected one of {', '.join(map(repr, arguments))}")
        return value
    if origin in (tuple, list):
        if not isinstance(value, list):
            raise ConfigError(f"{source.place(key)} must be a list, got {_shown(value)}")
        if origin is tuple and ... not in arguments and len(value) != len(arguments):
            raise ConfigError(f"{source.place(key)} must be a list of {len(arguments)}, got {len(value)} in {value}")
        return tuple(_convert(arguments[0], item, key, source) for item in value)
    if origin in (dict, Mapping) or hint is dict:
        return value
    if hint is float and type(value) is int:
        return float(value)
    if hint is float and type(value) is float and not math.isfinite(value):
        raise ConfigError(f"{source.place(key)} must be a finite number, got {value}")
    if not isinstance(hint, type) or type(value) is not hint:
        kind = _KINDS.get(hint) or getattr(hint, "__name__", str(hint))
        raise ConfigError(f"{source.place(key)} must be {kind}, got {_shown(value)}")
    return value


def _in_range(cls: Any, name: str, value: Any, key: str, source: Source) -> Any:
    """A value of a field whose range it keeps.

    Raises:
        ConfigError: It does not.
    """
    allowed = ranges_of(get_origin(cls) or cls).get(name)
    outside = None if allowed is None else allowed.first_outside(value)
    if outside is not None:
        raise ConfigError(f"{source.place(key)} must be {allowed}, got {outside}")
    return value


def _missing(field: dataclasses.Field[Any], hint: Any, key: str, source: Source) -> Any:
    """The value of a key that is not given and has no default: a table may do without its keys.

    Raises:
        ConfigError: It may not.
    """
    if len(dataclasses_of(hint)) == 1:
        return _convert(hint, {}, key, source)
    advice = f"; {field.metadata[ADVICE]}" if ADVICE in field.metadata else ""
    raise ConfigError(f"{f'{source.path}: ' if source.path else ''}key {key!r} is missing{advice}")


def _unknown(cls: Any, key: str, prefix: str, source: Source) -> str:
    """That a table has no such key, and which it has."""
    fields = fields_of(cls)
    below = [f"{prefix}{path}" for path in dict.fromkeys(_nested(cls)) if "." in path]
    same = [path for path in below if path.rpartition(".")[2] == key]
    similar = [path for path in below if key in path.rpartition(".")[2].split("_")]
    misspelt = difflib.get_close_matches(key, fields, n=2, cutoff=0.75)
    inner = (same + [path for path in similar if path not in same])[:_MAX_NESTED]
    close = misspelt or inner or difflib.get_close_matches(key, fields, n=2, cutoff=0.5)
    known = ", ".join(sorted(fields)) or "none"
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {known}"
    tags = [(name, *literals_of(tagged)) for name, (_, tagged) in fields.items() if len(literals_of(tagged)) == 1]
    if not tags:
        return f"{source.place(f'{prefix}{key}')} is unknown; {hint}"
    table = f"{prefix.removesuffix('.') or 'a table'} with {tags[0][0]} = {json.dumps(tags[0][1])}"
    beside = source.beside(f"{prefix}{key}")
    return f"{beside}{key!r} is not a key of {table}; {f'{hint} It' if close else 'it'} has {known}"


def _nested(cls: Any) -> Iterator[str]:
    """The dotted keys of a table and of the tables in it, whatever is chosen there."""
    for name, (_, hint) in fields_of(cls).items():
        yield name
        for each in dataclasses_of(hint):
            yield from (f"{name}.{inner}" for inner in _nested(each))


def _placed(message: str, given: set[str], source: Source) -> str:
    """What a dataclass refuses, after where the values that the message names were given; overrides are guiltier."""
    named = {key for key in given if _names(message, key)} or {
        key for key in given if _names(message, key.rpartition(".")[2])
    }
    guilty = sorted(named & source.overridden or named)
    if len(guilty) == 1:
        for name in (guilty[0], guilty[0].rpartition(".")[2]):
            if message.startswith((f"{name} must ", f"{name} is ")):
                return source.place(guilty[0]) + message.removeprefix(name)
    places = [source.place(key) for key in guilty]
    if not places or (source.path is None and not source.overridden):
        return f"{source.path}: {message}" if source.path else message
    return f"{' and '.join(places)}: {message}"


def _names(message: str, key: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]*\w)", message) is not None


def _as_value(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return tables_of(value)
    if isinstance(value, Mapping):
        return {key: _as_value(each) for key, each in value.items()}
    return [_as_value(each) for each in value] if isinstance(value, tuple | list) else value


def _shown(value: Any) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, Mapping) else repr(value)
