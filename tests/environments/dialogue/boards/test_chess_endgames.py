from __future__ import annotations

import random

import chess
import numpy as np
import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.boards.chess.engine import ENGINES, MATE, MATE_STEP
from agentgym_dialogue.boards.chess_endgames import vocabulary as tokens
from agentgym_dialogue.boards.chess_endgames.endings import ENDINGS, EXACT, best_move, canonical, mate_in, position
from agentgym_dialogue.boards.chess_endgames.env import ChessEndgamesEnv
from agentgym_dialogue.boards.chess_endgames.retrograde import NOT_WON, solve
from agentgym_dialogue.boards.chess_endgames.scripts import SCRIPTS, EndgameDemonstrator

LEAKS = ()  # all is on the board; the number of moves to mate grades alone


MATE_IN_ONE = "8/8/8/8/8/1Q6/2K5/k7 w - - 0 1"


@pytest.fixture
def env():
    return ChessEndgamesEnv()


def test_endgames_play_the_example_of_their_card(env):
    record = play_actions(env, env.ending_task("x", 0, chess.Board(MATE_IN_ONE)), ["Qa3#"])
    assert record.first.text == f"Mate as White. Each turn say your move, such as Nf3.\n{MATE_IN_ONE}"
    assert record.steps[0].text == "Checkmate. You win."
    assert (record.reward, record.success, record.steps[0].score) == (1, True, 1)


def test_endgames_a_lost_piece_is_a_draw_worth_nothing(env):
    record = play_actions(env, env.ending_task("x", 0, chess.Board("8/8/8/4k3/8/8/3Q4/7K w - - 0 1")), ["Qd4"])
    assert record.steps[0].text == "Black plays Kxd4.\nDraw by lack of material."
    assert (record.reward, record.success, record.steps[0].score) == (0, False, 0)


# Retrograde analysis.


@pytest.mark.parametrize(("piece", "longest"), [("Q", 10), ("R", 16), ("P", 28)])
def test_longest_mates_are_the_known_ones(piece, longest):
    """Ten, sixteen and twenty-eight moves are in every book of endgames."""
    assert solve(piece).white.max() == longest


def board_of(piece, turn, squares):
    board = chess.Board(None)
    for square, symbol in zip(squares, ("K", piece, "k"), strict=True):
        board.set_piece_at(int(square), chess.Piece.from_symbol(symbol))
    board.turn = turn
    return board


@pytest.mark.parametrize("piece", ["Q", "R", "P"])
def test_labels_follow_from_those_of_the_next_moves(piece):
    """Each label agrees with the labels of all positions one move on, as the chess library moves."""
    rng = random.Random(1)
    solution = solve(piece)
    checked = 0
    while checked < 400:
        squares = rng.sample(range(64), 3)
        board = board_of(piece, rng.random() < 0.5, squares)
        if not board.is_valid():
            assert board.turn == chess.BLACK or solution.white[tuple(squares)] == NOT_WON
            continue
        checked += 1
        label, after = mate_in(board), []
        for move in board.legal_moves:
            board.push(move)
            after.append(NOT_WON if board.occupied.bit_count() == 2 else mate_in(board))
            board.pop()
        if board.turn == chess.WHITE:
            won = [each for each in after if each is not None and each != NOT_WON]
            assert label == (min(won) + 1 if won else NOT_WON)
        elif not after:
            assert label == (0 if board.is_check() else NOT_WON)
        else:
            assert label == (NOT_WON if NOT_WON in after else max(after))


@pytest.mark.parametrize("ending", ["kq-k", "kr-k"])
def test_exact_labels_of_the_suite_agree_with_stockfish(ending):
    """What the engine has proved is never shorter, and no longer up to three moves."""
    tasks = [task for task in agentgym.load_suite("dialogue/chess-endgames").train_tasks() if task.stratum == ending]
    short = [task for task in tasks if task.private["mate_in"] <= 5][:40]
    assert len(short) == 40
    for task in short:
        proved = (MATE - ENGINES.lines(task.config["fen"], 40_000, 1)[0].score) / MATE_STEP
        assert proved >= task.private["mate_in"]
        assert proved == task.private["mate_in"] or task.private["mate_in"] > 3


def test_won_and_drawn_pawn_endings_agree_with_the_rule_of_the_square():
    assert mate_in(chess.Board("1k6/8/8/8/8/8/P7/7K w - - 0 1")) == NOT_WON
    assert mate_in(chess.Board("7k/8/8/P7/8/8/8/7K w - - 0 1")) > 0
    assert mate_in(chess.Board("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1")) == NOT_WON  # stalemate


def test_best_move_mates_in_as_many_moves_as_the_label_says():
    rng = random.Random(4)
    for ending in EXACT:
        board = position(ending, rng)
        label, num_moves = mate_in(board), 0
        while not board.is_game_over():
            board.push(best_move(board))
            num_moves += 1
            if not board.is_game_over():
                board.push(max(board.legal_moves, key=lambda move: _after(board, move)))
        assert board.is_checkmate()
        assert num_moves == label


def _after(board, move):
    board.push(move)
    left = mate_in(board)
    board.pop()
    return left


# Positions.


@pytest.mark.parametrize("ending", ENDINGS)
def test_positions_hold_the_pieces_of_the_ending_and_can_be_played(ending):
    rng = random.Random(2)
    for _ in range(20):
        board = position(ending, rng)
        assert board.is_valid()
        symbols = "".join(sorted(piece.symbol() for piece in board.piece_map().values()))
        assert symbols == "".join(sorted("K" + ENDINGS[ending] + "k"))
        if ending == "kbb-k":
            assert len({(square % 8 + square // 8) % 2 for square in board.pieces(chess.BISHOP, chess.WHITE)}) == 2


def test_canonical_is_the_same_for_mirror_images_and_turns_alone():
    board = chess.Board(MATE_IN_ONE)
    turned = {
        canonical(board.transform(way))
        for way in (
            chess.flip_vertical,
            chess.flip_horizontal,
            chess.flip_diagonal,
            chess.flip_anti_diagonal,
        )
    }
    assert turned == {canonical(board)}
    pawn = chess.Board("4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
    assert canonical(pawn) == canonical(pawn.transform(chess.flip_horizontal))
    assert canonical(pawn) != canonical(pawn.transform(chess.flip_vertical))


def test_suite_shares_no_position_between_splits_and_holds_two_endings_out():
    suite = agentgym.load_suite("dialogue/chess-endgames")
    seen, strata = set(), {}
    for split in suite.splits:
        tasks = suite.tasks(split)
        keys = {canonical(chess.Board(task.config["fen"])) for task in tasks}
        assert len(keys) == len(tasks)
        assert not keys & seen
        seen |= keys
        strata[split] = {task.stratum for task in tasks}
    assert strata["test"] - strata["train"] == {"krr-k", "kbn-k"}
    assert suite.headline == "krr-k"


def test_suite_keeps_exact_labels_in_the_private_part():
    for task in agentgym.load_suite("dialogue/chess-endgames").tasks("validation"):
        assert ("mate_in" in task.private) == (task.stratum in EXACT)
        if task.private:
            assert task.private["mate_in"] == mate_in(chess.Board(task.config["fen"]))


def test_mates_are_exact_and_of_other_kinds_in_each_split():
    suite = agentgym.load_suite("dialogue/chess-endgames-mates")
    kinds = {}
    for split in suite.splits:
        boards = [(chess.Board(task.config["fen"]), task) for task in suite.tasks(split)]
        assert all(mate_in(board) == task.private["mate_in"] == int(task.stratum[-1]) for board, task in boards)
        assert len({board.epd() for board, _ in boards}) == len(boards)
        kinds[split] = {canonical(board) for board, _ in boards}
    assert not kinds["train"] & kinds["test"]
    assert not kinds["train"] & kinds["validation"]
    assert not kinds["validation"] & kinds["test"]


# Players and options.


@pytest.mark.parametrize("ending", ENDINGS)
def test_oracle_mates(ending):
    env = ChessEndgamesEnv(ending)
    task = env.make_task(0)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert record.success
    assert len(record.steps) <= task.private.get("mate_in", 50)


def test_demonstrator_quality_moves_its_success(env):
    tasks = [env.make_task(seed) for seed in range(20)]
    rates = [
        np.mean([play_script(env, task, EndgameDemonstrator(task, task.seed, quality)).success for task in tasks])
        for quality in (0.0, 1.0)
    ]
    assert rates[0] < 0.4
    assert rates[1] == 1


def test_progress_grows_to_one_with_the_oracle(env):
    task = env.make_task(1)
    env.reset(options={"task": task})
    script, seen, ended = SCRIPTS["oracle"](task, 0), [env.progress()], False
    messages = [{"role": "user", "content": env.render()}]
    while not ended:
        observation, _, ended, _, _ = env.step(script.act(messages))
        messages = [{"role": "user", "content": observation["text"]}]
        seen.append(env.progress())
    assert seen[0] == 0
    assert seen[-1] == 1
    assert seen == sorted(seen)


@pytest.mark.parametrize(("square", "expected"), [("d5", 0), ("c6", 0.25), ("b2", 0.5), ("h8", 0.75), ("h4", 0.75)])
def test_progress_of_an_unsolved_ending_is_how_far_the_king_is_driven(square, expected):
    env = ChessEndgamesEnv("krr-k")
    board = chess.Board("8/8/8/8/8/8/8/4RRK1 w - - 0 1")
    board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol("k"))
    env.reset(options={"task": env.ending_task("x", 0, board)})
    assert env.progress() == expected


def test_max_mate_in_bounds_the_tasks():
    env = ChessEndgamesEnv("kq-k", max_mate_in=2)
    assert {env.make_task(seed).private["mate_in"] for seed in range(20)} == {1, 2}


@pytest.mark.parametrize(
    "options", [{"ending": "kqq-k"}, {"max_mate_in": 0}, {"ending": "kbn-k", "max_mate_in": 3}, {"nodes": 0}]
)
def test_endgames_refuse_impossible_options(options):
    with pytest.raises(ConfigError, match="expected"):
        ChessEndgamesEnv(**options)


def test_endgames_vocabulary_has_the_words_that_are_said(env):
    known = set(" ".join(tokens.texts()).replace(".", " ").replace(",", " ").split())
    for words in ("Mate as White", "Black plays", "Draw by lack of material", "Checkmate You win"):
        assert set(words.split()) <= known
