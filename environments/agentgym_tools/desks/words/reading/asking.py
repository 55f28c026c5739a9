"""What an agent asks the customer: for facts, and to use tools of its own."""

from __future__ import annotations

import re

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.phrases import content_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence, pieces_of
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.reading.facts import facts_in
from agentgym_tools.desks.words.reading.instructions import instructions_in
from agentgym_tools.desks.words.reading.message import LIKELY, Reading, has_codes, words_of
from agentgym_tools.desks.words.reading.parts import Part
from agentgym_tools.desks.words.reading.proposing import offer
from agentgym_tools.worlds.calls import Call

NAMED_ALONE = 0.8
"""Coverage from which on a fact counts as named where nothing else is said."""
_POLITE_WORDS = """
again too also first next then plus now please thanks kindly hi hey hello dear full exact complete own
"""
_POLITE = frozenset(map(plain, _POLITE_WORDS.split()))
"""Words that may stand beside what is asked for without a verb."""
_VERB = re.compile(r" (?:goes?|comes?|gets?|is|are|was|were|will|would|has|have|had|costs?|too (?!$)|not|no|\w+ed) ")
_POINTS = re.compile(
    r" (?:and |so |, )*(?:what|which(?: one)?) (?:is|are|was|would|will|should|could) (?:it|that|this|they|those)"
    r"(?: be)?(?: please)? $"
)
_REPLY = re.compile(r" (?:tell me|give me|let me know|what|which|how|may i|could i|can i) ")


def is_fragment(reading: Reading, sentence: Sentence) -> bool:
    """Whether a sentence begins with nothing but what it asks for, as in "also the contract number, if you can"."""
    first = next(iter(pieces_of(sentence)), sentence)
    if _is_label(reading, sentence, first):
        return False
    named = [match.words for match in reading.language.facts.all_in(words_of(first), NAMED_ALONE)]
    return bool(named) and not _VERB.search(first.flat) and content_of(first.text) <= _POLITE.union(*named)


def _is_label(reading: Reading, sentence: Sentence, first: Sentence) -> bool:
    """Whether a sentence begins with words before a colon and tells a value behind it: "City: Millbrook"."""
    place = len(first.tokens)
    is_marked = place < len(sentence.tokens) and sentence.tokens[place].text == ":"
    rest = sentence.part(place, len(sentence.tokens)) if is_marked else None
    return rest is not None and bool(reading.language.vocabulary.spot(rest))


def read_ask(reading: Reading, place: int, part: Part) -> None:
    """Questions for facts, else for what a tool of the customer shows, else for a yes."""
    instructed = (
        instructions_in(reading.language, part.sentence, reading.before(part))
        if reading.language.domain.user_tools
        else []
    )
    if part.is_question and has_codes(part.sentence) and offer(reading, part, is_asked=True, is_whole=True):
        return
    facts = facts_in(reading, part.sentence) or _pointed_at(reading, part)
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
    if not facts and not offer(reading, part, is_asked=part.is_question) and part.is_question:
        reading.puzzle(part)


def _pointed_at(reading: Reading, part: Part) -> list[str]:
    """The facts that the sentence before names, where a question only points at them: "What is it?"."""
    before = reading.before(part)
    if before is None or not part.is_question or not _POINTS.match(part.sentence.flat):
        return []
    return facts_in(reading, before)


def _is_asked_before(reading: Reading, part: Part, fact: str) -> bool:
    """Whether the sentence before asked for the same by its longer name, as "the name" after "which patient"."""
    before = [act for number, act in reading.acts if number == part.number - 1 and act.tool == talk.ASK]
    return any(act.arguments["fact"].endswith(f"_{fact}") for act in before)


def _looked_at(reading: Reading, part: Part) -> Call | None:
    """A question for what one of the customer's own tools shows, such as "what does the status bar say"."""
    language = reading.language
    match = language.user_actions.best(words_of(part.sentence), LIKELY) if part.is_question else None
    if match is None or language.domain.user_tools[match.name].is_writing or language.parameters[match.name]:
        return None
    return Call(talk.INSTRUCT, {"action": match.name, "arguments": {}})


def read_instruction(reading: Reading, place: int, part: Part) -> None:
    """What the customer is to do with its own tools."""
    found = (
        instructions_in(reading.language, part.sentence, reading.before(part))
        if reading.language.domain.user_tools
        else []
    )
    for act in found:
        reading.note(part, act)
    if not found:
        read_ask(reading, place, part)
