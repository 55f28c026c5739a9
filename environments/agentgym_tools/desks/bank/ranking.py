"""BM25 over a few hundred documents, in plain Python.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.4. Differs: a word
counts without a final s, and words that most texts have do not count. The index of `search.ranking` is for tens of
thousands of articles and needs the extra `search`; a desk has to work without it, and so few documents need no arrays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

MAX_QUERY_WORDS = 64
"""Different words of a query that count; those after them do not."""
_MAX_QUERY_CHARACTERS = 4_000
_K1, _B = 1.2, 0.75
_MAX_SHARE = 0.5
"""Words that a larger share of the texts has say nothing and are left out."""
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text as the index counts them."""
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _WORD.findall(text.casefold())]


class Ranking:
    """Scores texts for a query.

    Args:
        texts: The texts, at least one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words_of(text)) for text in texts]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths)
        found = Counter(word for count in counts for word in count)
        known = (word for word, times in found.items() if times <= _MAX_SHARE * len(texts))
        self._weights: dict[str, list[tuple[int, float]]] = {word: [] for word in known}
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for word in count.keys() & self._weights.keys():
                times = count[word]
                rarity = math.log(1 + (len(texts) - found[word] + 0.5) / (found[word] + 0.5))
                share = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / mean))
                self._weights[word].append((number, rarity * share))

    def best(self, query: str, most: int) -> list[int]:
        """Numbers of the texts that share a word with the query, the best first; equal ones in their order."""
        words = list(dict.fromkeys(words_of(query[:_MAX_QUERY_CHARACTERS])))[:MAX_QUERY_WORDS]
        scores: dict[int, float] = {}
        for word in words:
            for number, weight in self._weights.get(word, ()):
                scores[number] = scores.get(number, 0.0) + weight
        order = sorted((-score, number) for number, score in scores.items())
        return [number for _, number in order[:most]]
