"""Finds which of many things a sentence names: each has phrases, and rare words weigh more than common ones."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from agentgym_tools.desks.words.lexicon.sentences import sentences_of
from agentgym_tools.desks.words.lexicon.thesaurus import plain

_COMMON_WORDS = """
a an the of to in on at by for with from and or that this it its be do have will would shall should can could
may i you he she they we me my your our their his her them us which what there here as if so than then such must
one all any some into up out after about also just please ok okay very goes go get like want prefer
another something somebody while during but way certain per each
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_DULL = frozenset(map(plain, _COMMON)) | _COMMON
_SHARED = frozenset({"new", "number", "patient", "driver", "card"})
"""Words that several things may be named by at once, as in "the new street and town"."""
_LIGHT = {
    "no": 0.7,
    "other": 0.4,
    "not": 0.6,
    "too": 0.9,
    "new": 0.8,
    "day": 0.8,
    "how": 0.7,
    "many": 0.5,
    "who": 0.6,
    "where": 0.8,
    "when": 0.8,
}
MAX_RATED = 256
"""Sets of words whose matches are kept: the same sentence is looked at several times."""
_NEGATIONS = frozenset({"not", "no", "never", "neither", "without", "nothing", "none"})
_UNDENIED = 0.6
"""What a phrase with a negation keeps of its coverage where words have none."""
_OR, _UNCHOSEN = "or", 0.6
"""The word of a choice, and what a phrase such as "phone or e-mail" keeps of its coverage where words lack it."""
_ENDING = re.compile(r", in (?:cents|MB)\b.*|; .*")


class Match(NamedTuple):
    """A thing that a sentence names.

    Attributes:
        name: Its name.
        score: How well the sentence fits it.
        coverage: How much of the phrase's weight was found, up to 1.
        words: The plain words that were found.
    """

    name: str
    score: float
    coverage: float
    words: frozenset[str]


@lru_cache(maxsize=20_000)
def content_of(phrase: str) -> frozenset[str]:
    """The plain words of a phrase that mean something."""
    tokens = [token for sentence in sentences_of(_ENDING.sub("", phrase)) for token in sentence.tokens]
    found = {token.plain if token.plain != "#" else token.text.casefold() for token in tokens if token.kind != "comma"}
    return frozenset(found - _DULL) or frozenset(found)


def _choices_in(texts: Iterable[str]) -> set[frozenset[str]]:
    """The content of phrases that name a choice, and of no other phrase."""
    parted = {
        is_choice: {content_of(text) for text in texts if (f" {_OR} " in text) is is_choice}
        for is_choice in (True, False)
    }
    return parted[True] - parted[False]


class Phrases:
    """Phrases of things, compiled once.

    Args:
        phrases: For each name, the phrases that mean it.
    """

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        self._phrases = {
            name: list(dict.fromkeys(found for text in texts if (found := content_of(text))))
            for name, texts in phrases.items()
        }
        self._choices = {name: _choices_in(texts) for name, texts in phrases.items()}
        self._places = {name: place for place, name in enumerate(self._phrases)}
        counts = Counter(word for texts in self._phrases.values() for word in frozenset().union(*texts))
        num = len(self._phrases) + 1
        self._weights = {word: _LIGHT.get(word, 1.0) * (0.4 + math.log(num / count)) for word, count in counts.items()}
        self._totals = {
            name: [(phrase, math.fsum(self._weights[word] for word in phrase)) for phrase in texts]
            for name, texts in self._phrases.items()
        }
        self._rated = lru_cache(maxsize=MAX_RATED)(self._rate)
        self._by_word: dict[str, list[str]] = {}
        for name, texts in self._phrases.items():
            for word in frozenset().union(*texts):
                self._by_word.setdefault(word, []).append(name)

    @property
    def names(self) -> list[str]:
        """The names of the things."""
        return list(self._phrases)

    def matches(self, words: Collection[str], least: float) -> list[Match]:
        """The things that words name with at least this coverage, the best first; of equal ones the first declared."""
        return [each for each in self._rated(frozenset(words)) if each.coverage >= least]

    def _rate(self, words: frozenset[str]) -> list[Match]:
        """All things that words name at least in part, the best first."""
        candidates = {name for word in words for name in self._by_word.get(word, ())}
        found = [self._best(name, words) for name in candidates]
        return sorted(found, key=lambda each: (-each.score, self._places[each.name]))

    def best(self, words: Collection[str], least: float) -> Match | None:
        """The best of the matches; None if there is none."""
        found = self.matches(words, least)
        return found[0] if found else None

    def all_in(self, words: Sequence[str], least: float) -> list[Match]:
        """The things that words name one beside another, each by words of its own, in the order of the words."""
        left = set(words)
        found: list[Match] = []
        while (match := self._next(left, least, found)) is not None:
            found.append(match)
            left -= match.words - _SHARED
        order = {word: place for place, word in reversed(list(enumerate(words)))}
        return sorted(found, key=lambda match: min(order[word] for word in match.words))

    def _next(self, words: Collection[str], least: float, found: Sequence[Match]) -> Match | None:
        names = {match.name for match in found}
        others = [each for each in self.matches(words, least) if each.name not in names]
        return next((each for each in others if not found or not each.words <= _SHARED), None)

    def _best(self, name: str, words: frozenset[str]) -> Match:
        best = Match(name, 0.0, 0.0, frozenset())
        fullest = 0.0
        for phrase, total in self._totals[name]:
            common = phrase & words
            if not common:
                continue
            weight = math.fsum(self._weights[word] for word in common)
            coverage = weight / total
            if not phrase.isdisjoint(_NEGATIONS) and words.isdisjoint(_NEGATIONS):
                coverage *= _UNDENIED
            if phrase in self._choices[name] and _OR not in words:
                coverage *= _UNCHOSEN
            score = weight * coverage**1.5
            fullest = max(fullest, coverage)
            if score > best.score:
                best = Match(name, score, coverage, common)
        return best._replace(coverage=fullest)
