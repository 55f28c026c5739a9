"""Commands in talk: a command counts where a sentence or line is nothing but that command.

So "I accept nothing above 30." is talk, and a question never binds. Which forms a command has is the business of the
games, but for those of accepting and the like, which several share.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import zip_longest

_END = re.compile(r"([.!?;]+(?=\s|$)|\n)")
_WORD = re.compile(r"\w+")


def statements(text: str) -> list[str]:
    """The sentences and lines of a text, but for questions, in lower case with single spaces and no mark at the end."""
    parts = _END.split(text.lower())
    pairs = zip_longest(parts[::2], parts[1::2], fillvalue="")
    return [" ".join(part.split()) for part, end in pairs if "?" not in end and part.strip()]


@cache
def answer_form(*words: str) -> re.Pattern[str]:
    """What a whole statement that answers with one of some verbs looks like; its group is the verb.

    Forms of "accept": `accept`, `I accept`, `I will accept`, each also with `ok,`, `yes,`, `no,` or `then` before, and
    with `it`, `that` or `the offer` after.
    """
    before = r"(?:(?:ok|okay|yes|then),? |no, )?(?:i(?:'ll| will)? )?"
    after = r"(?: (?:it|that|this|(?:the|your|that|this) (?:offer|proposal|price)))?"
    return re.compile(rf"{before}({'|'.join(words)}){after}")


def has_more(text: str, command: str) -> bool:
    """Whether a text says anything besides one of its statements."""
    return len(_WORD.findall(text.lower())) > len(_WORD.findall(command))
