"""What is learnt from before the policy's first update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.errors import ConfigError
from tests.trainers.rl.hierarchical.toy_runs import actor_critic


def started(folder: Path, iterations: int = 2, actor: str = "resampled", **start: Any):
    run = actor_critic(
        folder,
        "bandit",
        run={"iterations": iterations},
        group={"tasks": 2, "size": 2},
        algorithm={
            "preset": "archer",
            "critic": {"updates": 2, "batch": 4, "warmup": 1},
            "actor": {"kind": actor, "updates": 1, "batch": 4},
            "start": start,
        },
    )
    run.run()
    return run


def test_random_episodes_are_drawn_from_and_their_turns_are_counted(tmp_path: Path) -> None:
    run = started(tmp_path, random_episodes=5)
    first, second = run.journal.rows
    assert first["start/turns"] >= 5
    assert "start/turns" not in second
    own = 2 * 2 * 2
    assert len(run.learner.replay.indices[0].number) == own + 5
    stored = [each.id for each in run.store.episodes(purpose="train")]
    assert sum(name.startswith("random-") for name in stored) == 5


def test_further_updates_come_once_before_the_first_of_the_policy(tmp_path: Path) -> None:
    run = started(tmp_path, iterations=3, critic_updates=3, policy_updates=2)
    counted = [int(state["step"]) for state in run.learner.critic_updates.optimiser.state.values()]
    assert set(counted) == {3 * 2 + 3}
    steps = {int(state["step"]) for state in run.optimiser.state.values()}
    assert steps == {2 + 2}
    warmup, first, second = run.journal.rows
    assert "start/actor/weight" in first
    assert not any(name.startswith("start/") for row in (warmup, second) for name in row)


def test_random_episodes_are_refused_where_none_could_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="random_episodes"):
        started(tmp_path, actor="in_sample", random_episodes=5)


@pytest.mark.parametrize("ratio", ["turn", "none"])
def test_a_first_phase_may_be_a_lol(tmp_path: Path, ratio: str) -> None:
    run = started(tmp_path, iterations=2, policy_updates=2, phase="a_lol", a_lol={"ratio": ratio})
    _, first = run.journal.rows
    assert first["start/actor/weight"] >= 0
    assert {int(state["step"]) for state in run.optimiser.state.values()} == {2 + 1}
    assert run.config.algorithm.start.needs_reference is (ratio == "turn")


def test_keys_of_the_other_phase_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"start\.awr"):
        started(tmp_path, policy_updates=2, phase="a_lol", awr={"temperature": 2.0})


def test_the_policy_waits_for_episodes_above_the_worst(tmp_path: Path) -> None:
    """The first phase comes once, in the iteration in which there are enough, and updates follow from then on."""
    run = started(tmp_path, iterations=6, better_episodes=7, policy_updates=2, critic_updates=1)
    returns = np.array([each.step_rewards().sum() for each in run.store.episodes(purpose="train")]).reshape(6, -1)
    better = [int((returns[: n + 1] > returns.min()).sum()) for n in range(6)]
    first = next(n for n in range(1, 6) if better[n] >= 7)
    assert 1 < first < 5, "the toy shows nothing otherwise"
    phases = [n for n, row in enumerate(run.journal.rows) if "start/actor/weight" in row]
    assert phases == [first]
    assert [n for n, row in enumerate(run.journal.rows) if "updates" in row] == list(range(first, 6))


def test_iterations_in_which_the_policy_waits_for_better_episodes_say_so(tmp_path: Path) -> None:
    run = started(tmp_path, iterations=3, better_episodes=1000)
    assert ["start/lacking_episodes" in row for row in run.journal.rows] == [False, True, True]
    assert 900 < run.journal.rows[-1]["start/lacking_episodes"] <= 1000
    assert not any("updates" in row for row in run.journal.rows)
