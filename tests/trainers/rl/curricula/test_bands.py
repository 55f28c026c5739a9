from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from agentgym.errors import CheckpointError
from agentgym.rollout import Opening
from agentgym.task import Task
from agentgym_rl.core.config.curriculum import BandConfig
from agentgym_rl.curricula.bands import SuccessBands
from agentgym_rl.curricula.plan import Plan, Result
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.steps import install_steps, steps_trainer

TASKS = tuple(Task(f"toys/steps:{number}", number) for number in range(4))
CONFIG = BandConfig(low=0.25, high=0.75, prior=2.0, half_life=2.0, explore=0.25)


def result(task: Task, successes: int, attempts: int, **plan) -> Result:
    return Result(Plan(0, task, **plan), (), attempts, successes, 0)


def test_an_estimate_is_a_mean_with_a_prior_that_ages() -> None:
    bands = SuccessBands(CONFIG, TASKS)
    bands.record(result(TASKS[0], 0, 8))
    bands.record(result(TASKS[1], 6, 8))
    assert bands.estimates.tolist() == pytest.approx([1 / 10, 7 / 10, 0.5, 0.5])
    assert bands.is_in_band.tolist() == [False, True, False, False]
    bands.grow_old()
    bands.grow_old()  # a half-life: 8 episodes count for 4
    assert bands.estimates.tolist() == pytest.approx([1 / 6, 4 / 6, 0.5, 0.5])
    for _ in range(8):
        bands.grow_old()
    assert bands.is_in_band.tolist() == [True, True, False, False]
    for _ in range(40):
        bands.grow_old()
    assert not bands.is_seen.any()


def test_groups_with_help_say_nothing() -> None:
    bands = SuccessBands(CONFIG, TASKS)
    bands.record(result(TASKS[0], 8, 8, source="retry", hint_probability=1.0))
    bands.record(result(TASKS[0], 8, 8, source="recorded", opening=Opening("p", 0, ("a",), ("x", "y"))))
    bands.record(result(Task("made", 3), 8, 8))
    assert not bands.is_seen.any()


def test_draws_favour_the_band_and_leave_the_declared_share_to_the_rest() -> None:
    bands = SuccessBands(CONFIG, TASKS)
    for task, successes in zip(TASKS, (0, 4, 5, 8), strict=True):
        bands.record(result(task, successes, 8))
    rng = random.Random(0)
    drawn = Counter(task and task.id for task in (bands.draw(rng, ()) for _ in range(4000)))
    assert set(drawn) == {None, TASKS[1].id, TASKS[2].id}
    assert drawn[None] == pytest.approx(1000, abs=100)
    assert drawn[TASKS[1].id] == pytest.approx(1500, abs=120)
    assert bands.draw(random.Random(1), {TASKS[1].id, TASKS[2].id}) is None


def test_estimates_of_other_tasks_are_refused() -> None:
    state = SuccessBands(CONFIG, TASKS).state()
    with pytest.raises(CheckpointError, match="estimates of 4 tasks, the suite has 3"):
        SuccessBands(CONFIG, TASKS[:3]).restore(state)


def draw_of_whatever_is_seen(self, rng, busy):
    """The band is forgotten: any seen task will do."""
    if rng.random() < self.config.explore:
        return None
    chosen = [self.tasks[place] for place in np.flatnonzero(self.is_seen)]
    return rng.choice(chosen) if chosen else None


DRAW = SuccessBands.draw


@parametrised(DRAW, draw_of_whatever_is_seen)
def test_training_meets_tasks_in_the_band_more_often(tmp_path: Path, implementation, is_bug: bool) -> None:
    """A policy that stays random solves one step half of the time and five steps hardly ever: p = 2^-length."""
    suite = install_steps(tmp_path, [1, 5, 5, 5] * 6)
    bands = {"low": 0.25, "high": 0.75, "explore": 0.3, "half_life": 50.0}
    made = steps_trainer(
        suite,
        tmp_path / "run",
        run={"iterations": 12},
        group={"tasks": 4, "size": 8, "dynamic_sampling": "keep"},
        optimiser={"learning_rate": 1e-12},
        curriculum={"bands": bands},
    )
    with swapped(SuccessBands, "draw", implementation):
        made.run()
    lengths = [suite.task(group.task_id).config["length"] for groups, _, _ in made.traced[6:] for group in groups]
    with noticed(is_bug):
        assert lengths.count(1) > len(lengths) / 2
    assert made.journalled.curve("curriculum/seen_share")[-1] > 0.3
    if not is_bug:
        hits = made.journalled.curve("curriculum/band_hit_share")
        assert np.mean(hits[6:]) > np.mean(hits[:1])
        assert np.mean(made.journalled.curve("curriculum/band_drawn_share")[6:]) > 0.4
