"""Answers compared by type: a number, a time of day, a text, or a list in any order."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from agentgym.errors import TaskError

MAX_ANSWER = 4_000
TYPES = ("number", "time", "text", "list")
_NUMBER = re.compile(r"[+-]?\d{1,30}(\.\d{1,30})?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})")


def is_right_answer(rule: Mapping[str, Any], said: str) -> bool:
    """Whether an answer is the right one.

    Args:
        rule: `type`, one of `TYPES`, and `value`, a text or, for a list, texts.
        said: What the agent submitted.

    Raises:
        TaskError: The rule names no such type.
    """
    kind, value = rule.get("type"), rule.get("value")
    if kind not in TYPES:
        raise TaskError(f"an answer's type is one of {', '.join(TYPES)}: got {kind!r}")
    if len(said) > MAX_ANSWER:
        return False
    if kind == "list":
        return Counter(map(_typed, items_of(said))) == Counter(map(_typed, map(str, value or ())))
    read = _READERS[kind]
    found = read(said)
    return found is not None and found == read(str(value))


def can_be_right(kind: str, value: Any) -> bool:
    """Whether some answer can be the right one, of a type in `TYPES`."""
    if kind == "list":
        return isinstance(value, list) and all(map(_is_plain, value))
    return _is_plain(value) and _READERS[kind](str(value)) is not None


def items_of(said: str) -> list[str]:
    """The items of a list: a JSON list, or texts with commas or line ends between them."""
    text = said.strip()
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(item, str | int | float) for item in found):
            return [str(item) for item in found]
        text = text.strip("[]")
    return [item.strip() for item in re.split(r"[,\n;]", text) if item.strip()]


def _typed(item: str) -> Fraction | str | None:
    number = _number(item)
    return _words(item) if number is None else number


def _number(said: str) -> Fraction | None:
    text = said.strip()
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def _time(said: str) -> tuple[int, int] | None:
    found = _TIME.fullmatch(said.strip())
    return (int(found[1]), int(found[2])) if found else None


def _words(said: str) -> str:
    plain = unicodedata.normalize("NFKC", said).strip().strip("'\"`").rstrip(".")
    return " ".join(plain.split()).casefold()


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


_READERS: Mapping[str, Callable[[str], Any]] = {"number": _number, "time": _time, "text": _words}
