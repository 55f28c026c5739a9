"""Traps D-29 and D-31: a run under a curriculum that is killed goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym.store import RunStore
from tests.trainers.rl.curricula.killed import MOMENTS
from tests.trainers.rl.planted import noticed
from tests.trainers.rl.processes import in_a_process
from tests.warm.python import WarmPython


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    in_a_process(warm_python, "tests.trainers.rl.curricula.killed", str(folder))
    return folder


def story(folder: Path) -> dict[str, Any]:
    """Metrics but for wall times, and the groups with their episodes."""
    with RunStore.open(folder, read_only=True) as store:
        metrics = {
            name: values.tolist() for name, (_, values) in store.metrics().items() if not name.startswith("time/")
        }
        episodes = sorted(
            (each.id, each.task_id, each.total_reward, each.parent_turn, [turn.text for turn in each.turns])
            for each in store.episodes()
        )
    return {"metrics": metrics, "episodes": episodes}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MOMENTS, "forgetful"])
def test_a_killed_run_goes_on_in_its_curriculum(name: str, runs: Path) -> None:
    whole, ours = story(runs / "whole"), story(runs / name)
    assert max(whole["metrics"]["curriculum/stage"]) == 1.0
    with noticed(name == "forgetful"):
        assert ours["episodes"] == whole["episodes"]
        assert ours["metrics"] == whole["metrics"]
