"""Every test task of every desk: who wins, and whether the verdict tells right work from nearly right work.

- oracle, null, random, and the most that any cheat wins, of the agent's seat and of the customer's.
- left out: the oracle's calls without one that is necessary; each of them in turn. None may win.
- changed: the same with one argument of such a call changed. None may win.
- unread: the oracle's calls without the reads that a decision rests on. None may win.
- reads twice, and neighbouring reads in the other order: all have to win.

A task is played by scripts, in this process, without a model.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import AGENT_SCRIPTS, PARTNERS, USER_SCRIPTS
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.unlisted import from_procedure
from agentgym_tools.worlds.calls import Call
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts import nearly_right

PACKAGES = ("agentgymnasium",)
QUICK_STEP = 60
"""A quick run plays one task in so many."""
KEPT = ("reason", "field", "fact")
"""Arguments with several right values."""


class Seat:
    """One role of a desk, played by scripts or by a list of calls; the other role is played by its default partner.

    Attributes:
        game: The desk.
        was_attacked: Whether the last episode of a script did what a planted text wants.
    """

    def __init__(self, desk: str, role: str = AGENT) -> None:
        self.game = DeskGame(desk)
        self.was_attacked = False
        self._role = role
        self._env = RoleView(self.game, role, PARTNERS)

    def play(self, task: Task, name: str) -> tuple[bool, list[Call]]:
        """Whether a script wins, and the calls that it made."""
        _, info = self._env.reset(options={"task": task})
        player = (AGENT_SCRIPTS if self._role == AGENT else USER_SCRIPTS)[name](task, task.seed)
        messages: list[Message] = list(info["messages"])
        calls: list[Call] = []
        while "outcome" not in info:
            text = player.act(messages)
            *_, info = self._env.step(text)
            with suppress(ActionSyntaxError):
                calls += [Call(call.name, call.arguments) for call in self.game.parse(self._role, text).tool_calls]
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
        self.was_attacked = any(each.component == "attack" and each.value for each in info["reward_events"])
        return bool(info["success"]), calls

    def wins_by(self, task: Task, calls: Sequence[Call]) -> bool:
        """Whether these calls, a message each, and closing win."""
        self._env.reset(options={"task": task})
        for call in [*calls, Call(talk.CLOSE)]:
            *_, info = self._env.step(call_text(call.tool, **call.arguments))
            if "outcome" in info:
                return bool(info["success"])
        return False

    def matters(self, call: Call) -> bool:
        """Whether the oracle needs a call: it makes the customer known, writes, answers, refuses or hands over."""
        identifies = call.tool == self.game.session.plan.identification.tool
        return identifies or self.writes(call) or call.tool in (talk.TELL, talk.REFUSE, talk.TRANSFER)

    def writes(self, call: Call) -> bool:
        """Whether a call changes the world by a tool of the desk."""
        tool = self.game.domain.toolbox.tools.get(from_procedure(call, self.game.domain.unlisted).tool)
        return tool is not None and tool.is_writing

    def reads(self, call: Call) -> bool:
        """Whether a call only reads the world, by a tool that is listed: others have to come after their document."""
        return call.tool in self.game.domain.toolbox.tools and not self.writes(call)


def without_one(seat: Seat, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls without one that matters, each in turn."""
    return nearly_right.without_one(calls, seat.matters)


def with_one_changed(seat: Seat, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls with one argument of one call that matters changed, each in turn."""
    return nearly_right.with_one_changed(calls, seat.matters, KEPT)


def without_reads(seat: Seat, calls: Sequence[Call]) -> list[list[Call]]:
    """The calls without the reads that decisions rest on; nothing where a task rests on none."""
    rested = {read.call.tool for case in seat.game.session.cases if case.is_due for read in case.reads}
    rest = [call for call in calls if call.tool not in rested]
    return [rest] if len(rest) < len(calls) else []


def with_reads_twice(seat: Seat, calls: Sequence[Call]) -> list[Call]:
    """The calls with each read made twice."""
    return nearly_right.with_reads_twice(calls, seat.reads)


def in_other_orders(seat: Seat, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls with two neighbouring reads changed over, each pair in turn; the customer has to be known first."""
    first = seat.game.session.plan.identification.tool
    return nearly_right.in_other_orders(calls, lambda call: seat.reads(call) and call.tool != first)


def measure(quick: bool) -> Report:
    """The table; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    wrong = Counter[str]()
    for desk in DESKS:
        progress(desk)
        tasks = load_suite(f"tools/desk-{desk}").tasks("test")[:: QUICK_STEP if quick else 1]
        row = row_of(desk, tasks)
        report.figures[desk] = row
        wrong["failures of oracles"] += row["tasks"] - row["oracle"]
        wrong["wins of null, random and cheats"] += row["null"] + row["random"] + row["cheats"]
        for name in ("left out", "changed", "unread"):
            wrong["wins of nearly right work"] += row[name][0]
        for name in ("reads twice", "other orders"):
            wrong["failures of right work done otherwise"] += row[name][1] - row[name][0]
    report.goals = [Goal(name, float(count), 0.0, "at most") for name, count in wrong.items()]
    return report


def row_of(desk: str, tasks: Sequence[Task]) -> dict[str, Any]:
    """The row of a desk: how many tasks each player wins, and for each change how many of how many variants win."""
    agent, customer = Seat(desk), Seat(desk, USER)
    wins, variants = Counter[str](), {name: [0, 0] for name in CHANGES}
    for task in tasks:
        won, calls = agent.play(task, "oracle")
        wins["oracle"] += won
        for name, changed in CHANGES.items():
            for each in list(changed(agent, calls)):
                variants[name][0] += agent.wins_by(task, each)
                variants[name][1] += 1
        for seat, scripts in ((agent, AGENT_SCRIPTS), (customer, USER_SCRIPTS)):
            wins["null"] += seat.play(task, "null")[0]
            wins["random"] += seat.play(task, "random")[0]
            wins["cheats"] += sum(seat.play(task, name)[0] for name in scripts if name.startswith("cheat_"))
    return {"tasks": len(tasks), **{name: wins[name] for name in ("oracle", "null", "random", "cheats")}, **variants}


CHANGES: Mapping[str, Callable[[Seat, Sequence[Call]], Iterable[list[Call]]]] = {
    "left out": without_one,
    "changed": with_one_changed,
    "unread": without_reads,
    "reads twice": lambda seat, calls: [with_reads_twice(seat, calls)],
    "other orders": in_other_orders,
}


if __name__ == "__main__":
    sys.exit(main("desk_tasks", measure, PACKAGES))
