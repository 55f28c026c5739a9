"""Options of a server: each with a type, a range, a default and a meaning; values are read strictly or refused.

The tables of each server are in `options_redis`, `options_nginx` and `options_postgres`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Server = Literal["redis", "nginx", "postgres"]
SERVERS: tuple[Server, ...] = get_args(Server)
Value = str | int | float
Config = Mapping[str, Value]
Kind = Literal["choice", "integer", "number", "kilobytes"]
_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?")
_SIZE = re.compile(r"([0-9]{1,9})\s?(kb|mb|k|m)?", re.IGNORECASE)


class RefusedValueError(ValueError):
    """A value that an option does not have; the text says what it has."""


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        name: As the server calls it.
        kind: How its values are written.
        default: What Debian's build of the server does without a configuration.
        meaning: One sentence for the agent.
        values: For a choice, its values; for menus, levels that are worth trying.
        low: Least number.
        high: Largest number.
    """

    name: str
    kind: Kind
    default: Value
    meaning: str
    values: tuple[Value, ...] = ()
    low: float = 0
    high: float = 0

    def read(self, given: Any) -> Value:
        """The value that was given, as the server takes it.

        Args:
            given: What an agent wrote: a text or a number.

        Raises:
            RefusedValueError: The option has no such value.
        """
        if isinstance(given, bool):
            given = ("no", "yes")[given] if "yes" in self.values else ("off", "on")[given]
        if not isinstance(given, str | int | float) or len(str(given)) > 40:
            raise RefusedValueError(f"{self.name} takes {self.range_text()}.")
        text = str(given).strip()
        if self.kind == "choice":
            for value in self.values:
                if text.lower() == str(value).lower():
                    return value
            raise RefusedValueError(f"{self.name} takes {self.range_text()}, not {text!r}.")
        number = _kilobytes(text) if self.kind == "kilobytes" else _number(text)
        if number is None or (self.kind != "number" and number != int(number)):
            raise RefusedValueError(f"{self.name} takes {self.range_text()}, not {text!r}.")
        if not self.low <= number <= self.high:
            raise RefusedValueError(f"{self.name} takes {self.range_text()}, not {text!r}.")
        return int(number) if self.kind != "number" else float(number)

    def range_text(self) -> str:
        """What it takes, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(map(str, self.values))}"
        what = {"integer": "a whole number", "number": "a number", "kilobytes": "a size in kB"}[self.kind]
        return f"{what} from {self.low:.10g} to {self.high:.10g}"


def choice(name: str, default: Value, values: str, meaning: str) -> Option:
    """An option with a list of values, separated by spaces."""
    return Option(name, "choice", default, meaning, tuple(values.split()))


def whole(name: str, default: int, ranges: tuple[int, int], levels: tuple[int, ...], meaning: str) -> Option:
    """An option that is a whole number."""
    return Option(name, "integer", default, meaning, levels, *ranges)


def size(name: str, default: int, ranges: tuple[int, int], levels: tuple[int, ...], meaning: str) -> Option:
    """An option that is a size in kB; the server gets it with its unit."""
    return Option(name, "kilobytes", default, meaning, levels, *ranges)


def number(name: str, default: float, ranges: tuple[float, float], levels: tuple[float, ...], meaning: str) -> Option:
    """An option that is any number."""
    return Option(name, "number", default, meaning, levels, *ranges)


def rendered(options: Mapping[str, Option], config: Config) -> dict[str, Value]:
    """A configuration as the program in the sandbox takes it: sizes have their unit."""
    return {name: f"{value}kB" if options[name].kind == "kilobytes" else value for name, value in config.items()}


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _kilobytes(text: str) -> float | None:
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    return float(found[1]) * (1024 if (found[2] or "k").lower().startswith("m") else 1)
