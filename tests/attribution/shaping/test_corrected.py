import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.attribution.shaping.corrected import Corrected
from tests.attribution import planted
from tests.attribution.records import random_steps, steps_of
from tests.trainers.rl.planted import trap


def test_the_difference_is_shared_equally():
    predicted = steps_of([[1.0, 0.0], [3.0]]).with_rewards(np.array([0.5, 0.25, 1.0]))
    assert Corrected().credit(predicted).tolist() == [0.625, 0.375, 3.0]


@trap(Corrected, planted.CorrectedTowardsItself)
def test_any_redistribution_adds_up_to_the_return_after_correction(method):
    """Trap D-25."""

    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**32 - 1))
    def check(seed):
        steps = random_steps(seed)
        predicted = steps.with_rewards(np.random.default_rng(seed).normal(size=len(steps.rewards)))
        np.testing.assert_allclose(steps.totals(method().credit(predicted)), steps.totals(steps.rewards), atol=1e-9)

    check()
