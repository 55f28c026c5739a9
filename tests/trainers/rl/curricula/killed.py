"""Whole runs under a curriculum in processes of their own, killed and resumed: `python -m … FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from agentgym.suite import register_suites
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.curricula.curriculum import Curriculum
from agentgym_rl.run import job, saved
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl.steps import install_steps
from tests.trainers.rl.toys import toy_config
from tests.trainers.rl.train_toy import Moment, in_a_fork, killed

MOMENTS: dict[str, Moment] = {
    "after the weights changed": (Trainer, "publish", 5),
    "between two checkpoints": (Trainer, "_set_learning_rate", 6),
}


def config() -> TrainConfig:
    """Eight iterations with everything that plans groups; checkpoints at 2, 4, 6 and 8."""
    return toy_config(
        "steps",
        run={"iterations": 8},
        warm_start={"demonstrations": 12, "batch_episodes": 4},
        group={"tasks": 2, "size": 4},
        algorithm={"prox": "recompute", "importance": {"mode": "token_tis"}},
        optimiser={"learning_rate": 0.01},
        checkpoint={"every": 2},
        validation={"every": 4, "tasks": 2},
        curriculum={
            "horizon": {"turns": [5, 7], "every": 3},
            "bands": {"explore": 0.5},
            "guidance": {"share": 0.3, "probability": 0.5},
            "starts": {"share": 0.3, "window": 2},
        },
    )


def forgetful(self: Curriculum, state: object) -> None:
    """D-31: a resumed run begins its curriculum anew."""


def killed_and_resumed(folder: Path, moment: Moment, *, has_bug: bool = False) -> None:
    """A run that is killed, then resumed to its end."""

    def resumed() -> None:
        if has_bug:
            Curriculum.restore = forgetful  # type: ignore[method-assign]
        job.train(saved.saved_config(folder), folder, resume=True)

    killed(folder, moment, lambda played: job.train(config(), played))
    assert in_a_fork(resumed) == 0 or has_bug, f"resuming after {moment} failed"


def main(root: Path) -> None:
    """Play everything."""
    torch.set_num_threads(1)
    install_steps(root / "suites", [1, 2, 2, 20, 20, 1])
    register_suites(root / "suites")
    assert in_a_fork(lambda: job.train(config(), root / "whole")) == 0
    for name, moment in MOMENTS.items():
        killed_and_resumed(root / name, moment)
    killed_and_resumed(root / "forgetful", MOMENTS["between two checkpoints"], has_bug=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
