from __future__ import annotations

import inspect
import re

import pytest

from agentgym import errors
from agentgym.errors import AgentGymError, MissingExtraError, UnknownNameError

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, AgentGymError)]


@pytest.mark.parametrize("error", [cls for cls in CLASSES if cls is not AgentGymError], ids=lambda cls: cls.__name__)
def test_error_stands_in_the_tree_and_inherits_a_builtin(error):
    assert re.search(rf"[├└]── {error.__name__} ", errors.__doc__)
    assert any(base.__module__ == "builtins" and base is not Exception for base in error.__mro__[1:-3])


def test_unknown_name_suggests_close_names_or_lists_all():
    assert "did you mean grpo" in str(UnknownNameError("algorithm", "gpro", ["grpo", "ppo"]))
    assert str(UnknownNameError("algorithm", "zzz", ["b", "a"])) == "unknown algorithm 'zzz'; known: a, b"
    assert str(UnknownNameError("algorithm", "zzz", [])).endswith("known: none")


def test_unknown_name_says_what_lacks_it_and_where_it_was_written() -> None:
    error = UnknownNameError("policy", "randm", ["random", "demo"], owner="'tools/lookup'")
    assert str(error) == "'tools/lookup' has no policy 'randm'; did you mean random?"
    assert str(error.at("run.toml:3")) == "run.toml:3: 'tools/lookup' has no policy 'randm'; did you mean random?"


def test_unknown_name_names_a_few_of_many() -> None:
    message = str(UnknownNameError("algorithm", "zzz", [f"a{number:02d}" for number in range(40)]))
    assert message.endswith("a18, a19 and 20 more")


def test_unknown_name_of_many_names_those_that_begin_alike_or_what_they_begin_with() -> None:
    known = [f"{space}/a{number:02d}" for space in ("dialogue", "web") for number in range(20)]
    web = ", ".join(known[20:])
    assert str(UnknownNameError("suite", "web/zzzzz", known)).endswith(f"known: {web} and 20 more")
    assert str(UnknownNameError("suite", "note/zzzz", known)).endswith("known: dialogue/…, web/…")
    assert str(UnknownNameError("suite", "zzz", known)).endswith("dialogue/a19 and 20 more")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("swe/own:test-99999", "there are 30, from swe/own:test-00000 to swe/own:test-00029"),
        ("swe/own:train-00002", "there are 2, from swe/own:train-00000 to swe/own:train-00001"),
        ("swe/own:test-0003", "there are 30, from swe/own:test-00000"),
        ("swe/own:validation-00003", "there are 2, from swe/own:validation-00002 to swe/own:validation-00004"),
        ("swe/own:other-00001", "did you mean"),
    ],
)
def test_unknown_number_is_told_the_first_and_the_last_of_its_kind(name: str, said: str) -> None:
    counts = {"test": range(30), "train": range(2), "validation": (2, 4)}
    known = [f"swe/own:{split}-{number:05}" for split, numbers in counts.items() for number in numbers]
    assert f"unknown task {name!r}; {said}" in str(UnknownNameError("task", name, known))


def test_missing_extra_names_a_command_for_our_own_distribution():
    assert "pip install 'agentgymnasium[train]'" in str(MissingExtraError("the torch policy", "train"))
