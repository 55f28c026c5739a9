"""Questions for the number of people: more or fewer than so many, in stems."""

from __future__ import annotations

import re
from functools import cache

from agentgym_dialogue.guessing.guess_my_city.fillers import beside
from agentgym_dialogue.phrases import stem, stems

_MORE = "more over larger bigger greater above exceed exceeds surpass higher"
_LESS = "less fewer under smaller below lower"
_AMOUNT = re.compile(
    rf" ({'|'.join(stem(word) for word in f'{_MORE} {_LESS}'.split())}) (?:than )?(?:a )?"
    r"(\w+ )?(?:a )?(million|thousand)(?= )"
)
_PEOPLE = """
population people inhabitants residents citizens persons live living in size many number total estimated count how big
large what approximate approximately roughly about around current today tell me do you know inhabited populated
populous metropolitan and or less more than say describe give
"""
_NUMBER_WORDS = """
zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 fifteen 15 twenty 20
thirty 30 forty 40 fifty 50 hundred 100 half 0.5
"""
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")
_ZEROS = re.compile(r"(?<=\d)(000000|000)\b")


def with_whole_numbers(message: str) -> str:
    """A message in which each number is one word: "2.5 million" with "2point5", "500,000" as "500 thousand"."""
    plain = _POINT.sub("point", _COMMA.sub("", message))
    return _ZEROS.sub(lambda zeros: " million" if len(zeros[0]) > 3 else " thousand", plain)


def is_about_population(text: str) -> bool:
    """Whether a text says nothing but words of numbers of people."""
    return _words().issuperset(text.split())


def comparison_in(text: str) -> tuple[bool, float] | None:
    """Whether a text asks for more people, and than how many millions; None where it asks for no such thing."""
    amount = _AMOUNT.search(text)
    if amount is None or not is_about_population(text.replace(amount[0], " ")):
        return None
    number = _number((amount[2] or "one").strip())
    if number is None:
        return None
    return amount[1] in _more(), number if amount[3] == "million" else number / 1000


def _number(said: str) -> float | None:
    if re.fullmatch(r"\d{1,9}(?:point\d{1,9})?", said, re.ASCII):
        return float(said.replace("point", "."))
    return _numbers().get(said)


@cache
def _words() -> frozenset[str]:
    return beside("") | frozenset(stems(_PEOPLE))


@cache
def _more() -> frozenset[str]:
    return frozenset(stems(_MORE))


@cache
def _numbers() -> dict[str, float]:
    said = _NUMBER_WORDS.split()
    return {stem(word): float(number) for word, number in zip(said[::2], said[1::2], strict=True)}
