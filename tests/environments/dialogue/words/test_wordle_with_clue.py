from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.words.taboo.cards import cards
from agentgym_dialogue.words.taboo.game import forbidden
from agentgym_dialogue.words.word_helped import best_words, hidden_words
from agentgym_dialogue.words.wordle_with_clue import vocabulary
from agentgym_dialogue.words.wordle_with_clue.game import WordleWithClueGame, clue_task
from agentgym_dialogue.words.wordle_with_clue.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, private
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (Leak("guesser", private("secret"), with_players=False),)


TASK = clue_task("clue:test", 0, "apple", ["orchard", "core", "pie"])


@pytest.fixture
def game():
    game = WordleWithClueGame()
    game.reset(TASK)
    return game


def view(role):
    return agentgym.make("agentgym/WordleWithClue-v0", role=role)


def test_game_plays_the_example_of_its_card(game):
    assert told(game.step("orchard\ncore pie"), "guesser") == "Clue: orchard core pie"
    assert told(game.step("I take [maple]"), "guesser") == "maple: - Y G G G"
    reply = game.step("apple")
    assert told(reply, "clue_giver") == "correct"
    assert reply.scores == {"guesser": 0.75, "clue_giver": 0.75}
    assert [(event.role, event.value) for event in reply.events] == [("guesser", 1.0), ("clue_giver", 1.0)]


def test_game_ends_after_four_wrong_guesses(game):
    replies = [game.step(text) for text in ("orchard", "maple", "maple", "maple", "maple")]
    assert told(replies[-1], "guesser") == "No tries left."
    assert replies[-1].successes == {"guesser": False, "clue_giver": False}


@pytest.mark.parametrize("clue", ["apple", "two APPLES", "a p p l e", "pineapple", "a-p-p-l-e", "ap ple", "app-le"])
def test_clue_with_the_word_ends_the_game_as_invalid(game, clue):
    reply = game.step(clue)
    assert str(reply.outcome) == "invalid"
    assert reply.scores["clue_giver"] == 0


@pytest.mark.parametrize("guess", ["", "core", "maple grape", "zzzzz", "яблоко", "a" * 5000])
def test_guess_outside_the_vocabulary_is_invalid_and_costs_nothing(game, guess):
    game.step("core")
    assert game.step(guess).is_invalid
    assert game.step("apple").scores["guesser"] == 1.0


def test_no_observation_of_the_guesser_ever_holds_the_word_before_it_is_said():
    env = view("guesser")
    rng = random.Random(0)
    for seed in range(500):
        task = env.make_task(seed)
        record = play_actions(env, task, rng.choices([*HOSTILE_ACTIONS, "[table]", "maple"], k=4))
        said = {action.strip("[]") for action in record.actions}
        words = {word.strip(":.") for step in (record.first, *record.steps) for word in step.text.split()}
        assert task.private["secret"] not in words - said


def test_hints_tell_a_word_from_all_others_that_may_be_hidden():
    assert len(hidden_words()) >= 70
    for split in ("validation", "test"):
        for task in agentgym.load_suite("dialogue/wordle-with-clue").tasks(split):
            assert best_words(task.private["hint"], []) == [task.private["secret"]]
            assert set(task.private["hint"]) <= set(cards()[task.private["secret"]])
            assert forbidden(" ".join(task.private["hint"]), [task.private["secret"]]) is None


def test_words_that_marks_rule_out_are_not_the_best():
    assert best_words(["orchard"], [("peach", "Y - Y - -")]) != best_words(["orchard"], [])
    assert best_words(["nothing", "at", "all"], []) == []


@pytest.mark.parametrize("role", ["guesser", "clue_giver"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.3, 1.0)]
    assert rates[0] + 10 < rates[1] < rates[2] == 80


def test_unseen_words_are_hidden_in_no_train_task_of_any_of_the_four_suites():
    names = ("wordle-with-clue", "wordle-clue-giver", "wordle-with-critic", "wordle-critic")
    suites = [agentgym.load_suite(f"dialogue/{name}") for name in names]
    trained = {task.private["secret"] for suite in suites for task in suite.train_tasks()}
    for suite in suites:
        for task in (*suite.tasks("validation"), *suite.tasks("test")):
            assert (task.private["secret"] in trained) == (task.stratum == "known_words")


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    for role in ("guesser", "clue_giver"):
        records = played(view(role), SCRIPTS[role]["demo"], 20)
        assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="at least 1"):
        WordleWithClueGame(num_tries=0)
    with pytest.raises(TaskError, match="not among the words"):
        WordleWithClueGame().reset(clue_task("x", 0, "zzzzz", []))
    with pytest.raises(TaskError, match="lacks 'secret'"):
        WordleWithClueGame().reset(agentgym.Task("x", 0))
