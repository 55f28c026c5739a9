"""What people write about on each board: titles, openings and replies with gaps, and the words that fill them.

The words are in topics.toml. Which thread gets which sentence is drawn in `data`; talk that fits every board is in
`talk`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Topic:
    """One board and its talk."""

    slug: str
    name: str
    section: str
    description: str
    gaps: Mapping[str, Sequence[str]]
    """Words for the gaps of this board's sentences."""
    questions: Sequence[str]
    """Titles of threads that ask."""
    guides: Sequence[str]
    """Titles of threads that explain or show something."""
    openings: Sequence[str]
    """First posts."""
    replies: Sequence[str]
    """Sentences of the replies."""


def _load() -> tuple[Topic, ...]:
    topics = tomllib.loads((Path(__file__).parent / "topics.toml").read_text(encoding="utf-8"))["topic"]
    return tuple(Topic(**topic) for topic in topics)


TOPICS = _load()
