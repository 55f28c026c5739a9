"""Episodes of the toy corridor with key and door, played so that one turn decides: the one that fetches the key.

The player turns left at once, or after a step in the wrong direction and back, or does not; then it walks to the door,
with a rare slip, for which there is time only where the key was fetched at once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from agentgym.game import SoloGame
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from tests.trainers.rl.toys import KeyDoor, arm

_WORDS = ("ant", "ball", "cake", "dish", "egg", "fox", "gong", "hat")
LEFT = next(word for word in _WORDS if arm(word, 2) == 0)
RIGHT = next(word for word in _WORDS if arm(word, 2) == 1)
_SLIP = 0.08


class Walker:
    """Walks by a plan drawn from its seed."""

    def __init__(self, task: Task, seed: int) -> None:
        draw = random.Random(seed)
        start = draw.choice(([LEFT], [RIGHT, LEFT, LEFT], [RIGHT, LEFT, RIGHT], [RIGHT, RIGHT]))
        rest = [LEFT if draw.random() < _SLIP else RIGHT for _ in range(10)]
        self.plan = [*start, *rest]

    def act(self, messages: Sequence[Any]) -> str:
        return self.plan[sum(message["role"] == "assistant" for message in messages)]


def walks(count: int, first_seed: int = 0) -> list[Trajectory]:
    """So many episodes, in groups of eight, in order."""
    task = KeyDoor().make_task(0)
    jobs = [
        Job(task, f"walk-{number}", first_seed + number, group_id=f"g{number // 8}", attempt=number % 8)
        for number in range(count)
    ]
    settings = RolloutSettings(record_anchors=True, record_progress=True)
    found, _ = collect_episodes(jobs, lambda _: SoloGame(KeyDoor()), {"*": ScriptedPolicy("walk", Walker)}, settings)
    return sorted(found, key=lambda each: int(each.id.rpartition("-")[2].split("/")[0]))


def deciding_turn(trajectory: Trajectory) -> int | None:
    """The turn that fetched the key; None in an episode in which none did."""
    has_key = [str(turn.anchor).endswith("key") for turn in trajectory.turns]
    return has_key.index(True) - 1 if any(has_key) else None


def mean_share(trajectories: Sequence[Trajectory], credit: Sequence[np.ndarray]) -> float:
    """Among solved episodes, the deciding turn's credit as a multiple of an equal share; 1 where nothing stands out."""
    shares = []
    for each, values in zip(trajectories, credit, strict=True):
        turn = deciding_turn(each)
        if each.success and turn is not None:
            shares.append(values[turn] / np.mean(values))
    return float(np.mean(shares))


def share_found(trajectories: Sequence[Trajectory], credit: Sequence[np.ndarray]) -> float:
    """Among solved episodes, the share whose deciding turn has the most credit."""
    hits = [
        int(np.argmax(values)) == deciding_turn(each)
        for each, values in zip(trajectories, credit, strict=True)
        if each.success
    ]
    return float(np.mean(hits))
