"""The word list: common English words of five letters, the most common first, read when first asked for.

How it was made and its licence are in tasks/dialogue/wordle/README.md.
"""

from __future__ import annotations

from functools import cache

from agentgym.data_folder import data_folder


@cache
def all_words() -> tuple[str, ...]:
    """Every word of the list, in its order."""
    path = data_folder("tasks") / "dialogue" / "wordle" / "words.txt"
    return tuple(path.read_text(encoding="utf-8").split())


@cache
def vocabulary(size: int) -> frozenset[str]:
    """The first `size` words of the list."""
    return frozenset(all_words()[:size])
