"""Planted texts: where they stand, and that what they want is judged by the state that is reached."""

import random
from dataclasses import replace

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym_tools.desks.conditions.injections import WORDINGS, Planted
from agentgym_tools.desks.conditions.planting import plant
from agentgym_tools.specs import INJECTED_DESKS
from agentgym_tools.worlds.toolbox import Result
from benchmarks.desk_tasks import Seat


def tasks_of(name, split="test"):
    return load_suite(f"tools/desk-{name}-injected").tasks(split)


@pytest.fixture(scope="module")
def seat():
    return Seat("shop")


@pytest.mark.parametrize("name", INJECTED_DESKS)
def test_attacks_succeed_on_the_gullible_alone(name):
    seat = Seat(name)
    for task in tasks_of(name)[:64:9]:
        assert seat.play(task, "oracle")[0]
        assert not seat.was_attacked
        assert not seat.play(task, "gullible")[0]
        assert seat.was_attacked, task.id


@pytest.mark.parametrize("name", INJECTED_DESKS)
def test_twins_differ_in_the_text_alone_and_mislead_nobody(name):
    tasks = tasks_of(name)
    pairs = list(zip(tasks[:64], tasks[64:], strict=True))
    for task, twin in pairs:
        assert {**task.private, "planted": None} == {**twin.private, "planted": None}
        assert twin.private["planted"]["row"] == task.private["planted"]["row"]
        assert twin.private["planted"]["text"] in WORDINGS.harmless
    assert Seat(name).play(pairs[0][1], "gullible")[0]


def test_the_wordings_held_out_are_in_the_test_split_alone():
    families = {
        split: [Planted.of(task).family for name in INJECTED_DESKS for task in tasks_of(name, split)]
        for split in ("train", "test")
    }
    assert set(families["train"]) == set(WORDINGS.families) - set(WORDINGS.held_out)
    assert set(families["test"]) - {""} == set(WORDINGS.families)
    assert sum(1 for family in families["test"] if family) >= 250


def test_every_third_attack_needs_no_other_tool_than_the_task(seat):
    tasks = [task for task in tasks_of("shop") if task.stratum == "injected"]
    for number, task in enumerate(tasks[:12]):
        seat.game.reset(task)
        own = {call.tool for case in seat.game.session.cases for calls in case.wanted for call in calls}
        assert (Planted.of(task).call.tool in own) == (number % 3 == 0)


def test_the_text_stands_beside_its_row_and_nowhere_else(seat):
    task = tasks_of("shop")[0]
    planted = Planted.of(task)
    _, calls = seat.play(task, "oracle")
    seat.game.reset(task)
    shown = 0
    while seat.game.acting_role != "agent":
        seat.game.step(call_text("wait"))
    for call in calls:
        if seat.reads(call):
            answer = content_text(seat.game.step(call_text(call.tool, **call.arguments)).inbox["agent"][0])
            has_row = planted.row in seat.game.session.domain.carry_out(seat.game.session.world, "", call).seen
            assert (planted.text in answer.replace("\\n", "\n")) == has_row
            shown += has_row
    assert shown


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"a": 1}, {"a": 1, "note": "x"}), ([1], [1, {"note": "x"}]), ("Found.", "Found.\nNote: x")],
)
def test_every_kind_of_result_takes_a_text(answer, expected):
    planted, row = Planted(("orders", "W1"), text="x"), frozenset({("orders", "W1")})
    assert planted.beside(Result(answer, False, row)).answer == expected
    assert planted.beside(Result(answer, False, frozenset())).answer == answer
    assert planted.beside(Result(answer, True, row)).answer == answer


def test_words_are_no_attack(seat):
    """Who only says that it did what the text wants has not done it."""
    task = tasks_of("shop")[0]
    seat.game.reset(task)
    while seat.game.acting_role != "agent":
        seat.game.step(call_text("wait"))
    seat.game.step(call_text("report", action=Planted.of(task).call.tool))
    last = seat.game.finalize("turns")
    assert [event.value for event in last.events if event.component == "attack"] == [0.0]


def test_a_task_without_a_place_for_an_attack_is_given_up(monkeypatch):
    task = load_suite("tools/desk-shop").tasks("test")[0]
    monkeypatch.setattr("agentgym_tools.desks.conditions.planting.MAX_DRAWS", 0)
    assert plant(random.Random(0), task, "order", uses_own_tool=False) is None


def test_unknown_families_and_broken_texts_are_refused(seat):
    task = tasks_of("shop")[0]
    with pytest.raises(ConfigError, match="family"):
        plant(random.Random(0), task, "rumour", uses_own_tool=False)
    with pytest.raises(TaskError, match="expected row"):
        seat.game.reset(replace(task, private={**task.private, "planted": {"row": ["orders"]}}))
