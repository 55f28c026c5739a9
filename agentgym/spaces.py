"""Gymnasium spaces for agents that read and write text.

`gymnasium.spaces.Text` is bound to a fixed alphabet; a message may hold any character, so it has a space of its own.
"""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Space

_WORDS = ("yes", "no", "search", "left", "42", "ok", "", "né", "名前", '{"name": "x"}', "click('a1')")


class Message(Space[str]):
    """All strings of at most `max_chars` characters.

    Vectorised asynchronously it needs `shared_memory=False`, as every space that has no fixed size.
    """

    def __init__(self, max_chars: int = 1_000_000, seed: int | None = None) -> None:
        self.max_chars = max_chars
        super().__init__(shape=None, dtype=str, seed=seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """A few random words; masks do not apply."""
        words = self.np_random.choice(len(_WORDS), size=int(self.np_random.integers(1, 4)))
        return " ".join(_WORDS[int(word)] for word in words)[: self.max_chars]

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string within the length."""
        return isinstance(x, str) and len(x) <= self.max_chars

    @property
    def is_np_flattenable(self) -> bool:
        """False: strings have no fixed size."""
        return False

    def __repr__(self) -> str:
        return f"Message(max_chars={self.max_chars})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and other.max_chars == self.max_chars

    def __hash__(self) -> int:
        return hash(("Message", self.max_chars))
