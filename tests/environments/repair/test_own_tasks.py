"""Repair-v0 on a file of tasks: which are drawn, and what is said of a file that cannot be played."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym.authoring.task_files import to_line, write_split
from agentgym.cli.main import main
from agentgym.errors import ConfigError, ContractError, UnknownNameError
from agentgym.evaluation import suite_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing import CheckReport
from agentgym.testing.episodes import play_script
from agentgym.testing.subject import env_subject
from agentgym_swe.making.making import KIND_OF
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.hunting import check_faults
from agentgym_swe.repair.own_tasks import read_folder
from agentgym_swe.repair.scripts import SCRIPTS
from agentgym_swe.repair.task_view import KINDS
from tests.environments.repair.conftest import RELAXED, Plant

ENV = "agentgym/Repair-v0"


@pytest.fixture
def folder(task: Task, plant: Plant, tmp_path: Path) -> Path:
    """Two tasks to train on, one to test, and none to validate."""
    write_split(tmp_path, "train", [task, replace(plant(new="d[item] += 3"), id="other")])
    write_split(tmp_path, "validation", [])
    write_split(tmp_path, "test", [replace(plant(new="d[item] += 4"), id="test")])
    return tmp_path


def test_seeds_draw_from_a_file_in_turn(folder: Path) -> None:
    env = agentgym.make(ENV, tasks=str(folder / "train.jsonl"))
    assert env.num_tasks == 2
    assert [env.make_task(seed).id for seed in range(3)] == ["planted", "other", "planted"]
    env.close()
    plain = agentgym.make(ENV)
    assert plain.num_tasks is None
    assert plain.make_task(0) == load_suite("swe/repair").train_tasks()[0]
    plain.close()


def test_reset_takes_the_id_of_a_task_of_the_file(folder: Path) -> None:
    env = agentgym.make(ENV, tasks=str(folder / "train.jsonl"), sandbox="bubblewrap", relaxed=RELAXED)
    assert env.reset(options={"task": "other"})[1]["task_id"] == "other"
    assert env.reset(options={"task": "swe/repair:test-00000"})[1]["task_id"] == "swe/repair:test-00000"
    with pytest.raises(UnknownNameError, match=r"plays has no task 'others'; did you mean other\?"):
        env.reset(options={"task": "others"})
    env.close()


def test_of_a_folder_the_train_tasks_are_drawn(folder: Path) -> None:
    env = agentgym.make(ENV, tasks=str(folder))
    assert [env.make_task(seed).id for seed in range(2)] == ["planted", "other"]
    env.close()
    assert [(task.id, task.split) for task in read_folder(folder)] == [
        ("planted", "train"),
        ("other", "train"),
        ("test", "test"),
    ]


def test_a_file_is_evaluated_and_solved(folder: Path) -> None:
    options = {"tasks": str(folder / "test.jsonl"), "sandbox": "bubblewrap", "relaxed": RELAXED}
    [task] = suite_named(ENV, options, None).tasks("test")
    assert (task.id, task.suite, task.split) == ("test", ENV, "test")
    env = agentgym.make(ENV, **options)
    assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success
    env.close()


def test_play_finds_a_task_of_a_file_by_its_id_and_keeps_none(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--env-option", f"tasks={folder / 'train.jsonl'}", "sandbox=bubblewrap", 'relaxed=["cpus","memory_mib"]')
    args = ["play", ENV, "--policy", "null", "--json"]
    assert main([*args, "--task", "other", *options]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["task"] == "other"
    assert shown.err.startswith("task other\n")
    assert main([*args, "--task", "swe/repair:test-00000", *options]) == 2
    assert "has no task 'swe/repair:test-00000'; known: other, planted" in capsys.readouterr().err
    for chosen in (("--seed", "0"), ("--task", "other")):
        assert main([*args, *chosen, "--record", str(tmp_path / "kept"), *options]) == 2
        assert "tasks of your own, which are of no suite; leave out --record" in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()


def test_of_a_folder_play_names_the_file_of_another_split(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for split in ("train", "test"):
        write_split(tmp_path, split, [replace(task, id=f"made:{split}-00000")])
    args = ["play", ENV, "--policy", "null", "--env-option", f"tasks={tmp_path}", "--task"]
    assert main([*args, "made:test-00003"]) == 2
    said = f"only train.jsonl is played; name the file: --env-option tasks={tmp_path}/test.jsonl"
    assert said in capsys.readouterr().err
    assert main([*args, "swe/repair:test-00000"]) == 2
    assert "what these options play has no task 'swe/repair:test-00000'; known: made:train" in capsys.readouterr().err


def test_checks_play_the_tasks_of_a_file_in_place_of_the_suite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    option = {"tasks": str(folder / "train.jsonl")}
    assert [task.id for task in env_subject(ENV, given=option).tasks] == ["planted", "other"]
    assert [task.id for task in env_subject(ENV, given={"tasks": str(folder / "test.jsonl")}).tasks] == ["test"]
    checked: list[str] = []

    def report_of(name: str, **_: object) -> CheckReport:
        checked.append(name)
        return CheckReport(name, [])

    monkeypatch.setattr("agentgym.cli.check.check_env", report_of)
    monkeypatch.setattr("agentgym.cli.check.check_suite", report_of)
    assert main(["check", ENV, "--env-option", f"tasks={option['tasks']}"]) == 0
    assert checked == [ENV]
    assert main(["check", ENV, "--env-option", "use=shell"]) == 0
    assert checked == [ENV, ENV, "swe/repair"]


def test_files_without_tasks_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"validation\.jsonl holds no task; agentgym swe make toolz --out FOLDER"):
        agentgym.make(ENV, tasks=str(folder / "validation.jsonl"))
    with pytest.raises(ConfigError, match=r"tasks: there is no file or folder .*none\.jsonl; check"):
        agentgym.make(ENV, tasks=str(folder / "none.jsonl"))
    write_split(folder, "train", [])
    with pytest.raises(ConfigError, match=r"the train tasks are drawn, and .* has none; .*/test\.jsonl \(1\)$"):
        agentgym.make(ENV, tasks=str(folder))
    with pytest.raises(ConfigError, match=r"holds no task in train\.jsonl, validation\.jsonl, test\.jsonl; agentgym"):
        read_folder(tmp_path / "empty")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"config": {}}, "task 'planted' is not a task of Repair-v0: it lacks package, digest, edits$"),
        ({"config": {"package": "tolz"}}, r"did you mean toolz\?"),
        ({"config": {"package": 3}}, "package must be a text, got 3"),
        ({"config": {"edits": [["toolz/itertoolz.py", 9, 3, ""]]}}, "an edit is .* with 0 <= start <= end"),
        ({"config": {"edits": ["toolz/itertoolz.py"]}}, "an edit is "),
        ({"config": {"edits": [["toolz/no.py", 0, 0, ""]]}}, r"'toolz/no\.py', but toolz 1\.0\.0 has no such file"),
        ({"config": {"edits": ()}}, r"task 'planted' plants no fault: config\.edits is empty"),
        (
            {"config": {"visible": "all"}},
            "config of task 'planted' has no key 'visible'; did you mean visible_tests",
        ),
        (
            {"config": {"edits": [["toolz/itertoolz.py", 0, 0, ""]]}},
            "plants no fault: config.edits put in what is there",
        ),
        (
            {"config": {"edits": [["toolz/itertoolz.py", 0, 0, "# a\n\n"]]}},
            "the syntax tree of toolz/itertoolz.py as it is",
        ),
        (
            {"config": {"edits": [["toolz/itertoolz.py", 0, 0, "a b\n"]]}},
            "toolz/itertoolz.py is no Python: line 1: invalid",
        ),
        ({"config": {"edits": [["toolz/itertoolz.py", 0, 0, "\0"]]}}, "toolz/itertoolz.py is no Python: .*null bytes"),
        ({"config": {"edits": [["toolz/itertoolz.py", 0, 0, "return\n"]]}}, "is no Python: line 1: 'return' outside"),
        (
            {"config": {"kind": "nonsense"}},
            "config.kind must be one of fault, implement, double, history, or left out: got",
        ),
        ({"private": {"failing": ()}}, "private.failing is empty; expected the ids of the tests"),
        ({"instruction": None}, "instruction must be text, got None"),
        ({"instruction": " "}, "instruction must say what goes wrong, .*: got ' '"),
        ({"config": {"visible_tests": "some"}}, "visible_tests must be one of others, all, none: got 'some'"),
        ({"config": {"digest": "0" * 16}}, "was made for another state of toolz: .*make the tasks again with"),
        ({"private": {"failing": ["toolz/tests/test_no.py::test_no"]}}, "which is no test of toolz"),
        ({"private": {"relevant": "all"}}, "relevant must be a list, got 'all'"),
        ({"private": {"functions": 5}}, "task 'planted': private.functions must be a list, got 5"),
        (
            {"private": {"issues": {"les": "x"}}},
            "private.issues of task 'planted' has no text 'les'; did you mean",
        ),
        ({"private": {"issues": {"less": 5}}}, "private.issues must be an object of texts, got {'less': 5}"),
        ({"seed": -1}, "seed must be an int >= 0"),
        ({"id": "other"}, "the id 'other' must be unique, and line 1 has it too"),
    ],
)
def test_a_wrong_row_is_refused_by_file_and_line(
    changes: dict[str, Any], said: str, task: Task, tmp_path: Path
) -> None:
    fields = task.to_json()
    for key, value in changes.items():
        fields[key] = {**fields[key], **value} if isinstance(value, dict) and value else value
    path = tmp_path / "own.jsonl"
    other, wrong = to_line(replace(task, id="other")), json.dumps(fields)
    path.write_text(f"{other}\n\n{wrong}\n")
    with pytest.raises(ConfigError, match=rf"^{path}:3: .*{said}"):
        agentgym.make(ENV, tasks=str(path))


def test_a_row_without_an_instruction_is_refused(task: Task, tmp_path: Path) -> None:
    fields = task.to_json()
    del fields["instruction"]
    (tmp_path / "own.jsonl").write_text(json.dumps(fields))
    with pytest.raises(ConfigError, match=r"own\.jsonl:1: task 'planted': instruction must say what goes wrong"):
        agentgym.make(ENV, tasks=str(tmp_path / "own.jsonl"))


def test_a_fault_beside_a_comment_is_taken(task: Task, tmp_path: Path) -> None:
    edits = [*task.config["edits"], ["toolz/dicttoolz.py", 0, 0, "# a\n"]]
    path = tmp_path / "own.jsonl"
    path.write_text(to_line(replace(task, config={**task.config, "edits": edits, "kind": "double"})))
    env = agentgym.make(ENV, tasks=str(path))
    assert env.num_tasks == 1
    env.close()


def test_check_tells_a_failing_test_that_the_fault_does_not_break(env: RepairEnv, task: Task) -> None:
    assert check_faults(env, [task]) == "1 tasks, whose failing tests all fail"
    failing = [*task.private["failing"], "toolz/tests/test_itertoolz.py::test_isdistinct"]
    wrong = replace(task, private={**task.private, "failing": failing})
    with pytest.raises(ContractError, match=r"task 'planted': 1 of the 3 tests in private\.failing pass on its broken"):
        check_faults(env, [wrong])


def test_kinds_are_those_that_are_made() -> None:
    assert set(KINDS) == {"fault", *KIND_OF.values()}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is not valid JSON: .* at column 2"),
        ('{"id', "is not valid JSON: Unterminated string starting at column 2$"),
        ("[]", "as an object, got list"),
    ],
)
def test_a_row_that_is_no_object_is_refused_by_file_and_line(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text(f"{line}\n")
    with pytest.raises(ConfigError, match=rf"own\.jsonl:1: .*{said}"):
        agentgym.make(ENV, tasks=str(tmp_path / "own.jsonl"))
