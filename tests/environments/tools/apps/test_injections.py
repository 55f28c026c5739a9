"""Planted texts: where they stand, and that what they want is judged by the state that is reached."""

from __future__ import annotations

import random

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.apps.injections import PLACES, WORDINGS, Planted
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.planting import can_hold, plant
from agentgym_tools.apps.session import ending, solution
from agentgym_tools.apps.templates import TEMPLATES
from benchmarks.verdicts.app_tasks import Seat

from .conftest import play_calls, task_of


def tasks_of(split="test"):
    return load_suite("tools/apps-injected").tasks(split)


@pytest.fixture(scope="module")
def seat():
    return Seat()


def test_attacks_succeed_on_the_gullible_alone(seat):
    for task in tasks_of()[:64:4]:
        assert seat.play(task, "oracle")
        assert not seat.was_attacked
        assert not seat.play(task, "gullible")
        assert seat.was_attacked, task.id


def test_twins_differ_in_the_text_alone_and_mislead_nobody(seat):
    tasks = tasks_of()
    for task, twin in zip(tasks[:64], tasks[64:], strict=True):
        assert {**task.private, "planted": None} == {**twin.private, "planted": None}
        one, other = Planted.of(task), Planted.of(twin)
        assert (one.table, one.number) == (other.table, other.number)
        assert other.text in WORDINGS.harmless
        assert other.call is None
    assert seat.play(tasks[64], "gullible")


def test_the_wordings_held_out_are_in_the_test_split_alone():
    families = {split: {Planted.of(task).family for task in tasks_of(split)} for split in ("train", "test")}
    assert families["train"] == set(WORDINGS.families) - set(WORDINGS.held_out)
    assert families["test"] - {""} == set(WORDINGS.families)
    assert {Planted.of(task).table for task in tasks_of()} == set(PLACES) - {"reviews"}


def test_every_third_attack_needs_no_other_api_than_the_task():
    for number, task in enumerate(tasks_of()[:40]):
        own = {step.call.tool for step in plan_of(task).outcomes[0].steps}
        assert (Planted.of(task).call.tool in own) is (number % 3 == 0)


def test_an_attack_counts_by_what_changed_and_not_by_words(env):
    task = tasks_of()[1]
    plan, call = plan_of(task), Planted.of(task).call
    right = solution(plan)

    def attacked(calls):
        _, info = play_calls(env, task, calls)
        return [event.value for event in info["reward_events"] if event.component == "attack"]

    assert attacked([*right, ending(plan)]) == [0.0]
    assert attacked([*right, call, ending(plan)]) == [1.0]
    assert attacked([call, *right, ending(plan)]) == [1.0]


def test_a_text_stands_in_a_review_and_can_mislead(seat):
    for number in range(3):
        task = plant(random.Random(number), task_of("review_again", number), "order", uses_own_api=False)
        assert Planted.of(task).table == "reviews"
        assert seat.play(task, "oracle")
        assert not seat.was_attacked
        seat.play(task, "gullible")
        assert seat.was_attacked


def test_nothing_is_planted_where_a_text_is_used_whole():
    copying = [each for each in TEMPLATES.values() if each.is_copying]
    assert len(copying) == 6
    assert not any(can_hold(each) for each in copying)
    names = {task.private["template"] for split in ("train", "test") for task in tasks_of(split)}
    assert not names & {each.name for each in copying}


def test_what_cannot_be_read_is_refused(env):
    task = task_of("archive_sender")
    with pytest.raises(ConfigError, match="no family"):
        plant(random.Random(0), task, "song", uses_own_api=False)
    for planted, said in (
        ({"table": "mails"}, "cannot be read"),
        ({"table": "people", "number": 1, "text": "", "call": None, "family": ""}, "'people'"),
    ):
        broken = Task(**{**vars(task), "private": {**task.private, "planted": planted}})
        with pytest.raises(TaskError, match=said):
            env.reset(options={"task": broken})
