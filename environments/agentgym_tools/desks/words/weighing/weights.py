"""Fitted weights of cues: for what a sentence is, and of which fact, tool or reason it speaks.

They are sums of weights under a logistic curve, or under softmax where a sentence names one thing. The phrases of a
desk count too. `benchmarks.desk_talk.fit` fits them.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.phrases import Match, Phrases
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.weighing.cues import subject_cues, use_cues

FACTS, ACTIONS, USER_ACTIONS, REASONS = "facts", "actions", "user_actions", "reasons"
FAMILIES: Mapping[str, str] = {
    talk.ASK: FACTS,
    talk.TELL: FACTS,
    talk.PROPOSE: ACTIONS,
    talk.REPORT: ACTIONS,
    talk.INSTRUCT: USER_ACTIONS,
    talk.REFUSE: REASONS,
    talk.TRANSFER: REASONS,
}
"""The family of subjects of each act; closing has no subject."""
SINGLE = frozenset({REASONS, ACTIONS, USER_ACTIONS})
"""Families of which a sentence names one thing or `NOTHING`: their shares add up to 1."""
NOTHING = ""
USES = (*FAMILIES, talk.CLOSE)
MAX_SCORE = 6.0
UNEXPECTED = 0.05
"""What a thing that a talk is not about weighs, where one that it is about weighs 1."""
_UNEXPECTED_LOG = math.log(UNEXPECTED)
FOLDER = Path(__file__).parent / "fitted"


class Subjects(NamedTuple):
    """Weights for the facts, tools or reasons of a desk.

    Attributes:
        names: They.
        base: What each has before any cue.
        by_phrase: What the fit of a desk's phrase counts, and its coverage.
        cues: By cue, pairs of a name's place and a weight.
    """

    names: Sequence[str]
    base: Sequence[float]
    by_phrase: Sequence[float]
    cues: Mapping[str, Sequence[tuple[int, float]]]


class Weights(NamedTuple):
    """All weights for a desk.

    Attributes:
        base: What each use has before any cue.
        cues: By cue, pairs of a use's place and a weight.
        subjects: By family.
    """

    base: Sequence[float]
    cues: Mapping[str, Sequence[tuple[int, float]]]
    subjects: Mapping[str, Subjects]

    def uses(self, sentences: Sequence[Sentence], number: int) -> dict[str, float]:
        """How likely a sentence says each kind of act."""
        sums = list(self.base)
        for cue in sorted(use_cues(sentences, number)):
            for place, weight in self.cues.get(cue, ()):
                sums[place] += weight
        return {use: _share(total) for use, total in zip(USES, sums, strict=True)}

    def subjects_of(
        self, language: Language, family: str, sentence: Sentence, expected: Collection[str] | None = None
    ) -> dict[str, float]:
        """How likely a sentence speaks of each thing of a family.

        Args:
            language: The desk's words.
            family: Which things.
            sentence: The sentence.
            expected: Those that the talk is about, if that is known; what others weigh is multiplied by `UNEXPECTED`.
        """
        known = self.subjects.get(family)
        if known is None:
            return {}
        fits = phrase_fits(language, family, sentence)
        unexpected = frozenset() if expected is None else {*known.names} - {*expected, NOTHING}
        sums = list(known.base)
        for cue, count in subject_cues(sentence).items():
            for place, weight in known.cues.get(cue, ()):
                sums[place] += weight * count
        for place, name in enumerate(known.names):
            fit = fits.get(name, (0.0, 0.0))
            sums[place] += fit[0] * known.by_phrase[0] + fit[1] * known.by_phrase[1]
            if name in unexpected:
                sums[place] += _UNEXPECTED_LOG
        shares = _shares_of_one(sums) if family in SINGLE else [_share(total) for total in sums]
        return {name: share for name, share in zip(known.names, shares, strict=True) if name != NOTHING}


def phrase_fits(language: Language, family: str, sentence: Sentence) -> dict[str, tuple[float, float]]:
    """By name how well a phrase of the desk fits a sentence, and how much of it is there."""
    words = [token.plain if token.plain != "#" else token.text.casefold() for token in sentence.tokens]
    found: dict[str, tuple[float, float]] = {}
    for phrases in _phrases(language, family):
        for match in phrases.matches(words, 0.0):
            found[match.name] = max(found.get(match.name, (0.0, 0.0)), _fit(match))
    return found


def _fit(match: Match) -> tuple[float, float]:
    return min(match.score, MAX_SCORE) * match.coverage**1.5, match.coverage


def _phrases(language: Language, family: str) -> Sequence[Phrases]:
    return {
        FACTS: (language.facts, language.told),
        ACTIONS: (language.actions,),
        USER_ACTIONS: (language.user_actions,),
        REASONS: (language.reasons,),
    }[family]


def _shares_of_one(sums: Sequence[float]) -> list[float]:
    """Softmax."""
    highest = max(sums)
    raised = [math.exp(total - highest) for total in sums]
    whole = sum(raised)
    return [each / whole for each in raised]


def _share(total: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def weights_of(desk: str) -> Weights | None:
    """The weights for a desk; None if none were fitted."""
    paths = [FOLDER / f"{name}.json.gz" for name in ("uses", desk)]
    if not paths[1].is_file():
        return None
    uses, fields = (json.loads(gzip.decompress(path.read_bytes())) for path in paths)
    subjects = {
        family: Subjects(each["names"], each["base"], each["by_phrase"], _pairs(each["cues"]))
        for family, each in fields.items()
    }
    return Weights(uses["base"], _pairs(uses["cues"]), subjects)


def _pairs(cues: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[tuple[int, float]]]:
    """Flat lists of places and weights as pairs."""
    return {cue: list(zip(flat[::2], flat[1::2], strict=True)) for cue, flat in cues.items()}
