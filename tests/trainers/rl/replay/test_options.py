from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from agentgym.config import build
from agentgym.errors import ConfigError
from agentgym_rl.config import load_config
from agentgym_rl.replay import HindsightConfig, ReplayConfig, ReplayOptions


def test_the_weight_rises_along_half_a_cosine():
    options = ReplayOptions(kind="imitation", coefficient=2.0, ramp=4)
    assert [options.weight_at(step) for step in (0, 2, 4, 9)] == pytest.approx([0.0, 1.0, 2.0, 2.0])
    assert options.weight_at(1) < 0.5
    assert ReplayOptions(kind="imitation").weight_at(0) == 1.0


def test_bounds_are_those_of_the_index():
    options = ReplayOptions(kind="uniform", capacity=7, max_age=3, max_lag=2)
    assert options.bounds("sampled") == ReplayConfig(7, 3, 2, "sampled")


def test_earlier_runs_are_bounded_by_what_was_set_alone():
    assert ReplayOptions().bounds().capacity == 100_000
    assert ReplayOptions(max_age=3).bounds_of_runs("sampled") == ReplayConfig(None, admitted="sampled")
    assert ReplayOptions(capacity=7).bounds_of_runs().capacity == 7


def test_hindsight_is_a_table_of_its_own():
    config = load_config(None, ["run.suite=x/y", "run.iterations=1", "algorithm.replay.hindsight.strategy=future"])
    assert config.algorithm.replay.hindsight == HindsightConfig("future")
    assert config.algorithm.replay.is_on
    assert not ReplayOptions().is_on


def test_options_survive_the_run_folder():
    options = ReplayOptions(kind="imitation", runs=("a", "b"), hindsight=HindsightConfig(goals=2))
    for each in (options, ReplayOptions()):
        assert build(ReplayOptions, json.loads(json.dumps(asdict(each)))) == each


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "best"}, r"replay\.kind is 'best'; expected one of none, successes"),
        ({"capacity": 0}, r"replay\.capacity is 0"),
        ({"episodes": 0}, r"replay\.episodes is 0; expected at least 1"),
        ({"ramp": -1}, r"replay\.ramp"),
        ({"per_task": 0}, r"replay\.per_task"),
        ({"coefficient": float("nan")}, r"replay\.coefficient is nan"),
        ({"temperature": 0.0}, r"replay\.temperature"),
        ({"max_weight": 0.0}, r"replay\.max_weight"),
        ({"runs_share": 1.5}, r"replay\.runs_share"),
        ({"runs": ("a", "a")}, r"names a run twice"),
    ],
)
def test_options_that_mean_nothing_are_refused(fields, message):
    with pytest.raises(ConfigError, match=message):
        ReplayOptions(**fields)
