"""Values of fresh episodes beside what came of them: those that ended, by the critic as it was before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.trajectory import Group
from agentgym.view import write_report
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.hierarchical.critic import fresh_values
from agentgym_rl.hierarchical.critic.fresh_values import TurnValues, Valuing
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.critic.targets import monte_carlo_targets
from agentgym_rl.hierarchical.critic.valuation import value_turns
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.maths.calibration import calibration_metrics
from tests.trainers.rl.hierarchical.tables import DISCOUNT, PACKING, Learner, chain
from tests.trainers.rl.hierarchical.toy_runs import actor_critic
from tests.trainers.rl.planted import noticed, parametrised, swapped


def by(network: CriticNetwork) -> Valuing:
    """As an actor-critic values turns."""

    def value(batch: TrainBatch, turns: TurnTransitions) -> TurnValues:
        q, v = value_turns(network, batch.segments, PACKING)
        return TurnValues(v.mean(0), q.min(0) - v.min(0))

    return value


def calibration(network: CriticNetwork, groups: list[Group]) -> dict[str, float]:
    found = fresh_values.fresh_values(groups, by(network))
    assert found is not None
    return found.calibration(DISCOUNT)


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


@parametrised(fresh_values.has_return, undiscounted, with_truncated)
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
    name = "monte_carlo_targets" if implementation is undiscounted else "has_return"
    with swapped(fresh_values, name, implementation):
        found = calibration(network, groups_of(batch))
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
    assert calibration(Learner(chain(), batch).critic.online, groups_of(batch))
    assert seen == ["e0", "e3", "e6", "e9"]


def test_nothing_is_said_where_no_episode_ended() -> None:
    batch = chain().batch(6, 2, [0])
    assert calibration(Learner(chain(), batch).critic.online, groups_of(batch)) == {}


def test_advantages_lie_at_the_turns_that_were_sampled() -> None:
    batch = chain().batch(3, 4, [1, 2, 3])
    silent = batch.trajectories[1].turns[0]
    silent.action_ids, silent.behaviour_logprobs = silent.action_ids[:0], silent.behaviour_logprobs[:0]
    found = fresh_values.fresh_values(groups_of(batch), by(Learner(chain(), batch).critic.online))
    assert found is not None
    for number, record in enumerate(batch.trajectories):
        mine = found.advantages()[record.id]
        assert len(mine) == len(record.turns)
        assert (mine == 0).tolist() == [number == 1 and turn == 0 for turn in range(len(mine))]


def test_nothing_is_valued_where_nothing_was_sampled() -> None:
    assert fresh_values.fresh_values([], by(Learner(chain(), chain().batch(1, 1, [0])).critic.online)) is None


def test_the_report_shows_which_turns_the_critic_holds_for_good(tmp_path: Path) -> None:
    critic = {"updates": 2, "batch": 4, "warmup": 0}
    algorithm = {"preset": "archer", "critic": critic, "actor": {"updates": 1, "batch": 4}}
    run = actor_critic(tmp_path, "key-door", run={"iterations": 2}, group={"tasks": 2, "size": 4}, algorithm=algorithm)
    run.run()
    run.store.close()
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "Credit of turns by critic" in page
    assert '<b>critic</b><span class="quiet">advantages, Q - V</span>' in page


def test_a_run_says_how_values_and_returns_compare_before_it_learns(tmp_path: Path) -> None:
    """A critic of discount 0 that starts at about 0 is off by the whole reward in the first iteration.

    Its V follows Q of messages that it has not seen, so that some of the error stays.
    """
    critic = {"updates": 100, "batch": 8, "warmup": 0, "discount": 0.0, "optimiser": {"learning_rate": 1e-2}}
    run = actor_critic(
        tmp_path,
        "loop",
        task_config={"lengths": 1},
        run={"iterations": 2},
        group={"tasks": 2, "size": 4},
        optimiser={"learning_rate": 1e-12},
        algorithm={"preset": "archer", "critic": critic, "actor": {"updates": 1, "batch": 4}},
    )
    run.run()
    errors = run.journal.curve("calibration/error")
    assert errors[0] > 0.5
    assert errors[-1] < 0.5
    assert run.journal.curve("calibration/realised/00") == [1.0, 1.0]
