from __future__ import annotations

import itertools

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.message import user
from agentgym_dialogue.boards.line_board import Marks
from agentgym_dialogue.boards.line_game import line_task, position_of
from agentgym_dialogue.boards.line_players import Foreseeing
from agentgym_dialogue.boards.tic_tac_toe import vocabulary
from agentgym_dialogue.boards.tic_tac_toe.game import BOARD, TicTacToeGame
from agentgym_dialogue.boards.tic_tac_toe.generate import _images
from agentgym_dialogue.boards.tic_tac_toe.partners import PARTNERS, SKILL, bad_moves, good_moves, worth
from agentgym_dialogue.boards.tic_tac_toe.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, slips_of_both
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (
    Leak("first", slips_of_both),
    Leak("second", slips_of_both),
)


TASK = line_task("tic-tac-toe:test", 0, BOARD, (), ("00000", "00000"))


@pytest.fixture
def game():
    game = TicTacToeGame()
    game.reset(TASK)
    return game


def test_game_tells_rules_board_and_moves():
    game = TicTacToeGame()
    inbox = game.reset(line_task("x", 0, BOARD, (4, 0), ("", "")))
    assert inbox["first"][0]["content"] == "You are X. Three in a row win. Say a free square.\nO 2 3\n4 X 6\n7 8 9"
    assert inbox["second"][0]["content"] == "You are O. Three in a row win. Say a free square."
    assert told(game.step("I take 3."), "second") == "They play 3.\nO 2 X\n4 X 6\n7 8 9"
    assert told(game.step("bottom left"), "first") == "They play 7.\nO 2 X\n4 X 6\nO 8 9"


def test_three_in_a_row_win(game):
    for text in ("1", "4", "2", "5"):
        assert game.step(text).outcome is None
    reply = game.step("3")
    assert (told(reply, "first"), told(reply, "second")) == ("You win.", "They play 3. You lose.")
    assert reply.successes == {"first": True, "second": False}
    assert reply.scores == {"first": 1.0, "second": 0.0}
    assert [(event.role, event.value) for event in reply.events] == [("first", 1.0), ("second", -1.0)]


def test_a_full_board_is_a_draw(game):
    replies = [game.step(text) for text in "152364798"]
    assert told(replies[-1], "first") == "Draw."
    assert replies[-1].scores == {"first": 0.5, "second": 0.5}
    assert not any(replies[-1].successes.values())


@pytest.mark.parametrize(
    "text", ["", "0", "10", "1 2", "-3", "x", "top", "left", "top bottom left", "1" * 2000, "верх", "top left right"]
)
def test_what_names_no_single_square_is_refused(game, text):
    reply = game.step(text)
    assert reply.is_invalid
    assert told(reply, "first") == "Say one free square: 1 2 3 4 5 6 7 8 9."
    assert game.acting_role == "first"


def test_a_marked_square_is_refused(game):
    game.step("5")
    assert told(game.step("the middle"), "second") == "Say one free square: 1 2 3 4 6 7 8 9."


@pytest.mark.parametrize(
    ("text", "square"),
    [
        ("top left", 1),
        ("the upper right corner", 3),
        ("middle", 5),
        ("The centre!", 5),
        ("top middle", 2),
        ("middle of the bottom", 8),
        ("center left", 4),
        ("lower right", 9),
        ("I put my X on 6", 6),
    ],
)
def test_squares_are_named_by_number_or_place(text, square):
    assert TicTacToeGame().read_move(text.lower()) == square - 1


def test_who_breaks_the_rules_too_often_loses(game):
    game.step("5")
    replies = [game.step("5") for _ in range(3)]
    assert str(replies[-1].outcome) == "invalid"
    assert [(event.role, event.value) for event in replies[-1].events if event.component == "outcome"] == [
        ("first", 0.0),
        ("second", -1.0),
    ]
    assert replies[-1].scores == {"first": 0.0, "second": 0.0}


def test_an_unfinished_game_is_lost(game):
    assert {event.value for event in game.finalize("time").events} == {-1.0}


def test_good_moves_never_lose_and_bad_ones_can():
    def play(first, second, marks):
        if BOARD.has_row(marks.other):
            return {-1}
        if marks.own | marks.other == BOARD.full:
            return {0}
        ends = set()
        for move in first(BOARD, marks):
            own = marks.own | BOARD.bit(marks.own | marks.other, move)
            ends |= {-end for end in play(second, first, Marks(marks.other, own))}
        return ends

    assert worth(BOARD, Marks(0, 0)) == 0
    assert play(good_moves, good_moves, Marks(0, 0)) == {0}
    assert 1 in play(good_moves, bad_moves, Marks(0, 0))
    assert -1 not in play(good_moves, bad_moves, Marks(0, 0))


def test_player_errs_at_the_moves_that_the_task_says():
    first, second = position_of(BOARD, (0, 4, 1))
    talk = [user(f"They play 2.\n{BOARD.picture(first, second)}")]
    steady, slipping = (line_task("x", 0, BOARD, (), ("", slips)) for slips in ("00", "01"))
    assert PARTNERS["second"](steady, 0).act(talk) == "3"
    assert PARTNERS["second"](slipping, 0).act(talk) != "3"


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_wins_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/TicTacToe-v0", role=role)
    assert num_solved(env, SCRIPTS[role]["oracle"], 150) == 150
    rates = [num_solved(env, SCRIPTS[role]["demo"], 150, quality=quality) for quality in (0.0, 0.6, 1.0)]
    assert rates[0] < rates[1] < rates[2]
    assert num_solved(env, SCRIPTS[role]["random"], 150) < num_solved(env, SCRIPTS[role]["demo"], 150)


def test_only_an_error_lets_the_oracle_win():
    for seed in range(20):
        task = line_task("x", seed, BOARD, (), ("00000", "00000"))
        assert not any(Foreseeing(SKILL, role, task, 0).can_win() for role in ("first", "second"))


def test_openings_of_test_tasks_are_no_images_of_trained_ones():
    suite = agentgym.load_suite("dialogue/tic-tac-toe")
    openings = {
        (split, task.stratum): {min(_images(tuple(task.config["opening"]))) for task in suite.tasks(split)}
        for split in suite.splits
        for task in suite.tasks(split)[:1]
    }
    trained = {min(_images(tuple(task.config["opening"]))) for task in suite.train_tasks()}
    assert len(openings) == 3
    for split in ("validation", "test"):
        for task in suite.tasks(split):
            known = min(_images(tuple(task.config["opening"]))) in trained
            assert known == (task.stratum == "known_opening")


def test_suites_of_both_roles_have_the_same_tasks():
    first, second = (agentgym.load_suite(f"dialogue/tic-tac-toe{end}") for end in ("", "-second"))
    assert (first.role, second.role) == ("first", "second")
    for split in first.splits:
        hashes = [[task.content_hash for task in suite.tasks(split)] for suite in (first, second)]
        assert hashes[0] == hashes[1]


def test_slips_are_told_to_nobody():
    env = agentgym.make("agentgym/TicTacToe-v0")
    for seed in range(50):
        steady = env.make_task(seed)
        texts = set()
        for slips in itertools.product("01", repeat=2):
            task = line_task("x", seed, BOARD, (), ("".join(slips) * 3, "".join(slips) * 3))
            game = TicTacToeGame()
            inbox = game.reset(task)
            said = [message["content"] for messages in inbox.values() for message in messages]
            said += [m["content"] for text in "159" for ms in game.step(text).inbox.values() for m in ms]
            texts.add("\n".join(said))
        assert len(texts) == 1
        assert steady.private["first_slips"] not in texts.pop()


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    records = played(agentgym.make("agentgym/TicTacToe-v0", role="second"), SCRIPTS["second"]["random"], 30)
    assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected a share"):
        TicTacToeGame(1.5)
    with pytest.raises(TaskError, match="lacks 'columns'"):
        TicTacToeGame().reset(agentgym.Task("x", 0))
    for opening in ((0, 0), (0, 3, 1, 4, 2), (9,)):
        with pytest.raises(TaskError, match="its opening"):
            TicTacToeGame().reset(line_task("x", 0, BOARD, opening, ("", "")))
