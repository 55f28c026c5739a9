"""Small edits of SQL statements, each a slip that a learner makes; made on tokens, so never inside a text.

Only what the suites' own statements hold is known here. Whether an edit matters is decided in `databases`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(r"'(?:[^']|'')*'|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|<>|<=|>=|\S")
_DATE = re.compile(r"'(\d{4}-\d{2}-\d{2})'")
COMPARISONS = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "=": ("<>",), "<>": ("=",)}
"""Signs with what they are taken for."""
_TESTS = (*COMPARISONS, "IS", "IN")
_AGGREGATES = {
    "AVG": ("SUM", "MAX"), "SUM": ("AVG", "MAX"), "MAX": ("MIN",), "MIN": ("MAX",), "LAG": ("LEAD",),
    "RANK": ("DENSE_RANK", "ROW_NUMBER"), "DENSE_RANK": ("RANK",), "ROW_NUMBER": ("RANK",),
}  # fmt: skip
"""Functions of several rows with what they are taken for."""
_BEFORE = ("WHERE", "AND", "OR", "HAVING", "ON", "WHEN")
_AFTER = (
    "AND", "OR", "GROUP", "ORDER", "LIMIT", "THEN", "EXCEPT", "UNION", "INTERSECT", "JOIN", "LEFT", "WHERE", "HAVING",
)  # fmt: skip


class Token(NamedTuple):
    """A word, number, text or sign of a statement.

    Attributes:
        text: It.
        start: Where it begins.
        end: Where it ends.
        depth: In how many parentheses it stands; a parenthesis itself stands outside.
    """

    text: str
    start: int
    end: int
    depth: int


def tokens_of(sql: str) -> list[Token]:
    """The tokens of a statement."""
    found, depth = list[Token](), 0
    for each in _TOKEN.finditer(sql):
        depth -= each[0] == ")"
        found.append(Token(each[0], each.start(), each.end(), depth))
        depth += each[0] == "("
    return found


def edits_of(sql: str) -> Iterator[tuple[str, str]]:
    """Names of edits, and the statements that they make."""
    tokens = tokens_of(sql)
    tests = [place for place, token in enumerate(tokens) if token.text in _TESTS and not _is_set(tokens, place)]
    for place in tests:
        yield "condition dropped", _without(sql, tokens, place)
        yield from (("other comparison", text) for text in _compared(sql, tokens, place))
        yield from (("other bound", text) for text in _bounded(sql, tokens, place))
    for place, token in enumerate(tokens):
        if token.text in ("AND", "OR"):
            yield "other comparison", _put(sql, token, "OR" if token.text == "AND" else "AND")
        if token.text == "EXISTS" and tokens[place - 1].text == "NOT":
            yield "other comparison", _put(sql, tokens[place - 1], "")
        for other in _AGGREGATES.get(token.text, ()):
            yield "other aggregate", _put(sql, token, other)
        if token.text in ("COUNT", "AVG"):
            yield "other aggregate", _counted(sql, tokens, place, tests)
    yield from (("duplicates", text) for text in _distinct(sql, tokens))


def _put(sql: str, token: Token, text: str) -> str:
    return sql[: token.start] + text + sql[token.end :]


def _is_set(tokens: Sequence[Token], place: int) -> bool:
    """Whether a sign gives a column its new value."""
    words = [token.text for token in tokens[:place] if token.depth == 0]
    return tokens[place].depth == 0 and "SET" in words and "WHERE" not in words


def _without(sql: str, tokens: Sequence[Token], place: int) -> str:
    """The statement without the condition at a test: always met beside AND, never beside OR."""
    depth, start, end = tokens[place].depth, place, place
    while start and not _begins(tokens[start - 1], depth):
        start -= 1
    while end + 1 < len(tokens) and not _ends(tokens[end + 1], depth):
        end += 1
    is_either = "OR" in (tokens[start - 1].text, tokens[end + 1].text if end + 1 < len(tokens) else "")
    return f"{sql[: tokens[start].start]}{'1 = 0' if is_either else '1 = 1'}{sql[tokens[end].end :]}"


def _begins(token: Token, depth: int) -> bool:
    return token.depth < depth or (token.depth == depth and token.text in _BEFORE)


def _ends(token: Token, depth: int) -> bool:
    return token.depth < depth or (token.depth == depth and token.text in _AFTER)


def _compared(sql: str, tokens: Sequence[Token], place: int) -> Iterator[str]:
    token = tokens[place]
    yield from (_put(sql, token, sign) for sign in COMPARISONS.get(token.text, ()))
    if token.text == "IS":
        follows = tokens[place + 1]
        yield _put(sql, follows, "") if follows.text == "NOT" else _put(sql, token, "IS NOT")
    if token.text == "IN":
        before = tokens[place - 1]
        yield _put(sql, before, "") if before.text == "NOT" else _put(sql, token, "NOT IN")


def _bounded(sql: str, tokens: Sequence[Token], place: int) -> Iterator[str]:
    """The statement with the number or the date behind a sign one up or down."""
    bound = tokens[place + 1]
    if bound.text.isdigit():
        yield from (_put(sql, bound, str(int(bound.text) + step)) for step in (-1, 1))
    elif day := _DATE.fullmatch(bound.text):
        one = datetime.timedelta(1)
        yield from (_put(sql, bound, f"'{datetime.date.fromisoformat(day[1]) + step}'") for step in (-one, one))


def _counted(sql: str, tokens: Sequence[Token], place: int, tests: Sequence[int]) -> str:
    """The statement with different values counted in place of rows, or an average rounded."""
    end = next(
        each
        for each in range(place + 2, len(tokens))
        if tokens[each].text == ")" and tokens[each].depth == tokens[place].depth
    )
    called, inside = sql[tokens[place].start : tokens[end].end], sql[tokens[place + 2].start : tokens[end].start]
    column = next((tokens[each - 1].text for each in tests if tokens[each - 1].text[0].isalpha()), "1")
    counted = f"COUNT(DISTINCT {column})" if inside == "*" else "COUNT(*)"
    text = f"ROUND({called}, 1)" if tokens[place].text == "AVG" else counted
    return sql[: tokens[place].start] + text + sql[tokens[end].end :]


def _distinct(sql: str, tokens: Sequence[Token]) -> Iterator[str]:
    """The statement with equal rows kept or left out where they are not."""
    for token, follows in pairwise(tokens):
        if token.text == "SELECT" and token.depth == 0:
            yield _put(sql, follows, "") if follows.text == "DISTINCT" else _put(sql, token, "SELECT DISTINCT")
        if token.text == "UNION":
            yield _put(sql, token, "UNION ALL")
