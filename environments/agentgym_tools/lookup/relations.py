"""What a knowledge base can say: kinds of entities, the relations between them, and chains of relations.

Which entities there are, and which facts hold, is drawn for each task in `knowledge_base`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal

Kind = Literal["person", "team", "place", "work"]
Chain = tuple[str, ...]

RELATIONS: Mapping[Kind, Mapping[str, Kind]] = MappingProxyType(
    {
        "person": {"team": "team", "home": "place", "mentor": "person", "book": "work"},
        "team": {"captain": "person", "base": "place", "rival": "team"},
        "place": {"mayor": "person", "twin": "place", "club": "team"},
        "work": {"author": "person", "sequel": "work", "setting": "place"},
    }
)
"""For each kind its relations, each with the kind of entity it leads to; every entity has all relations of its kind."""

KIND_OF_VALUE: Mapping[str, Kind] = MappingProxyType(
    {relation: target for targets in RELATIONS.values() for relation, target in targets.items()}
)

MAX_HOPS = 4

HELD_OUT_PAIRS: frozenset[tuple[str, str]] = frozenset(
    {
        ("captain", "home"),
        ("author", "team"),
        ("mayor", "mentor"),
        ("rival", "base"),
        ("setting", "mayor"),
        ("twin", "club"),
    }
)
"""Relations that never follow each other in training: a chain that holds such a pair is a shape of its own."""


def is_held_out(chain: Chain) -> bool:
    """Whether the chain is a question shape that training never shows."""
    return any(pair in HELD_OUT_PAIRS for pair in itertools.pairwise(chain))


def start_kind(chain: Chain) -> Kind:
    """The kind of entity that a chain starts from."""
    return next(kind for kind, targets in RELATIONS.items() if chain[0] in targets)


@cache
def chains(hops: int, held_out: bool = False) -> tuple[Chain, ...]:
    """All chains of a length, in a fixed order.

    Args:
        hops: Number of relations, 1 to `MAX_HOPS`.
        held_out: Those that training never shows, instead of those it may show.
    """
    found: list[Chain] = [(relation,) for targets in RELATIONS.values() for relation in targets]
    for _ in range(hops - 1):
        found = [(*chain, relation) for chain in found for relation in RELATIONS[KIND_OF_VALUE[chain[-1]]]]
    return tuple(chain for chain in found if is_held_out(chain) is held_out)


def phrase(chain: Chain, start: str) -> str:
    """The question that a chain asks about an entity: the last relation is named first."""
    asked = "Who" if KIND_OF_VALUE[chain[-1]] == "person" else "What"
    return f'{asked} is the {" of the ".join(reversed(chain))} of "{start}"?'
