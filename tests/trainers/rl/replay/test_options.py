from __future__ import annotations

import json

import pytest

from agentgym.config import build, tables_of
from agentgym.errors import ConfigError
from agentgym_rl.replay.options import (
    GoodReplay,
    ImitationReplay,
    NoReplay,
    PrioritisedBuffer,
    StoredUniform,
    SuccessReplay,
    UniformBuffer,
)
from agentgym_rl.replay.tables import ClonedHindsight, ReplayConfig
from agentgym_rl.run.config import load_config


def test_the_weight_rises_along_half_a_cosine():
    options = ImitationReplay(coefficient=2.0, ramp=4)
    assert [options.weight_at(step) for step in (0, 2, 4, 9)] == pytest.approx([0.0, 1.0, 2.0, 2.0])
    assert options.weight_at(1) < 0.5
    assert ImitationReplay().weight_at(0) == 1.0


def test_bounds_are_those_of_the_index():
    options = UniformBuffer(capacity=7, max_age=3, max_lag=2)
    assert options.bounds("sampled") == ReplayConfig(7, 3, 2, "sampled")


def test_earlier_runs_are_bounded_by_what_was_set_alone():
    assert UniformBuffer().bounds().capacity == 100_000
    assert UniformBuffer(max_age=3).bounds_of_runs("sampled") == ReplayConfig(None, admitted="sampled")
    assert StoredUniform(capacity=7).bounds_of_runs().capacity == 7


def test_hindsight_is_a_table_of_its_own():
    config = load_config(None, ["run.suite=x/y", "run.iterations=1", "algorithm.replay.hindsight.strategy=future"])
    assert config.algorithm.replay.hindsight == ClonedHindsight("future")
    assert config.algorithm.replay.is_on
    assert not NoReplay().is_on


def test_options_survive_the_run_folder():
    options = ImitationReplay(runs=("a", "b"), hindsight=ClonedHindsight(goals=2))
    for each in (options, PrioritisedBuffer()):
        assert build(type(each), json.loads(json.dumps(tables_of(each)))) == each


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"capacity": 0}, r"capacity must be at least 1, got 0"),
        ({"episodes": 0}, r"episodes must be at least 1, got 0"),
        ({"ramp": -1}, r"ramp must be at least 0"),
        ({"coefficient": float("nan")}, r"coefficient must be at least 0, got nan"),
        ({"max_weight": 0.0}, r"max_weight must be above 0"),
        ({"runs_share": 1.5}, r"runs_share must be from 0 to 1"),
        ({"runs": ("a", "a")}, r"names a run twice"),
    ],
)
def test_options_that_mean_nothing_are_refused(fields, message):
    with pytest.raises(ConfigError, match=message):
        ImitationReplay(**fields)


def test_options_of_a_single_kind_that_mean_nothing_are_refused():
    with pytest.raises(ConfigError, match=r"per_task must be at least 1, got 0"):
        SuccessReplay(per_task=0)
    with pytest.raises(ConfigError, match=r"temperature must be at least 0.01, got 0.0"):
        GoodReplay(temperature=0.0)


def test_a_kind_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ConfigError, match=r"replay\.kind' is 'best'; expected one of 'none', 'successes'"):
        load_config(None, ["run.suite=x/y", "run.iterations=1", "algorithm.replay.kind=best"])
