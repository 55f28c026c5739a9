"""Whether a question asks for something or for its absence: denials are taken out of a sentence, and counted.

What the rest of the sentence asks is the work of `grammar`.
"""

from __future__ import annotations

import re

from agentgym_dialogue.phrases import stems

_SUBJECTS = "it|you|they|there|the|your|this|that"
_TAG = re.compile(r"(,?)\s*\b(?:\w+n['’]t\s+(?:it|you|they|there)|\w+\s+(?:it|you|they|there)\s+not)\W*$")
"""As in "It is Paris, isn't it?", which denies nothing."""
_WHETHER_OR_NOT = re.compile(r",?\s+or\s+not\b\W*$")
_ASKED_WITH_NOT = re.compile(
    rf"^\W*(?:\w+n['’]t\s+(?!(?:in|on|at|near|by|from|of|an?)\b)|(?:\w+\s+not|cannot)\s+(?={_SUBJECTS}\b))"
)
"""The opening of "Isn't it in Europe?", which asks for what "Is it in Europe?" asks for."""
_VERBS = "is|are|was|were|does|do|did|has|have|had|can|could|would|will|should"
_OPENING_VERB = re.compile(rf"^\W*(?:(?:{_VERBS})(?:n['’]t|\s+not)|can['’]t|cannot|won['’]t)\b")
_FAR_FROM = re.compile(r" far (?:away )?from | not (?:at all )?(?:anywher )?near | nowher near ")
_DENIALS = frozenset(["not", "no", "never", "non", "outsid", "without", "lack"])


def polar_stems(sentence: str) -> tuple[list[str], bool] | None:
    """The stems of a sentence without what denies, and whether it denies nothing.

    "Far from" becomes a denial of "near".

    Returns:
        None where a sentence denies twice, or may be read both ways.
    """
    lowered = _WHETHER_OR_NOT.sub("", sentence.lower())
    if (tag := _TAG.search(lowered)) and tag.start() > 0:
        if not tag[1]:
            return None
        lowered = lowered[: tag.start()]
    is_asked_with_not = bool(_OPENING_VERB.match(lowered) and _ASKED_WITH_NOT.match(lowered))
    words = stems(lowered)
    if is_asked_with_not:
        words.remove("not")
    words = _FAR_FROM.sub(" not near ", f" {' '.join(words)} ").split()
    kept = [word for word in words if word not in _DENIALS]
    num_denials = len(words) - len(kept)
    return None if num_denials > 1 else (kept, num_denials == 0)
