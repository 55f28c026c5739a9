"""A user who knows what it means by the ambiguous words of its own question, and nothing else.

It is asked by the tool `ask`; it never speaks first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_QUESTION = 500
"""Most characters of a question that it listens to."""
KNOWS_NOTHING = "I can only say what I mean by an unclear word of my request."
TOO_LONG = f"That is too long for me; ask in at most {MAX_QUESTION} characters."


def answer_of(meanings: Mapping[str, str], text: str) -> tuple[str, frozenset[str]]:
    """What the user answers, and which of its words the answer explains.

    Args:
        meanings: What it means by each of its words.
        text: What it is asked.
    """
    if len(text) > MAX_QUESTION:
        return TOO_LONG, frozenset()
    asked = frozenset(re.findall(r"\w+", text.casefold()))
    told = [word for word in meanings if word in asked]
    if not told:
        return KNOWS_NOTHING, frozenset()
    return " ".join(f"By '{word}' I mean {meanings[word]}." for word in told), frozenset(told)
