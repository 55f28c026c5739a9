"""Answers read as names, numbers, dates or lists of names, and compared with what is right.

Values are compared as values, never by looking for one text inside another.
"""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

AnswerForm = Literal["name", "number", "date", "list", "none"]
FORMS: tuple[AnswerForm, ...] = ("name", "number", "date", "list", "none")
Given = str | int | float | list[str]
"""What an agent may answer."""

UNANSWERABLE = "unanswerable"
"""The answer to a question that no article answers."""
MAX_LISTED = 200
"""Items of a list that are read; those after them count as wrong."""

MAX_CHARACTERS = 500
"""Characters of a name; a longer one is no name."""

_FULL_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTHS = {name: number for number, month in enumerate(_FULL_MONTHS, start=1) for name in (month, month[:3])}
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?", re.ASCII)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2}) ([a-z]+)\.?,? (\d{4})", re.ASCII)
_MONTH_FIRST = re.compile(r"([a-z]+)\.? (\d{1,2}),? (\d{4})", re.ASCII)


class Verdict(NamedTuple):
    """What an answer is worth.

    Attributes:
        is_right: Whether it is right, or lists exactly what was to be found.
        score: 1 or 0; of a list the F1 of its findings, in [0, 1].
        num_right: Findings of the list that count.
        num_given: Items that it lists.
    """

    is_right: bool
    score: float
    num_right: int = 0
    num_given: int = 0


def normal_name(text: str) -> str:
    """A name without case, spacing, quotation marks, a leading "the" and punctuation at its ends; "" if too long."""
    if len(text) > MAX_CHARACTERS:
        return ""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    name = " ".join(words).strip(" \"'“”‘’«».,;:!?")
    return name.removeprefix("the ").strip()


def read_number(given: Given) -> float | None:
    """A number, or a text that is one, such as "12,450"; None for anything else."""
    if isinstance(given, bool | list):
        return None
    if isinstance(given, int | float):
        try:
            number = float(given)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    text = given.strip().removesuffix(".")
    return float(text.replace(",", "")) if len(text) < 40 and _NUMBER.fullmatch(text) else None


def read_date(given: Given) -> datetime.date | None:
    """A date: "1987-05-03", "3 May 1987" or "May 3, 1987"; None for anything else."""
    if not isinstance(given, str) or len(given) > 60:
        return None
    text = " ".join(given.casefold().split()).removesuffix(".")
    if iso := _ISO.fullmatch(text):
        year, month, day = (int(part) for part in iso.groups())
    elif named := _DAY_FIRST.fullmatch(text):
        day, month, year = int(named[1]), _MONTHS.get(named[2], 0), int(named[3])
    elif named := _MONTH_FIRST.fullmatch(text):
        day, month, year = int(named[2]), _MONTHS.get(named[1], 0), int(named[3])
    else:
        return None
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def read_list(given: Given) -> list[str]:
    """The different names of a list, or of a text with commas, semicolons or ends of lines between them."""
    if isinstance(given, int | float):
        return []
    items = re.split(r"[,;\n]", given[: MAX_LISTED * MAX_CHARACTERS]) if isinstance(given, str) else given
    return [name for name in dict.fromkeys(normal_name(item) for item in items) if name]


def judge(form: AnswerForm, answer: object, given: Given, is_read: bool) -> Verdict:
    """Whether a single answer is right; lists are the work of `judge_list`.

    Args:
        form: What the answer is.
        answer: The right one: a text, a number, a date as "1987-05-03", or None where nothing answers the question.
        given: What the agent answered; a list of one counts as what is in it.
        is_read: Whether all articles that show the answer were opened. Without them no answer is right.
    """
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if form == "none":
        is_right = isinstance(given, str) and normal_name(given) == UNANSWERABLE
    elif form == "number":
        is_right = isinstance(answer, int | float) and read_number(given) == float(answer)
    elif form == "date":
        is_right = read_date(given) == datetime.date.fromisoformat(str(answer))
    else:
        is_right = isinstance(given, str) and normal_name(given) == normal_name(str(answer)) != ""
    is_right = is_right and is_read
    return Verdict(is_right, float(is_right))


def judge_list(answers: Sequence[str], given: Given, read: Collection[str]) -> Verdict:
    """The F1 of the findings that a list names.

    Args:
        answers: The names to be found, at least one.
        given: What the agent answered.
        read: Those of them whose articles were opened; only these count.
    """
    wanted, counting = {normal_name(name) for name in answers}, {normal_name(name) for name in read}
    named = read_list(given)
    num_given = max(len(named), len(given) if isinstance(given, list) and len(given) > MAX_LISTED else 0)
    num_right = len(wanted & counting & set(named[:MAX_LISTED]))
    score = 2 * num_right / (num_given + len(wanted)) if num_right else 0.0
    return Verdict(num_right == len(wanted) == num_given, score, num_right, num_given)
