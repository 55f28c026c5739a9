"""Understands what an agent says to a customer: words as acts, and the parts that stay unclear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.arguments import Context, Filled, fill
from agentgym_tools.desks.words.instructions import instructions_in
from agentgym_tools.desks.words.language import Language, spoken
from agentgym_tools.desks.words.parts import (
    ASKS,
    CLOSES,
    CONSENTS,
    DOUBTS,
    INSTRUCTS,
    OFFERS,
    REFUSES,
    REPORTS,
    STATES,
    TRANSFERS,
    Part,
    parts_of,
)
from agentgym_tools.desks.words.phrases import Match
from agentgym_tools.desks.words.sentences import Sentence, sentences_of
from agentgym_tools.desks.words.values import Spotted
from agentgym_tools.worlds.calls import Call

MAX_ACTS = 8
"""Acts of one message that are heard."""
MAX_UNCLEAR = 4
MAX_ACTIONS = 4
MAX_BACK = 3
MAX_LEAD = 4
MAX_QUOTE = 80
_ASKED, _NAMED, _TOLD, _WEAK_TOLD, _REASON, _LIKELY = 0.8, 0.5, 0.6, 0.3, 0.5, 0.75
_SOFT = re.compile(r" (?:sorry|unfortunately|afraid|sadly|regret\w*|apologi\w+|no) ")
_HENCE = re.compile(r" (?:so|therefore|hence|thus) (?:i|we|the|no|there|this|that|it) ")
_ATTACHED_WORDS = """
in of for on from under at with to by about regarding concerning
"""
_ATTACHED = frozenset(_ATTACHED_WORDS.split())
_ARTICLES_WORDS = """
the a an your my this that his her their our its other
"""
_ARTICLES = frozenset(_ARTICLES_WORDS.split())
_REFUSED = re.compile(r" (?:can|could|may) not (?:\w+ )+?(?=, |because |since |as |so |due |$)")
_ANSWER = re.compile(
    r"^ (?:okay |right |so |well |good news |thanks |thank you |, )*(?:(?:it|that|this|they|there|you|we|the answer)"
    r"(?: (?:is|are|was|will|would|have|has|had|can|get|be|come|comes|cost|costs|come|to|in|about|exactly|now|"
    r"still|then))+"
    r" )?# (?:\w+ ){0,4}$|^ (?:it|that|they|your \w+) (?:is|are) (?:still |now |currently |already )*\w+ $"
)
_PRONOUN = re.compile(r" (?:they|it|that|this|these|those|both) ")
_HEDGED = re.compile(
    r" (?:(?:may|might|could) (?:also )?(?:be|have|cost) (?!\w+ed )|perhaps|maybe|probably|possibly|either|or|"
    r"whether|if i|guess|unsure) "
)
_DENIED = re.compile(r" (?:not|never|nor|neither|no longer) ")
_REPLY = re.compile(r" (?:tell me|give me|let me know|what|which|how|may i|could i|can i) ")
_TRIGGER = re.compile(
    r"(?<=can )not|(?<=could )not|not (?=possible|allowed|able|permitted)|(?:over|on) to \w+ \w+|"
    r"(?<= )transfer\w* you|(?<= )transfer\w* (?:this|it|your \w+) to"
)
_FEW = 12
_OWN = 1.3
_NEAR = 0.3
_UNUSED = 0.6
_SAID = 0.15


@dataclass(frozen=True)
class Understood:
    """What was understood of a message.

    Attributes:
        acts: The acts, in order.
        unclear: The parts that stay unclear, as they were said or as what is missing.
    """

    acts: Sequence[Call] = ()
    unclear: Sequence[str] = ()


@dataclass
class _Reading:
    """A message that is being read: what was found at which sentence, and which sentences nothing was made of."""

    language: Language
    context: Context
    sentences: Sequence[Sentence]
    parts: Sequence[Part]
    acts: list[tuple[int, Call]] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    spent: set[int] = field(default_factory=set)

    def note(self, part: Part, act: Call) -> None:
        self.acts.append((part.number, act))

    def puzzle(self, part: Part, why: str = "") -> None:
        quote = " ".join(part.sentence.text.split())[:MAX_QUOTE]
        self.unclear.append(f"{quote} ({why})" if why else quote)

    def used(self) -> set[int]:
        return {number for number, _ in self.acts} | self.spent


def understand_agent(language: Language, text: str, context: Context | None = None) -> Understood:
    """What an agent's words say.

    Args:
        language: The language of the desk and its world.
        text: The message.
        context: What was established before; None: nothing.
    """
    sentences = sentences_of(text)
    parts = [part for number, sentence in enumerate(sentences) for part in parts_of(number, sentence)]
    reading = _Reading(language, context or Context(), sentences, parts)
    for place, part in enumerate(parts):
        if part.number in reading.spent and part.use in (STATES, REPORTS, OFFERS):
            continue
        _READERS[part.use](reading, place, part)
    acts = _settled([act for _, act in reading.acts])
    return Understood(tuple(acts[:MAX_ACTS]), tuple(dict.fromkeys(reading.unclear))[:MAX_UNCLEAR])


def _settled(acts: Sequence[Call]) -> list[Call]:
    """The acts without repetitions; a handing over takes the place of a refusal, and closing comes last."""
    found = list(dict.fromkeys(acts))
    if any(act.tool == talk.TRANSFER for act in found):
        found = [act for act in found if act.tool != talk.REFUSE]
    last = [act for act in found if act.tool in (talk.TRANSFER, talk.CLOSE)]
    return [*(act for act in found if act not in last), *last[:1]]


def _words(sentence: Sentence) -> list[str]:
    return [token.plain if token.plain != "#" else token.text.casefold() for token in sentence.tokens]


def _read_ask(reading: _Reading, place: int, part: Part) -> None:
    instructed = instructions_in(reading.language, part.sentence) if reading.language.domain.user_tools else []
    if part.is_question and _has_codes(part.sentence) and _offer(reading, part, is_asked=True, is_whole=True):
        return
    facts = _facts_in(reading, part.sentence)
    if instructed and not (facts and _REPLY.search(part.sentence.flat)):
        for act in instructed:
            reading.note(part, act)
        return
    for fact in facts:
        if not _is_asked_before(reading, part, fact):
            reading.note(part, Call(talk.ASK, {"fact": fact}))
    if not facts and (look := _looked_at(reading, part)) is not None:
        reading.note(part, look)
        return
    if not facts and not _offer(reading, part, is_asked=part.is_question) and part.is_question:
        reading.puzzle(part)


def _has_codes(sentence: Sentence) -> bool:
    return any(token.kind in ("code", "pair") for token in sentence.tokens)


def _is_asked_before(reading: _Reading, part: Part, fact: str) -> bool:
    """Whether the sentence before asked for the same by its longer name, as "the name" after "which patient"."""
    before = [act for number, act in reading.acts if number == part.number - 1 and act.tool == talk.ASK]
    return any(act.arguments["fact"].endswith(f"_{fact}") for act in before)


def _looked_at(reading: _Reading, part: Part) -> Call | None:
    """A question for what one of the customer's own tools shows, such as "what does the status bar say"."""
    language = reading.language
    match = language.user_actions.best(_words(part.sentence), _LIKELY) if part.is_question else None
    if match is None or language.domain.user_tools[match.name].is_writing or language.parameters[match.name]:
        return None
    return Call(talk.INSTRUCT, {"action": match.name, "arguments": {}})


def _facts_in(reading: _Reading, sentence: Sentence) -> list[str]:
    matches = reading.language.facts.all_in(_words(sentence), _ASKED)
    if len(matches) > 1:
        loose = [match for match in matches if len(match.words) > 1 or not _is_attached(sentence, match)]
        matches = loose or matches[:1]
    return [match.name for match in matches]


def _is_attached(sentence: Sentence, match: Match) -> bool:
    """Whether a word only says more of another, as the order in "which item of the order"."""
    return all(
        _follows_preposition(sentence, place)
        for place, token in enumerate(sentence.tokens)
        if token.plain in match.words
    )


def _follows_preposition(sentence: Sentence, place: int) -> bool:
    place -= 1
    while place >= 0 and sentence.tokens[place].word in _ARTICLES:
        place -= 1
    if place < 0:
        return False
    word, before = sentence.tokens[place].word, sentence.tokens[max(0, place - 1)].word
    return word in _ATTACHED or word.endswith("ing") or before == "to"


def _read_offer(reading: _Reading, place: int, part: Part) -> None:
    """What the agent would do: a proposal if it asks for a yes, in this sentence or in one of the next."""
    is_asked = part.is_question or _has_consent(reading, place)
    facts = _facts_in(reading, part.sentence) if part.is_question else []
    if _offer(reading, part, is_asked=is_asked, is_whole=bool(facts) and not _has_codes(part.sentence)):
        return
    if not part.is_question:
        told = _told_in(reading, part)
        if told is not None and not is_asked:
            _note_told(reading, part, told)
        return
    for fact in facts:
        reading.note(part, Call(talk.ASK, {"fact": fact}))
    if not facts:
        reading.puzzle(part)


def _has_consent(reading: _Reading, place: int) -> bool:
    for part in reading.parts[place + 1 :]:
        if part.use == CONSENTS:
            return True
        if part.use not in (STATES, REPORTS) or part.is_question or part.number > reading.parts[place].number + 2:
            return False
    return False


def _offer(reading: _Reading, part: Part, *, is_asked: bool, is_whole: bool = False) -> bool:
    """Note the proposal that a part makes; returns whether it makes one, or a part of one unless it is to be whole."""
    if not is_asked:
        return False
    whole = reading.sentences[part.number]
    found = _action_in(reading, part, whole)
    if found is None:
        return False
    match, filled = found
    if filled.missing:
        if is_whole or match.coverage < _NAMED or not filled.num_said:
            return False
        missing = ", ".join(spoken(name) for name in filled.missing)
        reading.puzzle(part, f"without the {missing}")
        return True
    reading.spent.update(filled.sources)
    reading.note(part, Call(talk.PROPOSE, {"action": match.name, "arguments": dict(filled.arguments)}))
    return True


def _action_in(reading: _Reading, part: Part, whole: Sentence) -> tuple[Match, Filled] | None:
    """The tool that a part is about, with its arguments: the words weigh, and how many arguments are there."""
    matches = reading.language.actions.matches(reading.language.words(whole), 0.3)[:MAX_ACTIONS]
    matches = [match for match in matches if match.score > _NEAR * matches[0].score]
    near = [part.number, *_around(reading, part.number)]
    codes = [token.text.casefold() for token in whole.tokens if token.kind in ("code", "pair")]
    rated = []
    for match in matches:
        filled = fill(reading.language, match.name, [reading.sentences[each] for each in near], reading.context)
        share = len(filled.arguments) / (len(filled.arguments) + len(filled.missing))
        unused = sum(not _is_used(code, filled) for code in codes)
        fit = (0.4 + share) * (1.0 + _SAID * filled.num_said) * _UNUSED**unused
        rated.append((match.score * fit - len(filled.missing) * 0.2, match, filled))
    if not rated:
        return None
    _, match, filled = max(rated, key=lambda each: each[0])
    return match, replace(filled, sources=[near[each] for each in filled.sources])


def _is_used(code: str, filled: Filled) -> bool:
    """Whether a code of a sentence is among the arguments of a call."""
    return any(code in str(value).casefold() for value in filled.arguments.values())


def _around(reading: _Reading, number: int) -> Iterator[int]:
    """The sentences before one that nothing was made of, and the one after, for what a proposal leaves out."""
    used = reading.spent | {number for number, act in reading.acts if act.tool in (talk.PROPOSE, talk.INSTRUCT)}
    if number + 1 < len(reading.sentences) and not reading.sentences[number + 1].is_question:
        yield number + 1
    for other in range(number - 1, max(-1, number - 4), -1):
        if other not in used:
            yield other


def _read_consent(reading: _Reading, place: int, part: Part) -> None:
    """A question for a yes: it may hold the proposal, or stand after it."""
    proposed = [number for number, act in reading.acts if act.tool == talk.PROPOSE]
    if proposed and part.number - proposed[-1] <= MAX_BACK and not _has_codes(part.sentence):
        return
    earlier = [before for before in reversed(reading.parts[:place]) if before.number not in reading.used()]
    earlier = [before for before in earlier if part.number - before.number <= MAX_BACK and not before.is_question]
    if not _has_codes(part.sentence) and any(_offer(reading, each, is_asked=True, is_whole=True) for each in earlier):
        return
    if _offer(reading, part, is_asked=True, is_whole=bool(reading.acts)):
        return
    if proposed or any(_offer(reading, each, is_asked=True) for each in earlier):
        return
    facts = _facts_in(reading, part.sentence)
    for fact in facts:
        reading.note(part, Call(talk.ASK, {"fact": fact}))
    if not facts and not reading.unclear and part.is_question:
        reading.puzzle(part, "what you would do")


def _read_report(reading: _Reading, place: int, part: Part) -> None:
    sentence = part.sentence
    if part.is_question or _is_reason_beside_refusal(reading, part) or _is_again(reading, part):
        return
    if _has_consent(reading, place) and _offer(reading, part, is_asked=True):
        return
    if " please " in sentence.flat and reading.language.domain.user_tools:
        for act in instructions_in(reading.language, sentence):
            reading.note(part, act)
        return
    told, action = _told_in(reading, part), _made_in(reading, sentence)
    if told is not None and action is not None and all(value.is_nothing for value in told[1]):
        told = None
    reason = reading.language.reasons.best(_words(sentence), _LIKELY) if _SOFT.search(sentence.flat) else None
    if reason is not None and all(other is None or reason.score > other.score for other in (action, told and told[0])):
        reading.note(part, Call(talk.REFUSE, {"reason": reason.name}))
        return
    if told is not None and (action is None or action.coverage < _TOLD or _names_fact(told[0], action)):
        _note_told(reading, part, told)
    elif action is not None:
        reading.note(part, Call(talk.REPORT, {"action": action.name}))
    elif re.search(r" (?:all |it is |that is )?done (?:,|$)", sentence.flat) and reading.context.made:
        reading.note(part, Call(talk.REPORT, {"action": reading.context.made[-1]}))
    else:
        _read_refusal(reading, place, part, is_soft=True)


def _is_again(reading: _Reading, part: Part) -> bool:
    """Whether a sentence only says more of what the one before it reported, as in "they are cancelled now"."""
    before = {act.tool for number, act in reading.acts if number == part.number - 1}
    return talk.REPORT in before and _PRONOUN.match(part.sentence.flat) is not None


def _names_fact(told: Match, action: Match) -> bool:
    """Whether a sentence that could report an action names a fact, as the state in "the state is cancelled"."""
    return told.coverage > _LIKELY and bool(told.words - action.words)


def _made_in(reading: _Reading, sentence: Sentence) -> Match | None:
    """The action that a report is about; one that was made needs fewer words."""
    matches = reading.language.actions.matches(reading.language.words(sentence), 0.3)
    made = [match for match in matches if match.name in reading.context.made]
    return next((match for match in [*made, *matches] if match.coverage >= _TOLD or match in made), None)


def _is_reason_beside_refusal(reading: _Reading, part: Part) -> bool:
    """Whether a part is the reason of what is refused or handed over in its sentence, or in the next one."""
    reason = reading.language.reasons.best(_words(part.sentence), _REASON)
    action = _made_in(reading, part.sentence)
    if reason is None:
        return False
    refusing = [other.number - part.number for other in reading.parts if other.use in (REFUSES, TRANSFERS)]
    is_likelier = reason.coverage > _LIKELY and (action is None or reason.score > action.score)
    if 0 in refusing or not (1 in refusing and is_likelier):
        return 0 in refusing
    own = reading.language.reasons.best(_grounds(reading.sentences[part.number + 1]), _LIKELY)
    return own is None


def _read_refusal(reading: _Reading, place: int, part: Part, *, is_soft: bool = False) -> None:
    """A refusal with its reason, from this sentence or from one beside it."""
    if part.is_question:
        _read_ask(reading, place, part)
        return
    reason = _reason_for(reading, part, _LIKELY if is_soft else _REASON, is_soft=is_soft)
    flat = reading.sentences[part.number].flat
    if part.number and len(reading.sentences[part.number - 1].tokens) <= MAX_LEAD:
        flat = reading.sentences[part.number - 1].flat + flat
    if is_soft and (reason is None or not (_SOFT.search(flat) or _HENCE.search(flat))):
        return
    if reason is not None:
        reading.note(part, Call(talk.REFUSE, {"reason": reason}))
    elif not is_soft:
        reading.puzzle(part, "for which reason")


def _read_transfer(reading: _Reading, place: int, part: Part) -> None:
    reason = _reason_for(reading, part, _REASON)
    if reason is not None:
        reading.note(part, Call(talk.TRANSFER, {"reason": reason}))
    else:
        reading.puzzle(part, "for which reason")


def _reason_for(reading: _Reading, part: Part, least: float, *, is_soft: bool = False) -> str | None:
    """The reason that the sentence names, else one beside it."""
    number, sentences = part.number, reading.sentences
    outside = _outside(sentences[number])
    own = reading.language.reasons.best(outside, _LIKELY) if outside else None
    own = own or reading.language.reasons.best(_grounds(sentences[number]), least)
    if is_soft or (own is not None and own.coverage > _LIKELY):
        return own.name if own is not None else None
    near = [other for other in (number - 1, number + 1, number - 2) if 0 <= other < len(sentences)]
    others = [reading.language.reasons.best(_grounds(sentences[other]), _TOLD) for other in near]
    found = [match for match in (own, *others) if match is not None]
    best = max(found, key=lambda match: match.score * (_OWN if match is own else 1.0), default=None)
    return best.name if best is not None else None


def _outside(sentence: Sentence) -> list[str]:
    """The words of a sentence beside the clause that refuses; none if it has no other."""
    flat = sentence.flat
    refused = _REFUSED.search(flat)
    if refused is None:
        return []
    first, last = (flat[:end].count(" ") for end in (refused.start() + 1, refused.end()))
    words = _words(sentence)
    return [*words[: first - 1], *words[last - 1 :]]


def _grounds(sentence: Sentence) -> list[str]:
    """The words of a sentence without those that only say that something is refused or handed over."""
    spans = [found.span() for found in _TRIGGER.finditer(sentence.flat)]
    if not spans:
        return _words(sentence)
    words, at = [], 1
    for token, plain in zip(sentence.tokens, _words(sentence), strict=True):
        if not any(first <= at < last for first, last in spans):
            words.append(plain)
        at += len(token.word) + 1
    return words


def _read_close(reading: _Reading, place: int, part: Part) -> None:
    reading.note(part, Call(talk.CLOSE))


def _read_instruction(reading: _Reading, place: int, part: Part) -> None:
    found = instructions_in(reading.language, part.sentence) if reading.language.domain.user_tools else []
    for act in found:
        reading.note(part, act)
    if not found:
        _read_ask(reading, place, part)


def _read_statement(reading: _Reading, place: int, part: Part) -> None:
    if part.is_question:
        _read_ask(reading, place, part)
        return
    if part.number in reading.spent or (_has_consent(reading, place) and _offer(reading, part, is_asked=True)):
        return
    told = _told_in(reading, part)
    if told is not None:
        _note_told(reading, part, told)
        return
    found = instructions_in(reading.language, part.sentence) if reading.language.domain.user_tools else []
    for act in found:
        reading.note(part, act)
    if not found and re.search(r" please (?:, )?$", part.sentence.flat):
        _read_ask(reading, place, part)
    elif not found:
        _read_refusal(reading, place, part, is_soft=True)


def _told_in(reading: _Reading, part: Part) -> tuple[Match, list[Spotted]] | None:
    """The fact that a statement tells, with the values that stand with it; None if it tells none."""
    sentence, language, asked = part.sentence, reading.language, reading.context.questions
    if _DENIED.search(sentence.flat):
        return None
    values = language.vocabulary.spot(sentence)
    words = _words(sentence)
    for match in language.told.matches(words, _WEAK_TOLD):
        if asked is not None and match.name not in asked:
            continue
        shape = language.fact_shapes[match.name]
        fitting = [value for value in values if shape.takes(value)]
        if all(value.is_nothing for value in fitting) and language.reasons.best(_grounds(sentence), _LIKELY):
            continue
        is_closed = 0 < len(shape.words) <= _FEW
        least = _WEAK_TOLD if is_closed else _NAMED if asked is not None else _TOLD
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


def _pointed(values: Sequence[Spotted]) -> list[Spotted]:
    """Values without bare numbers where a better kind stands there too."""
    better = [value for value in values if value.kind != "number"]
    return better or list(values)


def _note_told(reading: _Reading, part: Part, told: tuple[Match, list[Spotted]]) -> None:
    match, values = told
    texts = dict.fromkeys(value.text.casefold() for value in values)
    if len(texts) > 1 or _HEDGED.search(part.sentence.flat):
        reading.puzzle(part, "one value, please")
        return
    value = values[0]
    shape = reading.language.fact_shapes[match.name]
    is_number = value.number is not None and (shape.is_money or shape.is_number)
    reading.note(part, Call(talk.TELL, {"fact": match.name, "value": value.number if is_number else value.text}))


def _pass_over(reading: _Reading, place: int, part: Part) -> None:
    """What the agent does not know says nothing."""


_READERS = {
    DOUBTS: _pass_over,
    ASKS: _read_ask,
    OFFERS: _read_offer,
    CONSENTS: _read_consent,
    REPORTS: _read_report,
    REFUSES: _read_refusal,
    TRANSFERS: _read_transfer,
    CLOSES: _read_close,
    INSTRUCTS: _read_instruction,
    STATES: _read_statement,
}
