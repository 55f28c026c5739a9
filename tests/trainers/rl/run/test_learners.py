"""The table of learners takes kinds from programs, and refuses names that are taken."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import pytest

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import LearnerKind
from agentgym_rl.core.config.late import Late
from agentgym_rl.core.config.train import LearnerOptions
from agentgym_rl.groups.kind import GROUPS
from agentgym_rl.run import learners
from agentgym_rl.run.config import load_config


@dataclass(frozen=True)
class OwnOptions(LearnerOptions):
    learner: Literal["own"] = "own"
    strength: float = 1.0


OWN = LearnerKind(OwnOptions, lambda place: None, lambda config: ["L = 0"], presets={"strong": {"strength": 2.0}})


@pytest.fixture
def table(monkeypatch):
    for name in ("LEARNERS", "PRESETS", "LEARNER_OF_PRESET"):
        for key, value in {"LEARNERS": {"own": OWN}, "PRESETS": {"strong": {}}}.get(name, {"strong": "own"}).items():
            monkeypatch.setitem(getattr(learners, name), key, value)
            del getattr(learners, name)[key]  # put back as absent when the test ends


def test_a_registered_learner_and_its_preset_can_be_chosen(table):
    learners.register_learner(OWN)
    learners.register_learner(OWN)
    config = load_config(None, ["run.suite=dialogue/guess-number", "run.iterations=1", "algorithm.preset=strong"])
    assert config.algorithm == OwnOptions(preset="strong", strength=2.0)


def test_a_learner_whose_name_or_preset_is_taken_is_refused(table):
    with pytest.raises(ConfigError, match="groups is already taken"):
        learners.register_learner(replace(GROUPS, presets={}))
    with pytest.raises(ConfigError, match="grpo is already taken"):
        learners.register_learner(replace(OWN, presets={"grpo": {}}))
    assert "own" not in learners.LEARNERS


def late_names(kind: LearnerKind[Any]) -> list[Late]:
    values = [getattr(kind, field.name) for field in fields(kind)]
    values += [check.require for check in kind.checks]
    return [value for value in values if isinstance(value, Late)]


@pytest.mark.parametrize("kind", learners.KINDS, ids=lambda kind: kind.name)
def test_what_a_kind_names_late_can_be_imported(kind):
    found = late_names(kind)
    assert kind.make in found
    for late in found:
        assert late.load().__name__ == late.name.partition(":")[2]
