"""Learning from a stored run alone: plain, filtered, steered and weighted clones, and how they load again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.config import Source, merged
from agentgym.errors import ConfigError
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.steering import SteeredHead
from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.offline import step_agent
from agentgym_rl.offline.step_preference import step_preference_loss
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from tests.trainers.rl.breaking import breaking
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.run.test_job import story
from tests.trainers.rl.toys import install, toy_config

OFFLINE = {"updates": 20, "batch": 32}
METHODS: dict[str, dict[str, Any]] = {
    "filtered_bc": {"preset": "filtered_bc", **OFFLINE, "quantile": 0.3},
    "mc_returns": {"preset": "mc_returns", **OFFLINE, "beta": 20.0},
    "ilql": {"preset": "ilql", **OFFLINE, "beta": 20.0, "polyak": 0.1},
    "a_lol": {"preset": "a_lol", **OFFLINE, "warmup": 1, "value_learning_rate": 5e-3},
    "step_agent": {"preset": "step_agent", **OFFLINE, "quantile": 0.3, "beta": 0.5},
    "archer_offline": {
        "preset": "archer_offline",
        "critic": {"tower": "frozen", "updates": 30, "batch": 32, "warmup": 1, "optimiser": {"learning_rate": 5e-3}},
        "actor": {"updates": 30, "batch": 32, "awr": {"temperature": 0.1}},
    },
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of random play: the slow arm wins, three messages of four pull it."""
    root = tmp_path_factory.mktemp("recorded")
    install(root / "suites", "arms")
    register_suites(root / "suites")
    config = toy_config("arms", run={"iterations": 8}, group={"tasks": 4, "size": 8}, optimiser={"learning_rate": 1e-9})
    train(config, root / "run")
    return root / "run"


def offline_config(recorded: Path, algorithm: dict[str, Any], iterations: int = 6, **tables: Any) -> TrainConfig:
    """A configuration that learns from the recorded run."""
    base = {
        "run": {"suite": "toys/arms", "iterations": iterations},
        "algorithm": {**algorithm, "replay": {"runs": [str(recorded)]}},
        "rollout": {"sampling": {"max_tokens": 1}, "cut_messages": "play", "env_threads": 2},
        "optimiser": {"learning_rate": 3e-3},
        "packing": {"row_length": 160, "micro_batch_tokens": 4096, "is_packed": False},
        "validation": {"every": iterations, "tasks": 4},
    }
    return config_from_tables(merged(base, tables), Source())


def test_cloning_gives_what_was_recorded_and_collects_nothing(recorded: Path, tmp_path: Path) -> None:
    config = offline_config(recorded, {"preset": "bc", **OFFLINE}, checkpoint={"every": 3})
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert not store.episode_rows(purpose="train")
        losses = store.metrics()["loss/cloning"][1]
        assert "collect   nothing" in store.meta["equations"]
    assert losses[-1] < losses[0]
    seen = json.loads((tmp_path / "run" / "models" / "trained" / "agentgym.json").read_text())["seen_hashes"]
    with RunStore.open(recorded, read_only=True) as store:
        assert set(seen) == {each.content_hash for each in store.episodes(purpose="train")}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_better_play_is_learnt_from_random_play_and_loads_again(method: str, recorded: Path, tmp_path: Path) -> None:
    config = offline_config(recorded, METHODS[method], 2, optimiser={"learning_rate": 1e-2})
    result = train(config, tmp_path / "run")
    with RunStore.open(recorded, read_only=True) as store:
        before = np.mean([row.success for row in store.episode_rows(purpose="train")])
    assert before < 0.8
    policy = TorchPolicy.load(tmp_path / "run" / "models" / "trained")
    found = evaluate(policy, "toys/arms", "test", EvaluationSettings(attempts=16, rollout=config.rollout))
    assert found.success.mean > 0.9
    assert isinstance(policy.model.get_output_embeddings(), SteeredHead) == (method in ("mc_returns", "ilql"))
    assert "trained" in result.held_out


def own_preferred(expert, own, reference_expert, reference_own, weights, beta):
    """The policy's own message is preferred to the expert's."""
    return step_preference_loss(own, expert, reference_own, reference_expert, weights, beta)


def own_ignored(expert, own, reference_expert, reference_own, weights, beta):
    """The policy's own message is left out, its log-probability being that of the expert's."""
    return step_preference_loss(expert, expert, reference_expert, reference_expert, weights, beta)


@parametrised(step_preference_loss, own_preferred, own_ignored)
def test_an_expert_is_followed_in_its_own_states(
    implementation, is_bug: bool, recorded: Path, tmp_path: Path, monkeypatch
) -> None:
    """Trap D-35: shown the same pairs again and again, the policy comes to prefer the expert's messages in them."""
    pairs: list[step_agent.Pairs] = []
    inspect = step_agent.StepAgentLearner.inspect

    def once(self: step_agent.StepAgentLearner, batch: Any, seed: int) -> step_agent.Pairs:
        if not pairs:
            pairs.append(inspect(self, batch, seed))
        return pairs[0]

    monkeypatch.setattr(step_agent.StepAgentLearner, "inspect", once)
    config = offline_config(recorded, METHODS["step_agent"], 1, validation={"every": 0, "has_final_test": False})
    with swapped(step_agent, "step_preference_loss", implementation):
        train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        margin = store.metrics()["offline/margin"][1][0]
    assert pairs[0].share_same < 0.9
    with noticed(is_bug):
        assert margin > 0.05


def test_a_critic_of_stored_turns_is_compared_with_what_followed(recorded: Path, tmp_path: Path) -> None:
    algorithm = {
        "preset": "archer_offline",
        "critic": {"updates": 2, "batch": 8, "warmup": 1},
        "actor": {"updates": 1, "batch": 8},
    }
    config = offline_config(recorded, algorithm, 2, validation={"every": 0, "has_final_test": False})
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        metrics = store.metrics()
    for name in ("calibration/error", "calibration/predicted/00", "critic/value_ratio"):
        assert len(metrics[name][1]) == 2, name
    assert metrics["replay/episodes"][1].tolist() == [256, 256]


@pytest.mark.parametrize("preset", ["bc", "mc_returns", "ilql", "a_lol", "step_agent"])
def test_a_killed_offline_run_goes_on_to_the_same(preset: str, recorded: Path, tmp_path: Path, monkeypatch) -> None:
    """Trap D-29: V, the copy of Q, what the policy is compared with, and the draws come back."""
    options = {"warmup": 1, "value_learning_rate": 1e-2} if preset == "a_lol" else {}
    algorithm = {"preset": preset, "updates": 3, "batch": 8, **options}
    config = offline_config(recorded, algorithm, 4, checkpoint={"every": 2})
    train(config, tmp_path / "whole")
    with breaking(monkeypatch, 4):
        train(config, tmp_path / "run")
    train(config, tmp_path / "run", resume=True)
    whole, ours = story(tmp_path / "whole"), story(tmp_path / "run")
    for part in ("metrics", "weights", "held out"):
        assert ours[part] == whole[part], part


def test_offline_learning_without_a_run_is_refused() -> None:
    tables = {"run": {"suite": "toys/arms", "iterations": 1}}
    for preset in ("bc", "step_agent"):
        with pytest.raises(ConfigError, match=r"name their folders in algorithm\.replay\.runs"):
            config_from_tables({**tables, "algorithm": {"preset": preset}}, Source())
