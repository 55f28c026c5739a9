"""Declared difficulty: what is found wrong with it."""

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.registration import EnvSpec, registry
from agentgym.testing import check_env
from tests.toys.env import SCRIPTS, ToyEnv

ID = "test/Knobs-v0"


class Knobs(ToyEnv):
    def __init__(self, goal=2, colour="red", **given):
        super().__init__(**given)
        self.goal, self.colour = goal, colour

    def make_task(self, seed):
        if self.goal > 5:
            raise ConfigError("no such goal")
        return agentgym.Task(f"toy:{seed}", seed, config={"goal": self.goal}, private={"password": ""})


def found(monkeypatch, difficulty, scripts="SCRIPTS"):
    """The result of the check for an environment that declares the difficulty."""
    spec = EnvSpec(ID, f"{__name__}:Knobs", f"{__name__}:{scripts}", "test", difficulty=difficulty)
    monkeypatch.setitem(registry._specs, ID, spec)
    monkeypatch.setattr("agentgym.testing.difficulty.make", lambda _, **options: Knobs(**options))
    monkeypatch.setattr("agentgym.testing.subject.make", lambda _, runtime="", **options: Knobs(**options))
    (result,) = check_env(ID, only=["difficulty"]).results
    return result


HELPLESS = {**SCRIPTS, "oracle": SCRIPTS["null"]}


def test_difficulty_that_makes_other_tasks_passes(monkeypatch):
    assert found(monkeypatch, {"goal": (1, 2, 4)}).status == "passed"


@pytest.mark.parametrize(
    ("difficulty", "scripts", "expected"),
    [
        ({"goal": (1,)}, "SCRIPTS", "expected two or more"),
        ({"goal": (1, 2, 1)}, "SCRIPTS", "all different"),
        ({"colour": ("red", "blue")}, "SCRIPTS", "same task and course"),
        ({"goal": (1, 9)}, "SCRIPTS", "no such goal"),
        ({"goal": (1, 2)}, "HELPLESS", "oracle does not solve"),
    ],
)
def test_difficulty_that_is_none_fails(monkeypatch, difficulty, scripts, expected):
    result = found(monkeypatch, difficulty, scripts)
    assert result.status == "failed"
    assert expected in result.detail


def test_undeclared_difficulty_is_skipped(monkeypatch):
    assert found(monkeypatch, {}).status == "skipped"
