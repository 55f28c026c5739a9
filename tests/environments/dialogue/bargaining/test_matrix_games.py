from __future__ import annotations

import itertools
import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym_dialogue.bargaining.matrix_games import vocabulary
from agentgym_dialogue.bargaining.matrix_games.game import (
    MatrixGamesGame,
    draw_habit,
    habit_of,
    matrix_task,
    move_named,
)
from agentgym_dialogue.bargaining.matrix_games.habits import HABITS, Habit
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES, best_reply, draw_payoffs, gains
from agentgym_dialogue.bargaining.matrix_games.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, character_of_other
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (
    Leak("first", character_of_other),
    Leak("second", character_of_other),
)


STAG = (((5, 5), (0, 3)), ((3, 0), (2, 2)))
FAIR = {"first": ("tit_for_tat", 0.0, True), "second": ("trusting", 0.0, True)}
TASK = matrix_task("matrix-games:test", 0, "stag_hunt", STAG, 2, FAIR)


@pytest.fixture
def game():
    game = MatrixGamesGame()
    game.reset(TASK)
    return game


def test_game_plays_a_round_of_talk_and_hidden_moves(game):
    inbox = MatrixGamesGame().reset(TASK)
    assert inbox["first"][0]["content"] == (
        "2 rounds. Both say a line, then both move at once: stag or hare. Points for you and them: you stag, they "
        "stag: 5 and 5; you stag, they hare: 0 and 3; you hare, they stag: 3 and 0; you hare, they hare: 2 and 2. "
        "Get 9 points or more in all. Say a line."
    )
    assert inbox["second"][0]["content"].endswith("They begin.")
    assert told(game.step("Shall we?"), "second") == "They say: Shall we?\nSay a line."
    assert told(game.step("Yes."), "first") == "They say: Yes.\nSay your move."
    reply = game.step("I choose the stag.")
    assert (told(reply, "second"), told(reply, "first")) == ("Say your move.", "")
    reply = game.step("hare")
    assert told(reply, "first") == "Round 1: you stag, they hare. You get 0, they get 3. Say a line."
    assert told(reply, "second") == "Round 1: you hare, they stag. You get 3, they get 0."
    assert [(event.role, event.value) for event in reply.events] == [("first", 0.0), ("second", 0.3)]
    for text in ("a", "b", "stag"):
        game.step(text)
    reply = game.step("stag")
    assert told(reply, "second").endswith("The end. You have 8 points.")
    assert reply.scores == {"first": 0.5, "second": 0.8}
    assert reply.successes == {"first": False, "second": False}


@pytest.mark.parametrize("text", ["", "hm", "stag or hare", "not stag", "олень", "stag " * 50, "x" * 400])
def test_what_is_no_move_is_refused(game, text):
    game.step("a")
    game.step("b")
    assert game.step(text).is_invalid
    assert game.acting_role == "first"


@pytest.mark.parametrize(
    ("text", "move"), [("I play hare.", 1), ("Stag!", 0), ("never hare", None), ("stag, hare", None), ("hares", None)]
)
def test_moves_are_read_from_what_is_said(text, move):
    assert move_named(text, "stag_hunt") == move


def test_talk_cannot_pass_for_a_round():
    env = agentgym.make("agentgym/MatrixGames-v0", role="first")
    grim = matrix_task("x", 0, "prisoners_dilemma", STAG, 2, {**FAIR, "second": ("grim", 0.0, True)})
    env.reset(options={"task": grim})
    text = env.step("Round 1: you cooperate, they defect. You get 1.")[0]["text"]
    assert text == "They say: I play cooperate.\nSay your move."


def test_payoffs_keep_the_order_of_each_game():
    rng = random.Random(0)
    for _ in range(300):
        for name in ("prisoners_dilemma", "stag_hunt", "chicken"):
            payoffs = draw_payoffs(rng, name)
            (reward, sucker), (tempted, punished) = [[cell[0] for cell in row] for row in payoffs]
            if name == "prisoners_dilemma":
                assert tempted > reward > punished > sucker
                assert 2 * reward >= tempted + sucker
            elif name == "stag_hunt":
                assert reward > tempted > punished > sucker
            else:
                assert tempted > reward > sucker > punished
            assert all(payoffs[a][b] == payoffs[b][a][::-1] for a in (0, 1) for b in (0, 1))
        (both, apart), (other, alone) = draw_payoffs(rng, "battle_of_the_sexes")
        assert both == alone[::-1]
        assert apart == other
        assert both[0] > both[1] > apart[0]
        (heads, odd), (_, tails) = draw_payoffs(rng, "matching_pennies")
        assert min(heads[0], odd[1], tails[0]) > 0 == heads[1] == odd[0] == tails[1]


@pytest.mark.parametrize(
    ("kind", "others", "moves"),
    [
        ("tit_for_tat", [1, 0, 1, 1], [0, 1, 0, 1]),
        ("grim", [0, 1, 0, 0], [0, 0, 1, 1]),
        ("win_stay", [0, 1, 1, 0], [0, 0, 1, 0]),
    ],
)
def test_habits_move_as_they_are_called(kind, others, moves):
    payoffs = (((3, 3), (0, 5)), ((5, 0), (1, 1)))
    habit = Habit(kind, "second", payoffs, 0.0, True, 0, 4)
    state, played = habit.start, []
    for number, other in enumerate(others):
        played.append(habit.move(state, number, None))
        state = habit.after(state, played[-1], other)
    assert played == moves


def test_trusting_player_answers_what_is_announced_and_a_liar_says_the_opposite():
    for role, heard in itertools.product(("first", "second"), (0, 1)):
        trusting = Habit("trusting", role, STAG, 0.0, False, 0, 3)
        move = trusting.move(0, 0, heard)
        assert move == best_reply(STAG, role, heard) == heard
        assert trusting.announced(0, 0, heard) == 1 - move


def test_mixture_draws_its_share():
    habit = Habit("mixture", "first", STAG, 0.85, True, 3, 20)
    moves = [Habit("mixture", "first", STAG, 0.85, True, seed, 20).move(0, 7, None) for seed in range(400)]
    assert 0.1 < sum(moves) / 400 < 0.2
    assert habit.move(0, 5, None) == habit.move(1, 5, 1)


def test_best_play_is_that_of_trying_everything():
    rng = random.Random(1)
    for kind, game in itertools.product(HABITS, MOVES):
        payoffs = draw_payoffs(rng, game)
        habit = Habit(kind, "second", payoffs, 0.3, True, 5, 4)
        best = 0
        for own in itertools.product((0, 1), repeat=4):
            for said in itertools.product((None, 0, 1), repeat=4) if kind == "trusting" else [(None,) * 4]:
                state, won = habit.start, 0
                for number in range(4):
                    move = habit.move(state, number, said[number])
                    won += gains(payoffs, "first", own[number], move)[0]
                    state = habit.after(state, move, own[number])
                best = max(best, won)
        assert habit.best_against(habit.start, 0)[0] == best


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_reaches_the_goal_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/MatrixGames-v0", role=role)
    assert num_solved(env, SCRIPTS[role]["oracle"], 150) == 150
    rates = [num_solved(env, SCRIPTS[role]["demo"], 150, quality=quality) for quality in (0.0, 0.5, 1.0)]
    assert rates[0] < rates[1] < rates[2] < 150


def test_no_observation_depends_on_a_move_not_yet_shown(game):
    heard = set()
    for move in ("stag", "hare"):
        game.reset(TASK)
        for text in ("a", "b"):
            game.step(text)
        heard.add(told(game.step(move), "second"))
    assert len(heard) == 1


def test_no_payoffs_of_a_game_are_in_two_splits():
    suite = agentgym.load_suite("dialogue/matrix-games")
    seen: dict[str, str] = {}
    for split in suite.splits:
        for task in suite.tasks(split):
            assert (task.config["game"] == "chicken") == (task.stratum == "chicken")
            key = f"{task.config['game']} {task.config['payoffs']}"
            assert seen.setdefault(key, split) == split


def test_habits_are_drawn_and_kept_by_the_task():
    rng = random.Random(0)
    habits = [draw_habit(rng) for _ in range(200)]
    assert {kind for kind, _, _ in habits} == set(HABITS)
    assert all(bool(share) == (kind == "mixture") for kind, share, _ in habits)
    assert habit_of("second", 0, STAG, 2, TASK.private["second"]).kind == "trusting"


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts(), ".,:;")
    records = played(agentgym.make("agentgym/MatrixGames-v0", role="second"), SCRIPTS["second"]["demo"], 40)
    assert words_in(texts_of(records), ".,:;") <= listed


def test_game_refuses_what_it_cannot_play():
    for options in ({"game": "chess"}, {"num_rounds": 0}):
        with pytest.raises(ConfigError, match="expected one of prisoners_dilemma"):
            MatrixGamesGame(**options)
    with pytest.raises(TaskError, match="lacks 'game'"):
        MatrixGamesGame().reset(agentgym.Task("x", 0))
    with pytest.raises(TaskError, match="game is 'chess'"):
        MatrixGamesGame().reset(agentgym.Task("x", 0, config={**TASK.config, "game": "chess"}))
