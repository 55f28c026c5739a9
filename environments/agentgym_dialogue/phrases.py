"""English questions as lists of word stems, so that one spelling stands for many.

What a stem means is the business of the games that read questions; nothing here knows of any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CHARS = 300
"""Longest message, in characters, that is read as a question."""

_WORD = re.compile(r"[a-z0-9]+")
_SENTENCE = re.compile(r"[^.?!;\n]+[.?!;\n]*")
_CONTRACTIONS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("it's", "it is"),
    ("that's", "that is"),
    ("what's", "what is"),
    ("where's", "where is"),
    ("there's", "there is"),
    ("who's", "who is"),
    ("how's", "how is"),
    ("i'm", "i am"),
    ("'re ", " are "),
    ("'d ", " would "),
    ("'ve ", " have "),
    ("'ll ", " will "),
    ("'s ", " "),
    ("non-", "not "),
)
_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")
_IRREGULAR_WORDS = """
be: is are was were been being am s
do: does did done doing can could may might will would should must shall
have: has had having
it: these those they them this he she him
something: something anything
thing: thing things
eat: eaten ate | wear: worn wore | make: made making | find: found | keep: kept | ride: ridden | drive: driven
see: seen | saw: saw | break: broken | throw: thrown | sing: sung | sell: sold | buy: bought | take: taken
hold: held | build: built | grow: grown | dig: dug | blow: blown | speak: spoken speaking | know: known
lie: lying | die: dies | tie: ties | use: used using | put: put | sit: sat | light: lit | show: shown | drink: drunk
live: lives lived | go: gone goes | think: thought thinking | write: written wrote | get: gotten
child: children | man: men | woman: women | foot: feet | tooth: teeth | knife: knives | leaf: leaves
movie: movies | cookie: cookies | lens: lens | grey: gray | colour: color colors colored
bed: bed | red: red | bigger: bigger | ceiling: ceiling | during: during | everything: everything
morning: morning | evening: evening | building: building | wedding: wedding
"""
_IRREGULAR = {
    word: base.strip()
    for entry in re.split(r"[|\n]", _IRREGULAR_WORDS.strip())
    for base, _, words in [entry.partition(":")]
    for word in words.split()
}
"""Words whose stem no rule gives; auxiliary verbs of possibility become `do`, pronouns for a thing `it`."""


def stem(word: str) -> str:
    """The stem of a lower-case word: endings of plural, tense and `-ing` cut off, a final `e` too."""
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    elif len(word) > 3:
        word = _without_ending(word)
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _without_ending(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "oes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 - (ending == "ing") and _VOWEL.search(root):
            if root.endswith("i") and ending == "ed":
                return root[:-1] + "y"
            return root[:-1] if _DOUBLED.search(root) and len(root) > 3 else root
    return word


def stems(text: str) -> list[str]:
    """The stems of all words of a text, contractions written out."""
    lowered = text.lower().replace("’", "'") + " "
    if "'" in lowered or "non-" in lowered or "cannot" in lowered:
        for short, full in _CONTRACTIONS:
            lowered = lowered.replace(short, full)
    return [stem(word) for word in _WORD.findall(lowered)]


def sentences(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text that hold a word, each with whether it ends in a question mark."""
    for match in _SENTENCE.finditer(text):
        if _WORD.search(match[0].lower()):
            yield match[0], "?" in match[0]


def question_of(text: str) -> str | None:
    """The one sentence of a message that is to be answered.

    Returns:
        The only sentence with a question mark, else the last of those without any; None where several ask, or none
        says anything.
    """
    found = list(sentences(text))
    asked = [sentence for sentence, is_question in found if is_question]
    if len(asked) > 1 or not found:
        return None
    return asked[0] if asked else found[-1][0]
