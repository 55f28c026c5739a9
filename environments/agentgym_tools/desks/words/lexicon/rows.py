"""The rows of a world by what people call them: "the red kite of order W1042" is a row of the items.

A row is looked for near rows that are known: those that it refers to, and those that refer to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from agentgym_tools.desks.words.lexicon.sentences import Token
from agentgym_tools.desks.words.lexicon.values import Spotted, is_code
from agentgym_tools.worlds import Base

MAX_STEPS = 3
"""A row is looked for at most so many references away."""
MAX_REFERRING = 40
"""Rows that more rows than this refer to are no way to another row."""
MAX_KNOWN = 500
"""A table of at most so many rows is known as a whole, such as the doctors of a clinic."""
_GAP = 2
_APART = frozenset({"to", "into", "onto", "from", "for", "with", "by", "and", "or", ",", "instead", "than", "as"})
"""Words that part what belongs to two rows."""
_FIRST = frozenset({"original", "same", "initial", "originally"})
"""Words for what a known row refers to itself, such as the payment of an order."""


class Row(NamedTuple):
    """A row by its table and key."""

    table: str
    key: str


class Rows:
    """The rows of a world at the start of an episode.

    Args:
        base: The world's base.
    """

    def __init__(self, base: Base) -> None:
        self._base = base
        self._texts: dict[Row, frozenset[str]] = {}

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
            return {
                table.name: [(row[3], row[2]) for row in db.execute(f"PRAGMA foreign_key_list({table.name})")]
                for table in self._base.tables
            }
        finally:
            db.close()

    @cached_property
    def _referring(self) -> dict[Row, list[Row]]:
        """By row those that refer to it."""
        found: dict[Row, list[Row]] = {}
        for table, links in self._links.items():
            for key, fields in self._fields[table].items():
                for column, other in links:
                    if column in fields:
                        found.setdefault(Row(other, fields[column]), []).append(Row(table, key))
        return found

    def tables_called(self, names: Iterable[str]) -> list[str]:
        """The tables whose rows are called by one of these words, such as the accounts by "account"."""
        tables = [table.name for table in self._base.tables if "id" in table.columns]
        return [table for name in names for table in tables if table in (f"{name}s", f"{name}es", name)]

    def mentions(
        self, table: str, known: Collection[Row], values: Sequence[Spotted], tokens: Sequence[Token], noun: str
    ) -> Iterator[Spotted]:
        """The rows of a table that a sentence mentions, as values.

        Args:
            table: The table.
            known: Rows near which they may be.
            values: The values of the sentence.
            tokens: Its tokens.
            noun: What a row of the table is called; it alone is enough where there is only one.
        """
        yield from self._referred(table, known, tokens)
        levels = list(self._near(table, known))
        clusters = list(_clusters(values, tokens))
        found = [each for each in (self._called(cluster, table, levels) for cluster in clusters) if each is not None]
        yield from found
        nearest = next((rows for rows in levels if rows), [])
        place = next((number for number, token in enumerate(tokens) if token.plain == noun), None)
        if not found and len(nearest) == 1 and place is not None:
            yield Spotted("code", nearest[0].key, place, place + 1)

    def _referred(self, table: str, known: Collection[Row], tokens: Sequence[Token]) -> Iterator[Spotted]:
        """The row that a known row refers to, where it is called the original or the same one."""
        place = next((number for number, token in enumerate(tokens) if token.word in _FIRST), None)
        rows = {other for row in known for other in self._parents(row) if other.table == table}
        if place is not None and len(rows) == 1 and not any(row.table == table for row in known):
            yield Spotted("code", next(iter(rows)).key, place, place + 1)

    def _near(self, table: str, known: Collection[Row]) -> Iterator[list[Row]]:
        """The rows of a table near known rows, the nearest first; at last all of a small table."""
        seen, border = set(known), list(known)
        for _ in range(MAX_STEPS):
            border = list(dict.fromkeys(other for row in border for other in self._beside(row) if other not in seen))
            seen.update(border)
            yield [row for row in border if row.table == table]
        if len(self._fields[table]) <= MAX_KNOWN:
            yield [Row(table, key) for key in self._fields[table]]

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

    def _called(self, cluster: Sequence[Spotted], table: str, levels: Iterable[Sequence[Row]]) -> Spotted | None:
        """The one row that is called by neighbouring values, or by as many of them as any."""
        texts = {value.text.casefold() for value in cluster}
        for rows in levels:
            counts = [(len(texts & self._texts_of(row)), row) for row in rows]
            most = max((count for count, _ in counts), default=0)
            best = [row for count, row in counts if count == most]
            if most and len(best) == 1:
                used = [value for value in cluster if value.text.casefold() in self._texts_of(best[0])]
                return Spotted("code", best[0].key, used[0].at, used[-1].end)
            if most:
                return None
        return None

    def _texts_of(self, row: Row) -> frozenset[str]:
        """What a row is called: its texts, and those of the rows that it refers to."""
        if row not in self._texts:
            own = self._fields[row.table].get(row.key, {})
            above = [self._fields[other.table].get(other.key, {}) for other in self._parents(row)]
            texts = [text for fields in (own, *above) for text in fields.values() if not is_code(text)]
            self._texts[row] = frozenset(text.casefold() for text in texts)
        return self._texts[row]


def _clusters(values: Sequence[Spotted], tokens: Sequence[Token]) -> Iterator[list[Spotted]]:
    """Words of the vocabulary that stand together, such as the colour and the product."""
    words = [value for value in values if value.kind == "word"]
    cluster: list[Spotted] = []
    for value in words:
        between = [token.word for token in tokens[cluster[-1].end : value.at]] if cluster else []
        if cluster and (len(between) > _GAP or not _APART.isdisjoint(between)):
            yield cluster
            cluster = []
        cluster.append(value)
    if cluster:
        yield cluster
