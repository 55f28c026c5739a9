from __future__ import annotations

import json
from dataclasses import replace

from agentgym.outcome import Outcome
from agentgym.rollout import Opening
from agentgym.task import Limits, Task
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.curricula.plan import Plan, Result, was_out_of_turns
from tests.trainers.rl.planted import trap

TASK = Task("toys/steps:1", 7, config={"length": 2}, limits=Limits(max_turns=8, max_invalid=3))
OPENING = Opening("g000001-000/agent", 7, ("a", "b"), ("x", "y", "z"))


def test_a_plan_survives_json() -> None:
    plan = Plan(3, TASK, "recorded", 2, 0.5, OPENING, 4)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_a_stage_shortens_the_task_and_changes_nothing_else_of_it() -> None:
    played = Plan(0, TASK, horizon=3).played
    assert played == replace(TASK, limits=replace(TASK.limits, max_turns=3))
    assert played.content_hash == TASK.content_hash


def test_turns_before_the_start_do_not_count_against_the_horizon() -> None:
    assert Plan(0, TASK, horizon=3, opening=OPENING).played.limits.max_turns == 5


def test_a_horizon_beyond_the_task_is_no_cap() -> None:
    assert Plan(0, TASK, horizon=8).played is TASK
    assert not Plan(0, TASK, horizon=8).is_capped
    endless = replace(TASK, limits=Limits())
    assert Plan(0, endless, horizon=8).played.limits.max_turns == 8


def member(outcome: Outcome, success: bool, number: int) -> Trajectory:
    return Trajectory(f"e{number}", TASK.id, outcome=outcome, success=success, attempt=number)


def result_that_takes_cut_episodes_for_failures(plan: Plan, groups: list[Group]) -> Result:
    """D-31: whatever did not succeed within the stage's limit has failed."""
    return Result.of(replace(plan, horizon=None), groups)


def result_of_those_that_ended(plan: Plan, groups: list[Group]) -> Result:
    """Where failing means not to arrive, all that ended in time are successes."""
    found = Result.of(plan, groups)
    whole = [each for each in found.members if not was_out_of_turns(each)]
    return replace(found, attempts=len(whole), successes=sum(bool(each.success) for each in whole))


@trap(Result.of, result_that_takes_cut_episodes_for_failures, result_of_those_that_ended)
def test_a_group_that_the_stage_cut_says_nothing_about_success(result_of) -> None:
    """Trap D-31."""
    group = Group("g000000", TASK.id, 4)
    ends = [("terminated", True), ("terminated", False), ("truncated", False), ("truncated", False)]
    for number, (kind, success) in enumerate(ends):
        group.add(member(Outcome(kind, "turns" if kind == "truncated" else ""), success, number))
    result = result_of(Plan(0, TASK, horizon=3), [group])
    assert (result.num_cut, result.success) == (2, None)
    assert Result.of(Plan(0, TASK), [group]).success == 0.25


def test_running_out_of_the_tasks_own_turns_is_a_failure() -> None:
    group = Group("g000000", TASK.id, 1)
    group.add(member(Outcome("truncated", "turns"), False, 0))
    assert Result.of(Plan(0, TASK), [group]).success == 0.0
    assert Result.of(Plan(0, TASK, horizon=3), [group]).success is None
