"""Questions that ask for nothing but a yes, however they are put: "still want that?", "you fine with it?", "do we?"."""

from __future__ import annotations

import re

from agentgym_tools.desks.words.lexicon.sentences import Sentence

MAX_SHORT = 12
"""Words of a question that asks for a yes and names nothing."""
MAX_BARE = 3
"""Words of one that has no word for a yes at all, such as "so?" and "do you?"."""
_FRAME_WORDS = """
a an the i we you me us it this that these those them they both all two either of my your our in on for with by to at
or not and so then now if as is are be am was would will shall should may might can could do does let us have has
get got give there just still really here please well okay right , like how about everything way any each too also
both lot such again same kind
"""
_YES_WORDS = """
yes yeah yep ok okay fine alright all right good great happy glad cool perfect sure agreed agree agrees agreement
agreeable approve approval consent permission accept acceptable confirm confirmed confirmation correct true go going
ahead proceed continue carry want wanted wish like prefer suit suits work works fancy deal sound sounds try make
made do done start ready say green light thumbs up blessing nod objection objections it this them these those both we i
you convenient acceptable happen allowed permitted allow hear word nod through settle settled leave sign signed wise
pleased content satisfied comfortable game sir madam dear friend mate love objection opposed against think
look looks
"""
_FRAME, _YES = frozenset(_FRAME_WORDS.split()), frozenset(_YES_WORDS.split())
_OPEN = re.compile(
    r"^ (?:, |and |so |or |then |but |well |okay )*(?:what(?! do you (?:say|think)| about it| say you)|"
    r"which|who|whom|whose|"
    r"where|when|why|how (?!about|does (?:that|this|it) (?:sound|look))|did|have you|is there|"
    r"are there|got|do you have|(?:what|how) (?:can|may|could) i)"
)


def asks_for_yes(sentence: Sentence, first: int = 0) -> bool:
    """Whether a question asks for a yes alone, from one of its tokens on: all its words are of the frame of one."""
    words = [token.word for token in sentence.tokens[first:] if token.word != ","]
    if not sentence.is_question or not 0 < len(words) <= MAX_SHORT or _OPEN.match(f" {' '.join(words)}"):
        return False
    is_framed = all(word in _FRAME or word in _YES for word in words)
    return is_framed and (not _YES.isdisjoint(words) or (not first and len(words) <= MAX_BARE))
