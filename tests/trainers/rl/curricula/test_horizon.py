"""Trap D-31: stages of growing horizons."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.env import AgentEnv
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.outcome import Outcome
from agentgym.suite import Suite
from agentgym_rl.core.config.curriculum import HorizonConfig
from agentgym_rl.curricula.curriculum import Curriculum
from agentgym_rl.curricula.plan import Plan
from tests.trainers.rl.planted import noticed, parametrised, swapped, trap

FROZEN = {"learning_rate": 1e-12}
STAGES = {"horizon": {"turns": [2, 4], "every": 2}}
LOOP = {"group": {"tasks": 2, "size": 2}, "optimiser": FROZEN, "curriculum": STAGES}
"""An environment without an end but its limit of 5 turns."""


def stage_that_starts_over(self: HorizonConfig, iteration: int) -> int:
    return iteration // self.every % len(self.turns)


@trap(HorizonConfig.stage, stage_that_starts_over)
def test_the_stage_is_that_of_the_formula(stage) -> None:
    config = HorizonConfig((8, 12, 15), 80)
    assert [stage(config, iteration) for iteration in (0, 79, 80, 159, 160, 1000)] == [0, 0, 1, 1, 2, 2]


def test_episodes_grow_by_stages_and_end_at_the_cap_as_truncated(build) -> None:
    made = build("loop", run={"iterations": 6}, **LOOP)
    made.run()
    members = [[m for group in groups for m in group.members] for groups, _, _ in made.traced]
    assert [{len(m.turns) for m in each} for each in members] == [{2}, {2}, {4}, {4}, {4}, {4}]
    assert {str(m.outcome) for each in members for m in each} == {"truncated:turns"}
    assert made.journalled.curve("curriculum/stage") == [0, 0, 1, 1, 1, 1]
    assert made.journalled.curve("curriculum/horizon") == [2, 2, 4, 4, 4, 4]
    assert made.journalled.curve("curriculum/cap_share") == [1.0] * 6
    assert "curriculum/plain_success" not in made.journalled.rows[0]


def outcome_that_ends_at_the_cap(self: AgentEnv, reply, is_invalid: bool) -> Outcome | None:
    """D-31: who has used up the turns of the stage has failed."""
    outcome = OUTCOME_AFTER(self, reply, is_invalid)
    return Outcome("terminated") if outcome is not None and outcome.kind == "truncated" else outcome


OUTCOME_AFTER = AgentEnv.outcome_after


@parametrised(OUTCOME_AFTER, outcome_that_ends_at_the_cap)
def test_the_cap_follows_the_declared_policy_for_truncated_episodes(build, implementation, is_bug: bool) -> None:
    """Trap D-31: at the cap an episode is truncated; taken for an end, it is trained on as a failure."""
    advantage = {"truncated": "exclude"}
    made = build("loop", run={"iterations": 1}, **LOOP, algorithm={"credit": advantage})
    with swapped(AgentEnv, "outcome_after", implementation):
        made.run()
    with noticed(is_bug):
        assert made.journalled.curve("outcome/truncated") == [1.0]
        assert made.journalled.curve("groups/truncated_excluded") == [4.0]


def test_the_cap_is_valued_as_a_truncation_by_ppo(build) -> None:
    made = build("loop", run={"iterations": 1}, **LOOP, algorithm={"preset": "ppo"})
    made.run()
    [(_, batch, _)] = made.traced
    assert all(value is not None for value in batch.final_values)


TASKS = Suite.tasks


def tasks_with_the_stage_of_training(self: Suite, split: str):
    """D-31: the limit of turns is set where evaluation reads it too."""
    return tuple(Plan(0, task, horizon=2).played for task in TASKS(self, split))


@parametrised(TASKS, tasks_with_the_stage_of_training)
def test_evaluation_has_the_full_horizon_in_every_stage(build, implementation, is_bug: bool) -> None:
    """Trap D-31."""
    made = build("loop", run={"iterations": 4}, validation={"every": 1}, **LOOP)
    turns: list[float] = []

    def validate(trainer) -> float:
        settings = EvaluationSettings(limit=2, rollout=trainer.config.rollout)
        result = evaluate(trainer.policy, trainer.suite, "validation", settings)
        turns.append(result.costs["turns"])
        return 0.0

    made.validate = validate
    with swapped(Suite, "tasks", implementation):
        made.run()
    with noticed(is_bug):
        assert turns == [10.0] * 4, "two episodes of five turns each time"
    assert [len(m.turns) for groups, _, _ in made.traced[:1] for g in groups for m in g.members] == [2] * 4


def restore_without_the_stage(self: Curriculum, state) -> None:
    """D-31: iterations are counted from 0 again."""
    RESTORE(self, state)
    self._iteration = 0


RESTORE = Curriculum.restore


@parametrised(RESTORE, restore_without_the_stage)
def test_a_resumed_run_goes_on_in_its_stage(build, tmp_path: Path, implementation, is_bug: bool) -> None:
    """Trap D-31."""
    first = build("loop", run={"iterations": 3}, **LOOP)
    first.run()
    again = build("loop", run={"iterations": 5}, **LOOP)
    again.state = first.state
    with swapped(Curriculum, "restore", implementation):
        for name, part in again.parts().items():
            part.restore(first.parts()[name].state())
    again.run()
    lengths = [{len(m.turns) for group in groups for m in group.members} for groups, _, _ in again.traced]
    with noticed(is_bug):
        assert lengths == [{4}, {4}]
    assert again.journalled.curve("curriculum/stage") == [1, 1]


@pytest.mark.parametrize("staleness", [0, 1])
def test_the_stage_is_that_of_admission(build, staleness: int) -> None:
    made = build("loop", run={"iterations": 4}, **{**LOOP, "group": {"tasks": 2, "size": 2, "staleness": staleness}})
    made.run()
    lengths = [{len(m.turns) for group in groups for m in group.members} for groups, _, _ in made.traced]
    assert lengths == ([{2}, {2}, {4}, {4}] if staleness == 0 else [{2}, {2}, {2}, {4}])
