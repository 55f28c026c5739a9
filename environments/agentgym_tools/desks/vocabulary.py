"""Fixed phrases and names of desks, single tokens of tiny models: keys of results, openings of acts, pieces of rules.

The words between them are those of demonstrated and random episodes; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.specs import SMALL_DESKS

NUMBERS = (*range(130), 555, *range(150, 9_001, 100), *range(200, 30_001, 100), *range(2_001, 2_050))
"""Numbers that should be single tokens: those of ids, days, years and telephones, and sums in cents."""
_DAYS = [f"-{number:02d}" for number in range(1, 32)]
_KEY = re.compile(r'[\]}"]*(?:, )?[\[{]*"[a-z_]+": ?(?:[\[{]*"(?![a-z_]+":))?')
"""A key of a result, from the end of the value before it."""
_ACT = re.compile(r"(?:\b[a-z_]+\()?(?:'?, )?\b[a-z_]+='?|'\)")
"""What opens an act of the customer, stands between its values, or ends it."""
_RULE = re.compile(r"^- .+$", re.MULTILINE)
_NUMBER = re.compile(r"(?<= )\d+")
_LEAST, _LEAST_OF_RULE = 5, 9
"""How often a phrase occurs at least, and the length of the shortest piece of a rule."""
_NAMES = {
    "email": re.compile(r"\S+@\S+"),
    "telephone": re.compile(r"555-\d{4}"),
    "code": re.compile(r"\d{4,5}"),
    "person": re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+"),
    "birthday": re.compile(r"\d{4}-\d{2}-\d{2}"),
}
"""Values of columns that are names, by kind."""
_OF_CUSTOMERS = {"person": "name", "birthday": "born"}
"""Kinds that are names in one column of the customers alone."""
_ID = re.compile(r"([A-Z])\d+")
_CENTS = 50
"""A code that could be a sum of money, which all are multiples of this, is no name."""


def names_of(suite: str) -> Sequence[Sequence[str]]:
    """Names in the worlds of a suite of a small desk, by kind: ids by letter, people, birthdays, addresses, codes.

    Args:
        suite: Its name. Other suites have too many names, and none here.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for domain in (desk(name) for name in SMALL_DESKS if suite == f"tools/desk-{name}-small"):
        for size in domain.small_worlds:
            for kind, name in _names_in(domain, size):
                found[kind].add(name)
    return [sorted(found[kind]) for kind in sorted(found)]


def _names_in(domain: Domain, size: str) -> Iterable[tuple[str, str]]:
    base = domain.sizes[size]
    with domain.world(size).call(may_write=False) as world:
        for table, columns in base.columns.items():
            rows = world.rows(f"SELECT * FROM {table}")  # noqa: S608 - a table of the schema
            for column, value in (cell for row in rows for cell in zip(columns, row, strict=True)):
                kind = _kind_of(value) if isinstance(value, str) else ""
                own_column = _OF_CUSTOMERS.get(kind)
                if kind and (own_column is None or (table, column) == (domain.customers_table, own_column)):
                    yield kind, value


def _kind_of(value: str) -> str:
    """The kind of name that a value of a column is; "" for none."""
    match = _ID.fullmatch(value)
    if match:
        return match[1]
    if value.isdecimal() and int(value) % _CENTS == 0:
        return ""
    return next((kind for kind, pattern in _NAMES.items() if pattern.fullmatch(value)), "")


def phrases_in(texts: Iterable[str]) -> list[str]:
    """The phrases that recur in texts of episodes; rules are cut at their numbers, which are drawn."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(phrase for pattern in (_KEY, _ACT) for phrase in pattern.findall(text) if len(phrase) > 1)
        pieces = (piece for rule in _RULE.findall(text) for piece in _NUMBER.split(rule))
        counts.update(piece for piece in pieces if len(piece) >= _LEAST_OF_RULE)
    return sorted({*_DAYS, *(phrase for phrase, count in counts.items() if count >= _LEAST)})
