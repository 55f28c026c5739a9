"""Whether rows have room for the episodes of a run, asked before anything is collected for it.

An episode that grows too long later is cut where it is played; see `TrainConfig.longest_context`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any

from agentgym.errors import AgentGymError, ConfigError, ContextOverflowError
from agentgym.prompting.speaker import open_talk
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens

_NUM_DEMONSTRATIONS = 4
_NUM_OPENINGS = 3


def require_room(ground: Groundwork[Any]) -> None:
    """Refuse rows that are too short for demonstrations, or for the first message of any task that is looked at.

    Raises:
        ConfigError: Says how many tokens are needed, and which keys to change.
    """
    config = ground.config
    if config.warm_start.demonstrations and not config.warm_start.run:
        wanted = min(_NUM_DEMONSTRATIONS, config.warm_start.demonstrations)
        shown = collect_demonstrations(
            ground.suite, config.warm_start.demonstrator, wanted, config.run.seed, cast=ground.cast, max_concurrent=1
        )
        require_fitting(
            with_tokens(shown, ground.renderer, ground.tools, config.rollout.history), config.packing.row_length
        )
    if config.algorithm.collects:
        tasks = ground.suite.train_tasks()
        chosen = tasks[:: max(1, len(tasks) // _NUM_OPENINGS)][:_NUM_OPENINGS]
        lengths = [length for task in chosen if (length := _length_of_opening(ground, task)) is not None]
        room, message = config.longest_context(ground.policy.max_context), config.rollout.sampling.max_tokens
        if lengths and min(lengths) + message > room:
            raise ConfigError(
                f"the first prompts of {len(lengths)} tasks have {min(lengths)} to {max(lengths)} tokens, and with a "
                f"message of rollout.sampling.max_tokens = {message} none fits into {room} tokens; raise "
                "packing.row_length or rollout.max_context, or lower rollout.sampling.max_tokens"
            )


def require_fitting(trajectories: Iterable[Trajectory], row_length: int) -> None:
    """Refuse demonstrations that do not fit into a row.

    Args:
        trajectories: With tokens.
        row_length: Tokens of a row.

    Raises:
        ConfigError: Names the first that does not.
    """
    for each in trajectories:
        longest = max((len(segment.tokens) for segment in each.segments()), default=0)
        if longest > row_length:
            raise ConfigError(
                f"the demonstration of task {each.task_id!r} has {longest} tokens, a row {row_length}; raise "
                "packing.row_length or lower the limits of the episode"
            )


def _length_of_opening(ground: Groundwork[Any], task: Task) -> int | None:
    """Tokens of the first prompt; None if the task does not begin, which is the rollout's to report."""
    try:
        with closing(ground.make_game(task)) as game:
            inbox = game.reset(task, None)
            role = game.acting_role or ""
            talk = open_talk(ground.policy, game.tools.get(role, ()), renderer=ground.renderer)
            talk.observe(inbox.get(role, ()))
            prompt = talk.prompt()
    except ContextOverflowError:
        raise
    except (AgentGymError, OSError, RuntimeError, ValueError, LookupError):
        return None
    return None if prompt is None else len(prompt.ids)
