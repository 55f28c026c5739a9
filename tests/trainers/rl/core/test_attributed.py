"""Credit of methods of attribution in training."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from agentgym.attribution.environment import Environment
from agentgym.errors import ConfigError, ContractError
from agentgym.rollout import game_maker
from agentgym.suite import load_suite
from agentgym_rl.core.attributed import AttributionConfig, attribute, require_recordable
from tests.attribution.records import record


def test_credit_that_is_no_number_is_never_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "credit", lambda _, steps: np.where(steps.rewards > 0, np.nan, 0.0))
    with pytest.raises(ContractError, match="environment gives turn 1 of episode 'a' the credit nan"):
        attribute([record("a", [0.0, 9.0])], AttributionConfig("environment"))


def test_a_bonus_for_tools_is_refused_where_there_are_none() -> None:
    config = AttributionConfig("tool_use")
    for name, is_refused in (("dialogue/guess-number", True), ("tools/lookup", False)):
        suite = load_suite(name)
        with pytest.raises(ConfigError, match="choose an environment that has tools") if is_refused else nullcontext():
            require_recordable(config, game_maker(suite), suite.train_tasks()[0])


def test_states_are_counted_for_every_method_that_compares_them() -> None:
    group = [record("a", [0.0, 1.0], anchors=["u", "v"]), record("b", [0.0, 0.0], anchors=["x", "y"])]
    sizes = attribute(group, AttributionConfig("turn_groups", ('turn_groups.by="anchor"',))).sizes
    assert sizes is not None
    assert sizes.singleton_share == 1.0
    assert attribute(group, AttributionConfig("turn_groups")).sizes is None
