"""Every test task about articles, databases and maths: who wins, and whether the verdict tells right from nearly right.

- oracle, null, random, and the most that any cheat wins.
- nearly right answers, queries and changes, by what was changed: none may win.
- right ones that are written, read or carried out in another way: all have to win.

What is true of a variant is decided without the environment: in `questions.articles` and `questions.numbers` by
comparing plain values, in `questions.databases` by SQLite on more databases than the environment has. A variant whose
change leaves it right all the same is left out of the nearly right ones, and counted; it has to win too.

A task is played by scripts, in this process, without a model; code of maths runs in processes without a container.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentgym.env import AgentEnv
from agentgym.message import Message
from agentgym.suite import load_suite
from agentgym.task import Task
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts.questions.articles import SEARCH
from benchmarks.verdicts.questions.numbers import MATHS
from benchmarks.verdicts.questions.queries import SQL
from benchmarks.verdicts.questions.variants import Subject, Variant

PACKAGES = ("agentgymnasium", "bm25s", "numpy")
SUBJECTS: Mapping[str, Subject] = {
    "tools/search": SEARCH,
    "tools/search-small": SEARCH,
    "tools/sql": SQL,
    "tools/sql-small": SQL,
    "tools/maths": MATHS,
    "tools/maths-small": MATHS,
}
QUICK_STEP = 40
"""A quick run plays one task in so many."""
Judged = Callable[[str, Variant], None]


def measure(quick: bool) -> Report:
    """The table; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    wrong = Counter[str]()
    for name, subject in SUBJECTS.items():
        progress(name)
        suite = load_suite(name)
        tasks = suite.tasks("test")[:: QUICK_STEP if quick else 1]
        row = report.figures[name] = row_of(subject, tasks, _say)
        random = suite.scores["random"]
        wrong["failures of oracles"] += len(tasks) - row["oracle"]
        wrong["wins of null and cheats"] += row["null"] + row["cheats"]
        allowed = int((random.success + random.tolerance) * len(tasks)) + quick
        wrong["wins of random above what suites declare"] += max(0, row["random"] - allowed)
        wrong["wins of nearly right work"] += sum(row[each][0] for each in subject.nearly)
        wrong["failures of right work"] += sum(row[each][1] - row[each][0] for each in (*subject.otherwise, "left out"))
    report.goals = [Goal(name, float(count), 0.0, "at most") for name, count in wrong.items()]
    return report


def row_of(subject: Subject, tasks: Sequence[Task], misjudged: Judged) -> dict[str, Any]:
    """The row of a suite: how many tasks each player wins, and for each change how many of how many variants win.

    Args:
        subject: What the suite asks about.
        tasks: The tasks.
        misjudged: Is told the task and the variant where a verdict is wrong.

    Returns:
        Numbers by player, the most of any cheat as `cheats`; pairs by change, of the wins and of the variants; the pair
        of those that are right though they should not be as `left out`, and their numbers by change.
    """
    wins, left_out = Counter[str](), Counter[str]()
    counts = {name: [0, 0] for name in (*subject.nearly, *subject.otherwise, "left out")}
    env = subject.make()
    for task in tasks:
        for name in subject.scripts:
            if name in ("oracle", "null", "random") or name.startswith("cheat_"):
                wins[name] += play(env, subject, task, name)
        for variant in subject.variants(task):
            has_won = wins_by(env, task, variant.lines)
            is_meant = variant.is_right == (variant.change in subject.otherwise)
            count = counts[variant.change if is_meant else "left out"]
            count[0] += has_won
            count[1] += 1
            left_out[variant.change] += not is_meant
            if has_won != variant.is_right:
                misjudged(task.id, variant)
    env.close()
    most = max(count for name, count in wins.items() if name.startswith("cheat_"))
    played = {name: wins[name] for name in ("oracle", "null", "random")}
    by_change = {name: count for name, count in left_out.items() if count}
    return {"tasks": len(tasks), **played, "cheats": most, **counts, "left out by change": by_change}


def play(env: AgentEnv, subject: Subject, task: Task, name: str) -> bool:
    """Whether a script wins."""
    _, info = env.reset(options={"task": task})
    player = subject.scripts[name](task, task.seed)
    messages: list[Message] = list(info["messages"])
    while "outcome" not in info:
        text = player.act(messages)
        *_, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
    return bool(info["success"])


def wins_by(env: AgentEnv, task: Task, lines: Sequence[str]) -> bool:
    """Whether these messages win."""
    env.reset(options={"task": task})
    for line in lines:
        *_, info = env.step(line)
        if "outcome" in info:
            return bool(info["success"])
    return False


def _say(task_id: str, variant: Variant) -> None:
    progress(f"{task_id}: {'right' if variant.is_right else 'not right'}, {variant.change}: {variant.work}"[:400])


if __name__ == "__main__":
    sys.exit(main("question_tasks", measure, PACKAGES))
