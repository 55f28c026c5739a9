"""The facts that an agent asks for, and those that it tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.phrases import Match
from agentgym_tools.desks.words.lexicon.sentences import Sentence, pieces_of
from agentgym_tools.desks.words.lexicon.values import Spotted
from agentgym_tools.desks.words.reading.message import LIKELY, NAMED, TOLD, Reading, words_of
from agentgym_tools.desks.words.reading.parts import Part
from agentgym_tools.desks.words.reading.reasons import grounds
from agentgym_tools.worlds.calls import Call

_ASKED, _WEAK_TOLD = 0.8, 0.3
_FEW = 12
_LONG = 3
"""A phrase of so many words that is there as a whole may hold a comma."""
_ATTACHED_WORDS = """
in of for on from under at with to by about regarding concerning
"""
_ATTACHED = frozenset(_ATTACHED_WORDS.split())
_BEFORE_VERBS = frozenset({"to", "you", "i", "we", "will", "should", "not", "who", "can", "must"})
_AUXILIARIES = frozenset({"do", "does", "did", "should", "shall", "will", "would", "can", "could"})
"""Words after which a word is a verb, as in "do you dispute the payment"."""
_SAYING_WORDS = """
give tell have need know provide share say state repeat spell confirm send name let mean remember and
get ask hear enter note is are be want prefer
"""
_SAYING = frozenset(_SAYING_WORDS.split())
_ARTICLES_WORDS = """
the a an your my this that his her their our its other
"""
_ARTICLES = frozenset(_ARTICLES_WORDS.split())
_DENIED = re.compile(r" (?:not|never|nor|neither|no longer) ")
_HEDGED = re.compile(
    r" (?:(?:may|might|could) (?:also )?(?:be|have|cost) (?!\w+ed )|perhaps|maybe|probably|possibly|either|or|"
    r"whether|if i|guess|unsure) "
)
_ANSWER = re.compile(
    r"^ (?:okay |right |so |well |good news |thanks |thank you |, )*(?:(?:it|that|this|they|there|you|we|the answer)"
    r"(?: (?:is|are|was|will|would|have|has|had|can|get|be|come|comes|cost|costs|come|to|in|about|exactly|now|"
    r"still|then))+"
    r" )?# (?:\w+ ){0,4}$|^ (?:it|that|they|your \w+) (?:is|are) (?:still |now |currently |already )*\w+ $"
)


def facts_in(reading: Reading, sentence: Sentence) -> list[str]:
    """The facts that a sentence asks for, in order."""
    pieces = pieces_of(sentence)
    apart = [match.name for piece in pieces for match in _asked_in(reading, piece) if not _is_attached(piece, match)]
    matches = _asked_in(reading, sentence)
    whole = [match.name for match in matches]
    if any(len(match.words) >= _LONG and match.coverage >= 1.0 for match in matches):
        return _of_one_kind(reading, whole)
    return _of_one_kind(reading, list(dict.fromkeys(apart if len(set(apart)) > len(whole) else whole)))


def _asked_in(reading: Reading, sentence: Sentence) -> list[Match]:
    """The facts that words name; beside others, those that only say more of these are left out."""
    matches = reading.language.facts.all_in(words_of(sentence), _ASKED)
    if len(matches) > 1:
        loose = [match for match in matches if not _is_attached(sentence, match)]
        matches = loose or matches[:1]
    return matches


def _of_one_kind(reading: Reading, facts: Sequence[str]) -> list[str]:
    """The facts, where beside other new ones each that has a new twin is the new one: street, town and zip code."""
    if not any(fact.startswith("new_") for fact in facts):
        return list(facts)
    known = [fact for fact in reading.language.facts.names if fact.startswith("new_")]
    twins = {fact: new for fact in facts for new in known if fact.split("_")[0] == new.removeprefix("new_")}
    return list(dict.fromkeys(twins.get(fact, fact) for fact in facts))


def _is_attached(sentence: Sentence, match: Match) -> bool:
    """Whether a word only says more of another, as the order in "which item of the order"."""
    places = [place for place, token in enumerate(sentence.tokens) if token.plain in match.words]
    if len(match.words) > 1:
        return places[-1] - places[0] <= len(match.words) and _follows_verb(sentence, places[0])
    return all(_follows_preposition(sentence, place) or _follows_verb(sentence, place) for place in places)


def _before(sentence: Sentence, place: int) -> int:
    """The number of the token before a noun and its article; below 0 if there is none."""
    place -= 1
    while place >= 0 and sentence.tokens[place].word in _ARTICLES:
        place -= 1
    return place


def _follows_preposition(sentence: Sentence, place: int) -> bool:
    place = _before(sentence, place)
    word = sentence.tokens[place].word if place >= 0 else ""
    return word in _ATTACHED or word in _BEFORE_VERBS or word.endswith("ing")


def _follows_verb(sentence: Sentence, place: int) -> bool:
    """Whether a noun is what is done something to, as in "to pause the order", or does it, as in "does the order"."""
    place = _before(sentence, place)
    if place < 0:
        return False
    word, before = sentence.tokens[place].word, sentence.tokens[place - 1].word if place else ""
    is_subject = word in _AUXILIARIES and place > 0
    return is_subject or (before in _BEFORE_VERBS and word not in _SAYING)


def told_in(reading: Reading, part: Part) -> tuple[Match, list[Spotted]] | None:
    """The fact that a statement tells, with the values that stand with it; None if it tells none."""
    sentence, language, asked = part.sentence, reading.language, reading.context.questions
    if _DENIED.search(sentence.flat):
        return None
    values = language.vocabulary.spot(sentence)
    words = words_of(sentence)
    for match in language.told.matches(words, _WEAK_TOLD):
        if asked is not None and match.name not in asked:
            continue
        shape = language.fact_shapes[match.name]
        fitting = [value for value in values if shape.takes(value)]
        if all(value.is_nothing for value in fitting) and language.reasons.best(grounds(sentence), LIKELY):
            continue
        is_closed = 0 < len(shape.words) <= _FEW
        least = _WEAK_TOLD if is_closed else NAMED if asked is not None else TOLD
        if fitting and match.coverage >= least:
            return match, _pointed(fitting)
    if asked is None or not _ANSWER.match(sentence.flat):
        return None
    for fact in asked:
        shape = language.fact_shapes[fact]
        fitting = [value for value in values if shape.takes(value)]
        if fitting and (shape.words or any(sentence.tokens[value.at].kind != "word" for value in fitting)):
            return Match(fact, 1.0, 0.5, frozenset()), _pointed(fitting)
    return None


def told_apart(reading: Reading, part: Part) -> list[tuple[Part, tuple[Match, list[Spotted]]]]:
    """What the pieces of a statement tell, each for itself; nothing unless they tell several facts."""
    pieces = [part._replace(sentence=piece) for piece in pieces_of(part.sentence)]
    told = [(piece, found) for piece in pieces if (found := told_in(reading, piece)) is not None]
    return told if len({match.name for _, (match, _) in told}) > 1 else []


def _pointed(values: Sequence[Spotted]) -> list[Spotted]:
    """Values without bare numbers where a better kind stands there too."""
    better = [value for value in values if value.kind != "number"]
    return better or list(values)


def note_told(reading: Reading, part: Part, told: tuple[Match, list[Spotted]]) -> None:
    """Note a fact that is told; several values, or doubts, tell none."""
    match, values = told
    texts = dict.fromkeys(value.text.casefold() for value in values)
    if len(texts) > 1 or _HEDGED.search(part.sentence.flat):
        reading.puzzle(part, "one value, please")
        return
    value = values[0]
    shape = reading.language.fact_shapes[match.name]
    is_number = value.number is not None and (shape.is_money or shape.is_number)
    reading.note(part, Call(talk.TELL, {"fact": match.name, "value": value.number if is_number else value.text}))
