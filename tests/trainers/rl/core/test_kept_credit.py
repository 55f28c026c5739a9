"""Credit that an iteration was trained on: kept with the run, and drawn by its report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.attribution import make_attribution, stored_credit, with_credit
from agentgym.outcome import Outcome
from agentgym.store import RunStore
from agentgym.view import write_report
from agentgym_rl.core import kept_credit
from agentgym_rl.core.attributed import attribute
from agentgym_rl.core.kept_credit import BY_CRITIC, IN_TRAINING, keep_trained_on
from tests.attribution.records import record
from tests.trainers.rl.toys import TracingTrainer, install, toy_config, toy_trainer


def trained(folder: Path, algorithm: dict[str, object], toy: str = "key-door", iterations: int = 2) -> TracingTrainer:
    config = toy_config(toy, run={"iterations": iterations}, algorithm=algorithm, group={"tasks": 2, "size": 4})
    with RunStore.create(folder / "run", {}) as store:
        trainer = toy_trainer(config, install(folder, toy), folder / "run", store=store)
        trainer.run()
    return trainer


@pytest.mark.parametrize(
    "algorithm",
    [
        {"preset": "gigpo"},
        {"preset": "mt_grpo"},
        {"preset": "ppo", "credit": {"attribution": {"method": "rudder", "options": ["rudder.fit.first_epochs=1"]}}},
    ],
    ids=["gigpo", "mt_grpo", "rudder"],
)
def test_a_run_keeps_what_its_last_iteration_was_trained_on(tmp_path: Path, algorithm: dict[str, object]) -> None:
    trainer = trained(tmp_path, algorithm)
    members = [member for group in trainer.traced[-1][0] for member in group.members]
    method, predictors = trainer.config.algorithm.attribution, trainer.learner.predictors.all
    expected = dict(zip([each.id for each in members], attribute(members, method, predictors, 1).turns, strict=True))
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        kept = store.credit(IN_TRAINING)
        found = {
            row.id: with_credit(trajectory, kept[row.number], IN_TRAINING).step_rewards().tolist()
            for row, trajectory in zip(store.episode_rows(), store.episodes(), strict=True)
            if row.number in kept
        }
        shown = next(each for each in stored_credit(store) if each.label == IN_TRAINING)
    assert found == {name: credit.tolist() for name, credit in expected.items()}
    assert (shown.method, shown.yields, shown.purpose) == (method.formula.name, method.formula.yields, "train")


def test_the_report_of_such_a_run_shows_it_without_further_ado(tmp_path: Path) -> None:
    trained(tmp_path, {"preset": "gigpo"})
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "Credit of turns by in training" in page
    assert '<b>in training</b><span class="quiet">advantages, episode_groups+anchors</span>' in page


def test_no_more_than_a_bounded_number_of_episodes_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_credit, "_MAX_KEPT", 5)
    trained(tmp_path, {"preset": "gigpo"})
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert len(store.credit(IN_TRAINING)) == 5
        (shown,) = stored_credit(store)
    assert (shown.episodes, shown.left_out) == (5, 0)


def test_credit_is_kept_of_the_iterations_own_graded_episodes_alone(tmp_path: Path) -> None:
    fault = record("fault", [0.0], outcome=Outcome("infrastructure", "x"), score=None, success=None)
    episodes = [record("old", [1.0]), record("new", [0.0, 1.0]), fault, record("none", []), record("nan", [0.0])]
    turns = {
        "nan": np.array([np.nan]),
        "old": np.array([1.0]),
        "new": np.array([0.5, 0.0]),
        "none": np.zeros(0),
        "other@g": np.array([9.0]),
    }
    with RunStore.create(tmp_path, {}) as store:
        numbers = [
            store.write_episode(each, iteration) for each, iteration in zip(episodes, (1, 2, 2, 2, 2), strict=True)
        ]
        for _ in range(2):
            keep_trained_on(store, IN_TRAINING, make_attribution("uniform"), episodes, turns, iteration=1)
        kept = store.credit(IN_TRAINING)
        (shown,) = stored_credit(store)
    assert {number: [event.value for event in events] for number, events in kept.items()} == {numbers[1]: [0.5]}
    assert (shown.episodes, shown.left_out) == (1, 2)


def test_a_run_without_a_method_keeps_none(tmp_path: Path) -> None:
    trained(tmp_path, {"preset": "loop"}, "bandit", iterations=1)
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.credit_labels() == {}


def test_advantages_of_a_critic_are_kept_turn_by_turn(tmp_path: Path) -> None:
    """As they were trained on, whitened; with a method of attribution, beside what it gave."""
    trainer = trained(tmp_path, {"preset": "ppo", "credit": {"attribution": {"method": "uniform"}}})
    members = [member for group in trainer.traced[-1][0] for member in group.members]
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        kept = store.credit(BY_CRITIC)
        found = [
            with_credit(trajectory, kept[row.number], BY_CRITIC).step_rewards()
            for row, trajectory in zip(store.episode_rows(), store.episodes(), strict=True)
            if row.number in kept
        ]
        shown = {each.label: (each.method, each.yields, each.conserves) for each in stored_credit(store)}
    assert shown == {BY_CRITIC: ("turn_gae", "advantages", False), IN_TRAINING: ("uniform", "rewards", True)}
    assert len(found) == len(members)
    turns = np.concatenate(found)
    assert len(np.unique(turns)) > len(members)  # not one number an episode
    assert abs(turns.mean()) < 0.5 * turns.std()
