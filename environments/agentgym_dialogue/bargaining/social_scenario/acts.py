"""What a line does: a small grammar of social acts, by the words that declare them.

What an act changes is the business of `game`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentgym_dialogue.bargaining.social_scenario.scenarios import SECRETS, WISHES

KIND_ACTS = ("greet", "thank", "praise")
_WORDS = {
    "greet": "hello|hi|welcome|good (?:morning|day|evening)",
    "thank": "thanks?|thankful|grateful",
    "praise": "nice|great|lovely|wonderful|kind of you|well done|admire",
    "sorry": "sorry|apologi[sz]e",
    "ask": "what do you (?:need|want|wish)|how can i help|what can i do|what would help|do you (?:need|want) anything",
    "agree": "yes|agreed|of course|gladly|you can have (?:it|that)",
    "refuse": "no way|never|i refuse|i will not",
    "insult": "stupid|idiot|fool|ugly|shut up|hate you|liar|loser",
    "threat": "or else|you will regret|i will hurt|i will tell everybody",
}
_ACTS = {act: re.compile(rf"\b(?:{words})\b") for act, words in _WORDS.items()}
_OFFER = re.compile(r"\b(?:i can|i will|i could|let me|i offer|i would)\b")
_NO_OFFER = re.compile(r"\bi (?:will|would|can|could) (?:not|never|like|love|want|need)\b")
_CLAUSE = re.compile(r"[.!?;]+|\b(?:but|and)\b")
_WORD = re.compile(r"[a-z]+")
_BROKEN_BY = {
    "money": re.compile(r"\b(?:money|pay|coins?|cash|dollars?|euros?)\b"),
    "phone": re.compile(r"\b(?:tele)?phones?\b"),
    "work": re.compile(r"\b(?:work|working|boss|office|jobs?)\b"),
}


class Acts(NamedTuple):
    """What a line does.

    Attributes:
        done: Names of acts.
        offered: The wishes that the speaker would fulfil.
        requested: The wishes that the speaker names without offering.
        secrets: The secrets that the line gives away.
    """

    done: frozenset[str]
    offered: frozenset[str]
    requested: frozenset[str]
    secrets: frozenset[str]


@lru_cache(maxsize=4_096)
def acts_of(line: str) -> Acts:
    """Reads a line."""
    text = line.lower()
    done = frozenset(act for act, pattern in _ACTS.items() if pattern.search(text))
    words = set(_WORD.findall(text))
    offered: set[str] = set()
    if words & WISHES.keys():
        for clause in _CLAUSE.split(text):
            if _OFFER.search(clause) and not _NO_OFFER.search(clause):
                offered |= WISHES.keys() & set(_WORD.findall(clause))
    requested = frozenset(words & WISHES.keys()) - offered
    return Acts(done, frozenset(offered), requested, frozenset(words & SECRETS.keys()))


def breaks(line: str, rule: str) -> bool:
    """Whether a line breaks the rule of the place, or shouts."""
    pattern = _BROKEN_BY.get(rule)
    is_shouted = len(line) > 8 and line.upper() == line and line.lower() != line
    return is_shouted or ("!" in line if pattern is None else pattern.search(line.lower()) is not None)
