"""What a learner remembers of the policy's own learning: how many updates there were."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.trajectory import Group
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.part_state import PartState
from agentgym_rl.hierarchical import actor
from agentgym_rl.hierarchical.guards import warmup_factor
from agentgym_rl.hierarchical.policy_progress import PolicyProgress
from tests.trainers.rl.hierarchical.toy_runs import ToyRun, actor_critic


def waiting(folder: Path, iterations: int, better: list[int], **actor: int) -> ToyRun:
    """A run whose critic warms up for one iteration, with planted numbers of better episodes, one an iteration."""
    run = actor_critic(
        folder,
        "bandit",
        run={"iterations": iterations},
        group={"tasks": 2, "size": 2},
        algorithm={
            "preset": "archer",
            "critic": {"updates": 1, "batch": 4, "warmup": 1},
            "actor": {"updates": 2, "batch": 4, **actor},
            "start": {"better_episodes": 1, "policy_updates": 3, "critic_updates": 1},
        },
    )
    run.learner.replay.better_episodes = lambda: better[run.state.iteration]  # type: ignore[method-assign]
    return run


def forget(run: ToyRun, state: PartState) -> PolicyProgress:
    """The progress after a resume from a state."""
    run.learner.progress = PolicyProgress(run.optimiser, run.learner.first_policy_updates)
    run.learner.parts()["replay"].restore(state)
    return run.learner.progress


def test_the_learning_rate_of_a_policy_that_waited_rises_from_its_first_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two iterations longer than the critic's warm-up: the factors count updates made, not iterations."""
    factors: list[float] = []

    def noted(updates_before: int, warmup: int) -> float:
        factors.append(warmup_factor(updates_before, warmup))
        return factors[-1]

    monkeypatch.setattr(actor, "warmup_factor", noted)
    run = waiting(tmp_path, 5, [0, 0, 0, 1, 1], warmup=4)
    run.run()
    assert factors == pytest.approx([1.0, 1.0, 1.0, 0.2, 0.4, 0.6, 0.8]), "the first phase has no warm-up"
    state = run.learner.parts()["replay"].state()
    assert forget(run, state).num_updates == 4


def test_a_checkpoint_without_progress_has_that_of_the_optimiser(tmp_path: Path) -> None:
    run = waiting(tmp_path, 3, [0, 1, 1])
    run.run()
    state = run.learner.parts()["replay"].state()
    older = PartState({name: value for name, value in state.record.items() if name != "policy"}, state.tensors)
    assert forget(run, older).record() == {"has_started": True, "num_updates": 4}
    run.optimiser.state.clear()
    assert forget(run, older).record() == {"has_started": False, "num_updates": 0}


def test_updates_that_changed_nothing_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = waiting(tmp_path, 2, [0, 1])
    monkeypatch.setattr(run.learner, "update_actor", lambda *_: {"updates": 0.0})
    run.run()
    assert run.learner.progress.num_updates == 0


def test_a_policy_that_has_started_goes_on_when_better_episodes_are_dropped(tmp_path: Path) -> None:
    """The first phase comes once, also where a resume lies between two iterations with enough episodes."""
    run = waiting(tmp_path, 6, [0, 1, 0, 0, 1, 0])
    learn = run.learner.learn

    def resumed(groups: list[Group], state: TrainerState) -> Metrics:
        forget(run, run.learner.parts()["replay"].state())
        return learn(groups, state)

    run.learner.learn = resumed  # type: ignore[method-assign]
    run.run()
    assert [number for number, row in enumerate(run.journal.rows) if "start/actor/weight" in row] == [1]
    assert [number for number, row in enumerate(run.journal.rows) if "updates" in row] == [1, 2, 3, 4, 5]
    assert {int(moments["step"]) for moments in run.optimiser.state.values()} == {3 + 5 * 2}
    assert not any("start/lacking_episodes" in row for row in run.journal.rows)
