"""What is learnt from offline: the start plays the task's whole budget of turns, once for all offline methods.

It plays as an online method does before its first update; nothing is learnt while it does.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from agentgym.trajectory import Group
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.part_state import Part
from benchmarks.credit.budget import BudgetedTrainer, Recording
from benchmarks.credit.starts import alone
from benchmarks.credit.tables import Piece, digest, method_named

PLAYER = "loop"
"""The method whose settings say how episodes are collected."""
_FACTS = "recording.json"
Play = Callable[[Piece, Path], BudgetedTrainer]
"""Runs a piece whose learner learns nothing, with its run in a folder."""


class NothingLearnt:
    """A learner that leaves the policy as it is."""

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Nothing."""
        return {}

    def parts(self) -> Mapping[str, Part]:
        """None."""
        return {}

    def close(self) -> None:
        """Nothing is open."""


def recorded(task: str, seed: int, folder: Path, play: Play) -> Recording:
    """The recording of a task and seed; made where it is missing.

    Args:
        task: Name of the task.
        seed: Of the start and of its play.
        folder: Where recordings are kept.
        play: Makes it.
    """
    piece = Piece(task, PLAYER, seed, method_named(PLAYER).untuned(task))
    target = folder / f"{task}-{seed}-{digest(piece)}"
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder / f"{target.name}.lock"):
        if not (target / _FACTS).exists():
            partial = target.with_suffix(".partial")
            for stale in (partial, target):
                shutil.rmtree(stale, ignore_errors=True)
            spent = play(piece, partial).spent
            (partial / _FACTS).write_text(json.dumps({"turns": spent.turns, "cpu_s": round(spent.cpu_s["collect"], 2)}))
            partial.rename(target)
    facts = json.loads((target / _FACTS).read_text())
    return Recording(target, facts["turns"], facts["cpu_s"])
