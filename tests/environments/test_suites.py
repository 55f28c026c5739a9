"""What holds for the suites of every own environment, whatever its family."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentgym.registration import specs
from agentgym.suite import load_suite
from scripts.check_suites import own_suites, unlike_files, unlike_tasks

SPECS = [spec for spec in specs() if spec.id.startswith("agentgym/")]
SUITES = {name: spec.id for spec in SPECS for name in spec.suites}
OWN = own_suites()
SLOW = [
    name for name in OWN if name.startswith(("tools/desk-", "tools/apps", "tools/sql", "tools/workbench", "swe/patch"))
]
FIRST: Mapping[str, Mapping[str, int]] = {
    "harder": {"distractors_3": 4, "all_together": 4},
    "find": {"finds_tools": 8},
    "words": {"plain": 3, "correcting": 3, "train": 3},
    "injected": {"injected": 8},
    "small": {"unseen_personas": 6, "unseen_templates": 6, "three_requests": 3},
    "": {"train": 6, "unseen_templates": 6, "infeasible": 6, "three_requests": 3, "unseen_desk": 6},
}
"""By the kind of a desk's suite which of its tasks are compared: desks draw a suite for half a minute."""
FIRST_OF_OTHERS: Mapping[str, Mapping[str, int]] = {
    "tools/sql": {"questions": 30, "changes": 8, "ambiguous": 8, "unseen_schema": 8},
    "tools/sql-small": {"train": 100},
    "tools/workbench": {"train_base": 30, "train_missing_tool": 10, "nothing_to_do": 10, "unseen_templates": 20},
    "tools/workbench-small": {"train": 100},
    "swe/patch-line": {"two_mistakes": 20, "unseen_combinations": 30, "unseen_mistakes": 20},
}
FIRST_OF_APPS: Mapping[str, Mapping[str, int]] = {
    "injected": {"injected": 12},
    "small": {"train": 60, "unseen_instances": 20},
    "": {"train": 60, "unseen_instances": 20, "unseen_templates": 20},
}


@pytest.mark.parametrize("name", [name for name in OWN if name not in SLOW])
def test_generator_writes_the_files_of_the_suite_byte_for_byte(name: str, tmp_path: Path) -> None:
    assert unlike_files(load_suite(name), tmp_path) == []


@pytest.mark.parametrize("name", SLOW)
def test_slow_generator_writes_tasks_of_the_suite_byte_for_byte(name: str, tmp_path: Path) -> None:
    kind = name.removeprefix("tools/").removeprefix("desk-").partition("-")[2]
    first = FIRST_OF_OTHERS.get(name) or (FIRST_OF_APPS if name.startswith("tools/apps") else FIRST)[kind]
    assert unlike_tasks(load_suite(name), tmp_path, first) == []
    written = sum(len(path.read_bytes().splitlines()) for path in tmp_path.iterdir())
    assert written >= sum(count for stratum, count in first.items() if stratum in load_suite(name).strata)


@pytest.mark.parametrize("name", SUITES)
def test_suite_is_of_its_environment_and_names_its_generator(name):
    suite = load_suite(name)
    assert suite.env == SUITES[name]
    assert name in importlib.import_module(suite.generator).SUITES
    assert f"python -m {suite.generator} {name}" in " ".join((suite.folder / "README.md").read_text().split())


@pytest.mark.parametrize("name", [name for name in OWN if name.startswith("dialogue/")])
def test_readme_states_the_number_of_tasks(name):
    suite = load_suite(name)
    readme = (suite.folder / "README.md").read_text()
    for split in suite.splits:
        for stratum in suite.splits[split]:
            count = sum(task.stratum == stratum for task in suite.tasks(split))
            assert str(count) in readme


@pytest.mark.parametrize("name", [name for name in OWN if name.startswith("dialogue/")])
def test_split_sizes_are_enough_for_training_and_intervals(name):
    suite = load_suite(name)
    assert suite.is_unseen_env or len(suite.train_tasks()) >= 2000
    assert len(suite.tasks("validation")) == 200
    assert len(suite.tasks("test")) >= 300
