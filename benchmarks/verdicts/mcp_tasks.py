"""Test tasks with MCP servers: who wins, and whether the verdict tells right work from nearly right work.

- oracle, null, random, and the most that any cheat wins.
- left out: the oracle's calls without one that changes something; each of them in turn. None may win.
- changed: the same with one argument of such a call changed, or another answer. None may win.
- more: the oracle's calls and one further change. None may win.
- reads twice, and no reads at all: all have to win.

A task is played by scripts with the real servers in sandboxes. They start anew for each episode, which takes time.
With AGENTGYM_MCP_PYTHON, an interpreter that has the servers, they run under bubblewrap and not in containers.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentgym.authoring.players import Saying, call_text
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.mcp.drawing import calls_of
from agentgym_tools.mcp.env import McpToolsEnv
from agentgym_tools.mcp.kinds.draft import Call
from agentgym_tools.mcp.scripts import SCRIPTS, answer_of, is_reading
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "mcp")
QUICK_STEP = 11
"""A quick run plays one task in so many."""
PYTHON = "AGENTGYM_MCP_PYTHON"
"""The variable that names an interpreter with the servers."""
KEPT = ("repo_path",)
"""Arguments that stay: with another folder, a call fails."""
SPARE: Mapping[str, Call] = {
    "git": ("git__git_create_branch", {"branch_name": "spare"}),
    "sqlite": ("sqlite__create_table", {"query": "CREATE TABLE spare (spare_id INTEGER PRIMARY KEY)"}),
}
Played = tuple[list[Call], str]
"""Calls, and the answer that is then submitted."""


def without_one(calls: Sequence[Call], answer: str, server: str) -> Iterator[Played]:
    """The calls without one that changes something, each in turn."""
    for place, (tool, _) in enumerate(calls):
        if not is_reading(tool):
            yield [*calls[:place], *calls[place + 1 :]], answer


def with_one_changed(calls: Sequence[Call], answer: str, server: str) -> Iterator[Played]:
    """The calls with one argument of one of them changed, each in turn; or with another answer."""
    if answer:
        yield list(calls), f"{answer}0"
        yield list(calls), f"{answer}, {answer}"
    for place, (tool, given) in enumerate(calls):
        if is_reading(tool):
            continue
        for name, value in given.items():
            if name in KEPT:
                continue
            other = value[:-1] if isinstance(value, list) else _reworded(str(value))
            yield [*calls[:place], (tool, {**given, name: other}), *calls[place + 1 :]], answer


def with_more(calls: Sequence[Call], answer: str, server: str) -> Iterator[Played]:
    """The calls and a further change."""
    if server in SPARE:
        tool, given = SPARE[server]
        folder = {"repo_path": calls[-1][1]["repo_path"]} if server == "git" else {}
        yield [*calls, (tool, {**folder, **given})], answer


def with_reads_twice(calls: Sequence[Call], answer: str, server: str) -> Iterator[Played]:
    """The calls with each read made twice."""
    yield [each for call in calls for each in ([call, call] if is_reading(call[0]) else [call])], answer


def without_reads(calls: Sequence[Call], answer: str, server: str) -> Iterator[Played]:
    """The calls that change something alone."""
    yield [call for call in calls if not is_reading(call[0])], answer


WRONG: Mapping[str, Callable[[Sequence[Call], str, str], Iterator[Played]]] = {
    "left out": without_one,
    "changed": with_one_changed,
    "more": with_more,
}
RIGHT: Mapping[str, Callable[[Sequence[Call], str, str], Iterator[Played]]] = {
    "reads twice": with_reads_twice,
    "no reads": without_reads,
}


def measure(quick: bool) -> Report:
    """The table; `quick` plays few tasks."""
    python = os.environ.get(PYTHON, "")
    sandbox = {"sandbox": "bubblewrap", "relaxed": ("memory_mib", "cpus"), "interpreter": python} if python else {}
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all", "sandbox": "docker", **sandbox})
    report.setting.pop("interpreter", None)
    env = McpToolsEnv(**sandbox)  # type: ignore[arg-type]
    wrong = Counter[str]()
    for server in ("git", "sqlite", "time"):
        tasks = [task for task in load_suite("tools/mcp").tasks("test") if task.config["servers"] == [server]]
        row = row_of(env, server, tasks[:: QUICK_STEP if quick else 1])
        report.figures[server] = row
        wrong["failures of oracles"] += row["tasks"] - row["oracle"]
        wrong["wins of null, random and cheats"] += row["null"] + row["random"] + row["cheats"]
        wrong["wins of nearly right work"] += sum(row[name][0] for name in WRONG)
        wrong["failures of right work done otherwise"] += sum(row[name][1] - row[name][0] for name in RIGHT)
    env.close()
    report.goals = [Goal(name, float(count), 0.0, "at most") for name, count in wrong.items()]
    return report


def row_of(env: McpToolsEnv, server: str, tasks: Sequence[Task]) -> dict[str, Any]:
    """The row of a server: how many tasks each player wins, and for each change how many of how many variants win."""
    wins, variants = Counter[str](), {name: [0, 0] for name in (*WRONG, *RIGHT)}
    for task in tasks:
        progress(task.id)
        for name in SCRIPTS:
            shown = "cheats" if name.startswith("cheat_") else name
            wins[shown] += play_script(env, task, SCRIPTS[name](task, task.seed)).success
        for name, vary in {**WRONG, **RIGHT}.items():
            for calls, answer in vary(calls_of(task), answer_of(task), server):
                variants[name][0] += wins_by(env, task, calls, answer)
                variants[name][1] += 1
    players = ("oracle", "demo", "null", "random", "cheats")
    return {"tasks": len(tasks), **{name: wins[name] for name in players}, **variants}


def wins_by(env: McpToolsEnv, task: Task, calls: Sequence[Call], answer: str) -> bool:
    """Whether these calls, a message each, and this answer win."""
    lines = [call_text(tool, **given) for tool, given in calls]
    return play_script(env, task, Saying(*lines, call_text("submit", answer=answer))).success


def _reworded(value: str) -> str:
    """A text that means something else: another number, another word, or a statement that meets no rows."""
    if value.startswith(("UPDATE", "DELETE")):
        return f"{value} AND 0"
    number = next((place for place, letter in reversed(list(enumerate(value))) if letter.isdigit()), None)
    if number is None:
        return f"{value}z"
    return f"{value[:number]}{(int(value[number]) + 1) % 10}{value[number + 1 :]}"


if __name__ == "__main__":
    sys.exit(main("mcp_tasks", measure, PACKAGES))
