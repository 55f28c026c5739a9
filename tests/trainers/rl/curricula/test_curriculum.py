"""The task stream of a curriculum: what it is off, on several ranks, and after a crash."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.config import build, tables_of
from agentgym.errors import CheckpointError
from agentgym.rollout import GroupCollector, draw_seed, shuffled_tasks
from agentgym_rl.core.checkpoint import load_newest
from agentgym_rl.core.config.curriculum import BandConfig, CurriculumConfig
from agentgym_rl.core.part_state import PartState
from agentgym_rl.curricula.curriculum import Curriculum
from agentgym_rl.run import trainer
from agentgym_rl.run.run_folder import digest_of
from tests.trainers.rl.planted import CollectorOfTheFirst, noticed, parametrised, swapped
from tests.trainers.rl.steps import install_steps, steps_trainer

EVERYTHING: dict[str, Any] = {
    "horizon": {"turns": [5, 7], "every": 3},
    "bands": {"explore": 0.4, "half_life": 5.0},
    "guidance": {"share": 0.5, "probability": 0.8},
    "starts": {"share": 0.3, "window": 2},
}


def test_a_curriculum_that_is_off_leaves_the_stream_as_it_was(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [1, 2, 3, 4, 5])
    expected = list(itertools.islice(shuffled_tasks(suite.train_tasks(), draw_seed(3, "tasks"), 4), 20))
    off = Curriculum(CurriculumConfig(), suite, 3)
    assert list(itertools.islice(off.tasks(4), 20)) == expected
    assert list(itertools.islice(off.tasks(4, rank=1, world=2), 10)) == expected[1::2]
    assert off.parts() == {}
    assert off.observe([], 0) == {}


def test_a_horizon_alone_changes_no_order(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [1, 2, 3, 4, 5])
    on = Curriculum(curriculum_config(horizon=EVERYTHING["horizon"]), suite, 3)
    off = Curriculum(CurriculumConfig(), suite, 3)
    pairs = itertools.islice(zip(on.tasks(0), off.tasks(0), strict=False), 12)
    for capped, free in pairs:
        assert capped == replace(free, limits=replace(free.limits, max_turns=5))


def test_ranks_share_one_stream(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [1, 2, 3, 4, 5])
    config = CurriculumConfig(bands=BandConfig())
    whole = list(itertools.islice(Curriculum(config, suite, 0).tasks(0), 12))
    for rank in range(3):
        assert list(itertools.islice(Curriculum(config, suite, 0).tasks(0, rank, 3), 4)) == whole[rank::3]


def curriculum_config(**tables: Any) -> CurriculumConfig:
    return build(CurriculumConfig, tables)


def run_of(folder: Path, iterations: int, staleness: int, tables: dict[str, Any]):
    """A run whose policy stays as it is, so that episodes depend on their seeds alone."""
    return steps_trainer(
        folder_suite(folder),
        folder / "run",
        run={"iterations": iterations},
        group={"tasks": 2, "size": 4, "staleness": staleness, "dynamic_sampling": "keep"},
        optimiser={"learning_rate": 1e-12},
        algorithm={"prox": "recompute", "importance": {"mode": "token_tis"}},
        checkpoint={"every": 1, "keep": 20},
        curriculum=tables,
    )


SUITES: dict[Path, Any] = {}


def folder_suite(folder: Path):
    if folder not in SUITES:
        SUITES[folder] = install_steps(folder, [1, 2, 2, 20, 20, 1])
    return SUITES[folder]


def story(made) -> list[Any]:
    """What each group of each iteration was."""
    return [
        [
            (g.id, g.task_id, [(m.parent_turn, m.metadata.get("hint"), m.success, len(m.turns)) for m in g.members])
            for g in groups
        ]
        for groups, _, _ in made.traced
    ]


def state_without_plans(self: Curriculum) -> PartState:
    """What was in flight is forgotten, and planned anew by what is known now."""
    state = STATE(self)
    return state._replace(record={**state.record, "plans": []})


def state_without_estimates(self: Curriculum) -> PartState:
    """Estimates start anew."""
    state = STATE(self)
    return state._replace(tensors={name: 0 * tensor for name, tensor in state.tensors.items()})


def state_without_position(self: Curriculum) -> PartState:
    """All tasks in turn begin with the first one again."""
    state = STATE(self)
    return state._replace(record={**state.record, "drawn": 0})


STATE = Curriculum.state


@pytest.mark.parametrize("staleness", [0, 2])
@parametrised(STATE, state_without_plans, state_without_estimates, state_without_position)
def test_a_resumed_run_plays_the_same_groups(tmp_path: Path, staleness: int, implementation, is_bug: bool) -> None:
    """Trap D-31: stage, estimates, what waits and what was in flight, from the checkpoint of every iteration."""
    if implementation is state_without_plans and staleness == 0:
        return  # then nothing is in flight at a checkpoint
    whole = run_of(tmp_path, 9, staleness, EVERYTHING)
    with swapped(Curriculum, "state", implementation):
        whole.run()
    expected = story(whole)
    flat = [member for groups in expected for group in groups for member in group[2]]
    assert any(hint for _, hint, _, _ in flat)
    assert any(turn for turn, _, _, _ in flat)
    with noticed(is_bug):
        for iteration in (6, 4):
            again = run_of(tmp_path, 9, staleness, EVERYTHING)
            keep_until(again.folder / "checkpoints", iteration)
            again.state = load_newest(
                again.folder / "checkpoints",
                again.model,
                again.optimiser,
                digest=digest_of(tables_of(again.config)),
                warn=print,
                parts=again.parts(),
            )
            assert again.state.iteration == iteration
            again.policy.load_weights(again.policy.model, again.state.version)
            again.run()
            assert story(again) == expected[iteration:]


def keep_until(folder: Path, iteration: int) -> None:
    """Remove the checkpoints of later iterations."""
    for path in [*folder.iterdir()]:
        if int(path.name.removeprefix("iteration-")) > iteration:
            shutil.rmtree(path)


@parametrised(GroupCollector, CollectorOfTheFirst)
def test_slow_tasks_are_planned_as_fast_ones_are(tmp_path: Path, implementation, is_bug: bool) -> None:
    """Trap D-22: what is played next depends on the order of admission, not on what happened to end first."""
    stories = []
    for wait_s in (0.0, 0.1):
        folder = tmp_path / str(wait_s)
        SUITES[folder] = install_steps(folder, [1, 2, 2, 20, 20, 1], wait_s=wait_s)
        made = run_of(folder, 5, 2, {"bands": EVERYTHING["bands"]})
        with swapped(trainer, "GroupCollector", implementation):
            made.run()
        stories.append(story(made))
    with noticed(is_bug):
        assert stories[0] == stories[1]


def test_the_state_is_json_and_tensors(tmp_path: Path) -> None:
    made = run_of(tmp_path, 3, 1, EVERYTHING)
    made.run()
    state = made.curriculum.state()
    again = run_of(tmp_path, 3, 1, EVERYTHING).curriculum
    again.restore(PartState(json.loads(json.dumps(state.record)), state.tensors))
    assert again.state().record == state.record
    assert np.array_equal(again.state().tensors["band_counts"], state.tensors["band_counts"])
    assert len(state.record["plans"]) == 2, "of the next iteration, which is in flight"


def test_an_incomplete_state_is_refused(tmp_path: Path) -> None:
    made = run_of(tmp_path, 1, 0, EVERYTHING)
    with pytest.raises(CheckpointError, match="curriculum lacks"):
        made.curriculum.restore(PartState({"plans": []}))


def test_parts_compose_and_report(tmp_path: Path) -> None:
    made = run_of(tmp_path, 6, 0, {**EVERYTHING, "durations": {}})
    made.run()
    last = made.journalled.rows[-1]
    named = {name.removeprefix("curriculum/") for row in made.journalled.rows for name in row if "curriculum" in name}
    assert named >= {"stage", "horizon", "cap_share", "band_share", "seen_share", "band_drawn_share", "band_hit_share"}
    assert named >= {"retry_share", "hinted_share", "waiting_tasks", "started_share", "start_rung", "recorded_tasks"}
    assert named >= {"plain_success", "duration_mean_s", "duration_weight_mean", "duration_clamped_share"}
    assert last["curriculum/stage"] == 1.0
    assert {m.split for groups, _, _ in made.traced for g in groups for m in g.members} == {"train"}
