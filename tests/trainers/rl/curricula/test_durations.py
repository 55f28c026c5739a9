from __future__ import annotations

import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.trajectory import Trajectory, Turn, TurnTimes
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.curriculum import DurationConfig
from agentgym_rl.curricula.durations import weigh_by_duration
from tests.trainers.rl.planted import trap


def episode(number: int, env_s: list[float]) -> Trajectory:
    turns = [
        Turn(
            index,
            [],
            {},
            "",
            prompt_ids=np.zeros(2, np.int32),
            action_ids=np.zeros(3, np.int32),
            behaviour_logprobs=np.zeros(3, np.float32),
            times=TurnTimes(queue_s=9.0, model_s=5.0 * (index == 0), env_s=seconds),
        )
        for index, seconds in enumerate(env_s)
    ]
    return Trajectory(f"e{number}", "task", turns=turns, outcome=Outcome("terminated"))


def batch_of(*times: list[float]) -> TrainBatch:
    batch = TrainBatch.of_trajectories([episode(number, each) for number, each in enumerate(times)])
    pairs = zip(batch.segments, batch.owner, strict=True)
    batch.advantages = [np.full(segment.num_tokens, 1.0 + owner) for segment, owner in pairs]
    return batch


def weights_by_all_time(batch: TrainBatch, config: DurationConfig):
    """The policy's own time counts too."""
    for each in batch.trajectories:
        for turn in each.turns:
            turn.times.env_s += turn.times.model_s
    return weigh_by_duration(batch, config)


def weights_by_episode(batch: TrainBatch, config: DurationConfig):
    """An episode's turns all count by its mean."""
    for each in batch.trajectories:
        mean = float(np.mean([turn.times.env_s for turn in each.turns]))
        for turn in each.turns:
            turn.times.env_s = mean
    return weigh_by_duration(batch, config)


@trap(weigh_by_duration, weights_by_all_time, weights_by_episode)
def test_a_turn_counts_by_the_environments_time_over_the_mean(weigh) -> None:
    """Times 1, 3, 2, 2 s: mean 2 s, weights 0.5, 1.5, 1, 1."""
    batch = batch_of([1.0, 3.0], [2.0, 2.0])
    metrics = weigh(batch, DurationConfig())
    assert batch.sampled(batch.advantages, 0).tolist() == pytest.approx([0.5] * 3 + [1.5] * 3)
    assert batch.sampled(batch.advantages, 1).tolist() == pytest.approx([2.0] * 6)
    assert metrics == pytest.approx(
        {
            "curriculum/duration_mean_s": 2.0,
            "curriculum/duration_weight_mean": 1.0,
            "curriculum/duration_clamped_share": 0.0,
        }
    )


def test_weights_are_clamped() -> None:
    batch = batch_of([0.0] * 9 + [10.0])
    metrics = weigh_by_duration(batch, DurationConfig())
    assert batch.sampled(batch.advantages, 0)[::3].tolist() == pytest.approx([0.25] * 9 + [4.0])
    assert metrics["curriculum/duration_clamped_share"] == 1.0


def test_an_environment_that_takes_no_time_leaves_advantages_alone() -> None:
    batch = batch_of([0.0, 0.0])
    assert weigh_by_duration(batch, DurationConfig()) == {}
    assert batch.sampled(batch.advantages, 0).tolist() == [1.0] * 6
    assert weigh_by_duration(batch_of(), DurationConfig()) == {}


def test_a_run_weighs_its_slow_turns(build) -> None:
    """The slow arm of the toy is the one that wins: its turns weigh more than those of the fast one."""
    made = build(
        "arms",
        task_config={"wait_s": 0.02},
        run={"iterations": 1},
        group={"tasks": 2, "size": 8},
        curriculum={"durations": {"max_weight": 2.0}},
    )
    made.run()
    [row] = made.journalled.rows
    assert row["curriculum/duration_mean_s"] > 0.005
    assert 0 < row["curriculum/duration_clamped_share"] <= 1
