"""Small trajectories with rewards, anchors and progress of the reader's choice, and a key-door environment."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from agentgym import AgentEnv, EnvReply, Limits, Outcome, RewardEvent, Task, Trajectory, Turn
from agentgym.attribution.steps import Steps
from agentgym.message import user
from agentgym.trajectory import FINAL_PROGRESS

WEIGHTS = {"success": 1.0, "step": 1.0, "format": 1.0}
TRUNCATED = Outcome("truncated", "turns")


def record(
    name: str,
    rewards: Sequence[float | Mapping[str, float]],
    *,
    group: str = "g",
    anchors: Sequence[str | None] | None = None,
    progress: Sequence[float] | None = None,
    outcome: Outcome | None = None,
    **fields: Any,
) -> Trajectory:
    """A trajectory of one turn for each reward; a bare number is of the component step."""
    turns = [Turn(index, [user("?")], {"role": "assistant", "content": "!"}, "!") for index in range(len(rewards))]
    events = []
    for index, given in enumerate(rewards):
        parts = given if isinstance(given, Mapping) else {"step": given}
        events += [RewardEvent(index, index, "agent", part, value) for part, value in parts.items()]
    for turn, anchor in zip(turns, anchors or (), strict=False):
        turn.anchor = anchor
    for turn, reached in zip(turns, progress or (), strict=False):
        turn.progress = reached
    outcome = outcome or Outcome("terminated")
    metadata = {FINAL_PROGRESS: progress[len(rewards)]} if progress and len(progress) > len(rewards) else {}
    settings: dict[str, Any] = {"task_id": "t", "group_id": group, "weights": WEIGHTS, "metadata": metadata}
    settings |= {"turns": turns, "events": events, "outcome": outcome, "score": 1.0, "success": True}
    return Trajectory(name, **(settings | fields))


def steps_of(rewards: Sequence[Sequence[float]], **fields: Any) -> Steps:
    """Columnar steps of one group, unless `groups` says otherwise."""
    flat = np.array([value for each in rewards for value in each], np.float64)
    settings: dict[str, Any] = {
        "offsets": np.cumsum([0, *map(len, rewards)]),
        "groups": np.zeros(len(rewards), np.int64),
        "is_truncated": np.zeros(len(rewards), np.bool_),
    }
    return Steps(flat, **(settings | fields))


def random_steps(seed: int, num_groups: int = 3, size: int = 4, longest: int = 7) -> Steps:
    """Steps with everything that any closed formula needs; the first group's first trajectory has one turn."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, num_groups * size)
    total = int(lengths.sum())
    offsets = np.cumsum([0, *lengths])
    success, step = np.zeros(total), rng.choice([-0.1, 0.0, 0.3], total)
    success[offsets[1:] - 1] = rng.integers(0, 2, len(lengths))
    groups = np.repeat(np.arange(num_groups), size)
    start = rng.random(num_groups)
    progress = rng.random(total)
    progress[offsets[:-1]] = start[groups]
    return Steps(
        success + step,
        offsets,
        groups,
        rng.random(len(lengths)) < 0.4,
        anchors=rng.integers(-1, 4, total),
        progress=progress,
        final_progress=rng.random(len(lengths)),
        tool_calls=rng.integers(0, 3, total),
        parts={"success": success, "step": step},
    )


class KeyDoor(AgentEnv):
    """Take the key, then open the door; only the open door pays. Waiting may be punished by the wind."""

    reward_weights = WEIGHTS
    invalid_value = -0.5

    def make_task(self, seed: int) -> Task:
        return Task(f"door-{seed}", seed, limits=Limits(max_turns=4))

    def begin(self, task: Task) -> list[dict[str, Any]]:
        self.has_key = False
        return [user("a door")]

    def respond(self, action: Any) -> EnvReply:
        if action.content == "key":
            self.has_key = True
        if action.content == "door" and self.has_key:
            return EnvReply([user("open")], [self.event("success", 1.0)], True, True)
        return EnvReply([user(f"wind {self.rng.randint(0, 9)}")])

    def anchor(self) -> str:
        return f"{self.has_key} {self.turn}"

    def progress(self) -> float:
        return 0.5 * self.has_key

    def fork(self, seed: int | None = None) -> Self:
        return self.fork_by_copy(seed)


class Guesser:
    """Says key or door at random."""

    def __init__(self, task: Task, seed: int) -> None:
        self.rng = random.Random(seed)

    def act(self, messages: Sequence[Mapping[str, Any]]) -> str:
        return self.rng.choice(("key", "door"))
