"""Tables of phrases for the names of a desk, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Synonyms = Mapping[str, Sequence[str]]
"""Phrases by the name of a fact, a tool or a reason."""


def joined(*tables: Synonyms) -> dict[str, tuple[str, ...]]:
    """One table with the phrases of all, in order."""
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: tuple(text for table in tables for text in table.get(name, ())) for name in names}
