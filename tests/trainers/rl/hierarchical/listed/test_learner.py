"""Discrete soft actor-critic as a learner of the training loop: it learns, resumes, exports, and refuses at start."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from agentgym.config import Source, merged
from agentgym.errors import ConfigError
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.torch.listed import ListedPolicy, load_policy
from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.kept_credit import BY_CRITIC
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.hierarchical.listed import actor as soft_actor
from agentgym_rl.hierarchical.listed import learner as soft_learner
from agentgym_rl.hierarchical.listed.discrete_sac import soft_policy_loss
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.describe import describe
from agentgym_rl.run.job import train
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl.breaking import breaking
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.run.test_job import story
from tests.trainers.rl.toys import LEFT_RIGHT, install, toy_config

SMALL: dict[str, Any] = {
    "preset": "discrete_sac",
    "critic": {"updates": 4, "batch": 16, "warmup": 1, "network": {"width": 16}},
    "actor": {"updates": 2, "batch": 16, "entropy": {"target": 0.5}},
}


def small_config(**tables: Any) -> TrainConfig:
    base: dict[str, Any] = {
        "run": {"iterations": 4},
        "group": {"tasks": 2, "size": 4},
        "algorithm": SMALL,
        "optimiser": {"learning_rate": 1e-3},
        "checkpoint": {"every": 2},
    }
    return toy_config("key-door", **merged(base, tables))


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    for name in ("key-door", "bandit"):
        install(tmp_path / "suites", name)
    register_suites(tmp_path / "suites")
    return tmp_path


IS_OVER = Trainer.is_over


def over_once_learnt(self: Trainer) -> bool:
    """Ends a run whose last two iterations succeed."""
    assert self.store is not None
    return bool((self.store.metrics(["success/mean"])["success/mean"][1][-2:] > 0.95).sum() == 2) or IS_OVER(self)


def uphill(logprobs, q, alpha, weights):
    """The sign of the policy's loss."""
    return -soft_policy_loss(logprobs, q, alpha, weights)


@pytest.mark.slow
@parametrised(soft_policy_loss, uphill)
def test_three_right_words_are_learnt_from_a_reward_at_the_end(implementation, is_bug: bool, suites: Path) -> None:
    """Trap D-35: key and door, solved by chance in half of the episodes of eight words."""
    install(suites / "suites", "key-door", config={"door": 2})
    config = small_config(
        run={"iterations": 8},
        group={"tasks": 4, "size": 8},
        algorithm={
            "critic": {
                "updates": 15,
                "batch": 32,
                "warmup": 4,
                "discount": 0.95,
                "network": {"width": 32, "polyak": 0.2},
                "optimiser": {"learning_rate": 3e-3},
            },
            "actor": {"updates": 8, "batch": 32, "entropy": {"alpha": 0.02, "target": None}},
        },
    )
    with swapped(soft_actor, "soft_policy_loss", implementation), swapped(Trainer, "is_over", over_once_learnt):
        train(config, suites / "run")
    policy = load_policy(suites / "run" / "models" / "trained")
    found = evaluate(policy, "toys/key-door", "test", EvaluationSettings(attempts=8, rollout=config.rollout))
    with RunStore.open(suites / "run", read_only=True) as store:
        success = store.metrics()["success/mean"][1]
    assert success[:5].mean() < 0.7
    with noticed(is_bug):
        assert found.success.mean > 0.9


def forgotten(self: ModulePart, state: object) -> None:
    """D-29: a part starts anew."""


def test_an_interrupted_run_goes_on_to_the_same(suites: Path, monkeypatch) -> None:
    """Traps D-28 and D-29: critic, copy, alpha, their optimisers, the buffer and its draws come back."""
    config = small_config()
    train(config, suites / "whole")
    with breaking(monkeypatch, 4):
        train(config, suites / "run")
    shutil.copytree(suites / "run", suites / "forgetful")
    train(config, suites / "run", resume=True)
    with monkeypatch.context() as patch:
        patch.setattr(soft_learner, "ModulePart", type("Forgetful", (ModulePart,), {"restore": forgotten}))
        train(config, suites / "forgetful", resume=True)
    whole, ours, bug = (story(suites / name) for name in ("whole", "run", "forgetful"))
    for part in ("metrics", "weights"):
        assert ours[part] == whole[part], part
    assert bug["weights"] != whole["weights"]
    names = {f"train/{name}" for name in ("actor/alpha", "actor/value", "critic/q_loss", "critic/td_error")}
    assert names <= set(whole["metrics"])


def test_what_is_played_learnt_and_exported_picks_from_the_list(suites: Path) -> None:
    train(small_config(run={"iterations": 2}, algorithm={"replay": {"kind": "prioritised"}}), suites / "run")
    with RunStore.open(suites / "run", read_only=True) as store:
        turns = [turn for each in store.episodes(purpose="train") for turn in each.turns]
        metrics, advantages = store.metrics(), store.credit(BY_CRITIC)
    assert {turn.text for turn in turns} == set(LEFT_RIGHT)
    assert all(turn.legal_actions == LEFT_RIGHT for turn in turns)
    assert all(turn.behaviour_logprobs is None for turn in turns)
    assert len(advantages) == 8
    assert "critic/value_ratio" in metrics
    assert isinstance(load_policy(suites / "run" / "models" / "trained"), ListedPolicy)


def test_stored_lists_are_learnt_from_without_playing(suites: Path) -> None:
    train(small_config(run={"iterations": 2}), suites / "recorded")
    offline = {
        "learner": "offline_soft_actor_critic",
        "replay": {"runs": [str(suites / "recorded")]},
    }
    tables = {
        "run": {"suite": "toys/key-door", "iterations": 2},
        "algorithm": merged(SMALL, offline),
        "packing": {"row_length": 160, "micro_batch_tokens": 4096, "is_packed": False},
        "validation": {"every": 0, "has_final_test": False},
    }
    train(config_from_tables(tables, Source()), suites / "run")
    with RunStore.open(suites / "run", read_only=True) as store:
        assert store.metrics()["actor/num_actions"][1][0] == pytest.approx(2.0)


# Refused at the start


def test_an_environment_that_lists_nothing_is_refused_before_anything_is_written(suites: Path) -> None:
    config = toy_config("bandit", algorithm=SMALL, run={"iterations": 2})
    with pytest.raises(ConfigError, match=r"'toys/bandit:train-000' lists none; write legal_actions\(\)"):
        train(config, suites / "run")
    assert not (suites / "run").exists()


def test_a_run_without_lists_is_refused(suites: Path) -> None:
    plain = {"preset": "archer", "critic": {"updates": 1, "batch": 8, "warmup": 0}, "actor": {"updates": 1, "batch": 8}}
    recorded = toy_config("key-door", algorithm=plain, run={"iterations": 1}, group={"tasks": 1, "size": 2})
    train(recorded, suites / "plain")
    with pytest.raises(ConfigError, match="was recorded without its legal actions"):
        train(small_config(algorithm={"replay": {"runs": [str(suites / "plain")]}}), suites / "run")
    assert not (suites / "run").exists()


@pytest.mark.parametrize(
    ("algorithm", "told"),
    [
        ({"critic": {"network": {"value_range": [0.0, 1.0]}}}, "value_range' is unknown; known: polyak, width"),
        ({"critic": {"expectile": 0.7}}, "expectile' is unknown"),
        ({"actor": {"entropy": {"target": None, "learning_rate": 0.1}}}, "learning_rate' has no effect without actor"),
        ({"actor": {"entropy": {"target": 1.5}}}, "must be above 0 and below 1"),
        ({"actor": {"kind": "resampled"}}, "actor.kind' is unknown; known: batch, entropy, updates"),
    ],
)
def test_options_that_would_change_nothing_are_refused(algorithm: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        small_config(algorithm=algorithm)


def test_the_algorithm_is_described_with_its_numbers() -> None:
    text = describe(small_config())
    for part in (
        "y = r + 0.95 sum_a' pi(a'|s') (min_j Q'_j(s', a') - alpha log pi(a'|s'))",
        "alpha = 0.05, tuned to an entropy of 0.5 log(actions of s)",
        "L = mean_s sum_a pi(a|s) (alpha log pi(a|s) - min_j Q_j(s, a))",
    ):
        assert part in text
