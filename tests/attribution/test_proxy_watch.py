import json

import numpy as np
import pytest

from agentgym.attribution.proxy_watch import ProxyWatch, WatchConfig
from agentgym.errors import ConfigError

CONFIG = WatchConfig(window=2, min_correlation=0.2, patience=3, min_episodes=10)


def iterations(rng, correlation, number):
    for _ in range(number):
        scores = rng.normal(size=50)
        yield correlation * scores + np.sqrt(1 - correlation**2) * rng.normal(size=50), scores


def test_a_proxy_that_leaves_the_score_stops_the_run_after_its_patience():
    rng, watch = np.random.default_rng(0), ProxyWatch(CONFIG)
    good = [watch.update(*pair) for pair in iterations(rng, 0.8, 10)]
    assert not any(reading.should_stop for reading in good)
    assert good[-1].correlation == pytest.approx(0.8, abs=0.1)
    bad = [watch.update(*pair) for pair in iterations(rng, -0.8, 5)]
    assert [reading.num_astray for reading in bad] == [1, 2, 3, 4, 5]
    assert [reading.should_stop for reading in bad] == [False, False, True, True, True]
    assert [watch.update(*pair).num_astray for pair in iterations(rng, 0.8, 3)][-1] == 0


def test_nothing_is_concluded_from_few_episodes_or_equal_scores():
    watch = ProxyWatch(CONFIG)
    assert watch.update([1.0, 2.0], [0.0, 1.0]).correlation is None
    equal = ProxyWatch(CONFIG).update(np.arange(50.0).tolist(), [1.0] * 50)
    assert (equal.correlation, equal.should_stop) == (None, False)
    missing = ProxyWatch(CONFIG).update(np.arange(50.0).tolist(), [None] * 41 + list(np.arange(9.0)))
    assert missing.correlation is None


def test_a_watch_goes_on_from_its_state():
    rng, one = np.random.default_rng(0), ProxyWatch(CONFIG)
    pairs = list(iterations(rng, -0.5, 4))
    for pair in pairs[:2]:
        one.update(*pair)
    other = ProxyWatch(CONFIG)
    other.load(json.loads(json.dumps(one.state())))
    assert [other.update(*pair) for pair in pairs[2:]] == [one.update(*pair) for pair in pairs[2:]]


@pytest.mark.parametrize(("proxy", "score"), [(float("nan"), 0.5), (1.0, float("nan")), (float("inf"), 0.5)])
def test_what_is_no_number_is_refused_rather_than_taken_for_agreement(proxy, score):
    rng, watch = np.random.default_rng(0), ProxyWatch(CONFIG)
    for pair in iterations(rng, -0.8, 2):
        watch.update(*pair)
    with pytest.raises(ConfigError, match="expected finite numbers"):
        watch.update([proxy], [score])
    assert watch.update(*next(iterations(rng, -0.8, 1))).num_astray == 3


def test_what_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="one of each"):
        ProxyWatch().update([1.0], [])
    with pytest.raises(ConfigError, match="min_correlation"):
        WatchConfig(min_correlation=2.0)
    with pytest.raises(ConfigError, match=r"window must be at least 1, got 0"):
        WatchConfig(window=0)
