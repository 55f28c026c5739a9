"""The reason of what an agent refuses or hands over."""

from __future__ import annotations

import re

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.reading.message import LIKELY, TOLD, Reading, words_of
from agentgym_tools.desks.words.reading.parts import REFUSES, Part

REASON = 0.5
"""Coverage from which on a reason counts as named where something is refused."""
_REFUSED = re.compile(r" (?:can|could|may) not (?:\w+ )+?(?=, |because |since |as |so |due |$)")
_TRIGGER = re.compile(
    r"(?<=can )not|(?<=could )not|(?<=may )not|(?<=must )not|(?<=would )not|"
    r"not (?=possible|allowed|able|permitted)|(?:over|on) to \w+ \w+|"
    r"(?<= )transfer\w* you|(?<= )transfer\w* (?:this|it|your \w+) to"
)
_OWN = 1.3


def reason_for(reading: Reading, part: Part, least: float, *, is_soft: bool = False) -> str | None:
    """The reason that the sentence names, else one beside it."""
    number, sentences = part.number, reading.sentences
    outside = _outside(sentences[number])
    own = reading.language.reasons.best(outside, LIKELY) if outside else None
    own = own or reading.language.reasons.best(grounds(sentences[number]), least)
    if is_soft or (own is not None and own.coverage > LIKELY):
        return own.name if own is not None else None
    refusing = {other.number for other in reading.parts if other.use == REFUSES and other.number != number}
    near = [other for other in (number - 1, number + 1, number - 2) if 0 <= other < len(sentences)]
    near = [other for other in near if other not in refusing]
    others = [reading.language.reasons.best(grounds(sentences[other]), TOLD) for other in near]
    found = [match for match in (own, *others) if match is not None]
    if own is None or own.coverage < LIKELY:
        said = [act for at, act in reading.acts if number - 2 <= at <= number and act.tool == talk.REFUSE]
        if said:
            return str(said[-1].arguments["reason"])
    best = max(found, key=lambda match: match.score * (_OWN if match is own else 1.0), default=None)
    return best.name if best is not None else None


def _outside(sentence: Sentence) -> list[str]:
    """The words of a sentence beside the clause that refuses; none if it has no other."""
    flat = sentence.flat
    refused = _REFUSED.search(flat)
    if refused is None:
        return []
    first, last = (flat[:end].count(" ") for end in (refused.start() + 1, refused.end()))
    words = words_of(sentence)
    return [*words[: first - 1], *words[last - 1 :]]


def grounds(sentence: Sentence) -> list[str]:
    """The words of a sentence without those that only say that something is refused or handed over."""
    spans = [found.span() for found in _TRIGGER.finditer(sentence.flat)]
    if not spans:
        return words_of(sentence)
    words, at = [], 1
    for token, plain in zip(sentence.tokens, words_of(sentence), strict=True):
        if not any(first <= at < last for first, last in spans):
            words.append(plain)
        at += len(token.word) + 1
    return words
