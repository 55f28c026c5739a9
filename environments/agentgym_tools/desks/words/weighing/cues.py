"""What of a sentence is weighed: its words, runs of words, kinds of values, and what stands beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym_tools.desks.words.lexicon.sentences import Sentence

MAX_BESIDE, MAX_RUN = 12, 8
"""Words of a sentence beside it, and of these such as stand in runs."""
PAIR = BEGINNING = 0.6
"""What a run of two words, or the beginning of a word, counts where one word counts 1."""
BEGINNINGS = (4, 5, 6)
"""How many letters a beginning of a longer word has."""
_QUESTIONS = frozenset({"who", "where", "when", "how", "what", "which", "why"})
_NO_VALUES = ("word", "comma")


def use_cues(sentences: Sequence[Sentence], number: int) -> set[str]:
    """What tells for what a sentence is: its words as they were said, and those of the sentences beside it."""
    sentence = sentences[number]
    words = _words(sentence)
    framed = ["^", *words, "$"]
    found = {*words, *_runs(framed, 2), *_runs(framed, 3), *_marks(sentence)}
    found |= {f"t:{token.plain}" for token in sentence.tokens if token.kind != "comma"}
    if sentence.is_question:
        found |= {f"?{' '.join(words[:1])}", f"?{' '.join(words[:2])}"}
    if len(words) <= 3:
        found.add("short")
    for step in (-1, 1):
        if not 0 <= number + step < len(sentences):
            found.add(f"{step}:none")
            continue
        other = sentences[number + step]
        beside = _words(other)
        near = {*beside[:MAX_BESIDE], *_marks(other), *_runs(beside[: MAX_RUN + 1], 2)}
        found |= {f"{step}:{cue}" for cue in near}
    return found


def subject_cues(sentence: Sentence) -> dict[str, float]:
    """What tells of what a sentence speaks: its plain words, their beginnings, and runs of two.

    Returns:
        What each counts; the squares add up to 1, so that long sentences are no surer than short ones.
    """
    words = [token.plain for token in sentence.tokens if token.kind != "comma"]
    found = dict.fromkeys(_runs(["^", *words, "$"], 2), PAIR) | dict.fromkeys(words, 1.0)
    found |= {f"<{word[:size]}": BEGINNING for word in words for size in BEGINNINGS if len(word) > size}
    if sentence.is_question:
        found |= {f"?{word}": 1.0 for word in words if word in _QUESTIONS}
    length = math.hypot(*found.values())
    return {cue: count / length for cue, count in found.items()}


def _words(sentence: Sentence) -> list[str]:
    return [token.word for token in sentence.tokens if token.kind != "comma"]


def _runs(words: Sequence[str], length: int) -> set[str]:
    return {" ".join(words[first : first + length]) for first in range(len(words) - length + 1)}


def _marks(sentence: Sentence) -> set[str]:
    """The kinds of its values, and whether it is a question."""
    kinds = {f"k:{token.kind}" for token in sentence.tokens if token.kind not in _NO_VALUES}
    return kinds | {"?"} if sentence.is_question else kinds
