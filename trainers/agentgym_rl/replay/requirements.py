"""The requirements of replay on stored runs and on the environment, checked before a run's folder is made.

rules.py checks which keys go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transformers import PreTrainedTokenizerFast

from agentgym.message import ToolSchema
from agentgym.prompting.renderer import ChatRenderer
from agentgym.suite import Suite
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.replay.admission import open_runs, require_train_tasks, require_whole
from agentgym_rl.replay.hindsight import Hindsight
from agentgym_rl.replay.options import Memory
from agentgym_rl.replay.recordings import Rendering, require_learnable
from agentgym_rl.replay.tables import Admitted


def require_replay(ground: Groundwork[Any]) -> None:
    """Refuse stored runs that cannot be learned from, and hindsight if the environment cannot relabel.

    Raises:
        StoreError: A run cannot be replayed; see `open_runs`.
        HeldOutError: A run is of tasks that are held out.
        ConfigError: Hindsight is on, and the environment cannot relabel.
    """
    config, suite = ground.config, ground.suite
    runs: tuple[str, ...] = config.algorithm.runs
    if runs:
        runs = require_learnable(config, Rendering.of(config, suite, ground.policy))
    require_replayable(
        config.algorithm.replay.over(runs) if runs != config.algorithm.runs else config.algorithm.replay,
        suite,
        tokenizer=ground.tokenizer,
        renderer=ground.renderer,
        tools=ground.tools,
        admitted="sampled" if config.algorithm.needs_behaviour_logprobs else "all",
    )


def require_replayable(
    options: Memory,
    suite: Suite,
    *,
    tokenizer: PreTrainedTokenizerFast,
    renderer: ChatRenderer,
    tools: Sequence[ToolSchema],
    admitted: Admitted,
) -> None:
    """Refuse options that cannot work with a suite or with earlier runs, before a run is begun.

    Raises:
        StoreError: An earlier run cannot be replayed; see `open_runs`.
        HeldOutError: A run is of tasks that are held out.
        ConfigError: Hindsight is on, and the environment cannot relabel.
    """
    if options.hindsight is not None:
        Hindsight(suite, renderer, tools, options.hindsight).close()
    indices = open_runs(options.runs, options.bounds_of_runs(admitted), suite=suite.name, tokenizer=tokenizer)
    try:
        for index in indices:
            require_whole(index)
            require_train_tasks(index, suite.held_out_hashes)
    finally:
        for index in indices:
            index.store.close()
