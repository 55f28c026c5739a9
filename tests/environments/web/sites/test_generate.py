"""The suites of the sites: their splits, strata and bytes."""

from __future__ import annotations

import pytest

from agentgym.data_folder import data_folder
from agentgym.suite import load_suite
from agentgym_web.sites.core.all_sites import SITES, load_templates
from agentgym_web.sites.generate import SIZES, SMALL_SIZES, SUITES

WRITTEN = [name for name in SITES if (data_folder("tasks") / "web" / name / "suite.toml").exists()]


@pytest.fixture(scope="module", params=WRITTEN)
def suite(request):
    return load_suite(f"web/{request.param}")


def test_strata_have_their_sizes(suite):
    for split, strata in SIZES.items():
        tasks = suite.tasks(split)
        assert {name: sum(task.stratum == name for task in tasks) for name in strata} == strata


def test_no_task_occurs_twice(suite):
    tasks = [task for split in SIZES for task in suite.tasks(split)]
    assert len({(task.instruction, task.config["user"]) for task in tasks}) == len(tasks)


def test_unseen_templates_occur_in_the_test_split_alone(suite):
    groups = {one.name: one.stratum_group for one in load_templates(suite.name.split("/")[1])}
    for split in ("train", "validation"):
        assert {groups[task.config["template"]] for task in suite.tasks(split)} == {"seen"}
    unseen = [task for task in suite.tasks("test") if task.stratum == "unseen_templates"]
    assert {groups[task.config["template"]] for task in unseen} == {"unseen"}


def test_strata_hold_what_they_say(suite):
    for split in SIZES:
        for task in suite.tasks(split):
            assert bool(task.private["attack"]) is (task.stratum == "injected")
            assert task.private["infeasible"] is (task.stratum == "infeasible")


def test_every_template_occurs(suite):
    templates = {one.name for one in load_templates(suite.name.split("/")[1])}
    assert {task.config["template"] for split in SIZES for task in suite.tasks(split)} == templates


def test_files_are_written_byte_for_byte(suite, tmp_path):
    SUITES[suite.name](tmp_path, suite.name)
    for split in SIZES:
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (suite.folder / f"{split}.jsonl").read_bytes()


def test_short_tasks_are_new_and_written_byte_for_byte(tmp_path):
    suite = load_suite("web/shop-small")
    SUITES[suite.name](tmp_path, suite.name)
    for split, strata in SMALL_SIZES.items():
        assert {task.stratum for task in suite.tasks(split)} == set(strata)
        assert len(suite.tasks(split)) == sum(strata.values())
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (suite.folder / f"{split}.jsonl").read_bytes()
    tasks = [task for split in SMALL_SIZES for task in suite.tasks(split)]
    assert len({(task.instruction, task.config["user"]) for task in tasks}) == len(tasks)
