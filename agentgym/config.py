"""Reading a configuration: one TOML file plus dotted overrides into frozen dataclasses, unknown keys being errors.

A field whose type is a union of dataclasses is a choice: one key of the table, its tag, says which of them the table
is, and only the keys of that one are known. No inheritance between files and no interpolation. Defaults stand in the
dataclasses alone.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import re
import tomllib
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from agentgym.errors import ConfigError, UnknownNameError, unreadable
from agentgym.ranges import ranges_of

T = TypeVar("T")
Table = dict[str, Any]

ADVICE = "advice"
"""Key of a field's metadata that says where to find a value for it; it follows the message that the key is missing."""
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
MAX_LEVELS = 100
"""How deep tables and lists may be nested; what goes through them is recursive."""
_MAX_NESTED = 3
"""Most keys of inner tables that are suggested for an unknown one."""
_TOO_DEEP = f"tables and lists are nested deeper than {MAX_LEVELS} levels"
_PLACE_IN_TOML = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a configuration was read from, for messages.

    Attributes:
        path: The file; None where there is none.
        text: Its text.
        overridden: Dotted keys that were given beside it.
    """

    path: Path | None = None
    text: str = ""
    overridden: frozenset[str] = frozenset()

    def place(self, key: str) -> str:
        """Where a dotted key stands, such as `run.toml:12: key 'run.seed'`."""
        if (override := self._override_of(key)) is not None:
            return f"override {override!r}"
        return f"{self._line(key)}key {key!r}"

    def beside(self, key: str) -> str:
        """Where a dotted key stands, for a message that names the key itself: `run.toml:12: `; "" where it is clear."""
        override = self._override_of(key)
        return self._line(key) if override is None else f"override {override!r}: "

    def _line(self, key: str) -> str:
        if self.path is None:
            return ""
        line = _line_of(self.text, key) or _line_of(self.text, key.rpartition(".")[0])  # an inline table's
        return f"{self.path}{f':{line}' if line else ''}: "

    def _override_of(self, key: str) -> str | None:
        """The override that gave a key, or made the table of that name, which the file has not."""
        if key in self.overridden:
            return key
        below = sorted(given for given in self.overridden if given.startswith(f"{key}."))
        return below[0] if below and _line_of(self.text, key) is None and not _has_table(self.text, key) else None


def read_tables(path: Path | None, overrides: Sequence[str] = ()) -> tuple[Table, Source]:
    """The tables of a file with overrides put in.

    Args:
        path: A TOML file; None for overrides alone.
        overrides: Texts of the form "table.key=value"; the value is read as TOML, else taken as text. Nothing behind
            the "=" takes out what the file says, and is the empty text where it says nothing. Of two for a key, the
            later one counts; command lines refuse two (`agentgym.cli.output.require_each_once`).

    Raises:
        ConfigError: The file cannot be read or parsed, or an override has no key or no "=".
    """
    tables: Table = {}
    text = ""
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8")
            tables = parsed_toml(text)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(unreadable(path, error)) from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(not_toml(path, error)) from error
    keys = []
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"override {override!r} has no value; write {override}=VALUE")
        if not key.strip():
            raise ConfigError(f"override {override!r} names no key; write KEY=VALUE, such as run.seed=1")
        if not value.strip() and _take_out(tables, key.strip()):
            continue
        keys.append(key.strip())
        _put(tables, key.strip(), _read_value(value.strip()))
    return tables, Source(path, text, frozenset(keys))


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
    fields = _fields(cls)
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
        key: _as_value(getattr(config, field.name)) for key, (field, _) in _fields(type(config)).items() if field.init
    }


def pruned(hint: Any, tables: Mapping[str, Any]) -> Table:
    """Tables without the keys that their type does not know, such as those of a choice that was not made.

    Args:
        hint: The type of the table: a dataclass, or a union of them.
        tables: The values.
    """
    cls = _variant(hint, tables)
    fields = _fields(cls)
    kept: Table = {}
    for key, value in tables.items():
        if key in fields:
            inner = fields[key][1]
            is_table = isinstance(value, Mapping) and _dataclasses_of(inner)
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
    variants = _dataclasses_of(hint)
    tag = _tag(variants) if len(variants) > 1 else ""
    is_other = tag in upper and upper[tag] != lower.get(tag, _tag_value(variants[0], tag))
    try:
        fields = _fields(_variant(hint, both))
    except ConfigError:  # an unknown choice, which `build` refuses with its place
        return both
    found: Table = {}
    for key, value in both.items():
        if is_other and key not in fields and key not in upper:
            continue
        below, inner = lower.get(key), fields[key][1] if key in fields else None
        if isinstance(below, Mapping) and isinstance(upper.get(key), Mapping) and _dataclasses_of(inner):
            value = above(inner, below, upper[key])
        found[key] = value
    return found


def dotted_keys(tables: Mapping[str, Any], prefix: str = "") -> set[str]:
    """The dotted keys of all values in nested tables."""
    keys: set[str] = set()
    for key, value in tables.items():
        keys |= dotted_keys(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}"}
    return keys


def merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> Table:
    """Nested tables with the values of `upper` over those of `lower`."""
    tables = dict(lower)
    for key, value in upper.items():
        below = tables.get(key)
        tables[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return tables


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


def _fields(cls: Any) -> Mapping[str, tuple[dataclasses.Field[Any], Any]]:
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


def _nested(cls: Any) -> Iterator[str]:
    """The dotted keys of a table and of the tables in it, whatever is chosen there."""
    for name, (_, hint) in _fields(cls).items():
        yield name
        for each in _dataclasses_of(hint):
            yield from (f"{name}.{inner}" for inner in _nested(each))


def _unknown(cls: Any, key: str, prefix: str, source: Source) -> str:
    """That a table has no such key, and which it has."""
    fields = _fields(cls)
    below = [f"{prefix}{path}" for path in dict.fromkeys(_nested(cls)) if "." in path]
    same = [path for path in below if path.rpartition(".")[2] == key]
    similar = [path for path in below if key in path.rpartition(".")[2].split("_")]
    misspelt = difflib.get_close_matches(key, fields, n=2, cutoff=0.75)
    inner = (same + [path for path in similar if path not in same])[:_MAX_NESTED]
    close = misspelt or inner or difflib.get_close_matches(key, fields, n=2, cutoff=0.5)
    known = ", ".join(sorted(fields)) or "none"
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {known}"
    tags = [(name, field.default) for name, (field, tagged) in fields.items() if len(_literals(tagged)) == 1]
    if not tags:
        return f"{source.place(f'{prefix}{key}')} is unknown; {hint}"
    table = f"{prefix.removesuffix('.') or 'a table'} with {tags[0][0]} = {json.dumps(tags[0][1])}"
    beside = source.beside(f"{prefix}{key}")
    return f"{beside}{key!r} is not a key of {table}; {f'{hint} It' if close else 'it'} has {known}"


def _missing(field: dataclasses.Field[Any], hint: Any, key: str, source: Source) -> Any:
    """The value of a key that is not given and has no default: a table may do without its keys.

    Raises:
        ConfigError: It may not.
    """
    if len(_dataclasses_of(hint)) == 1:
        return _convert(hint, {}, key, source)
    advice = f"; {field.metadata[ADVICE]}" if ADVICE in field.metadata else ""
    raise ConfigError(f"{f'{source.path}: ' if source.path else ''}key {key!r} is missing{advice}")


def parsed_toml(text: str) -> Table:
    """The tables of a text in TOML.

    Raises:
        tomllib.TOMLDecodeError: It is not TOML, is nested too deep, or has a number of too many digits.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from error
    except RecursionError as error:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from error
    level: list[Any] = [tables]
    for _ in range(MAX_LEVELS):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise tomllib.TOMLDecodeError(_TOO_DEEP)
    return tables


def _inside(value: Any) -> Iterator[Any]:
    """The values of a table or a list; of another value none."""
    yield from value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()


def not_toml(path: Path, error: tomllib.TOMLDecodeError) -> str:
    """Where and why a file is not TOML, for a message."""
    problem = str(error)
    found = _PLACE_IN_TOML.search(problem)
    if found is None:
        return f"{path} is not valid TOML: {problem}"
    return f"{path}:{found[1]}: the file is not valid TOML: {problem[: found.start()]} at column {found[2]}"


def _dataclasses_of(hint: Any) -> list[Any]:
    """The dataclasses that a table of this type may be."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return [part for part in parts if dataclasses.is_dataclass(get_origin(part) or part)]


def _literals(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def _tag(variants: Sequence[Any]) -> str:
    """The key by which the dataclasses of a union differ: all have it, each with another value."""
    for key in _fields(variants[0]):
        values = [_literals(_fields(each)[key][1]) if key in _fields(each) else () for each in variants]
        if all(len(each) == 1 for each in values) and len(set(values)) == len(variants):
            return key
    names = ", ".join(each.__name__ for each in variants)
    raise TypeError(f"{names} have no key by which they can be told apart; give each a Literal field of one value")


def _tag_value(variant: Any, tag: str) -> Any:
    return _literals(_fields(variant)[tag][1])[0] if tag else None


def _variant(hint: Any, tables: Mapping[str, Any], key: str = "", source: Source | None = None) -> Any:
    """The dataclass that a table is, by its tag; the first of the union where it says none.

    Raises:
        ConfigError: No variant has that name.
    """
    variants = _dataclasses_of(hint)
    if len(variants) == 1:
        return variants[0]
    tag = _tag(variants)
    by_value = {_tag_value(each, tag): each for each in variants}
    value = tables.get(tag, next(iter(by_value)))
    if not isinstance(value, str) or value not in by_value:
        place = (source or Source()).place(f"{key}.{tag}" if key else tag)
        raise ConfigError(f"{place} is {value!r}; expected one of {', '.join(map(repr, by_value))}")
    return by_value[value]


def _as_value(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return tables_of(value)
    if isinstance(value, Mapping):
        return {key: _as_value(each) for key, each in value.items()}
    return [_as_value(each) for each in value] if isinstance(value, tuple | list) else value


def _put(tables: Table, key: str, value: Any) -> None:
    *path, last = key.split(".")
    if len(path) > MAX_LEVELS:
        raise ConfigError(f"override {key[:60]!r}… names a table in {len(path)} others; there are at most {MAX_LEVELS}")
    for part in path:
        tables = tables.setdefault(part, {})
        if not isinstance(tables, dict):
            raise ConfigError(f"override {key!r} cannot be set, because {part!r} is a value and not a table")
    tables[last] = value


def _take_out(tables: Table, key: str) -> bool:
    """Remove a dotted key; returns whether it was there."""
    *path, last = key.split(".")
    for part in path:
        tables = tables.get(part, {})
        if not isinstance(tables, dict):
            return False
    return tables.pop(last, None) is not None


def _read_value(text: str) -> Any:
    try:
        tables = parsed_toml(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return tables["value"] if len(tables) == 1 else text  # with a line break it is no value, but the next keys too


def _convert(hint: Any, value: Any, key: str, source: Source) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if value in ("none", None) and type(None) in arguments:
        return None
    if _dataclasses_of(hint):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{source.place(key)} must be a table, got {_shown(value)}")
        return build(_variant(hint, value, key, source), value, source, f"{key}.")
    if origin in (Union, types.UnionType):
        return _convert(next(part for part in arguments if part is not type(None)), value, key, source)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{source.place(key)} is {value!r}; expected one of {', '.join(map(repr, arguments))}")
        return value
    if origin in (tuple, list):
        if not isinstance(value, list):
            raise ConfigError(f"{source.place(key)} must be a list, got {_shown(value)}")
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


def _shown(value: Any) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, Mapping) else repr(value)


def _line_of(text: str, key: str) -> int | None:
    table, _, last = key.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            current = stripped.strip("[] ")
            if current == key:
                return number
        elif current == table and stripped.split("=")[0].strip() == last:
            return number
    return None


def _has_table(text: str, key: str) -> bool:
    names = (line.strip().strip("[] ") for line in text.splitlines() if line.strip().startswith("["))
    return any(name == key or name.startswith(f"{key}.") for name in names)
