from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import chess
import gymnasium
import pytest

import agentgym
from agentgym.errors import ConfigError, InfrastructureError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.boards.chess import engine, moves, opponent
from agentgym_dialogue.boards.chess import vocabulary as tokens
from agentgym_dialogue.boards.chess.engine import ENGINES, MATE, MATE_STEP, EnginePool, find_engine
from agentgym_dialogue.boards.chess.env import ChessEnv
from agentgym_dialogue.boards.chess.generate import UNSEEN_FIRST_MOVES
from agentgym_dialogue.boards.chess.scripts import Demonstrator, Oracle, RandomPlayer, board_of

LEAKS = ()  # all is on the board


FOOLS_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
TO_AND_FRO = "k7/8/7R/8/8/8/8/KR6 w - - 0 1"
"""Black can go between two squares only."""
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def env():
    return ChessEnv()


@pytest.fixture
def always_asked(monkeypatch):
    """Engines are asked what they were asked before, too."""
    monkeypatch.setattr(opponent, "_lines", ENGINES.lines)


@pytest.fixture
def pool():
    pool = EnginePool(2)
    yield pool
    pool.close()


def task_of(env, fen, **fields):
    return env.game_task("chess:test", 0, chess.Board(fen), **fields)


def is_running(pid):
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_end(pids, seconds=60.0):
    deadline = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, pids))


# Rules.


def test_chess_tells_fen_and_the_answer_and_rewards_mate(env):
    record = play_actions(env, task_of(env, FOOLS_MATE), ["I mate with Qh4#."])
    assert record.first.text == f"Win as Black. Each turn say your move, such as Nf3.\n{FOOLS_MATE}"
    assert record.steps[0].text == "Checkmate. You win."
    assert (record.reward, record.success, record.steps[0].score) == (1, True, 1)
    assert record.steps[0].events[0].component == "result"


def test_chess_answers_a_move_with_the_opponents_and_the_new_position(env):
    first, then = play_actions(env, task_of(env, chess.STARTING_FEN), ["e4", "d2d3"]).steps
    told, fen = first.text.split("\n")
    board = chess.Board(chess.STARTING_FEN)
    board.push_san("e4")
    board.push_san(told.removeprefix("Black plays ").removesuffix("."))
    assert board.fen() == fen
    assert first.reward == then.reward == 0


def test_chess_being_mated_costs_one():
    env = ChessEnv(nodes=2000, num_lines=1, margin=0)
    task = task_of(env, "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")
    record = play_actions(env, task, ["g4"])
    assert record.steps[0].text == "Black plays Qh4#.\nCheckmate. You lose."
    assert (record.reward, record.success, record.steps[0].score) == (-1, False, 0)
    assert record.steps[0].terminated


@pytest.mark.parametrize(
    ("fen", "action", "why"),
    [
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "Qg6", "stalemate"),
        ("7k/8/5K2/8/8/8/1p6/B7 w - - 0 1", "Bxb2", "lack of material"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 99 90", "Ra2", "fifty moves"),
    ],
)
def test_chess_draws_are_worth_nothing_and_half_a_point(env, fen, action, why):
    last = play_actions(env, task_of(env, fen), [action]).steps[-1]
    assert last.text == f"Draw by {why}."
    assert (last.reward, last.success, last.score, last.terminated) == (0, False, 0.5, True)


def test_chess_repetition_is_a_draw(env):
    task = task_of(env, TO_AND_FRO)
    record = play_actions(env, task, ["Rg6", "Rh6"] * 5)
    assert record.steps[-1].text.endswith("Draw by repetition.")


# Moves as text.


@pytest.mark.parametrize(
    ("text", "uci"),
    [
        ("Nf3", "g1f3"),
        ("g1f3", "g1f3"),
        ("Ng1f3", "g1f3"),
        ("I play Nf3!", "g1f3"),
        ("Nf3, that is g1f3.", "g1f3"),
        ("exd5", "e4d5"),
        ("ed5", "e4d5"),
        ("E4D5", None),
        ("O-O", "e1g1"),
        ("0-0", "e1g1"),
        ("e1g1", "e1g1"),
        ("Bb5+", "f1b5"),
        ("Bb5", "f1b5"),
        ("e4 d5", None),
        ("Nd2", None),
        ("0000", None),
        ("--", None),
        ("Ke3", None),
        ("castle", None),
        ("", None),
    ],
)
def test_moves_are_read_as_san_or_uci_and_alone(text, uci):
    board = chess.Board("rnbqkbnr/pp2pppp/2p5/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3")
    if uci == "e1g1":
        board = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 3")
    if uci == "f1b5":
        board = chess.Board("rnbqkbnr/ppp2ppp/8/3pp3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3")
    if text == "Nd2":
        board = chess.Board("4k3/8/8/8/8/1N3N2/8/4K3 w - - 0 1")
    if uci is None:
        with pytest.raises(agentgym.ActionSyntaxError):
            moves.read_move(text, board)
    else:
        assert moves.read_move(text, board) == chess.Move.from_uci(uci)


def test_moves_promote_in_both_notations():
    board = chess.Board("8/4P1k1/8/8/8/8/8/K7 w - - 0 1")
    for text in ("e8=Q", "e8Q", "e7e8q", "e7e8Q"):
        assert moves.read_move(text, board).promotion == chess.QUEEN
    with pytest.raises(agentgym.ActionSyntaxError, match="illegal"):
        moves.read_move("e7e8", board)


def test_chess_prices_an_illegal_move_and_goes_on_up_to_a_limit(env):
    steps = play_actions(env, task_of(env, chess.STARTING_FEN), ["Ke2", "e4 e3", "", "e4", "hello", "Ke5"]).steps
    assert [step.reward for step in steps] == [-1, -1, -1, 0, -1, -1]
    assert [step.is_invalid for step in steps] == [True, True, True, False, True, True]
    assert str(steps[-1].outcome) == "invalid"
    assert steps[0].text == "That move is illegal."


def test_chess_shows_pieces_in_place_of_fen_where_asked():
    env = ChessEnv(observation="pieces")
    task = task_of(env, "4k3/8/8/8/8/8/3P4/3QK3 w - - 0 1")
    record = play_actions(env, task, ["d4"])
    assert record.first.text.endswith("\nWhite Ke1 Qd1 Pd2. Black Ke8.")
    board = board_of(record.first.messages, task)
    assert board.fen() == task.config["fen"]
    assert board_of(record.steps[0].messages, task).piece_at(chess.D4).symbol() == "P"


# The opponent.


def test_chess_is_the_same_for_a_seed_and_another_for_another(env, always_asked):
    task = task_of(env, chess.STARTING_FEN)
    games = set()
    for seed in range(6):
        texts = [[env.reset(seed=seed, options={"task": task})] and [env.step(m)[0]["text"] for m in ("e4", "d3")]]
        again = [[env.reset(seed=seed, options={"task": task})] and [env.step(m)[0]["text"] for m in ("e4", "d3")]]
        assert texts == again
        games.add(str(texts))
    assert len(games) > 1


def test_chess_does_not_depend_on_what_was_played_between(env, always_asked):
    tasks = [env.make_task(seed) for seed in range(4)]
    alone = [play_script(env, task, RandomPlayer(task, 0)) for task in tasks]
    ENGINES.close()
    for expected, task in reversed(list(zip(alone, tasks, strict=True))):
        again = play_script(env, task, RandomPlayer(task, 0))
        assert [step.text for step in again.steps] == [step.text for step in expected.steps]


def test_thirty_two_episodes_at_once_do_not_disturb_each_other(env, always_asked):
    task = env.make_task(0)
    expected = [[step.text for step in play_script(env, task, RandomPlayer(task, seed)).steps] for seed in range(4)]
    played = [None] * 32

    def play(index):
        record = play_script(ChessEnv(), task, RandomPlayer(task, index % 4))
        played[index] = [step.text for step in record.steps]

    threads = [threading.Thread(target=play, args=(index,)) for index in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert played == [expected[index % 4] for index in range(32)]
    assert len(ENGINES.pids) <= ENGINES.max_processes


def test_lines_are_best_first_and_draws_come_from_those_within_the_margin(pool):
    lines = pool.lines("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1000, 3)
    assert lines[0].score == MATE - MATE_STEP
    assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)
    assert len(lines) == 3
    assert len(pool.lines("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1000, 1)) == 1


def test_chess_fork_goes_on_alike_and_a_seed_draws_anew(env):
    task = task_of(env, chess.STARTING_FEN)
    play_actions(env, task, ["e4"])
    twin = env.fork()
    board = chess.Board(env.render().rpartition("\n")[2])
    reply = str(next(iter(board.legal_moves)))
    assert twin.anchor() == env.anchor()
    assert twin.step(reply)[0] == env.step(reply)[0]
    assert {play_actions(env, task, ["e4"]).steps[0].text} == {play_actions(env, task, ["e4"]).steps[0].text}
    env.reset(options={"task": task})
    assert len({env.fork(seed).step("e4")[0]["text"] for seed in range(8)}) > 1


def test_anchor_tells_apart_what_was_on_the_board_before(env):
    task = task_of(env, TO_AND_FRO)
    play_actions(env, task, ["Rg6", "Rh6"])
    one = env.anchor()
    play_actions(env, task, ["Rf6", "Rh6"])
    assert one.startswith("k7/8/7R/8/8/8/8/KR6 w - - 4 3")
    assert env.anchor().startswith("k7/8/7R/8/8/8/8/KR6 w - - 4 3")
    assert env.anchor() != one


def test_progress_is_the_share_of_material_taken(env):
    env.reset(options={"task": task_of(env, "4k3/7p/8/3q4/4P3/8/8/4K3 w - - 0 1")})
    assert env.progress() == 0
    env.step("exd5")
    assert env.progress() == 0.9


# Players.


@pytest.mark.parametrize("odds", ["none", "queen"])
def test_oracle_wins(odds):
    env = ChessEnv(odds=odds)
    for seed in range(2):
        task = env.make_task(seed)
        assert play_script(env, task, Oracle(task, 0)).success


def test_demonstrator_quality_moves_its_score(env):
    tasks = [env.make_task(seed) for seed in range(6)]
    scores = [
        sum(play_script(env, task, Demonstrator(task, task.seed, quality)).steps[-1].score for task in tasks)
        for quality in (0.0, 1.0)
    ]
    assert scores[0] < 2
    assert scores[1] == 6


def test_chess_suite_holds_out_positions_and_first_moves():
    suite = agentgym.load_suite("dialogue/chess")
    by_split = {split: {task.config["fen"] for task in suite.tasks(split)} for split in suite.splits}
    assert not by_split["train"] & by_split["test"]
    assert not by_split["train"] & by_split["validation"]
    unseen = [task for task in suite.tasks("test") if task.stratum == "unseen-opening"]
    starts = []
    for first in UNSEEN_FIRST_MOVES:
        board = chess.Board()
        board.push_uci(first)
        starts.append(board.piece_at(chess.parse_square(first[2:4])).symbol() + first[:2])
    assert len(unseen) == 50
    assert len(starts) == 6


def test_chess_vocabulary_has_the_words_that_it_says(env):
    known = set(" ".join(tokens.texts()).replace(".", " ").replace(",", " ").split())
    for words in ("Win as White", "Black plays", "Checkmate You lose", "Draw by fifty moves", "That move is illegal"):
        assert set(words.split()) <= known


# What is missing, dead or wrong.


@pytest.mark.parametrize("options", [{"odds": "king"}, {"nodes": 0}, {"num_lines": 0}, {"margin": -1}])
def test_chess_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected"):
        ChessEnv(**options)


def test_chess_refuses_an_unknown_observation():
    with pytest.raises(ConfigError, match="fen, pieces"):
        ChessEnv(observation="image")


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"fen": "nonsense", "observation": "fen", "opponent": [100, 4, 60]},
        {"fen": "8/8/8/8/8/8/8/K7 w - - 0 1", "observation": "fen", "opponent": [100, 4, 60]},
        {"fen": chess.STARTING_FEN, "observation": "fen", "opponent": [0, 4, 60]},
        {"fen": chess.STARTING_FEN, "observation": "fen", "opponent": [100, 4, 60, 1]},
        {"fen": chess.STARTING_FEN, "observation": "none", "opponent": [100, 4, 60]},
    ],
)
def test_chess_refuses_a_task_that_cannot_be_played(env, config):
    with pytest.raises((TaskError, ConfigError)):
        env.reset(options={"task": agentgym.Task("x", 0, "play", config=config)})


def test_missing_stockfish_is_an_error_that_names_the_command(monkeypatch):
    monkeypatch.setattr(engine.shutil, "which", lambda name: None)
    with pytest.raises(ConfigError, match="sudo apt-get install stockfish"):
        find_engine()
    with pytest.raises(ConfigError, match="apt-get"):
        agentgym.make("agentgym/Chess-v0")


@pytest.mark.parametrize(("env_id", "suite"), [("Chess", "chess"), ("ChessEndgames", "chess-endgames")])
def test_missing_library_is_an_error_that_names_the_command_and_the_game_is_listed(env_id, suite):
    program = (
        "import sys; sys.modules['chess'] = None\n"
        "import agentgym\n"
        f"assert 'agentgym/{env_id}-v0' in [each.id for each in agentgym.specs()]\n"
        f"assert agentgym.load_suite('dialogue/{suite}').tasks('test')\n"
        f"try: agentgym.make('agentgym/{env_id}-v0')\n"
        "except agentgym.errors.MissingExtraError as error: print(error)\n"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "environments")])
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )
    assert "pip install 'agentgymnasium[chess]'" in ran.stdout


def test_import_of_agentgym_imports_no_chess():
    program = "import sys, agentgym; print('chess' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert ran.stdout == "False\n"


def test_dead_engine_is_an_infrastructure_failure_and_is_replaced(pool):
    pool.lines(chess.STARTING_FEN, 100, 1)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    assert wait_for_end([pid])
    with pytest.raises(InfrastructureError, match="Stockfish"):
        pool.lines(chess.STARTING_FEN, 100, 1)
    assert pool.pids == []
    assert pool.lines(chess.STARTING_FEN, 100, 1)


def test_pool_is_bounded_closed_and_usable_afterwards(pool):
    threads = [threading.Thread(target=pool.lines, args=(chess.STARTING_FEN, 2000, 4)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pids = pool.pids
    assert 1 <= len(pids) <= 2
    pool.close()
    pool.close()
    assert not any(map(is_running, pids))
    assert pool.lines(chess.STARTING_FEN, 100, 1)


@pytest.mark.parametrize("end", ["kill", "exit", "fork"])
def test_no_engine_survives_the_process_that_started_it(end):
    program = (
        "import os, sys, time\n"
        "from agentgym_dialogue.boards.chess.engine import ENGINES\n"
        "ENGINES.lines('8/8/8/8/8/1Q6/2K5/k7 w - - 0 1', 100, 1)\n"
        "child = 0\n"
        "if sys.argv[1] == 'fork':\n"
        "    child = os.fork()\n"
        "    if not child: time.sleep(60); os._exit(0)\n"
        "print(*ENGINES.pids, child, flush=True)\n"
        "if sys.argv[1] != 'exit': time.sleep(60)\n"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "environments")])
    parent = subprocess.Popen(
        [sys.executable, "-c", program, end], stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": path}
    )
    with parent:
        pid, child = map(int, parent.stdout.readline().split())
        if end != "exit":
            assert is_running(pid)
            parent.kill()
        parent.wait(60)
        try:
            assert wait_for_end([pid])
        finally:
            if child:
                os.kill(child, signal.SIGKILL)


def test_forked_process_starts_engines_of_its_own():
    ENGINES.lines(chess.STARTING_FEN, 100, 1)
    vector = gymnasium.vector.AsyncVectorEnv([ChessEnv, ChessEnv], shared_memory=False)
    try:
        texts = vector.reset(seed=1)[0]["text"]
        moves = [next(iter(chess.Board(text.rpartition("\n")[2]).legal_moves)).uci() for text in texts]
        after = vector.step(moves)[0]["text"]
        assert all("plays" in text for text in after)
    finally:
        vector.close()
    assert ENGINES.lines(chess.STARTING_FEN, 100, 1)
