"""What each of two ranks runs where they differ: one's clock is faster, or one breaks."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import torch

from agentgym.errors import InfrastructureError
from agentgym.suite import register_suites
from agentgym_rl.core import distributed
from agentgym_rl.run import job, trainer
from tests.trainers.rl.toys import install, toy_config

RANK = int(os.environ.get("RANK", "0"))
BREAKING = "rank 1 broke while it collected"


class FastClock:
    """Runs half as fast again on rank 1."""

    @staticmethod
    def monotonic() -> float:
        return time.monotonic() * (1.0 + 0.5 * RANK)


class BreakingTrainer(trainer.Trainer):
    """Cannot collect on rank 1."""

    def _collect_once(self, collector):
        if RANK == 1:
            raise InfrastructureError(BREAKING)
        return super()._collect_once(collector)


def main(kind: str, root: Path) -> None:
    torch.set_num_threads(1)
    suites = root / f"suites-{RANK}"
    install(suites, "bandit")
    register_suites(suites)
    run = {"iterations": 500, "max_seconds": 0.5}
    if kind == "clock":
        trainer.time = FastClock  # type: ignore[misc, assignment]
    else:
        job.Trainer = BreakingTrainer  # type: ignore[misc]
    try:
        job.train(toy_config("bandit", run=run, group={"tasks": 2, "size": 4}), root / "run")
    finally:
        distributed.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
