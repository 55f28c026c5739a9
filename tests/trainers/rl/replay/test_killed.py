"""Traps D-28 and D-29 with replay: a run that was killed goes on to the same numbers as one that nobody disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.replay.hindsight import RELABELLED
from agentgym_rl.run.job import train
from tests.trainers.rl.processes import in_a_process, in_two_ranks
from tests.trainers.rl.replay.killed import BUGS, MOMENTS, config_of
from tests.trainers.rl.run.test_job import story, story_of_training
from tests.trainers.rl.toys import install
from tests.warm.python import WarmPython


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    """A folder of runs: those that nobody disturbed, and the killed ones."""
    folder = tmp_path_factory.mktemp("killed")
    in_a_process(warm_python, "tests.trainers.rl.replay.killed", str(folder))
    return folder


def require_undisturbed(runs: Path, name: str, kind: str) -> None:
    ours, whole = story(runs / name), story(runs / kind)
    for part in whole:
        assert ours[part] == whole[part], part


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_with_replay_goes_on_as_if_nothing_had_happened(moment: str, runs: Path) -> None:
    require_undisturbed(runs, moment, MOMENTS[moment][0])


@pytest.mark.parametrize("bug", BUGS)
def test_a_resumed_buffer_that_forgot_something_is_noticed(bug: str, runs: Path) -> None:
    with pytest.raises((AssertionError, FileNotFoundError)):
        require_undisturbed(runs, bug, MOMENTS[BUGS[bug][0]][0])


def test_the_killed_runs_replay(runs: Path) -> None:
    with RunStore.open(runs / "successes", read_only=True) as store:
        filled = store.metrics()["replay/drawn"][1]
        derived = [one for one in store.episodes(with_tokens=False, purpose="train") if RELABELLED in one.metadata]
    assert filled[4:].sum() > 0
    assert len(derived) > 8
    with RunStore.open(runs / "imitation", read_only=True) as store:
        metrics = store.metrics()
    assert metrics["replay/drawn"][1][-1] == 4
    assert metrics["replay/other_runs_share"][1][-1] == 0.5


@pytest.mark.slow
def test_two_ranks_replay_as_one_process(tmp_path: Path, warm_python: WarmPython) -> None:
    """Trap D-7 with replay: rank 0 draws, and all ranks learn from the same."""
    install(tmp_path / "suites", "codes", 2, {"length": 2})
    register_suites(tmp_path / "suites")
    in_two_ranks(warm_python, tmp_path, "tests.trainers.rl.replay.killed", str(tmp_path))
    train(config_of("successes", tmp_path), tmp_path / "one")
    two, one = story_of_training(tmp_path / "run"), story_of_training(tmp_path / "one")
    assert two["groups"] == one["groups"]
    assert two["metrics"].keys() == one["metrics"].keys()
    for name, values in one["metrics"].items():
        assert two["metrics"][name] == pytest.approx(values, rel=1e-3, abs=1e-3), name
    for name, weights in one["weights"].items():
        assert (two["weights"][name] - weights).abs().mean() < 1e-4, name
