"""The audit of understanding: phrasings that were written apart from the grammar, each with the acts that it says.

The grammar was tuned on some; those in `fresh.jsonl`, if there is one, were written after that, and it stays untuned on
them. Single phrasings were written freely; joined ones are several of one part in one message.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.agent import understand_agent
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.customer import understand_customer
from agentgym_tools.desks.words.reading.message import Understood
from agentgym_tools.worlds.calls import Call

FOLDER = Path(__file__).parent
FILES = ("phrasings.jsonl", "fresh.jsonl")
TUNED, FRESH = "tuned", "fresh"
NUM_DRAWN = 200
"""Customers of whom a kind of request is drawn, to see which facts it has."""


class Request(NamedTuple):
    """What a talk is about while a request of some kind is open.

    Attributes:
        facts: The facts of such requests.
        profile: The facts that customers know of themselves.
        reasons: Why such requests are refused.
    """

    facts: frozenset[str]
    profile: frozenset[str]
    reasons: frozenset[str]


@cache
def requests_of(name: str) -> Sequence[Request]:
    """The kinds of requests of a desk, as some customers have them."""
    domain, rng = desk(name), random.Random(0)
    facts: dict[str, set[str]] = {kind: set() for kind in domain.kinds}
    profile: set[str] = set()
    world = domain.world("small")
    for kind, drawn in facts.items():
        for _ in range(NUM_DRAWN):
            with world.call(may_write=False):
                customer = domain.draw_customer(rng, world)
                profile.update(domain.profile(world, customer))
                drawn.update(domain.kinds[kind].draw(rng, world, customer) or {})
    world.close()
    return [
        Request(frozenset(facts[kind]), frozenset(profile), reasons) for kind, reasons in domain.reasons_by_kind.items()
    ]


class Phrasing(NamedTuple):
    """A message of an agent.

    Attributes:
        part: `TUNED` or `FRESH`.
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

    def understood(self, *, in_request: bool = False) -> Understood:
        """What the grammar makes of it.

        Args:
            in_request: Whether the kind of the open request is known, as it is in a talk.
        """
        context = self._in_request() if in_request else Context(customer=self.customer)
        return understand_agent(language_of(desk(self.desk), "full"), self.text, context)

    def _in_request(self) -> Context:
        """The context of a talk in which it can be said: a request that is refused for its reasons and has its facts.

        Of several, that with the most reasons is taken, and then the most facts, as it excludes least.
        """
        given = [act.arguments for act in self.acts]
        named = {each["reason"] for each in given if "reason" in each}
        asked = {each["fact"] for each in given if set(each) == {"fact"}}
        fitting = [each for each in requests_of(self.desk) if named <= each.reasons]
        whole = [each for each in fitting if asked <= each.facts | each.profile]
        if not fitting:
            return Context(customer=self.customer)
        request = max(whole or fitting, key=lambda each: (len(each.reasons), len(each.facts)))
        topic = request.facts if whole else None
        return Context(customer=self.customer, topic=topic, profile=request.profile, reasons=request.reasons)

    def is_right(self, understood: Understood) -> bool:
        """Whether all acts were understood, and none that it does not say."""
        return set(self.acts) <= set(understood.acts) <= {*self.acts, *self.may}


def phrasings() -> list[Phrasing]:
    """All phrasings."""
    return list(_read())


def says_nothing() -> list[str]:
    """Messages that say no act at any desk: bare refusals, small talk, attempts to make the customer talk."""
    return (FOLDER / "nothing.txt").read_text(encoding="utf-8").splitlines()


def heard_as_reasons() -> tuple[int, list[str]]:
    """Refusals that give no reason, said at each kind of request that can be refused.

    Returns:
        How many were said, and those of which an act was heard.
    """
    refusals = (FOLDER / "refusals.txt").read_text(encoding="utf-8").splitlines()
    said, heard = 0, []
    for name in DESKS:
        language = language_of(desk(name), "full")
        for request in (each for each in requests_of(name) if each.reasons):
            context = Context(topic=request.facts, profile=request.profile, reasons=request.reasons)
            for refusal in refusals:
                said += 1
                if acts := understand_agent(language, refusal, context).acts:
                    heard.append(f"{name}: {refusal} {acts[0]}")
    return said, heard


class Saying(NamedTuple):
    """A message of a customer.

    Attributes:
        desk: Name of the desk.
        text: The message.
        acts: What it says.
        asked: What the agent asked for before.
        num_proposed: How many calls it proposed.
    """

    desk: str
    text: str
    acts: tuple[Call, ...]
    asked: tuple[str, ...]
    num_proposed: int

    def is_right(self) -> bool:
        """Whether exactly these acts are understood."""
        language = language_of(desk(self.desk), "full")
        understood = understand_customer(language, self.text, asked=self.asked, num_proposed=self.num_proposed)
        return sorted(map(str, understood.acts)) == sorted(map(str, self.acts))


def sayings() -> list[Saying]:
    """All messages of customers."""
    lines = map(json.loads, (FOLDER / "customers.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Saying(
            fields["desk"],
            fields["text"],
            tuple(Call(*act) for act in fields["acts"]),
            tuple(fields.get("asked", ())),
            fields.get("proposed", 0),
        )
        for fields in lines
    ]


class Attempt(NamedTuple):
    """Messages that try to get out of a customer what it was not asked for.

    Attributes:
        messages: What the agent says, in turn.
        desk: The desk where it is made; "" for any.
        goal: The kind of the customer's first goal; "" for any.
    """

    messages: tuple[str, ...]
    desk: str = ""
    goal: str = ""


def attempts() -> list[Attempt]:
    """All attempts; no two say the same."""
    lines = map(json.loads, (FOLDER / "attempts.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Attempt(tuple(fields.get("messages") or [fields["text"]]), fields.get("desk", ""), fields.get("goal", ""))
        for fields in lines
    ]


def _read() -> Iterator[Phrasing]:
    paths = [path for name in FILES if (path := FOLDER / name).is_file()]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        fields = json.loads(line)
        acts, may = (tuple(Call(*each) for each in fields.get(name, ())) for name in ("acts", "may"))
        more = fields.get("joined", False), fields.get("customer", "")
        yield Phrasing(fields["part"], fields["desk"], fields["text"], acts, may, *more)
