"""Tasks: of every template right work wins and nearly right work does not."""

from __future__ import annotations

import re

import pytest

from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.apps.answers import is_one_of
from agentgym_tools.apps.generate import HELD_OUT_PAIRS, templates_of
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.scripts import SCRIPTS
from agentgym_tools.apps.session import ending, solution
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds.calls import Call
from benchmarks.verdicts import app_tasks

from .conftest import play_calls, play_script, task_of


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """A task of every template."""
    return [task_of(name) for name in TEMPLATES]


@pytest.fixture(scope="module")
def seat() -> app_tasks.Seat:
    return app_tasks.Seat()


def test_there_are_many_templates_of_every_width():
    widths = [min(3, len(each.apps)) for each in TEMPLATES.values()]
    assert len(TEMPLATES) >= 150
    assert min(widths.count(width) for width in (1, 2, 3)) >= 15
    assert sum(each.is_infeasible for each in TEMPLATES.values()) >= 15
    assert len({frozenset(each.apps) for each in TEMPLATES.values()}) >= 40


def test_the_oracle_wins_and_null_does_not(seat, tasks):
    assert [task.id for task in tasks if not seat.play(task, "oracle")] == []
    assert [task.id for task in tasks[::3] if seat.play(task, "null")] == []


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name.startswith("cheat_") or name == "random"])
def test_cheats_win_nothing(seat, tasks, name):
    assert [task.id for task in tasks[::6] if seat.play(task, name)] == []


def test_nearly_right_work_fails(seat, tasks):
    for task in tasks[1::4]:
        plan = plan_of(task)
        calls = [*solution(plan), ending(plan)]
        for name in ("left out", "changed", "unread"):
            for changed in app_tasks.CHANGES[name](calls):
                assert not seat.wins_by(task, changed), (task.id, name, [str(call) for call in changed])


def test_right_work_done_otherwise_wins(seat, tasks):
    for task in tasks[2::5]:
        plan = plan_of(task)
        calls = [*solution(plan), ending(plan)]
        for name in ("reads twice", "other orders"):
            for changed in app_tasks.CHANGES[name](calls):
                assert seat.wins_by(task, changed), (task.id, name, [str(call) for call in changed])


def test_a_mistake_that_is_undone_does_no_harm(env):
    task = task_of("archive_sender")
    plan = plan_of(task)
    mistake = [Call("notes.create_note", {"title": "x", "text": "y"}), Call("notes.delete_note", {"note_id": 1203})]
    assert play_calls(env, task, [*mistake, *solution(plan), ending(plan)])[0]
    assert not play_calls(env, task, [mistake[0], *solution(plan), ending(plan)])[0]


def test_the_evidence_may_be_read_another_way(env):
    task = task_of("earliest_free_time")
    plan = plan_of(task)
    day = plan.draft.reads[0].arguments["day"]
    other = Call("calendar.list_between", {"first_day": day, "last_day": day, "limit": 20})
    assert play_calls(env, task, [other, ending(plan)])[0]
    assert not play_calls(env, task, [ending(plan)])[0]


def test_a_wrong_reason_does_not_count(env):
    task = task_of("cancel_shipped")
    plan = plan_of(task)
    assert play_calls(env, task, [*solution(plan), ending(plan)])[0]
    assert not play_calls(env, task, [*solution(plan), Call("finish", {"infeasible": "not_found"})])[0]


def test_splits_hold_out_people_templates_and_pairs_of_apps():
    suite = load_suite("tools/apps")
    train, test = suite.tasks("train"), suite.tasks("test")
    assert len(train) >= 1200
    assert len(test) >= 450
    assert not {task.config["user"] for task in train} & {task.config["user"] for task in test}
    known = {task.private["template"] for task in train}
    for name in known:
        assert not any(pair <= TEMPLATES[name].apps for pair in HELD_OUT_PAIRS)
    for stratum in ("unseen_templates", "unseen_combinations"):
        assert not known & {task.private["template"] for task in test if task.stratum == stratum}
    assert not known & {each.name for each in templates_of("unseen_templates")}
    assert {task.private["template"] for task in test} == set(TEMPLATES)


def test_a_line_of_a_file_is_short():
    folder = load_suite("tools/apps").folder
    lines = (folder / "test.jsonl").read_text().splitlines()
    assert max(map(len, lines)) < 900


def test_a_task_of_another_version_is_refused(env):
    task = task_of("archive_sender")
    changed = Task(**{**vars(task), "instruction": task.instruction.replace("Archive", "Keep")})
    with pytest.raises(TaskError, match="another version"):
        env.reset(options={"task": changed})
    stale = Task(**{**vars(task), "private": {"template": "find_time_on_full_day", "draw": 1}})
    with pytest.raises(TaskError, match="another version"):
        env.reset(options={"task": stale})
    nobody = Task(**{**vars(task), "config": {"size": "full", "user": 999}})
    with pytest.raises(TaskError, match="draws nothing for person 999"):
        env.reset(options={"task": nobody})
    with pytest.raises(TaskError, match="must be int"):
        env.reset(options={"task": Task(**{**vars(task), "config": {"size": "full", "user": "5"}})})
    with pytest.raises(TaskError, match="lacks 'draw'"):
        env.reset(options={"task": Task(id="x", seed=0, config=task.config, private={"template": "archive_sender"})})


@pytest.mark.parametrize(
    ("given", "answers", "is_right"),
    [
        (7, [7], True),
        (7.0, [7], True),
        ("7", [7], True),
        ("7 cents", [7], False),
        (True, [1], False),
        ([7], [7], True),
        ([7, 8], [7], False),
        (["Ada Berg"], ["Ada Berg"], True),
        ("ada  berg.", ["Ada Berg"], True),
        ("Ada Berg or Bo Falk", ["Ada Berg"], False),
        (["b", "A"], [["a", "b"]], True),
        (["a", "a", "b"], [["a", "b"]], False),
        ("a, b", [["a", "b"]], False),
        (None, ["x"], False),
    ],
)
def test_answers_are_compared_by_what_they_say(given, answers, is_right):
    assert is_one_of(given, answers) is is_right


def test_the_oracle_is_planned_anew_from_the_present_state(env):
    task = task_of("pay_share_of_mail")
    plan = plan_of(task)
    env.reset(options={"task": task})
    assert [call.tool for call in env.session.open_calls()] == [
        *(call.tool for call in plan.draft.reads),
        "payments.send_money",
    ]
    for call in solution(plan):
        env.session.carry_out(call)
    assert env.session.open_calls() == [ending(plan)]


def test_milestones_rise_to_one_and_add_up_to_nothing(env):
    for name in ("pay_share_of_mail", "archive_sender", "sum_expenses", "cancel_shipped", "invite_group"):
        values = play_script(env, task_of(name), "oracle").values("milestone")
        assert sum(value for value in values if value > 0) == pytest.approx(1.0), name
        assert sum(values) == pytest.approx(0.0)


def test_instructions_say_no_template(tasks):
    assert not [
        task.id for task in tasks if re.search(r"[a-z]+_[a-z]+", re.sub(r"'[^']*'|not_\w+", "", task.instruction))
    ]
