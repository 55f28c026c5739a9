from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np
import pytest

from agentgym.errors import TaskError
from agentgym.task import Limits, Task

TASK = Task(
    "family/suite:x",
    3,
    "Do it.",
    suite="family/suite",
    split="test",
    stratum="hard",
    config={"a": [1, 2], "b": {"c": None}},
    limits=Limits(max_turns=4),
    private={"secret": "né"},
)


def test_task_survives_json():
    assert Task.from_json(json.loads(json.dumps(TASK.to_json()))) == TASK


def test_task_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TASK.seed = 4


def test_repr_hides_the_private_part():
    assert "né" not in repr(TASK)


@pytest.mark.parametrize(
    "change", [{"id": "other"}, {"suite": "s"}, {"split": "train"}, {"stratum": ""}, {"limits": Limits()}, {"seed": 9}]
)
def test_content_hash_ignores_what_makes_no_other_problem(change):
    assert dataclasses.replace(TASK, **change).content_hash == TASK.content_hash


@pytest.mark.parametrize(
    "change",
    [{"instruction": "Do."}, {"config": {"a": [2, 1]}}, {"private": {"secret": "ne"}}, {"seed_is_content": True}],
)
def test_content_hash_tells_problems_apart(change):
    assert dataclasses.replace(TASK, **change).content_hash != TASK.content_hash


def test_content_hash_counts_the_seed_where_it_is_content():
    worlds = [Task("x", seed, seed_is_content=True).content_hash for seed in (1, 2)]
    assert worlds[0] != worlds[1]


def test_content_hash_ignores_the_order_of_keys():
    one, other = (Task("x", 0, config=config) for config in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert one.content_hash == other.content_hash


def test_task_without_an_id_says_where_it_was_made():
    here = sys._getframe()
    line = here.f_lineno + 2
    with pytest.raises(TaskError) as raised:
        Task("", 1)
    assert str(raised.value).endswith(f"got an empty one ({__file__}, line {line}, in {here.f_code.co_name})")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": "", "seed": 0}, "needs an id"),
        ({"id": "x", "seed": -1}, "seed must be an int >= 0, got -1"),
        ({"id": "x", "seed": True}, "seed must be an int"),
        ({"id": "x", "seed": 1.0}, "got 1.0"),
        ({"id": "x", "seed": 0, "split": "dev"}, "split 'dev' does not exist; expected train, validation, test"),
        ({"id": "x"}, r"lacks the keys \['seed'\]"),
        ({"id": "x", "seed": 0, "sed": 0}, r"unknown keys \['sed'\]"),
        ({"id": "x", "seed": 0, "config": []}, "config must be an object"),
        ({"id": "x", "seed": 0, "private": "p"}, "private must be an object"),
        ({"id": "x", "seed": 0, "instruction": 5}, "instruction must be text, got 5"),
        (
            {"id": "x", "seed": 0, "limits": {"turns": 5}},
            "task 'x': limits has the unknown key 'turns'; did you",
        ),
        (
            {"id": "x", "seed": 0, "limits": {"max_turns": "5"}},
            "task 'x': limit max_turns must be a number, got '5'",
        ),
        ({"id": "x", "seed": 0, "limits": {"step_timeout_s": None}}, "step_timeout_s must be a number, got None"),
        ({"id": "x", "seed": 0, "limits": {"max_turns": 0}}, "task 'x': limit max_turns must be positive: got 0"),
        ({"id": "x", "seed": 0, "limits": {"max_invalid": -1}}, "max_invalid must not be negative"),
    ],
)
def test_task_refuses_bad_fields(fields, message):
    with pytest.raises(TaskError, match=message):
        Task.from_json(fields)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_turns": "5"}, "limit max_turns must be a number, got '5'; leave it out for no limit"),
        ({"max_seconds": True}, "limit max_seconds must be a number, got True"),
        ({"max_invalid": None}, "limit max_invalid must be a number, got None; leave it out for 2"),
    ],
)
def test_limits_are_numbers(limits, message):
    with pytest.raises(TaskError, match=f"^{message}"):
        Limits(**limits)


def test_numbers_of_numpy_are_limits():
    assert Limits(max_turns=np.int64(5), max_seconds=np.float32(2)).max_turns == 5


def test_a_dictionary_in_place_of_limits_is_refused():
    with pytest.raises(TaskError, match=r"task 'x': limits must be Limits, got .* write limits=Limits\("):
        Task("x", 0, limits={"max_turns": 5})
