"""What an actor-critic needs of an environment and of stored runs, refused before anything is played or written.

Not here: which options go together (kinds.py).
"""

from __future__ import annotations

from pathlib import Path

from agentgym.errors import ConfigError
from agentgym.outcome import GRADED
from agentgym.store import RunStore
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.hierarchical.options import UnderSoftCritic

_LOOKED_AT = 8


def require_listed(ground: Groundwork[UnderSoftCritic]) -> None:
    """Refuse an environment that lists no legal actions, and runs that were recorded without them.

    Raises:
        ConfigError: Says what is missing, and what to do.
    """
    task = ground.suite.train_tasks()[0]
    game = ground.make_game(task)
    try:
        game.reset(task)
        assert game.acting_role is not None
        listed = game.legal_actions(game.acting_role)
    finally:
        game.close()
    if not listed:
        raise ConfigError(
            f"a soft actor-critic picks among legal actions, and the environment of task {task.id!r} lists none; write "
            "legal_actions() for it, or choose a policy that writes its messages, such as preset archer"
        )
    for folder in ground.config.algorithm.runs:
        _require_recorded(folder)


def _require_recorded(folder: str) -> None:
    """Look at the first and the last graded episodes of a run."""
    with RunStore.open(Path(folder), read_only=True) as store:
        recorded = store.episode_rows(purpose="train") or store.episode_rows(purpose="demo")
        rows = [row for row in recorded if row.num_turns and row.outcome in GRADED]
        chosen = rows[:_LOOKED_AT] + rows[_LOOKED_AT:][-_LOOKED_AT:]
        for trajectory in store.load(chosen):
            lacking = [turn.index for turn in trajectory.turns if not turn.legal_actions]
            if lacking:
                raise ConfigError(
                    f"{folder}: turn {lacking[0]} of {trajectory.id!r} was recorded without its legal actions, among "
                    "which discrete soft actor-critic picks; leave the run out of algorithm.replay.runs, or record it "
                    "again with rollout.record_legal_actions = true"
                )
