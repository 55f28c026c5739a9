"""BM25 over a few hundred documents.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.4. Differs: a word
counts without its ending, such as that of cards, blocked and closing, and words that most texts have do not count. The
index of `search.ranking` is for tens of thousands of articles and needs the extra `search`, without which a desk has to
work; so few documents need no library.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_QUERY_WORDS = 64
"""Different words of a query that count; those after them do not."""
MAX_QUERY_CHARACTERS = 4_000
_K1, _B = 1.2, 0.75
_MAX_SHARE = 0.5
"""Words that a larger share of the texts has say nothing and are left out."""
_ENDINGS = ("ing", "ed", "es", "s", "e")
_MIN_STEM = 3
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text as the index counts them."""
    return [_without_ending(word) for word in _WORD.findall(text.casefold())]


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _MIN_STEM and word[-1] == word[-2] else word


class Ranking:
    """Scores texts for a query.

    Args:
        texts: The texts, at least one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words_of(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=float)
        norm = _K1 * (1 - _B + _B * lengths / lengths.mean())
        found = Counter(word for count in counts for word in count)
        self._num_texts = len(texts)
        self._weights: dict[str, NDArray[np.float64]] = {}
        for word, times in found.items():
            if times <= _MAX_SHARE * len(texts):
                often = np.array([count[word] for count in counts], dtype=float)
                rarity = math.log(1 + (len(texts) - times + 0.5) / (times + 0.5))
                self._weights[word] = rarity * often * (_K1 + 1) / (often + norm)

    def best(self, query: str, most: int) -> list[int]:
        """Numbers of the texts that share a word with the query, the best first; equal ones in their order."""
        words = list(dict.fromkeys(words_of(query[:MAX_QUERY_CHARACTERS])))[:MAX_QUERY_WORDS]
        scores = np.zeros(self._num_texts)
        for word in words:
            if word in self._weights:
                scores += self._weights[word]
        order = np.argsort(-scores, kind="stable")[:most]
        return [int(number) for number in order if scores[number] > 0.0]
