"""The state of an episode at a desk: what was read, said, agreed to, written, and against which rules.

Who acts when is the game's business (`game`); what pays is in `grading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field

from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.goals import Case, Ended
from agentgym_tools.desks.tasks import Plan, plan_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value, as_text
from agentgym_tools.worlds.toolbox import Result, Seen

UNIDENTIFIED, FOREIGN, UNREAD, UNCONFIRMED = "unidentified", "foreign", "unread", "unconfirmed"
"""What is wrong with a write, besides the reasons of a policy: the customer was not known, it was another customer's
data, what it rests on had not been read, or the customer had not said yes to this very call."""


@dataclass(frozen=True)
class Ending:
    """What the agent decided on a goal.

    Attributes:
        decision: "refuse" or "transfer".
        reason: The reason that it gave.
        is_founded: Whether it had seen what the decision rests on.
        is_early: Whether the customer still wanted something else, about which it would have changed its mind.
    """

    decision: str
    reason: str
    is_founded: bool
    is_early: bool = False


@dataclass
class Session:
    """An episode.

    Attributes:
        domain: The desk.
        plan: What follows from the task: the policy, the customer, its goals and their cases.
        start: The world at the start.
        world: The world now.
        customer: Who has been identified; "" for nobody.
        seen: The rows that tools showed.
        informed: What the customer told, by fact; the last value.
        asked: Facts that were asked for.
        proposed: Calls proposed in the agent's last message.
        agreed: Calls to which the customer said yes and that were not made since.
        made: Calls that wrote, in order.
        told: What the agent told, by fact: each value, and whether a tool had shown it before.
        endings: What the agent refused or handed over, by the number of the goal.
        current: Number of the goal that the customer asked for last.
        reconsidered: Numbers of the goals about which the customer has changed its mind.
        violations: What was wrong with writes, in order.
        untold: What came of calls of the customer's own tools of which it has not told yet, by the call's key.
        is_unchecked: Whether something was changed since the customer last checked that all is right.
        is_solo: Whether a ticket takes the customer's place.
    """

    domain: Domain
    plan: Plan
    start: World
    world: World
    customer: str = ""
    seen: set[Seen] = field(default_factory=set)
    informed: dict[str, Value] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    proposed: list[Call] = field(default_factory=list)
    agreed: list[Call] = field(default_factory=list)
    made: list[Call] = field(default_factory=list)
    told: dict[str, dict[str, bool]] = field(default_factory=dict)
    endings: dict[int, Ending] = field(default_factory=dict)
    current: int = 0
    reconsidered: set[int] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)
    untold: dict[str, Result] = field(default_factory=dict)
    is_unchecked: bool = False
    is_solo: bool = False

    @property
    def cases(self) -> Sequence[Case]:
        """The cases of the customer's goals."""
        return self.plan.cases

    @property
    def case(self) -> Case:
        """The case of the goal that the customer asked for last, as it wants it now."""
        case = self.cases[self.current]
        return case.first if case.first is not None and self.is_first_wish else case

    @property
    def is_first_wish(self) -> bool:
        """Whether the customer will still change its mind about this goal; a ticket says what is wanted in the end."""
        is_waiting = self.cases[self.current].first is not None and self.current not in self.reconsidered
        return is_waiting and not self.is_solo

    @property
    def is_settled(self) -> bool:
        """Whether all goals that are asked for have come to an end."""
        numbers = range(len(self.cases))
        return all(self._is_ended(number) for number in numbers if self._is_asked_for(number))

    @property
    def is_known(self) -> bool:
        """Whether it is the customer who was identified, nobody else."""
        return self.customer == self.plan.customer

    def has_seen(self, rows: frozenset[Seen]) -> bool:
        """Whether tools showed all these rows."""
        return rows <= self.seen

    def num_known(self) -> tuple[object, ...]:
        """Whatever the steps made depend on, by size: each part only grows, but for `agreed`, which gives to `made`."""
        told = sum(map(len, self.told.values()))
        said = told, len(self.endings), len(self.reconsidered)
        return self.customer, len(self.seen), len(self.made), len(self.agreed), *said

    def carry_out(self, call: Call) -> tuple[Result, list[str]]:
        """Make a call; returns its result, and what was wrong with a write that was made."""
        is_writing = self.domain.toolbox.tools[call.tool].is_writing
        wrong = self._wrong_with(call) if is_writing else []
        result = self.domain.toolbox(self.world).call(call)
        if result.is_failure:
            return result, []
        if self.has_seen(self.domain.named_by(call.tool)):
            self.seen |= result.seen
        if call.tool == self.plan.identification.tool:
            found = [key for table, key in result.seen if table == self.domain.customers_table]
            self.customer = found[0] if len(found) == 1 else self.customer
        if is_writing:
            self.made.append(call)
            self.is_unchecked = True
            if call in self.agreed:
                self.agreed.remove(call)
            self.violations += wrong
        return result, wrong

    def carry_out_for_user(self, call: Call) -> Result:
        """Make a call of the customer's own tools; the agent learns of it when the customer tells it."""
        result = self.untold[call.key] = self.domain.carry_out(self.world, self.plan.customer, call)
        if self.domain.user_tools[call.tool].is_writing and not result.is_failure:
            self.made.append(call)
        return result

    def hear_agent(self, act: Call) -> list[str]:
        """Take in what the agent says; returns what is wrong with a write that it asks the customer for."""
        given = act.arguments
        if act.tool == talk.ASK:
            self.asked.add(given["fact"])
        elif act.tool == talk.PROPOSE:
            self.proposed.append(Call(given["action"], given["arguments"]))
        elif act.tool == talk.TELL:
            self._hear_answer(given["fact"], as_text(given["value"]))
        elif act.tool in (talk.REFUSE, talk.TRANSFER):
            if self.is_solo:
                self.go_on_alone(needs_proof=False)
            is_founded = self.has_seen(self.case.evidence) and self.is_known
            ending = Ending(act.tool, given["reason"], is_founded, self.is_first_wish)
            self.endings.setdefault(self.current, ending)
        elif act.tool == talk.INSTRUCT and self.domain.user_tools[given["action"]].is_writing:
            wrong = self._wrong_with(Call(given["action"], given["arguments"]))
            self.violations += wrong
            return wrong
        return []

    def hear_user(self, act: Call) -> None:
        """Take in what the customer says."""
        given = act.arguments
        if act.tool == talk.REQUEST:
            self._begin_goal(given["goal"])
            told = {fact: value for fact, value in given["facts"].items() if fact in self.domain.facts}
            self._take_in(told)
        elif act.tool == talk.INFORM:
            self._take_in({given["fact"]: given["value"]})
        elif act.tool == talk.CONFIRM and given["number"] <= len(self.proposed):
            self.agreed.append(self.proposed[given["number"] - 1])
        elif act.tool == talk.DENY and 1 <= given["number"] <= len(self.proposed):
            if self.cases[self.current].is_reconsidered(self.proposed[given["number"] - 1]):
                self.reconsidered.add(self.current)
        elif act.tool == talk.DID:
            self._hear_of(Call(given["action"], given["arguments"]))

    def go_on_alone(self, *, needs_proof: bool = True) -> None:
        """Without a customer: take the ticket's next goal where the present one has come to an end.

        Args:
            needs_proof: Whether a trouble has to be shown to be gone first; nobody is there to be shown it.
        """
        while self._is_ended(self.current) and not (needs_proof and self._is_unproven()):
            later = range(self.current + 1, len(self.cases))
            following = next((number for number in later if self._is_asked_for(number)), None)
            if following is None:
                break
            self.current = following
            self._take_ticket()

    def use_alone(self, call: Call) -> tuple[Result, list[str]]:
        """Without a customer: make a call of the customer's own tools; returns as `carry_out` does."""
        is_writing = self.domain.user_tools[call.tool].is_writing
        wrong = self._wrong_with(call) if is_writing else []
        result = self.carry_out_for_user(call)
        if result.is_failure:
            return result, []
        self._hear_of(call)
        self.violations += wrong
        return result, wrong

    def begin_alone(self) -> None:
        """Begin without a customer, with the first goal of its ticket."""
        self.is_solo = True
        self.informed |= self.plan.profile
        self.agreed = [call for case in self.cases if case.is_due for calls in case.wanted for call in calls]
        self._take_ticket()

    def fork(self) -> Session:
        """A copy that goes on by itself."""
        copied = {
            name: type(value)(value) for name, value in vars(self).items() if isinstance(value, set | list | dict)
        }
        copied["told"] = {fact: dict(values) for fact, values in self.told.items()}
        return Session(**{**vars(self), **copied, "start": self.start.fork(), "world": self.world.fork()})

    def __deepcopy__(self, memo: dict[int, object]) -> Session:
        return self.fork()

    def key(self) -> tuple[object, ...]:
        """A canonical value of everything that the future depends on."""
        told = sorted((fact, sorted(values.items())) for fact, values in self.told.items())
        calls = [sorted(call.key for call in calls) for calls in (self.agreed, self.made)]
        endings = sorted((number, astuple(ending)) for number, ending in self.endings.items())
        heard = sorted((fact, as_text(value)) for fact, value in self.informed.items())
        said = [[call.key for call in self.proposed], sorted(self.reconsidered)]
        return (
            *(self.customer, self.current, sorted(self.seen), heard, said, calls, told, endings),
            *(sorted(self.violations), sorted(self.untold), self.is_unchecked, self.world.state()),
        )

    def _take_in(self, told: Mapping[str, Value]) -> None:
        """Note facts that the customer tells; with its new wish it has changed its mind, proposal or not."""
        self.informed |= told
        if self.cases[self.current].goal.is_new_wish(told):
            self.reconsidered.add(self.current)

    def _hear_answer(self, fact: str, value: str) -> None:
        """Note what the agent tells where somebody wants to know it; what else it tells is no answer.

        It answers the present goal, else an earlier one. A ticket shows those that come later, too.
        """
        numbers = range(self.current, -1, -1)
        coming = range(self.current + 1, len(self.cases)) if self.is_solo else ()
        asking = (self.case, *(self.cases[number] for number in (*numbers, *coming) if self._is_asked_for(number)))
        case = next((case for case in asking if fact in case.answers), None)
        if case is not None:
            is_founded = self.has_seen(case.evidence) and self.is_known
            self.told.setdefault(fact, {}).setdefault(value, is_founded)

    def _hear_of(self, call: Call) -> None:
        """The customer tells that it used a tool of its own; it may say so without having done it."""
        result = self.untold.pop(call.key, None)
        if result is not None:
            self.seen |= result.seen
        if self.domain.user_tools[call.tool].is_writing:
            self.is_unchecked = True
        elif call == self.case.check:
            self.is_unchecked = False

    def _take_ticket(self) -> None:
        goal = self.case.goal
        self.informed |= {fact: value for fact, value in goal.facts.items() if fact not in goal.unknown}

    def _is_unproven(self) -> bool:
        return self.case.check is not None and self.case.decision == "do" and self.is_unchecked

    def _begin_goal(self, kind: str) -> None:
        later = [number for number in range(self.current, len(self.cases)) if self.cases[number].goal.kind == kind]
        is_again = self.cases[self.current].goal.kind == kind and not self._is_ended(self.current)
        if later and not is_again:
            coming = [number for number in later if number > self.current]
            asked = [number for number in coming if self._is_asked_for(number)]
            self.current = next(iter(asked or coming), self.current)

    def _is_asked_for(self, number: int) -> bool:
        goal = self.cases[number].goal
        if goal.only_if is None:
            return True
        return goal.is_asked_for({goal.only_if.goal: self._ended(goal.only_if.goal)})

    def _ended(self, number: int) -> Ended | None:
        """How a goal ended for the customer, rightly or not; None while it is open, or where it was not asked for."""
        if not self._is_asked_for(number):
            return None
        case = self.cases[number]
        is_done = all(fact in self.told for fact in case.answers)
        if case.wanted:
            is_done = any(all(call in self.made for call in calls) for calls in case.wanted)
        if is_done:
            return "done"
        return "refused" if number in self.endings else None

    def _is_ended(self, number: int) -> bool:
        return number in self.endings or has_happened(self.cases[number], self.made, self.told)

    def _wrong_with(self, call: Call) -> list[str]:
        found = [] if self.customer else [UNIDENTIFIED]
        with self.world.call(may_write=False):
            owner = self.domain.owner(self.world, call)
            if self.customer and owner is not None and owner != self.customer:
                found.append(FOREIGN)
            found += self.domain.objections(self.world, call, self.plan.policy)
        resting = [case for case in self.cases if any(call in calls for calls in case.wanted)]
        is_named = self.has_seen(self.domain.named_by(call.tool))
        if not is_named or (resting and not any(self.has_seen(case.evidence) for case in resting)):
            found.append(UNREAD)
        if self.domain.needs_yes(call.tool, self.plan.policy) and call not in self.agreed:
            found.append(UNCONFIRMED)
        return found


def session_of(task: Task, domain: Domain, *, is_solo: bool = False) -> Session:
    """The session of a task, at its start; with or without a customer.

    Raises:
        TaskError: The task is of another desk, or lacks something.
    """
    plan = plan_of(task, domain)
    world = domain.world(plan.size)
    world.rules = plan.policy
    session = Session(domain, plan, start=world.fork(), world=world)
    if is_solo:
        session.begin_alone()
    return session


def has_happened(case: Case, made: Sequence[Call], told: dict[str, dict[str, bool]]) -> bool:
    """Whether all writes of one outcome were made, or all answers given."""
    if case.decision == "do":
        return any(all(call in made for call in calls) for calls in case.outcomes)
    return case.decision == "answer" and all(fact in told for fact in case.answers)
