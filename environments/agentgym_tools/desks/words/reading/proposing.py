"""What an agent would do if the customer says yes: proposals, over several sentences where need be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.language import spoken
from agentgym_tools.desks.words.lexicon.phrases import Match, content_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.reading.arguments import Filled, fill
from agentgym_tools.desks.words.reading.facts import facts_in, note_told, told_in
from agentgym_tools.desks.words.reading.message import NAMED, TOLD, Reading, codes_in, has_codes
from agentgym_tools.desks.words.reading.parts import CONSENTS, OFFERS, REPORTS, STATES, Part
from agentgym_tools.worlds.calls import Call

MAX_ACTIONS = 4
_MEANS_BEFORE = re.compile(r" (?:it|its|same|that|this|them|their) ")
_BEGINS = frozenset({"and", "so", "well", "okay", "now", "then", "yes", "sure"})
MAX_BACK = 3
MAX_LINES = 6
_NEAR = 0.3
_SEES = re.compile(
    r"^ (?:[\w#,]+ ){0,3}?(?:i|we) (?:can |could |have |just |now |also )*(?:see|saw|seen|found|find|located|notice|"
    r"noticed|spotted|checked|reviewed|looked) "
)
_UNUSED = 0.6
_SAID = 0.15


def read_offer(reading: Reading, place: int, part: Part) -> None:
    """What the agent would do: a proposal if it asks for a yes, in this sentence or in one of the next."""
    is_asked = part.is_question or has_consent(reading, place)
    facts = facts_in(reading, part.sentence) if part.is_question else []
    if offer(reading, part, is_asked=is_asked, is_whole=bool(facts) and not has_codes(part.sentence)):
        return
    if not part.is_question:
        told = told_in(reading, part)
        if told is not None and not is_asked:
            note_told(reading, part, told)
        return
    for fact in facts:
        reading.note(part, Call(talk.ASK, {"fact": fact}))
    if not facts and not has_codes(part.sentence):
        read_consent(reading, place, part)
    elif not facts:
        reading.puzzle(part)


def is_seen(part: Part) -> bool:
    """Whether a part says what the agent saw, so that it proposes nothing itself, beside what it leads to."""
    return part.use != OFFERS and _SEES.match(part.sentence.flat) is not None


def has_consent(reading: Reading, place: int) -> bool:
    """Whether one of the next sentences asks for the yes to this one, or words before it do: "if you agree, I will"."""
    number = reading.parts[place].number
    between = (STATES, REPORTS, OFFERS) if has_codes(reading.parts[place].sentence) else (STATES, REPORTS)
    if any(part.use == CONSENTS and part.number == number for part in reading.parts[:place]):
        return True
    for part in reading.parts[place + 1 :]:
        if part.use == CONSENTS:
            return True
        if part.use not in between or part.is_question or part.number > number + MAX_BACK:
            return False
    return False


def offer(reading: Reading, part: Part, *, is_asked: bool, is_whole: bool = False) -> bool:
    """Note the proposal that a part makes; returns whether it makes one, or a part of one unless it is to be whole."""
    if not is_asked:
        return False
    whole = reading.sentences[part.number]
    found = _action_in(reading, part, whole)
    is_all = found is not None and not found[1].missing and _uses_all(whole, found[1])
    if _offer_apart(reading, part, whole, is_sharing=not is_all):
        return True
    if found is None:
        return False
    match, filled = found
    if filled.missing:
        if is_whole or match.coverage < NAMED or not filled.num_said:
            return False
        if _MEANS_BEFORE.search(part.sentence.flat) and any(act.tool == talk.PROPOSE for _, act in reading.acts):
            return True
        missing = ", ".join(spoken(name) for name in filled.missing)
        reading.puzzle(part, f"without the {missing}")
        return True
    reading.spent.update(filled.sources)
    reading.retract(filled.sources, filled.arguments)
    reading.note(part, Call(talk.PROPOSE, {"action": match.name, "arguments": dict(filled.arguments)}))
    return True


def _offer_apart(reading: Reading, part: Part, whole: Sentence, *, is_sharing: bool) -> bool:
    """Note the proposals that one sentence joins, each with words of its own; they may share values or not."""
    near = [reading.sentences[number] for number in _around(reading, part.number)]
    calls = _calls_apart(reading, whole, near, is_sharing=is_sharing) if len(codes_in(whole)) > 1 else []
    for call in calls:
        reading.note(part, call)
    return bool(calls)


def _calls_apart(reading: Reading, whole: Sentence, near: Sequence[Sentence], *, is_sharing: bool) -> list[Call]:
    """The calls that the sides of a cut propose, at the first cut where both do; a side may hold several."""
    cuts = [place for place, token in enumerate(whole.tokens) if token.word in ("and", ",")]
    for cut in cuts:
        left, right = whole.part(0, cut), whole.part(cut + 1, len(whole.tokens))
        if not (codes_in(left) and codes_in(right)) and not (is_sharing and _is_valued(left) and _is_valued(right)):
            continue
        beside = ([right], [left]) if is_sharing else ([], [])
        first = _called(reading, left, [*beside[0], *near])
        if first is None:
            continue
        others = _calls_apart(reading, right, [*beside[1], *near], is_sharing=is_sharing)
        second = _called(reading, right, [*beside[1], *near]) if not others else None
        calls = [first, *others, *([second] if second is not None else [])]
        if len({call.arguments["action"] for call in calls}) == len(calls) > 1:
            return calls
    return []


def _is_valued(sentence: Sentence) -> bool:
    """Whether a sentence holds anything but words."""
    return any(token.kind not in ("word", "comma") for token in sentence.tokens)


def _called(reading: Reading, side: Sentence, others: Sequence[Sentence]) -> Call | None:
    """The call that one side of a cut proposes, if a value of its own is in it."""
    for match in reading.language.actions.matches(reading.language.words(side), NAMED)[:MAX_ACTIONS]:
        filled = fill(reading.language, match.name, [side, *others], reading.context)
        if not filled.missing and 0 in filled.sources and (_uses_all(side, filled) or not codes_in(side)):
            return Call(talk.PROPOSE, {"action": match.name, "arguments": dict(filled.arguments)})
    return None


def _uses_all(sentence: Sentence, filled: Filled) -> bool:
    """Whether every code of a sentence is among the arguments of a call, and there is one."""
    codes = codes_in(sentence)
    return bool(codes) and all(_is_used(code, filled) for code in codes)


def _offer_together(reading: Reading, parts: Sequence[Part]) -> bool:
    """Note the proposal that short sentences make together, such as "Booking: B1. Fee: 50 dollars."."""
    numbers = sorted({part.number for part in parts})
    sentences = [reading.sentences[number] for number in numbers]
    joined = Sentence([token for sentence in sentences for token in sentence.tokens], "", False)
    call = _called(reading, joined, [joined]) if len(numbers) > 1 else None
    if call is None:
        return False
    reading.spent.update(numbers)
    reading.retract(numbers, call.arguments["arguments"])
    reading.note(parts[0], call)
    return True


def _action_in(reading: Reading, part: Part, whole: Sentence) -> tuple[Match, Filled] | None:
    """The tool that a part is about, with its arguments: the words weigh, and how many arguments are there."""
    matches = reading.language.actions.matches(reading.language.words(whole), 0.3)[:MAX_ACTIONS]
    is_first = bool(matches) and _begins_with(whole, matches[0])
    matches = matches[:1] if is_first else [each for each in matches if each.score > _NEAR * matches[0].score]
    near = [part.number, *_around(reading, part.number)]
    if _MEANS_BEFORE.search(whole.flat):
        near += [number for number in range(part.number - 1, max(-1, part.number - MAX_BACK), -1) if number not in near]
    codes = codes_in(whole)
    values = reading.language.vocabulary.spot(whole)
    sums = [str(value.number) for value in values if value.kind == "money" and value.number]
    rated = []
    for match in matches:
        filled = fill(reading.language, match.name, [reading.sentences[each] for each in near], reading.context)
        share = len(filled.arguments) / (len(filled.arguments) + len(filled.missing))
        match = _called_in(reading, match, whole, filled)
        unused = sum(not _is_used(code, filled) for code in [*codes, *sums])
        fit = (0.4 + share) * (1.0 + _SAID * filled.num_said) * _UNUSED**unused
        rated.append((match.score * fit - len(filled.missing) * 0.2, match, filled))
    if not rated:
        return None
    _, match, filled = max(rated, key=lambda each: each[0])
    return match, replace(filled, sources=[near[each] for each in filled.sources])


def _begins_with(sentence: Sentence, match: Match) -> bool:
    """Whether a sentence is about what a tool does, as "cancelling it" in its first words; a booking is a thing."""
    words = [token for token in sentence.tokens if token.kind == "word" and token.word not in _BEGINS][:1]
    return any(each.word.endswith("ing") and each.word != "booking" and each.plain in match.words for each in words)


def propose(reading: Reading, part: Part, tool: str) -> bool:
    """Note the proposal to use a tool; returns whether all its arguments are there."""
    near = [part.number, *_around(reading, part.number)]
    filled = fill(reading.language, tool, [reading.sentences[each] for each in near], reading.context)
    is_whole = not codes_in(part.sentence) or _uses_all(part.sentence, filled)
    if filled.missing or not filled.num_said or not is_whole:
        return False
    sources = [near[each] for each in filled.sources]
    reading.spent.update(sources)
    reading.retract(sources, filled.arguments)
    reading.note(part, Call(talk.PROPOSE, {"action": tool, "arguments": dict(filled.arguments)}))
    return True


def _offered_since(reading: Reading, place: int, number: int) -> bool:
    """Whether a statement after the last proposal names something by its code, so that a yes is asked for that."""
    between = [part for part in reading.parts[:place] if number < part.number < reading.parts[place].number]
    return any(
        has_codes(part.sentence) and part.number not in reading.used() and not part.is_question for part in between
    )


def _called_in(reading: Reading, match: Match, whole: Sentence, filled: Filled) -> Match:
    """The match of a tool where what is called by words counts as named too: "the red kite" is an item."""
    more = {word for name in filled.called for word in content_of(spoken(name))}
    words = {*reading.language.words(whole), *more}
    again = [other for other in reading.language.actions.matches(words, 0.0) if other.name == match.name]
    return again[0] if more and again else match


def _is_used(code: str, filled: Filled) -> bool:
    """Whether a code of a sentence is among the arguments of a call."""
    return any(code in str(value).casefold() for value in filled.arguments.values())


def _around(reading: Reading, number: int) -> Iterator[int]:
    """The sentences before one that nothing was made of, and the one after, for what a proposal leaves out."""
    used = reading.spent | {number for number, act in reading.acts if act.tool in (talk.PROPOSE, talk.INSTRUCT)}
    offering = {part.number for part in reading.parts if part.use == OFFERS}
    is_last = number + 1 >= len(reading.sentences) or reading.sentences[number + 1].is_question
    if not is_last and not (number + 1 in offering and has_codes(reading.sentences[number + 1])):
        yield number + 1
    for other in range(number - 1, max(-1, number - 4), -1):
        if other not in used:
            yield other


def read_consent(reading: Reading, place: int, part: Part) -> None:
    """A question for a yes: it may hold the proposal, or stand after it."""
    proposed = [number for number, act in reading.acts if act.tool == talk.PROPOSE]
    is_near = bool(proposed) and part.number - proposed[-1] <= MAX_BACK and not has_codes(part.sentence)
    if is_near and not _offered_since(reading, place, proposed[-1]):
        return
    earlier = [before for before in reversed(reading.parts[:place]) if before.number not in reading.used()]
    earlier = [before for before in earlier if part.number - before.number <= MAX_BACK and not before.is_question]
    if not has_codes(part.sentence) and _offered_all(reading, earlier):
        return
    if offer(reading, part, is_asked=True, is_whole=bool(reading.acts)):
        return
    if not proposed and not has_codes(part.sentence) and earlier and _offer_together(reading, _lines(reading, place)):
        return
    if proposed or any(offer(reading, each, is_asked=True) for each in earlier):
        return
    facts = facts_in(reading, part.sentence)
    for fact in facts:
        reading.note(part, Call(talk.ASK, {"fact": fact}))
    if not facts and not reading.unclear and part.is_question:
        reading.puzzle(part, "what you would do")


def _lines(reading: Reading, place: int) -> list[Part]:
    """The statements before a question for a yes of which no act but facts was made."""
    made = {number for number, act in reading.acts if act.tool not in (talk.TELL, talk.ASK)} | reading.spent
    before = [part for part in reading.parts[:place] if part.number >= reading.parts[place].number - MAX_LINES]
    return [part for part in before if part.number not in made and not part.is_question]


def _offered_all(reading: Reading, earlier: Sequence[Part]) -> bool:
    """Note what statements before a question for a yes propose, the last first; returns whether any does."""
    is_any = False
    for each in earlier:
        if is_any and (is_seen(each) or each.number in reading.used() or not has_codes(each.sentence)):
            continue
        is_any = offer(reading, each, is_asked=True, is_whole=True) or is_any
    return is_any


def made_in(reading: Reading, sentence: Sentence) -> Match | None:
    """The action that a report is about; one that was made needs fewer words."""
    matches = reading.language.actions.matches(reading.language.words(sentence), 0.3)
    made = [match for match in matches if match.name in (reading.context.made or ())]
    return next((match for match in [*made, *matches] if match.coverage >= TOLD or match in made), None)
