"""What is asked for in the light of the open request: after "send it elsewhere", "the zip" is that of the new address.

Only what the request is about counts here, by the names of its facts; never what the customer knows of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.sentences import Sentence, pieces_of
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.facts import choices_in
from agentgym_tools.desks.words.reading.message import Reading, words_of
from agentgym_tools.worlds.calls import Call

_ADDRESS = frozenset({"new_street", "new_city", "new_town", "new_zip"})
_NEW_ADDRESS = frozenset(map(plain, ("new", "address")))
ASKED = 0.8
"""Coverage from which on a piece of a sentence names a fact."""
_NUMBERED = frozenset({"number", "numbers", "id", "reference"})


def settle_questions(reading: Reading) -> None:
    """Put what the open request is about in place of what only sounds like it."""
    context = reading.context
    if context.topic is None:
        return
    settled: list[tuple[int, Call]] = []
    for number, act in reading.acts:
        if act.tool == talk.ASK:
            fact = _meant(context, act.arguments["fact"], reading.sentences[number])
            act = Call(talk.ASK, {"fact": fact})
        settled.append((number, act))
    settled = _chosen(reading, settled, context.topic)
    settled += _addresses(reading, context.topic)
    asked = [(number, act.arguments["fact"]) for number, act in settled if act.tool == talk.ASK]
    beside = {(number, fact) for number, fact in asked if _is_beside(reading, number, fact, asked)}
    reading.acts = [
        (number, act)
        for number, act in settled
        if act.tool != talk.ASK or (number, act.arguments["fact"]) not in beside
    ]


def _chosen(reading: Reading, acts: list[tuple[int, Call]], topic: Collection[str]) -> list[tuple[int, Call]]:
    """The acts, where a question that offers values of a fact of the request asks for it, and proposes nothing."""
    for number, sentence in enumerate(reading.sentences):
        facts = [fact for fact in choices_in(reading, sentence) if fact in topic] if sentence.is_question else []
        if len(facts) != 1 or (number, Call(talk.ASK, {"fact": facts[0]})) in acts:
            continue
        if any(at == number and act.tool == talk.PROPOSE for at, act in acts):
            continue
        acts = [*acts, (number, Call(talk.ASK, {"fact": facts[0]}))]
        reading.unclear = [(at, quote) for at, quote in reading.unclear if at != number]
    return acts


def _addresses(reading: Reading, topic: Collection[str]) -> list[tuple[int, Call]]:
    """Questions for all parts of a new address, where it is asked for as a whole: "What is the new address?"."""
    parts = [fact for fact in reading.language.facts.names if fact in topic and fact in _ADDRESS]
    asks = {
        number: {act.arguments["fact"] for at, act in reading.acts if at == number and act.tool == talk.ASK}
        for number, sentence in enumerate(reading.sentences)
        if (sentence.is_question or " please " in sentence.flat) and {*words_of(sentence)} >= _NEW_ADDRESS
    }
    whole = [number for number, facts in asks.items() if facts.isdisjoint({*parts, "email"})]
    said = {act.tool for at, act in reading.acts if at in whole}
    return [(number, Call(talk.ASK, {"fact": fact})) for number in whole for fact in parts if talk.PROPOSE not in said]


def _meant(context: Context, fact: str, sentence: Sentence) -> str:
    """The fact of the open request that is meant by one of a similar name."""
    topic, words = context.topic or frozenset(), {token.word for token in sentence.tokens}
    named = fact.removesuffix("_id")
    if named != fact and named in topic and words.isdisjoint(_NUMBERED):
        return named
    if fact in topic or fact not in context.profile or not context.customer:
        return fact
    others = [each for each in topic if each not in context.known and _is_of_another(each, fact, words)]
    return others[0] if len(others) == 1 else fact


def _is_of_another(other: str, fact: str, words: Collection[str]) -> bool:
    """Whether one fact is to another of a customer, who is known, as the new zip code or the name of the patient."""
    if other.startswith("new_"):
        return other.split("_")[1] == fact.split("_")[0]
    return other.endswith(f"_{fact}") and "your" not in words


def _is_beside(reading: Reading, number: int, fact: str, asked: Sequence[tuple[int, str]]) -> bool:
    """Whether a fact that the request is not about is named only beside one that it is about, or as a choice."""
    topic, profile = reading.context.topic or frozenset(), reading.context.profile
    about = {other for at, other in asked if at == number and other in topic}
    if fact in topic or fact in profile or not about:
        return False
    for piece in pieces_of(reading.sentences[number]):
        named = {match.name for match in reading.language.facts.all_in(words_of(piece), ASKED)}
        if fact in named and named.isdisjoint(about) and " or " not in piece.flat:
            return False
    return True
