"""The bank's documents: rules, memos, procedures and much else, whose values and numbers are those of a task.

A document is a text with places for values, the same in all tasks, so that one index serves them all. Which numbers
documents have is drawn with the policy: where a rule stands cannot be learnt by heart.
"""

from __future__ import annotations

import dataclasses
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from agentgym_tools.desks.bank.account_procedures import AccountProcedures
from agentgym_tools.desks.bank.card_procedures import CardProcedures
from agentgym_tools.desks.bank.money_procedures import MoneyProcedures
from agentgym_tools.desks.bank.papers.others import OTHERS
from agentgym_tools.desks.bank.papers.procedures import BINDING, KINDS, PROCEDURES
from agentgym_tools.desks.bank.papers.rules import MEMOS, RULES, Paper
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.ranking import Ranking
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.worlds.toolbox import WorldTool

NUM_FOUND = 10
"""Documents that a search shows at most."""
_PRIME = 9_973
"""Numbers of documents are below it."""
_NUMBER = re.compile(r"D[0-9]{4}")
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_FIELDS = {field.name: field for field in dataclasses.fields(BankPolicy)}
_OTHER_DESKS = ("business customers", "private banking", "staff")


class Procedures(CardProcedures, AccountProcedures, MoneyProcedures):
    """All tools of the bank but those that find documents."""


@dataclass(frozen=True)
class Document:
    """A document.

    Attributes:
        key: What the code knows it by.
        title: Its title.
        day: The day from which on it counts.
        text: Its text, with places for values.
        counts: Whether what it states is in force today at this desk; else its values are others.
    """

    key: str
    title: str
    day: int
    text: str
    counts: bool = True

    @property
    def references(self) -> list[str]:
        """The keys of the documents that it names."""
        return [found[2] for found in _PLACE.finditer(self.text) if found[1] == "see"]


def procedure_key(tool: str) -> str:
    """The key of the document that names a procedure."""
    return f"procedure_{tool}"


def _mixed(text: str) -> int:
    return zlib.crc32(text.encode())


def _versions(paper: Paper) -> Iterator[Document]:
    """A rule as it is in force, as it was, perhaps as it will be, and as it is for others."""
    key, title, text = paper
    yield Document(key, title, TODAY - 90 - _mixed(key) % 300, text)
    for number in range(1 + _mixed(key) % 2):
        day = TODAY - 500 - 300 * number - _mixed(key) % 200
        yield Document(f"{key}_old_{number}", title, day, text, counts=False)
    if _mixed(key) % 3 == 0:
        yield Document(f"{key}_coming", title, TODAY + 10 + _mixed(key) % 60, text, counts=False)
    for place in range(1 + _mixed(title) % 3):
        whom = _OTHER_DESKS[place]
        opening = f"This is for {whom} alone. {text}"
        yield Document(f"{key}_other_{place}", f"{title}: {whom}", TODAY - 5 - _mixed(whom + key) % 80, opening, False)


def _procedure(tool: WorldTool) -> Iterator[Document]:
    """The document of a procedure, and its last version, in which it has a name that is no longer one."""
    function = tool["function"]
    name, (title, rules) = function["name"], PROCEDURES[function["name"]]
    lines = [f"- {key} ({KINDS[each['type']]}): {each['description']}" for key, each in _parameters(tool).items()]
    binding = "It is binding." if name in BINDING else "It is not binding."
    more = [f"Its rules: {', '.join(f'{{see:{rule}}}' for rule in rules)}."] if rules else []
    for key, called, day in ((name, name, 40), (f"{name}_old", f"{name}_{1 + _mixed(name) % 8}", 700)):
        text = f"{function['description']} The procedure is called {called}. {binding} Its arguments:\n"
        day = TODAY - day - _mixed(name) % 100
        yield Document(procedure_key(key), title, day, text + "\n".join([*lines, *more]), key == name)


def _parameters(tool: WorldTool) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tool["function"]["parameters"]["properties"]
    return found


def _all() -> Iterator[Document]:
    for rule in RULES:
        yield from _versions(rule)
    for memo in MEMOS:
        yield Document(*memo[:2], TODAY - 5 - _mixed(memo.key) % 60, memo.text)
    for tool in Procedures.tools.values():
        if not tool.is_listed:
            yield from _procedure(tool)
    for paper in OTHERS:
        yield Document(*paper[:2], TODAY - 30 - _mixed(paper.key) % 900, paper.text)


DOCUMENTS: Sequence[Document] = sorted(_all(), key=lambda document: _mixed(document.key))
"""All documents, in an order that says nothing."""
PLACES: Mapping[str, int] = {document.key: place for place, document in enumerate(DOCUMENTS)}
"""Where each stands among them."""
HOMES: Mapping[str, str] = {
    found[1]: document.key
    for document in DOCUMENTS
    for found in _PLACE.finditer(document.text)
    if document.counts and found[2] is None
}
"""For each value of a policy that a document states the document that counts."""


@cache
def _ranking() -> Ranking:
    """The index; a title counts three times."""
    return Ranking([" ".join([document.title] * 3 + [_PLACE.sub(" ", document.text)]) for document in DOCUMENTS])


def found_by(query: str) -> list[Document]:
    """The documents that a query finds, the best first."""
    return [DOCUMENTS[place] for place in _ranking().best(query, NUM_FOUND)]


class Library:
    """The documents of a task.

    Args:
        policy: The rules, whose values they state.
    """

    def __init__(self, policy: BankPolicy) -> None:
        self._policy = policy

        self._draw = _mixed(repr(policy))
        self._factor, self._offset = 1 + self._draw % (_PRIME - 1), self._draw // _PRIME % _PRIME

    def number_of(self, key: str) -> str:
        """The number of a document, such as D4711."""
        return f"D{(PLACES[key] * self._factor + self._offset) % _PRIME:04d}"

    def find(self, number: str) -> Document | None:
        """The document of a number; None if there is none."""
        if not _NUMBER.fullmatch(number):
            return None
        place = (int(number[1:]) - self._offset) * pow(self._factor, -1, _PRIME) % _PRIME
        is_one = place < len(DOCUMENTS) and self.number_of(DOCUMENTS[place].key) == number
        return DOCUMENTS[place] if is_one else None

    def text_of(self, document: Document) -> str:
        """What a document says."""
        return _PLACE.sub(lambda found: self._fill(document, found[1], found[2]), document.text)

    def texts(self) -> list[str]:
        """All documents that count, with their titles."""
        return [f"{each.title} ({date_of(each.day)}). {self.text_of(each)}" for each in DOCUMENTS if each.counts]

    def _fill(self, document: Document, name: str, of: str | None) -> str:
        if name == "see":
            assert of is not None
            return f"{self.number_of(of)} ({DOCUMENTS[PLACES[of]].title})"
        if name == "was":
            assert of is not None
            return self._other(document, of)
        return _said(getattr(self._policy, name)) if document.counts else self._other(document, name)

    def _other(self, document: Document, name: str) -> str:
        """A value of a rule that is not the one in force."""
        known = _FIELDS[name].metadata
        now = getattr(self._policy, name)
        others = [value for value in (*known["values"], *known["held_out"]) if value != now]
        return _said(others[(self._draw + _mixed(document.key + name)) % len(others)])


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@lru_cache(maxsize=256)
def library_of(policy: BankPolicy) -> Library:
    """The library of a policy."""
    return Library(policy)
