from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.guessing.mastermind import vocabulary
from agentgym_dialogue.guessing.mastermind.env import COLOURS, MastermindEnv, feedback, mastermind_task
from agentgym_dialogue.guessing.mastermind.scripts import Demonstrator
from tests.environments.dialogue.leaks import Leak, private

LEAKS = (Leak("", private("secret"), with_players=False),)


TASK = mastermind_task("mastermind:test", 0, ["red", "green", "blue", "pink"], ["red", "blue", "pink"], 4)
rows = st.lists(st.sampled_from(COLOURS), min_size=4, max_size=4)


@pytest.fixture
def env():
    return MastermindEnv()


@pytest.mark.parametrize(
    ("secret", "guess", "expected"),
    [
        ("red red blue blue", "red red blue blue", (4, 0)),
        ("red red blue blue", "blue blue red red", (0, 4)),
        ("red green blue pink", "red red red red", (1, 0)),
        ("red red green blue", "green red red red", (1, 2)),
        ("red green blue pink", "brown brown brown brown", (0, 0)),
        ("red green green pink", "green green red red", (1, 2)),
    ],
)
def test_feedback_counts_each_colour_once(secret, guess, expected):
    assert feedback(secret.split(), guess.split()) == expected


@given(rows, rows)
def test_feedback_is_symmetric_and_adds_up_to_common_colours(secret, guess):
    black, white = feedback(secret, guess)
    assert feedback(guess, secret) == (black, white)
    assert black == sum(a == b for a, b in zip(secret, guess, strict=True))
    assert black + white == (Counter(secret) & Counter(guess)).total()


def test_mastermind_plays_a_game(env):
    record = play_actions(env, TASK, ["red red blue", "red pink blue", "Red, blue, pink!"])
    assert [step.text for step in record.steps] == ["1 black, 1 white", "1 black, 2 white", "correct"]
    assert record.success
    assert record.reward == 1.0


def test_mastermind_states_its_rules(env):
    text = play_actions(env, TASK, []).first.text
    assert text.startswith("Find the hidden row of 3 colours out of red, green, blue, pink. Colours may repeat.")
    assert text.endswith("You have 4 tries.")


@pytest.mark.parametrize(
    "text", ["", "red", "red red red red", "red blue yellow", "red blue and a bored sky", "red blue " + "x" * 3000]
)
def test_mastermind_refuses_what_is_no_row_of_its_colours(env, text):
    step = play_actions(env, TASK, [text]).steps[0]
    assert step.is_invalid
    assert step.text == "Name 3 colours out of red, green, blue, pink."


def test_mastermind_ends_when_the_tries_are_used_up(env):
    record = play_actions(env, TASK, ["red red red"] * 5)
    assert len(record.steps) == 4
    assert record.steps[-1].text == "No tries left."
    assert record.steps[-1].terminated
    assert not record.success


def test_mastermind_progress_is_the_best_guess_so_far(env):
    play_actions(env, TASK, ["red green green", "green green green"])
    assert env.progress() == pytest.approx(1 / 3)


def test_mastermind_fork_keeps_its_own_guesses(env):
    play_actions(env, TASK, ["red red red"])
    twin = env.fork()
    twin.step("blue blue blue")
    assert twin.anchor() != env.anchor()


def num_wins(env, quality):
    tasks = map(env.make_task, range(200))
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).success for task in tasks)


def test_demonstrator_quality_moves_its_success():
    env = MastermindEnv(4, 3, 4)
    wins = [num_wins(env, quality) for quality in (0.0, 0.5, 1.0)]
    assert wins[0] < wins[1] < wins[2]
    assert wins[0] < 40
    assert wins[2] > 150


@pytest.mark.parametrize("options", [{"num_colours": 9}, {"num_places": 0}, {"num_tries": 0}])
def test_mastermind_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 2 to 8 colours"):
        MastermindEnv(**options)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"colours": ["red"]}), "lacks 'places'"),
        (mastermind_task("x", 0, ["red", "mauve"], ["red"], 3), "colours"),
        (mastermind_task("x", 0, ["red", "blue"], ["green"], 3), "outside"),
        (mastermind_task("x", 0, ["red", "blue"], ["red"], 0), "0 tries"),
    ],
)
def test_mastermind_refuses_a_task_of_another_game(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def test_mastermind_vocabulary_covers_what_is_said(env):
    def split(text):
        return text.replace(".", " ").replace(",", " ").replace(":", " ").split()

    words = set(split(" ".join(vocabulary.texts()))) | set(map(str, vocabulary.NUMBERS))
    for seed in range(30):
        task = env.make_task(seed)
        for actions in (["?"] * 3, [" ".join(task.config["colours"][:4])] * 9):
            record = play_actions(env, task, actions)
            for step in (record.first, *record.steps):
                assert set(split(step.text)) <= words
