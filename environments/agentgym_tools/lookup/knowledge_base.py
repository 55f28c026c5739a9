"""A knowledge base drawn from a seed: named entities and, for each, one value of every relation of its kind.

It answers look-ups and searches by name; it knows of no question and no reward.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

from agentgym_tools.lookup.names import NameSet, draw_names
from agentgym_tools.lookup.relations import RELATIONS, Kind

MAX_FOUND = 4
"""Most names that one search returns."""


class KnowledgeBase:
    """Entities and their facts; never changed once it is made, so that episodes share it.

    Attributes:
        entities: Names by kind, in random order.
        facts: For each name its relations and their values.
    """

    def __init__(self, entities: Mapping[Kind, Sequence[str]], facts: Mapping[str, Mapping[str, str]]) -> None:
        self.entities = entities
        self.facts = facts
        self._names = {name.casefold(): name for name in facts}
        self._by_part: dict[str, list[str]] = {}
        for name in facts:
            for part in name.casefold().split():
                self._by_part.setdefault(part, []).append(name)

    def find(self, text: str) -> str | None:
        """The entity of that full name, whatever its case and spacing; None if no entity has this name."""
        if text in self.facts:
            return text
        return self._names.get(" ".join(text.split()).casefold())

    def search(self, query: str) -> list[str]:
        """Names that hold every word of the query as a whole part, at most `MAX_FOUND`."""
        parts = query.casefold().split()
        if not parts:
            return []
        found = self._by_part.get(parts[0], [])
        return [name for name in found if all(name in self._by_part.get(part, ()) for part in parts)][:MAX_FOUND]

    def walk(self, start: str, chain: Sequence[str]) -> Iterator[str]:
        """The entities that a chain of relations leads through, without the start.

        Raises:
            KeyError: The start does not exist, or a relation does not fit.
        """
        entity = start
        for relation in chain:
            entity = self.facts[entity][relation]
            yield entity

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@lru_cache(maxsize=512)
def draw_base(seed: int, per_kind: int, name_set: NameSet) -> KnowledgeBase:
    """The knowledge base of a seed.

    Args:
        seed: Seed of everything in it.
        per_kind: Number of entities of each kind, >= 2.
        name_set: Which combinations of name parts are drawn from.

    Returns:
        A base in which no value is the entity itself; values are drawn uniformly and independently.

    Raises:
        ValueError: There are fewer names than that.
    """
    rng = random.Random(seed)
    entities: dict[Kind, Sequence[str]] = {kind: draw_names(rng, kind, name_set, per_kind) for kind in RELATIONS}
    facts = {
        name: {
            relation: rng.choice([value for value in entities[target] if value != name])
            for relation, target in RELATIONS[kind].items()
        }
        for kind, names in entities.items()
        for name in names
    }
    return KnowledgeBase(entities, facts)
