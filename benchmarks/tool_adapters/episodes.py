"""CPU time of AgentDojo's workspace for whole episodes of its ground truth, in its own process behind the pipe."""

from __future__ import annotations

import os
from contextlib import closing

from agentgym.registration import make
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.adapters.game import PeerGame
from agentgym_tools.adapters.peers import PEERS
from agentgym_tools.adapters.scripts import oracle


def agentdojo_is_named() -> bool:
    """Whether the interpreter with AgentDojo is named in its variable."""
    return bool(os.environ.get(PEERS["agentdojo"].interpreter_variable))


def agentdojo_episodes(num_tasks: int) -> list[float]:
    """CPU seconds of an episode of each user task, at most `num_tasks`: its reset, its calls, its verdict, and no more.

    Each task is played once before, so that what AgentDojo keeps of its files is there.
    """
    env = make("agentdojo/workspace", has_own_verdict=False)
    assert isinstance(env, RoleView)
    assert isinstance(env.game, PeerGame)
    found = []
    with closing(env):
        assert env.num_tasks is not None
        for number in range(min(num_tasks, env.num_tasks)):
            task = env.make_task(number)
            seconds = 0.0
            for _ in range(2):
                before = env.game.pipe.ask("clock")
                env.reset(options={"task": task})
                player, is_over = oracle(task, 0), False
                while not is_over:
                    _, _, terminated, truncated, info = env.step(player.act(()))
                    is_over = terminated or truncated
                seconds = env.game.pipe.ask("clock") - before
            assert info["success"], f"AgentDojo's ground truth failed at {task.id}"
            found.append(seconds)
    return found
