"""TOML as tables: nested so deep at most, and every fault with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Table = dict[str, Any]
"""Keys with their values, as TOML gives them."""
MAX_LEVELS = 100
"""How deep tables and lists may be nested; what goes through them is recursive."""
_TOO_DEEP = f"tables and lists are nested deeper than {MAX_LEVELS} levels"
_PLACE_IN_TOML = re.compile(r" \(at line (\d+), column (\d+)\)$")


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


def not_toml(path: Path, error: tomllib.TOMLDecodeError) -> str:
    """Where and why a file is not TOML, for a message."""
    problem = str(error)
    found = _PLACE_IN_TOML.search(problem)
    if found is None:
        return f"{path} is not valid TOML: {problem}"
    return f"{path}:{found[1]}: the file is not valid TOML: {problem[: found.start()]} at column {found[2]}"


def _inside(value: Any) -> Iterator[Any]:
    """The values of a table or a list; of another value none."""
    yield from value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
