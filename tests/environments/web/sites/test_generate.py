"""The suites of the sites: their splits, strata and bytes."""

from __future__ import annotations

import pytest

from agentgym.suite import load_suite
from agentgym_web.sites.drawing import templates_of
from agentgym_web.sites.generate import HELD_OUT, PLANS


@pytest.fixture(scope="module", params=PLANS)
def suite(request):
    return load_suite(request.param)


@pytest.fixture(scope="module")
def plan(suite):
    return PLANS[suite.name]


@pytest.fixture(scope="module")
def templates(plan):
    return plan.templates or templates_of(plan.site)


def all_tasks(suite):
    return [task for split in suite.splits for task in suite.tasks(split)]


def parts_of(task):
    return task.private.get("parts", {task.config["site"]: task.private})


def test_strata_have_their_sizes(suite, plan):
    for split, strata in plan.sizes.items():
        tasks = suite.tasks(split)
        assert {name: sum(task.stratum == name for task in tasks) for name in strata} == strata


def test_no_task_occurs_twice(suite):
    tasks = all_tasks(suite)
    users = [task.config.get("users") or task.config["user"] for task in tasks]
    assert len({(task.instruction, str(user)) for task, user in zip(tasks, users, strict=True)}) == len(tasks)


def test_unseen_templates_occur_in_the_test_split_alone(suite, templates):
    groups = {one.name: one.stratum_group for one in templates}
    for split in suite.splits:
        seen = {groups[task.config["template"]] for task in suite.tasks(split)}
        assert split == "test" or seen == {"seen"}
    unseen = [task for task in suite.tasks("test") if task.stratum == "unseen_templates"]
    assert {groups[task.config["template"]] for task in unseen} <= {"unseen"}


def test_training_never_shows_the_site_that_is_held_out():
    assert load_suite("web/admin").is_unseen_env
    shown = [task for name in PLANS for task in all_tasks(load_suite(name)) if task.split != "test"]
    assert shown
    assert not any("admin" in parts_of(task) for task in shown)
    assert {task.stratum for task in load_suite("web/admin").tasks("test")} > {HELD_OUT}


def test_strata_hold_what_they_say(suite):
    for task in all_tasks(suite):
        attack = [check for part in parts_of(task).values() for check in part["attack"]]
        assert bool(attack) is (task.stratum == "injected")
        assert task.private["infeasible"] is (task.stratum == "infeasible")


def test_every_template_occurs(suite, templates):
    assert {task.config["template"] for task in all_tasks(suite)} == {one.name for one in templates}
