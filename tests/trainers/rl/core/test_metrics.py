from __future__ import annotations

import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.metrics import collection_metrics
from agentgym_rl.groups.credit import CreditReport
from agentgym_rl.groups.metrics import learning_metrics
from agentgym_rl.groups.update import UpdateReport
from tests.trainers.rl.core.test_batch import episode, sealed


def played(name: str, value: float, turns: list[tuple[int, int]], invalid: int = 0) -> Trajectory:
    made = episode(name, turns, weights={"success": 1.0, "format": 0.5})
    made.events = [RewardEvent(0, 0, "agent", "success", value)]
    made.events += [RewardEvent(0, 0, "agent", "format", -1.0)] * invalid
    for turn in made.turns[:invalid]:
        turn.was_invalid = True
    made.success, made.score = value == 1.0, value
    return made


@pytest.fixture
def groups() -> list[Group]:
    broken = episode("x", [(2, 1)])
    broken.outcome = Outcome("infrastructure", "OSError")
    cut = played("b", 0.0, [(2, 1), (3, 2)], invalid=1)
    cut.outcome = Outcome("truncated", "turns")
    cut.turns[0].version = 1
    return [
        sealed(played("a", 1.0, [(4, 2)]), cut, broken),
        sealed(played("c", 1.0, [(1, 1)]), group_id="h"),
    ]


def test_collection_metrics_follow_a_worked_example(groups: list[Group]) -> None:
    metrics = collection_metrics(groups, version=2)
    expected = {
        "episodes": 4,
        "outcome/terminated": 0.5,
        "outcome/truncated": 0.25,
        "outcome/infrastructure": 0.25,
        "success/mean": 0.75,
        "score/mean": 2 / 3,
        "return/mean": (1.0 + (0.0 - 0.5) + 1.0) / 3,
        "reward/success": 2 / 3,
        "reward/format": -1 / 3,
        "episode/turns": 4 / 3,
        "episode/tokens": 2.0,
        "tokens/sampled": 6,
        "tokens/mask_coverage": 6 / 16,
        "policy/invalid_share": 0.25,
        "staleness/max": 2,
        "staleness/mean": (2 + 1 + 2 + 2) / 4,
    }
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)
    assert metrics["success/low"] <= metrics["success/mean"] <= metrics["success/high"]


def test_faults_enter_no_mean(groups: list[Group]) -> None:
    """Trap D-15: what broke is counted, and is no failure of the policy."""
    without = [sealed(*groups[0].members), groups[1]]
    with_fault, clean = collection_metrics(groups, 2), collection_metrics(without, 2)
    same = [name for name in clean if not name.startswith(("outcome/", "episodes"))]
    assert {name: with_fault[name] for name in same} == {name: clean[name] for name in same}


def test_nothing_but_faults_is_no_error() -> None:
    broken = episode("x", [(2, 1)])
    broken.outcome = Outcome("infrastructure", "OSError")
    metrics = collection_metrics([sealed(broken)], 0)
    assert metrics["outcome/infrastructure"] == 1.0
    assert "success/mean" not in metrics
    assert collection_metrics([], 0)["episodes"] == 0


def test_learning_metrics_say_what_was_left_out(groups: list[Group]) -> None:
    batch = TrainBatch.of(groups)
    batch.advantages = [np.full(segment.num_tokens, float(place)) for place, segment in enumerate(batch.segments)]
    report = UpdateReport(grad_norms=[1.0, 3.0], num_updates=2)
    metrics = learning_metrics(batch, CreditReport(1, 2, 3), report, 4)
    assert metrics["groups/zero_variance_share"] == 0.25
    assert (metrics["groups/nonfinite"], metrics["groups/truncated_excluded"]) == (2, 3)
    assert (metrics["grad_norm/mean"], metrics["grad_norm/max"], metrics["updates"]) == (2.0, 3.0, 2)
    assert metrics["advantage/std"] == pytest.approx(np.std([0, 0, 1, 1, 1, 2]))
    assert "value/loss" not in metrics
