"""A small environment that runs commands in a sandbox, a saboteur for it, and what two runs must have in common."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence

from agentgym.action import ToolCall
from agentgym.env import EnvReply
from agentgym.game import SoloGame
from agentgym.message import Message, user
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Script
from agentgym.rollout import Job, RolloutSettings, RolloutStats, collect_episodes
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Limits, Task
from agentgym.tools import said, tool_schema
from agentgym.trajectory import Trajectory
from tests.sandbox.docker_engine import SPEC

Sabotage = Callable[[Sandbox], str | None]
"""What breaks something just before a command; what it returns is run before the command, in the same shell."""
HONEST = ("echo $((6 * 7)) | tee tally", "sleep 0.2; wc -c < tally >> tally", "cat tally", "ls -A")


class Saboteur:
    """Breaks something under chosen commands of an environment: the n-th of a task, the first so many times.

    Args:
        act: What it does.
        at: By task id, at which command.
        times: How often for each task.
    """

    def __init__(self, act: Sabotage, at: dict[str, int], times: int = 1) -> None:
        self._act, self._at, self._times = act, at, times
        self._lock = threading.Lock()
        self.count: Counter[str] = Counter()

    def __call__(self, task: Task, number: int, sandbox: Sandbox) -> str:
        with self._lock:
            if self._at.get(task.id) != number or self.count[task.id] >= self._times:
                return ""
            self.count[task.id] += 1
        return self._act(sandbox) or ""


class ShellEnv(SandboxEnv):
    """Run commands; the file `tally` is looked at in the end."""

    tools = (
        tool_schema("run", "Run a command.", command="For sh."),
        tool_schema("finish", "Have the tally checked."),
    )

    def __init__(self, pool: SandboxPool, spec: SandboxSpec = SPEC, saboteur: Saboteur | None = None) -> None:
        super().__init__(pool)
        self._spec, self._saboteur = spec, saboteur

    def make_task(self, seed: int) -> Task:
        return shell_task(f"task-{seed}", HONEST)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        return self._spec

    def set_up(self, task: Task) -> Sequence[Message]:
        self._number = 0
        self.sandbox.write_file("tally", task.id.encode())
        return [user("Work.")]

    def carry_out(self, call: ToolCall) -> EnvReply:
        if call.name == "finish":
            is_right = self.sandbox.read_file("tally").split() == [b"42", b"3"]
            return EnvReply([user("seen")], [self.event("success", float(is_right))], True, success=is_right)
        assert self.task is not None
        before = "" if self._saboteur is None else self._saboteur(self.task, self._number, self.sandbox)
        self._number += 1
        ran = self.sandbox.exec(["sh", "-c", before + call.arguments["command"]])
        facts = {"exit": ran.exit_code, "late": ran.timed_out, "oom": ran.oom_killed, "dropped": ran.dropped_bytes}
        return said(f"{json.dumps(facts)}\n{ran.text()[:200]}")


def shell_task(name: str, commands: Sequence[str], step_timeout_s: float = 60.0) -> Task:
    return Task(name, 0, config={"commands": list(commands)}, limits=Limits(step_timeout_s=step_timeout_s))


class _Commands:
    def __init__(self, task: Task, seed: int) -> None:
        calls = [{"name": "run", "arguments": {"command": text}} for text in task.config["commands"]]
        self._texts = iter([json.dumps(call) for call in [*calls, {"name": "finish", "arguments": {}}]])

    def act(self, messages: Sequence[Message]) -> str:
        return next(self._texts)


def player(task: Task, seed: int) -> Script:
    return _Commands(task, seed)


def play(
    tasks: Sequence[Task],
    pool: SandboxPool,
    *,
    spec: SandboxSpec = SPEC,
    saboteur: Saboteur | None = None,
    **settings: object,
) -> tuple[list[Trajectory], RolloutStats]:
    """All tasks at once, each by its own commands."""
    return collect_episodes(
        [Job(task, task.id, seed=1) for task in tasks],
        lambda _: SoloGame(ShellEnv(pool, spec, saboteur)),
        {"*": ScriptedPolicy("commands", player)},
        RolloutSettings(max_concurrent=len(tasks), env_threads=2 * len(tasks), **settings),  # type: ignore[arg-type]
    )


def told(record: Trajectory) -> dict[str, object]:
    """Everything about an episode that a fault elsewhere, or one that was retried, must not change."""
    return {
        "id": record.id,
        "turns": [(turn.messages, turn.text, turn.was_invalid) for turn in record.turns],
        "events": record.events,
        "outcome": record.outcome,
        "success": record.success,
        "score": record.score,
    }
