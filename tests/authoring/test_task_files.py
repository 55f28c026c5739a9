from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from agentgym.authoring.task_files import draw_unseen, numbered_id, to_line, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Task


def test_what_is_drawn_was_not_there_before():
    draws, seen = iter(["a", "B", "A", "b", "c"]), {"b"}
    drawn = [draw_unseen(partial(next, draws), seen, str.lower) for _ in range(2)]
    assert drawn == ["a", "c"]
    assert seen == {"a", "b", "c"}


def test_generator_that_draws_nothing_new_is_refused():
    with pytest.raises(ConfigError, match="drew nothing new in 10000 draws, with 1 drawn before"):
        draw_unseen(lambda: "a", {"a"}, str)


def write_name(folder: Path, suite: str) -> None:
    write_split(folder, "test", [Task(numbered_id(suite, "test", 0), 0, split="test")])


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Runs the command line of a module with two suites; gives the folders below the root that it wrote into."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["generate", *arguments])
        write_suites({"toys/one": write_name, "toys/two": write_name}, tmp_path)
        return sorted(path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("test.jsonl"))

    return run


def test_command_without_arguments_writes_every_suite_into_its_own_folder(write, tmp_path):
    assert write() == ["toys/one", "toys/two"]
    assert json.loads((tmp_path / "toys/two/test.jsonl").read_text()) == {"id": "toys/two:test-00000", "seed": 0}


def test_command_writes_one_suite_where_it_is_told(write, tmp_path):
    assert write("toys/two") == ["toys/two"]
    assert write("toys/one", str(tmp_path / "elsewhere")) == ["elsewhere", "toys/two"]


@pytest.mark.parametrize(
    ("arguments", "why"), [(["toys/tow"], "did you mean toys/two"), (["toys/one", "a", "b"], "at most a suite")]
)
def test_command_refuses_what_it_does_not_know(arguments, why, write):
    with pytest.raises(SystemExit, match=why):
        write(*arguments)


def test_line_leaves_out_what_is_empty_unless_it_is_asked_for():
    task = Task("a:0", 0, "Öffne.")
    assert to_line(task) == '{"id":"a:0","seed":0,"instruction":"Öffne."}'
    full = json.loads(to_line(task, with_empty=True))
    assert full.keys() > {"config", "private", "seed_is_content"}
    assert not {"suite", "split"} & full.keys()
