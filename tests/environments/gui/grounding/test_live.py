"""Live screens: applications open as they were recorded, cells lie where clicks find them, screens are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.suite import load_suite
from agentgym_gui.actions.gestures import click
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.grounding.opening import Opening, show_state, start_application
from agentgym_gui.grounding.recorded import recorded_scenes
from agentgym_gui.grounding.rendering import SCREENS, TARGETS, render
from agentgym_gui.grounding.scripts import SCRIPTS


@pytest.fixture(scope="module")
def pool() -> Iterator[SandboxPool]:
    made = SandboxPool(DockerProvider(), PoolConfig(ready=0))
    yield made
    made.close()


def test_a_recorded_task_is_played_on_its_live_application(pool):
    tasks = [
        task
        for task in load_suite("gui/grounding").tasks("train")
        if recorded_scenes()[task.config["scene"]].application == "galculator" and task.private["box"] is not None
    ]
    env = GroundingEnv(live=True, sandbox=pool)
    observation, info = env.reset(options={"task": tasks[0]})
    x, y, width, height = tasks[0].private["box"]
    drawn = GroundingEnv().reset(options={"task": tasks[0]})[0]["image"]
    shown = observation["image"]
    assert shown.shape == drawn.shape
    assert not np.array_equal(shown, drawn)
    assert len(np.unique(shown[y : y + height, x : x + width].reshape(-1, 3), axis=0)) > 3  # there are real pixels
    assert env.step(SCRIPTS["oracle"](tasks[0], 0).act(info["messages"]))[4]["success"]
    env.close()


def test_cells_of_a_spreadsheet_lie_where_a_click_selects_them(pool):
    opening = Opening("gnumeric", place=(30, 40))
    with pool.lease(opening.screen.spec()) as sandbox, closing(Desktop(sandbox, opening.screen)) as desktop:
        start_application(desktop, opening)
        scene, _ = show_state(desktop, opening)
        assert (scene.windows[0][1].x, scene.windows[0][1].y) == (30, 40)
        cells = {each.name: each.box for each in scene.items if each.role == "cell"}
        assert len(cells) > 100
        for name in ("C5", "H12"):
            sight = desktop.act(click(cells[name].centre))
            assert name in [each.value for each in sight.screen.elements if each.role == "text"]


def test_rendered_screens_are_read_as_screenspot(pool, tmp_path):
    folder = tmp_path / "out"
    made = render(folder, pool, 3, ["galculator"], states=("start", "edit menu"), places=2, fixed_look=True)
    assert (made.num_screens, made.num_failed) == (3, 0)
    rows = [json.loads(line) for line in (folder / SCREENS).read_text().splitlines()]
    assert len({tuple(row["windows"][0][1:3]) for row in rows}) == 2  # at two places
    env = GroundingEnv(targets=str(folder / TARGETS))
    assert env.num_tasks == made.num_targets > 200
    task = env.make_task(0)
    _, info = env.reset(options={"task": task})
    assert env.step(SCRIPTS["oracle"](task, 0).act(info["messages"]))[4]["success"]
