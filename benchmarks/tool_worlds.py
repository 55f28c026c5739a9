"""What a desk costs: its world against copies of the same data as dicts, its steps, its episodes, and parked ones.

- reset, fork: `World.reset` after an episode's writes, and `World.fork` in the middle of one, beside `copy.deepcopy` of
  all rows as dicts. A fork is read once.
- grading: the verdict with its check for other changes, beside a SHA-256 of those dicts as sorted JSON, which shows
  only that something changed.
- step, episode: the oracle's messages at the desk, the rule-based customer included, as an environment of one agent;
  beside the ground truth of AgentDojo's workspace in its own process, where AGENTGYM_AGENTDOJO_PYTHON names that.
- parked: whole episodes, which are environments of one agent with the customer, its guard and their messages, in the
  middle of their oracles' messages and before the last one; and how many connections they hold in all. Beside it the
  sessions alone, with their writes made. Their tasks are shared, as those of a group are.

Both sides run in one thread, in turn; times are those of the thread, in which other work does not count.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import json
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.drawing import Wanted, draw_task
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.grading import judge
from agentgym_tools.desks.scripts import PARTNERS, oracle
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.desks.templates import Template
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress
from benchmarks.tool_adapters.episodes import agentdojo_episodes, agentdojo_is_named

PACKAGES = ("agentgymnasium", "numpy")
DESK = "shop"
TASKS, QUICK_TASKS = 200, 20
COPIES, QUICK_COPIES = 10, 2
PARKED, QUICK_PARKED = 10_000, 200
PEER_TASKS, QUICK_PEER_TASKS = 40, 4
CONNECTIONS = 8
KB, MB = 1e3, 1e6

Data = dict[str, dict[str, dict[str, Any]]]
"""By table and key the rows as dicts."""


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer tasks and copies."""
    domain = desk(DESK)
    num_tasks, num_copies = (QUICK_TASKS, QUICK_COPIES) if quick else (TASKS, COPIES)
    image, data = domain.sizes["full"].image, data_of(domain)
    report = Report(setting={"desk": DESK, "database, MB": significant(len(image) / MB), "tasks": num_tasks})
    progress("drawing")
    tasks = [
        draw_task(f"{DESK}:{seed}", random.Random(seed), Wanted(DESK, "full", template), seed)
        for seed, template in zip(range(num_tasks), _in_turn(domain), strict=False)
    ]
    progress("copies")
    deep = [_timed(copy.deepcopy, data) for _ in range(num_copies)]
    hashed = [_timed(digest, data) for _ in range(num_copies)]
    progress("worlds")
    resets, forks, verdicts = _worlds(domain, tasks)
    for name, ours, theirs, goal in (
        ("reset", resets, deep, 300),
        ("fork", forks, deep, 1000),
        ("grading", verdicts, hashed, 300),
    ):
        report.figures[f"{name}, p50, CPU us"] = significant(_middle(ours) * 1e6)
        report.goals.append(
            Goal(f"{name}: times as fast as the dicts", _middle(theirs) / _middle(ours), goal, "at least")
        )
    report.figures["deepcopy of the dicts, p50, CPU ms"] = significant(_middle(deep) * 1e3)
    report.figures["hash of the dicts, p50, CPU ms"] = significant(_middle(hashed) * 1e3)
    progress("episodes")
    steps, episodes = _episodes(tasks)
    p50, p95 = np.percentile(steps, (50, 95)) * 1e3
    report.goals.append(Goal("step with the customer, p50, CPU ms", float(p50), 0.15, "at most"))
    report.goals.append(Goal("step with the customer, p95, CPU ms", float(p95), 0.5, "at most"))
    report.goals.append(Goal("oracle's episodes a second", 1 / float(np.mean(episodes)), 300, "at least"))
    if agentdojo_is_named():
        progress("AgentDojo")
        peer = _middle(agentdojo_episodes(QUICK_PEER_TASKS if quick else PEER_TASKS))
        report.figures["AgentDojo's workspace, an episode, p50, CPU ms"] = significant(peer * 1e3)
        report.goals.append(
            Goal("episode: times as fast as AgentDojo's workspace", peer / _middle(episodes), 30, "at least")
        )
    progress("parked")
    _report_parked(report, domain, tasks, QUICK_PARKED if quick else PARKED)
    return report


def data_of(domain: Domain) -> Data:
    """The whole world as dicts."""
    base = domain.sizes["full"]
    db = base.connect()
    try:
        return {
            table.name: {
                str([row[place] for place in table.key]): dict(row) for row in db.execute(f"SELECT * FROM {table.name}")
            }
            for table in base.tables
        }
    finally:
        db.close()


def digest(data: Data) -> str:
    """A hash of the whole world."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _worlds(domain: Domain, tasks: list[Task]) -> tuple[list[float], list[float], list[float]]:
    resets, forks, verdicts = [], [], []
    for task in tasks:
        session = session_of(task, domain)
        _write(session)
        forks.append(_timed(_forked, session))
        verdicts.append(_timed(judge, session))
        resets.append(_timed(session.world.reset))
        session.world.close()
    return resets, forks, verdicts


def _write(session: Session) -> None:
    """Make the writes of every goal that is fulfilled."""
    for case in session.cases:
        for call in case.outcomes[0] if case.outcomes and case.is_due else ():
            session.carry_out(call)


def _forked(session: Session) -> None:
    twin = session.world.fork()
    with twin.call(may_write=False):
        twin.row(f"SELECT * FROM {session.domain.customers_table} WHERE id = ?", session.plan.customer)
    twin.close()


def _episodes(tasks: list[Task]) -> tuple[list[float], list[float]]:
    """Seconds of each step, and of each episode with its reset; the oracle's messages are found before."""
    env = RoleView(DeskGame(DESK), "agent", {"user": PARTNERS["user"]})
    scripts = [list(_messages(env, task)) for task in tasks]
    steps, episodes = [], []
    for task, messages in zip(tasks, scripts, strict=True):
        start = time.thread_time()
        env.reset(options={"task": task})
        steps += [_timed(env.step, message) for message in messages]
        episodes.append(time.thread_time() - start)
    env.close()
    return steps, episodes


def _messages(env: RoleView, task: Task) -> Iterator[str]:
    _, info = env.reset(options={"task": task})
    player, messages, is_over = oracle(task, 0), list(info["messages"]), False
    while not is_over:
        text = player.act(messages)
        _, _, terminated, truncated, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
        is_over = terminated or truncated
        yield text
    if not info["success"]:
        raise AssertionError(f"the oracle failed at {task.id}")


def _report_parked(report: Report, domain: Domain, tasks: list[Task], count: int) -> None:
    report.figures["a parked session alone, its writes made, KB"] = significant(_kb_of_sessions(domain, tasks, count))
    env = RoleView(DeskGame(DESK), "agent", PARTNERS)
    scripts = [list(_messages(env, task)) for task in tasks]
    env.close()
    late = [(task, messages[:-1]) for task, messages in zip(tasks, scripts, strict=True)]
    in_middle = [(task, messages[: len(messages) // 2]) for task, messages in zip(tasks, scripts, strict=True)]
    report.figures["a parked episode before its last message, KB"] = significant(parked(late, count)[0])
    size, num_connections = parked(in_middle, count)
    report.goals.append(Goal(f"a parked episode of {count} in its middle, KB", size, 20, "at most"))
    report.goals.append(Goal(f"connections of {count} parked episodes", num_connections, CONNECTIONS, "at most"))


def parked(scripts: list[tuple[Task, list[str]]], count: int) -> tuple[float, int]:
    """Kilobytes of memory an episode, of many that have come to the end of their messages, and their connections.

    Args:
        scripts: Tasks with the messages of their agents, which the episodes take in turn.
        count: How many episodes.
    """
    for script in scripts:  # plans, and what else tasks share, are made before
        _played(*script).close()
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    episodes = [_played(*scripts[number % len(scripts)]) for number in range(count)]
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sessions = [game.session for each in episodes if isinstance(game := each.game, DeskGame)]
    num_connections = sum(world.has_connection for session in sessions for world in (session.start, session.world))
    for episode in episodes:
        episode.close()
    return (after - before) / count / KB, num_connections


def _played(task: Task, messages: list[str]) -> RoleView:
    env = RoleView(DeskGame(DESK), "agent", PARTNERS)
    env.reset(options={"task": task})
    for message in messages:
        env.step(message)
    return env


def _kb_of_sessions(domain: Domain, tasks: list[Task], count: int) -> float:
    for task in tasks:
        session_of(task, domain).world.close()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    sessions = []
    for number in range(count):
        session = session_of(tasks[number % len(tasks)], domain)
        _write(session)
        sessions.append(session)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for session in sessions:
        session.world.close()
    return (after - before) / count / KB


def _in_turn(domain: Domain) -> Iterator[Template]:
    while True:
        yield from domain.templates


def _timed(work: Callable[..., object], *arguments: object) -> float:
    start = time.thread_time()
    work(*arguments)
    return time.thread_time() - start


def _middle(values: list[float]) -> float:
    return float(np.median(values))


if __name__ == "__main__":
    sys.exit(main("tool_worlds", measure, PACKAGES))
