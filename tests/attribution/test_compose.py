import numpy as np
import pytest

from agentgym.attribution import make_attribution
from agentgym.attribution.compose import Chain, Sum, is_shaping
from agentgym.attribution.environment import Environment
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.shaping.bounded import Bounded
from agentgym.attribution.shaping.corrected import Corrected
from agentgym.attribution.shaping.gated import Gated
from agentgym.attribution.terminal import Terminal
from agentgym.attribution.uniform import Uniform
from agentgym.errors import ConfigError
from tests.attribution.records import record, steps_of

STEPS = steps_of([[1.0, 0.0, 2.0], [4.0]])


def test_a_chain_hands_the_credit_on_as_rewards():
    assert Chain((Uniform(), ReturnToGo(0.5))).credit(STEPS).tolist() == [1.75, 1.5, 1.0, 4.0]
    inner = Chain((Chain((Terminal(), Uniform())), ReturnToGo()))
    assert inner.credit(STEPS).tolist() == [3.0, 2.0, 1.0, 4.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool_use", True),
        ("tool_use,corrected", False),
        ("gated,return_to_go", True),
        ("uniform,episode_groups", False),
        ("episode_groups+anchors", False),
        ("expert+environment", True),
    ],
)
def test_a_method_shapes_where_its_pay_may_add_up_to_something_else(text, expected):
    assert is_shaping(make_attribution(text)) is expected


def test_a_chain_conserves_from_where_the_return_was_last_restored():
    assert Chain((Terminal(), Uniform())).conserves
    assert not Chain((Gated(), Uniform())).conserves
    assert Chain((Gated(), Corrected(), Uniform())).conserves
    assert Chain((Gated(), Bounded())).conserves
    assert not Chain((Gated(), Bounded(centre="none"))).conserves
    assert not Chain((Corrected(), Gated())).conserves
    (credit,) = Chain((Gated(), Corrected())).attribute([record("a", [{"step": 0.5}, {"success": 0.0}])])
    assert credit.tolist() == [0.25, 0.25]


def test_a_sum_weighs_methods_of_one_kind():
    half = Sum((Environment(), Uniform()), (0.5, 0.5))
    assert half.credit(STEPS).tolist() == [1.0, 0.5, 1.5, 4.0]
    assert half.conserves
    assert not Sum((Environment(), Uniform()), (1.0, 1.0)).conserves
    np.testing.assert_array_equal(half.apply(STEPS).as_recorded, STEPS.rewards)


def test_kinds_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match="return_to_go yields returns"):
        Chain((ReturnToGo(), Uniform()))
    with pytest.raises(ConfigError, match="only methods that yield the same"):
        Sum((ReturnToGo(), Uniform()), (1.0, 1.0))
    with pytest.raises(ConfigError, match="a weight for each"):
        Sum((Uniform(),), ())
    with pytest.raises(ConfigError, match=r"must be finite numbers: got 1.0, nan"):
        Sum((Uniform(), Environment()), (1.0, float("nan")))
    with pytest.raises(ConfigError, match="at least one method"):
        Chain(())
