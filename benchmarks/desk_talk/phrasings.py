"""The audit of understanding: phrasings that were written apart from the grammar, each with the acts that it says.

A part of them, `kept`, was not looked at while the grammar was tuned. Single phrasings were written freely; joined ones
are several of one part in one message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.agent import understand_agent
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.message import Understood
from agentgym_tools.worlds.calls import Call

FOLDER = Path(__file__).parent
FILES = ("phrasings.jsonl", "fresh.jsonl", "second.jsonl")
TUNED, KEPT, FRESH = "tuned", "kept", "fresh"


class Phrasing(NamedTuple):
    """A message of an agent.

    Attributes:
        part: `TUNED` or `KEPT`.
        desk: Name of the desk.
        text: The message.
        acts: What it says.
        may: What may be heard in it too, such as a state that is told in passing.
        is_joined: Whether it was joined of several phrasings.
        customer: Key of the customer who is known; "" for nobody.
    """

    part: str
    desk: str
    text: str
    acts: tuple[Call, ...]
    may: tuple[Call, ...] = ()
    is_joined: bool = False
    customer: str = ""

    @property
    def num_words(self) -> int:
        """How many words it has."""
        return len(self.text.split())

    def understood(self) -> Understood:
        """What the grammar makes of it."""
        context = Context(customer=self.customer)
        return understand_agent(language_of(desk(self.desk), "full"), self.text, context)

    def is_right(self, understood: Understood) -> bool:
        """Whether all acts were understood, and none that it does not say."""
        return set(self.acts) <= set(understood.acts) <= {*self.acts, *self.may}


def phrasings() -> list[Phrasing]:
    """All phrasings."""
    return list(_read())


def attempts() -> list[str]:
    """Messages that try to get out of a customer what it was not asked for."""
    lines = (FOLDER / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


def _read() -> Iterator[Phrasing]:
    lines = [line for name in FILES for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        fields = json.loads(line)
        acts, may = (tuple(Call(*each) for each in fields.get(name, ())) for name in ("acts", "may"))
        more = fields.get("joined", False), fields.get("customer", "")
        yield Phrasing(fields["part"], fields["desk"], fields["text"], acts, may, *more)
