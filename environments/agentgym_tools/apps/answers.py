"""Answers compared by what they say: numbers as numbers, texts in any case, lists in any order, a list of one as it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agentgym_tools.apps.drafts import Answer

_WHOLE = re.compile(r"-?\d{1,15}")


def is_one_of(given: Any, answers: Sequence[Answer]) -> bool:
    """Whether what an agent gave is one of the right answers."""
    return any(_is_same(given, answer) for answer in answers)


def _is_same(given: Any, answer: Answer) -> bool:
    if isinstance(answer, list):
        return isinstance(given, list) and sorted(map(_plain, given)) == sorted(map(_plain, answer))
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if isinstance(answer, int):
        if isinstance(given, str):
            return _WHOLE.fullmatch(given.strip()) is not None and int(given) == answer
        return isinstance(given, int | float) and not isinstance(given, bool) and given == answer
    return isinstance(given, str) and _plain(given) == _plain(answer)


def _plain(value: Any) -> str:
    return " ".join(str(value).split()).casefold().removesuffix(".")
