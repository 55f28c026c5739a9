"""The rule-based customer: an agenda of goals, what it knows of them, and how it behaves.

It says only what its agenda holds, and of that what it was asked for or volunteers. It says yes only to what it wants,
and does not leave before what it agreed to has happened. It reads acts, not words: words are understood before they
reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from agentgym.authoring.players import call_text
from agentgym.message import Message, content_text
from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Case, Ended
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.worlds.calls import Call, Value

DONE = "Done."
"""What the customer tells of a change that it made with its own tools, or claims to have made."""
FAILED = "Error:"
MAX_ERRANDS = 8
"""Most calls of the customer's own tools in one message."""


class Errand(NamedTuple):
    """A call of the customer's own tools that it makes for the agent.

    Attributes:
        call: The call.
        is_told: Whether it then tells what came of it; not of what it had claimed before.
    """

    call: Call
    is_told: bool


class Customer:
    """Plays the customer's role of a task.

    Args:
        task: The task; its private part holds the agenda.
        seed: Not used: a customer's moves follow from the talk alone.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self._domain = desk(task.config["desk"])
        plan = plan_of(task, self._domain)
        self._cases, self._profile, self._persona = plan.cases, plan.profile, plan.persona
        self._number = -1
        self._ended: dict[int, Ended | None] = {}
        self._has_reconsidered = False
        self._patience = self._persona.patience
        self._num_insisted = 0
        self._has_digressed = False
        self._asked: dict[str, int] = {}
        self._corrected: set[str] = set()
        self._refuted: set[str] = set()
        self._agreed: list[Call] = []
        self._received: list[Call] = []
        self._claimed: list[Call] = []
        self._errands: list[Errand] = []
        self._results: list[str] = []
        self._held: list[Call] = []
        self._looked: set[str] = set()
        self._is_tested = self._is_useful = False
        self._read = 0

    def act(self, messages: Sequence[Message]) -> str:
        """The customer's next message, as calls."""
        new = messages[self._read :]
        self._read = len(messages)
        if self._number < 0:
            return _said([self._next_request()])
        if self._errands:
            return self._report([content_text(message) for message in new if message["role"] == "tool"])
        heard = [talk.from_text(content_text(message)) for message in new if message["role"] == "user"]
        self._reconsider(heard)
        replies: list[Call] = []
        num_proposed = 0
        is_moving = False
        for act in heard:
            if act.tool == talk.NOTICE:
                is_moving |= self._receive(Call(act.arguments["action"], act.arguments["arguments"]))
                continue
            if act.tool == talk.PROPOSE:
                num_proposed += 1
            reply, is_useful = self._answer(act, num_proposed)
            replies += reply
            is_moving |= is_useful
        if self._errands:
            self._held, self._is_useful = replies, is_moving
            return self._run_errands()
        return self._speak(replies, is_moving)

    def _speak(self, replies: list[Call], is_moving: bool) -> str:
        replies = [*replies, *self._go_on()]
        if not is_moving and not any(reply.tool in (talk.REQUEST, talk.BYE) for reply in replies):
            self._patience -= 1
            if self._patience < 0 and not self._owed():
                return _said([Call(talk.BYE)])
        return _said(replies or [Call(talk.WAIT)])

    def anchor(self) -> str:
        """What its further moves depend on."""
        asked, agreed = sorted(self._asked.items()), sorted(call.key for call in self._agreed)
        received = sorted(call.key for call in self._received)
        counts = (self._number, self._patience, self._num_insisted, self._has_digressed, self._has_reconsidered)
        own = [[str(each) for each in calls] for calls in (self._claimed, self._errands, self._held)]
        rest = (self._results, sorted(self._looked), self._is_tested, self._is_useful)
        wrong = sorted(self._corrected), sorted(self._refuted)
        return f"{counts} {sorted(self._ended.items())} {asked} {wrong} {agreed} {received} {own} {rest}"

    @property
    def _case(self) -> Case:
        case = self._cases[self._number]
        return case if case.first is None or self._has_reconsidered else case.first

    def _reconsider(self, heard: Sequence[Call]) -> None:
        """Change its mind where what it wanted first is proposed; then it answers all of the message."""
        case = self._cases[self._number]
        proposed = [act.arguments for act in heard if act.tool == talk.PROPOSE]
        self._has_reconsidered |= any(
            case.is_reconsidered(Call(given["action"], given["arguments"])) for given in proposed
        )

    def _answer(self, act: Call, num_proposed: int) -> tuple[list[Call], bool]:
        """The replies to one act of the agent, and whether the act was of use."""
        given = act.arguments
        if act.tool == talk.ASK:
            return self._tell(given["fact"])
        if act.tool == talk.INSTRUCT:
            return self._follow(Call(given["action"], given["arguments"]))
        if act.tool == talk.PROPOSE:
            return self._judge(Call(given["action"], given["arguments"]), num_proposed)
        if act.tool == talk.TELL and given["fact"] in self._case.answers:
            self._asked[f"told {given['fact']}"] = 1
            return [], True
        if act.tool == talk.REFUSE:
            if self._num_insisted < self._persona.insists:
                self._num_insisted += 1
                return [Call(talk.INSIST)], True
            self._asked["refused"] = 1
            return [Call(talk.ACCEPT)], True
        return [], act.tool == talk.REPORT and bool(self._received)

    def _tell(self, fact: str) -> tuple[list[Call], bool]:
        goal = self._case.goal
        times = self._asked[fact] = self._asked.get(fact, 0) + 1
        known = {**self._profile, **goal.facts}
        if fact not in known or fact in goal.unknown:
            return [Call(talk.UNKNOWN, {"fact": fact})], times == 1
        said = []
        if self._persona.digresses and not self._has_digressed:
            self._has_digressed = True
            said = [Call(talk.DIGRESS)]
        if self._persona.forgets and times == 1 and fact in goal.facts:
            return [*said, Call(talk.UNKNOWN, {"fact": fact})], True
        is_mistaken = fact in goal.at_first and not goal.changes_mind
        if is_mistaken and fact not in self._corrected and times == 1:
            return [*said, _inform(fact, goal.at_first[fact])], True
        self._corrected.add(fact)
        return [*said, _inform(fact, known[fact])], times <= 2

    def _judge(self, call: Call, number: int) -> tuple[list[Call], bool]:
        case = self._case
        if case.wants(call):
            self._agreed.append(call)
            return [Call(talk.CONFIRM, {"number": number})], True
        new = case.goal.at_first if case.is_reconsidered(call) else {}
        asked = [fact for fact in case.goal.facts if fact in self._asked and case.is_contradicted(fact, call)]
        wrong = list(dict.fromkeys([*new, *asked]))
        is_useful = not self._refuted.issuperset(wrong)  # it says so once; to hear it again is of no use
        self._corrected.update(wrong)
        self._refuted.update(wrong)
        corrections = [_inform(fact, case.goal.facts[fact]) for fact in wrong]
        return [Call(talk.DENY, {"number": number}), *corrections], is_useful

    def _receive(self, call: Call) -> bool:
        """A change has been made: what was looked at before may look otherwise now."""
        self._received.append(call)
        self._is_tested = False
        self._looked.clear()
        return True

    def _follow(self, call: Call) -> tuple[list[Call], bool]:
        """Do what the agent asks for with tools of one's own, or only claim it; what was claimed is done later."""
        is_writing = self._domain.user_tools[call.tool].is_writing
        times = self._asked[call.key] = self._asked.get(call.key, 0) + 1
        is_useful = self._case.wants(call) if is_writing else call.key not in self._looked
        if not is_writing:
            self._looked.add(call.key)
        if is_writing and self._persona.claims and times == 1:
            self._claimed.append(call)
            return [_did(call, DONE)], is_useful
        is_owed = call in self._claimed
        self._errands += [Errand(claimed, claimed == call) for claimed in self._claimed]
        self._claimed = []
        self._errands += [] if is_owed else [Errand(call, True)]
        return [], is_useful or is_owed

    def _run_errands(self) -> str:
        return _said([errand.call for errand in self._errands[len(self._results) :][:MAX_ERRANDS]])

    def _report(self, results: Sequence[str]) -> str:
        """Go on with the errands; when all are done, tell what came of them."""
        self._results += results
        if len(self._results) < len(self._errands):
            return self._run_errands()
        told: list[Call] = []
        for errand, result in zip(self._errands, self._results, strict=True):
            is_writing = self._domain.user_tools[errand.call.tool].is_writing
            is_failure = result.startswith(FAILED)
            if is_writing and not is_failure:
                self._receive(errand.call)
            if errand.call == self._case.check:
                self._is_tested = True
            if errand.is_told:
                told.append(_did(errand.call, DONE if is_writing and not is_failure else result))
        self._errands, self._results = [], []
        held, self._held = self._held, []
        return self._speak([*held, *told], self._is_useful)

    def _go_on(self) -> list[Call]:
        """The next request where the present goal has come to an end."""
        if not self._is_settled():
            return []
        return [self._next_request()]

    def _is_settled(self) -> bool:
        return not self._owed() if "refused" in self._asked else self._is_fulfilled()

    def _is_fulfilled(self) -> bool:
        case = self._case
        if not case.wanted:
            return all(f"told {fact}" in self._asked for fact in case.answers)
        is_proven = case.check is None or self._is_tested
        return is_proven and any(all(call in self._received for call in calls) for calls in case.wanted)

    def _owed(self) -> list[Call]:
        return [call for call in self._agreed if call not in self._received]

    def _following(self) -> int | None:
        """The number of the next goal that it asks for."""
        if self._number >= 0:
            self._ended[self._number] = "done" if self._is_fulfilled() else "refused"
        later = range(self._number + 1, len(self._cases))
        return next((number for number in later if self._cases[number].goal.is_asked_for(self._ended)), None)

    def _next_request(self) -> Call:
        following = self._following()
        if following is None:
            return Call(talk.BYE)
        self._number = following
        self._num_insisted, self._has_reconsidered = 0, False
        self._asked = {fact: times for fact, times in self._asked.items() if fact in self._profile}
        self._corrected, self._refuted, self._agreed, self._received = set(), set(), [], []
        self._is_tested = False
        goal = self._case.goal
        kind = self._domain.kinds[goal.kind]
        facts: dict[str, Any] = {}
        if self._persona.volunteers:
            known = [fact for fact in kind.volunteered if fact in goal.facts and fact not in goal.unknown]
            facts = {fact: goal.at_first.get(fact, goal.facts[fact]) for fact in known}
            self._asked |= dict.fromkeys(facts, 1)
        return Call(talk.REQUEST, {"goal": goal.kind, "facts": facts})


def _did(call: Call, result: str) -> Call:
    return Call(talk.DID, {"action": call.tool, "arguments": dict(call.arguments), "result": result})


def _inform(fact: str, value: Value) -> Call:
    return Call(talk.INFORM, {"fact": fact, "value": value})


def _said(acts: Sequence[Call]) -> str:
    return "".join(call_text(act.tool, **act.arguments) for act in acts)
