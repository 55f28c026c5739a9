"""A killed actor-critic goes on to the same numbers: critic, copy, optimisers, draws, buffer."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_rl.hierarchical.options import FROZEN
from tests.trainers.rl.hierarchical.train_archer import BUGS, MOMENTS
from tests.trainers.rl.processes import in_a_process
from tests.trainers.rl.run.test_job import story
from tests.warm.python import WarmPython


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    in_a_process(warm_python, "tests.trainers.rl.hierarchical.train_archer", str(folder))
    return folder


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_actor_critic_goes_on_as_if_nothing_had_happened(moment: str, runs: Path) -> None:
    """Traps D-28 and D-29."""
    ours, whole = story(runs / moment), story(runs / "whole")
    for part in whole:
        assert ours[part] == whole[part], part
    assert any(name.startswith("train/critic/") for name in whole["metrics"])


def test_a_killed_critic_of_a_frozen_policy_reads_again_what_it_had_kept(runs: Path) -> None:
    whole = story(runs / FROZEN)
    assert story(runs / f"{FROZEN} killed") == whole
    assert whole != story(runs / "whole")


@pytest.mark.parametrize("bug", BUGS)
def test_a_resumed_actor_critic_that_forgot_something_is_noticed(bug: str, runs: Path) -> None:
    """What the test above is worth."""
    assert story(runs / bug) != story(runs / "whole")
