from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym_dialogue.boards.connect_four import vocabulary
from agentgym_dialogue.boards.connect_four.game import ConnectFourGame, board_of_size, draw_opening, draw_slips
from agentgym_dialogue.boards.connect_four.partners import good_moves
from agentgym_dialogue.boards.connect_four.scripts import SCRIPTS
from agentgym_dialogue.boards.line_board import Marks
from agentgym_dialogue.boards.line_game import line_task, position_of
from tests.environments.dialogue.leaks import Leak, slips_of_both
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (Leak("first", slips_of_both, {"columns": 4, "rows": 4}, with_players=False),)


BOARD = board_of_size(7, 6)
TASK = line_task("connect-four:test", 0, BOARD, (3, 3), ("0" * 21, "0" * 21))


@pytest.fixture
def game():
    game = ConnectFourGame()
    game.reset(TASK)
    return game


def marks_after(*columns):
    first, second = position_of(BOARD, [column - 1 for column in columns])
    return Marks(first, second) if len(columns) % 2 == 0 else Marks(second, first)


def test_game_tells_rules_board_and_moves(game):
    empty = ". . . . . . ."
    rules = "You are X. Four in a row win. Say a column, 1 to 7."
    rows = [*[empty] * 4, ". . . O . . .", ". . . X . . ."]
    assert ConnectFourGame().reset(TASK)["first"][0]["content"] == "\n".join([rules, *rows])
    rows[-1] = ". . . X X . ."
    assert told(game.step("column five, please"), "second") == "\n".join(["They play 5.", *rows])


def test_four_in_a_row_win(game):
    for text in ("5", "5", "6", "6"):
        assert game.step(text).outcome is None
    reply = game.step("I take column 7")
    assert (told(reply, "first"), told(reply, "second")) == ("You win.", "They play 7. You lose.")
    assert reply.scores == {"first": 1.0, "second": 0.0}


@pytest.mark.parametrize("text", ["", "0", "8", "1 2", "-3", "column", "9" * 100, "four", "x" * 2000, "столбец"])
def test_what_names_no_single_column_is_refused(game, text):
    reply = game.step(text)
    assert reply.is_invalid
    assert told(reply, "first") == "Say one column: 1 2 3 4 5 6 7."


def test_a_full_column_is_refused(game):
    for _ in range(4):
        assert not game.step("4").is_invalid
    assert told(game.step("4"), "first") == "Say one column: 1 2 3 5 6 7."


@pytest.mark.parametrize(
    ("played", "moves"),
    [
        ((1, 7, 1, 7, 1, 7), {1}),  # wins
        ((1, 7, 1, 7, 1), {1}),  # must stop a column
        ((3, 3, 4), {2, 5}),  # must stop a row that would be open at both ends; beside it, or two beside
    ],
)
def test_good_moves_win_and_stop_wins(played, moves):
    found = {move + 1 for move in good_moves(BOARD, marks_after(*played))}
    assert found <= moves | ({6, 1} if len(moves) > 1 else set())
    assert found


def test_good_moves_never_let_the_other_win_at_once_where_they_need_not():
    rng = random.Random(0)
    for _ in range(200):
        first, second = position_of(BOARD, draw_opening(rng, BOARD, 4))
        for move in good_moves(BOARD, Marks(first, second)):
            own = first | BOARD.bit(first | second, move)
            assert not any(BOARD.has_row(second | bit) for _, bit in BOARD.moves(own | second))


def test_openings_and_slips_are_drawn_as_declared():
    rng = random.Random(0)
    for _ in range(200):
        opening = draw_opening(rng, BOARD)
        assert len(opening) == 4
        assert abs(opening[0] - opening[2]) not in (1, 2)
        for slips in draw_slips(rng, BOARD, 0.0):
            assert len(slips) == 21
            assert all(slips[begin : begin + 3].count("1") == 1 for begin in range(0, 21, 3))


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_wins_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/ConnectFour-v0", role=role)
    assert num_solved(env, SCRIPTS[role]["oracle"], 60) == 60
    rates = [num_solved(env, SCRIPTS[role]["demo"], 60, quality=quality) for quality in (0.0, 0.6, 1.0)]
    assert rates[0] < rates[1] < rates[2]


def test_no_opening_nor_its_mirror_image_is_in_two_splits():
    suite = agentgym.load_suite("dialogue/connect-four")
    seen: dict[tuple[int, ...], str] = {}
    for split in suite.splits:
        for task in suite.tasks(split):
            columns, opening = task.config["columns"], task.config["opening"]
            key = (columns, *min(opening, [columns - 1 - column for column in opening]))
            assert seen.setdefault(key, split) == split


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    records = played(agentgym.make("agentgym/ConnectFour-v0", role="second"), SCRIPTS["second"]["random"], 10)
    assert words_in(texts_of(records)) <= listed


@pytest.mark.parametrize("options", [{"columns": 3}, {"rows": 10}, {"error_rate": -0.1}])
def test_game_refuses_what_it_cannot_play(options):
    with pytest.raises(ConfigError, match="expected 4 to 9 columns and rows"):
        ConnectFourGame(**options)
