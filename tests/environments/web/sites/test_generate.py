"""The suites of the sites: their splits, strata and bytes."""

from __future__ import annotations

import pytest

from agentgym.data_folder import data_folder
from agentgym.suite import load_suite
from agentgym_web.sites.drawing import templates_of
from agentgym_web.sites.generate import SUITES, sizes_of

WRITTEN = [name for name in SUITES if (data_folder("tasks") / name / "suite.toml").exists()]
SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module", params=WRITTEN)
def suite(request):
    return load_suite(request.param)


@pytest.fixture(scope="module")
def templates(suite):
    return templates_of(suite.name.removeprefix("web/"))


def attack_of(task):
    parts = task.private.get("parts", {"": task.private})
    return [check for part in parts.values() for check in part["attack"]]


def test_strata_have_their_sizes(suite):
    for split, strata in sizes_of(suite.name.removeprefix("web/")).items():
        tasks = suite.tasks(split)
        assert {name: sum(task.stratum == name for task in tasks) for name in strata} == strata


def test_no_task_occurs_twice(suite):
    tasks = [task for split in SPLITS for task in suite.tasks(split)]
    users = [task.config.get("users") or task.config["user"] for task in tasks]
    assert len({(task.instruction, str(user)) for task, user in zip(tasks, users, strict=True)}) == len(tasks)


def test_unseen_templates_occur_in_the_test_split_alone(suite, templates):
    groups = {one.name: one.stratum_group for one in templates}
    for split in ("train", "validation"):
        assert {groups[task.config["template"]] for task in suite.tasks(split)} == {"seen"}
    unseen = [task for task in suite.tasks("test") if task.stratum == "unseen_templates"]
    assert {groups[task.config["template"]] for task in unseen} == {"unseen"}


def test_strata_hold_what_they_say(suite):
    for split in SPLITS:
        for task in suite.tasks(split):
            assert bool(attack_of(task)) is (task.stratum == "injected")
            assert task.private["infeasible"] is (task.stratum == "infeasible")


def test_every_template_occurs(suite, templates):
    found = {task.config["template"] for split in SPLITS for task in suite.tasks(split)}
    assert found == {one.name for one in templates}


def test_files_are_written_byte_for_byte(suite, tmp_path):
    SUITES[suite.name](tmp_path, suite.name)
    for split in SPLITS:
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (suite.folder / f"{split}.jsonl").read_bytes()
