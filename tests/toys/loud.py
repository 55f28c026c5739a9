"""An environment that prints wherever it can, and one that ends the process that plays it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.message import Message, user
from agentgym.registration import EnvSpec, register
from agentgym.task import Task


class Loud(AgentEnv):
    """Succeeds at once, but not silently."""

    num_tasks = 3

    def __init__(self, exits: bool = False, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.exits = exits

    def make_task(self, seed: int) -> Task:
        return Task(id=f"loud:{seed}", suite="test/Loud-v0", split="test", stratum="all", seed=seed, instruction="Say.")

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("Say something.")]

    def respond(self, action: Action) -> EnvReply:
        print("printed by the environment")
        os.write(1, b"written by the environment\n")
        subprocess.run(["/bin/echo", "printed by its child"], check=True)
        if self.exits:
            sys.exit(3)
        return EnvReply([user("Yes.")], [self.event("success", 1.0)], True, success=True)


class Player:
    """Says something."""

    def __init__(self, task: Task, seed: int) -> None:
        del task, seed

    def act(self, messages: Sequence[Message]) -> str:
        return "Something."


SCRIPTS = {"oracle": Player}
SPEC = EnvSpec("test/Loud-v0", f"{__name__}:Loud", f"{__name__}:SCRIPTS", "test", ())


def main() -> int:
    """A command of agentgym that knows the environment."""
    from agentgym.cli.main import main as command

    register(SPEC)
    code = command(sys.argv[1:])
    print("after the command")
    return code


if __name__ == "__main__":
    sys.exit(main())
