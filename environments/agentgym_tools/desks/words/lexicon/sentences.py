"""A message as sentences of words, with the values that stand in it; nothing is understood here yet."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.lexicon.tidying import tidied

MAX_TEXT = 4000
"""Characters of a message that are read."""
_TOKEN = re.compile(
    r"""(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<date>\d{4}-\d\d-\d\d(?:(?:\ at|,)?[\ T]\d\d:\d\d)?
        |\d{1,2}\.\d{1,2}\.\d{4}\b|\d{1,2}/\d{1,2}/\d{4}\b)
    |(?P<sum>[$\u20ac\u00a3]\ ?\d[\d,]*(?:\.\d\d?)?|\d[\d,]*(?:\.\d\d?)?\ ?[$\u20ac\u00a3])
    |(?P<pair>[A-Z]{2,}/[A-Z]{2,})
    |(?P<code>[A-Za-z]{1,2}\d{2,}|[A-Z]\d+|\d{2,}-\d{3,}|\d{1,3}[A-F]\b)
    |(?P<dotted>[a-z]{2,}\.[a-z]{2,}\b)
    |(?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?:(?![\w])|(?=[GMgm][Bb]\b)))
    |(?P<initial>(?:(?<=Dr\ )|(?<=Mr\ )|(?<=Ms\ ))[A-Z]\.(?=\ ?[A-Z][a-z]))
    |(?P<word>[A-Za-z0-9]+(?:-[A-Za-z]+)*|%)
    |(?P<stop>[.!?;\n])
    |(?P<comma>[,:()\u2013\u2014"\u201c\u201d])""",
    re.VERBOSE,
)
_VALUES = ("email", "date", "sum", "pair", "code", "dotted", "number")


@dataclass(frozen=True)
class Token:
    """A word or a value of a sentence.

    Attributes:
        kind: "word", "comma", or the kind of value.
        text: As it was written.
        word: In lower case; "#" for a value.
        plain: Its plain form.
        at: Where it begins in the message.
        end: Where it ends.
    """

    kind: str
    text: str
    word: str
    plain: str
    at: int
    end: int


@dataclass
class Sentence:
    """A sentence of a message.

    Attributes:
        tokens: Its words, values and commas.
        text: As it was written.
        is_question: Whether it ends with a question mark.
        flat: Its words in lower case between blanks; "#" for values, "," for commas.
        values: The values that were spotted in it, once they were.
    """

    tokens: Sequence[Token]
    text: str
    is_question: bool
    flat: str = field(init=False)
    values: Any = None

    def __post_init__(self) -> None:
        self.flat = f" {' '.join(token.word for token in self.tokens)} "

    def part(self, first: int, last: int) -> Sentence:
        """The sentence of the tokens from one number to before another."""
        tokens = self.tokens[first:last]
        start = self.tokens[0].at
        text = self.text[tokens[0].at - start : tokens[-1].end - start] if tokens else ""
        return Sentence(tokens, text, self.is_question and last >= len(self.tokens))


def sentences_of(text: str) -> list[Sentence]:
    """The sentences of a message."""
    text = tidied(text[:MAX_TEXT])
    found: list[Sentence] = []
    tokens: list[Token] = []
    for token in _tokens(text):
        if token.kind != "stop":
            tokens.append(token)
            continue
        if tokens:
            found.append(Sentence(tokens, text[tokens[0].at : token.at], token.text == "?"))
            tokens = []
        elif found and token.text == "?":
            found[-1].is_question = True
    if tokens:
        found.append(Sentence(tokens, text[tokens[0].at : tokens[-1].end], False))
    return found


def pieces_of(sentence: Sentence) -> list[Sentence]:
    """A sentence cut at its commas and at "and"."""
    cuts = [place for place, token in enumerate(sentence.tokens) if token.word in (",", "and")]
    cuts = [place for place in cuts if not _is_in_sum(sentence.tokens, place)]
    bounds = itertools.pairwise([-1, *cuts, len(sentence.tokens)])
    return [sentence.part(first + 1, last) for first, last in bounds if last > first + 1]


def _is_in_sum(tokens: Sequence[Token], place: int) -> bool:
    """Whether an "and" stands in a sum, as in "12 dollars and 50 cents"."""
    before, after = tokens[place - 1].word if place else "", [token.word for token in tokens[place + 1 : place + 3]]
    return before in ("dollars", "dollar", "euros", "euro") and after[1:] in (["cents"], ["cent"])


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, written = str(match.lastgroup), match[0]
        if kind == "initial":
            yield Token("word", written, written[0].lower(), written[0].lower(), *match.span())
        elif kind == "word":
            word = written.lower()
            yield Token(kind, written, word, plain(word), *match.span())
        elif kind in _VALUES:
            yield Token(kind, written, "#", "#", *match.span())
        else:
            yield Token(kind, written, ",", ",", *match.span())
