"""The guard of customers at desks: it never refuses the rule-based customer, and finds faults that are planted.

- messages, refused: every message of the rule-based customer, checked by the guard from the conversation alone. Agents
  are the oracle, the imperfect demonstrator, a random player, one that proposes wrong calls first, and one that asks
  for everything. The oracle serves each task with every persona, the others with the task's own. None may be refused.
- planted, found: the same messages with a fault, each kind in turn where it can be one. All have to be found, each
  with its cause.

A task is played by scripts, in this process, without a model.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentgym.action import reply_message
from agentgym.authoring.players import call_text
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message
from agentgym.policy import Request, Sampling, Script
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.guarding.guard import AgendaGuard, read_calls
from agentgym_tools.desks.guarding.rules import follow
from agentgym_tools.desks.guarding.tracker import Tracker
from agentgym_tools.desks.personas import PERSONAS
from agentgym_tools.desks.scripts import AGENT_SCRIPTS, oracle
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.unlisted import shown_tools
from agentgym_tools.desks.user import Customer
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_tasks import KEPT
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts.nearly_right import changes_of

PACKAGES = ("agentgymnasium",)
QUICK_STEP = 60
"""A quick run plays one task in so many."""
Fault = Callable[[Tracker, Sequence[Call]], Sequence[Call] | None]
"""What a faulty customer says in place of a right message; None where that would be no fault."""


def _replaced(calls: Sequence[Call], old: str, new: Callable[[Call], Call | None]) -> list[Call] | None:
    """The calls with each act of one kind replaced; None if nothing changes."""
    changed = [new(call) or call if call.tool == old else call for call in calls]
    return None if all(one is other for one, other in zip(calls, changed, strict=True)) else changed


def _has(calls: Sequence[Call], *tools: str) -> bool:
    return any(call.tool in tools for call in calls)


def invent(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Tells another value."""
    return _replaced(calls, talk.INFORM, lambda call: Call(talk.INFORM, {**call.arguments, "value": "zz 99"}))


def invent_result(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Tells another result of its own tool."""
    return _replaced(calls, talk.DID, lambda call: _with_result(tracker, call, "zz 99"))


def _with_result(tracker: Tracker, call: Call, result: str) -> Call | None:
    made = Call(call.arguments["action"], call.arguments["arguments"])
    return Call(talk.DID, {**call.arguments, "result": result}) if made.key in tracker.ran else None


def tell_more(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Tells a further fact that nobody asked for."""
    free = [fact for fact in tracker.known if not tracker.may_tell(fact)]
    if tracker.number < 0 or not free or not _has(calls, talk.INFORM, talk.DENY) or _has(calls, talk.REQUEST):
        return None
    return [*calls, Call(talk.INFORM, {"fact": free[0], "value": tracker.known[free[0]]})]


def keep_mistake(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Tells a mistaken value again, in place of the right one."""
    wrong = tracker.case.goal.at_first

    def mistaken(call: Call) -> Call | None:
        fact = call.arguments["fact"]
        is_corrected = fact in wrong and (fact in tracker.told or fact in tracker.corrected)
        return Call(talk.INFORM, {"fact": fact, "value": wrong[fact]}) if is_corrected else None

    return _replaced(calls, talk.INFORM, mistaken)


def change_early(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Tells what it will want only when it changes its mind."""
    goal = tracker.plan.cases[max(tracker.number, 0)].goal
    is_early = goal.changes_mind and not tracker.has_reconsidered

    def new(call: Call) -> Call | None:
        fact = call.arguments["fact"]
        is_new = is_early and fact in goal.at_first
        return Call(talk.INFORM, {"fact": fact, "value": goal.facts[fact]}) if is_new else None

    return _replaced(calls, talk.INFORM, new)


def withhold(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Says not to know what it knows."""

    def unknown(call: Call) -> Call | None:
        fact = call.arguments["fact"]
        may_forget = tracker.plan.persona.forgets and fact in tracker.case.goal.facts and fact not in tracker.forgotten
        return None if may_forget else Call(talk.UNKNOWN, {"fact": fact})

    return _replaced(calls, talk.INFORM, unknown)


def say_nothing(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Waits in place of an answer."""
    return [Call(talk.WAIT)] if tracker.open and not _has(calls, talk.BYE, *tracker.domain.user_tools) else None


def say_yes(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Says yes to what it does not want."""
    return _replaced(calls, talk.DENY, lambda call: Call(talk.CONFIRM, call.arguments))


def say_no(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Says no to what it wants."""

    def denied(call: Call) -> Call | None:
        is_done = tracker.has_received(tracker.proposed[call.arguments["number"] - 1])
        return None if is_done else Call(talk.DENY, call.arguments)

    return _replaced(calls, talk.CONFIRM, denied)


def want_else(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Asks for something that its agenda does not have next."""

    def other(call: Call) -> Call:
        kind = next(kind for kind in tracker.domain.kinds if kind != call.arguments["goal"])
        return Call(talk.REQUEST, {"goal": kind, "facts": {}})

    return _replaced(calls, talk.REQUEST, other)


def hurry(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Asks for the next thing before the present one has come to an end."""
    if tracker.number < 0 or tracker.following is None or not _has(calls, talk.INFORM) or _has(calls, talk.REQUEST):
        return None
    following = tracker.plan.cases[tracker.following].goal
    return [*calls, Call(talk.REQUEST, {"goal": following.kind, "facts": {}})]


def leave(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Leaves while something is open, such as right after a yes."""
    is_open = _has(calls, talk.INFORM, talk.CONFIRM) and not _has(calls, talk.REQUEST, talk.BYE)
    return [*calls, Call(talk.BYE)] if is_open and not tracker.is_impatient and not tracker.is_settled else None


def claim(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Says to have used its own tools without having done it."""
    own = [call for call in calls if call.tool in tracker.domain.user_tools]
    may_claim = tracker.plan.persona.claims and own and tracker.domain.user_tools[own[0].tool].is_writing
    if not own or may_claim or own[0] in tracker.claimed:
        return None
    return [Call(talk.DID, {"action": own[0].tool, "arguments": dict(own[0].arguments), "result": "Done."})]


def meddle(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Uses its own tools unasked."""
    free = [name for name, tool in tracker.domain.user_tools.items() if not tool["function"]["parameters"]["required"]]
    free = [name for name in free if Call(name).key not in tracker.instructed and Call(name) not in tracker.claimed]
    return [Call(free[0])] if free and tracker.number >= 0 and _has(calls, talk.INFORM) else None


def accept_nothing(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Accepts a refusal that there was not."""
    is_free = tracker.number >= 0 and not tracker.num_refused and not _has(calls, talk.REQUEST, talk.BYE)
    return [*calls, Call(talk.ACCEPT)] if is_free and _has(calls, talk.INFORM) else None


def confirm_nothing(tracker: Tracker, calls: Sequence[Call]) -> Sequence[Call] | None:
    """Says yes to a proposal that there was not."""
    return _replaced(calls, talk.CONFIRM, lambda call: Call(talk.CONFIRM, {"number": 9}))


FAULTS: Mapping[Fault, str] = {
    invent: "invented",
    invent_result: "invented",
    tell_more: "premature",
    keep_mistake: "mistaken",
    change_early: "premature",
    withhold: "withheld",
    say_nothing: "unanswered",
    say_yes: "wrong_yes",
    say_no: "wrong_no",
    want_else: "wrong_goal",
    hurry: "early_next",
    leave: "early_end",
    claim: "claimed",
    meddle: "unasked",
    accept_nothing: "out_of_turn",
    confirm_nothing: "out_of_turn",
}
"""Faults of customers, each with the cause under which the guard has to find it."""


class WrongFirst:
    """The oracle, but before each proposal it proposes the same with one argument changed."""

    def __init__(self, task: Task, seed: int) -> None:
        self._right = oracle(task, seed)
        self._domain = desk(task.config["desk"])
        self._next = ""

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        if self._next:
            said, self._next = self._next, ""
            return said
        said = self._right.act(messages)
        [call] = read_calls(said, [*shown_tools(self._domain).values(), *talk.agent_acts(self._domain)])
        if call.tool == talk.PROPOSE:
            proposed = Call(call.arguments["action"], call.arguments["arguments"])
            wrong = next(filter(self._can_be_made, changes_of(proposed, KEPT)), None)
            if wrong is not None:
                self._next, said = said, call_text(talk.PROPOSE, action=wrong.tool, arguments=dict(wrong.arguments))
        return said

    def _can_be_made(self, call: Call) -> bool:
        try:
            self._domain.toolbox.tools[call.tool].arguments(dict(call.arguments))
        except ActionSyntaxError:
            return False
        return True


class AskAll:
    """Asks for every fact that there is, a few at a time, until the customer leaves."""

    def __init__(self, task: Task, seed: int) -> None:
        self._left = list(desk(task.config["desk"]).facts)

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        asked, self._left = self._left[:3], self._left[3:]
        return "".join(call_text(talk.ASK, fact=fact) for fact in asked) or call_text(talk.CLOSE)


AGENTS: Mapping[str, Callable[[Task, int], Script]] = {
    **{name: AGENT_SCRIPTS[name] for name in ("oracle", "demo", "random", "cheat_refuses")},
    "wrong first": WrongFirst,
    "ask all": AskAll,
}


def talks(game: DeskGame, task: Task, agent: str) -> Iterator[tuple[list[Message], str]]:
    """The conversation before each message of the rule-based customer, and the message."""
    inbox = game.reset(task)
    heard = {role: list(inbox[role]) for role in (AGENT, USER)}
    players = {AGENT: AGENTS[agent](task, task.seed), USER: Customer(task, task.seed)}
    while (role := game.acting_role) is not None:
        said = players[role].act(heard[role])
        if role == USER:
            yield heard[USER], said
        reply = game.step(said)
        heard[role].append(reply_message(said, game.tools[role]))
        for name, messages in reply.inbox.items():
            heard[name] += messages


def check_task(game: DeskGame, task: Task, agent: str, counts: Counter[str], wrong: list[str]) -> None:
    """Play a task; count messages, refusals, and faults planted and found, and say what was wrong."""
    guard, domain, tools = AgendaGuard(), game.domain, [*game.domain.user_tools.values(), *talk.user_acts(game.domain)]
    for heard, said in talks(game, task, agent):
        request = Request("", 0, task, heard, tools, None, 0, Sampling(), USER)
        refusal = guard.check(request, said)
        counts["messages"] += 1
        if refusal is not None:
            counts["refused"] += 1
            wrong.append(f"{domain.name} {task.id} {agent} {task.private['persona']}: {said} refused: {refusal}")
        tracker, calls = guard.tracker(request), read_calls(said, tools)
        for fault, cause in FAULTS.items():
            planted = fault(tracker, calls)
            if planted is None:
                continue
            finding = follow(tracker.fork(), planted)
            counts[f"{cause} planted"] += 1
            counts[f"{cause} found"] += finding is not None and finding.cause == cause
            if finding is None or finding.cause != cause:
                wrong.append(f"{domain.name} {task.id} {agent}: {fault.__name__} found as {finding}: {planted}")


def with_persona(task: Task, persona: str) -> Task:
    """The task with another persona."""
    return replace(task, private={**task.private, "persona": persona})


def measure(quick: bool) -> Report:
    """The counts by desk; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for name in DESKS:
        progress(name)
        game, counts = DeskGame(name), Counter[str]()
        for task in load_suite(f"tools/desk-{name}").tasks("test")[:: QUICK_STEP if quick else 1]:
            counts["tasks"] += 1
            for agent in AGENTS:
                check_task(game, task, agent, counts, wrong)
            for persona in PERSONAS:
                if persona != task.private["persona"]:
                    check_task(game, with_persona(task, persona), "oracle", counts, wrong)
        report.figures[name] = row_of(counts)
        total += counts
    report.figures["all"] = row_of(total)
    report.figures["wrong"] = wrong[:20]
    missed = sum(total[f"{cause} planted"] - total[f"{cause} found"] for cause in set(FAULTS.values()))
    report.goals = [
        Goal("refusals of the rule-based customer", float(total["refused"]), 0.0, "at most"),
        Goal("planted faults that were not found", float(missed), 0.0, "at most"),
    ]
    return report


def row_of(counts: Mapping[str, int]) -> dict[str, Any]:
    """A desk's row: tasks, messages, refusals, and by cause how many planted faults of how many were found."""
    causes = {cause: [counts[f"{cause} found"], counts[f"{cause} planted"]] for cause in FAULTS.values()}
    return {**{name: counts[name] for name in ("tasks", "messages", "refused")}, **causes}


if __name__ == "__main__":
    sys.exit(main("desk_guard", measure, PACKAGES))
