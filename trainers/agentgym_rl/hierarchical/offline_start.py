"""Before the policy's first update: episodes of a random player, and a critic and a policy fitted to what there is.

The turns that random episodes take are logged, as whoever counts turns has to count them. Not here: the updates.
"""

from __future__ import annotations

from dataclasses import replace

from agentgym.prompting.renderer import ChatRenderer
from agentgym.rollout import draw_seed
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.hierarchical.options import UnderTurnCritic

RANDOM = "random"
TURNS = "start/turns"
"""Metric: environment turns that the episodes before the first iteration took."""


def play_random_episodes(place: Workplace[UnderTurnCritic], count: int) -> Metrics:
    """Store episodes of the environment's random player as train episodes without log-probabilities.

    Args:
        place: With a store; its suite has a random player.
        count: How many.

    Returns:
        For the log.
    """
    config, store = place.config, place.store
    assert store is not None, "refused where the buffer is opened"
    cast = training_cast(config.roles, place.suite)
    played = collect_demonstrations(
        place.suite, RANDOM, count, draw_seed(config.run.seed, "random start"), cast=cast, max_concurrent=16
    )
    renderer = ChatRenderer(place.policy.tokenizer)
    for each in with_tokens(played, renderer, tools_of(cast), config.rollout.history):
        store.write_episode(replace(each, id=f"random-{each.id}"), 1)
    return {TURNS: float(sum(len(each.turns) for each in played))}
