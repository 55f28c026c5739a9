"""What weights hear in a sentence that the rules leave without an act, or hear beside what the rules hear in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.phrases import Match
from agentgym_tools.desks.words.lexicon.sentences import Sentence, sentences_of
from agentgym_tools.desks.words.reading.facts import choices_in, note_told
from agentgym_tools.desks.words.reading.instructions import instruction_to
from agentgym_tools.desks.words.reading.message import Reading
from agentgym_tools.desks.words.reading.parts import CONSENTS, STATES, Part
from agentgym_tools.desks.words.reading.proposing import MAX_BACK, propose
from agentgym_tools.desks.words.weighing.weights import FAMILIES, Weights
from agentgym_tools.worlds.calls import Call

ALONE, BESIDE, INSTEAD = 0.25, 0.75, 0.4
"""How likely an act has to be where the rules hear none, where they hear another, and in place of a doubted one."""
REASONED, REASONED_IN_REQUEST = 0.5, 0.25
"""How likely a reason has to be, as a customer gives up what is refused: in general, and where its request is known."""
DOUBTED, OUTDONE = 0.1, 0.5
"""Acts that are less likely than this are doubted, and reasons that are this much less likely than another one."""
UNLIKELY = 0.03
"""Reasons that are less likely than this are not heard, nor are such questions beside other acts. Where a sentence says
several things, each needs its part of it alone."""
PUZZLING = 0.5
"""How likely an act has to be for a customer to say that it did not get what it is about."""
_MISSING: Mapping[str, str] = {
    talk.ASK: "what you ask for",
    talk.REPORT: "what you have done",
    talk.REFUSE: "for which reason",
    talk.TRANSFER: "for which reason",
}
_AFFIRMED = frozenset({talk.TELL, talk.REPORT, talk.PROPOSE, talk.INSTRUCT})
"""What no sentence with a "not" says, as far as weights can tell."""
_STATED = frozenset({talk.TELL, talk.REPORT, talk.REFUSE, talk.TRANSFER})
"""What no question says."""
_REASONED = frozenset({talk.REFUSE, talk.TRANSFER})
_DENIED = re.compile(r" (?:not(?! disturb)|never|neither|nor|without|no longer) ")


def weigh(reading: Reading, weights: Weights) -> None:
    """Add the acts that weights hear beside those of the rules, or say what stays unclear where nothing is heard."""
    reasoned = REASONED if reading.context.reasons is None else REASONED_IN_REQUEST
    for number, sentence in enumerate(reading.sentences):
        if number in reading.spent:
            continue
        heard = {_key(act) for at, act in reading.acts if at == number}
        part = Part(STATES, sentence, number, sentence.is_question)
        uses = weights.uses(reading.sentences, number)
        shares = {key: _share(reading, weights, uses, part, key) for key in heard}
        _drop_unlikely(reading, number, {key for key, share in shares.items() if share * len(shares) < UNLIKELY})
        if any(_is_plain(reading, sentence, key) for key in heard):
            continue
        doubted = {key for key, share in shares.items() if share < DOUBTED}
        doubted |= _outdone(reading, weights, sentence, heard)
        least = INSTEAD if doubted else BESIDE if heard else ALONE
        added = False
        for use in [use for use, share in uses.items() if share >= least and _can_say(reading, sentence, use)]:
            enough = max(least, reasoned) if use in _REASONED else least
            for name in _subjects(reading, weights, use, part, enough):
                if (
                    (use, name) in heard
                    or _is_further_change(reading, use, name, heard)
                    or _is_namesake(use, name, heard)
                ):
                    continue
                added = _add(reading, part, use, name) or added
        if added:
            reading.unclear = [(at, quote) for at, quote in reading.unclear if at != number]
            reading.acts = [(at, act) for at, act in reading.acts if at != number or _key(act) not in doubted]
    if not reading.acts and not reading.unclear:
        _puzzle(reading, weights)


def _puzzle(reading: Reading, weights: Weights) -> None:
    """Name the sentence that says an act most likely, if one does; what it is about was not heard."""
    shares = [
        (share, number, use)
        for number in range(len(reading.sentences))
        for use, share in weights.uses(reading.sentences, number).items()
        if use in _MISSING and share >= PUZZLING
    ]
    if shares:
        _, number, use = max(shares)
        sentence = reading.sentences[number]
        reading.puzzle(Part(STATES, sentence, number, sentence.is_question), _MISSING[use])


def _outdone(
    reading: Reading, weights: Weights, sentence: Sentence, heard: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Reasons that rules hear where another one is much likelier."""
    reasons = {key for key in heard if key[0] in _REASONED}
    if not reasons:
        return set()
    shares = _weighed(reading, weights, talk.REFUSE, sentence)
    best = max(shares.values())
    return {key for key in reasons if best >= INSTEAD and shares[key[1]] < OUTDONE * best}


def _is_further_change(reading: Reading, use: str, name: str, heard: Collection[tuple[str, str]]) -> bool:
    """Whether it is a change that the customer would make beside what rules hear; a likely one is too costly there."""
    is_heard = any(other == talk.INSTRUCT for other, _ in heard)
    return use == talk.INSTRUCT and is_heard and reading.language.domain.user_tools[name].is_writing


def _is_namesake(use: str, name: str, heard: Collection[tuple[str, str]]) -> bool:
    """Whether rules hear a question for a fact of a like name: of zip_code and new_zip they have chosen one."""
    words = set(name.removeprefix("new_").split("_"))
    return use == talk.ASK and any(other == use and words & set(fact.split("_")) for other, fact in heard)


def _drop_unlikely(reading: Reading, number: int, unlikely: Collection[tuple[str, str]]) -> None:
    """Take away refusals that weights hear nothing of, and such questions if the message says something else."""

    def without(tool: str) -> list[tuple[int, Call]]:
        return [
            (at, act)
            for at, act in reading.acts
            if at != number
            or act.tool != tool
            or _key(act) not in unlikely
            or _is_plain(reading, reading.sentences[at], _key(act))
        ]

    reading.acts = without(talk.REFUSE)
    reading.acts = without(talk.ASK) or reading.acts


def _can_say(reading: Reading, sentence: Sentence, use: str) -> bool:
    """Whether a sentence of this form can say such an act."""
    if use in _REASONED and choices_in(reading, sentence):
        return False
    if sentence.is_question and use in _STATED:
        return False
    return use not in _AFFIRMED or _DENIED.search(sentence.flat) is None


def _share(reading: Reading, weights: Weights, uses: Mapping[str, float], part: Part, key: tuple[str, str]) -> float:
    """How likely weights find an act that the rules hear."""
    use, name = key
    if use == talk.CLOSE:
        return uses[use]
    return min(uses[use], _weighed(reading, weights, use, part.sentence).get(name, 1.0))


def _weighed(reading: Reading, weights: Weights, use: str, sentence: Sentence) -> dict[str, float]:
    """How likely a sentence speaks of each thing that such an act can be about, in the light of the open request."""
    context = reading.context
    expected: Collection[str] | None = None
    if use in _REASONED:
        expected = context.reasons
    elif use == talk.ASK and context.topic is not None:
        expected = context.topic | context.profile
    return weights.subjects_of(reading.language, FAMILIES[use], sentence, expected)


def _is_plain(reading: Reading, sentence: Sentence, key: tuple[str, str]) -> bool:
    """Whether a fact is asked for, or a reason named, in the desk's own words for it."""
    use, name = key
    domain = reading.language.domain
    phrase = domain.facts[name] if use == talk.ASK else domain.reasons[name] if use in _REASONED else ""
    return bool(phrase) and sentences_of(phrase)[0].flat in sentence.flat


def _key(act: Call) -> tuple[str, str]:
    given = act.arguments
    return act.tool, given.get("fact") or given.get("action") or given.get("reason") or ""


def _subjects(reading: Reading, weights: Weights, use: str, part: Part, least: float) -> list[str]:
    """The subjects of a sentence that are likely enough, the likeliest first."""
    if use == talk.CLOSE:
        return [""]
    shares = _weighed(reading, weights, use, part.sentence)
    return sorted((name for name, share in shares.items() if share >= least), key=lambda name: -shares[name])


def _add(reading: Reading, part: Part, use: str, name: str) -> bool:
    """Note an act of a kind with a subject; returns whether the sentence holds what it needs."""
    if use == talk.TELL:
        return _add_told(reading, part, name)
    if use == talk.PROPOSE:
        return _is_asked(reading, part) and propose(reading, part, name)
    if use == talk.INSTRUCT:
        act = instruction_to(reading.language, name, part.sentence)
    else:
        given = {talk.ASK: {"fact": name}, talk.REPORT: {"action": name}, talk.CLOSE: {}}
        act = Call(use, given.get(use, {"reason": name}))
    if act is not None:
        reading.note(part, act)
    return act is not None


def _is_asked(reading: Reading, part: Part) -> bool:
    """Whether a sentence asks, or one near it asks for a yes."""
    near = range(part.number - 1, part.number + MAX_BACK + 1)
    return part.is_question or any(other.use == CONSENTS and other.number in near for other in reading.parts)


def _add_told(reading: Reading, part: Part, fact: str) -> bool:
    """Note a told fact, if exactly one value of the sentence fits it."""
    asked, shape = reading.context.questions, reading.language.fact_shapes[fact]
    if asked is not None and fact not in asked:
        return False
    fitting = [value for value in reading.language.vocabulary.spot(part.sentence) if shape.takes(value)]
    fitting = [value for value in fitting if value.kind != "number"] or fitting
    if len({value.text for value in fitting}) != 1:
        return False
    note_told(reading, part, (Match(fact, 1.0, 1.0, frozenset()), fitting))
    return True
