"""The rows of a world by what people call them: "the red kite of order W1042" is a row of the items.

A row is looked for near rows that are known: those that it refers to, and those that refer to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from agentgym_tools.desks.words.lexicon.phrases import content_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence, Token
from agentgym_tools.desks.words.lexicon.values import Spotted, is_code
from agentgym_tools.worlds import Base

MAX_STEPS = 3
"""A row is looked for at most so many references away."""
MAX_REFERRING = 40
"""Rows that more rows than this refer to are no way to another row."""
MAX_KNOWN = 500
"""A table of at most so many rows is known as a whole, such as the doctors of a clinic."""
_APART = frozenset({"to", "into", "onto", "from", "for", "with", "by", "and", "or", ",", "instead", "than", "as"})
"""Words that part what belongs to two rows."""
_FIRST = frozenset({"original", "same", "initial", "originally"})
"""Words for what a known row refers to itself, such as the payment of an order."""


def plurals(name: str) -> tuple[str, ...]:
    """What a table of things of a name may be called."""
    return (f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies", name)


_STATES = frozenset({"state", "status"})
"""Columns by which rows are called only together with what they are."""
_WHOLE, _ALONE = 0.5, 1.5


class Row(NamedTuple):
    """A row by its table and key."""

    table: str
    key: str


class Rows:
    """The rows of a world at the start of an episode.

    Args:
        base: The world's base.
        owners: The table whose rows own the others: no way leads from one of them to another.
    """

    def __init__(self, base: Base, owners: str) -> None:
        self._base = base
        self._owners = owners
        self._words: dict[tuple[Row, bool], Sequence[frozenset[str]]] = {}

    @cached_property
    def _fields(self) -> dict[str, dict[str, dict[str, str]]]:
        """By table and key the fields of each row; a row without a key of its own has a number."""
        db = self._base.connect()
        try:
            found: dict[str, dict[str, dict[str, str]]] = {}
            for table in self._base.tables:
                rows = db.execute(f"SELECT * FROM {table.name}").fetchall()  # noqa: S608 - a name of the schema
                has_key = "id" in table.columns
                found[table.name] = {
                    str(row["id"]) if has_key else f"#{number}": {
                        name: str(row[name]) for name in table.columns if row[name] is not None
                    }
                    for number, row in enumerate(rows)
                }
            return found
        finally:
            db.close()

    @cached_property
    def _links(self) -> dict[str, list[tuple[str, str]]]:
        """By table its columns that refer to another table, with that table."""
        db = self._base.connect()
        try:
            found = {
                table.name: [(row[3], row[2]) for row in db.execute(f"PRAGMA foreign_key_list({table.name})")]
                for table in self._base.tables
            }
            return {
                table.name: sorted(found[table.name], key=lambda link: table.columns.index(link[0]))
                for table in self._base.tables
            }
        finally:
            db.close()

    @cached_property
    def _referring(self) -> dict[Row, list[Row]]:
        """By row those that refer to it; an owner has only what the first such column gives it."""
        found: dict[Row, list[Row]] = {}
        for table, links in self._links.items():
            for key, fields in self._fields[table].items():
                first = {other: column for column, other in reversed(links)}
                for column, other in links:
                    if column in fields and (other != self._owners or first[other] == column):
                        found.setdefault(Row(other, fields[column]), []).append(Row(table, key))
        return found

    def tables_called(self, names: Iterable[str]) -> list[str]:
        """The tables whose rows are called by one of these words, such as the accounts by "account"."""
        tables = [table.name for table in self._base.tables if "id" in table.columns]
        return [table for name in names for table in tables if table in plurals(name)]

    def mentions(
        self,
        table: str,
        known: Collection[Row],
        sentence: Sentence,
        values: Sequence[Spotted],
        aside: frozenset[str],
        noun: str,
    ) -> Iterator[Spotted]:
        """The rows of a table that a sentence calls by words, as values.

        Args:
            table: The table.
            known: Rows near which they may be.
            sentence: The sentence.
            values: Its values.
            aside: Words that call no row, because they stand for something else in it.
            noun: What such a row is; its state calls it only beside this word, as in "the pending order".
        """
        tokens = sentence.tokens
        if len(self._fields[table]) <= MAX_KNOWN:
            named = list(self._by_name(table, values))
            yield from named
            if named:
                return
        yield from self._referred(table, known, tokens)
        levels = list(self._near(table, known))
        for first, last in _segments(tokens):
            words = {
                token.text.casefold() if token.kind == "number" else token.plain: place
                for place, token in enumerate(tokens[first:last], first)
                if token.kind in ("word", "number")
            }
            found = self._called({word: at for word, at in words.items() if word not in aside}, levels, noun in words)
            if found is not None:
                yield found

    def only(self, table: str, known: Collection[Row], sentence: Sentence, noun: str) -> Spotted | None:
        """The nearest row of a table where there is one alone, and the sentence says what it is: "the order"."""
        nearest = next((rows for rows in self._near(table, known) if rows), [])
        place = next((number for number, token in enumerate(sentence.tokens) if token.plain == noun), None)
        return Spotted("code", nearest[0].key, place, place + 1) if len(nearest) == 1 and place is not None else None

    def _referred(self, table: str, known: Collection[Row], tokens: Sequence[Token]) -> Iterator[Spotted]:
        """The row that a known row refers to, where it is called the original or the same one."""
        place = next((number for number, token in enumerate(tokens) if token.word in _FIRST), None)
        rows = {other for row in known for other in self._parents(row) if other.table == table}
        if place is not None and len(rows) == 1 and not any(row.table == table for row in known):
            yield Spotted("code", next(iter(rows)).key, place, place + 1)

    def _near(self, table: str, known: Collection[Row]) -> Iterator[list[Row]]:
        """The rows of a table near known rows, the nearest first."""
        seen, border = set(known), list(known)
        has_owner = any(row.table == self._owners for row in known)
        for _ in range(MAX_STEPS):
            border = list(dict.fromkeys(other for row in border for other in self._beside(row) if other not in seen))
            seen.update(border)
            border = [row for row in border if row.table != self._owners or not has_owner]
            has_owner = has_owner or any(row.table == self._owners for row in border)
            yield [row for row in border if row.table == table]

    def _beside(self, row: Row) -> Iterator[Row]:
        yield from self._parents(row)
        referring = self._referring.get(row, ())
        if len(referring) <= MAX_REFERRING:
            yield from referring

    def _parents(self, row: Row) -> Iterator[Row]:
        fields = self._fields[row.table].get(row.key, {})
        for column, table in self._links[row.table]:
            if column in fields:
                yield Row(table, fields[column])

    def _called(self, words: Mapping[str, int], levels: Iterable[Sequence[Row]], has_states: bool) -> Spotted | None:
        """The one row to which more of the words belong than to others near it.

        Words that all rows share say nothing; a text that is there as a whole counts more than its words.
        """
        for rows in levels:
            counts = Counter(word for row in rows for word in self._words_of(row, has_states) if word in words)
            telling = {word for word, count in counts.items() if count < len(rows) or len(rows) == 1}
            texts = Counter(text for row in rows for text in set(self._called_by(row, has_states)))
            scores = []
            for row in rows:
                called = self._called_by(row, has_states)
                wholes = sum(
                    bool(text) and text <= words.keys() and texts[text] < len(rows) + (len(rows) == 1)
                    for text in called
                )
                parts = sum(1.0 / counts[word] for word in frozenset().union(*called) & telling)
                scores.append((parts + _WHOLE * wholes, row))
            best = max((score for score, _ in scores), default=0.0)
            chosen = [row for score, row in scores if score == best]
            if 0.0 < best < _ALONE and len(rows) == 1:
                continue
            if best and len(chosen) == 1:
                places = [words[word] for word in self._words_of(chosen[0], has_states) if word in words]
                return Spotted("code", chosen[0].key, min(places), max(places) + 1)
            if best:
                return None
        return None

    def _by_name(self, table: str, values: Sequence[Spotted]) -> Iterator[Spotted]:
        """Rows of a small table that are called by a whole text of theirs, such as a doctor's name."""
        for value in values:
            rows = [key for key, row in self._fields[table].items() if value.text in row.values()]
            if value.kind == "word" and len(rows) == 1:
                yield Spotted("code", rows[0], value.at, value.end)

    def _words_of(self, row: Row, has_states: bool) -> frozenset[str]:
        return frozenset().union(*self._called_by(row, has_states))

    def _called_by(self, row: Row, has_states: bool) -> Sequence[frozenset[str]]:
        """The words by which a row is called: those of each of its texts, and of the rows that it refers to."""
        if (row, has_states) not in self._words:
            own = self._fields[row.table].get(row.key, {})
            above = [self._fields[other.table].get(other.key, {}) for other in self._parents(row)]
            fields = [item for row in above for item in row.items() if item[0] not in _STATES]
            fields += [item for item in own.items() if has_states or item[0] not in _STATES]
            self._words[row, has_states] = [content_of(text) for _, text in fields if not is_code(text)]
        return self._words[row, has_states]


def _segments(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The stretches of a sentence that speak of one thing each."""
    begin = 0
    for place, token in enumerate(tokens):
        if token.word in _APART or token.kind not in ("word", "number"):
            yield begin, place
            begin = place + 1
    yield begin, len(tokens)
