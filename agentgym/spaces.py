"""Gymnasium spaces for agents that read and write text, and see pictures.

`gymnasium.spaces.Text` has a fixed alphabet and `Box` a fixed shape; messages and pictures have neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Space
from numpy.typing import NDArray

_WORDS = ("yes", "no", "search", "left", "42", "ok", "", "né", "名前", '{"name": "x"}', "click('a1')")


class Message(Space[str]):
    """All strings of at most `max_chars` characters.

    How asynchronous vector environments share it is in `agentgym.env.shared_observations`.
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


class Picture(Space[NDArray[np.uint8]]):
    """All pictures, uint8[H, W, 3], of any height and width; these may differ between the tasks of an environment."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=np.uint8, seed=seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> NDArray[np.uint8]:
        """A small picture of random pixels; masks do not apply."""
        height, width = self.np_random.integers(1, 9, size=2)
        return self.np_random.integers(0, 256, (int(height), int(width), 3), np.uint8)

    def contains(self, x: Any) -> bool:
        """Whether `x` is a picture."""
        return isinstance(x, np.ndarray) and x.dtype == np.uint8 and x.ndim == 3 and x.shape[2] == 3

    @property
    def is_np_flattenable(self) -> bool:
        """False: pictures have no fixed size."""
        return False

    def __repr__(self) -> str:
        return "Picture()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture)

    def __hash__(self) -> int:
        return hash("Picture")


def observations(has_picture: bool) -> Dict:
    """The space of observations of text, with or without a picture beside it."""
    return Dict({"text": Message(), "image": Picture()} if has_picture else {"text": Message()})
