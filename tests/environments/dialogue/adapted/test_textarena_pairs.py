from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.errors import UnknownNameError
from agentgym.testing import check_env
from agentgym.testing.episodes import advance, play_actions, play_script, start
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.adapted.catalogue import TEXTARENA_PAIRS
from agentgym_dialogue.adapted.textarena_pairs.catalog import PAIRS
from agentgym_dialogue.adapted.textarena_pairs.env import TextArenaPairEnv
from agentgym_dialogue.adapted.textarena_pairs.habits import HABITS
from agentgym_dialogue.adapted.textarena_pairs.match import Match
from agentgym_dialogue.adapted.textarena_pairs.moves import MOVES
from agentgym_dialogue.adapted.textarena_pairs.scripts import SCRIPTS, Demonstrator
from tests.environments.dialogue.adapted.elsewhere import printed_elsewhere

DILEMMA = "IteratedPrisonersDilemma"


def task_as(name, player):
    """A task of a game in which the agent is this player."""
    env = TextArenaPairEnv(name)
    return next(task for task in map(env.make_task, range(100)) if task.config["player"] == player)


@pytest.mark.parametrize("game", ["TicTacToe", DILEMMA, "LiarsDice"])
def test_environments_keep_their_contract(game):
    check_env(f"agentgym/TextArena-{game}-v0").raise_if_failed()


def test_tables_name_the_same_games():
    assert set(PAIRS) == set(MOVES) == set(HABITS) == set(TEXTARENA_PAIRS)


@pytest.mark.parametrize("game", PAIRS)
def test_every_game_is_registered_and_won_by_its_oracle(game):
    env = agentgym.make(f"agentgym/TextArena-{game}-v0")
    for seed in (0, 1):
        task = env.make_task(seed)
        record = play_script(env, task, SCRIPTS["oracle"](task, 0))
        assert record.success
        assert record.reward == record.steps[-1].score == 1.0
        assert not any(step.is_invalid for step in record.steps)


@pytest.mark.parametrize("game", PAIRS)
def test_listed_moves_are_legal_and_games_end_by_themselves(game):
    env = TextArenaPairEnv(game)
    for seed in range(4):
        task = env.make_task(seed)
        record = play_script(env, task, SCRIPTS["random"](task, seed))
        assert not any(step.is_invalid for step in record.steps)
        assert record.steps[-1].outcome.kind == "terminated"
        assert record.reward in (-1.0, 0.0, 1.0)
        assert record.steps[-1].score == (record.reward + 1) / 2


def test_demonstrator_is_between_random_and_oracle():
    won = dict.fromkeys(("random", "demo", "oracle"), 0)
    for game in PAIRS:
        env = TextArenaPairEnv(game)
        for task in map(env.make_task, range(4)):
            for name in won:
                won[name] += play_script(env, task, SCRIPTS[name](task, 1)).success
    assert won["random"] < 0.5 * won["demo"]
    assert won["demo"] < won["oracle"] == 4 * len(PAIRS)


@pytest.mark.parametrize("player", [0, 1])
def test_agent_is_either_player_and_is_told_of_a_first_move(player):
    task = task_as("TicTacToe", player)
    text = start(TextArenaPairEnv("TicTacToe"), task).first.text
    assert text.startswith(f"You are Player {player} in Tic Tac Toe.")
    assert ("Player 0 placed their symbol" in text) == (player == 1)
    assert text.count("Current Board:") == 1


def test_answers_tell_both_moves_and_one_board():
    record = play_actions(TextArenaPairEnv("ConnectFour"), task_as("ConnectFour", 0), ["I drop it into [col 3]."])
    text = record.steps[0].text
    assert "Player 0 dropped their disk (X) into column 3." in text
    assert "Player 1 dropped their disk (O) into column" in text
    assert text.count("Board state:") == 1
    assert "I drop it" not in text


def test_dice_of_the_other_are_never_told():
    env = TextArenaPairEnv("LiarsDice")
    for seed in range(10):
        task = env.make_task(seed)
        record, script = start(env, task), SCRIPTS["random"](task, seed)
        texts = [record.first.text]
        while not record.is_over:
            own = env._match.raw.state.game_state["dice_rolls"][task.config["player"]]
            told = [line for text in texts[-1:] for line in text.split("\n") if line.startswith("Your current Dice")]
            assert told in ([], [f"Your current Dice are: {', '.join(map(str, own))}"])
            texts.append(advance(env, record, script.act([])).text)


@pytest.mark.parametrize("game", [DILEMMA, "IteratedRockPaperScissors"])
def test_other_side_moves_without_seeing_the_agent_s_move_of_the_round(game):
    for seed in range(20):
        match = Match(game, seed, {}, 0)
        for _ in range(3 if game == DILEMMA else 2):  # a line, a move and a line; else two moves
            match.play(match.moves[0])
        answers = set()
        for move in match.moves:
            twin = match.copy()
            twin.play(move)
            answers.add(twin._made[1][-1] if game != DILEMMA else [m for m in twin._made[1] if m[0] == "["][-1])
        assert len(answers) == 1


def test_habits_of_the_dilemma_answer_earlier_rounds():
    answers = {}
    for seed in range(30):
        match = Match(DILEMMA, seed, {}, 0)
        for move in ("Hello.", "[Defect]", "Hello.", "[Cooperate]", "Hello.", "[Cooperate]"):
            match.play(move)
        moved = [move for move in match._made[1] if move.startswith("[")]
        answers.setdefault(int(3 * match.style), []).append(moved[1:])
    forgiving, grim = answers[0], answers[1]
    assert max(forgiving, key=forgiving.count) == ["[Defect]", "[Cooperate]"]
    assert max(grim, key=grim.count) == ["[Defect]", "[Defect]"]


def test_unfinished_games_are_lost():
    env = TextArenaPairEnv("Nim")
    task = env.make_task(0)
    record = play_actions(env, task, ["[9 9]", "no move", "[0 0]"])
    assert [step.is_invalid for step in record.steps] == [True, True, True]
    assert record.steps[0].text == "Pile index 9 is out of range. Say another move."
    assert record.steps[1].text == "Put one move into square brackets, such as [0 2]."
    assert record.steps[-1].outcome == agentgym.Outcome("invalid")
    assert record.reward == pytest.approx(-1.3)
    env.reset(options={"task": task})
    reward, info = env.finalize("time")
    assert (reward, info["success"], info["score"]) == (-1.0, False, 0.0)


def test_refused_moves_change_nothing():
    task = task_as("SimpleTak", 0)
    env, other = TextArenaPairEnv("SimpleTak"), TextArenaPairEnv("SimpleTak")
    with_errors = play_actions(env, task, ["[99]", "[0]", "[0]", "[1]"])
    without = play_actions(other, task, ["[0]", "[1]"])
    assert [step.is_invalid for step in with_errors.steps] == [True, False, True, False]
    assert [with_errors.steps[index].text for index in (1, 3)] == [step.text for step in without.steps]


def test_dilemma_takes_lines_in_talk_and_only_named_moves_after_it():
    env = TextArenaPairEnv(DILEMMA)
    actions = ["", "x" * 301, "Let us [Defect] never.", "[Stag]"]
    record = play_actions(env, task_as(DILEMMA, 0), actions)
    assert [step.is_invalid for step in record.steps] == [True, True, False, True]
    record = play_actions(env, task_as(DILEMMA, 0), [*actions[2:], "[cooperate]"])
    assert record.steps[1].text == "Say [Cooperate] or [Defect]. Say another move."
    assert record.steps[2].text.startswith("Round 1 results:\n")
    assert "Player 1 says: " in record.steps[0].text


@pytest.mark.parametrize("game", PAIRS)
def test_odd_messages_are_answered_or_end_the_game(game):
    rng, env = random.Random(game), TextArenaPairEnv(game)
    odd = [*HOSTILE_ACTIONS, "[r]", "[ 4 ]", "[bid 3 3]", "[bid: 0, 6]", "[split 5 0]", "[split 6 1]", "[k]", "[-1 0]"]
    tasks = [env.make_task(seed) for seed in range(3)]
    for _ in range(20):
        record = start(env, rng.choice(tasks))
        while not record.is_over:
            move = rng.choice(env._match.moves)
            digits = [index for index, sign in enumerate(move) if sign.isdigit()]
            if digits and rng.random() < 0.2:
                index = rng.choice(digits)
                move = f"{move[:index]}{rng.choice(('0', '7', '99', '-1', '00'))}{move[index + 1 :]}"
            elif rng.random() < 0.1:
                move = rng.choice((move.upper(), move.lower(), rng.choice(odd)))
            assert advance(env, record, move).text


def test_who_has_no_move_passes_or_has_lost():
    match = Match("Breakthrough", 0, {}, 0)
    board = match.raw.state.game_state["board"]
    for row in board:
        row[:] = [""] * 6
    board[2][2], board[4][2] = "W", "B"
    answer = match.play("[c3c4]")
    assert (answer.is_over, answer.reward) == (True, 1.0)
    assert answer.text.endswith("Player 1 has no move.")

    match = Match("Othello", 0, {}, 0)
    for row in match.raw.board:
        row[:] = [""] * 6
    match.raw.board[0][:] = ["B", "W", "", "", "", ""]
    match.raw.board[5][:] = ["B", "W", "W", "W", "W", ""]
    answer = match.play("[0, 2]")
    assert not answer.is_over
    assert "Player 1 (W) has no valid moves and must skip." in answer.text
    assert match.moves == ["[5, 5]"]


def test_no_draw_touches_the_process_wide_generator():
    random.seed(5)
    before = random.getstate()
    for name in PAIRS:
        env = TextArenaPairEnv(name)
        task = env.make_task(3)
        play_script(env, task, Demonstrator(task, 1, 0.5))
    assert random.getstate() == before


def test_games_do_not_depend_on_the_hashes_of_a_process():
    elsewhere = printed_elsewhere(f"from {__name__} import demonstrated_games", "print(demonstrated_games())")
    assert elsewhere == str(demonstrated_games())


def demonstrated_games():
    texts = []
    for name in PAIRS:
        env = TextArenaPairEnv(name)
        task = env.make_task(0)
        texts.append([step.text for step in play_script(env, task, SCRIPTS["demo"](task, 0)).steps])
    return texts


@pytest.mark.parametrize("game", PAIRS)
def test_episodes_with_a_seed_of_their_own_are_played_to_their_end(game):
    env = TextArenaPairEnv(game)
    task = env.make_task(0)
    script = SCRIPTS["demo"](task, 0)
    record = start(env, task, seed=77)
    while not record.is_over:
        advance(env, record, script.act([]))
    assert record.steps[-1].outcome.kind in ("terminated", "invalid")


def test_a_fork_with_a_seed_draws_anew():
    env = TextArenaPairEnv("PigDice")
    env.reset(options={"task": env.make_task(0)})
    texts = set()
    for seed in range(6):
        twin = env.fork(seed=seed)
        twin.step("[roll]")
        texts.add(twin.step("[roll]")[0]["text"])
    assert len(texts) > 1


def test_unknown_game_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean TicTacToe"):
        TextArenaPairEnv("TicTacTo")
