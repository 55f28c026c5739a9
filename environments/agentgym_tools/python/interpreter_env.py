"""Environments in which the agent runs Python in a sandbox: the tool `run_python`, and the sandbox that it needs.

The interpreter is in `interpreter`; what is asked and how it is judged is a subclass's.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.env import EnvReply
from agentgym.reward import RewardEvent
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym_tools.python.interpreter import Interpreter, Shown

RUN_LIMIT_S = 5.0
MAX_SHOWN = 4000
MAX_CODE = 20_000

NO_OUTPUT = "(no output)"
STOPPED = f"Stopped after {RUN_LIMIT_S:g} s."
RESTARTED = "The interpreter was restarted; its variables are gone."
ENDINGS = {
    "timeout": STOPPED,
    "killed": f"{STOPPED} {RESTARTED}",
    "exit": f"The code asked to exit. {RESTARTED}",
    "crash": f"The interpreter crashed. {RESTARTED}",
}

SPEC = SandboxSpec(
    image="agentgym/python",
    limits=Limits(cpus=1.0, memory_mib=256, pids=64, work_mib=64, tmp_mib=32, exec_s=10.0, output_bytes=1 << 18),
)
"""What the agent's code, and every submission, runs in."""


class InterpreterEnv(SandboxEnv):
    """An environment with an interpreter that starts with the first code and keeps its variables.

    A subclass writes `set_up`, adds tools, and may give reward events for a run in `judge_run`.
    """

    _interpreter: Interpreter | None = None

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The same for every task."""
        return SPEC

    def put_down(self) -> None:
        """End the interpreter."""
        interpreter, self._interpreter = self._interpreter, None
        if interpreter is not None:
            interpreter.close()

    def make_interpreter(self) -> Interpreter:
        """The interpreter of a sandbox that was just leased."""
        return Interpreter(self.sandbox, MAX_SHOWN)

    def judge_run(self, shown: Shown) -> Sequence[RewardEvent]:
        """Reward events for what running a piece of code came to; by default, none."""
        return ()

    @property
    def has_run(self) -> bool:
        """Whether code of the agent's has run in the present sandbox."""
        return self._interpreter is not None and self._interpreter.has_run

    @tool
    def run_python(self, code: str) -> EnvReply:
        """Run Python code; variables last from one call to the next, and the value of a last expression is shown.

        Args:
            code: Python code.
        """
        if len(code) > MAX_CODE:
            return said(f"The code has {len(code)} characters; at most {MAX_CODE} are run.")
        if self._interpreter is None:
            self._interpreter = self.make_interpreter()
        shown = self._interpreter.run(code, RUN_LIMIT_S)
        return said(_shown_text(shown), self.judge_run(shown))


def _shown_text(shown: Shown) -> str:
    """Output and how it ended, as the agent reads it."""
    parts = [shown.output.removesuffix("\n"), ENDINGS.get(shown.status, "")]
    return "\n".join(part for part in parts if part) or NO_OUTPUT
