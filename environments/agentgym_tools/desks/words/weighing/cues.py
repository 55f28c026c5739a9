"""What of a sentence is weighed: its words, runs of words, kinds of values, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_tools.desks.words.lexicon.sentences import Sentence

MAX_BESIDE, MAX_RUN = 12, 8
"""Words of a sentence beside it, and of these such as stand in runs."""
PAIR = 0.6
"""What a run of two words counts where one word counts 1."""
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
    """What tells of what a sentence speaks, each with what it counts: its plain words, and runs of two."""
    words = [token.plain for token in sentence.tokens if token.kind != "comma"]
    found = dict.fromkeys(_runs(["^", *words, "$"], 2), PAIR) | dict.fromkeys(words, 1.0)
    if sentence.is_question:
        found |= {f"?{word}": 1.0 for word in words if word in _QUESTIONS}
    return found


def _words(sentence: Sentence) -> list[str]:
    return [token.word for token in sentence.tokens if token.kind != "comma"]


def _runs(words: Sequence[str], length: int) -> set[str]:
    return {" ".join(words[first : first + length]) for first in range(len(words) - length + 1)}


def _marks(sentence: Sentence) -> set[str]:
    """The kinds of its values, and whether it is a question."""
    kinds = {f"k:{token.kind}" for token in sentence.tokens if token.kind not in _NO_VALUES}
    return kinds | {"?"} if sentence.is_question else kinds
