"""A learner is added by a folder of its own and a line in the table: to a copy of the trainer, which then knows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import agentgym_rl

TRAINER = Path(agentgym_rl.__file__).parent
LEARNER = '''
"""Learns nothing, by a step of its own size."""

from dataclasses import dataclass
from typing import Literal

import torch

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import LearnerKind
from agentgym_rl.core.config.train import LearnerOptions


@dataclass(frozen=True)
class DriftOptions(LearnerOptions):
    learner: Literal["drift"] = "drift"
    size: float = 0.01


class Drift:
    def __init__(self, place):
        self.place = place

    def learn(self, groups, state):
        with torch.no_grad():
            for parameter in self.place.model.parameters():
                parameter.add_(self.place.config.algorithm.size)
        return {"drift/size": self.place.config.algorithm.size}

    def parts(self):
        return {}

    def close(self):
        pass


def require_small(config):
    if config.algorithm.size > 1:
        raise ConfigError("algorithm.size is more than 1")


DRIFT = LearnerKind(
    options=DriftOptions,
    make=Drift,
    equations=lambda config: [f"update    theta += {config.algorithm.size:g}"],
    presets={"far": {"size": 0.5}},
    rules=(require_small,),
)
'''
SCRIPT = """
import sys
from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.run.config import load_config
from agentgym_rl.run.describe import describe
from agentgym_rl.run.job import train
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.saved import saved_config
from tests.trainers.rl.toys import install, toy_config

root = Path(sys.argv[1])
install(root / "suites", "bandit")
register_suites(root / "suites")
base = ["run.suite=toys/bandit", "run.iterations=1"]
assert load_config(None, [*base, "algorithm.learner=drift"]).algorithm.size == 0.01
assert load_config(None, [*base, "algorithm.preset=far"]).algorithm.size == 0.5
with pytest.raises(ConfigError, match='"drift"; it has learner, preset, size'):
    load_config(None, [*base, "algorithm.preset=far", "algorithm.epochs=2"])
with pytest.raises(ConfigError, match="algorithm.size is more than 1"):
    load_config(None, [*base, "algorithm.preset=far", "algorithm.size=2.0"])
tables = {"run": {"iterations": 2}, "group": {"tasks": 1, "size": 2}, "checkpoint": {"every": 1}}
config = toy_config("bandit", **tables, algorithm={"learner": "drift", "size": 0.25})
assert "theta += 0.25" in describe(config)


def interrupt(self, *_):
    raise KeyboardInterrupt


told, Journal.iteration = Journal.iteration, interrupt
with pytest.raises(KeyboardInterrupt):
    train(config, root / "run")
Journal.iteration = told
train(saved_config(root / "run"), root / "run", resume=True)
with RunStore.open(root / "run", read_only=True) as store:
    assert store.metrics()["drift/size"][1].tolist() == [0.25, 0.25]
    assert "theta += 0.25" in store.meta["equations"]
"""


def test_a_learner_in_a_folder_of_its_own_is_configured_described_trained_and_resumed(tmp_path: Path) -> None:
    copy = tmp_path / "trainers" / "agentgym_rl"
    shutil.copytree(TRAINER, copy, ignore=shutil.ignore_patterns("__pycache__", "configs"))
    (copy / "drift").mkdir()
    (copy / "drift" / "__init__.py").write_text(LEARNER)
    table = copy / "run" / "learners.py"
    entered = table.read_text().replace("    GROUPS,\n    ACTOR_CRITIC,", "    DRIFT,\n    GROUPS,\n    ACTOR_CRITIC,")
    table.write_text(
        entered.replace(
            "\nfrom agentgym_rl.groups.kind", "\nfrom agentgym_rl.drift import DRIFT\nfrom agentgym_rl.groups.kind"
        )
    )
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join([str(tmp_path / "trainers"), *sys.path])
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
