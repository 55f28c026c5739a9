from __future__ import annotations

import importlib

import pytest

from agentgym.data_folder import data_folder
from agentgym.suite import load_suite

SUITES = [
    "dialogue/car-dealer",
    "dialogue/car-dealer-buyer",
    "dialogue/chess",
    "dialogue/chess-endgames",
    "dialogue/chess-endgames-mates",
    "dialogue/codenames",
    "dialogue/codenames-spymaster",
    "dialogue/connect-four",
    "dialogue/grid-drawing",
    "dialogue/grid-drawing-instructor",
    "dialogue/guess-my-city",
    "dialogue/guess-number",
    "dialogue/liars-dice",
    "dialogue/map-navigation",
    "dialogue/map-navigation-guide",
    "dialogue/mastermind",
    "dialogue/matrix-games",
    "dialogue/maze",
    "dialogue/maze-partial",
    "dialogue/negotiation",
    "dialogue/private-shared",
    "dialogue/reference-game",
    "dialogue/reference-game-describer",
    "dialogue/social-scenario",
    "dialogue/taboo",
    "dialogue/taboo-animals",
    "dialogue/taboo-describer",
    "dialogue/text-nav",
    "dialogue/text-nav-partial",
    "dialogue/text-nav-small",
    "dialogue/tic-tac-toe",
    "dialogue/tic-tac-toe-second",
    "dialogue/twenty-questions",
    "dialogue/ultimatum",
    "dialogue/ultimatum-responder",
    "dialogue/werewolf",
    "dialogue/wordle",
    "dialogue/wordle-clue-giver",
    "dialogue/wordle-critic",
    "dialogue/wordle-tries",
    "dialogue/wordle-with-clue",
    "dialogue/wordle-with-critic",
]


@pytest.mark.parametrize("name", SUITES)
def test_generator_writes_the_files_of_the_suite_byte_for_byte(name, tmp_path):
    suite = load_suite(name)
    importlib.import_module(suite.generator).generate(tmp_path)
    for split in suite.splits:
        expected = (data_folder("tasks") / name / f"{split}.jsonl").read_bytes()
        assert (tmp_path / f"{split}.jsonl").read_bytes() == expected


@pytest.mark.parametrize("name", SUITES)
def test_readme_states_the_number_of_tasks(name):
    suite = load_suite(name)
    readme = (suite.folder / "README.md").read_text()
    for split in suite.splits:
        for stratum in suite.splits[split]:
            count = sum(task.stratum == stratum for task in suite.tasks(split))
            assert str(count) in readme


@pytest.mark.parametrize("name", SUITES)
def test_split_sizes_are_enough_for_training_and_intervals(name):
    suite = load_suite(name)
    assert suite.is_unseen_game or len(suite.train_tasks()) >= 2000
    assert len(suite.tasks("validation")) == 200
    assert len(suite.tasks("test")) >= 300
