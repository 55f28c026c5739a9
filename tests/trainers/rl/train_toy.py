"""Whole runs in processes of their own: one interpreter, and a fork for each run, which may be killed at a moment.

Called as `python -m tests.trainers.rl.train_toy FOLDER`, it plays all `SCENARIOS` into folders below it; under torchrun
it trains one run there.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core import checkpoint, cloning, distributed
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run import job, saved
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl.toys import install, toy_config

Moment = tuple[Any, str, int]
MOMENTS: dict[str, Moment] = {
    "in the warm start": (cloning, "clone_step", 2),
    "while the cloned model is written": (job, "_without_adapters", 1),
    "before the first checkpoint": (Trainer, "checkpoint", 1),
    "while episodes are stored": (RunStore, "write_group", 8),
    "after the weights changed": (Trainer, "publish", 4),
    "while a checkpoint is written": (checkpoint, "_write_synced", 3),
    "between two checkpoints": (Trainer, "_set_learning_rate", 6),
    "in validation": (job, "evaluate", 1),
    "in the test at the end": (job, "evaluate", 3),
}
"""Where runs are killed: at the n-th call of a function."""


def forgetful_of_moments(*_: Any) -> None:
    """D-29: the optimiser starts anew."""


def forgetful_of_groups(path, parts, *others):
    """D-29: the first groups are collected again."""
    state = APPLY(path, parts, *others)
    return dataclasses.replace(state, next_group=0)


APPLY = checkpoint._apply
BUGS: dict[str, tuple[Any, str, Any]] = {
    "the optimiser starts anew": (checkpoint, "_load_optimiser", forgetful_of_moments),
    "groups are counted from 0 again": (checkpoint, "_apply", forgetful_of_groups),
}


def config() -> TrainConfig:
    """Six iterations after cloning a few demonstrations; checkpoints at 2, 4 and 6, validation at 3 and 6."""
    return toy_config(
        "bandit",
        run={"iterations": 6},
        warm_start={"demonstrations": 12, "batch_episodes": 4},
        group={"tasks": 2, "size": 4},
        optimiser={"learning_rate": 0.01, "warmup": 2},
        checkpoint={"every": 2},
        validation={"every": 3, "tasks": 2, "has_final_test": True, "test_tasks": 2},
    )


def kill_at(moment: Moment) -> None:
    """This process dies at once, as from a power cut, at the n-th call."""
    owner, name, number = moment
    function, calls = getattr(owner, name), []

    def counted(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)

    setattr(owner, name, counted)


def in_a_fork(action: Callable[[], object]) -> int:
    """Run an action in a fork of this process; returns its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it was, it must not go on in the fork
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed(folder: Path, moment: Moment, train: Callable[[Path], object], kind: str = "") -> None:
    """A run in a folder, killed at a moment; one of a kind is played once, and copied for all that resume it."""
    played = folder.parent / "killed" / f"{kind} {moment[1]} {moment[2]}"

    def play() -> None:
        kill_at(moment)
        train(played)

    if not played.exists():
        assert in_a_fork(play) == -signal.SIGKILL, f"{moment} was never reached"
    shutil.copytree(played, folder)


def truncated(newest: Path) -> None:
    """Half of the weights."""
    weights = newest / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])


def without_optimiser(newest: Path) -> None:
    (newest / "optimiser.safetensors").unlink()


def without_manifest(newest: Path) -> None:
    (newest / checkpoint.MANIFEST).unlink()


def with_flipped_bit(newest: Path) -> None:
    weights = newest / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))


DAMAGES = (truncated, without_optimiser, without_manifest, with_flipped_bit)


def killed_and_resumed(
    folder: Path,
    moment: Moment,
    bug: tuple[Any, str, Any] | None = None,
    damage: Callable[[Path], None] | None = None,
) -> None:
    """A run that is killed, then resumed to its end, with a bug or with a damaged newest checkpoint."""

    def resumed() -> None:
        if bug is not None:
            setattr(*bug)
        job.train(saved.saved_config(folder), folder, resume=True)

    killed(folder, moment, lambda played: job.train(config(), played))
    if damage is not None:
        damage(checkpoint.checkpoints(folder / "checkpoints")[-1])
    assert in_a_fork(resumed) == 0 or bug is not None, f"resuming after {moment} failed"


def main(root: Path) -> None:
    """Play everything."""
    torch.set_num_threads(1)
    install(root / "suites", "bandit")
    register_suites(root / "suites")
    if "RANK" in os.environ:
        job.train(of_two_ranks(), root / "run")
        distributed.stop()
        return
    assert in_a_fork(lambda: job.train(config(), root / "whole")) == 0
    for name, moment in MOMENTS.items():
        killed_and_resumed(root / name, moment)
    for name, bug in BUGS.items():
        killed_and_resumed(root / name, MOMENTS["after the weights changed"], bug)
    for damage in DAMAGES:
        killed_and_resumed(root / damage.__name__, MOMENTS["between two checkpoints"], damage=damage)


def of_two_ranks() -> TrainConfig:
    """Two iterations that two processes share."""
    return toy_config(
        "bandit",
        run={"iterations": 2},
        group={"tasks": 2, "size": 4},
        algorithm={"preset": "ppo", "minibatches": 2},
        warm_start={"demonstrations": 8, "batch_episodes": 4},
        optimiser={"learning_rate": 0.01},
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
