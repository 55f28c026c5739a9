"""Full names of entities: a first and a last part, each from a short list of its kind.

A quarter of the combinations is set apart: training never shows them, though it shows all their parts.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal

from agentgym_tools.lookup.relations import Kind

NameSet = Literal["known", "new"]

PARTS: Mapping[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "person": (
            ("Mara", "Ilo", "Tessa", "Orin", "Bela", "Joss", "Nadia", "Perrin", "Suri", "Kell", "Anwen", "Doro"),
            ("Velin", "Tarn", "Okoro", "Brandt", "Lisle", "Marsh", "Sato", "Quill", "Hale", "Ruiz", "Penn", "Voss"),
        ),
        "team": (
            ("Red", "Blue", "Golden", "Silver", "Iron", "Flying", "Royal", "Swift"),
            ("Foxes", "Owls", "Bears", "Ravens", "Otters", "Lions", "Herons", "Wolves"),
        ),
        "place": (
            ("Port", "Lake", "Mount", "Fort", "Upper", "Lower", "North", "South"),
            ("Arlen", "Corvo", "Dunmere", "Elsin", "Galt", "Harrow", "Ister", "Kolby"),
        ),
        "work": (
            ("Silent", "Broken", "Hidden", "Last", "Burning", "Paper", "Winter", "Distant"),
            ("River", "Crown", "Garden", "Mirror", "Letter", "Harbour", "Orchard", "Window"),
        ),
    }
)
"""First and last parts by kind; no part occurs twice."""

_EVERY = 4


@cache
def full_names(kind: Kind, name_set: NameSet) -> tuple[str, ...]:
    """All names of a kind: the combinations that training may show, or the new ones."""
    first_parts, last_parts = PARTS[kind]
    return tuple(
        f"{first} {last}"
        for i, first in enumerate(first_parts)
        for j, last in enumerate(last_parts)
        if ((i + j) % _EVERY == 0) is (name_set == "new")
    )


def draw_names(rng: random.Random, kind: Kind, name_set: NameSet, count: int) -> list[str]:
    """Draw that many different names, in random order."""
    return rng.sample(full_names(kind, name_set), count)
