"""The fact base: entities, the value of each relation, and later reports that change some values.

It is drawn from a seed as arrays of numbers, within milliseconds also for 50,000 articles; `articles` words it.
"""

from __future__ import annotations

import datetime
import zlib
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ConfigError
from agentgym_tools.search.names import KINDS, NUM_WORDS, Kind, name_of
from agentgym_tools.search.relations import BY_NAME, CHANGING, RELATIONS, Relation

MIN_ARTICLES, MAX_ARTICLES = 200, 100_000
SEED = 190_711
"""Seed of the fact base that the suites ask about."""

_SHARES = {"person": 0.30, "town": 0.12, "company": 0.12, "book": 0.20, "school": 0.06}
_MISSING_PERCENT = 7
_FIRST_DAY, _LAST_DAY = datetime.date(2005, 1, 1).toordinal(), datetime.date(2018, 12, 31).toordinal()
_FIRST_NEWS, _LAST_NEWS = datetime.date(2004, 1, 1).toordinal(), datetime.date(2025, 12, 31).toordinal()

Numbers = NDArray[np.int64]


class Entity(NamedTuple):
    """One person, town, company, book or school.

    Attributes:
        kind: Its kind.
        number: Its number among its kind, from 0.
    """

    kind: Kind
    number: int


class Statement(NamedTuple):
    """What one article says of a relation that changes.

    Attributes:
        day: Ordinal of the day on which it was written.
        value: An entity's index, or a number.
        article: Number of the article.
    """

    day: int
    value: int
    article: int


class World:
    """All facts; never changed once drawn, so that episodes share it.

    Attributes:
        num_articles: Articles, one for each entity and one for each report.
        counts: Number of entities of each kind.
        values: For each (kind, relation) an int64 array, an entry an entity of the kind: the index of the entity that
            it leads to, a number, or a day's ordinal; -1 where no article states it.
        days: For each kind the days on which its articles were written, as ordinals.

    Args:
        num_articles: From 200 to 100,000.
        seed: Seed of everything in it.

    Raises:
        ConfigError: The number of articles is out of range.
    """

    def __init__(self, num_articles: int, seed: int = SEED) -> None:
        if type(num_articles) is not int or not MIN_ARTICLES <= num_articles <= MAX_ARTICLES:
            raise ConfigError(f"articles must be an int from {MIN_ARTICLES} to {MAX_ARTICLES}: got {num_articles!r}")
        self.num_articles, self.seed = num_articles, seed
        self.counts: dict[Kind, int] = {kind: int(num_articles * _SHARES[kind]) for kind in KINDS}
        self.num_entities = sum(self.counts.values())
        self._first = dict(zip(KINDS, np.cumsum([0, *self.counts.values()])[:-1].tolist(), strict=True))
        self._words = _permutation(self._raw("words", NUM_WORDS))[: self.num_entities]
        self._article_of = _permutation(self._raw("articles", num_articles))
        self.values = {(relation.kind, relation.name): self._draw_values(relation) for relation in RELATIONS}
        self.days: dict[Kind, Numbers] = {
            kind: self._draw(f"day {kind}", count, _FIRST_DAY, _LAST_DAY) for kind, count in self.counts.items()
        }
        self._draw_reports()

    def _raw(self, stream: str, count: int) -> NDArray[np.uint64]:
        # Raw bits of PCG64 are the same in every version of numpy; its distributions need not be.
        bits = np.random.PCG64(np.random.SeedSequence([self.seed, zlib.crc32(stream.encode())]))
        return np.asarray(bits.random_raw(count), dtype=np.uint64)

    def _draw(self, stream: str, count: int, low: int, high: int) -> Numbers:
        """Integers from low to high, inclusive."""
        return (self._raw(stream, count) % np.uint64(high - low + 1)).astype(np.int64) + low

    def _draw_values(self, relation: Relation) -> Numbers:
        count, stream = self.counts[relation.kind], f"{relation.kind} {relation.name}"
        if relation.target in ("date", "number"):
            values = self._draw(stream, count, relation.low, relation.high)
        else:
            among = self.counts[relation.target]  # type: ignore[index]  # it is a kind
            most = among // 3 if relation.name == "author" else among  # few people write, and those several books
            values = self._draw(stream, count, 0, most - 1)
            if relation.target == relation.kind:
                values = np.where(values == np.arange(count), (values + 1) % among, values)
        if relation.changes:
            return values
        return np.where(self._draw(f"missing {stream}", count, 0, 99) < _MISSING_PERCENT, -1, values)

    def _draw_reports(self) -> None:
        count = self.num_articles - self.num_entities
        self._news_of = self._draw("news relation", count, 0, len(CHANGING) - 1)
        self._news_days = self._draw("news day", count, _FIRST_NEWS, _LAST_NEWS)
        self._news_about, self._news_values = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for number, relation in enumerate(CHANGING):
            at = np.flatnonzero(self._news_of == number)
            stream = f"news {relation.kind} {relation.name}"
            self._news_about[at] = self._draw(f"{stream} about", len(at), 0, self.counts[relation.kind] - 1)
            low, high = relation.low, relation.high
            if relation.leads_on:
                low, high = 0, self.counts[relation.target] - 1  # type: ignore[index]  # it is a kind
            self._news_values[at] = self._draw(f"{stream} value", len(at), low, high)

    def name(self, entity: Entity) -> str:
        """Full name of an entity, unique in the world."""
        return name_of(entity.kind, entity.number, int(self._words[self._first[entity.kind] + entity.number]))

    def value(self, entity: Entity, relation: Relation) -> int:
        """What the entity's own article says of the relation; -1 for nothing."""
        return int(self.values[relation.kind, relation.name][entity.number])

    def leading_to(self, entity: Entity, relation: Relation) -> list[Entity]:
        """The entities whose relation leads to this one, in order of their index."""
        found = np.flatnonzero(self.values[relation.kind, relation.name] == entity.number)
        return [Entity(relation.kind, index) for index in found.tolist()]

    def article_of(self, entity: Entity) -> int:
        """Number of the entity's own article."""
        return int(self._article_of[self._first[entity.kind] + entity.number])

    def num_mentions(self, entity: Entity) -> int:
        """How many facts and reports name it, those in its own article apart."""
        return int(self._mentions[entity.kind][entity.number])

    def statements(self, entity: Entity, relation: Relation) -> list[Statement]:
        """What all articles say of a relation that changes, from the oldest to the newest."""
        own = Statement(
            int(self.days[entity.kind][entity.number]), self.value(entity, relation), self.article_of(entity)
        )
        same = (self._news_of == CHANGING.index(relation)) & (self._news_about == entity.number)
        return sorted([own, *(self.report(number)[2] for number in np.flatnonzero(same).tolist())])

    @property
    def num_reports(self) -> int:
        """Number of reports."""
        return len(self._news_of)

    def report(self, number: int) -> tuple[Entity, Relation, Statement]:
        """A report: of which entity, of which relation, and what it says."""
        relation = CHANGING[int(self._news_of[number])]
        article = int(self._article_of[self.num_entities + number])
        said = Statement(int(self._news_days[number]), int(self._news_values[number]), article)
        return Entity(relation.kind, int(self._news_about[number])), relation, said

    def subject(self, article: int) -> Entity | int:
        """What an article is about: an entity, or the number of a report."""
        item = int(self._item_of[article])
        if item >= self.num_entities:
            return item - self.num_entities
        kind = next(kind for kind in reversed(KINDS) if item >= self._first[kind])
        return Entity(kind, item - self._first[kind])

    @cached_property
    def _item_of(self) -> Numbers:
        return _permutation(self._article_of)

    @cached_property
    def _mentions(self) -> dict[Kind, Numbers]:
        totals = {kind: np.zeros(count, np.int64) for kind, count in self.counts.items()}
        for (kind, name), values in self.values.items():
            target = BY_NAME[kind, name].target
            if target in totals:
                totals[target] += np.bincount(values[values >= 0], minlength=self.counts[target])
        for number, relation in enumerate(CHANGING):
            at = self._news_of == number
            totals[relation.kind] += np.bincount(self._news_about[at], minlength=self.counts[relation.kind])
            if relation.leads_on:
                values = self._news_values[at]
                totals[relation.target] += np.bincount(values, minlength=self.counts[relation.target])  # type: ignore[index]
        return totals

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _permutation(keys: NDArray[Any]) -> Numbers:
    return np.argsort(keys, kind="stable").astype(np.int64)


@lru_cache(maxsize=4)
def world_of(num_articles: int, seed: int = SEED) -> World:
    """The world of that size, drawn once in a process; see `World`."""
    return World(num_articles, seed)
