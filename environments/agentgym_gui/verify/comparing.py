"""How what was read is compared with what was wanted: a few named comparisons of JSON values.

What is read, and from where, is in `sources`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import TaskError

Compare = Callable[[Any, Any], bool]


def equal(found: Any, wanted: Any) -> bool:
    """Whether two JSON values are the same; numbers are compared to nine digits."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return found.keys() == wanted.keys() and all(equal(found[key], wanted[key]) for key in found)
    if isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(equal, found, wanted))
    return type(found) is type(wanted) and bool(found == wanted)


def _contains(found: Any, wanted: Any) -> bool:
    """Every wanted piece is there: in a text as a part of it, in a list as an item, in an object with its value."""
    pieces = wanted if isinstance(wanted, list) else [wanted]
    if isinstance(found, str):
        return all(isinstance(piece, str) and piece in found for piece in pieces)
    if isinstance(found, list):
        return all(any(_fits(item, piece) for item in found) for piece in pieces)
    return isinstance(found, Mapping) and all(_fits(found, piece) for piece in pieces)


def _fits(item: Any, wanted: Any) -> bool:
    """Whether an item is the wanted one; of an object, only the wanted keys count."""
    if isinstance(item, Mapping) and isinstance(wanted, Mapping):
        return all(key in item and _fits(item[key], value) for key, value in wanted.items())
    return equal(item, wanted)


def _lacks(found: Any, wanted: Any) -> bool:
    pieces = wanted if isinstance(wanted, list) else [wanted]
    return not any(_contains(found, [piece]) for piece in pieces)


def _same_items(found: Any, wanted: Any) -> bool:
    """Lists with the same items in any order."""
    if not isinstance(found, list) or len(found) != len(wanted):
        return False
    rest = list(found)
    for item in wanted:
        place = next((index for index, other in enumerate(rest) if equal(other, item)), None)
        if place is None:
            return False
        rest.pop(place)
    return True


def _near(found: Any, wanted: Any) -> bool:
    value, tolerance = wanted
    return isinstance(found, int | float) and not isinstance(found, bool) and abs(found - value) <= tolerance


def _at_least(found: Any, wanted: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and found >= wanted


def _at_most(found: Any, wanted: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and found <= wanted


def _matches(found: Any, wanted: Any) -> bool:
    return isinstance(found, str) and re.search(wanted, found) is not None


def _same_words(found: Any, wanted: Any) -> bool:
    """Texts that differ in case and spaces at most, as answers may."""
    return isinstance(found, str) and found.casefold().split() == wanted.casefold().split()


def _one_of(found: Any, wanted: Any) -> bool:
    return any(equal(found, each) for each in wanted)


def _count(found: Any, wanted: Any) -> bool:
    return isinstance(found, list | Mapping | str) and len(found) == wanted


COMPARISONS: Mapping[str, Compare] = {
    "equals": equal,
    "differs": lambda found, wanted: not equal(found, wanted),
    "contains": _contains,
    "lacks": _lacks,
    "items": _same_items,
    "near": _near,
    "at_least": _at_least,
    "at_most": _at_most,
    "matches": _matches,
    "words": _same_words,
    "one_of": _one_of,
    "count": _count,
}
"""The comparisons by name; each takes what was found and what is wanted."""


def require_wanted(name: str, wanted: Any) -> None:
    """Refuse what a comparison cannot compare with.

    Raises:
        TaskError: It cannot; says what is expected.
    """
    expected, fits = _EXPECTED.get(name, ("any value", lambda value: True))
    if not fits(wanted):
        raise TaskError(f"{name!r} compares with {expected}: got {str(wanted)[:80]!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except (TypeError, re.error):
        return False
    return isinstance(value, str)


_EXPECTED: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "items": ("a list", lambda value: isinstance(value, list | tuple)),
    "one_of": ("a list", lambda value: isinstance(value, list | tuple)),
    "near": (
        "a number and a tolerance",
        lambda value: isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value)),
    ),
    "at_least": ("a number", _is_number),
    "at_most": ("a number", _is_number),
    "count": ("a whole number", lambda value: type(value) is int),
    "words": ("a text", lambda value: isinstance(value, str)),
    "matches": ("a regular expression", _is_pattern),
}
