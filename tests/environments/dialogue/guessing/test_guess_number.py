from __future__ import annotations

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.guessing.guess_number import vocabulary
from agentgym_dialogue.guessing.guess_number.env import GuessNumberEnv, guess_number_task, num_tries
from agentgym_dialogue.guessing.guess_number.scripts import Demonstrator
from tests.environments.dialogue.leaks import Leak, private

LEAKS = (Leak("", private("secret"), with_players=False),)


TASK = guess_number_task("guess-number:test", 0, range(3, 10), 7)


@pytest.fixture
def env():
    return GuessNumberEnv()


def test_guess_number_plays_the_example_of_its_card(env):
    record = play_actions(env, TASK, ["6", "8", "7"])
    assert record.first.text == "Guess the number between 3 and 9. You have 3 tries."
    assert [step.text for step in record.steps] == ["higher", "lower", "correct"]
    assert [step.reward for step in record.steps] == [0.0, 0.0, 1.0]
    assert record.success
    assert str(record.steps[-1].outcome) == "terminated"


def test_guess_number_ends_when_the_tries_are_used_up(env):
    record = play_actions(env, TASK, ["3", "4", "5", "7"])
    assert [step.text for step in record.steps] == ["higher", "higher", "No tries left."]
    assert record.steps[-1].terminated
    assert not record.success
    assert record.reward == 0.0


@pytest.mark.parametrize(
    "text", ["7", " 7\n", "I guess 7.", "**7**", "is it 7? 7!", "<think>3 or 4, 9</think>7", "guess: 007"]
)
def test_guess_number_reads_one_number_in_a_message(env, text):
    assert play_actions(env, TASK, [text]).success


@pytest.mark.parametrize(
    "text", ["", "seven", "7 8", "3-9", "7.5", "-7", "10", "2", "7" * 5000, "٧", "<think>7", "x" * 3000 + "7", "1e1"]
)
def test_guess_number_refuses_what_is_no_single_number_of_the_range(env, text):
    step = play_actions(env, TASK, [text]).steps[0]
    assert step.is_invalid
    assert step.text == "Guess one number between 3 and 9."


def test_guess_number_counts_no_try_for_an_invalid_message(env):
    record = play_actions(env, TASK, ["3", "?", "5", "?", "7"])
    assert [step.is_invalid for step in record.steps] == [False, True, False, True, False]
    assert record.success


def test_guess_number_ends_as_invalid_after_three_invalid_messages(env):
    record = play_actions(env, TASK, ["3", "?", "?", "?", "7"])
    assert len(record.steps) == 4
    assert str(record.steps[-1].outcome) == "invalid"


def test_guess_number_anchor_forgets_the_order_of_equal_knowledge(env):
    play_actions(env, TASK, ["5", "9"])
    one = env.anchor()
    play_actions(env, TASK, ["9", "5"])
    assert env.anchor() == one == "6-8, 1 tries, 0 invalid"


def test_guess_number_progress_grows_as_numbers_are_ruled_out(env):
    play_actions(env, TASK, [])
    assert env.progress() == 0.0
    play_actions(env, TASK, ["6"])
    assert env.progress() == pytest.approx(4 / 6)
    play_actions(env, TASK, ["7"])
    assert env.progress() == 1.0


@pytest.mark.parametrize(("count", "tries"), [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4), (16, 5)])
def test_num_tries_is_what_halving_needs(count, tries):
    assert num_tries(count) == tries


@pytest.mark.parametrize("size", range(1, 41))
def test_demonstrator_of_full_quality_always_wins(env, size):
    for secret in range(1, size + 1):
        task = guess_number_task("guess-number:test", 0, range(1, size + 1), secret)
        assert play_script(env, task, Demonstrator(task, 0, quality=1.0)).success


def test_demonstrator_wins_seven_of_ten_by_default(env):
    tasks = agentgym.load_suite("dialogue/guess-number").train_tasks()[:1000]
    wins = [play_script(env, task, Demonstrator(task, index)).success for index, task in enumerate(tasks)]
    assert 0.64 < sum(wins) / len(wins) < 0.76


def test_guess_number_makes_tasks_of_its_difficulty():
    env = GuessNumberEnv(min_numbers=3, max_numbers=4, highest=20)
    for seed in range(200):
        config = env.make_task(seed).config
        assert config["high"] - config["low"] + 1 in (3, 4)
        assert config["low"] >= 1
        assert config["high"] <= 20


def test_guess_number_refuses_impossible_options():
    with pytest.raises(ConfigError, match="min_numbers=9, max_numbers=5"):
        GuessNumberEnv(min_numbers=9, max_numbers=5)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"low": 1, "high": 3}), "lacks 'tries'"),
        (agentgym.Task("x", 0, config={"low": 1, "high": 3, "tries": 2}), "lacks 'secret'"),
        (guess_number_task("x", 0, range(1, 4), 9), "a secret outside"),
    ],
)
def test_guess_number_refuses_a_task_of_another_game(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def test_guess_number_splits_hold_out_whole_ranges():
    suite = agentgym.load_suite("dialogue/guess-number")

    def ranges(split, stratum):
        return {(t.config["low"], t.config["high"]) for t in suite.tasks(split) if t.stratum == stratum}

    trained, validated, tested = (
        ranges(*where) for where in (("train", "known_range"), ("validation", "unseen_range"), ("test", "unseen_range"))
    )
    assert not trained & (validated | tested)
    assert not validated & tested
    assert min(high - low for low, high in ranges("test", "larger_range")) >= 16
    assert len(suite.train_tasks()) == sum(high - low + 1 for low, high in trained)
    assert len(suite.train_tasks()) >= 2000


def test_guess_number_vocabulary_covers_what_is_said(env):
    words = set(" ".join(vocabulary.texts()).replace(".", " ").split()) | set(map(str, vocabulary.NUMBERS))
    for seed in range(50):
        task = env.make_task(seed)
        for actions in (["?", "?", "?"], [str(task.config["low"])] * 9):
            record = play_actions(env, task, actions)
            for step in (record.first, *record.steps):
                assert set(step.text.replace(".", " ").split()) <= words
