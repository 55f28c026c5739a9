"""What a task of a desk says: the customer, its goals, the policy; and how each goal has to be settled, which follows.

Tasks are drawn in `drawing`; a task's file holds no answers, they are settled from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from agentgym.errors import ActionSyntaxError, TaskError, UnknownNameError
from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain, settle
from agentgym_tools.desks.goals import Case, Goal
from agentgym_tools.desks.personas import PERSONAS, Persona, manner
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.talk import REQUEST
from agentgym_tools.worlds.calls import Call, Value

PROMPT_VERSION = "3"
"""Version of what somebody who plays the customer is told."""


@dataclass(frozen=True)
class Plan:
    """What follows from a task.

    Attributes:
        size: The size of its world.
        policy: The rules.
        customer: Key of the customer.
        persona: How it behaves.
        profile: What it knows of itself, by fact.
        identification: The call by which it has to be known.
        cases: How its goals have to be settled.
        expected: The contents of the net changes of every right ending; empty until grading has worked them out.
    """

    size: str
    policy: Policy
    customer: str
    persona: Persona
    profile: Mapping[str, Value]
    identification: Call
    cases: Sequence[Case]
    expected: list[Sequence[str]] = field(default_factory=list, compare=False)

    @cached_property
    def known(self) -> Sequence[Mapping[str, Value]]:
        """What the customer can tell of itself and each goal, by fact."""
        return [self._known_of(case.goal) for case in self.cases]

    @cached_property
    def known_at_first(self) -> Sequence[Mapping[str, Value]]:
        """The same, before it changes its mind about any of them."""
        return [self._known_of(case.goal if case.first is None else case.first.goal) for case in self.cases]

    def _known_of(self, goal: Goal) -> Mapping[str, Value]:
        return {fact: value for fact, value in {**self.profile, **goal.facts}.items() if fact not in goal.unknown}


class _Key:
    """A task as a key of the cache: equal content, equal plan."""

    def __init__(self, task: Task, domain: Domain) -> None:
        self.task, self.domain = task, domain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.task.content_hash == other.task.content_hash

    def __hash__(self) -> int:
        return hash(self.task.content_hash)


def plan_of(task: Task, domain: Domain) -> Plan:
    """The plan of a task.

    Raises:
        TaskError: The task is of another desk, or lacks something.
    """
    return _plan(_Key(task, domain))


@lru_cache(maxsize=1024)
def _plan(key: _Key) -> Plan:
    task, domain = key.task, key.domain
    try:
        named, size, values = (task.config[name] for name in ("desk", "size", "policy"))
        customer, persona, goals = (task.private[name] for name in ("customer", "persona", "goals"))
        found = [Goal.from_json({"customer": customer, **goal}) for goal in goals]
    except KeyError as error:
        raise TaskError(
            f"task {task.id!r} lacks {error}; a desk's task has desk, size and policy in config, customer, persona and "
            "goals in private"
        ) from None
    if named != domain.name:
        raise TaskError(
            f"task {task.id!r} is one of the desk {named!r}, this environment is {domain.name!r}; make the environment "
            "that the task's suite names"
        )
    if persona not in PERSONAS:
        raise UnknownNameError("persona", persona, PERSONAS)
    for number, goal in enumerate(found):
        if goal.only_if is not None and goal.only_if.goal not in range(number):
            raise TaskError(
                f"goal {number} of task {task.id!r} depends on goal {goal.only_if.goal}; expected an earlier one, "
                "numbered from 0"
            )
    policy, world = domain.policy.from_json(values), domain.world(size)
    try:
        with world.call(may_write=False):
            profile = domain.profile(world, customer)
            identification = domain.identification(world, customer, policy)
        cases = settle(domain, world, policy, found)
    finally:
        world.close()
    return Plan(size, policy, customer, PERSONAS[persona], profile, identification, cases)


def instruction_of(domain: Domain, plan: Plan) -> str:
    """What the agent is told at the start."""
    return f"You serve {domain.title}. Read what a decision rests on before you decide. The rules:\n{plan.policy.text}"


def words_text(domain: Domain) -> str:
    """What the agent is told besides where it talks in words: how it talks, and what its words can refer to."""
    reasons = "; ".join(domain.reasons.values())
    lines = [
        "Talk to the customer in plain words, in messages without calls; words beside calls are not said. Ask for what "
        "you need, propose a change with all its values, tell what you have read, report what you have done. Where "
        "something may not be done, say so with the reason, or hand the customer over with the reason. Say goodbye to "
        "end the talk.",
        f"Reasons at this desk: {reasons}.",
    ]
    if domain.user_tools:
        lines.append("The customer can do this with tools of its own, when you ask for it:")
        lines += [f"- {talk.described_call(tool)}" for tool in domain.user_tools.values()]
    return "\n".join(lines)


def ticket_text(domain: Domain, plan: Plan) -> str:
    """What the agent is told of a customer who is not there."""
    lines = [
        "There is no customer to ask. The customer agrees to what fits the ticket. Settle its requests in their "
        "order, one after the other. Close when all is settled."
    ]
    lines += [f"- {fact}, {domain.facts[fact]}: {value}" for fact, value in plan.profile.items()]
    for number, goal in enumerate((case.goal for case in plan.cases), 1):
        lines.append(f"{number}. {goal.kind}: {domain.kinds[goal.kind].request}{_condition_of(goal, 'This counts')}")
        known = {fact: value for fact, value in goal.facts.items() if fact not in goal.unknown}
        lines += [f"   - {fact}, {domain.facts[fact]}: {value}" for fact, value in known.items()]
    return "\n".join(lines)


def agenda_text(domain: Domain, task: Task, *, in_words: bool = False) -> str:
    """What somebody who plays the customer is told."""
    return _agenda(_Key(task, domain), in_words)


@lru_cache(maxsize=1024)
def _agenda(key: _Key, in_words: bool) -> str:
    domain, plan = key.domain, _plan(key)
    way = "in plain words" if in_words else "by calls"
    lines = [f"You are one of {domain.title}. You speak {way}. Say only what stands here.", "You:"]
    lines += [f"- {fact}, {domain.facts[fact]}: {value}" for fact, value in plan.profile.items()]
    for number, goal in enumerate((case.goal for case in plan.cases), 1):
        wish = f"you want to {domain.kinds[goal.kind].phrase}.{_condition_of(goal, 'Ask for it')}"
        lines.append(f"{number}. {goal.kind}: {wish}")
        for fact, value in goal.facts.items():
            known = "you do not know it" if fact in goal.unknown else f"{value}"
            if fact in goal.at_first and goal.changes_mind:
                known = (
                    f"{goal.at_first[fact]}, until a change with it is proposed to you; say no to that, tell that on "
                    f"second thoughts it is {value}, and want that from then on"
                )
            elif fact in goal.at_first:
                known += f"; at first you say {goal.at_first[fact]} by mistake, once"
            lines.append(f"   - {fact}, {domain.facts[fact]}: {known}")
    lines += ["Ask for one thing at a time, in this order, and wait for its end. Answer all that you are asked."]
    lines += manner(plan.persona)
    if domain.user_tools:
        lines.append("Use your own tools when you are asked to, and then tell word for word what they answered.")
    lines.append("Say yes only to what you want, else no; then correct only facts that you told or were asked for.")
    lines.append("Say goodbye when all has happened, or was refused for good.")
    return "\n".join(lines)


def _condition_of(goal: Goal, start: str) -> str:
    """What is said of a goal that depends on an earlier one, such as " Ask for it only if 1 was refused."."""
    return "" if goal.only_if is None else f" {start} only if {goal.only_if.goal + 1} was {goal.only_if.ended}."


def check_facts(domain: Domain, acts: Sequence[Call]) -> None:
    """Refuse a request that names facts that there are not.

    Raises:
        ActionSyntaxError: It does.
    """
    for act in acts:
        unknown = sorted(set(act.arguments["facts"]) - set(domain.facts)) if act.tool == REQUEST else []
        if unknown:
            raise ActionSyntaxError(f"request.facts names {unknown}; expected some of {', '.join(domain.facts)}.")
