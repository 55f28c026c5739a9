"""Formulas of what a predictor says: SPA, RUDDER, expert comparison, and who joins formula and predictor."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

from agentgym.attribution import PREDICTED, attribute_run, make_attribution
from agentgym.attribution.compose import leaves, shaped_rewards
from agentgym.attribution.learned.expert import EXPERT, Expert
from agentgym.attribution.learned.predicted import FitConfig, Predicting, predictions_of
from agentgym.attribution.learned.rudder import AFTER, BEFORE, Rudder
from agentgym.attribution.learned.spa import PROGRESS, Spa
from agentgym.errors import ConfigError
from agentgym.store import RunStore
from tests.attribution.records import random_steps, record, steps_of


@dataclass(frozen=True)
class SpaAsEstimated(Spa):
    """D-25: the estimates are paid as they are, whatever they add up to."""

    def credit(self, steps):
        return self.progress * steps.predictions[PROGRESS] + self.grounding * steps.is_valid


@dataclass(frozen=True)
class SpaCorrectedBeforeGrounding(Spa):
    """D-25: the correction does not see the grounding signal."""

    def credit(self, steps):
        return Spa(self.progress, 0.0).credit(steps) + self.grounding * steps.is_valid


@dataclass(frozen=True)
class RudderFromZero(Rudder):
    """D-25: differences alone, which add up to the prediction at the end and not to the return."""

    def credit(self, steps):
        return steps.predictions[AFTER] - steps.predictions[BEFORE]


def predicted(steps, seed=0):
    rng = np.random.default_rng(seed)
    total = len(steps.rewards)
    named = {PROGRESS: rng.normal(size=total), BEFORE: rng.normal(size=total), AFTER: rng.normal(size=total)}
    return dataclasses.replace(steps, is_valid=rng.random(total) < 0.7, predictions=named)


@pytest.mark.parametrize("method", [Spa(), Spa(2.0, 0.3), Rudder()], ids=["spa", "weighted", "rudder"])
def test_whatever_is_predicted_the_credit_adds_up_to_the_return(method):
    for seed in range(20):
        steps = predicted(random_steps(seed), seed)
        np.testing.assert_allclose(steps.totals(method.credit(steps)), steps.totals(steps.rewards), atol=1e-9)


@pytest.mark.parametrize("bug", [SpaAsEstimated(), SpaCorrectedBeforeGrounding(), RudderFromZero()])
def test_credit_that_is_not_corrected_is_noticed(bug):
    steps = predicted(random_steps(0))
    assert np.abs(steps.totals(bug.credit(steps)) - steps.totals(steps.rewards)).max() > 0.1


def test_progress_moves_credit_to_the_turns_that_made_it_and_away_from_refused_ones():
    steps = dataclasses.replace(
        steps_of([[0.0, 0.0, 1.0]]),
        is_valid=np.array([True, False, True]),
        predictions={PROGRESS: np.array([0.6, 0.0, 0.1])},
    )
    np.testing.assert_allclose(Spa(grounding=0.0).credit(steps), [0.7, 0.1, 0.2])
    np.testing.assert_allclose(Spa(grounding=0.3).credit(steps), [0.8, -0.1, 0.3])


def test_a_turn_earns_by_how_much_it_changed_the_expected_return():
    predictions = {BEFORE: np.array([0.5, 0.9, 0.8]), AFTER: np.array([0.9, 0.8, 0.9])}
    steps = dataclasses.replace(steps_of([[0.0, 0.0, 1.0]]), predictions=predictions)
    np.testing.assert_allclose(Rudder().credit(steps), [0.6, 0.1, 0.3])


def test_the_rewards_of_a_discriminator_are_logs_of_its_probability():
    steps = dataclasses.replace(steps_of([[0.0, 0.0, 1.0]]), predictions={EXPERT: np.array([0.0, 50.0, -50.0])})
    np.testing.assert_allclose(Expert().credit(steps), [-np.log(2), 0.0, -5.0], atol=1e-9)
    np.testing.assert_allclose(Expert("minus_log_not_d").credit(steps), [np.log(2), 5.0, 0.0], atol=1e-9)


def test_predictions_reach_formulas_inside_chains_and_sums():
    steps = predicted(random_steps(3))
    chain = make_attribution("spa,return_to_go", ["return_to_go.gamma=1.0"])
    assert chain.reads == (PROGRESS,)
    firsts = steps.offsets[:-1]
    np.testing.assert_allclose(chain.credit(steps)[firsts], steps.totals(steps.rewards), atol=1e-9)
    both = make_attribution("0.5*spa+0.5*rudder")
    assert both.reads == (PROGRESS, BEFORE, AFTER)
    assert both.conserves
    expected = 0.5 * Spa().credit(steps) + 0.5 * Rudder().credit(steps)
    np.testing.assert_allclose(both.credit(steps), expected)
    assert [leaf.name for leaf in leaves(make_attribution("0.5*spa+0.5*rudder,bounded"))] == [
        "spa",
        "rudder",
        "bounded",
    ]


@pytest.mark.parametrize("name", PREDICTED)
def test_a_method_without_its_predictor_is_refused(name):
    with pytest.raises(ConfigError, match="reads what a predictor says"):
        make_attribution(name).attribute([record("a", [1.0])])


class Counter:
    """Predicts the number of each turn."""

    def predict(self, trajectories):
        return {PROGRESS: [np.arange(len(each.turns), dtype=np.float64) for each in trajectories]}


def test_a_formula_with_its_predictor_credits_a_run_like_any_method(tmp_path):
    method = Predicting(make_attribution("spa", ["grounding=0"]), [Counter()])
    live = [record("a", [0.0, 0.0, 3.0]), record("b", [1.0])]
    with RunStore.create(tmp_path, {}) as store:
        for each in live:
            store.write_episode(each)
        (found,) = attribute_run(store, {"spa": method})
        kept = store.credit("spa")
    assert (found.conserves, found.yields, found.largest_gap) == (True, "rewards", 0.0)
    assert found.options.startswith("Spa(")
    assert [event.value for event in kept[1]] == method.attribute(live)[0][1:].tolist() == [1.0, 2.0]
    assert predictions_of([], live) == {}


def test_predictions_that_are_no_numbers_are_refused():
    nan = {PROGRESS: [np.zeros(1), np.array([0.0, np.nan])]}
    with pytest.raises(ConfigError, match="spa reads nan as the prediction 'progress' of turn 1 of trajectory 1"):
        make_attribution("spa").attribute([record("a", [1.0]), record("b", [0.0, 1.0])], nan)
    bounded = make_attribution("expert")
    with pytest.raises(ConfigError, match="expert reads inf"):
        bounded.attribute([record("a", [1.0])], {EXPERT: [np.array([np.inf])]})


def test_shaped_rewards_are_those_before_baselines():
    steps = dataclasses.replace(random_steps(1), tool_calls=np.ones(len(random_steps(1).rewards), np.int64))
    bonus = make_attribution("tool_use")
    paid = bonus.credit(steps)
    assert np.abs(paid - steps.rewards).max() > 0
    for text in ("tool_use", "tool_use,anchors", "tool_use,return_to_go"):
        np.testing.assert_array_equal(shaped_rewards(make_attribution(text), steps), paid)
    np.testing.assert_array_equal(shaped_rewards(make_attribution("anchors"), steps), steps.rewards)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["fit.window=0"], "at least 1"),
        (["fit.learning_rate=0"], "positive learning_rate"),
        (["fit.trains_tower=false"], "random features"),
        (["fit.towr='tiny'"], "did you mean tower"),
        (["progress=-1"], "at least 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        make_attribution("spa", options)
    assert FitConfig() == Spa().fit
