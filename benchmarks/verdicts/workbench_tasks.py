"""Every test task of the workbench: who wins, and whether the verdict tells right work from nearly right work.

- oracle, null, random, and the most that any cheat wins.
- left out: the oracle's calls without one that is necessary; each of them in turn. None may win.
- changed: the same with one argument of such a call changed. None may win.
- unread: the oracle's calls without those that show what a request rests on. None may win.
- one more: the oracle's calls with a further change before one of its ends. None may win.
- reads twice, neighbouring reads in the other order, and changes of one kind in the other order: all have to win.

A task is played by scripts, in this process, without a model.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.message import Message
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.workbench.acts import ASK, DECLINE, DONE
from agentgym_tools.workbench.env import WorkbenchEnv
from agentgym_tools.workbench.planning import next_calls
from agentgym_tools.workbench.scripts import SCRIPTS
from agentgym_tools.workbench.sets.all_sets import TOOLS
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_tasks import QUICK_STEP
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts import nearly_right

PACKAGES = ("agentgymnasium",)
SUITES = ("tools/workbench", "tools/workbench-small")
MORE: Mapping[str, Mapping[str, Any]] = {
    "create_folder": {"folder": "/extra"},
    "deposit": {"amount_cents": 100},
    "set_tyre_pressure": {"tyre": "rear left", "kpa": 299},
    "open_ticket": {"title": "One more", "queue": "network", "priority": 5},
    "publish_post": {"text": "One more post"},
}
"""Changes that no request asks for."""


class Desk:
    """The workbench, played by scripts or by a list of calls."""

    def __init__(self) -> None:
        self.env = WorkbenchEnv()
        self._made: set[Call] = set()
        self.needs_evidence = False

    def play(self, task: Task, name: str) -> bool:
        """Whether a script wins."""
        _, info = self.env.reset(options={"task": task})
        player = SCRIPTS[name](task, task.seed)
        messages: list[Message] = list(info["messages"])
        while "outcome" not in info:
            text = player.act(messages)
            *_, info = self.env.step(text)
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
        return bool(info["success"])

    def calls_of_oracle(self, task: Task) -> list[Call]:
        """The calls of the oracle."""
        self.env.reset(options={"task": task})
        session = self.env.session
        calls, self._made, self.needs_evidence = [], set(), False
        while found := next_calls(session):
            calls.append(found[0])
            self.needs_evidence |= not session.has_evidence
            num_made = len(session.made)
            self.env.step(call_text(found[0].tool, **found[0].arguments))
            if len(session.made) > num_made:
                self._made.add(found[0])
        return calls

    def wins_by(self, task: Task, calls: Sequence[Call]) -> bool:
        """Whether these calls, a message each, and then `done` win."""
        _, info = self.env.reset(options={"task": task})
        for call in [*calls, *[Call(DONE)] * len(self.env.session.stages)]:
            *_, info = self.env.step(call_text(call.tool, **call.arguments))
            if "outcome" in info:
                break
        return bool(info.get("success"))

    def matters(self, call: Call) -> bool:
        """Whether the oracle needs a call: it changes something, asks, declines or answers."""
        return call in self._made or call.tool in (ASK, DECLINE) or bool(call.tool == DONE and call.arguments)

    def reads(self, call: Call) -> bool:
        """Whether a call only reads the world."""
        return call.tool in TOOLS and not TOOLS[call.tool].is_writing

    def shows(self, call: Call) -> bool:
        """Whether a call of the oracle changes nothing, but shows something."""
        return call.tool in TOOLS and call not in self._made


def left_out(desk: Desk, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls without one that matters; a request is then ended without an answer."""
    yield from nearly_right.without_one(calls, desk.matters)
    for place, call in enumerate(calls):
        if call.tool == DONE and call.arguments:
            yield [*calls[:place], Call(DONE), *calls[place + 1 :]]


def changed(desk: Desk, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls with one argument of one that matters changed; a reason becomes another one."""
    yield from nearly_right.with_one_changed(calls, desk.matters, kept=("reason",))
    for place, call in enumerate(calls):
        if call.tool == DECLINE:
            other = "not_found" if call.arguments["reason"] != "not_found" else "already_so"
            yield [*calls[:place], Call(DECLINE, {"reason": other}), *calls[place + 1 :]]


def unread(desk: Desk, calls: Sequence[Call]) -> list[list[Call]]:
    """The calls that change, ask, decline and answer alone; nothing where a task rests on no read."""
    rest = [call for call in calls if not desk.shows(call)]
    return [rest] if desk.needs_evidence else []


def one_more(desk: Desk, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls with a further change before each end of a request."""
    plan = desk.env.session.plan
    listed = {*desk.env.session.tools} - plan.withheld
    more = next((Call(name, given) for name, given in MORE.items() if name in listed), None)
    for place, call in enumerate(calls):
        if more is not None and call.tool in (DONE, DECLINE):
            yield [*calls[:place], more, *calls[place:]]


def in_other_orders(desk: Desk, calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls with two neighbours changed over that both read, or that both change things by the same tool."""
    for place in range(len(calls) - 1):
        one, other = calls[place : place + 2]
        is_same = one.tool == other.tool and one != other and desk.matters(one) and desk.matters(other)
        if (desk.reads(one) and desk.reads(other)) or (is_same and one.tool in TOOLS):
            yield [*calls[:place], other, one, *calls[place + 2 :]]


CHANGES: Mapping[str, Callable[[Desk, Sequence[Call]], Iterable[list[Call]]]] = {
    "left out": left_out,
    "changed": changed,
    "unread": unread,
    "one more": one_more,
    "reads twice": lambda desk, calls: [nearly_right.with_reads_twice(calls, desk.reads)],
    "other orders": in_other_orders,
}
MUST_WIN = ("reads twice", "other orders")


def measure(quick: bool) -> Report:
    """The table; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    wrong = Counter[str]()
    for suite in SUITES:
        progress(suite)
        tasks = load_suite(suite).tasks("test")[:: QUICK_STEP if quick else 1]
        row = row_of(tasks)
        report.figures[suite] = row
        wrong["failures of oracles"] += row["tasks"] - row["oracle"]
        wrong["wins of null, random and cheats"] += row["null"] + row["random"] + row["cheats"]
        for name in CHANGES:
            won, played = row[name]
            if name in MUST_WIN:
                wrong["failures of right work done otherwise"] += played - won
            else:
                wrong["wins of nearly right work"] += won
    report.goals = [Goal(name, float(count), 0.0, "at most") for name, count in wrong.items()]
    return report


def row_of(tasks: Sequence[Task], found: list[tuple[str, str, list[Call]]] | None = None) -> dict[str, Any]:
    """The row of a suite: how many tasks each player wins, and for each change how many of how many variants win.

    Args:
        tasks: The tasks.
        found: Gets the task, the change and the calls of each variant that is judged wrongly.
    """
    desk = Desk()
    wins, variants = Counter[str](), {name: [0, 0] for name in CHANGES}
    for task in tasks:
        wins["oracle"] += desk.play(task, "oracle")
        calls = desk.calls_of_oracle(task)
        for name, change in CHANGES.items():
            for each in list(change(desk, calls)):
                has_won = desk.wins_by(task, each)
                variants[name][0] += has_won
                variants[name][1] += 1
                if found is not None and has_won is not (name in MUST_WIN):
                    found.append((task.id, name, each))
        wins["null"] += desk.play(task, "null")
        wins["random"] += desk.play(task, "random")
        wins["cheats"] += sum(desk.play(task, name) for name in SCRIPTS if name.startswith("cheat_"))
    return {"tasks": len(tasks), **{name: wins[name] for name in ("oracle", "null", "random", "cheats")}, **variants}


if __name__ == "__main__":
    sys.exit(main("workbench_tasks", measure, PACKAGES))
