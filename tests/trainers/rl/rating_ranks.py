"""What each of two ranks runs where a judge answers each of them otherwise: the credit of each goes to a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from agentgym.attribution.learned.judge_rater import JudgePredictor
from agentgym.attribution.learned.judged import Judged
from agentgym.trajectory import Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.core.attributed import AttributionConfig, attribute
from agentgym_rl.learned_attribution import in_training
from tests.trainers.rl.replay.episodes import episode


class RankRater:
    """Finds the turn decisive that has the number of the rank."""

    def rate(self, trajectory: Trajectory, dimension: str) -> Sequence[int]:
        return [3 * (turn.index == distributed.rank()) for turn in trajectory.turns]


def main(rank: int, folder: Path) -> None:
    store = dist.FileStore(str(folder / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=60))
    in_training.make_predictors = lambda *_: [JudgePredictor(Judged(), RankRater())]  # type: ignore[assignment]
    config = AttributionConfig("judged")
    predictors = in_training.TrainingPredictors(config, None, None)  # type: ignore[arg-type]
    found = attribute([episode(3), episode(2, 0.0)], config, predictors.all)
    torch.save([turns.tolist() for turns in found.turns], folder / f"credit-{rank}.pt")
    distributed.stop()


if __name__ == "__main__":
    main(int(os.environ["RANK"]), Path(sys.argv[1]))
