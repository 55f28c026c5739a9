"""Whole runs of an actor-critic in a process of their own, killed and resumed; see `tests.trainers.rl.train_toy`.

Called as `python -m tests.trainers.rl.hierarchical.train_archer FOLDER`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.core.part_state import PartState
from agentgym_rl.hierarchical.options import FROZEN
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.run import job, saved
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl.toys import install, toy_config
from tests.trainers.rl.train_toy import Moment, in_a_fork, killed

MOMENTS: dict[str, Moment] = {
    "after the weights changed": (Trainer, "publish", 4),
    "while episodes are stored": (RunStore, "write_group", 7),
}
RESTORE, RESTORE_REPLAY = ModulePart.restore, ReplayBuffer.restore


def without(prefix: str) -> Any:
    """D-29: a part comes back without some of its tensors, which stay as they are at the start."""

    def restore(self: ModulePart, state: PartState) -> None:
        fresh = self.state().tensors
        kept = {key: tensor for key, tensor in state.tensors.items() if not key.startswith(prefix)}
        kept |= {key: tensor for key, tensor in fresh.items() if key.startswith(prefix)}
        RESTORE(self, PartState(state.record, kept))

    return restore


def with_fresh_draws(self: ReplayBuffer, state: PartState) -> None:
    """D-28: the draws begin anew."""
    selectors = [selector.state() for selector in self.selectors]
    RESTORE_REPLAY(self, PartState({**state.record, "samplers": selectors}, state.tensors))


BUGS: dict[str, tuple[Any, str, Any]] = {
    "the critic's optimiser starts anew": (ModulePart, "restore", without("moments")),
    "the copy starts anew": (ModulePart, "restore", without("weights.target")),
    "the scale of hidden states is forgotten": (ModulePart, "restore", without("weights.online.state_scale")),
    "the draws begin anew": (ReplayBuffer, "restore", with_fresh_draws),
}


def config(tower: str = "") -> TrainConfig:
    """Five iterations, the first of the critic alone; checkpoints at 2, 4 and 5."""
    return toy_config(
        "bandit",
        run={"iterations": 5},
        group={"tasks": 2, "size": 4},
        algorithm={
            "preset": "archer",
            "replay": {"kind": "prioritised"},
            "critic": {"updates": 3, "batch": 16, "warmup": 1, "network": {"width": 16}, "tower": tower},
            "actor": {"updates": 2, "batch": 16, "has_token_baseline": True},
        },
        optimiser={"learning_rate": 0.01},
        checkpoint={"every": 2},
        validation={"every": 4, "tasks": 2},
    )


def killed_and_resumed(folder: Path, moment: Moment, bug: tuple[Any, str, Any] | None = None, tower: str = "") -> None:
    """A run that is killed, then resumed to its end."""

    def resumed() -> None:
        if bug is not None:
            setattr(*bug)
        job.train(saved.saved_config(folder), folder, resume=True)

    killed(folder, moment, lambda played: job.train(config(tower), played), tower)
    assert in_a_fork(resumed) == 0, f"resuming after {moment} failed"


def main(root: Path) -> None:
    """Play everything."""
    torch.set_num_threads(1)
    install(root / "suites", "bandit")
    register_suites(root / "suites")
    assert in_a_fork(lambda: job.train(config(), root / "whole")) == 0
    assert in_a_fork(lambda: job.train(config(FROZEN), root / FROZEN)) == 0
    killed_and_resumed(root / f"{FROZEN} killed", MOMENTS["after the weights changed"], tower=FROZEN)
    for name, moment in MOMENTS.items():
        killed_and_resumed(root / name, moment)
    for name, bug in BUGS.items():
        killed_and_resumed(root / name, MOMENTS["after the weights changed"], bug)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
