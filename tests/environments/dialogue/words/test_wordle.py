from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.words.wordle import vocabulary as tokens
from agentgym_dialogue.words.wordle.env import WordleEnv, marks, wordle_task
from agentgym_dialogue.words.wordle.scripts import Demonstrator
from agentgym_dialogue.words.wordle.words import all_words, vocabulary
from tests.environments.dialogue.leaks import Leak, private

LEAKS = (Leak("", private("secret"), with_players=False),)


TASK = wordle_task("wordle:test", 0, 200, "seven")
words = st.text("abc", min_size=5, max_size=5)


@pytest.fixture
def env():
    return WordleEnv()


@pytest.mark.parametrize(
    ("secret", "guess", "expected"),
    [
        ("seven", "seven", "G G G G G"),
        ("seven", "heard", "- G - - -"),
        ("seven", "level", "- G G G -"),
        ("abbey", "babes", "Y Y G G -"),
        ("crane", "eerie", "- - Y - G"),
        ("allay", "llama", "Y G Y - Y"),
        ("speed", "erase", "Y - - Y Y"),
        ("abide", "speed", "- - Y - Y"),
    ],
)
def test_marks_give_each_letter_of_the_secret_once(secret, guess, expected):
    assert marks(secret, guess) == expected


@given(words, words)
def test_marks_agree_with_letter_counts(secret, guess):
    found = marks(secret, guess).split()
    for place, mark in enumerate(found):
        assert (mark == "G") == (secret[place] == guess[place])
    for letter, count in Counter(guess).items():
        marked = sum(mark != "-" for mark, other in zip(found, guess, strict=True) if other == letter)
        assert marked == min(count, secret.count(letter))
        in_places = [m for m, other in zip(found, guess, strict=True) if other == letter and m != "G"]
        assert in_places == sorted(in_places, reverse=True)


def test_wordle_plays_the_example_of_its_card(env):
    assert "seven" in vocabulary(200)
    record = play_actions(env, TASK, ["heard", "I take [level].", "Seven"])
    assert [step.text for step in record.steps] == ["- G - - -", "- G G G -", "correct"]
    assert record.success


def test_wordle_refuses_a_word_outside_the_vocabulary(env):
    rare = next(word for word in all_words() if word not in vocabulary(200))
    step = play_actions(env, TASK, [rare]).steps[0]
    assert step.is_invalid
    assert step.text == f"{rare} is not in the vocabulary. Guess another word of five letters."


@pytest.mark.parametrize("text", ["", "six", "heard level", "[heard] [level]", "my guess is heard", "level" * 1000])
def test_wordle_refuses_what_names_no_single_word(env, text):
    step = play_actions(env, TASK, [text]).steps[0]
    assert step.is_invalid
    assert "Guess" in step.text


def test_wordle_survives_four_invalid_messages(env):
    record = play_actions(env, TASK, ["?"] * 4 + ["seven"])
    assert record.success
    record = play_actions(env, TASK, ["?"] * 5 + ["seven"])
    assert str(record.steps[-1].outcome) == "invalid"


def test_wordle_ends_after_six_guesses(env):
    record = play_actions(env, TASK, ["heard"] * 7)
    assert len(record.steps) == 6
    assert record.steps[-1].text == "No tries left."
    assert record.steps[-1].terminated


def test_wordle_words_are_five_letters_and_different():
    assert len(set(all_words())) == len(all_words()) >= 3000
    assert all(len(word) == 5 and word.isascii() and word.isalpha() and word.islower() for word in all_words())


def test_wordle_hides_each_word_in_one_split_only():
    suite = agentgym.load_suite("dialogue/wordle")
    hidden = {split: {task.private["secret"] for task in suite.tasks(split)} for split in suite.splits}
    assert not hidden["train"] & hidden["test"]
    assert not hidden["train"] & hidden["validation"]
    assert not hidden["validation"] & hidden["test"]
    assert len(suite.train_tasks()) >= 2000


TRIES = wordle_task("wordle:tries", 0, 200, "seven", reward="tries")


def test_wordle_paid_by_tries_takes_one_for_each_message_until_the_word_is_right(env):
    record = play_actions(env, TRIES, ["heard", "?", "level", "seven"])
    assert [step.reward for step in record.steps] == [-1, -1, -1, 0]
    assert [event.component for step in record.steps for event in step.events] == ["tries", "format", "tries", "tries"]
    assert record.success
    assert record.steps[-1].score == 1


@pytest.mark.parametrize("actions", [["heard"] * 9, ["?"] * 9, ["heard", "?"] * 5, ["?", "heard"] * 5])
def test_wordle_paid_by_tries_counts_invalid_messages_as_tries(env, actions):
    record = play_actions(env, TRIES, actions)
    assert len(record.steps) == 6
    assert record.reward == -6
    assert not record.success
    assert record.steps[-1].terminated == (actions[5] == "heard")


def test_wordle_forgets_how_the_last_task_paid(env):
    play_actions(env, TRIES, ["heard"])
    assert play_actions(env, TASK, ["?", "seven"]).reward == 1


def test_wordle_made_to_pay_by_tries_makes_such_tasks():
    task = WordleEnv(400, reward="tries").make_task(1)
    assert task.config == {"vocabulary_size": 400, "tries": 6, "reward": "tries"}
    assert "reward" not in WordleEnv(400).make_task(1).config


def test_wordle_suites_hide_each_word_in_the_same_split():
    suites = [agentgym.load_suite(name) for name in ("dialogue/wordle", "dialogue/wordle-tries")]
    splits = [{task.private["secret"]: split for split in s.splits for task in s.tasks(split)} for s in suites]
    assert all(splits[0].get(word, split) == split for word, split in splits[1].items())
    assert len(splits[0].keys() & splits[1].keys()) > 1000


def num_wins(env, quality):
    tasks = map(env.make_task, range(100))
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).success for task in tasks)


def test_demonstrator_quality_moves_its_success():
    env = WordleEnv(200)
    wins = [num_wins(env, quality) for quality in (0.0, 0.3, 1.0)]
    assert wins[0] < wins[1] < wins[2]


@pytest.mark.parametrize(
    "options", [{"vocabulary_size": 0}, {"vocabulary_size": 10**6}, {"num_tries": 0}, {"reward": "love"}]
)
def test_wordle_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 1 to"):
        WordleEnv(**options)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"tries": 6}), "lacks 'vocabulary_size'"),
        (wordle_task("x", 0, 200, "zzzzz"), "not among the first 200 words"),
    ],
)
def test_wordle_refuses_a_task_of_another_game(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def test_wordle_vocabulary_lists_every_word():
    assert set(all_words()) <= set(tokens.texts())
