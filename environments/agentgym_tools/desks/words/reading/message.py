"""A message of an agent that is being read: its sentences and parts, what was heard, and what stays unclear."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentgym_tools.desks import talk
from agentgym_tools.desks.words.lexicon.language import Language
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.parts import Part
from agentgym_tools.worlds.calls import Call, Value

MAX_QUOTE = 80
_LONG = re.compile(r"\d{4,}")
NAMED, TOLD, LIKELY = 0.5, 0.6, 0.75
"""Coverage from which on a phrase counts as named, as told, and as likely meant."""


@dataclass(frozen=True)
class Understood:
    """What was understood of a message.

    Attributes:
        acts: The acts, in order.
        unclear: The parts that stay unclear, as they were said or as what is missing.
    """

    acts: Sequence[Call] = ()
    unclear: Sequence[str] = ()


@dataclass
class Reading:
    """A message that is being read.

    Attributes:
        language: The language of the desk and its world.
        context: What was established before.
        sentences: Its sentences.
        parts: The parts of these, each with what it is for.
        acts: The acts, each with the number of its sentence.
        unclear: What stays unclear, each with the number of its sentence.
        spent: Numbers of sentences that went into an act of another sentence.
    """

    language: Language
    context: Context
    sentences: Sequence[Sentence]
    parts: Sequence[Part]
    acts: list[tuple[int, Call]] = field(default_factory=list)
    unclear: list[tuple[int, str]] = field(default_factory=list)
    spent: set[int] = field(default_factory=set)

    def note(self, part: Part, act: Call) -> None:
        """Add an act that a part says."""
        self.acts.append((part.number, act))

    def before(self, part: Part) -> Sentence | None:
        """The sentence before a part's; None if it stands in the first."""
        return self.sentences[part.number - 1] if part.number else None

    def puzzle(self, part: Part, why: str = "") -> None:
        """Add a part that stays unclear."""
        quote = " ".join(part.sentence.text.split())[:MAX_QUOTE]
        self.unclear.append((part.number, f"{quote} ({why})" if why else quote))

    def retract(self, numbers: Sequence[int], arguments: Mapping[str, Value]) -> None:
        """Drop what sentences seemed to tell beside any question, where it is an argument of a proposal."""
        asked = self.context.questions or ()
        self.acts = [
            (number, act)
            for number, act in self.acts
            if number not in numbers
            or act.tool != talk.TELL
            or act.arguments["fact"] in asked
            or act.arguments["value"] not in arguments.values()
        ]

    def used(self) -> set[int]:
        """Numbers of the sentences that something was made of."""
        return {number for number, _ in self.acts} | self.spent


def words_of(sentence: Sentence) -> list[str]:
    """The plain words of a sentence; values in lower case."""
    return [token.plain if token.plain != "#" else token.text.casefold() for token in sentence.tokens]


def codes_in(sentence: Sentence) -> list[str]:
    """The codes by which a sentence names things; a long number is one too."""
    return [
        token.text.casefold()
        for token in sentence.tokens
        if token.kind in ("code", "pair") or (token.kind == "number" and _LONG.fullmatch(token.text))
    ]


def has_codes(sentence: Sentence) -> bool:
    """Whether a sentence names something by its code."""
    return bool(codes_in(sentence))
