"""The tables of a file with overrides put in, and nested tables over others."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.config.source import Source
from agentgym.config.toml import MAX_LEVELS, Table, not_toml, parsed_toml
from agentgym.errors import ConfigError, unreadable


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


def merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> Table:
    """Nested tables with the values of `upper` over those of `lower`."""
    tables = dict(lower)
    for key, value in upper.items():
        below = tables.get(key)
        tables[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return tables


def dotted_keys(tables: Mapping[str, Any], prefix: str = "") -> set[str]:
    """The dotted keys of all values in nested tables."""
    keys: set[str] = set()
    for key, value in tables.items():
        keys |= dotted_keys(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}"}
    return keys


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
