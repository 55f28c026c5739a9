"""Understands what a customer says to an agent: words as acts, and the parts that stay unclear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.customer_wording import ORDINALS, PUZZLED
from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.phrases import Match
from agentgym_tools.desks.words.lexicon.sentences import Sentence, sentences_of
from agentgym_tools.desks.words.lexicon.values import Spotted
from agentgym_tools.desks.words.reading.arguments import fill
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.message import Understood
from agentgym_tools.worlds.calls import Call

MAX_BARE = 8
"""Most words of an answer that names no fact."""
_LEAST, _SURE, _KIND = 0.6, 0.8, 0.5
_WANTS = re.compile(
    r" (?:i (?:\w+ )?(?:want|wish|need|like|would like|have|am trying|am calling|am here)|could you|can you|"
    r"would you|"
    r"please|i would|help me|we want|we need|can i|could i|may i) "
)
_IGNORANT = re.compile(
    r" (?:(?:do|can|could|did) not (?:know|remember|recall|have|find|say|tell)|no idea|not sure|"
    r"i (?:have )?forgot(?:ten)?|"
    r"slipped my mind|no clue|unsure) "
)
_YES = re.compile(
    r"^ (?:well |oh |, )*(?:yes|yeah|yep|sure|ok|okay|fine|agreed|correct|exactly|right|alright|all right|go ahead|"
    r"please do(?! not)|do it|do that|that is (?:fine|right|correct|okay)|"
    r"sounds good|perfect|i agree|i confirm|of course|"
    r"go for it) "
)
_NO = re.compile(
    r"^ (?:well |oh |, |sorry |but )*(?:no (?!problem|idea|clue|longer)|nope|do not|please do not|stop|that is "
    r"(?:wrong|not)|not that|i do not want|"
    r"i disagree|never|wrong|certainly not)"
)
_INSISTS = re.compile(
    r" (?:insist|all the same|anyway|anyhow|try again|do not accept|can not accept|there must be|still want)"
)
_ACCEPTS = re.compile(r" (?:(?:i|we) (?:\w+ )*accept (?!that i)|fair enough|never mind|too bad|a pity|i can live with)")
_WAITS = re.compile(r" (?:i am waiting|waiting|go on|i am listening|still there)")
_BYES = re.compile(r" (?:good bye|goodbye|bye|that was all|that is all|have a (?:nice|good) day|nothing else) ")
_PUZZLED = re.compile(r" (?:what do you mean|not (?:get|understand) what you mean|do not understand) ")
_DONE = re.compile(r" (?:i (?:did|have|just|already|ran|took|made|sent|looked|checked|(?!need)\w+ed)|done|did that) ")
_ANSWERED = re.compile(r"^\s*(?:it|the phone|the screen)\s+(?:says|shows|said|showed|reads)\s*:?\s*", re.IGNORECASE)
_SHOWN = re.compile(r" (?:it|that|the phone|the screen|there) (?:says|shows|said|showed|reads|is|was) ")
_NUMBERED = re.compile(
    r"\b(?:number (\d)|(first|second|third|fourth|fifth|sixth|seventh|eighth)|(\d)(?:st|nd|rd|th))\b", re.IGNORECASE
)
_ALL = re.compile(r" (?:both|all of (?:them|it)|to all|everything) ")
_STATES = re.compile(r":| is\b| are\b| was\b|'s\b", re.IGNORECASE)
_MEANT = re.compile(r"^(?P<value>.+?)[;,]? i mean (?P<fact>.+)$", re.IGNORECASE | re.DOTALL)
_POINTING = re.compile(r"^(?:it|that|this|here it|the answer)(?: is|'s| was)?:?\s+", re.IGNORECASE)
_LEADS = re.compile(
    r"^(?:sure|yes|well|ok|okay|of course|certainly|sorry|oh|actually|no|right|hello|hi|on (?:second|further) "
    r"thoughts?|(?:i have|i've) changed my mind|thinking (?:about it )?again)[,!.:; ]+\s*",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^ (?:(?:well|oh|sorry|no|actually|,) )*i (?:have |just )*changed my mind (?:(?:about|on) (?:it|that) )?(?:, |$)"
)
"""The start of a sentence that says nothing of a change at the desk."""
_JOINED = re.compile(r",?;? and (?=(?:my|the|its|that|his|her|our)\b)|; (?!i mean)", re.IGNORECASE)
_TAIL = re.compile(r"[,;]? (?:please|thanks|thank you|if that helps|i think|i believe)$", re.IGNORECASE)


@dataclass
class _Hearing:
    """A customer's message that is being read."""

    language: Language
    asked: list[str]
    num_proposed: int
    acts: list[Call] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    rest: list[Sentence] = field(default_factory=list)


def understand_customer(
    language: Language, text: str, *, asked: Sequence[str] = (), num_proposed: int = 1
) -> Understood:
    """What a customer's words say.

    Args:
        language: The language of the desk and its world.
        text: The message.
        asked: The facts that the agent's last message asked for, in order; what is said without naming a fact answers
            them.
        num_proposed: How many calls the agent's last message proposed.
    """
    hearing = _Hearing(language, list(asked), num_proposed)
    sentences = _rejoined([_without_second_thoughts(sentence) for sentence in sentences_of(text)])
    for number, sentence in enumerate(sentences):
        _hear(hearing, sentence, sentences[number + 1 :])
    if not hearing.acts:
        _hear_bare(hearing)
    acts = _with_facts(hearing.acts)
    if not acts and not hearing.unclear and sentences:
        acts = [Call(talk.DIGRESS)]
    return Understood(tuple(dict.fromkeys(acts)), tuple(hearing.unclear))


def _without_second_thoughts(sentence: Sentence) -> Sentence:
    """A sentence without "I have changed my mind" before what it says."""
    found = _CHANGED.match(sentence.flat)
    return sentence if found is None else sentence.part(len(found[0].split()), len(sentence.tokens))


def _rejoined(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences, with an explanation that begins "I mean" put back to what it explains."""
    found: list[Sentence] = []
    for sentence in sentences:
        if found and sentence.flat.startswith(" i mean "):
            before = found.pop()
            sentence = Sentence([*before.tokens, *sentence.tokens], f"{before.text} {sentence.text}", False)
        found.append(sentence)
    return found


def _with_facts(acts: Sequence[Call]) -> list[Call]:
    """The acts, with the facts that a message tells after its request put into the request."""
    place = next((number for number, act in enumerate(acts) if act.tool == talk.REQUEST), None)
    if place is None:
        return list(acts)
    told = [act for act in acts[place:] if act.tool == talk.INFORM]
    facts = {act.arguments["fact"]: act.arguments["value"] for act in told}
    request = Call(talk.REQUEST, {**acts[place].arguments, "facts": facts})
    return [*acts[:place], request, *(act for act in acts[place + 1 :] if act not in told)]


def _hear(hearing: _Hearing, sentence: Sentence, later: Sequence[Sentence]) -> None:
    flat = sentence.flat
    if _PUZZLED.search(flat):
        hearing.acts.append(Call(PUZZLED, {"parts": [sentence.text]}))
    elif _INSISTS.search(flat):
        hearing.acts.append(Call(talk.INSIST))
    elif _IGNORANT.search(flat):
        _hear_ignorance(hearing, sentence)
    elif hearing.num_proposed and not _codes(hearing, sentence) and (_YES.search(flat) or _NO.search(flat)):
        _hear_answer(hearing, sentence)
    elif (
        _told_of_tool(hearing, sentence, later)
        or _answered_briefly(hearing, sentence)
        or _requested(hearing, sentence)
        or _informed(hearing, sentence)
        or _answered_in_code(hearing, sentence)
    ):
        return
    elif _ACCEPTS.search(flat):
        hearing.acts.append(Call(talk.ACCEPT))
    elif _BYES.search(flat):
        hearing.acts.append(Call(talk.BYE))
    elif _WAITS.search(flat) or flat == " so ":
        hearing.acts.append(Call(talk.WAIT))
    elif _codes(hearing, sentence) and not _SHOWN.search(flat):
        hearing.unclear.append(sentence.text[:80])
    else:
        hearing.rest.append(sentence)


def _answered_briefly(hearing: _Hearing, sentence: Sentence) -> bool:
    """Whether a few words with a code answer what was asked; such words request nothing."""
    is_brief = bool(hearing.asked) and len(sentence.tokens) <= MAX_BARE and bool(_codes(hearing, sentence))
    return is_brief and _informed(hearing, sentence)


def _answered_in_code(hearing: _Hearing, sentence: Sentence) -> bool:
    """Whether a few words with one code, of whatever form, answer a question for a code; it need not be a right one."""
    codes = [value for value in _codes(hearing, sentence) if value.kind == "code"]
    shapes = hearing.language.fact_shapes
    taking = [fact for fact in hearing.asked if shapes[fact].forms - {"@"} or shapes[fact].is_free]
    if len(codes) != 1 or not taking or len(sentence.tokens) > MAX_BARE:
        return False
    return _note(hearing, taking[0], codes[0].text)


def _codes(hearing: _Hearing, sentence: Sentence) -> list[Spotted]:
    values = hearing.language.vocabulary.spot(sentence)
    return [value for value in values if value.kind in ("code", "email", "date", "money")]


def _hear_answer(hearing: _Hearing, sentence: Sentence) -> None:
    act = talk.CONFIRM if _YES.search(sentence.flat) else talk.DENY
    numbered = _NUMBERED.search(sentence.text)
    numbers = [1]
    if numbered is not None:
        numbers = [ORDINALS.index(numbered[2].lower()) + 1 if numbered[2] else int(numbered[1] or numbered[3])]
    elif _ALL.search(sentence.flat) and hearing.num_proposed > 1:
        numbers = list(range(1, hearing.num_proposed + 1))
    hearing.acts += [Call(act, {"number": number}) for number in numbers]


def _requested(hearing: _Hearing, sentence: Sentence) -> bool:
    if not _WANTS.search(sentence.flat) or _NO.search(sentence.flat) or _IGNORANT.search(sentence.flat):
        return False
    match = hearing.language.kinds.best(hearing.language.words(sentence), _KIND)
    if match is None:
        return False
    hearing.acts.append(Call(talk.REQUEST, {"goal": match.name, "facts": {}}))
    for value in hearing.language.vocabulary.spot(sentence):
        if value.kind in ("code", "email"):
            _note(hearing, _fact_of(hearing, value), value.text)
    return True


def _hear_ignorance(hearing: _Hearing, sentence: Sentence) -> None:
    matches = hearing.language.all_facts.matches(hearing.language.words(sentence), _LEAST)
    named = [match.name for match in matches]
    asked = [fact for fact in hearing.asked if fact in named or not named]
    hearing.acts += [Call(talk.UNKNOWN, {"fact": fact}) for fact in (asked or named)[:1]]


def _informed(hearing: _Hearing, sentence: Sentence) -> bool:
    if _offers_choice(sentence):
        return False
    text = _LEADS.sub("", sentence.text.strip())
    found = False
    for part in _statements(hearing, text):
        found |= _told(hearing, _TAIL.sub("", part.strip()))
    return found


def _offers_choice(sentence: Sentence) -> bool:
    """Whether a sentence asks back which of several values it should be; that tells none of them."""
    return sentence.is_question and " or " in sentence.flat


def _statements(hearing: _Hearing, text: str) -> Iterator[str]:
    """The parts of a sentence that could each tell a fact; one that states nothing belongs to the next."""
    begun = ""
    for part in _JOINED.split(text):
        begun += f" and {part}" if begun else part
        if _STATES.search(part) or any(map(hearing.language.vocabulary.spot, sentences_of(part))):
            yield begun
            begun = ""
    if begun:
        yield begun


def _told(hearing: _Hearing, text: str) -> bool:
    """Whether a part of a sentence tells a fact; it is then noted."""
    meant = _MEANT.match(text)
    pairs = [(meant["fact"], meant["value"])] if meant is not None else []
    pairs += [(text[: found.start()], text[found.end() :]) for found in _STATES.finditer(text)]
    named = [(match, value.strip()) for fact, value in pairs if (match := _named(hearing, fact)) and value.strip()]
    if not named:
        return _answered(hearing, _POINTING.sub("", text))
    match, value = max(reversed(named), key=lambda each: each[0].score)
    return _note(hearing, match.name, _value(hearing.language, match.name, _POINTING.sub("", value)))


def _named(hearing: _Hearing, text: str) -> Match | None:
    sentences = sentences_of(text)
    return hearing.language.all_facts.best(hearing.language.words(sentences[0]), _SURE) if sentences else None


def _answered(hearing: _Hearing, text: str) -> bool:
    """A value without its fact: it answers what was asked, or its form says what it is."""
    language = hearing.language
    sentences = sentences_of(text)
    if not sentences:
        return False
    values = language.vocabulary.spot(sentences[0])
    for fact in hearing.asked:
        fitting = [value for value in values if language.fact_shapes[fact].takes(value)]
        if fitting:
            return _note(hearing, fact, _value(language, fact, fitting[0].text if len(values) > 1 else text))
    codes = [value for value in values if value.kind in ("code", "email")]
    if codes and not hearing.asked:
        noted = [_note(hearing, _fact_of(hearing, value), value.text) for value in codes]
        return any(noted)
    return False


def _hear_bare(hearing: _Hearing) -> None:
    """Where nothing else was said, a few words answer what was asked first."""
    for sentence in (each for each in hearing.rest if not _offers_choice(each)):
        text = _POINTING.sub("", _TAIL.sub("", sentence.text.strip()))
        if hearing.asked and len(sentence.tokens) <= MAX_BARE and not _NO.search(sentence.flat) and _is_plain(text):
            _note(hearing, hearing.asked[0], _value(hearing.language, hearing.asked[0], text))


def _is_plain(text: str) -> bool:
    """Whether words could be a value and nothing else."""
    return not re.search(r"\b(?:i|you|me|we|please|not|what|why|how|wait|hurry|is|am|are|so)\b", text, re.IGNORECASE)


def _fact_of(hearing: _Hearing, value: Spotted) -> str | None:
    """The one fact whose values have this form."""
    shapes = hearing.language.fact_shapes
    fitting = [fact for fact, shape in shapes.items() if not shape.is_free and shape.takes(value)]
    named = [fact for fact in fitting if not fact.startswith("new_")]
    return named[0] if len(named) == 1 else None


def _note(hearing: _Hearing, fact: str | None, value: Any) -> bool:
    if fact is None:
        return False
    if fact in hearing.asked:
        hearing.asked.remove(fact)
    hearing.acts.append(Call(talk.INFORM, {"fact": fact, "value": value}))
    return True


def _value(language: Language, fact: str, text: str) -> Any:
    """A value as it was said: a code or number out of it, else the words themselves."""
    sentences = sentences_of(text)
    shape = language.fact_shapes[fact]
    values = language.vocabulary.spot(sentences[0]) if sentences else []
    fitting = [value for value in values if shape.takes(value)]
    if shape.is_money or shape.is_number:
        numbers = [value.number for value in fitting if value.number is not None]
        if numbers:
            return numbers[0]
    best = next((value for value in fitting if value.kind != "number" or not shape.words), None)
    if best is not None and not shape.is_free and (best.kind in ("code", "email", "date") or best.text in text):
        whole = len(text) <= len(best.text) + 6 or best.kind in ("code", "email", "date")
        return best.text if whole else text.strip()
    return text.strip()


def _told_of_tool(hearing: _Hearing, sentence: Sentence, later: Sequence[Sentence]) -> bool:
    """Whether a sentence says that one of the customer's own tools was used; it is then noted with what came of it."""
    language = hearing.language
    if not language.domain.user_tools or not _DONE.search(sentence.flat):
        return False
    match = language.user_actions.best(language.words(sentence), _LEAST)
    if match is None:
        return False
    filled = fill(language, match.name, [sentence], Context())
    if filled.missing:
        return False
    result = _ANSWERED.sub("", later[0].text) if later and _SHOWN.search(later[0].flat) else ""
    arguments = {"action": match.name, "arguments": dict(filled.arguments), "result": result}
    hearing.acts.append(Call(talk.DID, arguments))
    return True
