"""Predictors that learn: what they find in the corridor, that they repeat, and that a store changes nothing."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.attribution import Steps, attribute_run, make_attribution, with_credit
from agentgym.attribution.learned.expert import EXPERT, Expert
from agentgym.attribution.learned.predicted import Predicting
from agentgym.attribution.learned.spa import Spa
from agentgym.attribution.steps import Floats
from agentgym.errors import CheckpointError, ConfigError
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory
from agentgym_rl.learned_attribution.discriminator import Discriminator
from agentgym_rl.learned_attribution.estimator import Estimator
from agentgym_rl.learned_attribution.making import fit_to_run, make_predictors
from agentgym_rl.learned_attribution.progress import ProgressEstimator
from agentgym_rl.learned_attribution.reading import (
    Episode,
    episodes_from_tensors,
    episodes_to_tensors,
    read_tokens,
    read_words,
)
from agentgym_rl.learned_attribution.return_decomposition import ReturnPredictor
from tests.trainers.rl.learned_attribution.corridors import deciding_turn, mean_share, share_found, walks
from tests.trainers.rl.planted import noticed, parametrised, swapped

_EPOCHS = {"spa": 8, "rudder": 4}


def method_of(text: str, *options: str, epochs: int | None = None) -> Predicting:
    """A method with its predictor, which has learnt nothing yet."""
    epochs = epochs or _EPOCHS[text]
    formula = make_attribution(text, [f"fit.first_epochs={epochs}", *options])
    return Predicting(formula, make_predictors(formula, None))


def estimator_of(method: Predicting) -> Estimator:
    (found,) = method.predictors
    assert isinstance(found, Estimator)
    return found


@functools.cache
def training_walks() -> list[Trajectory]:
    return walks(192)


@functools.cache
def other_walks() -> list[Trajectory]:
    return walks(96, first_seed=5000)


def fitted(method: Predicting, trajectories: Sequence[Trajectory]) -> Predicting:
    estimator_of(method).observe(trajectories)
    estimator_of(method).fit()
    return method


def credit_of_leave_one_out(self: Any, steps: Steps) -> Floats:
    """As the released code of SPA: each turn is overwritten with the centred return of its episode."""
    returns = steps.totals(steps.rewards)
    return (returns - returns.mean())[steps.owner]


def loss_at_the_end_alone(self: ReturnPredictor, outputs: Any) -> Any:
    """Without continuous prediction, nothing is learnt of what is expected on the way."""
    targets = outputs.targets[outputs.episode]
    return outputs.sums(torch.where(outputs.is_last, (outputs.after - targets).square(), 0.0))


@pytest.mark.parametrize(("implementation", "is_bug"), [("right", False), ("leave one out", True), ("sum alone", True)])
def test_progress_pays_the_turn_that_decides_most(implementation: str, is_bug: bool) -> None:
    """In episodes that it was not fitted on, the turn that fetched the key stands out.

    The released code overwrites what turns earned with the centred return of the episode; and by the paper's loss any
    numbers that add up are as good as any others.
    """
    options = ["prefix_loss=0"] if implementation == "sum alone" else []
    method = method_of("spa", *options, epochs=8 if is_bug else 14)
    fitted(method, training_walks())
    credit = Spa.credit if implementation != "leave one out" else credit_of_leave_one_out
    with swapped(Spa, "credit", credit):
        found = method.attribute(other_walks())
    with noticed(is_bug):
        assert mean_share(other_walks(), found) > 1.4


@parametrised(None, loss_at_the_end_alone)
def test_return_decomposition_finds_the_turn_that_decides(implementation: Any, is_bug: bool) -> None:
    with swapped(ReturnPredictor, "loss", implementation or ReturnPredictor.loss):
        credit = fitted(method_of("rudder"), training_walks()).attribute(other_walks())
    with noticed(is_bug):
        assert share_found(other_walks(), credit) > 0.9


@pytest.mark.parametrize("text", ["spa", "rudder"])
def test_learnt_credit_adds_up_to_the_return(text: str) -> None:
    method = fitted(method_of(text, epochs=1), training_walks()[:16])
    for trajectory, credit in zip(other_walks(), method.attribute(other_walks()), strict=True):
        assert credit.sum() == pytest.approx(trajectory.step_rewards().sum(), abs=1e-9)


def test_credit_of_a_stored_run_is_that_of_the_live_trajectories(tmp_path: Any) -> None:
    """Fitted to the live episodes of a run or to the stored ones, a predictor gives the same credit."""
    live = training_walks()[:48]
    with RunStore.create(tmp_path, {}) as store:
        for each in live:
            store.write_episode(each)
        stored = method_of("rudder", epochs=2)
        fit_to_run(stored.predictors, store)
        attribute_run(store, {"rudder": stored})
        events = store.credit("rudder")
        rows = {row.id: row.number for row in store.episode_rows()}
    online = fitted(method_of("rudder", epochs=2), live).attribute(live)
    for trajectory, credit in zip(live, online, strict=True):
        kept = with_credit(trajectory, events.get(rows[trajectory.id], ()), "rudder").step_rewards()
        np.testing.assert_allclose(kept, credit, atol=1e-5)


def test_a_restored_predictor_goes_on_as_if_nothing_had_happened() -> None:
    episodes = training_walks()
    whole = method_of("spa", "fit.epochs=2", "fit.window=64", epochs=2)
    fitted(fitted(whole, episodes[:48]), episodes[48:96])
    first = fitted(method_of("spa", "fit.epochs=2", "fit.window=64", epochs=2), episodes[:48])
    second = method_of("spa", "fit.epochs=2", "fit.window=64", epochs=2)
    estimator_of(second).restore(estimator_of(first).state())
    fitted(second, episodes[48:96])
    for one, other in zip(whole.attribute(other_walks()), second.attribute(other_walks()), strict=True):
        assert one.tolist() == other.tolist()


def test_a_state_of_another_predictor_is_refused() -> None:
    spa, rudder = (estimator_of(method_of(text)) for text in ("spa", "rudder"))
    with pytest.raises(CheckpointError, match="holds the predictor 'rudder', this run has 'spa'"):
        spa.restore(rudder.state())


def test_neighbours_change_no_prediction() -> None:
    method = fitted(method_of("rudder", epochs=1), training_walks()[:32])
    together = method.attribute(other_walks()[:12])
    for place, each in enumerate(other_walks()[:12]):
        np.testing.assert_allclose(method.attribute([each])[0], together[place], atol=1e-5)


def test_the_discriminator_tells_an_expert_from_the_agent() -> None:
    """The expert fetches the key at once; agents that do not are told by the turn in which they do not."""
    everyone = [*training_walks(), *other_walks()]
    experts = [each for each in everyone if deciding_turn(each) == 0 and each.success]
    agents = [each for each in everyone if deciding_turn(each) != 0]
    found = Discriminator(Expert(fit=replace(Expert().fit, first_epochs=6)), experts[:40])
    assert found.fit() == {}
    found.observe(agents[:60])
    found.fit()
    logits = {"expert": found.predict(experts[40:])[EXPERT], "agent": found.predict(agents[60:])[EXPERT]}
    assert np.mean([values[0] for values in logits["expert"]]) > 1.0
    assert np.mean([values[0] for values in logits["agent"]]) < -1.0


def test_a_discriminator_without_demonstrations_is_refused(tmp_path: Any) -> None:
    with RunStore.create(tmp_path, {}) as store, pytest.raises(ConfigError, match="no demonstrations to compare with"):
        make_predictors(make_attribution("expert"), store)


def test_an_update_without_a_finite_gradient_is_left_out() -> None:
    estimator = estimator_of(method_of("spa", epochs=1))
    estimator.observe(training_walks()[:16])
    before = estimator.predict(other_walks()[:4])
    with (
        swapped(ProgressEstimator, "loss", lambda _, outputs: outputs.sums(outputs.after) * float("nan")),
        pytest.raises(ConfigError, match=r"no gradient .*the fit of spa has diverged; lower spa.fit.learning_rate"),
    ):
        estimator.fit()
    for one, other in zip(before["progress"], estimator.predict(other_walks()[:4])["progress"], strict=True):
        assert one.tolist() == other.tolist()


def test_a_method_twice_with_one_predictor_asks_it_once() -> None:
    assert len(make_predictors(make_attribution("0.5*spa+0.5*spa"), None)) == 1


def test_a_copy_of_the_policy_is_refused_where_there_is_none() -> None:
    with pytest.raises(ConfigError, match="for a run that is over give the folder"):
        make_predictors(make_attribution("spa", ["fit.tower='policy'"]), None)


def test_words_of_an_episode_are_one_sequence_with_its_turns_marked() -> None:
    (trajectory,) = walks(1)
    (segment,) = read_words(trajectory)
    ends = np.flatnonzero(np.diff(segment.completion_mask.astype(int), append=0) == -1)
    assert segment.turn_index[ends].tolist() == list(range(len(trajectory.turns)))
    assert len({int(segment.tokens[end]) for end in ends}) == 1
    assert (segment.tokens > 0).all()


def test_episodes_without_tokens_are_refused_by_a_tower_that_reads_them() -> None:
    (trajectory,) = walks(1)
    with pytest.raises(ConfigError, match="reads words"):
        read_tokens(trajectory)


def test_episodes_come_back_from_tensors() -> None:
    episodes = [Episode(read_words(each), 0.5, len(each.turns)) for each in training_walks()[:3]] + [
        Episode([], 1.0, 2)
    ]
    for before, after in zip(episodes, episodes_from_tensors(episodes_to_tensors(episodes)), strict=True):
        assert (before.target, before.num_turns, len(before.segments)) == (
            after.target,
            after.num_turns,
            len(after.segments),
        )
        for one, other in zip(before.segments, after.segments, strict=True):
            assert one.tokens.tolist() == other.tokens.tolist()
            assert one.completion_mask.tolist() == other.completion_mask.tolist()
            assert one.turn_index.tolist() == other.turn_index.tolist()
