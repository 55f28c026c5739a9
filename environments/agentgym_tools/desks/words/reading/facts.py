"""The facts that an agent asks for, and those that it tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.phrases import Match
from agentgym_tools.desks.words.lexicon.sentences import Sentence, pieces_of, sentences_of
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.lexicon.values import Spotted
from agentgym_tools.desks.words.reading.message import LIKELY, NAMED, TOLD, Reading, words_of
from agentgym_tools.desks.words.reading.parts import Part
from agentgym_tools.desks.words.reading.reasons import grounds
from agentgym_tools.worlds.calls import Call

_ASKED, _WEAK_TOLD = 0.8, 0.3
_FEW = 12
_LONG = 3
_COST = plain("costs")
"""What a sum says without the word: "another bag would be 45 dollars"."""
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
get ask hear enter note is are be want like wish prefer grab catch obtain collect verify include take check
"""
_SAYING = frozenset(_SAYING_WORDS.split())
_ARTICLES_WORDS = """
the a an your my this that his her their our its other
"""
_ARTICLES = frozenset(_ARTICLES_WORDS.split())
_ASKING = frozenset({"ask", "asking", "you", "need", "trouble", "bother"})
"""Words after which "for" leads to what is asked for."""
_KINDS = frozenset({"name", "names", "number", "numbers", "kind", "type", "which", "one"})
_QUESTION_WORDS = frozenset({"how", "which", "what", "many", "much"})
_SEVERAL = 2
_TO_WHICH = re.compile(r" (?:to|into|onto) (?:which|what) ")
_MEANS_BEFORE = re.compile(r" (?:it|its|they|their|them|that|this|there|one|those) ")
_IT_IS = re.compile(
    r" (?:(?:well|looks|seems|like|it|apparently|so|i|see|that) )*(?:it|that|this) (?:is|was|got|has been|"
    r"has already been|"
    r"is still|is now|is already|was already) (?:already |still |now )*(?:\w+ ){1,2}(?:already |now |by now )?"
    r"(?:, .*)?$"
)
_NAME_OF = re.compile(r" name of ")
_PURPOSE = re.compile(
    r"^ (?:(?:,|and|so|okay|ok|now|then|well|thanks|thank|you|sure|great) )*(?:in order to|so that|to|before|while|"
    r"for) "
    r"(?:(?!what |which |who |please |whom |how |where |when )\w+ )+?(?:, )?(?!.* (?:its|their|them) )(?=(?:and |"
    r"then |so )?(?:i |we |please |could |can |may |might |would |what |which |who |"
    r"how |let me |tell me |kindly ))"
)
_PURPOSE_AFTER = re.compile(
    r" (?:, )?(?:so (?:that )?(?:i|we) can|in order to|for me to|to) (?:look|find|locate|pull|verify|check|access|"
    r"identify|confirm|open|bring|retrieve) "
)
_SORRY = re.compile(r" (?:sorry|unfortunately|afraid|sadly|too) ")
_DENIED = re.compile(r" (?:not|never|nor|neither|no longer) ")
_HEDGED = re.compile(
    r" (?:(?:may|might|could) (?:also )?(?:be|have|cost) (?!\w+ed )|perhaps|maybe|probably|possibly|either|or|"
    r"whether|if i|guess|unsure) "
)
_ANSWER = re.compile(
    r"^ (?:okay |right |so |well |good news |thanks |thank you |, )*(?:(?:it|that|this|they|there|you|we|the answer)"
    r"(?: (?:is|are|was|will|would|have|has|had|can|get|be|come|comes|cost|costs|come|to|in|on|from|at|about|"
    r"exactly|now|still|then))+"
    r" )?# (?:\w+ ){0,4}$|^ (?:it|that|they|your \w+) (?:is|are) (?:still |now |currently |already )*\w+ $"
)


def facts_in(reading: Reading, sentence: Sentence) -> list[str]:
    """The facts that a sentence asks for, in order."""
    sentence = _without_end(reading, without_purpose(sentence))
    pieces = pieces_of(sentence)
    matches = _asked_in(reading, sentence)
    long = [match for match in matches if _is_long(match)]
    whole_names = {match.name for match in long if _is_said_whole(reading, sentence, match.name)}
    parted = _without_shares(_asked_apart(reading, pieces), long, whole_names, pieces)
    apart, whole = (list(dict.fromkeys(match.name for match in found)) for found in (parted, matches))
    return _of_one_kind(reading, apart if len(apart) > len(whole) or len(apart) >= _SEVERAL else whole)


def _is_long(match: Match) -> bool:
    return len(match.words) >= _LONG and match.coverage >= 1.0


def _is_said_whole(reading: Reading, sentence: Sentence, fact: str) -> bool:
    """Whether a sentence says what a fact is, word by word, as "the kind of the fee, and the month"."""
    return sentences_of(reading.language.domain.facts[fact])[0].flat in sentence.flat


def _without_shares(
    apart: Sequence[Match], long: Sequence[Match], said_whole: Collection[str], pieces: Sequence[Sentence]
) -> list[Match]:
    """What pieces ask for, where a phrase that holds a comma takes the place of its shares: "who got it and when"."""
    found = list(apart)
    choices = {word for piece in pieces if " or " in piece.flat for word in words_of(piece)}
    for match in long:
        is_apart = any(other.name == match.name for other in found)
        shares = [
            each for each in found if each.name != match.name and each.words <= match.words and not _is_long(each)
        ]
        if is_apart and match.name not in said_whole:
            shares = [each for each in shares if each.words <= choices]
        shares = [each for each in shares if match.name.endswith(each.name)] or shares
        if shares and not is_apart:
            found[found.index(shares[0])] = match
        found = [each for each in found if each not in shares]
    return found


def _asked_apart(reading: Reading, pieces: Sequence[Sentence]) -> list[Match]:
    """The facts that pieces ask for; one that says "it" or "they" may mean what the piece before it names."""
    found: list[Match] = []
    before: list[str] = []
    for piece in pieces:
        own = [match for match in _asked_in(reading, piece) if not _is_attached(piece, match)]
        if _TO_WHICH.search(piece.flat):
            own = [match._replace(name=_twin(reading, "to", match.name)) for match in own]
        if found and own and piece.tokens[0].word not in _ARTICLES:
            owner = found[-1].name.split("_")[0]
            own = [match._replace(name=_twin(reading, owner, match.name)) for match in own]
        words = words_of(piece)
        if not own and before and _MEANS_BEFORE.search(piece.flat):
            more = reading.language.facts.all_in([*words, *before], _ASKED)
            known = [match.name for match in found]
            own = [match for match in more if match.name not in known and not match.words.isdisjoint(words)]
        found += own
        before = words if own or not before else before
    return found


def _twin(reading: Reading, owner: str, fact: str) -> str:
    """The fact of an owner that is named before, as the account in "the beneficiary's name and account"."""
    if owner == "new":
        return fact
    twin = f"{owner}_{fact.removesuffix('_id')}"
    return twin if twin in reading.language.facts.names else fact


def without_purpose(sentence: Sentence) -> Sentence:
    """A sentence without the clause before the question that says what it is for: "to find you, I need the name"."""
    found = _PURPOSE.match(sentence.flat)
    if found is None:
        return sentence
    return sentence.part(sentence.flat[: found.end()].count(" ") - 1, len(sentence.tokens))


def _without_end(reading: Reading, sentence: Sentence) -> Sentence:
    """A sentence without the clause behind the question that says what it is for: "your name, so I can find you"."""
    found = _PURPOSE_AFTER.search(sentence.flat)
    head = sentence.part(0, sentence.flat[: found.start()].count(" ")) if found is not None else sentence
    return head if head.tokens and _asked_in(reading, head) else sentence


def choices_in(reading: Reading, sentence: Sentence) -> list[str]:
    """The facts of which a sentence names several values to choose from: "a window or an aisle seat?"."""
    if " or " not in sentence.flat:
        return []
    said = {value.text.casefold() for value in reading.language.vocabulary.spot(sentence)}
    shapes = reading.language.fact_shapes
    return [fact for fact, shape in shapes.items() if len(shape.words) <= _FEW and len(said & shape.words) > 1]


def _asked_in(reading: Reading, sentence: Sentence) -> list[Match]:
    """The facts that words name; beside others, those that only say more of these are left out."""
    matches = reading.language.facts.all_in(words_of(sentence), _ASKED)
    if _NAME_OF.search(sentence.flat) and len(matches) > 1:
        matches = [match for match in matches if match.words != {"name"}]
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
    between = sentence.tokens[places[0] : places[-1]] if places else ()
    if any(token.word == "or" for token in between):
        return False
    if len(match.words) > 1:
        is_one = places[-1] - places[0] <= len(match.words)
        before = _before(sentence, places[0])
        is_owner = before > 0 and sentence.tokens[before].word in ("for", "of")
        is_owner = is_owner and sentence.tokens[before - 1].word not in {*_ASKING, *_KINDS}
        is_owner = is_owner and sentence.tokens[places[0]].word not in _QUESTION_WORDS
        return is_one and (_follows_verb(sentence, places[0]) or is_owner)
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
    before = sentence.tokens[place - 1].word if place > 0 else ""
    if (word == "of" and before in ("which", "one")) or (word == "for" and before in _ASKING):
        return False
    return word in _ATTACHED or word in _BEFORE_VERBS or word.endswith("ing")


def _follows_verb(sentence: Sentence, place: int) -> bool:
    """Whether a noun is what is done something to, as in "to pause the order", or does it, as in "does the order"."""
    place = _before(sentence, place)
    if place < 0:
        return False
    word, before = sentence.tokens[place].word, sentence.tokens[place - 1].word if place else ""
    if word == "be" and before in _AUXILIARIES:
        return True
    is_subject = word in _AUXILIARIES
    return is_subject or (before in _BEFORE_VERBS and word not in _SAYING and word not in _QUESTION_WORDS)


def told_in(reading: Reading, part: Part, more: Sequence[str] = ()) -> tuple[Match, list[Spotted]] | None:
    """The fact that a statement tells, with the values that stand with it; None if it tells none.

    Args:
        reading: The message.
        part: The statement.
        more: Words that it means without saying them.
    """
    sentence, language, asked = part.sentence, reading.language, reading.context.questions
    if _DENIED.search(sentence.flat):
        return None
    values = language.vocabulary.spot(sentence)
    said = [*language.words(sentence), *more]
    words = [*said, _COST] if any(value.kind == "money" and value.number for value in values) else said
    for match in language.told.matches(words, _WEAK_TOLD):
        if match.words.isdisjoint(said):
            continue
        if asked is not None and match.name not in asked:
            continue
        shape = language.fact_shapes[match.name]
        fitting = [value for value in values if shape.takes(value)]
        if all(value.is_nothing for value in fitting) and language.reasons.best(grounds(sentence), LIKELY):
            continue
        is_closed = 0 < len(shape.words) <= _FEW
        if is_closed and _SORRY.search(sentence.flat) and language.reasons.best(grounds(sentence), LIKELY):
            continue
        least = _WEAK_TOLD if is_closed else NAMED if asked is not None else TOLD
        if fitting and match.coverage >= least:
            return match, _pointed(fitting)
    if asked is None:
        return _state_in(reading, sentence, values)
    if not _ANSWER.match(sentence.flat):
        return None
    for fact in asked:
        shape = language.fact_shapes[fact]
        fitting = [value for value in values if shape.takes(value)]
        if fitting and (shape.words or any(sentence.tokens[value.at].kind != "word" for value in fitting)):
            return Match(fact, 1.0, 0.5, frozenset()), _pointed(fitting)
    return None


def _state_in(reading: Reading, sentence: Sentence, values: Sequence[Spotted]) -> tuple[Match, list[Spotted]] | None:
    """The state that is told of "it", where only one fact has such states: "it got delivered already"."""
    if not _IT_IS.match(sentence.flat) or reading.language.actions.matches(words_of(sentence), NAMED):
        return None
    shapes = {fact: reading.language.fact_shapes[fact] for fact in reading.language.told.names}
    few = {fact: shape for fact, shape in shapes.items() if 0 < len(shape.words) <= _FEW}
    found = [(fact, value) for fact, shape in few.items() for value in values if value.text.casefold() in shape.words]
    return (Match(found[0][0], 1.0, LIKELY, frozenset()), [found[0][1]]) if len(found) == 1 else None


def told_apart(reading: Reading, part: Part) -> list[tuple[Part, tuple[Match, list[Spotted]]]]:
    """What the pieces of a statement tell, each for itself; nothing unless they tell several facts."""
    pieces = [part._replace(sentence=piece) for piece in pieces_of(part.sentence)]
    told = []
    for number, piece in enumerate(pieces):
        found = told_in(reading, piece)
        if found is None and number and _MEANS_BEFORE.search(piece.sentence.flat):
            found = told_in(reading, piece, words_of(pieces[number - 1].sentence))
        if found is not None:
            told.append((piece, found))
    return told if len({match.name for _, (match, _) in told}) > 1 else []


def _pointed(values: Sequence[Spotted]) -> list[Spotted]:
    """Values without bare numbers where a better kind stands there too."""
    better = [value for value in values if value.kind != "number"]
    return better or list(values)


def note_told(reading: Reading, part: Part, told: tuple[Match, list[Spotted]]) -> None:
    """Note a fact that is told; several values, or doubts, tell none."""
    _, values = told
    texts = dict.fromkeys(value.text.casefold() for value in values)
    if len(texts) > 1 or _HEDGED.search(part.sentence.flat):
        reading.puzzle(part, "one value, please")
        return
    reading.note(part, told_act(reading, told))


def told_act(reading: Reading, told: tuple[Match, list[Spotted]]) -> Call:
    """A fact that is told, as an act."""
    match, value = told[0], told[1][0]
    shape = reading.language.fact_shapes[match.name]
    is_number = value.number is not None and (shape.is_money or shape.is_number)
    return Call(talk.TELL, {"fact": match.name, "value": value.number if is_number else value.text})
