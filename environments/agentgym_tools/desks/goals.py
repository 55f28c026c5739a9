"""What a customer wants, and how a desk has to settle it: the case that oracle, user and grading read.

Kinds of goals belong to a desk; they are listed in its `domain.Domain`.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value, as_text
from agentgym_tools.worlds.toolbox import Seen

if TYPE_CHECKING:
    from agentgym_tools.desks.policy import Policy

_MINE = {"you": "I", "your": "my", "yours": "mine"}
Decision = Literal["do", "answer", "refuse", "transfer"]
Ended = Literal["done", "refused"]
_ENDS: Mapping[Decision, Ended | None] = {"do": "done", "answer": "done", "refuse": "refused", "transfer": None}


class Condition(NamedTuple):
    """How an earlier goal has to end for a customer to have another one.

    Attributes:
        goal: Number of the earlier goal, from 0.
        ended: How it has to end; a question ends as done when it was answered.
    """

    goal: int
    ended: Ended


@dataclass(frozen=True)
class Goal:
    """Something that a customer wants.

    Attributes:
        kind: Name of its `GoalKind`.
        customer: Key of the customer.
        facts: What it is about, by name of the fact.
        unknown: Facts that the customer cannot tell; the desk has to find them.
        at_first: Values that the customer tells first and corrects later.
        changes_mind: Whether it wants these values until a change with them is proposed to it; else it tells them by
            error.
        only_if: How an earlier goal has to end for the customer to ask for this one; None: it asks in any case.
    """

    kind: str
    customer: str
    facts: Mapping[str, Value]
    unknown: tuple[str, ...] = ()
    at_first: Mapping[str, Value] = field(default_factory=dict)
    changes_mind: bool = False
    only_if: Condition | None = None

    @property
    def first_wish(self) -> Goal:
        """What the customer wants before it changes its mind."""
        return replace(self, facts={**self.facts, **self.at_first}, at_first={}, changes_mind=False)

    def is_new_wish(self, told: Mapping[str, Value]) -> bool:
        """Whether a customer who tells these facts says what it wants after it has changed its mind."""
        return self.changes_mind and any(
            as_text(told[fact]) == as_text(self.facts[fact]) for fact in self.at_first if fact in told
        )

    def is_asked_for(self, endings: Mapping[int, Ended | None]) -> bool:
        """Whether the customer asks for it, where earlier goals have ended so, by their numbers."""
        return self.only_if is None or endings.get(self.only_if.goal) == self.only_if.ended

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `from_json` reads back, where the customer is added; what is empty is left out."""
        more: dict[str, Any] = {"unknown": list(self.unknown), "at_first": dict(self.at_first)}
        more |= {"changes_mind": self.changes_mind, "only_if": self.only_if and self.only_if._asdict()}
        return {"kind": self.kind, "facts": dict(self.facts), **{name: value for name, value in more.items() if value}}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Goal:
        """The inverse of `to_json`."""
        unknown, at_first = tuple(fields.get("unknown", ())), dict(fields.get("at_first", {}))
        condition = Condition(**fields["only_if"]) if "only_if" in fields else None
        changes_mind = bool(fields.get("changes_mind", False))
        return cls(
            fields["kind"], fields["customer"], dict(fields["facts"]), unknown, at_first, changes_mind, condition
        )


class GoalKind(ABC):
    """A kind of request at a desk.

    Its methods are called inside `world.call()`.

    Attributes:
        name: Its name, such as "cancel_order".
        phrase: What a customer wants, said to it, such as "cancel an order" or "know what you will pay".
        volunteered: Facts that a talkative customer names at once.
        can_lack: Facts that a customer may not know, because the desk can find them.
        can_change: Facts that a customer may tell wrongly at first, each with a function from the world to all values
            that it could have told.
        can_reconsider: Facts about which a customer may change its mind. What it wants first is drawn as they are.
    """

    name: str
    phrase: str
    volunteered: tuple[str, ...] = ()
    can_lack: tuple[str, ...] = ()
    can_change: Mapping[str, Callable[[World], Sequence[Value]]] = {}
    can_reconsider: tuple[str, ...] = ()

    @cached_property
    def request(self) -> str:
        """What a customer says that it wants, such as "I want to know what I will pay."."""
        said = re.sub(r"\b(?:yours|your|you)\b", lambda found: _MINE[found[0]], self.phrase)
        return f"I want to {said}."

    @abstractmethod
    def draw(self, rng: random.Random, world: World, customer: str) -> dict[str, Value] | None:
        """Facts of a goal that the customer could have; None if it has no such thing."""

    @abstractmethod
    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """What has to be read before the desk may act or decide, in order, after the customer is known."""

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """Every set of writes with which the customer would be content; none for a question."""
        return []

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """What the customer has to be told, by name of the fact."""
        return {}

    def check(self, world: World, goal: Goal, policy: Policy) -> Call | None:
        """The call of the customer's own tools that shows it that all is right; None if it needs no such proof."""
        return None


class Finding(NamedTuple):
    """A search by which an agent comes upon what a call that reads names, and the row that it shows then."""

    call: Call
    shows: Seen


class Read(NamedTuple):
    """A call that reads, and the rows that it shows; whoever has seen them in another way need not make it.

    Where `finding` is not None, an agent cannot know what to read before it has searched.
    """

    call: Call
    seen: frozenset[Seen]
    finding: Finding | None = None


@dataclass(frozen=True)
class Case:
    """How a goal has to be settled.

    Attributes:
        goal: The goal.
        decision: What the desk has to do.
        reads: What has to be read first.
        wanted: Every set of writes with which the customer would be content, allowed or not.
        outcomes: Those that the policy allows.
        reasons: Why none is allowed; each of them is right.
        answers: What has to be told, by fact.
        check: The call of the customer's own tools that proves to it that all is right, if there is one.
        first: The case of what the customer wants before it changes its mind; None if it does not.
        is_due: Whether the customer asks for it where all goals before it are settled rightly.
    """

    goal: Goal
    decision: Decision
    reads: tuple[Read, ...] = ()
    wanted: tuple[tuple[Call, ...], ...] = ()
    outcomes: tuple[tuple[Call, ...], ...] = ()
    reasons: tuple[str, ...] = ()
    answers: Mapping[str, Value] = field(default_factory=dict)
    check: Call | None = None
    first: Case | None = None
    is_due: bool = True

    @property
    def ends(self) -> Ended | None:
        """How the goal ends for the customer where it is settled rightly; None if a person takes over."""
        return _ENDS[self.decision] if self.is_due else None

    def wants(self, call: Call) -> bool:
        """Whether a call is one of those with which the customer would be content."""
        return any(call in calls for calls in self.wanted)

    def is_reconsidered(self, call: Call) -> bool:
        """Whether a proposal of this call makes the customer change its mind."""
        return self.first is not None and self.first.wants(call)

    def is_contradicted(self, fact: str, call: Call) -> bool:
        """Whether a call has a value for a known fact that is neither the customer's nor that of a call it wants."""
        if fact in self.goal.unknown or fact not in self.goal.facts or fact not in call.arguments:
            return False
        wanted = [each.arguments for calls in self.wanted for each in calls if each.tool == call.tool]
        right = [self.goal.facts[fact], *(arguments[fact] for arguments in wanted if fact in arguments)]
        return not any(Call("", {"": call.arguments[fact]}) == Call("", {"": value}) for value in right)

    @cached_property
    def evidence(self) -> frozenset[Seen]:
        """All rows that have to be seen before the desk may decide."""
        return frozenset().union(*(read.seen for read in self.reads))
