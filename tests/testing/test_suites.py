"""The own suites pass every check; each check fails on a suite with that one fault."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import gymnasium
import pytest

import agentgym
from agentgym.errors import UnknownNameError
from agentgym.registration import registry
from agentgym.suite import read_suite
from agentgym.testing import SUITE_CHECKS, check_suite, suites
from tests.testing.contracts import require_contract
from tests.toys import env as toy_env
from tests.toys.env import toy_task

DECLARATION = """
name = "test/toy"
env = "test/Toy-v0"
description = "Walk to a goal."
license = "CC0-1.0"
source = "written by hand"
headline = "near"
[splits]
train = ["near"]
test = ["near", "far"]
[strata]
near = "goals up to 3 steps away"
far = "goals of 4 and 5 steps"
[scores]
oracle = { success = 1.0 }
null = { success = 0.0 }
random = { success = 0.5, tolerance = 0.5 }
"""


def write_tasks(folder, split, tasks):
    hidden = {"suite", "split"}
    lines = [{key: value for key, value in task.to_json().items() if key not in hidden} for task in tasks]
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def near(split, *goals):
    return [toy_task(f"test/toy:{split}-{goal}", goal, stratum="near") for goal in goals]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a suite that passes every check."""
    spec = agentgym.EnvSpec("test/Toy-v0", "tests.toys.env:ToyEnv", "tests.toys.env:SCRIPTS", "test", ("test/toy",))
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    agentgym.register(spec)
    folder = tmp_path / "test" / "toy"
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(DECLARATION)
    (folder / "README.md").write_text("Licence: CC0-1.0")
    write_tasks(folder, "train", near("train", 1, -1))
    write_tasks(folder, "test", [*near("test", 2, -2), toy_task("test/toy:far", 5, stratum="far")])
    yield folder
    gymnasium.registry.pop(spec.id)


def failures(folder):
    report = check_suite(read_suite(folder))
    assert len(report.results) == len(SUITE_CHECKS)
    return {failure.name: failure.detail for failure in report.failures}


# Suites of environments that work in a sandbox or a browser are checked beside them.
HERE = [spec for spec in agentgym.specs() if "local" in spec.runtimes and not spec.adapts and spec.family != "web"]
LOCAL = [name for spec in HERE for name in spec.suites]


SCORED = {
    "dialogue/chess": 10,
    "dialogue/chess-endgames": 24,
    "dialogue/chess-endgames-mates": 24,
    "dialogue/connect-four": 40,
    "dialogue/wordle-clue-giver": 40,
    "gui/grounding": 40,
    "swe/patch-line": 40,
    "tools/desk-bank": 40,
    "tools/desk-insurance": 60,
    "tools/desk-shop": 40,
    "tools/desk-shop-find": 40,
    "tools/desk-shop-small": 60,
    "tools/desk-telecom": 40,
    "tools/desk-telecom-small": 40,
    "tools/search": 40,
    "tools/sql": 40,
    "tools/sql-small": 40,
    "tools/workbench": 30,
    "tools/workbench-small": 30,
    **{f"tools/desk-{name}-words": 4 for name in ("airline", "bank", "clinic", "insurance", "shop", "telecom")},
}
"""How many tasks are scored where that takes long: engines search, pictures are drawn, a dozen players play."""


@pytest.mark.parametrize("name", LOCAL)
def test_check_suite_passes_own_suites(name):
    require_contract(name, SCORED.get(name))


def test_check_suite_passes_a_sound_suite(folder):
    assert failures(folder) == {}


def test_check_suite_tells_of_each_task_and_how_many_there_are(folder):
    for check, total in (("playable", 5), ("scores", 6), ("cheats", 2)):
        told = []
        check_suite(read_suite(folder), only=[check], on_task=lambda *at, told=told: told.append(at))
        assert told == [(number, total) for number in range(1, total + 1)]


def test_check_suite_plays_some_tasks_from_all_over_a_stratum_where_an_episode_is_costly(folder):
    write_tasks(folder, "test", [*near("test", *range(2, 42)), toy_task("test/toy:far", 5, stratum="far")])
    subject = suites.SuiteSubject(read_suite(folder))
    assert len(subject.headline) == 40
    registry._specs["test/Toy-v0"] = replace(registry._specs["test/Toy-v0"], is_costly=True)
    subject = suites.SuiteSubject(read_suite(folder))
    assert [task.config["goal"] for task in subject.headline] == [*range(2, 42, 4)]
    assert [task.config["goal"] for task in subject.played(subject.headline)] == [2, 22]
    assert [task.id for task in subject.played(subject.suite.tasks("test")[-1:])] == ["test/toy:far"]


def test_check_suite_makes_the_environment_with_further_options(folder):
    finding = check_suite(read_suite(folder), only=["playable"], options={"wind": 3}).failures[0].detail
    assert "has no option 'wind'" in finding


def test_check_suite_finds_a_missing_readme(folder):
    (folder / "README.md").unlink()
    assert "there is no" in failures(folder)["documents"]


def test_check_suite_finds_a_readme_without_the_licence(folder):
    (folder / "README.md").write_text("Data.")
    assert "does not name the licence CC0-1.0" in failures(folder)["documents"]


@pytest.mark.parametrize(
    "stated",
    [
        "Splits: 2 train and 3 test tasks; 9 test the patience.",
        "Splits: 2 training\nand 3 test tasks.",
        "We had 600 train tasks once.",
        "",
    ],
)
def test_check_suite_passes_a_readme_with_right_or_no_numbers_of_tasks(stated, folder):
    (folder / "README.md").write_text(f"Licence: CC0-1.0\n\n{stated}\n")
    assert failures(folder) == {}


@pytest.mark.parametrize(
    ("stated", "finding"),
    [
        ("600 train, 50 validation and 3 test", "states 600 train tasks, got 2: mend its line 'Splits: …'"),
        ("2 train and 1,003 test", "states 1,003 test tasks, got 3: mend"),
        ("2 train,\n50 validation and 3 test", "states 50 validation tasks, got 0: mend"),
    ],
)
def test_check_suite_finds_a_readme_with_wrong_numbers_of_tasks(stated, finding, folder):
    (folder / "README.md").write_text(f"Licence: CC0-1.0\n\nSplits: {stated} tasks; each once.\n")
    found = failures(folder)
    assert found.keys() == {"documents"}
    assert finding in found["documents"]


def test_check_suite_finds_an_empty_licence(folder):
    (folder / "suite.toml").write_text(DECLARATION.replace('"CC0-1.0"', '""'))
    assert "'license'" in failures(folder)["documents"]


def test_check_suite_finds_an_empty_stratum(folder):
    write_tasks(folder, "test", near("test", 2))
    assert failures(folder) == {"strata": "the strata ['far'] of the test split have no tasks"}


def test_check_suite_finds_a_task_in_two_splits_under_another_id(folder):
    write_tasks(folder, "train", near("train", 1, 2))
    assert "'test/toy:train-2' and 'test/toy:test-2'" in failures(folder)["disjoint_splits"]


def test_check_suite_names_all_tasks_in_two_splits(folder):
    write_tasks(folder, "test", near("test", 1, -1))
    found = failures(folder)["disjoint_splits"]
    assert found.endswith(
        "content: 'test/toy:train-1' and 'test/toy:test-1', 'test/toy:train--1' and 'test/toy:test--1'"
    )


def test_check_suite_finds_a_task_that_cannot_be_solved(folder):
    write_tasks(folder, "train", near("train", 1, 50))
    assert failures(folder).keys() == {"playable"}


def test_check_suite_finds_an_environment_that_does_not_list_it(folder):
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    (other / "suite.toml").write_text(DECLARATION.replace("test/toy", "test/other"))
    for split in ("train", "test"):
        path = other / f"{split}.jsonl"
        path.write_text(path.read_text().replace("test/toy", "test/other"))
    assert "does not list the suite 'test/other'" in failures(other)["playable"]


def test_check_suite_finds_a_wrong_score(folder):
    (folder / "suite.toml").write_text(DECLARATION.replace("null = { success = 0.0 }", "null = { success = 0.3 }"))
    found = failures(folder)["scores"]
    assert "null has a success of 0.0000 on 2 tasks" in found
    assert found.endswith("or, if this is right, declare in suite.toml: null = { success = 0.000 }")


def test_check_suite_advises_a_tolerance_for_a_score_between_none_and_all():
    assert suites._declaration("random", 0.02, None, 100) == (
        "random = { success = 0.02000, tolerance = 0.03 } (two standard errors of 100 tasks, so that other draws stay "
        "within it)"
    )
    assert suites._declaration("demo", 1.0, 0.5, 400).startswith(
        "demo = { success = 1.000, score = 0.5000, tolerance = 0.05 }"
    )


def test_check_suite_finds_a_missing_score(folder):
    (folder / "suite.toml").write_text(DECLARATION.replace("null = { success = 0.0 }", ""))
    assert "no scores of ['null']" in failures(folder)["scores"]


@pytest.mark.parametrize(("check", "script"), [("playable", "oracle"), ("cheats", "null")])
def test_check_suite_finds_a_missing_script(check, script, folder, monkeypatch):
    monkeypatch.delitem(toy_env.SCRIPTS, script)
    assert f"the scripts ['{script}'] are missing; test/Toy-v0 has [" in failures(folder)[check]


def test_check_suite_says_what_the_oracle_was_told(folder, monkeypatch):
    monkeypatch.setitem(toy_env.SCRIPTS, "oracle", toy_env.cheat_claim)
    assert "was last told 'Say up or down.', and ended as" in failures(folder)["playable"]


def test_check_suite_finds_an_environment_without_cheats(folder, monkeypatch):
    monkeypatch.delitem(toy_env.SCRIPTS, "cheat_claim")
    assert "lists no scripts named cheat_" in failures(folder)["cheats"]


def test_check_suite_finds_a_cheat_that_works(folder, monkeypatch):
    monkeypatch.setitem(toy_env.SCRIPTS, "cheat_claim", toy_env.oracle)
    assert "cheat_claim solves task" in failures(folder)["cheats"]


def test_check_suite_refuses_unknown_names(folder):
    with pytest.raises(UnknownNameError, match="did you mean dialogue/wordle"):
        check_suite("dialogue/wordel")
    with pytest.raises(UnknownNameError, match="scores"):
        check_suite(read_suite(folder), only=["score"])


def test_check_suite_plays_few_tasks_beside_the_test_split(folder, monkeypatch):
    played = []

    def oracle(task, seed):
        played.append(task.id)
        return toy_env.oracle(task, seed)

    write_tasks(folder, "train", [toy_task(f"test/toy:train-{number}", 1, stratum="near") for number in range(9)])
    monkeypatch.setitem(toy_env.SCRIPTS, "oracle", oracle)
    check_suite(read_suite(folder), only=["playable"]).raise_if_failed()
    assert sum("train" in each for each in played) == suites.TASKS_BESIDE_TEST
