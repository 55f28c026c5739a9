"""What holds for the suites of every own environment, whatever its family."""

from __future__ import annotations

import importlib

import pytest

from agentgym.registration import specs
from agentgym.suite import load_suite

SPECS = [spec for spec in specs() if spec.id.startswith("agentgym/")]
SUITES = {name: spec.id for spec in SPECS for name in spec.suites}
MADE_BY_RUNNING = ("swe/repair",)
"""Made by running the tests of packages for hours; tests of repairs make and confirm tasks of a small package."""
OWN = [name for spec in SPECS if not spec.adapts for name in spec.suites if name not in MADE_BY_RUNNING]
"""Other packages draw the tasks of adapted environments, some for minutes; their own tests compare them."""


@pytest.mark.parametrize("name", OWN)
def test_generator_writes_the_files_of_the_suite_byte_for_byte(name, tmp_path):
    suite = load_suite(name)
    importlib.import_module(suite.generator).SUITES[name](tmp_path, name)
    for split in suite.splits:
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (suite.folder / f"{split}.jsonl").read_bytes()


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
