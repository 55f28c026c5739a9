from __future__ import annotations

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.adapted.textworld_games.env import TextWorldEnv
from agentgym_dialogue.adapted.textworld_games.scripts import SCRIPTS
from agentgym_dialogue.adapted.textworld_games.world import Size, World
from tests.testing.contracts import declare_costly


@pytest.fixture(scope="module")
def env():
    return TextWorldEnv()


def test_environment_keeps_its_contract(monkeypatch):
    check_env(declare_costly(monkeypatch, "agentgym/TextWorld-v0")).raise_if_failed()  # a game takes a while to make


def test_larger_games_are_won_by_the_oracle():
    env = agentgym.make("agentgym/TextWorld-Large-v0")
    task = env.make_task(0)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert record.success
    assert len(record.steps) == 6


def test_game_is_told_with_its_quest_and_commands(env):
    task = env.make_task(0)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    world = World(0, Size(3, 6, 3))
    assert record.first.text == f"{task.instruction}\n{world.objective}\n{world.describe()}"
    assert "\nYou can: " in record.first.text
    assert record.steps[-1].text == "The quest is done."
    assert record.reward == 1.0


def test_command_is_read_with_words_around_it_and_the_longest_counts(env):
    task = env.make_task(0)
    command = World(0, Size(3, 6, 3)).commands()[0]
    record = play_actions(env, task, [f"I will {command.upper()}, please!", "fly away"])
    assert [step.is_invalid for step in record.steps] == [False, True]
    assert record.steps[1].text.startswith("Say one of these: ")


def test_demonstrator_is_between_random_and_oracle(env):
    tasks = [env.make_task(seed) for seed in range(4)]
    turns = [
        sum(len(play_script(env, task, SCRIPTS[name](task, 1)).steps) for task in tasks)
        for name in ("oracle", "demo", "random")
    ]
    assert turns == sorted(turns)
    assert turns[0] < turns[1] < turns[2]


def test_sizes_out_of_range_are_refused():
    with pytest.raises(ConfigError, match="textworld"):
        TextWorldEnv(num_rooms=0)
