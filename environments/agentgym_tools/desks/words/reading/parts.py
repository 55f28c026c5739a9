"""A message of an agent in parts, each with what it is for: to ask, to propose, to refuse, and so on.

What a part is about is found in `agent`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from agentgym_tools.desks.words.lexicon.sentences import Sentence, Token
from agentgym_tools.desks.words.reading.agreeing import asks_for_yes

ASKS, OFFERS, CONSENTS, REPORTS, REFUSES, TRANSFERS, CLOSES, INSTRUCTS, STATES, DOUBTS, WONDERS = (
    *("asks", "offers", "consents", "reports", "refuses", "transfers", "closes"),
    *("instructs", "states", "doubts", "wonders"),
)
"""What a part is for. One that doubts says what the agent does not know; one that wonders asks, in a question."""
_SPLIT = re.compile(r"(?:,|and|but|so|because|since|as|then|therefore|while|after|afterwards|which|concerning)")
_PLEASANT = (
    r"(?:nice|good|great|lovely|pleasant|wonderful|safe|fine|happy|beautiful|relaxing|splendid|quick|comfortable)"
)
_HEADS: Sequence[tuple[str, re.Pattern[str]]] = (
    (
        TRANSFERS,
        re.compile(
            r" (?:transfer\w* (?:you|this|it|your)|(?:hand|handing|handed) (?:you|this|it|your \w+) (?:over|on|to)|"
            r"(?:put|putting|get) you (?:through|to (?:a|someone))|connect\w* you|pass\w* (?:you|this|it|your \w+) |"
            r"(?:forward|redirect|escalat|direct|refer)\w* (?:you|this|it|your)|"
            r"(?:transferring|handing over|escalating)(?: \w+)? $|take it from here|"
            r"(?:colleague|colleagues|person|supervisor|staff|human|specialist|someone|somebody|they|who)"
            r"(?: \w+){0,8} (?:take|takes|taking) (?:this |it |you )?over)"
        ),
    ),
    (
        CLOSES,
        re.compile(
            r" (?:good bye|goodbye|good-bye|bye|bye-bye|farewell|cheerio|ciao|so long|all the best|"
            r"until next time|see ya|"
            r"have an? (?:\w+ )?(?:day|evening|weekend|trip|flight|afternoon|night|journey|holiday|morning) $|"
            rf"have an? (?:very |really )?{_PLEASANT}|take care(?! of)|"
            r"(?:end|close|finish) (?:our|this|the) (?:chat|talk|call|conversation)|see you (?!\w)|"
            r"see you (?:soon|later|then|again)|"
            r"that (?:was|is) (?:all|everything)(?: then)? $)"
        ),
    ),
    (
        DOUBTS,
        re.compile(
            r"^ (?:please |and |but |, )*do not (?!disturb)| (?:can|could|may|do|am|will|would) not (?:yet |"
            r"really |exactly |be able to )*(?:say|tell|see|know|"
            r"find|locate|"
            r"understand|hear|read|look|promise|judge|guess)\b| no idea | not sure | unsure "
        ),
    ),
    (
        CONSENTS,
        re.compile(
            r"^ (?:, |and |so |then )*(?:yes|okay|ok|fine|all right|alright|right|agreed|correct|deal|confirm|"
            r"confirmed|"
            r"cool|happy with that|any objections?)(?: with you| for you| by you| or (?:no|not))? $|yes or no $|"
            r"^ (?:, |and |so |then )*(?:do you )?(?:want|fancy|like) (?:me to|that|it|this)"
            r"(?: (?:go ahead|proceed|do (?:that|it|this|so)))?(?: with (?:that|it|this))? $|"
            r"will you (?:accept|take) |(?:shall|should|may|can) (?:i|we) \w+ (?:it|that|this|them|"
            r"those)(?: for you| now| then)? $|"
            r"(?:would you like|do you want) (?:me|us) to $|would you like to (?:have|take|accept) (?:it|that|this) |"
            r"what do you (?:say|think) $|if (?:that|this|it) is (?:okay|ok|fine|all right|alright|acceptable|good|"
            r"agreeable)|if you (?:want|wish|like|would like)(?: that| it| this| me to)? $|do you confirm|"
            r" (?:(?:is|would|will) (?:that|it|this|everything) (?:be )?(?:okay|ok|fine|all right|alright|right|"
            r"correct|"
            r"good|acceptable|in order)(?: (?:with|for|by) you)? |do you (?:agree|accept|approve|consent)|"
            r"(?:okay|ok|fine|all right|alright) (?:for|with|by) you|"
            r"is (?:that|this|it) what you (?:want|wish|would like|had in mind|mean)|"
            r"(?:shall|should|may|can|do) i (?:go ahead|proceed|do (?:it|that|this|so)|continue)(?! and \w+)|"
            r"(?:do|can|could|may) i (?:have|get) your (?:yes|permission|okay|ok|consent|approval|go-ahead|"
            r"confirmation)|"
            r"would you (?:like|want) (?:that|it|this) |do you want (?:that|it|this|me to do (?:that|it|this)) |"
            r"(?:please|kindly|can you|could you) confirm|(?:would|does|do|will|could) (?:that|it|this|"
            r"all of that) (?:suit|work|help|sound|look)|"
            r"(?:shall|should|may|can) (?:i|we) $|(?:okay|ok|all right|fine|good) to (?:proceed|go|do|continue|"
            r"start)|"
            r"(?:would you like|do you want|shall|should|may|can) (?:me|us|i|we) (?:to )?(?:do|make|book|process|"
            r"arrange|issue|"
            r"carry|put|set|confirm|finalise|finalize|submit|file|start) (?:it|this|that|them|the change|"
            r"the changes|both)\b|"
            r"(?:sounds?|is) (?:that )?good|if you agree|"
            r"with your (?:okay|ok|permission|consent|approval|agreement|blessing|go-ahead)|may i (?:issue|do|book|"
            r"make) (?:it|that)|"
            r"would you agree|"
            r"are you (?:okay|ok|fine|happy|all right) with|"
            r"say (?:the word|yes and|okay and)|(?:say|reply|answer|respond|type|write|send) (?:me |us |back |with |"
            r"just |simply |a |an |, )*(?:yes|ok|okay|confirm|confirmed|go) |if you (?:say|are agreeable)|"
            r"(?:need )?(?:only|just) your (?:go-ahead|okay|yes))"
        ),
    ),
    (
        REFUSES,
        re.compile(
            r" (?:(?:can|could|may|must|will|do|would) not (?:be )?(?!say |tell |find |see |know |locate |"
            r"understand |"
            r"hear |read |look |yet |have (?:the|your|a|its|it|that|this) |need |want |worry |restart |"
            r"reboot |turn |switch |keep |"
            r"hesitate |disturb)"
            r"(?!\w+ yet )\w+|(?:can|may) not (?:, )?$|not (?:possible|allowed|permitted|able|an option|allow|a \w+)|"
            r"impossible|unable|(?:is|are) not (?:\w+ )?(?:refunded|changed|taken|upgraded|given|paid)|"
            r"(?:must|have to|has to|had to) (?:refuse|decline|say no|reject|turn|deny)|refuse|decline|"
            r"(?:is|be) too late (?:to|for)|(?:is|be) a no |no can do|out of the question|not going to (?:work|"
            r"happen)|"
            r"do not get \w+ed|nothing to (?!worry |pay |do )\w+|no \w+ can be|can be no|there is nothing|"
            r"nothing (?:i|we) (?:can|"
            r"could)|no way)"
        ),
    ),
    (
        REPORTS,
        re.compile(
            r" (?:(?:i|we) have (?:just |now |already |also |successfully )*(?!not |looked |look |checked |found |"
            r"a |to |"
            r"your |on |no |read |seen |received |had |been |got |the |an )\w+|(?:has|have) (?:just |now |also |"
            r"already )*been "
            r"(?!late )|(?:is|are|was|were) (?:\w+ )?(?:done|complete|completed|through|saved|in place|back in)|"
            r"(?<! i )(?<! we )went through|"
            r"you are (?:now|back) |(?:is|are) now |successfully|all done|it is done|"
            r"consider (?:it|that|this|them|(?:the|your) \w+) (?:\w{3,}ed|done)|"
            r"we (?:just |also )?(?:took|gave|put|sent|set|paid|booked|cancelled|changed|moved|filed|"
            r"refunded|added|removed|"
            r"issued|blocked|unblocked|lifted|switched|processed|renewed|paused|stopped|closed|opened|replaced|raised|"
            r"reopened|withdrew|released|waived|extended) |i (?:just |also )?(?:took|"
            r"made|gave|put|"
            r"sent|set|did|paid|got|let|put|(?!need|proceed)\w{3,}ed) (?!like )|(?:has|have) (?:now )?gone through|"
            r"(?<!\w that )(?<!\w which )(?:is|are|was|"
            r"were) (?!not )(?:\w+ )?"
            r"\w{3,}ed |(?:is|are|was) (?:now |already )?(?:paid|repaid|sent|put|set|taken|withdrawn|given|on its|"
            r"on the)|"
            r"you have (?:now )?\w+ed |"
            r"done (?:,|$))"
        ),
    ),
    (
        OFFERS,
        re.compile(
            r" (?:(?:shall|should|may|can|could|might) (?:i|we) (?!have (?:your|the|a|his|her) |get (?:your|the) |"
            r"ask |trouble |bother |"
            r"know |see )|(?:shall|should|may|can|could) (?:the|your|this|that|it) |do you want (?:me|us|to be|"
            r"to have|the|your|my|\w+ )|would you like (?:me|us|to have|to be|the|"
            r"your|\w+ )|(?:is|would) it (?:be )?(?:okay|ok|fine|all right|alright|possible|correct|right) "
            r"(?:if|to|that|with)|"
            r"would you be (?:okay|ok|fine|happy|all right) (?:if|with)|"
            r"how about|would you (?:allow|permit|let) (?:me|us)|what would you say if|would you mind if|"
            r"would you be (?:okay|ok|fine|happy|all right) for|(?:i|we) (?:suggest|propose|plan) |"
            r"(?:i|we) (?:would|should) like to (?!help |ask |know |have |see )|"
            r"(?:i|we) (?:can|could|would|will|shall|am going to|are going to|am about to) (?!not |love |need |see |"
            r"say |tell |look "
            r"|find |check |start |get you |have to|be |help |also need|let you know|like (?:you|to (?:help|ask|"
            r"know))|ask )\w+|would do|"
            r"just to confirm|to confirm|are you okay with|may i then)"
        ),
    ),
    (
        ASKS,
        re.compile(
            r" (?:(?:may|could|can|might) (?:i|we) (?:please )?(?:have|get|ask|know|see)|(?:could|can|would|"
            r"will) you "
            r"(?:please |kindly |also )?(?:tell|give|read|provide|share|send|say|repeat|let|spell|name|state|remind)|"
            r"(?:tell|give|send|shoot|drop|remind|show|hand|pass|text|get) (?:me|us) "
            r"(?!a (?:\w+ )?(?:minute|moment|second|bit)|(?:if|whether) )|let me (?:know|have)|"
            r"(?:trouble|bother) you for|would you mind (?:telling|giving|sharing|spelling|confirming)|"
            r"(?:i|we) (?:\w+ ){0,2}(?:have|need|want|like|must|should)"
            r"(?: to)? (?:know|hear|learn|ask)|please (?:include|enter|write|"
            r"note down)|"
            r"(?:i|we) (?:(?:will|also|still|just|only|would|do|then|am|are|going|to) )*(?:need|require) "
            r"(?!to |you |more time|help|a (?:moment|minute|second|bit))|"
            r"(?:i|we|i will|also|still|just|only) (?:also |still |just |only |would )*(?:need|"
            r"require|want|"
            r"like) (?:to know |also |only |to have )?(?:your|the|a|its|that|also|\w+ number)|please (?:provide|"
            r"state|share|"
            r"spell|name|read|tell|give|repeat)|do you (?:have|know|prefer)|would you (?:prefer|rather)|"
            r"do \w+ or \w+ suit)\b"
        ),
    ),
    (WONDERS, re.compile(r" (?:what|which|when|where|who|whom|whose|why|how)\b")),
)
_CONDITION = re.compile(
    r" (?:, |and |but )*(?:if|in case|unless) (?:you|it|that|this|there) (?!agree|want|wish|like|would|cancel|"
    r"consent|approve)"
)
_SUPPOSED = re.compile(r" (?:, |and |but )*(?:if|in case|unless|should) you ")
_OWN_SUBJECT = re.compile(
    r" (?:, |and |then )+(?:(?:the|your) (?:\w+ ){1,3}(?:has|have|was|were) |(?:i|we) have (?!to ))"
)
_ASKING = re.compile(
    r" (?:and |so |, |okay |then |great |also |now |next |but |or |right |well )*"
    r"(?:for |to |in |on |by |under |at |from )?"
    r"(?:what(?! would you (?:say|think) if| do you (?:say|think) $)|which|when|where|who|whom|why|"
    r"how (?!about|would it|(?:do|would) you feel|does (?:that|this|it))) "
)
_GROUND = re.compile(r" (?:, |and )*(?:since|because|as) ")
_QUESTION = re.compile(r" (?:, |and )*(?:what|which|when|where|who|why|how) ")
_NEGATED = re.compile(r" (?:not|never|hardly) (?:\w+ ){0,2}$")
_WISHED = re.compile(
    r" (?:i|we) (?:would |am |have to |must |will )*(?:need|like|want|ask|asking) you to |"
    r" (?:may|can|could|might) (?:i|we) (?:invite|ask|get|trouble|have) you to |"
    r"^ (?:so |and |, |now |then |please )*if you (?:could|would|can) (?!like |want |wish |prefer |rather )"
)


_COURTESY = re.compile(
    r" (?:anything|something) (?:else|more|further) (?:$|(?:that )?(?:i|we|you) |today |with )|"
    r" (?:what|how) (?:else |more )?(?:can|could|may) (?:i|we) (?:do|help|assist) (?:for |with )?(?:you )?(?:next|"
    r"today|now|further|else)? ?$"
)
"""What an agent asks out of courtesy; it wants no answer."""
_BARE = re.compile(r" (?:, |and |so |then )*(?:yes|okay|ok|fine|all right|alright|right|agreed|correct|cool) $")
_RELATIVE = re.compile(r" which (?:you|we|i|it|they) ")
_LEAD = 5
_DOES_IT = re.compile(r" (?:shall|should|may|can) (?:i|we) (?!do )\w+ (?:it|that|this|them|those) $")
_ASIDE = re.compile(r" which (?:was|is|has|are|were|have|means) (?!it |that |why )")
_PREPOSITIONS = frozenset({"under", "for", "from", "with", "by", "at", "of", "through"})


class Part(NamedTuple):
    """A part of a message.

    Attributes:
        use: What it is for.
        sentence: Its words.
        number: Number of the whole sentence in the message.
        is_question: Whether the whole sentence is a question.
    """

    use: str
    sentence: Sentence
    number: int
    is_question: bool


def use_of(flat: str) -> str:
    """What words are for; "states" if nothing says it."""
    if _WISHED.search(flat):
        return INSTRUCTS
    for use, pattern in _HEADS:
        found = pattern.search(flat)
        if use in (ASKS, OFFERS, WONDERS) or found is None:
            continue
        if use == REPORTS and (begun := _begun(flat)) is not None and begun[1] < found.start():
            return begun[0]
        if not (use in (TRANSFERS, CLOSES, REPORTS) and _is_negated(flat, found.start(), use)):
            return use
    begun = _begun(flat)
    return begun[0] if begun is not None else STATES


def _is_code(token: Token) -> bool:
    return token.kind not in ("word", "comma")


def _begun(flat: str) -> tuple[str, int] | None:
    """Whether words begin to offer, ask or wonder, and where."""
    for use, pattern in _HEADS:
        if use in (OFFERS, ASKS, WONDERS) and (found := pattern.search(flat)) is not None:
            return use, found.start()
    return None


def _is_negated(flat: str, at: int, use: str) -> bool:
    """Whether a "not" stands shortly before, or inside what would be a report."""
    if _NEGATED.search(flat[: at + 1]) is not None:
        return True
    return use == REPORTS and re.search(r" (?:have|has|is|are|was|were|did|do|does) not ", flat) is not None


def _use_in(sentence: Sentence, flat: str, use: str) -> str:
    """What a piece is for, seen in its sentence: questions report and refuse nothing, statements wonder nothing."""
    if sentence.is_question and use in (CONSENTS, OFFERS) and (_ASKING.match(sentence.flat) or _ASKING.match(flat)):
        return ASKS
    if use == REPORTS and _GROUND.match(flat):
        return STATES
    if sentence.is_question:
        return {WONDERS: ASKS, REPORTS: STATES, REFUSES: STATES}.get(use, use)
    return STATES if use == WONDERS else use


def parts_of(number: int, sentence: Sentence) -> list[Part]:
    """The parts of a sentence: it is split where what it is for changes."""
    if sentence.is_question and _COURTESY.search(sentence.flat) and not any(map(_is_code, sentence.tokens)):
        return []
    if asks_for_yes(sentence):
        return [Part(CONSENTS, sentence, number, sentence.is_question)]
    cuts = [place for place, token in enumerate(sentence.tokens) if _SPLIT.fullmatch(token.word)]
    bounds = [0, *cuts, len(sentence.tokens)]
    pieces = [(first, last) for first, last in itertools.pairwise(bounds) if last > first]
    merged: list[tuple[str, int, int]] = []
    for first, last in pieces:
        flat = sentence.part(first, last).flat
        if sentence.is_question and _CONDITION.match(flat):
            continue
        use = _use_in(sentence, flat, use_of(flat))
        if first and last == len(sentence.tokens) and asks_for_yes(sentence, first):
            use = CONSENTS
        if use == CONSENTS and first <= _LEAD and last < len(sentence.tokens) and _BARE.match(flat):
            use = STATES
        if use == CONSENTS and last < len(sentence.tokens) and _DOES_IT.search(flat):
            use = OFFERS
        if first and (
            (_RELATIVE.match(flat) and sentence.tokens[first - 1].word in _PREPOSITIONS) or _ASIDE.match(flat)
        ):
            use = STATES
        if use in (REFUSES, DOUBTS) and _SUPPOSED.match(flat):
            use = STATES
        if merged and merged[-1][0] == ASKS and _QUESTION.match(flat):
            use = STATES
        if merged and use == merged[-1][0] == REPORTS and _OWN_SUBJECT.match(flat):
            merged.append((use, first, last))
        elif merged and (use in (STATES, merged[-1][0]) or merged[-1][0] == STATES):
            before, start, _ = merged.pop()
            merged.append((before if use == STATES else use, start, last))
        else:
            merged.append((use, first, last))
    return [Part(use, sentence.part(first, last), number, sentence.is_question) for use, first, last in merged]
