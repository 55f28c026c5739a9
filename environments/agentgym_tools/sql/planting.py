"""Contents for one question: rows that lie on and beside what its reference compares with.

A drawn database seldom holds a given day, and seldom a group that one row decides. So there are tables of few rows, in
which one comparison is in question and the others are met, or are not; each row is in turn the lowest and the highest
of them. And there are tables of many rows, which are all asked for, so that a query that stops early is wrong. Numbers
stay within their column's range, dates in the order that they need. The contents depend on the reference alone, and on
how many rows it gives on the question's database.
"""

from __future__ import annotations

import datetime
import operator
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from agentgym_tools.sql.filling import Rows, Value, draw_value
from agentgym_tools.sql.schema import Column, Schema, Table, load_schema

_NEXT = (-1, 0, 1)
"""How far values lie from what is compared with; where rows are few, there is one for each of these."""
_WIDE = (-4, *_NEXT, 4)
"""The same for averages and the like, which have to differ from one group to the next."""
_MANY = 24
"""Many rows come in such steps, so that texts are dealt out evenly."""
_MOST_EACH = 6
"""Most rows that link to one of few."""
_NULL_SHARE = 0.25
_COMPARED = re.compile(r"(?:(AVG|SUM|MIN|MAX)\()?(?:\w+\.)?(\w+)\)? (<=|>=|<>|<|>|=) ('[^']*'|\d+)(?!\w)")
_MISSING = re.compile(r"(\w+) (IS NULL|IS NOT NULL)")
_DAYS = re.compile(r"julianday\((\w+)\) - julianday\((\w+)\) (<=|>=|<|>) (\d+)")
_COUNTED = re.compile(r"COUNT\([^()]*\) \S+ (\d+)")
_AGAINST = re.compile(r"\bNOT EXISTS\b|\bNOT IN\b|\bEXCEPT\b")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


class _Test(NamedTuple):
    """A comparison of a column with a value.

    Attributes:
        column: The column's name.
        sign: How it is compared.
        bound: What with.
        since: The other column, where the days since its date are compared.
        is_of_group: Whether it is about the rows of a group together.
        is_against: Whether rows that it holds for are left out.
    """

    column: str
    sign: str
    bound: int | str
    since: str = ""
    is_of_group: bool = False
    is_against: bool = False

    def is_met(self, value: Value) -> bool:
        """Whether a row with this value is asked for."""
        return (type(value) is type(self.bound) and _SIGNS[self.sign](value, self.bound)) != self.is_against


class _Asked(NamedTuple):
    """What a reference asks.

    Attributes:
        tests: Its comparisons.
        missing: By column whether values have to be missing, where it asks for that.
        each: How many rows of a group decide.
    """

    tests: Sequence[_Test]
    missing: Mapping[str, bool]
    each: int


class _Plan(NamedTuple):
    """How contents are drawn.

    Attributes:
        asked: What the reference asks.
        rng: The randomness.
        numbers: What numbers are that are not compared: all different, the rows being the lowest and the highest by
            turns; all equal; all drawn; or all equal but one, in many rows.
        question: The comparison in question, if any.
        met: In how many of the rows the others are met.
        few: Rows of a table that links to none; 0 for many, of all tables.
        each: How many rows link to each of these.
        step: Whose turn it is, or how far the one number lies from the others.
    """

    asked: _Asked
    rng: random.Random
    numbers: Literal["turns", "equal", "drawn", "all but one"]
    question: _Test | None = None
    met: float = 1.0
    few: int = 0
    each: int = 1
    step: int = 0

    @property
    def is_random(self) -> bool:
        """Whether what is not compared is drawn, in few rows."""
        return self.numbers == "drawn" and self.few > 0

    def is_drawn(self, share: float) -> bool:
        """Whether this is one of some share of rows."""
        return self.rng.random() < share


@lru_cache(maxsize=128)
def plantings(schema: str, sql: str, num_rows: int) -> tuple[Rows, ...]:
    """Contents for a question: the rows of the tables that it is about, linked tables first; not to be changed.

    Args:
        schema: The database's schema.
        sql: The reference.
        num_rows: How many rows it gives on the question's database; where there are many rows, it gives more.
    """
    tables = _read_tables(load_schema(schema), sql)
    many = _MANY * (1 + (num_rows + 1) // _MANY)
    return tuple(_contents(plan, tables, many) for plan in _plans(sql))


def _read_tables(schema: Schema, sql: str) -> list[Table]:
    """The tables that a statement names, and those that their rows link to."""
    names = set(re.findall(r"\w+", sql))
    for table in reversed(schema.tables):
        if table.name in names:
            names |= {column.target for column in table.of_kind("link")}
    return [table for table in schema.tables if table.name in names]


def _plans(sql: str) -> Iterator[_Plan]:
    asked, rng = _asked(sql), random.Random(f"planted {sql}")
    few, each = len(_NEXT), asked.each
    for question in asked.tests or (None,):
        for turn in range(few):
            yield _Plan(asked, rng, "turns", question, few=few, each=each, step=turn)
        yield _Plan(asked, rng, "equal", question, few=2 * few, each=each + 1)
        yield _Plan(asked, rng, "drawn", question, 0.5, few=few, each=2)
        yield _Plan(asked, rng, "turns", question, 0.0, few=few)
    yield _Plan(asked, rng, "drawn", few=2 * few, each=2)
    yield _Plan(asked, rng, "drawn", each=max(2, each))
    yield from (_Plan(asked, rng, "all but one", each=max(2, each), step=step) for step in (-1, 1))


def _asked(sql: str) -> _Asked:
    tests = list[_Test]()
    for place, part in enumerate(_AGAINST.split(sql, maxsplit=1)):
        for function, column, sign, text in _COMPARED.findall(part):
            bound = text[1:-1] if text.startswith("'") else int(text)
            tests.append(_Test(column, sign, bound, is_of_group=function != "", is_against=place == 1))
        tests += [
            _Test(later, sign, int(days), since=start, is_against=place == 1)
            for later, start, sign, days in _DAYS.findall(part)
        ]
    missing = {column: test == "IS NULL" for column, test in _MISSING.findall(sql)}
    each = [3 for test in tests if test.is_of_group] + [int(number) for number in _COUNTED.findall(sql)]
    return _Asked(tuple(dict.fromkeys(tests)), missing, min(_MOST_EACH, max(each, default=1)))


def _contents(plan: _Plan, tables: Sequence[Table], many: int) -> Rows:
    """Rows by a plan.

    Args:
        plan: It.
        tables: The tables, linked ones before those that link to them.
        many: How many rows many are.
    """
    rows, keys = dict[str, list[tuple[Value, ...]]](), dict[str, list[Value]]()
    linked = {column.target for table in tables for column in table.of_kind("link")}
    for table in tables:
        count = (plan.few or many) * (plan.each if linked and table.name not in linked else 1)
        columns = dict[str, list[Value]]()
        for column in table.columns:
            columns[column.name] = _column(plan, column, count, columns, keys)
        keys[table.name] = columns[table.key]
        rows[table.name] = list(zip(*columns.values(), strict=True))
    return rows


def _column(
    plan: _Plan, column: Column, count: int, before: Mapping[str, Sequence[Value]], keys: Mapping[str, Sequence[Value]]
) -> list[Value]:
    """The values of a column, by those of the columns before it and by the keys of the tables before."""
    rng = plan.rng
    if column.kind == "key":
        start = rng.randint(1, 9)
        return rng.sample(range(start, start + count), count)
    if column.kind == "link":
        linked = keys[column.target]
        return [rng.choice(linked) if plan.is_random else linked[place % len(linked)] for place in range(count)]
    values = _compared(plan, column, count)
    if column.kind == "later":
        days = values or [rng.randint(0, column.high) for _ in range(count)]
        values = [_days_after(start, each) for start, each in zip(before[column.target], days, strict=True)]
    values = values or _free(plan, column, count, len(before))
    return [None if column.is_nullable and _is_missing(plan, column) else value for value in values]


def _is_missing(plan: _Plan, column: Column) -> bool:
    is_in_question = plan.question is not None and plan.question.column == column.name
    if column.name in plan.asked.missing and not is_in_question:
        return plan.asked.missing[column.name] == plan.is_drawn(plan.met)
    return plan.few > 0 and plan.is_drawn(_NULL_SHARE)


def _compared(plan: _Plan, column: Column, count: int) -> list[Value]:
    """Values of a column that is compared, empty for others: those in question, else met or not met."""
    rng, question = plan.rng, plan.question
    tests = [test for test in plan.asked.tests if test.column == column.name]
    near = dict.fromkeys(value for test in tests for value in _near(rng, column, test, is_wide=test.is_of_group))
    if not near:
        return []
    best, worst = _best_and_worst(tests, list(near))
    if question is None and plan.few:  # one value, so that what differs is how many rows have it
        return [rng.choice(best[0])] * count
    values = list[Value]()
    for place in range(count):
        fitting = best if plan.is_drawn(plan.met) else worst
        turn = place // len(_NEXT) if plan.few > len(_NEXT) else rng.randrange(len(fitting))
        values.append(rng.choice(fitting[turn % len(fitting)]))
    if question is not None and question in tests and (asked := _near(rng, column, question)):
        is_drawn = plan.is_random or (question.is_of_group and plan.step > 0)
        number = count if is_drawn or question.is_of_group else plan.few
        values[:number] = [
            rng.choice(asked) if is_drawn else asked[place % plan.few % len(asked)] for place in range(number)
        ]
    return values


def _best_and_worst(tests: Sequence[_Test], near: Sequence[Value]) -> tuple[list[list[Value]], list[list[Value]]]:
    """The values that meet most of the comparisons, and those that meet least, parted by which ones they meet."""
    by_met = defaultdict[tuple[bool, ...], list[Value]](list)
    for value in near:
        by_met[tuple(test.is_met(value) for test in tests)].append(value)
    most, least = (pick(map(sum, by_met)) for pick in (max, min))
    return (
        [values for met, values in by_met.items() if sum(met) == most],
        [values for met, values in by_met.items() if sum(met) == least],
    )


def _near(rng: random.Random, column: Column, test: _Test, *, is_wide: bool = False) -> list[Value]:
    """What a column is compared with and what lies next to it, as far as it could be drawn there.

    Args:
        rng: The randomness, by which other texts are drawn.
        column: The column.
        test: The comparison.
        is_wide: Whether numbers may lie further away, so that their averages differ.
    """
    bound = test.bound
    if test.since or (column.kind == "number" and isinstance(bound, int)):
        low, high = (0, column.high) if test.since else (column.low, column.high)
        return [value for step in (_WIDE if is_wide else _NEXT) if low <= (value := int(bound) + step) <= high]
    if column.kind == "date" and _DATE.fullmatch(str(bound)):
        return [_days_after(bound, step) for step in _NEXT]
    if column.kind == "of" and bound in column.texts:
        others = [text for text in column.texts if text != bound]
        return [bound, *rng.sample(others, min(2, len(others)))]
    return []


def _free(plan: _Plan, column: Column, count: int, place: int) -> list[Value]:
    """Values of a column that is not compared, the one at this place of its table."""
    rng = plan.rng
    if column.kind == "number" and plan.numbers == "turns":
        span = min(column.high - column.low, count - 1)
        low = rng.randint(column.low, column.high - span)
        return [low + (row + plan.step + place) % count % (span + 1) for row in range(count)]
    if column.kind == "number" and plan.numbers != "drawn":
        same = rng.randint(column.low + 1, column.high - 1)
        return [same + plan.step, *[same] * (count - 1)]
    if column.kind == "of" and plan.few == 0:
        return [column.texts[0 if plan.step else row % len(column.texts)] for row in range(count)]
    if column.kind == "date" and plan.few == 0:
        years = range(column.low, column.high + 1)
        return [f"{years[row % len(years)]}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}" for row in range(count)]
    if plan.is_random:  # few different values, one of them once: so groups are of different sizes
        one, *others = rng.sample(column.texts, 2) if column.kind == "of" else (draw_value(rng, column) for _ in _NEXT)
        values = [one, *rng.choices(others, k=count - 1)]
        return rng.sample(values, count)
    return [draw_value(rng, column) for _ in range(count)]


def _days_after(start: Value, days: Value) -> str:
    return str(datetime.date.fromisoformat(str(start)) + datetime.timedelta(int(days or 0)))
