"""Values of fresh episodes beside what came of them: those that ended, by the critic as it was before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.trajectory import Group
from agentgym_rl.batch import TrainBatch
from agentgym_rl.calibration import calibration_metrics
from agentgym_rl.hierarchical import fresh_values
from agentgym_rl.hierarchical.fresh_values import fresh_calibration
from agentgym_rl.hierarchical.options import CriticOptions
from agentgym_rl.hierarchical.targets import monte_carlo_targets
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.hierarchical.valuation import value_turns
from tests.trainers.rl.hierarchical.tables import DISCOUNT, PACKING, Learner, chain
from tests.trainers.rl.hierarchical.toy_runs import actor_critic
from tests.trainers.rl.planted import noticed, parametrised, swapped

OPTIONS = CriticOptions(discount=DISCOUNT)


def groups_of(batch: TrainBatch) -> list[Group]:
    groups = []
    for number, record in enumerate(batch.trajectories):
        groups.append(Group(str(number), record.task_id, 1))
        groups[-1].add(record)
    return groups


def undiscounted(rewards, successor, final_values, discount):
    """Returns without the discount that the values have."""
    return monte_carlo_targets(rewards, successor, final_values, 1.0)


def with_truncated(member):
    """Episodes that a limit cut, as if nothing had followed."""
    return True


@parametrised(fresh_values._has_return, undiscounted, with_truncated)
def test_values_stand_beside_the_discounted_returns_of_episodes_that_ended(implementation, is_bug: bool) -> None:
    batch = chain().batch(40, 4, [1, 2, 3, 4])
    network = Learner(chain(), batch).critic.online
    values, returns = [], []
    for record in batch.trajectories:
        if record.outcome.kind != "terminated":
            continue
        _, v = value_turns(network, TrainBatch.of_trajectories([record]).segments, PACKING)
        values.append(v.mean(0))
        returns.append(np.array([DISCOUNT**left for left in range(len(record.turns))])[::-1])
    assert 3 < len(values) < 40
    expected = calibration_metrics(values, returns)
    name = "monte_carlo_targets" if implementation is undiscounted else "_has_return"
    with swapped(fresh_values, name, implementation):
        found = fresh_calibration(network, groups_of(batch), OPTIONS, PACKING, None)
    with noticed(is_bug):
        assert found.keys() == expected.keys()
        for name in found:
            if "realised" not in name:  # equal values may lie in either of two bands
                assert found[name] == pytest.approx(expected[name], abs=1e-5) or name == "calibration/error"


def test_so_many_episodes_are_valued_evenly_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, seen = chain().batch(10, 50, [4]), []

    def noted(few: TrainBatch) -> TurnTransitions:
        seen.extend(record.id for record in few.trajectories)
        return turn_transitions(few)

    monkeypatch.setattr(fresh_values, "MAX_EPISODES", 4)
    monkeypatch.setattr(fresh_values, "turn_transitions", noted)
    assert fresh_calibration(Learner(chain(), batch).critic.online, groups_of(batch), OPTIONS, PACKING, None)
    assert seen == ["e0", "e3", "e6", "e9"]


def test_nothing_is_said_where_no_episode_ended() -> None:
    batch = chain().batch(6, 2, [0])
    assert fresh_calibration(Learner(chain(), batch).critic.online, groups_of(batch), OPTIONS, PACKING, None) == {}


def test_a_run_says_how_values_and_returns_compare_before_it_learns(tmp_path: Path) -> None:
    """A critic of discount 0 that starts at about 0 is off by the whole reward in the first iteration.

    Its V follows Q of messages that it has not seen, so that some of the error stays.
    """
    critic = {"updates": 200, "batch": 16, "warmup": 0, "discount": 0.0, "step": {"learning_rate": 1e-2}}
    run = actor_critic(
        tmp_path,
        "loop",
        task_config={"lengths": 1},
        run={"iterations": 3},
        group={"tasks": 2, "size": 4},
        optimiser={"learning_rate": 1e-12},
        algorithm={"preset": "archer", "critic": critic, "actor": {"updates": 1, "batch": 4}},
    )
    run.run()
    errors = run.journal.curve("calibration/error")
    assert errors[0] > 0.5
    assert errors[-1] < 0.5
    assert run.journal.curve("calibration/realised/00") == [1.0, 1.0, 1.0]
