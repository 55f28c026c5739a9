from __future__ import annotations

import re

import numpy as np
import pytest
from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX

import agentgym
from agentgym.data_folder import data_folder
from agentgym.errors import UnknownNameError
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.adapted.babyai.env import ACTIONS, KNOWN_LEVELS, MAX_TURNS, UNSEEN_LEVELS, BabyAIEnv
from agentgym_dialogue.adapted.babyai.generate import generate
from agentgym_dialogue.adapted.babyai.scripts import SCRIPTS, Demonstrator, RandomPlayer
from agentgym_dialogue.adapted.babyai.view import describe
from agentgym_dialogue.adapted.catalogue import BABYAI_LEVELS
from tests.environments.dialogue.playing import trajectory_of
from tests.testing.contracts import require_contract

SUITE = "dialogue/babyai"


@pytest.fixture(scope="module")
def env():
    return BabyAIEnv()


@pytest.mark.parametrize("env_id", ["agentgym/BabyAI-v0", "agentgym/BabyAI-UnlockPickup-v0"])
def test_environments_keep_their_contract(env_id):
    check_env(env_id).raise_if_failed()


def test_suite_keeps_its_contract():
    require_contract(SUITE, 60)


@pytest.mark.parametrize("level", BABYAI_LEVELS)
def test_every_level_is_registered_and_solved_by_its_bot(level):
    env = agentgym.make(f"agentgym/BabyAI-{level}-v0")
    for seed in range(2):
        task = env.make_task(seed)
        assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success
    env.close()


def test_generator_writes_the_files_of_the_suite_byte_for_byte(tmp_path):
    generate(tmp_path, "dialogue/babyai", ["test"])  # the others, by the same way, would take half a minute
    written = (tmp_path / "test.jsonl").read_bytes()
    assert written == (data_folder("tasks") / SUITE / "test.jsonl").read_bytes()


def test_readme_states_the_number_of_tasks():
    suite = agentgym.load_suite(SUITE)
    readme = (suite.folder / "README.md").read_text()
    for split, strata in suite.splits.items():
        for stratum in strata:
            assert str(sum(task.stratum == stratum for task in suite.tasks(split))) in readme


def test_unseen_levels_are_in_the_test_split_alone():
    suite = agentgym.load_suite(SUITE)
    unseen = {f"BabyAI-{level}-v0" for level in UNSEEN_LEVELS}
    for split in ("train", "validation", "test"):
        levels = {task.config["make"]["id"] for task in suite.tasks(split)}
        assert (unseen <= levels) if split == "test" else not unseen & levels


def test_view_tells_things_by_distance_walls_and_what_is_held():
    class Raw:
        step_count = 0
        carrying = None

    image = np.zeros((7, 7, 3), dtype=np.uint8)
    image[:, :, 0] = OBJECT_TO_IDX["empty"]
    image[3, 1] = [OBJECT_TO_IDX["wall"], 0, 0]
    image[1, 6] = [OBJECT_TO_IDX["wall"], 0, 0]
    image[4, 5] = [OBJECT_TO_IDX["ball"], COLOR_TO_IDX["red"], 0]
    image[3, 3] = [OBJECT_TO_IDX["door"], COLOR_TO_IDX["blue"], 2]
    observation = {"image": image, "mission": "go to the red ball"}
    seen = "See red ball 1 ahead 1 right, locked blue door 3 ahead. Wall 5 ahead, 2 left. Hold nothing."
    assert describe(observation, Raw()) == f"Mission: go to the red ball.\n{seen}"
    Raw.step_count = 1
    assert describe(observation, Raw()) == seen


def test_what_is_held_is_told(env):
    task = env.level_task("UnlockPickup", 0)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert any("Hold green key." in step.text for step in record.steps)
    assert record.steps[-1].text.endswith("box.")


def test_layouts_that_minigrid_rejects_are_not_printed(env, capfd):
    for seed in range(30):
        env.reset(options={"task": env.level_task("GoToObjMazeS4R2", seed)})
    assert capfd.readouterr().out == ""


def test_any_environment_plays_tasks_of_any_level(env):
    for level in ("GoToObj", "OpenDoor", "GoToObj"):
        env.reset(options={"task": env.level_task(level, 3)})
        assert env.env.spec.id == f"BabyAI-{level}-v0"
    assert env.make_task(0).config["make"]["id"].removeprefix("BabyAI-").removesuffix("-v0") in KNOWN_LEVELS
    assert env.make_task(0).limits.max_turns == MAX_TURNS


def test_unknown_level_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean GoToObj"):
        BabyAIEnv("GoToObjs")


def test_demonstrator_is_between_random_and_oracle(env):
    tasks = agentgym.load_suite(SUITE).tasks("validation")[::8]
    earned = [
        sum(play_script(env, task, script(task, 1)).reward for task in tasks)
        for script in (RandomPlayer, Demonstrator, SCRIPTS["oracle"])
    ]
    assert earned == sorted(earned)
    assert earned[0] < earned[1] < earned[2]


def test_relabel_gives_the_task_of_what_was_stood_before_or_held(env):
    suite = agentgym.load_suite(SUITE)
    found = set()
    for number, task in enumerate(suite.train_tasks()[::9]):
        script = RandomPlayer(task, number)
        record = play_actions(env, task, [script.act([]) for _ in range(25)])
        relabelled = env.relabel(trajectory_of(task, record))
        if record.success:
            assert relabelled is None
        if relabelled is None:
            continue
        goal = relabelled.config["reset"]
        found.add(goal["verb"])
        assert (relabelled.split, relabelled.suite) == ("train", SUITE)
        assert relabelled.content_hash != task.content_hash
        again = play_actions(env, relabelled, record.actions)
        assert f"Mission: {goal['verb']} " in again.first.text
        assert f"{goal['color']} {goal['kind']}" in again.first.text
        assert again.success
        assert play_script(env, relabelled, SCRIPTS["oracle"](relabelled, 0)).success
    assert found == {"go to", "pick up"}


def test_relabel_of_an_episode_that_ended_before_nothing_is_none(env):
    task = env.level_task("OneRoomS8", 0)
    for actions in ([], ["turn left"], ["turn right"]):
        record = play_actions(env, task, actions)
        last = record.steps[-1] if record.steps else record.first
        things = last.text.partition("See ")[2].partition(". Wall")[0]
        stands_before_one = re.search(r" 1 ahead(,|$)", things) is not None
        assert (env.relabel(trajectory_of(task, record)) is not None) == stands_before_one


def test_actions_are_said_by_name(env):
    task = env.level_task("GoToObj", 1)
    assert not play_actions(env, task, [f"I will {ACTIONS[0]}."]).steps[0].is_invalid
    assert play_actions(env, task, ["left"]).steps[0].is_invalid
