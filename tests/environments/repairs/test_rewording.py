"""Issues worded anew: programs made of what failing tests do, run on the broken and on the original package."""

import json
from dataclasses import replace

import pytest

from agentgym.authoring.task_files import write_split
from agentgym.cli.main import main
from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_swe.making.generate import require_whole
from agentgym_swe.making.issue import calls_in, word_calls
from agentgym_swe.repair.verdict.test_source import TestFile
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.rewording import reword
from agentgym_swe.rewording.excerpts import Around, Excerpt, NoExcerptError, excerpt_of, excerpts_of_body, is_inner

AROUND = Around({"pack.inside:Box": "pack"}, frozenset({3}), ())
BOX = [(1, "n('pack.inside', 'Box')(2)"), (2, "n('_operator', 'setitem')(v[1], 'a', 1)"), (3, "v[1].take('b')")]


def faulty(layer, function: str, old: str, new: str, failing: str, **issues) -> Task:
    text = layer.text("small/__init__.py")
    start = text.index(old, text.index(f"def {function}"))
    edits = [["small/__init__.py", start, start + len(old), new]]
    config = {"package": "small", "digest": layer.digest[:16], "edits": edits, "kind": "fault"}
    private = {"failing": [f"tests/test_small.py::{failing}"], "functions": [f"small.{function}"], "issues": issues}
    return Task("faulty", 1, "# small behaves wrongly\n\nIt does.", config=config, private=private)


@pytest.fixture
def prepared(small_layer, small_catalogue, monkeypatch, tmp_path):
    monkeypatch.setattr(reword, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(reword, "load_layer", lambda name: small_layer.layer)
    return small_layer.layer


def test_a_text_without_a_call_gets_one_that_shows_the_fault(prepared):
    task = faulty(prepared, "clamp", "value > high", "value < high", "test_clamp")
    [better] = reword.reworded([task], "bubblewrap")
    [first, *others] = calls_in(better.private["issues"]["more"])
    assert first.imports == ("from small import clamp",)
    assert (first.code, first.observed, first.expected) == ("clamp(5, 0, 3)", "`5`", "`3`")
    assert others
    assert calls_in(better.instruction) == [first]
    assert better.instruction.startswith("# clamp gives a wrong result\n")
    assert "(" not in better.private["issues"]["less"]
    assert reword.reworded([task], "no such sandbox") == [better], "what was found is kept"


def test_tasks_of_a_folder_without_a_suite_are_reworded_in_place(small_layer, small_catalogue, monkeypatch, tmp_path):
    monkeypatch.setattr(
        reword, "reworded", lambda tasks, sandbox, report: [replace(each, instruction="New.") for each in tasks]
    )
    task = faulty(small_layer.layer, "clamp", "value > high", "value < high", "test_clamp", more="New.")
    write_split(tmp_path, "train", [replace(task, private={**task.private, "relevant": []})])
    assert reword.reword_suite(tmp_path) == {"small": (1, False, 1)}
    [line] = (tmp_path / "train.jsonl").read_text().splitlines()
    assert json.loads(line)["instruction"] == "New."
    with pytest.raises(ConfigError, match="holds no task"):
        reword.reword_suite(tmp_path / "empty")


def test_inner_functions_are_told_by_what_reaches_them(prepared):
    task = faulty(prepared, "_spread", "max(values) - min(values)", "max(values)", "test_describe")
    [better] = reword.reworded([task], "bubblewrap")
    assert "describe([4, 1])" in better.instruction
    assert "Expected: `(5, 3)`" in better.instruction
    assert "_spread" not in json.dumps([better.instruction, *better.private["issues"].values()])


def test_a_program_has_the_steps_that_a_value_needs_and_public_names():
    made = excerpt_of(BOX, 2, AROUND)
    assert made == Excerpt(("from pack import Box",), "Box(2)['a'] = 1")
    whole = excerpt_of([*BOX, (4, "v[1].size")], 4, AROUND, is_whole=True)
    assert whole.code == "box = Box(2)\nbox['a'] = 1\nbox.size"
    raised = excerpt_of([*BOX, (4, "v[3].args")], 4, AROUND)
    assert raised.code.startswith("try:\n    Box(2).take('b')\nexcept Exception as error:")


@pytest.mark.parametrize("text", ["v[1]._hidden()", "n('pack', '_inner')(1)", "t('file')", "v[7]", "helper(v[1])"])
def test_a_program_that_cannot_be_told_is_refused(text):
    with pytest.raises(NoExcerptError):
        excerpt_of([*BOX, (4, text)], 4, AROUND)


def test_the_text_of_a_test_gives_a_program_for_each_check():
    text = (
        "from pack import Box\n\nLIMIT = 3\n\ndef test():\n    log = []\n    Box(log, LIMIT)\n    assert log == [1]\n"
    )
    file = TestFile(text)
    made = [each.text for each in excerpts_of_body(file.tree.body[-1], [file])]
    assert made[-1] == "from pack import Box\nLIMIT = 3\nlog = []\nBox(log, LIMIT)\nlog"


def test_inner_names_have_a_part_with_one_underscore_before_it():
    assert [is_inner(name) for name in ("pack._x", "Box.__init__", "Box.__hidden", "Box.size_")] == [
        *(True, False, True, False)
    ]


def test_calls_are_read_back_from_the_text_that_shows_them(prepared):
    broken = apply_edits(prepared, [Edit("small/__init__.py", 0, 0, "# broken\n")])
    assert broken
    found = reword.Call(("from small import clamp",), "x = 1\n\nclamp(x, 0, 3)", "no error", "`KeyError: 'x'`")
    assert calls_in(word_calls("small", ["small.clamp"], [found, found]).more) == [found, found]


def test_a_suite_is_not_overwritten_by_the_tasks_of_some_packages(tmp_path):
    tasks = [
        Task(f"swe/repair:train-0000{n}", n, config={"package": name}) for n, name in enumerate(("toolz", "parse"))
    ]
    write_split(tmp_path, "train", tasks)
    require_whole(tmp_path, ["parse", "toolz"])
    require_whole(tmp_path / "new", ["toolz"])
    with pytest.raises(ConfigError, match="also has tasks of parse, which would be lost"):
        require_whole(tmp_path, ["toolz"])


@pytest.mark.parametrize("action", ["hunt", "make", "reword"])
def test_unknown_packages_are_refused(action, tmp_path, capsys):
    assert main(["swe", action, "toolzz", "--out", str(tmp_path)]) == 2
    assert "did you mean" in capsys.readouterr().err.lower()
