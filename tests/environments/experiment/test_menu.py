"""The menu of Experiment-v0: a process in a sandbox trains models, and serves one episode after another."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import SandboxLostError
from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym.testing.episodes import play_script
from agentgym_swe.experiment import env as env_module
from agentgym_swe.experiment.env import ExperimentEnv
from agentgym_swe.experiment.problem import for_menu, to_task
from agentgym_swe.experiment.scripts import NOVICE_ODDS, SCRIPTS
from agentgym_swe.experiment.trainers import TrainerPool, close_trainers
from scripts.check_suites import unlike_tasks
from tests.environments.in_containers import needs_image

TASK = for_menu(to_task("houses", ["missing", "units", "leak"], seed=1))
WAITING = "sys.stdin.readline"
KILL = (
    "import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n"
    f"    if int(pid) != os.getpid() and b'{WAITING}' in open(f'/proc/{{pid}}/cmdline', 'rb').read():\n"
    "        os.kill(int(pid), 9)\n        print('killed')\n"
)
"""Ends the process that trains."""
in_containers = needs_image("experiment")


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_trainers()


@pytest.fixture
def env() -> Iterator[ExperimentEnv]:
    made = ExperimentEnv("menu", sandbox="docker")
    made.reset(options={"task": TASK})
    yield made
    made.close()


def train(env: ExperimentEnv, model: str, **flags: bool) -> str:
    """What is said of a model."""
    return content_text(env.step(call_text("train", model=model, **flags))[4]["messages"][0])


def pool_of(env: ExperimentEnv) -> TrainerPool:
    pool = env._lender_of_sandboxes().pool
    assert isinstance(pool, TrainerPool)
    return pool


def wait_until(holds: Callable[[], bool], within_s: float = 60.0) -> bool:
    """Whether something comes to hold: processes start, and pools take back, in the background."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def mark(test):
    """Skip a test where there are no containers."""
    for each in in_containers:
        test = each(test)
    return test


@mark
def test_models_are_told_apart_and_the_last_one_is_graded(env: ExperimentEnv) -> None:
    assert [train(env, model) for model in ("linear", "dummy", "linear")] == ["0.80", "-0.01", "0.80"]
    assert env.step(call_text("submit"))[4]["score"] > 0.5


@mark
def test_units_and_late_columns_change_what_a_model_reaches(env: ExperimentEnv) -> None:
    unmended, plain = train(env, "linear", mend_units=False), train(env, "linear")
    assert float(unmended) < float(plain) < float(train(env, "linear", keep_late=True))
    assert env.step(call_text("submit"))[4]["score"] == 0.0, "the late column means nothing in test.csv"


@mark
def test_one_process_serves_one_episode_after_another_and_none_is_left_lent(env: ExperimentEnv) -> None:
    train(env, "dummy")
    started = pool_of(env).stats().started
    for _ in range(3):
        env.reset(options={"task": TASK})
        train(env, "dummy")
    assert pool_of(env).stats().leased == 0
    assert pool_of(env).stats().started <= max(2, started)


@mark
def test_predictions_do_not_pass_from_one_episode_to_the_next(env: ExperimentEnv) -> None:
    train(env, "linear")
    env.reset(options={"task": TASK})
    assert env.step(call_text("submit"))[4]["score"] == 0.0


@mark
def test_a_model_that_takes_too_long_is_stopped_and_the_next_is_trained(
    env: ExperimentEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(env, "dummy")
    monkeypatch.setattr(env_module, "RUN_WALL_S", 0.01)
    assert train(env, "forest") == "[stopped after 0.01 s]"
    monkeypatch.undo()
    assert train(env, "linear") == "0.80"


@mark
def test_a_process_that_was_killed_is_an_infrastructure_failure_and_is_replaced(env: ExperimentEnv) -> None:
    assert wait_until(lambda: env.sandbox.exec(["python3", "-c", KILL]).stdout == b"killed\n")
    with pytest.raises(SandboxLostError, match="the process that trains models"):
        train(env, "dummy")
    env.reset(options={"task": TASK})
    assert train(env, "dummy") == "-0.01"
    assert wait_until(lambda: pool_of(env).stats().lost == 1)


@mark
def test_generator_writes_tasks_of_the_suite_byte_for_byte(tmp_path: Path) -> None:
    first = {"train": 2, "unseen_themes": 1}
    assert unlike_tasks(load_suite("swe/experiment-menu"), tmp_path, first) == []
    assert sum(len(path.read_bytes().splitlines()) for path in tmp_path.iterdir()) == 3


@mark
def test_oracle_solves_a_task_by_the_model_that_its_private_part_names() -> None:
    env = ExperimentEnv("menu", sandbox="docker")
    task = load_suite("swe/experiment-menu").tasks("test")[0]
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert (record.success, len(record.steps)) == (True, 2)
    env.close()


def test_novice_picks_models_at_random_and_submits_after_one_or_two() -> None:
    lengths, models = set(), set()
    for seed in range(60):
        player = SCRIPTS["demo"](TASK, seed)
        said = [player.act([])]
        while "submit" not in said[-1]:
            said.append(player.act([]))
        lengths.add(len(said))
        models |= {name for name in NOVICE_ODDS for text in said if f'"{name}"' in text}
    assert lengths == {2, 3}
    assert models == set(NOVICE_ODDS)


def test_tasks_made_for_the_menu_say_so_and_others_do_not() -> None:
    said = {mode: ExperimentEnv(mode).make_task(random.Random(0).randrange(9)).config for mode in ("menu", "scripts")}
    assert said["menu"] == {**said["scripts"], "mode": "menu"}
