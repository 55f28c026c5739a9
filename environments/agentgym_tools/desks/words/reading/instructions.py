"""Requests to use the customer's own tools, such as "turn airplane mode off and restart the phone"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.reading.arguments import fill
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.worlds.calls import Call

LEAST = 0.6
"""Coverage of a phrase from which on a tool counts as named."""
NAMED_TOGETHER = 0.9
"""The same where words of the sentence before it count too."""
_ASKED_FOR = re.compile(
    r"^ (?:(?:please|now|then|next|first|also|and|so|,|try|could|can|would|you|to|again|just|kindly|afterwards|"
    r"after|that|"
    r"okay|ok|the|finally|once|more|i|need|want|like|may|should|must|let|us|go|into|your|settings|in|well|great|"
    r"thanks|thank|good|fine|alright|sorry|for|it|ahead|mind|quickly|real|quick|do|me|once|is|done|ask|asking|invite|if|might|could|must|use|would|will|have|"
    r"when|works|worked|this|up|over|there|still|best|simply|maybe|perhaps) )*(?P<verb>\w+)"
)
_VERBS_WORDS = """
check look turn switch set type enter run make send restart reboot take reseat connect disconnect cancel allow
grant reset change unlock put give toggle disable enable deactivate activate open have see stop choose select
pick permit revoke forward remove insert try perform do start place power test measure read use write verify
tell deny withdraw re-seat reinsert clear stick pull flip flick tap hit switch swap key pop kill
punch glance slip seat read unplug plug hang press dial choose bring slide leave shut fire
"""
_VERBS = frozenset(map(plain, _VERBS_WORDS.split()))
_LOOKING = frozenset({"check", "look", "see", "verify"})
_MEANT = re.compile(r" (?:it|that|this|these|them|address|number|code|another|one|there|its) ")
"""Words that may mean what was named before."""
_NEEDED = re.compile(
    r" (?:must|should|needs? to|has to|have to|ought to) be (?:switched |turned |set |put )?"
    r"(?:on|off|to|disabled|enabled|allowed|restarted|rebooted|reset) "
)
"""How something has to be, in place of what is to be done for that."""
_PARTS = re.compile(r"(?:,|and|then|afterwards)")
_FORBIDDEN = re.compile(r" (?:do not(?! disturb)|(?<!do )not|never|without) ")


def instructions_in(language: Language, sentence: Sentence, before: Sentence | None = None) -> list[Call]:
    """The instructions in a sentence, in order; "it" may mean what the sentence before it names."""
    verb = ""
    named = before
    found: list[Call] = []
    for piece in _pieces(sentence):
        if _FORBIDDEN.search(piece.flat):
            continue
        asked = _ASKED_FOR.match(piece.flat)
        own = asked["verb"] if asked is not None and plain(asked["verb"]) in _VERBS else ""
        if not own and _NEEDED.search(piece.flat):
            own = "switch"
        if not own and not verb:
            named = piece
            continue
        words = _words_of(piece)
        act = _meant(language, piece, named) if named is not None and _MEANT.search(piece.flat) else None
        act = act or _instruction(language, piece, words, sentence)
        named = piece
        if act is not None and own in _LOOKING and language.domain.user_tools[act.arguments["action"]].is_writing:
            continue
        if act is None and not own:
            act = _instruction(language, piece, words | {plain(verb)}, sentence)
        verb = own or verb
        if act is not None and act not in found:
            found.append(act)
    return found


def _words_of(sentence: Sentence) -> set[str]:
    return {token.plain if token.plain != "#" else token.text.casefold() for token in sentence.tokens}


def _meant(language: Language, piece: Sentence, before: Sentence) -> Call | None:
    """The instruction to use a tool that words name only together with those before them: "your PUK is #: type it"."""
    own, words = _words_of(piece), _words_of(piece) | _words_of(before)
    alone = {match.name for match in language.user_actions.matches(own, LEAST)}
    for match in language.user_actions.matches(words, NAMED_TOGETHER):
        if match.name not in alone and not match.words.isdisjoint(own):
            return instruction_to(language, match.name, piece, before)
    return None


def _instruction(language: Language, piece: Sentence, words: set[str], whole: Sentence) -> Call | None:
    for match in language.user_actions.matches(words, LEAST):
        if (act := instruction_to(language, match.name, piece, whole)) is not None:
            return act
    return None


def instruction_to(language: Language, tool: str, *sentences: Sentence) -> Call | None:
    """The instruction to use a tool with arguments that sentences give; None if one is missing."""
    filled = fill(language, tool, sentences, Context())
    return None if filled.missing else Call(talk.INSTRUCT, {"action": tool, "arguments": dict(filled.arguments)})


def _pieces(sentence: Sentence) -> Iterator[Sentence]:
    cuts = [place for place, token in enumerate(sentence.tokens) if _PARTS.fullmatch(token.word)]
    bounds = [0, *cuts, len(sentence.tokens)]
    for first, last in itertools.pairwise(bounds):
        if last > first:
            yield sentence.part(first, last)
