"""What a desk supplies: its world, tools, policy, kinds of goals, and what its policy says of a call.

How these make a case of a goal is `settle`; no desk writes that itself.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Self

from agentgym.errors import ContractError, UnknownNameError
from agentgym_tools.desks.goals import Case, Decision, Ended, Finding, Goal, GoalKind, Read
from agentgym_tools.desks.personas import PERSONAS
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds import Base, Bench, Change, World
from agentgym_tools.worlds.calls import Call, Value
from agentgym_tools.worlds.toolbox import Result, Seen, Toolbox, UserToolbox, WorldTool


class Domain(ABC):
    """A desk. Methods that take a world are called inside `world.call()`.

    Attributes:
        name: Its name, such as "shop".
        title: What the agent is told that it serves, such as "the customers of a shop".
        toolbox: Its tools. Those that are not listed are named by documents alone; an agent uses them by
            `unlisted.PROCEDURE`.
        user_toolbox: The tools in the customer's own hands, which the agent can ask it to use; None if it has none.
            Their names differ from those of the desk's tools, and `objections` and `needs_yes` answer for them too.
        policy: Its rules.
        kinds: Its kinds of goals by name.
        facts: Everything that can be asked for or told, by name with its phrase.
        reasons: Why something may be refused or handed over, by name with its phrase.
        sizes: Its bases by size: "full" and "small", and perhaps more small ones, "small-1" and so on.
        today: The episode's clock.
        customers_table: The table whose rows are the customers.
        templates: What its tasks are like.
        personas: How its customers may behave.
        subjects: Facts that say what a goal is about; no two goals of a task share their values.
        told: Facts that the desk tells; none: any fact may be one.
        synonyms: Further phrases that mean a fact, a reason, a tool or a kind of goal, by its name; they matter where
            agent and customer talk in words.
    """

    name: str
    title: str
    toolbox: type[Toolbox]
    user_toolbox: type[UserToolbox] | None = None
    policy: type[Policy]
    kinds: Mapping[str, GoalKind]
    facts: Mapping[str, str]
    reasons: Mapping[str, str]
    sizes: Mapping[str, Base]
    today: int = 0
    customers_table: str = "customers"
    templates: Sequence[Template]
    personas: Sequence[str] = tuple(name for name, persona in PERSONAS.items() if not persona.claims)
    subjects: Sequence[str] = ()
    told: Sequence[str] = ()
    synonyms: Mapping[str, Sequence[str]] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # nothing changes it

    @abstractmethod
    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key."""

    @abstractmethod
    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Facts that the customer knows of itself."""

    @abstractmethod
    def identification(self, world: World, customer: str, policy: Any) -> Call:
        """The call by which the policy wants this customer to be known."""

    @abstractmethod
    def objections(self, world: World, call: Call, policy: Any) -> list[str]:
        """Why the policy forbids a call that writes, the plainest reason first; none if it allows it."""

    @abstractmethod
    def owner(self, world: World, call: Call) -> str | None:
        """Whose data a call that writes changes; None if nobody's."""

    @abstractmethod
    def needs_yes(self, tool: str, policy: Any) -> bool:
        """Whether the policy wants the customer's yes before a call of this tool."""

    @abstractmethod
    def is_for_staff(self, reason: str, policy: Any) -> bool:
        """Whether what is forbidden for this reason is handed over to a person, not refused."""

    def rules_text(self, policy: Policy) -> str:
        """All that says the rules: what the agent reads at the start, and documents that it has to find."""
        return policy.text

    def named_by(self, tool: str) -> frozenset[Seen]:
        """Rows that name a tool which is not listed: what it shows counts as read once they have been seen."""
        return frozenset()

    def finding(self, call: Call, policy: Any) -> Finding | None:
        """The search that comes before a call that reads; None where it names only what an agent can know."""
        return None

    def world(self, size: str) -> World:
        """A new world.

        Raises:
            UnknownNameError: There is no base of this size.
        """
        if size not in self.sizes:
            raise UnknownNameError("size", size, self.sizes, owner=f"the desk {self.name!r}")
        return World(_bench(self.sizes[size]), self.today)

    @cached_property
    def reasons_by_kind(self) -> Mapping[str, frozenset[str]]:
        """Why requests of each kind of goal are refused or handed over, as its templates say."""
        found: dict[str, set[str]] = {kind: set() for kind in self.kinds}
        for template in self.templates:
            if template.is_infeasible and template.reason:
                found[template.refused_kind].add(template.reason)
        return {kind: frozenset(reasons) for kind, reasons in found.items()}

    @property
    def small_worlds(self) -> list[str]:
        """The sizes of its small worlds."""
        return [size for size in self.sizes if size.startswith("small")]

    @property
    def writing(self) -> list[str]:
        """Names of the tools that write."""
        return [name for name, tool in self.toolbox.tools.items() if tool.is_writing]

    @cached_property
    def listed(self) -> Mapping[str, WorldTool]:
        """The tools that agents are shown, by name."""
        return {name: tool for name, tool in self.toolbox.tools.items() if tool.is_listed}

    @cached_property
    def unlisted(self) -> Mapping[str, WorldTool]:
        """The tools that only documents name, by name."""
        return {name: tool for name, tool in self.toolbox.tools.items() if not tool.is_listed}

    @property
    def user_tools(self) -> Mapping[str, WorldTool]:
        """The customer's own tools by name."""
        return {} if self.user_toolbox is None else self.user_toolbox.tools

    def carry_out(self, world: World, customer: str, call: Call) -> Result:
        """Make a call of a desk's tool, or of the customer's own."""
        if self.user_toolbox is not None and call.tool in self.user_toolbox.tools:
            return self.user_toolbox(world, customer).call(call)
        return self.toolbox(world).call(call)


@cache
def _bench(base: Base) -> Bench:
    return Bench(base)


def settle(
    domain: Domain, start: World, policy: Policy, goals: Sequence[Goal], *, with_reads: bool = True
) -> list[Case]:
    """The cases of goals that are settled one after another, each on the world that the ones before it left.

    A goal that the customer does not ask for, because an earlier one ends otherwise, is settled on the world at the end
    of that one, without the writes that would have been made for either.

    Args:
        domain: The desk.
        start: The world at the start; its rows stay as they are.
        policy: The rules, which the world's tools show from here on.
        goals: The goals in the order in which the customer has them.
        with_reads: Whether cases say what has to be read; to decide, that is not needed.
    """
    start.rules = policy
    world = start.fork() if len(goals) > 1 else start
    cases: dict[int, Case] = {}
    for number, goal in enumerate(goals):
        if number in cases:
            continue
        case = cases[number] = _case_with_first(domain, world, policy, goal, with_reads)
        for other in _ruled_out(goals, number, case.ends):
            cases[other] = replace(_case(domain, world, policy, goals[other], with_reads), is_due=False)
        if number + 1 == len(goals):
            break
        for call in case.outcomes[0] if case.outcomes else ():
            domain.carry_out(world, goal.customer, call)
    if world is not start:
        world.close()
    return [cases[number] for number in range(len(goals))]


def _ruled_out(goals: Sequence[Goal], number: int, ended: Ended | None) -> Iterator[int]:
    """The goals that a customer does not ask for where the goal of a number has ended so; None: it was never asked."""
    for other, goal in enumerate(goals):
        if goal.only_if is not None and goal.only_if.goal == number and not goal.is_asked_for({number: ended}):
            yield other
            yield from _ruled_out(goals, other, None)


def _case_with_first(domain: Domain, world: World, policy: Policy, goal: Goal, with_reads: bool) -> Case:
    case = _case(domain, world, policy, goal, with_reads)
    if not goal.changes_mind:
        return case
    return replace(case, first=_case(domain, world, policy, goal.first_wish, with_reads))


def _case(domain: Domain, world: World, policy: Policy, goal: Goal, with_reads: bool) -> Case:
    kind = domain.kinds[goal.kind]
    with world.call(may_write=False):
        calls = kind.reads(world, goal, policy) if with_reads else []
        wanted = tuple(kind.wanted(world, goal, policy))
        answers, check = kind.answers(world, goal, policy), kind.check(world, goal, policy)
    reads = tuple(
        Read(call, _seen_by(domain, world, goal.customer, call), domain.finding(call, policy)) for call in calls
    )
    against = [objections_to(domain, world, goal.customer, calls, policy) for calls in wanted]
    outcomes = tuple(calls for calls, reasons in zip(wanted, against, strict=True) if not reasons)
    reasons: tuple[str, ...] = ()
    decision: Decision = "do" if wanted else "answer"
    if wanted and not outcomes:
        reasons = tuple(dict.fromkeys(reason for found in against for reason in found))
        decision = "transfer" if domain.is_for_staff(reasons[0], policy) else "refuse"
    return Case(goal, decision, reads, wanted, outcomes, reasons, answers, check)


def _seen_by(domain: Domain, world: World, customer: str, call: Call) -> frozenset[Seen]:
    result = domain.carry_out(world, customer, call)
    if not result.seen:
        raise ContractError(f"{call} is to be read for a goal but shows no row: {result.text[:200]}; call show() in it")
    return result.seen


def changes_by(domain: Domain, customer: str, start: World, calls: Sequence[Call]) -> list[Change]:
    """The net changes that a customer's calls make from a world, which stays as it is; a call that fails makes none."""
    world = start.fork()
    try:
        for call in calls:
            domain.carry_out(world, customer, call)
        return world.changes()
    finally:
        world.close()


def objections_to(domain: Domain, world: World, customer: str, calls: Sequence[Call], policy: Policy) -> list[str]:
    """Why the policy forbids a customer's set of writes, carried out in order on a copy; none if it allows them.

    A write that the tools cannot carry out counts as one that the policy forbids: a domain states that reason too.
    """
    trial = world.fork() if len(calls) > 1 else world
    found: list[str] = []
    for number, call in enumerate(calls, 1):
        with trial.call(may_write=False):
            found += domain.objections(trial, call, policy)
        if found or number == len(calls):
            break
        domain.carry_out(trial, customer, call)
    if trial is not world:
        trial.close()
    return found
