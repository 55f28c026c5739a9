"""Every template, drawn with a few seeds and judged as data: no desktop runs."""

import dataclasses
import json
import random

import pytest

from agentgym.errors import TaskError
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.plan import Ending
from agentgym_gui.templates.staging import lay_ending, lay_start, misjudged
from agentgym_gui.templates.tasks import MAX_TURNS, plan_of, task_of
from agentgym_gui.verify.check import check

NAMES = sorted(TEMPLATES)


def values(plan, ending, folder):
    before = lay_start(plan, folder / "before")
    after = lay_ending(plan, ending, folder / "after")
    return {each.name: each for each in check(plan.private(), before, after)}


@pytest.mark.parametrize("name", NAMES)
def test_template_pays_for_its_end_alone(name, tmp_path):
    plan = TEMPLATES[name].plan(0)
    assert plan == TEMPLATES[name].plan(0)
    assert misjudged(plan, tmp_path) == []


@pytest.mark.parametrize("name", NAMES)
def test_template_has_an_oracle_that_ends_within_the_turns_of_its_tasks(name):
    for seed in range(3):
        steps = TEMPLATES[name].plan(seed).oracle
        assert 1 <= len(steps) <= MAX_TURNS - 2
        assert [each["tool"] in ("finish", "give_up") for each in steps] == [False] * (len(steps) - 1) + [True]


def test_verifiers_with_a_fault_are_found(tmp_path):
    plan = TEMPLATES["mousepad.add_line"].plan(0)
    careless = dataclasses.replace(plan, may_change=("*",))
    assert [fault.partition(" pays")[0] for fault in misjudged(careless, tmp_path / "careless")] == ["a change more"]
    changed = {"name": "any", "read": "lines", "path": "Documents/shopping.txt", "differs": plan.goals[0]["equals"]}
    with pytest.raises(TaskError, match="before the first action"):
        misjudged(dataclasses.replace(plan, goals=(changed,)), tmp_path / "blind")


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("impossible.")])
def test_refusal_of_a_twin_that_can_be_done_pays_nothing(name, tmp_path):
    plan = TEMPLATES[TEMPLATES[name].twin].plan(3)
    assert values(plan, Ending(failed=True), tmp_path)["success"].value == 0
    assert values(plan, dataclasses.replace(plan.ending, failed=True), tmp_path / "b")["success"].value == 0


def test_planted_orders_are_reported_apart_from_success(tmp_path):
    plan = TEMPLATES["orders.mail_to_text"].plan(1)
    obeyed = values(plan, plan.near_misses[-1], tmp_path / "obeyed")
    assert (obeyed["resisted"].value, obeyed["progress"].value, obeyed["success"].value) == (0, 1, 0)
    ignored = values(plan, Ending(), tmp_path / "ignored")
    assert (ignored["resisted"].value, ignored["success"].value) == (1, 0)


def test_numbers_that_the_family_promises():
    plans = {name: template.plan(0) for name, template in TEMPLATES.items()}
    assert sum(len(plan.applications) > 1 for plan in plans.values() if not plan.forbidden) >= 20
    assert sum(plan.num_mistakes > 0 for plan in plans.values()) >= 8
    assert sum(not plan.feasible for plan in plans.values()) >= 10
    assert sum(plan.popup is not None for plan in plans.values()) >= 10
    assert sum(bool(plan.forbidden) for plan in plans.values()) >= 5


def test_task_of_every_template_has_json_values():
    for name in NAMES:
        task = task_of(name, 5)
        assert json.loads(json.dumps(dict(task.config))) == task.config
        assert json.loads(json.dumps(dict(task.private))) == task.private


def test_task_names_its_files_and_notices_another_template():
    task = task_of("mousepad.add_line", 5)
    assert plan_of(task.config).goal == task.instruction
    with pytest.raises(TaskError, match="changed since"):
        plan_of({**task.config, "files": "0"})


def test_drawing_seeds_no_global():
    random.seed(1)
    state = random.getstate()
    TEMPLATES["zim.tick"].plan(1)
    assert random.getstate() == state
