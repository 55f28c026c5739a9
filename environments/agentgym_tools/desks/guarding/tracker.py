"""A talk followed from the customer's side: what it was asked, told, agreed to and got, by its agenda.

It knows no right or wrong: what the customer may say next is in `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentgym.message import Message, content_text
from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.goals import Case, Ended
from agentgym_tools.desks.tasks import Plan
from agentgym_tools.desks.user import FAILED
from agentgym_tools.worlds.calls import Call, Value

MAX_CALLS = 8
"""Calls of one message that are carried out."""
Hear = Callable[[str], Sequence[Call]]
"""Reads what a customer is told as acts of the agent and notices; words without an act are none."""


def acts_in(text: str) -> list[Call]:
    """The act that a message to a customer is, if it is one."""
    try:
        return [talk.from_text(text)]
    except (ValueError, KeyError, TypeError):
        return []


class Tracker:
    """What has happened so far, as the customer knows it.

    Args:
        domain: The desk.
        plan: What follows from the task: the customer's persona, profile and goals.
        acts_of: How what it is told is read.

    Attributes:
        number: Number of the goal that it asked for last; -1 before the first.
        asked: How often the agent asked for a fact of the present goal or the profile; what was volunteered counts.
        told: Facts of the present goal or the profile of which the customer told a value.
        forgotten: Facts that it said not to know.
        corrected: Facts that a proposal showed to be misunderstood: they were asked for or told, or the customer has
            changed its mind about them.
        proposed: The calls that the agent's last message proposes.
        agreed: Calls to which it said yes, for the present goal.
        received: Changes of which it knows, for the present goal.
        instructed: How often it was asked to use its own tools, by the call's key, for the present goal.
        ran: What its own tools answered since it was last asked for the call, by the call's key.
        claimed: Changes that it said to have made and has not.
        open: What the agent's last message wants an answer to.
        num_refused: How often the agent refused the present goal.
        num_insisted: How often the customer asked again for it.
        has_accepted: Whether it accepted the refusal.
        num_useless: Messages of the agent that were of no use to it.
        is_moved: Whether something in the agent's last message was of use.
        is_tested: Whether the present goal's check was made after the last change.
        has_reconsidered: Whether it has changed its mind about the present goal.
        ended: How goals before the present one ended, by their numbers.
    """

    def __init__(self, domain: Domain, plan: Plan, acts_of: Hear = acts_in) -> None:
        self.domain, self.plan = domain, plan
        self._acts_of = acts_of
        self.number = -1
        self.asked: dict[str, int] = {}
        self.told: set[str] = set()
        self.forgotten: set[str] = set()
        self.corrected: set[str] = set()
        self.proposed: list[Call] = []
        self.agreed: list[Call] = []
        self.received: list[Call] = []
        self.instructed: dict[str, int] = {}
        self.ran: dict[str, str] = {}
        self.claimed: list[Call] = []
        self.open: list[Call] = []
        self.num_refused = self.num_insisted = self.num_useless = 0
        self.has_accepted = self.is_moved = self.is_tested = self.has_reconsidered = False
        self.ended: dict[int, Ended | None] = {}
        self._answers: set[str] = set()
        self._looked: set[str] = set()
        self._made: list[Call] = []

    @property
    def case(self) -> Case:
        """The case of the goal that the customer asked for last, or of its first, as it wants it now."""
        case = self.plan.cases[max(self.number, 0)]
        return case if case.first is None or self.has_reconsidered else case.first

    @property
    def known(self) -> Mapping[str, Value]:
        """What the customer can tell of itself and the present goal, by fact."""
        return self.known_of(max(self.number, 0))

    def known_of(self, number: int) -> Mapping[str, Value]:
        """The same for the goal of a number; it changes its mind about none but the present one, or those before."""
        is_present = number < max(self.number, 0) or (number == max(self.number, 0) and self.has_reconsidered)
        return (self.plan.known if is_present else self.plan.known_at_first)[number]

    @property
    def following(self) -> int | None:
        """The number of the next goal that the customer asks for, as the present one has ended; None for no further."""
        ended = {**self.ended, self.number: self._ended}
        later = range(self.number + 1, len(self.plan.cases))
        return next((number for number in later if self.plan.cases[number].goal.is_asked_for(ended)), None)

    @property
    def is_last(self) -> bool:
        """Whether no goal comes after the present one."""
        return self.number >= 0 and self.following is None

    @property
    def is_settled(self) -> bool:
        """Whether the present goal has come to an end for the customer."""
        if self.number < 0:
            return False
        return not self.owed if self.has_accepted else self._is_fulfilled

    @property
    def _ended(self) -> Ended | None:
        """How the present goal ended for the customer; None while it is open."""
        if not self.is_settled:
            return None
        return "done" if self._is_fulfilled else "refused"

    @property
    def _is_fulfilled(self) -> bool:
        case = self.case
        if not case.wanted:
            return all(fact in self._answers for fact in case.answers)
        is_proven = case.check is None or self.is_tested
        return is_proven and any(all(call in self.received for call in calls) for calls in case.wanted)

    @property
    def owed(self) -> Sequence[Call]:
        """The calls to which the customer said yes and of which it does not know that they were made."""
        return [call for call in self.agreed if call not in self.received]

    @property
    def is_impatient(self) -> bool:
        """Whether the customer may leave: its patience is used up, the last message was no use, nothing is owed."""
        return not self.is_moved and not self.owed and self.num_useless + 1 > self.plan.persona.patience

    def is_wanted(self, call: Call) -> bool:
        """Whether the customer wants a call for its present goal."""
        return self.case.wants(call)

    def has_received(self, call: Call) -> bool:
        """Whether it knows that a call was made for its present goal."""
        return call in self.received

    def may_tell(self, fact: str) -> bool:
        """Whether it may tell a fact now: it was asked for it, has told it, would name it, or has changed its mind."""
        is_new = self.has_reconsidered and fact in self.case.goal.at_first
        return is_new or fact in self.asked or fact in self.told or self.may_volunteer(fact, self.number)

    def may_volunteer(self, fact: str, number: int) -> bool:
        """Whether it names a fact of a goal without being asked."""
        goal = self.plan.cases[number].goal
        is_named = fact in self.domain.kinds[goal.kind].volunteered and fact in goal.facts
        return self.plan.persona.volunteers and is_named

    def hear(self, messages: Sequence[Message]) -> None:
        """Take in what the customer receives: acts of the agent, notices, and results of its own calls."""
        for message in messages:
            if message["role"] == "tool":
                if self._made:
                    self.learn(self._made.pop(0), content_text(message))
                continue
            for act in self._acts_of(content_text(message)):
                self.hear_act(act)

    def take(self, calls: Sequence[Call]) -> None:
        """Note whose results come next: the calls of a message of the customer, in order."""
        self._made = list(calls)

    def do(self, call: Call) -> None:
        """Take in one act of the customer."""
        given = call.arguments
        if call.tool == talk.REQUEST:
            self._request(given["goal"], given["facts"])
        elif call.tool == talk.INFORM:
            self.told.add(given["fact"])
            self._take_wish({given["fact"]: given["value"]})
        elif call.tool == talk.UNKNOWN:
            self.forgotten.add(given["fact"])
        elif call.tool == talk.CONFIRM and 1 <= given["number"] <= len(self.proposed):
            self.agreed.append(self.proposed[given["number"] - 1])
        elif call.tool == talk.INSIST:
            self.num_insisted += 1
        elif call.tool == talk.ACCEPT and self.num_refused:
            self.has_accepted = True
        elif call.tool == talk.DID:
            did = Call(given["action"], given["arguments"])
            if did.key not in self.ran and did not in self.claimed and self._is_writing(did):
                self.claimed.append(did)
        elif call in self.claimed:
            self.claimed.remove(call)

    def end_turn(self, calls: Sequence[Call]) -> None:
        """The customer has spoken; the agent acts next."""
        is_going_on = any(call.tool in (talk.REQUEST, talk.BYE) for call in calls)
        self.num_useless += not self.is_moved and not is_going_on
        self.is_moved = False
        self.open, self.proposed = [], []

    def key(self) -> tuple[object, ...]:
        """A canonical value of everything that the rules depend on."""
        lists = (self.proposed, self.agreed, self.received, self.claimed, self.open)
        sets = (self.told, self.forgotten, self.corrected, self._answers, self._looked)
        counts = (self.number, self.num_refused, self.num_insisted, self.num_useless, self.has_reconsidered)
        return (
            *(sorted(each.key for each in calls) for calls in lists),
            *(sorted(names) for names in sets),
            *(sorted(self.asked.items()), sorted(self.instructed.items()), sorted(self.ran.items())),
            sorted(self.ended.items()),
            *(*counts, self.has_accepted, self.is_moved, self.is_tested),
        )

    def fork(self) -> Tracker:
        """A copy that goes on by itself."""
        twin = Tracker(self.domain, self.plan)
        for name, value in vars(self).items():
            setattr(twin, name, type(value)(value) if isinstance(value, dict | set | list) else value)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Tracker:
        return self.fork()

    def hear_act(self, act: Call) -> None:
        """Take in an act of the agent, or a notice."""
        given = act.arguments
        if act.tool == talk.NOTICE:
            self._receive(Call(given["action"], given["arguments"]))
            self.is_moved = True
        elif act.tool == talk.ASK:
            times = self.asked[given["fact"]] = self.asked.get(given["fact"], 0) + 1
            self.is_moved |= times <= (2 if given["fact"] in self.known else 1)
        elif act.tool == talk.PROPOSE:
            self._hear_proposal(Call(given["action"], given["arguments"]))
        elif act.tool == talk.INSTRUCT:
            self._hear_instruction(Call(given["action"], given["arguments"]))
        elif act.tool == talk.TELL and given["fact"] in self.case.answers:
            self._answers.add(given["fact"])
            self.is_moved = True
        elif act.tool == talk.REFUSE:
            self.num_refused += 1
            self.is_moved = True
        elif act.tool == talk.REPORT:
            self.is_moved |= bool(self.received)
        if act.tool in (talk.ASK, talk.PROPOSE, talk.INSTRUCT, talk.REFUSE):
            self.open.append(act)

    def _hear_proposal(self, call: Call) -> None:
        self.proposed.append(call)
        case = self.plan.cases[max(self.number, 0)]
        new = set(case.goal.at_first) if case.is_reconsidered(call) else set()
        self.has_reconsidered |= bool(new)
        is_wanted = self.is_wanted(call)
        named = {*self.asked, *self.told} & set(self.known)
        wrong = set() if is_wanted else new | {fact for fact in named if self.case.is_contradicted(fact, call)}
        self.is_moved |= is_wanted or not self.corrected.issuperset(wrong)
        self.corrected |= wrong

    def _hear_instruction(self, call: Call) -> None:
        self.instructed[call.key] = self.instructed.get(call.key, 0) + 1
        self.ran.pop(call.key, None)
        if call in self.claimed:
            self.is_moved = True
        elif self._is_writing(call):
            self.is_moved |= self.is_wanted(call)
        else:
            self.is_moved |= call.key not in self._looked
        if not self._is_writing(call):
            self._looked.add(call.key)

    def learn(self, call: Call, result: str) -> None:
        """Take in what a call of the customer's own tools came to."""
        if call.tool not in self.domain.user_tools:
            return
        self.ran[call.key] = result
        if self._is_writing(call) and not result.startswith(FAILED):
            self._receive(call)
        if call == self.case.check:
            self.is_tested = True

    def _receive(self, call: Call) -> None:
        self.received.append(call)
        self.is_tested = False
        self._looked.clear()

    def _is_writing(self, call: Call) -> bool:
        return self.domain.user_tools[call.tool].is_writing

    def _request(self, kind: str, facts: Mapping[str, Value]) -> None:
        """Begin the goal that a request is for, as the desk takes it: the next of its kind, or the present again."""
        later = [number for number, case in enumerate(self.plan.cases) if case.goal.kind == kind]
        is_again = self.number >= 0 and self.case.goal.kind == kind and not self.is_settled
        following = self.following
        coming = [number for number in later if number > self.number]
        number = following if following in coming else next(iter(coming), None)
        if self.number < 0:
            number = number or 0
        if not is_again and number is not None:
            profile = self.plan.profile
            self.ended[self.number] = self._ended
            self.number, self.has_reconsidered = number, False
            self.asked = {fact: times for fact, times in self.asked.items() if fact in profile}
            for names in (self.told, self.forgotten):
                names.intersection_update(profile)
            for each in (self.corrected, self.agreed, self.received, self.instructed, self._answers):
                each.clear()
            self.num_refused = self.num_insisted = 0
            self.has_accepted = self.is_tested = False
        self.asked |= dict.fromkeys(facts, 1)
        self.told.update(facts)
        self._take_wish(facts)

    def _take_wish(self, told: Mapping[str, Value]) -> None:
        """Whoever tells its new wish, be it too early, has changed its mind."""
        self.has_reconsidered |= self.plan.cases[max(self.number, 0)].goal.is_new_wish(told)
