"""Small episodes to replay."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import Trajectory, Turn

SUITE = "toy/replay"
NAMES = itertools.count()


class Vocabulary:
    """A tokenizer, as far as replay reads it."""

    def __init__(self, *words: str) -> None:
        self._ids = {word: number for number, word in enumerate(words)}

    def get_vocab(self) -> dict[str, int]:
        return self._ids


def episode(num_turns: int = 2, reward: float = 1.0, version: int = 0, **fields: Any) -> Trajectory:
    """An episode whose token ids tell its turns apart; the second of three turns opens a segment."""
    turns = [
        Turn(
            index=index,
            messages=[{"role": "user", "content": f"turn {index}"}],
            reply={"role": "assistant", "content": "go"},
            text="go",
            prompt_ids=np.array([10 * index, 10 * index + 1], np.int32),
            action_ids=np.array([100 + index], np.int32),
            behaviour_logprobs=np.array([-0.5 - index], np.float32),
            version=version,
            opens_segment=index in (0, 2),
        )
        for index in range(num_turns)
    ]
    settings = {
        "task_id": "toy/replay:train-1",
        "suite": SUITE,
        "split": "train",
        "turns": turns,
        "events": [RewardEvent(num_turns - 1, num_turns - 1, "agent", "success", reward)],
        "weights": {"success": 1.0},
        "outcome": Outcome("terminated"),
        "score": 1.0 if reward > 0 else 0.0,
        "success": reward > 0,
    }
    return Trajectory(id=f"e{next(NAMES)}", **(settings | fields))
