"""What an agent did or decided: reports, refusals, and handing over to a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.phrases import Match
from agentgym_tools.desks.words.lexicon.sentences import Sentence, pieces_of
from agentgym_tools.desks.words.lexicon.values import Spotted
from agentgym_tools.desks.words.reading.asking import read_ask
from agentgym_tools.desks.words.reading.facts import choices_in, note_told, told_act, told_in
from agentgym_tools.desks.words.reading.instructions import instructions_in
from agentgym_tools.desks.words.reading.message import LIKELY, TOLD, Reading, words_of
from agentgym_tools.desks.words.reading.parts import REFUSES, REPORTS, TRANSFERS, Part, use_of
from agentgym_tools.desks.words.reading.proposing import has_consent, made_in, offer
from agentgym_tools.desks.words.reading.reasons import REASON, grounds, reason_for
from agentgym_tools.worlds.calls import Call

MAX_LEAD = 6
_SOFT = re.compile(r" (?:sorry|unfortunately|afraid|sadly|regret\w*|apologi\w+|no) ")
_IN_SHORT = re.compile(
    r" (?:, |the |your |okay |ok |done |and |also |then )*(?:(?!is |are |was |has |have |not |be |been |i |we |you |"
    r"state |status )[\w#]+ ){1,5}(?:, )?(?:all |now |just )*(?:\w{2,}ed|\w*paid|sent|done|withdrawn|set|put|made|"
    r"taken|given|through|in the post|on (?:its|the) way)(?: (?:in|up|out|back|now|again|too|as well|already|"
    r"for you|in full|"
    r"on|off|over|right away|as you \w+|(?:as|to|for|from|with|under) (?:[\w#]+ ){0,3}[\w#]+))* $"
)
_GOES_ON = re.compile(
    r" (?:, |and |also |then |now )*(?:(?:the|your|it|this|that|them) (?:\w+ ){0,3})?(?:been )?"
    r"(?:\w{2,}ed|sent|\w*paid|put|made|gave|took|set|withdrawn) "
)
_DONE = re.compile(
    r" (?:\w+ ){0,4}(?:i|we) have (?:just |now |also )*"
    r"(?!looked |checked |searched |opened |reviewed |verified |seen |been )\w+(?:ed|n) "
)
_WHY = re.compile(r" (?:too|already|no|never|nothing|neither|only) ")
"""Words of a reason that stands alone."""
_REFERRING = re.compile(r" (?:and |so |since |as |because )*(?:it|they|that|this|so|therefore|hence|thus|there|no) ")
"""Clauses that only say more of what stands before them."""
_HAS_BEEN = re.compile(
    r" (?:(?:has|have) (?:just |now |already |successfully )*been \w+ed|(?:is|are) now|all set|taken care of) "
)
_CLEAR = 0.85
_HENCE = re.compile(r" (?:so|therefore|hence|thus) (?:i|we|the|no|there|this|that|it) ")
_NEEDLESS = re.compile(r" no \w+ (?:is|are) (?:needed|necessary|required) ")
_MEANT = re.compile(r" (?:it|them|that|this|one) ")
_PRONOUN = re.compile(r" (?:they|it|that|this|these|those|both) ")


def read_report(reading: Reading, place: int, part: Part) -> None:
    """What was done, or a fact that is told in the same form."""
    sentence = part.sentence
    if part.is_question or _is_reason_beside_refusal(reading, part) or _is_again(reading, part):
        return
    if has_consent(reading, place) and offer(reading, part, is_asked=True):
        return
    if " please " in sentence.flat and reading.language.domain.user_tools:
        for act in instructions_in(reading.language, sentence, reading.before(part)):
            reading.note(part, act)
        return
    if _read_pieces(reading, part):
        return
    told, action = told_in(reading, part), made_in(reading, sentence)
    if told is not None and action is not None and all(value.is_nothing for value in told[1]):
        told = None
    is_soft = _SOFT.search(sentence.flat) or " too " in sentence.flat or " already " in sentence.flat
    reason = reading.language.reasons.best(words_of(sentence), LIKELY) if is_soft else None
    if _NEEDLESS.search(sentence.flat):
        return
    if reason is not None and all(other is None or reason.score > other.score for other in (action, told and told[0])):
        _note_refused(reading, part, reason.name)
        return
    if told is not None and (
        action is None
        or action.coverage < TOLD
        or (_names_fact(told[0], action) and not _DONE.match(sentence.flat))
        or _is_state(sentence, told[1], action)
    ):
        note_told(reading, part, told)
    elif action is not None:
        reading.note(part, Call(talk.REPORT, {"action": action.name}))
    elif re.search(r" (?:all |it is |that is )?done (?:,|$)", sentence.flat) and reading.context.made:
        reading.note(part, Call(talk.REPORT, {"action": reading.context.made[-1]}))
    else:
        read_refusal(reading, place, part, is_soft=True)
        _report_last(reading, part)


def _report_last(reading: Reading, part: Part) -> None:
    """Note that the last change was made, where a sentence says that something was, in words of its own."""
    made = reading.context.made
    if made and _HAS_BEEN.search(part.sentence.flat) and part.number not in reading.used():
        reading.note(part, Call(talk.REPORT, {"action": made[-1]}))


def _read_pieces(reading: Reading, part: Part) -> bool:
    """Note what pieces say one by one, where several report or tell: "it is stopped, and 48 dollars are left"."""
    acts: list[Call] = []
    is_reporting = False
    before: Sentence | None = None
    for piece in pieces_of(part.sentence):
        told = told_in(reading, part._replace(sentence=piece))
        is_reporting = use_of(piece.flat) == REPORTS or (is_reporting and _GOES_ON.match(piece.flat) is not None)
        action = made_in(reading, piece) if is_reporting else None
        if action is None and is_reporting and before is not None and _MEANT.search(piece.flat):
            action = _made_to(reading, piece, before)
        before = piece
        if action is not None and (told is None or not _names_fact(told[0], action)):
            acts.append(Call(talk.REPORT, {"action": action.name}))
        elif told is not None:
            acts.append(told_act(reading, told))
    if len(set(map(str, acts))) < 2 or all(act.tool == talk.TELL for act in acts):
        return False
    for act in dict.fromkeys(acts):
        reading.note(part, act)
    return True


def _made_to(reading: Reading, piece: Sentence, before: Sentence) -> Match | None:
    """What was done to "it", which is named before: "we reopened the claim, and I have paid it out"."""
    own = words_of(piece)
    matches = reading.language.actions.matches([*own, *words_of(before)], LIKELY)
    return next((match for match in matches if not match.words.isdisjoint(own)), None)


def reported_in_short(reading: Reading, part: Part) -> bool:
    """Note reports of few words, such as "order cancelled", with what stands beside; returns whether there is one."""
    whole = _shortly(reading, part.sentence)
    if whole is not None:
        reading.note(part, whole)
        return True
    acts = []
    for piece in pieces_of(part.sentence):
        told = told_in(reading, part._replace(sentence=piece))
        act = _shortly(reading, piece) or (told_act(reading, told) if told is not None else None)
        acts += [act] if act is not None else []
    is_any = any(act.tool == talk.REPORT for act in acts)
    for act in acts if is_any else ():
        reading.note(part, act)
    return is_any


def _shortly(reading: Reading, sentence: Sentence) -> Call | None:
    """What words without a verb report."""
    action = made_in(reading, sentence) if _IN_SHORT.match(sentence.flat) else None
    if action is None or action.coverage < LIKELY:
        return None
    return Call(talk.REPORT, {"action": action.name})


def _is_again(reading: Reading, part: Part) -> bool:
    """Whether a sentence only says more of what the one before it reported, as in "they are cancelled now"."""
    before = {act.tool for number, act in reading.acts if number == part.number - 1}
    return talk.REPORT in before and _PRONOUN.match(part.sentence.flat) is not None


def _names_fact(told: Match, action: Match) -> bool:
    """Whether a sentence that could report an action names a fact, as the state in "the state is cancelled"."""
    return told.coverage > LIKELY and bool(told.words - action.words)


def _is_state(sentence: Sentence, values: Sequence[Spotted], action: Match) -> bool:
    """Whether what is told is a state that the action does not bring, as in "the dispute is closed"."""
    words = {token.plain for value in values for token in sentence.tokens[value.at : value.end]}
    return all(value.kind == "word" for value in values) and words.isdisjoint(action.words)


def _is_reason_beside_refusal(reading: Reading, part: Part) -> bool:
    """Whether a part is the reason of what is refused or handed over in its sentence, or in the next one."""
    reason = reading.language.reasons.best(words_of(part.sentence), REASON)
    action = made_in(reading, part.sentence)
    if reason is None:
        return False
    refusing = [other.number - part.number for other in reading.parts if other.use in (REFUSES, TRANSFERS)]
    is_likelier = reason.coverage > LIKELY and (action is None or reason.score > action.score)
    if 0 in refusing or not (1 in refusing and is_likelier):
        return 0 in refusing
    own = reading.language.reasons.best(grounds(reading.sentences[part.number + 1]), LIKELY)
    return own is None


def read_refusal(reading: Reading, place: int, part: Part, *, is_soft: bool = False) -> None:
    """A refusal with its reason, from this sentence or from one beside it."""
    if part.is_question:
        read_ask(reading, place, part)
        return
    if is_soft and (_NEEDLESS.search(part.sentence.flat) or choices_in(reading, part.sentence)):
        return
    reason = reason_for(reading, part, LIKELY if is_soft else REASON, is_soft=is_soft)
    flat = reading.sentences[part.number].flat
    if part.number and len(reading.sentences[part.number - 1].tokens) <= MAX_LEAD:
        flat = reading.sentences[part.number - 1].flat + flat
    if is_soft and (reason is None or not (_SOFT.search(flat) or _HENCE.search(flat) or _is_plain(reading, part))):
        return
    if reason is not None:
        _note_refused(reading, part, reason)
    elif not is_soft:
        reading.puzzle(part, "for which reason")


def _is_plain(reading: Reading, part: Part) -> bool:
    """Whether a statement is nothing but a reason, such as "she is too old for that"."""
    reason = reading.language.reasons.best(words_of(part.sentence), _CLEAR)
    return reason is not None and _WHY.search(part.sentence.flat) is not None


def _note_refused(reading: Reading, part: Part, reason: str) -> None:
    """Note a refusal, and those for other reasons that clauses of its sentence name by words of their own."""
    reading.note(part, Call(talk.REFUSE, {"reason": reason}))
    for piece in pieces_of(part.sentence):
        is_own = _WHY.search(piece.flat) is not None and _REFERRING.match(piece.flat) is None
        other = reading.language.reasons.best(grounds(piece), LIKELY) if is_own else None
        if other is not None and other.name != reason and len(other.words) > 1:
            reading.note(part, Call(talk.REFUSE, {"reason": other.name}))


def read_transfer(reading: Reading, place: int, part: Part) -> None:
    """A handing over with its reason."""
    reason = reason_for(reading, part, REASON)
    if reason is not None:
        reading.note(part, Call(talk.TRANSFER, {"reason": reason}))
    else:
        reading.puzzle(part, "for which reason")
