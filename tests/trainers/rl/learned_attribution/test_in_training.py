"""Predictors inside a run: fitted when they are due, used by the credit, kept in checkpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.attribution.learned.predicted import predictions_of
from agentgym.errors import CheckpointError, ConfigError
from agentgym.rollout import game_maker
from agentgym_rl.core import distributed
from agentgym_rl.core.attributed import AttributionConfig, attribute, require_recordable
from agentgym_rl.learned_attribution.in_training import TrainingPredictors
from agentgym_rl.run.describe import describe
from tests.trainers.rl.toys import TracingTrainer, install, toy_config, toy_trainer

_OPTIONS = ("spa.fit.first_epochs=1", "spa.fit.epochs=1", "spa.fit.batch_episodes=8")


def trainer_of(folder: Path, method: str = "spa", *options: str, iterations: int = 2) -> TracingTrainer:
    algorithm = {"preset": "ppo", "credit": {"attribution": {"method": method, "options": list(options or _OPTIONS)}}}
    config = toy_config("bandit", run={"iterations": iterations}, algorithm=algorithm, group={"tasks": 2, "size": 4})
    return toy_trainer(config, install(folder, "bandit"), folder / "run")


def test_a_run_trains_on_what_its_predictor_learns(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    trainer.run()
    assert trainer.journalled.curve("attribution/spa_episodes") == [8.0, 16.0]
    assert all(np.isfinite(trainer.journalled.curve("attribution/spa_loss")))
    groups, _, _ = trainer.traced[-1]
    episodes = [member for group in groups for member in group.members]
    predictors = trainer.learner.predictors
    assert any(values.any() for values in predictions_of(predictors.all, episodes)["progress"])
    credit = attribute(episodes, trainer.config.algorithm.attribution, predictors.all)
    for episode, turns in zip(episodes, credit.turns, strict=True):
        assert turns.sum() == pytest.approx(episode.step_rewards().sum())
    assert credit.shaped == []


@pytest.mark.parametrize(("passes", "what"), [(1, "spa says nan of turn 0 of episode"), (3, "no gradient of the last")])
def test_a_fit_that_diverged_stops_the_run_before_anything_is_learnt_from_it(
    tmp_path: Path, passes: int, what: str
) -> None:
    trainer = trainer_of(tmp_path, "spa", f"spa.fit.first_epochs={passes}", "spa.fit.learning_rate=1e20")
    with pytest.raises(ConfigError, match=rf"{what} .*the fit of spa has diverged; lower spa.fit.learning_rate"):
        trainer.run()
    assert trainer.state.iteration == 0


def test_fits_are_due_every_few_iterations(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, "spa", *_OPTIONS, "spa.fit.every=2", iterations=3)
    trainer.run()
    assert ["attribution/spa_loss" in row for row in trainer.journalled.rows] == [True, False, True]
    assert trainer.journalled.rows[2]["attribution/spa_episodes"] == 24.0


def test_a_checkpoint_keeps_what_predictors_have_learnt(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    trainer.run()
    episodes = [member for group in trainer.traced[-1][0] for member in group.members]
    other = trainer_of(tmp_path / "other")
    assert "attribution" in other.parts()
    other.parts()["attribution"].restore(trainer.parts()["attribution"].state())
    found, kept = (predictions_of(each.learner.predictors.all, episodes)["progress"] for each in (trainer, other))
    assert [values.tolist() for values in found] == [values.tolist() for values in kept]
    rudder = trainer_of(tmp_path / "rudder", "rudder", "rudder.fit.first_epochs=1")
    with pytest.raises(CheckpointError, match="predictors of credit"):
        rudder.parts()["attribution"].restore(trainer.parts()["attribution"].state())


def test_a_tower_of_the_policys_kind_reads_tokens(tmp_path: Path) -> None:
    options = ["rudder.fit.first_epochs=1", 'rudder.fit.tower="policy"', "rudder.fit.trains_tower=false"]
    trainer = trainer_of(tmp_path, "rudder", *options, iterations=1)
    trainer.run()
    assert trainer.journalled.rows[0]["attribution/rudder_episodes"] == 8.0
    (estimator,) = trainer.learner.predictors.learning
    own = dict(trainer.model.causal_lm.base_model.named_parameters())
    assert any((own[name] != each).any() for name, each in estimator.network.tower.named_parameters())


def test_an_expert_without_demonstrations_is_refused_before_anything_is_collected(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no demonstrations to compare with"):
        trainer_of(tmp_path, "expert", "expert.limit=2.0")


def test_several_processes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(tmp_path)
    monkeypatch.setattr(distributed, "is_distributed", lambda: True)
    config = AttributionConfig("spa")
    with pytest.raises(ConfigError, match="several processes cannot share"):
        TrainingPredictors(config, trainer.model.causal_lm, None)
    assert TrainingPredictors(AttributionConfig("judged"), trainer.model.causal_lm, None).learning == []


def test_what_is_learnt_is_described_and_needs_nothing_of_the_environment(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    text = describe(trainer.config)
    assert "spa learns every iteration from the newest 512 episodes, 1 passes (1 at first), tower tiny" in text
    suite = install(tmp_path, "bandit")
    require_recordable(trainer.config.algorithm.attribution, game_maker(suite), suite.train_tasks()[0])
