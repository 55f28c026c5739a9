"""Twins: copies of inherited tests, values that are inputs too, files of twins that do harm, and tasks without any."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from agentgym.task import Task
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict import preparing
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Judge
from agentgym_swe.repair.verdict.preparing import keep_prepared, prepare_case
from agentgym_swe.repair.verdict.twins import TwinFile, draw, twin_files
from agentgym_swe.repositories.layer import Layer

INHERITED = """
class TestSize:
    size = 1

    def test_size(self):
        assert len("x" * self.size) == self.size


class TestLargeSize(TestSize):
    size = 3
"""
INPUT = """
def test_order():
    numbers = [3, 1, 2]
    assert sorted(sorted(numbers)) == [1, 2, 3]
    assert list(reversed(list(reversed(numbers)))) == numbers
"""

HARM = """
from toolz.itertoolz import frequencies

frequencies.__code__ = (lambda seq: {}).__code__


def twin_place_9_true():
    pass
"""


@pytest.mark.parametrize(
    ("text", "owner", "name"),
    [(INHERITED, "TestLargeSize", "test_size"), (INPUT, "", "test_order")],
    ids=["inherited", "input"],
)
@pytest.mark.parametrize("seed", range(3))
def test_one_twin_passes_and_one_fails(
    layer: Layer, tmp_path: Path, text: str, owner: str, name: str, seed: int
) -> None:
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    held = dataclasses.replace(layer, folder=tmp_path, digest=str(tmp_path))
    test = "::".join(part for part in ("test_it.py", owner, name) if part)
    drawn = draw(twin_files(held, [test], [], seed))
    names: dict[str, Any] = {}
    exec(*drawn.files.values(), names)
    passed = set()
    for twin, place in drawn.places.items():
        inner = twin.rpartition("::")[2]
        run = getattr(names[owner](), inner) if owner else names[inner]
        try:
            run()
            passed.add(place)
        except AssertionError:
            pass
    assert passed == {"twin_place_0_true"}
    assert set(drawn.places.values()) == {"twin_place_0_true", "twin_place_0_false"}


def test_files_of_twins_that_do_harm_are_left_out(judge: Judge, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    case = dataclasses.replace(read_task(task).case, key="with a file of twins that does harm")
    harm = TwinFile("toolz/tests", HARM, {"twin_place_9_true": ()})
    made = preparing.twin_files
    monkeypatch.setattr(preparing, "twin_files", lambda *args: [harm, *made(*args)])
    prepared = prepare_case(judge._bench, case)
    assert harm not in prepared.twins
    assert set(prepared.planned.values()) == {"passed", "failed"}


def test_verdict_on_a_task_without_twins_says_nothing_of_twins(judge: Judge, task: Task) -> None:
    repair = read_task(task)
    case = dataclasses.replace(repair.case, key="without twins")
    keep_prepared(case, dataclasses.replace(prepare_case(judge._bench, repair.case), twins=(), planned={}))
    right = {path: repair.layer.text(path) for path in case.given}
    verdict = judge.verdict(case, from_texts(repair.layer, case.given, right))
    assert verdict.is_solved
    assert "twins" not in verdict.parts
    assert verdict.parts["probes"] == 1.0
