from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.run.cost import estimate
from agentgym_rl.run.job import train
from tests.trainers.rl.toys import install, toy_config

GROUPS = {"group": {"tasks": 2, "size": 4}}


@pytest.fixture(scope="module", autouse=True)
def suites(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    register_suites(root)


def test_an_estimate_counts_every_part_of_the_run(tmp_path: Path) -> None:
    config = toy_config(
        "bandit",
        **GROUPS,
        run={"iterations": 7},
        warm_start={"demonstrations": 40, "batch_episodes": 4, "epochs": 3, "has_control": True},
        validation={"every": 2, "tasks": 3, "has_final_test": True, "test_attempts": 2},
    )
    cost = estimate(config, tmp_path)
    assert (cost.episodes, cost.tokens) == (7 * 8, 7 * 16)
    assert {part.name: (part.amount, part.measured) for part in cost.parts} == {
        "demonstrations": ("40 episodes", "8"),
        "cloning": ("30 updates, twice for the control", "2"),
        "iterations": ("7", "1"),
        "validation": ("4 times 3 tasks", "3 tasks"),
        "final test": ("4 agents, 8 episodes each", "3 others"),
    }
    assert all(part.seconds > 0 for part in cost.parts)
    assert cost.total_s == pytest.approx(sum(part.seconds for part in cost.parts))
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.episode_rows(purpose="test") == []


def test_an_estimate_of_a_warm_start_from_a_run_clones_some_of_its_episodes(tmp_path: Path) -> None:
    train(toy_config("bandit", **GROUPS, run={"iterations": 2}), tmp_path / "recorded")
    recorded = toy_config(
        "bandit",
        **GROUPS,
        run={"iterations": 0},
        warm_start={"run": str(tmp_path / "recorded"), "batch_episodes": 2},
    )
    cost = estimate(recorded, tmp_path / "short")
    assert {part.name: (part.amount, part.measured) for part in cost.parts} == {
        "cloning": ("8 updates", "2"),
        "iterations": ("0", "1"),
    }


def test_an_estimate_keeps_to_the_time_limit_of_the_run(tmp_path: Path) -> None:
    config = toy_config("bandit", **GROUPS, run={"iterations": 10**6})
    limited = replace(config, run=replace(config.run, max_seconds=5.0))
    assert estimate(limited, tmp_path).total_s == 5.0
