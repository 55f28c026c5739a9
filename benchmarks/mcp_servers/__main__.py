"""How long an agent of McpTools-v0 waits for a server: started before its episode, or with its first call.

- first call: from the first call of an agent that has thought meanwhile to its answer.
- episode: an oracle's episodes one behind another, without a thought, so that starting is most of their work.
- CPU time: what a server has used up when it has answered its first call.

Both sides play the same tasks in the same kind of container, each with a pool of its own.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.mcp.drawing import calls_of
from agentgym_tools.mcp.env import McpToolsEnv
from agentgym_tools.mcp.scripts import SCRIPTS
from agentgym_tools.mcp.servers import FROM_PYPI, Server
from benchmarks.measure import Spread, interleaved, ratios, significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "mcp")
REPEATS, QUICK_REPEATS = 20, 4
IN_A_ROW = 5
"""Episodes one behind another."""
READY = 2
GOAL = 3.0
_FIND = "for p in $(pgrep -f import_modul[e].*mcp_server_); do cat /proc/$p/stat; done"
_TICKS = 100
_STILL_S = 0.3


class OnDemand(McpToolsEnv):
    """Starts servers with their first calls alone."""

    def _early(self, task: Task) -> Server | None:
        return None


class Side:
    """One way to start servers, with a pool of its own."""

    def __init__(self, kind: type[McpToolsEnv]) -> None:
        self.pool = SandboxPool(provider_named("docker"), PoolConfig(ready=READY))
        self.env = kind(sandbox=self.pool)

    def first_call(self, task: Task) -> tuple[float, float]:
        """Milliseconds of the first call, after a thought, and the CPU milliseconds of the server then."""
        self.env.reset(options={"task": task})
        sandbox = self.env.sandbox
        await_rest(sandbox)
        tool, arguments = calls_of(task)[0]
        began = time.perf_counter()
        self.env.step(call_text(tool, **arguments))
        taken = time.perf_counter() - began
        cpu = cpu_seconds(sandbox)
        self.env.step(call_text("submit"))
        return taken * 1e3, cpu * 1e3

    def in_a_row(self, tasks: Sequence[Task]) -> float:
        """Milliseconds of an episode."""
        began = time.perf_counter()
        for task in tasks:
            play_script(self.env, task, SCRIPTS["oracle"](task, 0))
        return (time.perf_counter() - began) * 1e3 / len(tasks)

    def close(self) -> None:
        """Close the environment and its pool."""
        self.env.close()
        self.pool.close()


def cpu_seconds(sandbox: Sandbox) -> float:
    """The CPU time of the servers in a sandbox."""
    rows = [line.rpartition(b")")[2].split() for line in sandbox.exec(["sh", "-c", _FIND]).stdout.splitlines()]
    return sum(int(row[11]) + int(row[12]) for row in rows) / _TICKS


def await_rest(sandbox: Sandbox) -> None:
    """Wait until no server works any more."""
    before, now = -1.0, cpu_seconds(sandbox)
    while now != before:
        time.sleep(_STILL_S)
        before, now = now, cpu_seconds(sandbox)


def measure(quick: bool) -> Report:
    """All figures; `quick` repeats less."""
    repeats = QUICK_REPEATS if quick else REPEATS
    report = Report(setting={"repeats": repeats, "episodes in a row": IN_A_ROW, "ready sandboxes": READY})
    sides = {"early": Side(McpToolsEnv), "on demand": Side(OnDemand)}
    tasks = load_suite("tools/mcp").tasks("test")
    try:
        for server in FROM_PYPI.servers:
            progress(server)
            own = [task for task in tasks if task.config["servers"] == [server] and calls_of(task)][:IN_A_ROW]
            figures, ratio = _compared(sides, own, repeats)
            report.figures[server] = figures
            report.goals.append(Goal(f"first call of {server}, on demand / early", ratio, GOAL, "at least"))
    finally:
        for side in sides.values():
            side.close()
    return report


def _compared(sides: Mapping[str, Side], tasks: Sequence[Task], repeats: int) -> tuple[dict[str, Any], float]:
    """The figures of one server, and how many times longer its first call takes on demand."""
    for side in sides.values():
        side.first_call(tasks[0])  # makes what is made once
    calls = interleaved({name: partial(side.first_call, tasks[0]) for name, side in sides.items()}, repeats)
    rows = interleaved({name: partial(side.in_a_row, tasks) for name, side in sides.items()}, max(2, repeats // 4))
    waits = {name: [wait for wait, _ in found] for name, found in calls.items()}
    figures: dict[str, Any] = {
        name: {
            "first call, milliseconds": Spread.of(waits[name]).to_json(),
            "CPU of the server, milliseconds": significant(statistics.median(cpu for _, cpu in calls[name])),
            "episode in a row, milliseconds": Spread.of(rows[name]).to_json(),
        }
        for name in sides
    }
    ratio = ratios(waits["on demand"], waits["early"])
    figures["first call, on demand / early"] = ratio.to_json()
    figures["episode in a row, on demand / early"] = ratios(rows["on demand"], rows["early"]).to_json()
    return figures, ratio.median


if __name__ == "__main__":
    sys.exit(main("mcp_servers", measure, PACKAGES))
