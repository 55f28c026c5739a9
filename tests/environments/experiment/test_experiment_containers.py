"""Experiment-v0 in containers."""

from __future__ import annotations

import pytest

from agentgym.authoring.players import call_text
from agentgym.message import content_text
from agentgym.testing.episodes import play_script
from agentgym_swe.experiment.env import ExperimentEnv
from agentgym_swe.experiment.problem import to_task
from agentgym_swe.experiment.scripts import SCRIPTS
from tests.environments.in_containers import needs_image

pytestmark = needs_image("experiment")
TASK = to_task("houses", ["missing", "units", "leak"], seed=1)


@pytest.mark.parametrize(("player", "success"), [("oracle", True), ("cheat_leak", False), ("cheat_search", False)])
def test_players_get_what_they_deserve(player: str, success: bool) -> None:
    env = ExperimentEnv(sandbox="docker")
    record = play_script(env, TASK, SCRIPTS[player](TASK, 0))
    assert record.success is success
    assert record.reward == float(success)
    env.close()


@pytest.mark.parametrize(("player", "success"), [("oracle", True), ("cheat_search", False)])
def test_bubblewrap_has_the_packages_of_the_image_without_the_data_of_scikit_learn(player: str, success: bool) -> None:
    env = ExperimentEnv(sandbox="bubblewrap", relaxed=("cpus", "memory_mib"), parts_weight=0.1)
    record = play_script(env, TASK, SCRIPTS[player](TASK, 0))
    assert record.success is success
    env.reset(options={"task": TASK})
    script = (
        "import os, sklearn.datasets as data\nprint(os.path.dirname(data.__file__), os.listdir(data.__path__[0]))\n"
    )
    env.step(call_text("write", path="a.py", content=script))
    said = content_text(env.step(call_text("run", path="a.py"))[4]["messages"][0])
    assert said.startswith("/agentgym/packages/sklearn/datasets")
    assert "'data'" not in said
    assert "'descr'" not in said
    env.close()


def test_players_choose_models_where_an_option_gives_the_menu() -> None:
    env = ExperimentEnv(mode="menu", sandbox="docker")
    for name in ("oracle", "demo", "random"):
        record = play_script(env, TASK, SCRIPTS[name](TASK, 0))
        assert record.steps[-1].terminated
        assert not any(step.is_invalid for step in record.steps), name
        assert record.success or name != "oracle"
    env.close()


def test_the_late_column_looks_best_on_the_menu_and_does_not_pay() -> None:
    env = ExperimentEnv(mode="menu", sandbox="docker", parts_weight=0.1)
    env.reset(options={"task": TASK})
    late = env.step(call_text("train", model="linear", keep_late=True))
    assert late[1] == pytest.approx(0.4)  # read, fit, predict, file
    assert float(content_text(late[4]["messages"][0])) > 0.95
    assert env.step(call_text("submit"))[4]["score"] == 0.0
    env.close()


def test_steps_of_scikit_learn_are_noted() -> None:
    script = (
        "import pandas as pd\nfrom sklearn.linear_model import Ridge\nfrom sklearn.pipeline import make_pipeline\n"
        "t = pd.read_csv('train.csv')\nmodel = make_pipeline(Ridge())\nmodel.fit(t[['age']].fillna(0), t['price'])\n"
        "model.predict(t[['age']].fillna(0))\n"
    )
    env = ExperimentEnv(sandbox="docker", parts_weight=0.1)
    env.reset(options={"task": TASK})
    env.step(call_text("write", path="a.py", content=script))
    step = env.step(call_text("run", path="a.py"))
    assert [event.component for event in step[4]["reward_events"]] == ["read", "fit", "predict"]
    env.close()
