"""Whole runs with replay in processes of their own, killed at a moment and resumed.

Called as `python -m tests.trainers.rl.replay.killed FOLDER`, it plays them all into folders below it; under torchrun it
trains the one with successes and hindsight there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core import distributed
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.replay.draw import generator_state
from agentgym_rl.run import job, saved
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl.toys import install, toy_config
from tests.trainers.rl.train_toy import Moment, in_a_fork, killed

ITERATIONS = 8
_TABLES: dict[str, Any] = {
    "run": {"iterations": ITERATIONS},
    "group": {"tasks": 2, "size": 4},
    "optimiser": {"learning_rate": 0.01},
    "checkpoint": {"every": 2},
}


def config_of(kind: str, root: Path) -> TrainConfig:
    """Successes and hindsight together; or imitation, of an earlier run too."""
    if kind == "successes":
        replay = {"kind": "successes", "max_age": 6, "hindsight": {"strategy": "final", "episodes": 4}}
        return toy_config("codes", **_TABLES, algorithm={"preset": "loop", "replay": replay})
    replay = {"kind": "imitation", "episodes": 4, "max_age": 3, "runs": [str(root / "earlier")]}
    validation = {"every": 1, "tasks": 2, "has_final_test": False}
    return toy_config("bandit", **_TABLES, validation=validation, algorithm={"preset": "loop", "replay": replay})


MOMENTS: dict[str, tuple[str, Moment]] = {
    "after the weights changed": ("successes", (Trainer, "publish", 6)),
    "while hindsight is stored": ("successes", (RunStore, "write_episode", 40)),
    "between two checkpoints": ("imitation", (Trainer, "_set_learning_rate", 6)),
}
"""Which run is killed, and where: at the n-th call of a function."""


def forgets_the_buffer(self: ReplayBuffer, state: Any) -> None:
    """D-28: nothing of before is in the buffer."""
    self.indices[0].watermark = self.indices[0].store.watermark()


def forgets_the_draws(self: ReplayBuffer, state: Any) -> None:
    """D-28: draws begin anew."""
    RESTORE(self, state)
    for selector in self.selectors:
        selector.restore({**selector.state(), "rng": generator_state(np.random.default_rng(5))})


def forgets_what_is_usual(self: ReplayBuffer, state: Any) -> None:
    """D-28: old episodes are judged by nothing until new groups came."""
    RESTORE(self, state)
    self.usual.restore({"means": [], "deviations": []})


RESTORE = ReplayBuffer.restore
BUGS = {
    "forgets_the_buffer": ("after the weights changed", forgets_the_buffer),
    "forgets_the_draws": ("between two checkpoints", forgets_the_draws),
    "forgets_what_is_usual": ("between two checkpoints", forgets_what_is_usual),
}


def killed_and_resumed(root: Path, name: str, moment: str, bug: Any = None) -> None:
    """A run that is killed, then resumed to its end, with a bug or without."""
    kind, where = MOMENTS[moment]
    folder = root / name

    def resumed() -> None:
        if bug is not None:
            ReplayBuffer.restore = bug  # type: ignore[method-assign]
        job.train(saved.saved_config(folder), folder, resume=True)

    killed(folder, where, lambda played: job.train(config_of(kind, root), played))
    assert in_a_fork(resumed) == 0 or bug is not None, f"resuming after {moment} failed"


def main(root: Path) -> None:
    """Play everything."""
    torch.set_num_threads(1)
    install(root / "suites", "bandit")
    install(root / "suites", "codes", 2, {"length": 2})
    register_suites(root / "suites")
    if "RANK" in os.environ:
        job.train(config_of("successes", root), root / "run")
        distributed.stop()
        return
    earlier = toy_config("bandit", run={"iterations": 2}, group={"tasks": 2, "size": 4})
    assert in_a_fork(lambda: job.train(earlier, root / "earlier")) == 0
    for kind in ("successes", "imitation"):
        assert in_a_fork(lambda kind=kind: job.train(config_of(kind, root), root / kind)) == 0
    for moment in MOMENTS:
        killed_and_resumed(root, moment, moment)
    for name, (moment, bug) in BUGS.items():
        killed_and_resumed(root, name, moment, bug)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
