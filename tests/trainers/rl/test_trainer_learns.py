"""A model with random weights learns toys within seconds by every preset; broken signs and masks are noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.prompting.renderer import ChatRenderer
from agentgym.store import RunStore
from agentgym_rl import group_learner
from agentgym_rl.cloning import clone, successes, updates_of
from agentgym_rl.config import WarmStartConfig
from agentgym_rl.credit import assign_credit
from agentgym_rl.demonstrations import collect_demonstrations, with_tokens
from tests.trainers.rl.needs import OF_GROUPS
from tests.trainers.rl.planted import trap
from tests.trainers.rl.toys import TracingTrainer, install, toy_config, toy_trainer

QUICK = {"learning_rate": 0.01}


def learn_bandit(folder: Path, **tables) -> TracingTrainer:
    config = toy_config("bandit", **{"run": {"iterations": 30}, "optimiser": QUICK, **tables})
    with RunStore.create(folder / "store", {}) as store:
        trainer = toy_trainer(config, install(folder, "bandit"), folder / "run", store=store)
        trainer.run()
    return trainer


NEEDS_MORE = ("gigpo", "her", "step_agent_inverse")
"""They need states that come again, goals, and an expert."""


@pytest.mark.parametrize("preset", [name for name in OF_GROUPS if name not in NEEDS_MORE])
def test_every_preset_learns_a_bandit_that_pays_a_turn_later(preset: str, tmp_path: Path) -> None:
    """Trap D-35 (a)."""
    algorithm = {"preset": preset} | ({"max_episode_tokens": 2} if preset == "dr_grpo" else {})
    trainer = learn_bandit(tmp_path, algorithm=algorithm)
    assert np.mean(trainer.journalled.curve("success/mean")[:4]) < 0.75
    assert trainer.success() > 0.9


def credit_of_the_wrong_sign(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    batch.advantages = [-stream for stream in batch.advantages]
    return batch, report


def credit_of_the_last_turn_alone(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    pairs = zip(batch.advantages, batch.segments, strict=True)
    batch.advantages = [np.where(segment.turn_index == segment.turn_index.max(), a, 0.0) for a, segment in pairs]
    return batch, report


def credit_of_a_neighbour(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    batch.advantages = [
        np.roll(stream, 1) * 0 + other[-1]
        for stream, other in zip(batch.advantages, [*batch.advantages[1:], *batch.advantages[:1]], strict=True)
    ]
    return batch, report


@trap(assign_credit, credit_of_the_wrong_sign, credit_of_the_last_turn_alone, credit_of_a_neighbour)
def test_broken_credit_is_noticed_by_the_bandit(assign) -> None:
    """Trap D-35: what the test of the presets is worth."""
    import tempfile

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(group_learner, "assign_credit", assign)
        trainer = learn_bandit(Path(folder))
    assert trainer.success() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["loop", "ppo", "gigpo"])
def test_six_steps_with_a_reward_at_the_end_are_learnt(preset: str, tmp_path: Path) -> None:
    """Trap D-35 (b): fetch the key, then open the door."""
    config = toy_config(
        "key-door",
        run={"iterations": 26},
        group={"tasks": 2, "size": 16},
        algorithm={"preset": preset},
        optimiser={"learning_rate": 5e-3},
    )
    trainer = toy_trainer(config, install(tmp_path, "key-door"), tmp_path / "run")
    trainer.run()
    assert np.mean(trainer.journalled.curve("success/mean")[:4]) < 0.4
    assert trainer.success() > 0.9


@pytest.mark.slow
def test_questions_are_asked_before_guessing_after_an_imperfect_demonstrator(tmp_path: Path) -> None:
    """Trap D-35 (c): eight items; the demonstrator that was cloned is right half of the time."""
    config = toy_config(
        "questions",
        run={"iterations": 20},
        group={"tasks": 8},
        rollout={"sampling": {"max_tokens": 2}, "cut_messages": "invalid"},
    )
    suite = install(tmp_path, "questions", 64)
    trainer = toy_trainer(config, suite, tmp_path / "run")
    shown = collect_demonstrations(suite, "demo", 800, 0)
    assert len(successes(shown)) / len(shown) < 0.55
    demonstrations = with_tokens(shown, ChatRenderer(trainer.policy.tokenizer), [])
    warm_start = WarmStartConfig(demonstrations=800, epochs=4, batch_episodes=16, learning_rate=3e-3)
    num_updates = updates_of(warm_start, len(demonstrations))
    losses = clone(trainer.model, demonstrations, warm_start, config.packing, seed=0, num_updates=num_updates)
    assert losses[-1] < 0.1 * losses[0]
    trainer.publish()
    trainer.run()
    assert trainer.journalled.curve("success/mean")[0] < 0.65
    assert trainer.success() > 0.9
