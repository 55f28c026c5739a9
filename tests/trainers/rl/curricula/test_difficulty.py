from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym.registration import make, spec
from agentgym.rollout import draw_seed
from agentgym.suite import load_suite, require_trainable
from agentgym_rl.curricula.difficulty import TaskMaker
from tests.trainers.rl.steps import install_steps, steps_trainer

KNOBS = {"levels": 3, "window": 4, "raise_above": 0.05}


def test_levels_rise_with_success_to_the_suites_own_tasks(tmp_path: Path) -> None:
    """A random policy solves a task of n steps in 2^-n of all episodes, which is enough here at every level."""
    suite = install_steps(tmp_path, [1, 2])
    made = steps_trainer(
        suite,
        tmp_path / "run",
        run={"iterations": 5},
        group={"tasks": 4, "size": 16, "dynamic_sampling": "keep"},
        optimiser={"learning_rate": 1e-12},
        curriculum={"difficulty": KNOBS},
    )
    made.run()
    tasks = [[group.task_id for group in groups] for groups, _, _ in made.traced]
    strata = [{m.stratum for group in groups for m in group.members} for groups, _, _ in made.traced]
    assert strata == [{"0"}, {"0.5"}, {"1"}, {"all"}, {"all"}]
    assert made.journalled.curve("curriculum/rung") == [1, 2, 3, 3, 3]
    assert all(task.startswith("toys/steps:made-") for each in tasks[:3] for task in each)
    assert set(tasks[3]) == {"toys/steps:train-000", "toys/steps:train-001"}
    assert len(made.state.seen_hashes) == 14


def test_what_is_held_out_is_never_made() -> None:
    suite = load_suite("dialogue/guess-number")
    maker = TaskMaker(suite, {}, 0)
    held_out = {task.content_hash for split in ("validation", "test") for task in suite.tasks(split)}
    for index in range(300):
        task = maker.make(0.25, index)
        require_trainable([task])
        assert task.content_hash not in held_out
    plain = [make_plainly(suite, index).content_hash for index in range(300)]
    assert held_out.intersection(plain), "without the guard some would be made"
    assert maker.make(0.25, 3) == TaskMaker(suite, {}, 0).make(0.25, 3)


def make_plainly(suite, index: int):
    env = make(suite.env, **spec(suite.env).options_at(0.25))
    return env.make_task(draw_seed(0, index, 0) % 2**31)


def test_options_beside_the_knobs_reach_the_tasks() -> None:
    suite = load_suite("dialogue/maze-partial")
    task = TaskMaker(suite, {"observation": "partial"}, 0).make(0.0, 0)
    assert task.config["observation"] == "partial"
    assert len(task.private["rows"]) == 5


def test_a_level_of_held_out_tasks_alone_is_refused(tmp_path: Path) -> None:
    suite = copy(install_steps(tmp_path, [1]))
    maker = TaskMaker(suite, {}, 0)
    vars(suite)["held_out_hashes"] = AnyHash()
    with pytest.raises(ConfigError, match="all held out"):
        maker.make(0.0, 0)


class AnyHash(set[str]):
    def __contains__(self, item: object) -> bool:
        return True
