"""The numbers that a field of a configuration may have, written beside its type: `Annotated[int, Range(1)]`.

They are checked when a file is read (`agentgym.config`) and when a dataclass is made; the reference of keys shows them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from agentgym.errors import ConfigError

MAX_SEED = 2**63 - 1
"""The largest seed that every generator of random numbers takes."""


@dataclasses.dataclass(frozen=True)
class Range:
    """Bounds of a number, of all numbers of a list, or of all values of a table. None is in every range.

    Attributes:
        least: The smallest number; None for none.
        most: The largest number; None for none.
        above: Numbers are larger than this; None for any.
        below: Numbers are smaller than this; None for any.
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def __contains__(self, number: float) -> bool:
        return (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"from {_written(self.least)} to {_written(self.most)}"
        words = {"at least": self.least, "above": self.above, "at most": self.most, "below": self.below}
        return " and ".join(f"{word} {_written(bound)}" for word, bound in words.items() if bound is not None)

    def first_outside(self, value: Any) -> float | None:
        """The first number of a field's value that is not in the range; None if there is none."""
        items: Iterable[Any] = value.values() if isinstance(value, Mapping) else value
        numbers = items if isinstance(value, Mapping | list | tuple) else (value,)
        return next((each for each in numbers if isinstance(each, int | float) and each not in self), None)


SHARE = Range(0, 1)
"""A share that may be nothing and all."""
POSITIVE_SHARE = Range(above=0, most=1)
POSITIVE = Range(above=0)
SEED = Range(0, MAX_SEED)
ANY = Range()
"""Every finite number."""


class Ranged:
    """A dataclass that refuses numbers outside the ranges of its fields when it is made."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, allowed in ranges_of(type(self)).items():
            outside = allowed.first_outside(getattr(self, name))
            if outside is not None:
                raise ConfigError(f"{name.removesuffix('_')} must be {allowed}, got {outside}")


def ranges_of(cls: Any) -> Mapping[str, Range]:
    """The ranges of the fields of a dataclass that have one, by the field's name."""
    return _ranges_once(cls)


@cache
def _ranges_once(cls: Any) -> Mapping[str, Range]:
    hints = get_type_hints(get_origin(cls) or cls, include_extras=True)
    found = {name: range_in(hint) for name, hint in hints.items()}
    return {name: allowed for name, allowed in found.items() if allowed is not None}


def range_in(hint: Any) -> Range | None:
    """The range that stands beside a type; None if there is none."""
    if get_origin(hint) is not Annotated:
        return None
    return next((each for each in get_args(hint)[1:] if isinstance(each, Range)), None)


def _written(number: float) -> str:
    """A number as one writes it: a whole one in full."""
    return str(int(number)) if number == int(number) else f"{number:g}"
