"""What holds for the tasks of swe/repair, as data; the packages are not needed."""

import re
from collections import Counter

import pytest

from agentgym.data_folder import data_folder
from agentgym.suite import load_suite
from agentgym_swe.making.documents import fingerprint
from agentgym_swe.making.history import MAX_TEXT as MAX_OLDER
from agentgym_swe.making.issue import calls_in
from agentgym_swe.making.operators.table import DOUBLE, HISTORY, OPERATORS
from agentgym_swe.repositories.catalogue import packages
from agentgym_swe.repositories.edit import Edit
from agentgym_swe.rewording.excerpts import is_inner

MAX_TEXT = 300


@pytest.fixture(scope="module")
def tasks():
    suite = load_suite("swe/repair")
    return [task for split in suite.splits for task in suite.tasks(split)]


def test_functions_of_the_splits_are_apart(tasks):
    splits: dict[str, set[str]] = {}
    for task in tasks:
        for function in task.private["functions"]:
            splits.setdefault(function, set()).add(task.split)
    assert all(len(each) == 1 for each in splits.values())


def test_held_out_packages_are_in_the_test_split_alone(tasks):
    held_out = {name for name, package in packages().items() if package.held_out}
    assert len(held_out) == 8
    assert {task.split for task in tasks if task.config["package"] in held_out} == {"test"}
    assert {task.config["package"] for task in tasks if task.stratum == "unseen_packages"} <= held_out


def test_tasks_hold_few_characters_of_a_package_and_few_tests(tasks):
    for task in tasks:
        edits = [Edit.from_json(each) for each in task.config["edits"]]
        assert sum(len(edit.text) for edit in edits) <= (MAX_OLDER if task.config["kind"] == "history" else MAX_TEXT)
        assert 1 <= len(task.private["failing"]) <= 40
        assert len(task.private["relevant"]) <= 40
        assert task.private["operator"] in {*OPERATORS, DOUBLE, HISTORY}
        assert task.private["difficulty"] in {"easy", "medium", "hard"}


def test_functions_have_at_most_three_tasks(tasks):
    of_function = Counter(name for task in tasks for name in set(task.private["functions"]))
    assert max(of_function.values()) <= 3


def test_there_are_enough_tasks_of_each_kind(tasks):
    kinds = Counter(task.config["kind"] for task in tasks)
    assert len(tasks) >= 600
    assert all(kinds[kind] >= least for kind, least in (("history", 60), ("implement", 80), ("double", 60)))


def test_issues_show_calls_with_what_is_observed_and_expected(tasks):
    others = [task for task in tasks if task.config["kind"] != "implement"]
    shown = [call for task in others for call in calls_in(task.instruction)[:1] if call.expected]
    assert len(shown) >= 0.8 * len(others)
    assert sum("more" in task.private["issues"] for task in tasks) >= 0.9 * len(tasks)


def test_issues_name_nothing_inner(tasks):
    for task in tasks:
        for text in (task.instruction, *task.private["issues"].values()):
            inner = {name for name in task.private["functions"] if is_inner(name)}
            assert not any(name in text for name in inner)
            assert not any(
                re.search(rf"\b{name.split('.')[-1]}\b", text) for name in inner if is_inner(name.split(".")[-1])
            )


def test_issues_name_no_path_no_line_and_no_test(tasks):
    for task in tasks:
        for text in (task.instruction, *task.private["issues"].values()):
            assert ".py" not in text
            assert "/agentgym" not in text
            assert all(test.split("::")[-1].split("[")[0] not in text for test in task.private["failing"])


def test_the_readme_shows_the_counts_and_the_hunts_of_these_tasks(tasks):
    readme = (data_folder("tasks") / "swe/repair/README.md").read_text(encoding="utf-8")
    assert f"| all |  | {len(tasks)} |" in readme
    rows = [line.strip("| ").split(" | ") for line in readme.splitlines()]
    hunted = {package: cells for package, *cells in rows if package in packages() and len(cells) == 8}
    assert set(hunted) == {task.config["package"] for task in tasks}
    for name, (_, count, which, *_, num_elsewhere, traces) in hunted.items():
        own = [task for task in tasks if task.config["package"] == name]
        assert (count, which, traces) == (str(len(own)), fingerprint(own), "0")
        assert int(num_elsewhere) > 0
