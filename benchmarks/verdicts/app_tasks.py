"""Every test task of the apps: who wins, and whether the verdict tells right work from nearly right work.

- oracle, null, random, and the most that any cheat wins.
- left out: the oracle's calls without one that changes something or answers; each of them in turn. None may win.
- changed: the same with one argument of such a call changed. None may win.
- unread: the oracle's answer, or its reason why something cannot be done, without the reads. None may win.
- reads twice; neighbouring reads, or neighbouring calls of one API that change something, in the other order: all win.

A task is played by scripts, in this process, without a model.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agentgym.message import Message
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.apps.catalogue import is_writing
from agentgym_tools.apps.env import AppsEnv
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.scripts import SCRIPTS
from agentgym_tools.apps.session import FINISH, ending, solution
from agentgym_tools.apps.writing import text_of
from agentgym_tools.worlds.calls import Call
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts import nearly_right

PACKAGES = ("agentgymnasium",)
SUITES = ("tools/apps", "tools/apps-small")
QUICK_STEP = 25
"""A quick run plays one task in so many."""
PLAYERS = ("oracle", "null", "random", *(name for name in SCRIPTS if name.startswith("cheat_")))


class Seat:
    """The agent's seat, taken by scripts or by a list of calls.

    Attributes:
        env: The environment.
        was_attacked: Whether the last episode of a script did what a planted text wants.
    """

    def __init__(self) -> None:
        self.env = AppsEnv()
        self.was_attacked = False

    def play(self, task: Task, name: str) -> bool:
        """Whether a script wins."""
        _, info = self.env.reset(options={"task": task})
        player = SCRIPTS[name](task, task.seed)
        messages: list[Message] = list(info["messages"])
        while "outcome" not in info:
            text = player.act(messages)
            *_, info = self.env.step(text)
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
        self.was_attacked = any(each.component == "attack" and each.value for each in info["reward_events"])
        return bool(info["success"])

    def wins_by(self, task: Task, calls: Sequence[Call]) -> bool:
        """Whether these calls, a message each, and ending win."""
        self.env.reset(options={"task": task})
        for call in [*calls, Call(FINISH)]:
            *_, info = self.env.step(text_of([call]))
            if "outcome" in info:
                return bool(info["success"])
        return False


def matters(call: Call) -> bool:
    """Whether a call of the oracle is needed: it changes something, or answers."""
    return call.tool == FINISH or is_writing(call)


def reads(call: Call) -> bool:
    """Whether a call only reads."""
    return call.tool != FINISH and not is_writing(call)


def left_out(calls: Sequence[Call]) -> Iterable[list[Call]]:
    """The calls without one that matters; ending without an answer is left to `unread` where none is asked for."""
    return nearly_right.without_one(calls, lambda call: matters(call) and call != Call(FINISH))


def unread(calls: Sequence[Call]) -> Iterable[list[Call]]:
    """An answer or a reason without the reads; nothing where the task is a change."""
    return [[calls[-1]]] if calls[-1].arguments else []


def other_orders(calls: Sequence[Call]) -> Iterable[list[Call]]:
    """Neighbouring reads changed over, and neighbouring calls that change something by the same API."""
    yield from nearly_right.in_other_orders(calls, reads)
    for tool in dict.fromkeys(call.tool for call in calls if call.tool != FINISH and is_writing(call)):
        yield from nearly_right.in_other_orders(calls, lambda call, tool=tool: call.tool == tool)  # type: ignore[misc]


CHANGES: Mapping[str, Callable[[Sequence[Call]], Iterable[list[Call]]]] = {
    "left out": left_out,
    "changed": lambda calls: nearly_right.with_one_changed(calls, matters),
    "unread": unread,
    "reads twice": lambda calls: [nearly_right.with_reads_twice(calls, reads)],
    "other orders": other_orders,
}


def measure(quick: bool) -> Report:
    """The table; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    wrong = Counter[str]()
    for suite in SUITES:
        progress(suite)
        tasks = load_suite(suite).tasks("test")[:: QUICK_STEP if quick else 1]
        row = report.figures[suite] = row_of(tasks)
        wrong["failures of oracles"] += row["tasks"] - row["oracle"]
        wrong["wins of null, random and cheats"] += row["null"] + row["random"] + row["cheats"]
        for name in ("left out", "changed", "unread"):
            wrong["wins of nearly right work"] += row[name][0]
        for name in ("reads twice", "other orders"):
            wrong["failures of right work done otherwise"] += row[name][1] - row[name][0]
    report.goals = [Goal(name, float(count), 0.0, "at most") for name, count in wrong.items()]
    return report


def row_of(tasks: Sequence[Task]) -> dict[str, Any]:
    """The row of a suite: how many tasks each player wins, and for each change how many of how many variants win."""
    seconds, seat, wins, variants = 0.0, Seat(), Counter[str](), {name: [0, 0] for name in CHANGES}
    for task in tasks:
        plan = plan_of(task)
        calls = [*solution(plan), ending(plan)]
        for name, changed in CHANGES.items():
            for each in changed(calls):
                won = seat.wins_by(task, each)
                variants[name][0] += won
                variants[name][1] += 1
                if won is (name in ("left out", "changed", "unread")):
                    progress(f"{name}: {task.id} {task.private['template']}: {[str(call) for call in each]}"[:400])
        for name in PLAYERS:
            began = time.thread_time()
            won = seat.play(task, name)
            seconds += time.thread_time() - began if name == "oracle" else 0.0
            wins["cheats" if name.startswith("cheat_") else name] += won
            if won is (name != "oracle"):
                progress(f"{name}: {task.id} {task.private['template']}")
    speed = {"oracle's episodes a second of one core": significant(len(tasks) / seconds)}
    return {
        "tasks": len(tasks),
        **{name: wins[name] for name in ("oracle", "null", "random", "cheats")},
        **variants,
        **speed,
    }


if __name__ == "__main__":
    sys.exit(main("app_tasks", measure, PACKAGES))
