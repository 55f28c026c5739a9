"""Understands what an agent says to a customer: words as acts, and the parts that stay unclear."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.sentences import sentences_of
from agentgym_tools.desks.words.reading.asking import is_fragment, read_ask, read_instruction
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.deciding import read_refusal, read_report, read_transfer, reported_in_short
from agentgym_tools.desks.words.reading.facts import note_told, told_apart, told_in
from agentgym_tools.desks.words.reading.instructions import instructions_in
from agentgym_tools.desks.words.reading.message import Reading, Understood
from agentgym_tools.desks.words.reading.parts import (
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
from agentgym_tools.desks.words.reading.proposing import has_consent, is_seen, offer, read_consent, read_offer
from agentgym_tools.desks.words.reading.topic import settle_questions
from agentgym_tools.desks.words.reading.weighing import weigh
from agentgym_tools.desks.words.weighing.weights import weights_of
from agentgym_tools.worlds.calls import Call

MAX_ACTS = 8
"""Acts of one message that are heard."""
MAX_UNCLEAR = 4
_SENDS_ELSEWHERE = re.compile(
    r" (?:please|kindly|may) (?:then |first |just )*(?:ask|contact|call|see|visit|speak|turn) "
)
"""What an agent advises a customer to do somewhere else; it asks for nothing itself."""


def understand_agent(language: Language, text: str, context: Context | None = None) -> Understood:
    """What an agent's words say.

    Args:
        language: The language of the desk and its world.
        text: The message.
        context: What was established before; None: nothing.
    """
    reading = read_agent(language, text, context or Context())
    weights = weights_of(language.domain.name)
    if weights is not None:
        weigh(reading, weights)
    settle_questions(reading)
    made = reading.context.made
    unmade = [act for _, act in reading.acts if act.tool == talk.REPORT and act.arguments["action"] not in (made or ())]
    acts = _settled([act for _, act in reading.acts if made is None or act not in unmade])
    if made is not None:
        acts = _with_one_reason(acts)
    unclear = dict.fromkeys(quote for _, quote in reading.unclear)
    return Understood(tuple(acts[:MAX_ACTS]), tuple(unclear)[:MAX_UNCLEAR])


def read_agent(language: Language, text: str, context: Context) -> Reading:
    """The message as the rules alone read it."""
    sentences = sentences_of(text)
    parts = [part for number, sentence in enumerate(sentences) for part in parts_of(number, sentence)]
    reading = Reading(language, context, sentences, parts)
    for place, part in enumerate(parts):
        if part.number in reading.spent and part.use in (STATES, REPORTS, OFFERS):
            continue
        _READERS[part.use](reading, place, part)
    return reading


def _settled(acts: Sequence[Call]) -> list[Call]:
    """The acts without repetitions; a handing over takes the place of a refusal, and closing comes last."""
    found = list(dict.fromkeys(acts))
    if any(act.tool == talk.TRANSFER for act in found):
        found = [act for act in found if act.tool != talk.REFUSE]
    last = [act for act in found if act.tool in (talk.TRANSFER, talk.CLOSE)]
    return [*(act for act in found if act not in last), *last[:1]]


def _with_one_reason(acts: Sequence[Call]) -> list[Call]:
    """The acts with the first refusal alone: one request is open, whatever else is said of it."""
    refusals = [act for act in acts if act.tool == talk.REFUSE]
    return [act for act in acts if act not in refusals[1:]]


def _read_close(reading: Reading, place: int, part: Part) -> None:
    reading.note(part, Call(talk.CLOSE))


def _read_statement(reading: Reading, place: int, part: Part) -> None:
    if part.is_question:
        read_ask(reading, place, part)
        return
    is_offered = has_consent(reading, place) and not is_seen(part)
    if part.number in reading.spent or (is_offered and offer(reading, part, is_asked=True)):
        return
    if reported_in_short(reading, part):
        return
    apart = told_apart(reading, part)
    for piece, found in apart:
        note_told(reading, piece, found)
    told = told_in(reading, part)
    if told is not None and not apart:
        note_told(reading, part, told)
    if told is not None or apart:
        return
    instructed = (
        instructions_in(reading.language, part.sentence, reading.before(part))
        if reading.language.domain.user_tools
        else []
    )
    for act in instructed:
        reading.note(part, act)
    if not instructed and _SENDS_ELSEWHERE.search(part.sentence.flat):
        return
    if not instructed and (" please " in part.sentence.flat or is_fragment(reading, part.sentence)):
        read_ask(reading, place, part)
    elif not instructed:
        read_refusal(reading, place, part, is_soft=True)


def _pass_over(reading: Reading, place: int, part: Part) -> None:
    """What the agent does not know says nothing."""


_READERS = {
    DOUBTS: _pass_over,
    ASKS: read_ask,
    OFFERS: read_offer,
    CONSENTS: read_consent,
    REPORTS: read_report,
    REFUSES: read_refusal,
    TRANSFERS: read_transfer,
    CLOSES: _read_close,
    INSTRUCTS: read_instruction,
    STATES: _read_statement,
}
