from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.data_folder import data_folder
from agentgym.errors import UnknownNameError
from agentgym.suite import load_suite
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.adapted.catalogue import TOY_TEXT as SUITES
from agentgym_dialogue.adapted.toy_text.env import GAMES, ToyTextEnv
from agentgym_dialogue.adapted.toy_text.generate import generate
from agentgym_dialogue.adapted.toy_text.scripts import Demonstrator
from agentgym_dialogue.adapted.toy_text.search import started, winning_actions
from tests.testing.contracts import require_contract


@pytest.mark.parametrize("game", GAMES)
def test_environment_and_suite_keep_their_contracts(game):
    check_env(f"agentgym/{game}-v0").raise_if_failed()
    require_contract(f"dialogue/{SUITES[game]}", 60)


@pytest.mark.parametrize("game", GAMES)
def test_generator_writes_the_files_of_the_suite_byte_for_byte(game, tmp_path):
    generate(tmp_path, f"dialogue/{SUITES[game]}", game)
    for split in ("train", "validation", "test"):
        expected = data_folder("tasks") / "dialogue" / SUITES[game] / f"{split}.jsonl"
        assert (tmp_path / f"{split}.jsonl").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("game", GAMES)
def test_readme_states_the_number_of_tasks(game):
    suite = load_suite(f"dialogue/{SUITES[game]}")
    readme = (suite.folder / "README.md").read_text()
    for split in suite.splits:
        assert f"| {split} | {len(suite.tasks(split))}" in readme


def test_lake_is_a_map_with_the_agent_on_it():
    env = ToyTextEnv("FrozenLake", desc=["SFG", "FHF"])
    record = play_actions(env, env.make_task(0), ["right", "right"])
    assert record.first.text.endswith("say left, down, right or up.\nA F G\nF H F")
    assert [step.text for step in record.steps] == ["S A G\nF H F", "You are at the goal."]
    record = play_actions(env, env.make_task(0), ["right", "down"])
    assert record.steps[-1].text == "You fell into a hole."
    assert not record.success


def test_taxi_tells_places_and_walls():
    env = ToyTextEnv("Taxi")
    env.reset(seed=0)
    tell = GAMES["Taxi"].view.describe
    raw = env.env.unwrapped
    state = raw.encode(0, 1, 4, 2)
    assert tell(state, raw) == "Taxi at 0 1. Passenger in the taxi. Destination yellow 4 0. Walls east, north."
    rng = random.Random(0)
    for _ in range(200):  # what is told of walls is what moves meet
        row, column = rng.randrange(5), rng.randrange(5)
        state = raw.encode(row, column, 0, 1)
        walls = tell(state, raw).partition("Walls ")[2]
        for action, name in enumerate(("south", "north", "east", "west")):
            assert (raw.P[state][action][0][1] == state) == (name in walls)


def test_blackjack_hides_the_dealer_s_second_card():
    env = ToyTextEnv("Blackjack")
    record = play_actions(env, env.make_task(3), [])
    raw = env.env.unwrapped
    assert record.first.text.endswith(f"Dealer shows {raw.dealer[0]}.")


def test_hands_of_blackjack_can_be_won():
    env = ToyTextEnv("Blackjack")
    for seed in range(30):
        assert winning_actions(started(env.make_task(seed))) is not None


def test_demonstrators_of_higher_quality_earn_more():
    for game in GAMES:
        env = ToyTextEnv(game)
        tasks = [env.make_task(seed) for seed in range(30)]
        returns = [
            sum(play_script(env, task, Demonstrator(task, 0, quality)).reward for task in tasks)
            for quality in (0.2, 0.7, 1.0)
        ]
        assert returns == sorted(returns)


def test_unknown_game_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean Taxi"):
        ToyTextEnv("Taxis")


def test_options_of_gymnasium_reach_it():
    env = agentgym.make("agentgym/FrozenLake-v0", is_slippery=True)
    assert env.make_task(0).config["make"]["is_slippery"] is True
