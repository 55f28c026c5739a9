"""Calls that tests make, recorded on a small package and done again without the tests."""

import builtins
import random
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym_swe.repair.inside.prober import Probe
from agentgym_swe.repair.inside.recorder import Recorder
from agentgym_swe.repair.verdict.instrumenting import RECORDER, instrumented
from agentgym_swe.repair.verdict.recording import Tape, _changed, _written
from agentgym_swe.repair.verdict.slices import PROBE

PACKAGE = """
class Stack:
    def __init__(self, items=()):
        self.items = list(items)
    def push(self, item):
        self.items.append(item)
        return self
    def pop(self):
        if not self.items:
            raise LookupError("nothing is left")
        return self.items.pop()
    def __len__(self):
        return len(self.items)
    def __iter__(self):
        return iter(self.items)
    def __eq__(self, other):
        return Stack([*self.items, other]) if isinstance(other, int) else vars(self) == vars(other)
    def __enter__(self):
        return self
    def __exit__(self, *how):
        self.items.clear()

def mapped(function, items):
    return (function(item) for item in items)

def doubled(function):
    return lambda *args: 2 * function(*args)
"""
Record = Callable[[str], Tape]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """Records what a test with this body does; it is run once, and must pass."""
    source, test = tmp_path / "stacked.py", tmp_path / "test_it.py"
    source.write_text(PACKAGE)
    modules = {}
    for path in (source, test):
        modules[path] = types.ModuleType(path.stem)
        modules[path].__file__ = str(path)
        sys.modules[path.stem] = modules[path]
    exec(compile(PACKAGE, str(source), "exec"), modules[source].__dict__)
    recorder = Recorder(str(tmp_path), ["stacked.py"])
    setattr(builtins, RECORDER, recorder)

    def recorded(body: str) -> Tape:
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        text = instrumented(
            f"from stacked import *\ndef helper(items):\n    return Stack(items)\ndef test_it():\n{lines}"
        )
        assert text is not None
        recorder.test = "test_it"
        exec(compile(text, str(test), "exec"), modules[test].__dict__)
        modules[test].__dict__["test_it"]()
        return recorder.tape("test_it")

    yield recorded
    delattr(builtins, RECORDER)
    for path in modules:
        del sys.modules[path.stem]


def values_of(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the steps give when they are done again."""
    found: list[Any] = []
    probe = Probe(-1, 0)
    monkeypatch.setattr(probe, "put", found.append)
    space: dict[str, Any] = {PROBE: probe}
    exec(_written("again", tape), space)
    space["again"]()
    return found


RAISED = ["raised", "StopIteration"]
CLOSURE = "by = 3\ndef times(x):\n    return by * x\nassert [each for each in mapped(times, [2])] == [6]"
CAUGHT = "try:\n    Stack().pop()\nexcept LookupError as error:\n    assert error.args == ('nothing is left',)"


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("assert Stack([1, 2]).pop() == 2", [2]),
        ("s = helper([5])\ns.push(6)\nassert len(s) == 2", [2]),
        ("s = Stack()\ns.items = [7]\nassert s.items[0] == 7\nassert s", [None, ["list", [7], 1], True]),
        ("assert list(mapped(lambda x: x + 1, [1])) == [2]", [["list", [2], 1]]),
        (CLOSURE, [6, RAISED]),
        ("@doubled\ndef plus(x):\n    return x + 1\nassert plus(1) == 4", [4]),
        ("with Stack([1]) as s:\n    assert s.pop() == 1\nassert len(s) == 0", [1, None, 0]),
        (CAUGHT, [["raised", "LookupError"], ["tuple", ["nothing is left"], 1]]),
        ("assert (Stack([1]) == 2).pop() == 2\nassert Stack() == Stack()", [2, True]),
        ("assert isinstance(Stack(), Stack)", [True]),
    ],
)
def test_calls_are_done_again_with_what_they_gave(
    record: Record, monkeypatch: pytest.MonkeyPatch, body: str, values: list[Any]
) -> None:
    found = values_of(record(body), monkeypatch)
    assert [value for value in found if not (isinstance(value, list) and value[0] == "object")] == values


def test_what_is_expected_is_not_written_down(record: Record) -> None:
    body = "expected = [911]\nassert Stack([911 - 1]).push(1).items != expected\nassert len('x' * 911) == 911"
    texts = " ".join(text for _, text, _ in record(body))
    assert "910" in texts
    assert "911" not in texts


def test_nothing_but_what_the_package_does_is_kept(record: Record) -> None:
    assert record("words = 'a b'.split()\nassert sorted(words) == ['a', 'b']\nopen('/dev/null').close()") == []


def test_changed_tapes_differ_in_inputs_alone(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    tape = record("assert Stack([10]).push(20).pop() == 20")
    for seed in range(20):
        made = _changed(tape, random.Random(seed))
        assert made is not None
        assert made != tape
        assert all("stacked" in text or text.startswith("v[") for _, text, _ in made)
        assert all(value[0] != "raised" for value in values_of(made, monkeypatch) if isinstance(value, list))
