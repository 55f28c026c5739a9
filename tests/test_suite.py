from __future__ import annotations

import json

import pytest

from agentgym import suite as suite_module
from agentgym.errors import HeldOutError, TaskError, UnknownNameError
from agentgym.suite import (
    find_task,
    load_suite,
    read_suite,
    register_suites,
    require_trainable,
    require_unseen,
    suite_names,
)
from agentgym.task import Task

TOML = """
name = "test/toy"
env = "test/Toy-v0"
description = "Toys."
license = "CC0-1.0"
source = "by hand"
headline = "easy"
[splits]
train = ["easy"]
test = ["easy"]
[strata]
easy = "all"
[scores]
oracle = { success = 1.0 }
"""


def line(number, **changes):
    return json.dumps({"id": f"test/toy:{number}", "seed": number, "stratum": "easy", **changes})


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "test" / "toy"
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(TOML)
    (folder / "train.jsonl").write_text(line(1) + "\n" + line(2) + "\n")
    (folder / "test.jsonl").write_text(line(3) + "\n")
    return folder


@pytest.fixture
def root(folder, monkeypatch):
    """The folder's root, registered for one test."""
    monkeypatch.setattr(suite_module, "_extra_roots", [])
    yield folder.parent.parent
    suite_module._folders.cache_clear()
    load_suite.cache_clear()


def test_suite_reads_its_tasks_with_suite_and_split(folder):
    suite = read_suite(folder)
    assert [task.id for task in suite.train_tasks()] == ["test/toy:1", "test/toy:2"]
    task = suite.task("test/toy:3")
    assert (task.suite, task.split, task.stratum) == ("test/toy", "test", "easy")
    assert suite.scores["oracle"].success == 1.0


def test_suite_reads_a_split_when_it_is_asked_for_and_once(folder):
    suite = read_suite(folder)
    (folder / "train.jsonl").unlink()
    assert suite.tasks("test") is suite.tasks("test")
    with pytest.raises(TaskError, match="the train split"):
        suite.tasks("train")


def test_suite_suggests_names_of_splits_and_tasks(folder):
    suite = read_suite(folder)
    with pytest.raises(UnknownNameError, match="'test/toy' has no split 'tests'; did you mean test"):
        suite.tasks("tests")
    with pytest.raises(UnknownNameError, match=r"'test/toy' has no task .*; did you mean test/toy:"):
        suite.task("test/toy:9")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('license = "CC0-1.0"\n', "", r"suite.toml: keys \['license'\] are missing"),
        ("[splits]", "foo = 1\n[splits]", r"suite.toml: keys \['foo'\] are unknown; known"),
        ("headline =", "hedline =", r"keys \['headline'\] are missing, keys \['hedline'\] are unknown"),
        ('name = "test/toy"', 'name = "test/toys"', "key 'name' is 'test/toys', but the folder says 'test/toy'"),
        ("train = [", "dev = [", "split 'dev' does not exist"),
        ('train = ["easy"]', 'train = ["hard"]', r"'train' names the strata \['hard'\]"),
        ('headline = "easy"', 'headline = "hard"', "headline 'hard' is not a stratum of the test split; it has easy"),
        ("success = 1.0", "sucess = 1.0", "key 'scores'.*sucess"),
        ("[scores]", "[scores", r"suite\.toml:\d+: the file is not valid TOML: "),
        ("[scores]\noracle = { success = 1.0 }", "", "are missing"),
    ],
)
def test_suite_refuses_a_malformed_declaration(folder, old, new, message):
    assert old in TOML
    (folder / "suite.toml").write_text(TOML.replace(old, new))
    with pytest.raises(TaskError, match=message):
        read_suite(folder)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("{", r"train.jsonl:2: the line is not valid JSON: Expecting .* at column 2. Correct the line$"),
        ('{"id', r"train.jsonl:2: the line is not valid JSON: Unterminated string starting at column 2. Correct"),
        ('{"seed": 1}', r"train.jsonl:2: a task lacks the keys \['id'\]; each task has an id and a seed"),
        (line(2, id=""), "train.jsonl:2: a task needs an id: got an empty one. Correct the line$"),
        ("[1]", "train.jsonl:2: expected an object, got list"),
        (line(2, sed=1), r"train.jsonl:2: .*unknown keys \['sed'\]"),
        (line(2, seed="1"), "train.jsonl:2: .*seed must be an int"),
        (
            line(2, stratum="hard"),
            "train.jsonl:2: key 'stratum' is 'hard', but .splits. of suite.toml gives train only 'easy'",
        ),
        (line(1), "train.jsonl:2: key 'id' must be unique, got 'test/toy:1', which line 1 has too"),
        (line(2, id="other:2"), "train.jsonl:2: key 'id' must start with 'test/toy:', got 'other:2'"),
    ],
)
def test_suite_names_file_and_line_of_a_malformed_task(folder, second, message):
    (folder / "train.jsonl").write_text(line(1) + "\n" + second + "\n")
    with pytest.raises(TaskError, match=message):
        read_suite(folder).train_tasks()


def test_suite_says_how_to_write_a_malformed_file_anew(folder):
    (folder / "suite.toml").write_text(TOML.replace("headline", 'generator = "toys.generate"\nheadline', 1))
    (folder / "train.jsonl").write_text("{\n")
    with pytest.raises(TaskError, match=r"or write the task files again with: python -m toys\.generate$"):
        read_suite(folder).train_tasks()


def test_suite_refuses_a_missing_or_binary_task_file(folder):
    (folder / "test.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match=r"the test split of 'test/toy': .*test\.jsonl is not text in UTF-8"):
        read_suite(folder).tasks("test")
    (folder / "test.jsonl").unlink()
    with pytest.raises(
        TaskError, match=r"the test split of 'test/toy': there is no file .*test\.jsonl; check the path"
    ):
        read_suite(folder).tasks("test")


def test_load_suite_suggests_close_names():
    with pytest.raises(
        UnknownNameError, match="unknown suite 'dialogue/guess-numbers'; did you mean dialogue/guess-number"
    ):
        load_suite("dialogue/guess-numbers")


def test_a_path_is_no_suite_and_the_error_says_what_plays_files(tmp_path):
    with pytest.raises(UnknownNameError, match=r"(?s)unknown suite.*has a name and no path.*tasks=FILE.*"):
        load_suite(str(tmp_path))


def test_load_suite_says_what_lists_all_suites():
    with pytest.raises(
        UnknownNameError, match=r"known: dialogue/…, gui/….*; agentgym list shows all environments and suites"
    ):
        load_suite("nosuch/thing")


def test_registered_folder_adds_its_suites(root):
    assert "test/toy" not in suite_names()
    register_suites(root)
    assert "test/toy" in suite_names()
    assert find_task("test/toy:3").split == "test"


def test_register_suites_refuses_a_missing_folder(tmp_path):
    with pytest.raises(TaskError, match="is not a folder of suites"):
        register_suites(tmp_path / "nowhere")


def test_held_out_tasks_are_refused_for_training(folder):
    suite = read_suite(folder)
    require_trainable(suite.train_tasks())
    require_trainable([Task("made on the fly", 0)])
    with pytest.raises(
        HeldOutError, match=r"'test/toy:3' is in the test split .* load_suite\('test/toy'\).train_tasks\(\)"
    ):
        require_trainable([*suite.train_tasks(), *suite.tasks("test")])


def test_tasks_seen_in_training_are_refused_for_evaluation(folder):
    suite = read_suite(folder)
    seen = {Task("another name", 0, suite.tasks("test")[0].instruction).content_hash}
    require_unseen(suite.tasks("test"), {"0" * 64})
    with pytest.raises(HeldOutError, match=r"trained on 1 of the tasks, such as 'test/toy:3'.*--allow-train"):
        require_unseen(suite.tasks("test"), seen)


def test_texts_of_tasks_may_hold_other_line_ends(folder):
    text = "one\u2028two\x85three"
    (folder / "train.jsonl").write_text(json.dumps(json.loads(line(1, instruction=text)), ensure_ascii=False) + "\n")
    assert [task.instruction for task in read_suite(folder).tasks("train")] == [text]


def test_unseen_game_has_no_train_split(folder):
    declared = TOML.replace("headline =", "is_unseen_env = true\nheadline =")
    (folder / "suite.toml").write_text(declared)
    with pytest.raises(TaskError, match="an unseen environment has no train split"):
        read_suite(folder)
    (folder / "suite.toml").write_text(declared.replace('train = ["easy"]', ""))
    suite = read_suite(folder)
    assert suite.is_unseen_env
    with pytest.raises(HeldOutError, match="'test/toy' is an unseen environment"):
        suite.train_tasks()
    (folder / "suite.toml").write_text(declared.replace("is_unseen_env = true", "is_unseen_env = 1"))
    with pytest.raises(TaskError, match="must be true or false, got 1"):
        read_suite(folder)


def test_suite_names_its_role(folder):
    assert read_suite(folder).role == ""
    (folder / "suite.toml").write_text(TOML + '[env_options]\nrole = "second"\n')
    assert read_suite(folder).role == "second"


@pytest.mark.parametrize("content", ["", "\n", " \n\n"])
def test_empty_split_is_an_error_that_says_what_to_do(folder, content):
    (folder / "test.jsonl").write_text(content)
    suite = read_suite(folder)
    with pytest.raises(TaskError, match=r"the test split of 'test/toy' is empty: .*test\.jsonl holds no task; write"):
        suite.tasks("test")
    with pytest.raises(TaskError, match="is empty"):
        suite.count("test")


def test_count_reads_the_ends_of_a_file(folder):
    suite = read_suite(folder)
    assert suite.count("test") == len(suite.tasks("test"))
    with (folder / "test.jsonl").open("a") as file:
        file.write('{"id": "test/toy:half')
    with pytest.raises(TaskError, match=r"test\.jsonl:\d+: "):
        suite.count("test")
