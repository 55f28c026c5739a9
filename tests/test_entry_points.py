"""Packages announced by entry point: called once, and a broken one is named."""

import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from agentgym import entry_points as module
from agentgym.entry_points import ENTRY_POINT_GROUP, load_entry_points
from agentgym.errors import UnknownNameError
from agentgym.registration import spec, specs
from agentgym.suite import load_suite, suite_names


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Calls of the functions of an announced package; scanning starts anew."""
    made: list[str] = []
    package = types.ModuleType("announced_by_test")
    vars(package).update(
        register=lambda: made.append("register"), looks=lambda: made.append(suite_names()[0]), divides=lambda: 1 / 0
    )
    monkeypatch.setitem(sys.modules, "announced_by_test", package)
    monkeypatch.setattr(module, "_is_loaded", False)
    monkeypatch.setattr(module, "_failures", [])
    return made


def announce(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    announced = [EntryPoint("test", value, ENTRY_POINT_GROUP) for value in values]
    monkeypatch.setattr(module, "entry_points", lambda group: announced if group == ENTRY_POINT_GROUP else [])


def test_announced_function_is_called_once(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, "announced_by_test:register")
    load_entry_points()
    suite_names()
    assert calls == ["register"]


def test_announced_function_may_look_for_names_itself(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, "announced_by_test:looks")
    load_entry_points()
    assert calls == [min(suite_names())]


@pytest.mark.parametrize(
    "value",
    ["no_such_module:register", "announced_by_test:gone", "announced_by_test:__name__", "announced_by_test:divides"],
)
def test_broken_announcement_is_named_and_keeps_no_other_away(
    value: str, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(monkeypatch, value, "announced_by_test:register")
    for _ in range(2):
        (failure,) = load_entry_points()
        assert value in failure
    assert calls == ["register"]
    assert "agentgym/Lookup-v0" in [each.id for each in specs()]


def test_unknown_name_says_which_package_is_broken(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, "announced_by_test:divides")
    for look in (lambda: spec("other/Game-v0"), lambda: load_suite("other/basic")):
        with pytest.raises(UnknownNameError, match="announced_by_test:divides"):
            look()


@pytest.mark.parametrize(("env_id", "is_said"), [("announced-by-test/Game-v0", False), ("other/Game-v0", True)])
def test_a_package_whose_entry_point_failed_is_not_called_uninstalled(
    env_id: str, is_said: bool, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(monkeypatch, "announced_by_test:divides")
    with pytest.raises(UnknownNameError, match="announced_by_test:divides") as raised:
        spec(env_id)
    assert ("no installed package registers" in str(raised.value)) == is_said


FAULTY = """
from agentgym.registration import EnvSpec

def register():
    boom

def misspelt():
    EnvSpec(id="test/Misspelt-v0", famly="test")

def greedy(name):
    pass
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("register", "failed: raised NameError: name 'boom' is not defined ({file}, line 5, in register). Mend"),
        ("misspelt", "unexpected keyword argument 'famly' ({file}, line 8, in misspelt). Mend"),
        ("greedy", "failed: it is no function without arguments (missing a required argument: 'name'). Mend"),
    ],
)
def test_broken_announcement_says_what_failed_and_in_which_line(
    name: str, said: str, calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "faulty_package.py"
    file.write_text(FAULTY)
    monkeypatch.syspath_prepend(tmp_path)
    announce(monkeypatch, f"faulty_package:{name}")
    (failure,) = load_entry_points()
    assert said.format(file=file) in failure
    assert ("without arguments" in failure) == (name == "greedy")
    sys.modules.pop("faulty_package")


def test_unknown_name_says_what_is_broken_before_other_names(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, "announced_by_test:divides")
    with pytest.raises(UnknownNameError) as raised:
        spec("other/Game-v0")
    first, second, *_, last = str(raised.value).splitlines()
    assert first == "unknown environment 'other/Game-v0'"
    assert "ZeroDivisionError" in second
    assert last.startswith("known: ")
