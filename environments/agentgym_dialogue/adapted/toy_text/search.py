"""The fewest actions that win from where an environment stands, found by looking ahead in it.

It knows the cards that will come: for oracles and for choosing tasks, not for players.
"""

from __future__ import annotations

import copy
from collections import deque
from functools import lru_cache
from typing import Any

import gymnasium

from agentgym.task import Task

IDS = {"FrozenLake": "FrozenLake-v1", "Taxi": "Taxi-v4", "Blackjack": "Blackjack-v1"}
"""Ids with Gymnasium by the name in ours."""
STICK, HIT = 0, 1


def started(task: Task) -> Any:
    """Gymnasium's own environment at the start of a task."""
    name = IDS[task.config["game"]]
    env = gymnasium.make(name, max_episode_steps=-1, disable_env_checker=True, **task.config["make"]).unwrapped
    env.reset(seed=task.seed)
    return env


def winning_actions(raw: Any) -> tuple[int, ...] | None:
    """The fewest actions from here that end the episode with a positive last reward; None where none do.

    Args:
        raw: One of Gymnasium's environments, unwrapped; moves are taken to lead where they most likely do.
    """
    return _by_cards(raw) if hasattr(raw, "dealer") else _by_table(raw)


@lru_cache(maxsize=10_000)
def can_win_hand(seed: int) -> bool:
    """Whether the cards of Blackjack that a seed gives can be won with."""
    return winning_actions(started(Task("hand", seed, config={"game": "Blackjack", "make": {}}))) is not None


def _by_table(raw: Any) -> tuple[int, ...] | None:
    queue: deque[tuple[int, tuple[int, ...]]] = deque([(int(raw.s), ())])
    seen = {int(raw.s)}
    while queue:
        state, actions = queue.popleft()
        for action in range(int(raw.action_space.n)):
            _, following, reward, terminated = max(raw.P[state][action], key=lambda way: way[0])
            if terminated and reward > 0:
                return (*actions, action)
            if not terminated and following not in seen:
                seen.add(following)
                queue.append((following, (*actions, action)))
    return None


def _by_cards(raw: Any) -> tuple[int, ...] | None:
    """Sticking after the fewest hits that win."""
    env = copy.deepcopy(raw)
    hits = 0
    while True:
        _, reward, _, _, _ = copy.deepcopy(env).step(STICK)
        if reward > 0:
            return (*[HIT] * hits, STICK)
        _, _, is_over, _, _ = env.step(HIT)
        if is_over:
            return None
        hits += 1
