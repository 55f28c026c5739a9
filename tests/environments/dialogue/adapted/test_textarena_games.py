from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import agentgym
from agentgym.data_folder import data_folder
from agentgym.errors import UnknownNameError
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.adapted.catalogue import TEXTARENA_GAMES
from agentgym_dialogue.adapted.textarena_games.catalog import GAMES, KNOWN_GAMES, UNSEEN_GAMES
from agentgym_dialogue.adapted.textarena_games.env import TextArenaEnv, game_task
from agentgym_dialogue.adapted.textarena_games.episode import Episode
from agentgym_dialogue.adapted.textarena_games.generate import COUNTS, generate
from agentgym_dialogue.adapted.textarena_games.moves import MOVES
from agentgym_dialogue.adapted.textarena_games.scripts import SCRIPTS, Demonstrator
from agentgym_dialogue.adapted.textarena_games.solutions import SOLUTIONS
from tests.environments.dialogue.adapted.elsewhere import printed_elsewhere
from tests.testing.contracts import require_contract

SUITE = "dialogue/textarena"


@pytest.fixture
def env():
    return TextArenaEnv()


@pytest.mark.parametrize(
    "env_id",
    ["agentgym/TextArena-v0", "agentgym/TextArena-FifteenPuzzle-v0", "agentgym/TextArena-Sokoban-v0"],
)
def test_environments_keep_their_contract(env_id):
    check_env(env_id).raise_if_failed()


def test_suite_keeps_its_contract():
    require_contract(SUITE, 60)


def test_tables_name_the_same_games():
    assert set(GAMES) == set(MOVES) == set(TEXTARENA_GAMES)
    assert set(SOLUTIONS) == set(GAMES) - {"FifteenPuzzle"}


@pytest.mark.parametrize("game", sorted(SOLUTIONS))
def test_every_game_is_registered_and_won_by_its_oracle(game):
    env = agentgym.make(f"agentgym/TextArena-{game}-v0")
    for seed in (0, 1):
        task = env.make_task(seed)
        record = play_script(env, task, SCRIPTS["oracle"](task, 0))
        assert record.success
        assert record.reward == record.steps[-1].score == 1.0
    env.close()


def test_generator_writes_the_files_of_the_suite_byte_for_byte(tmp_path, monkeypatch):
    monkeypatch.setitem(COUNTS, "train", 3)  # all 60 of each game, by the same way, would take a minute
    generate(tmp_path, "dialogue/textarena")
    for split in ("validation", "test"):
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (
            data_folder("tasks") / SUITE / f"{split}.jsonl"
        ).read_bytes()
    known = {without_id(line) for line in (data_folder("tasks") / SUITE / "train.jsonl").read_text().splitlines()}
    drawn = {without_id(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()}
    assert len(drawn) > 3 * len(KNOWN_GAMES) - 3
    assert drawn <= known


def without_id(line):
    return json.dumps({key: value for key, value in json.loads(line).items() if key != "id"})


def test_readme_states_the_number_of_tasks():
    suite = agentgym.load_suite(SUITE)
    readme = (suite.folder / "README.md").read_text()
    for split, strata in suite.splits.items():
        for stratum in strata:
            assert f" {sum(task.stratum == stratum for task in suite.tasks(split))} " in readme


def test_unseen_games_are_in_the_test_split_alone():
    suite = agentgym.load_suite(SUITE)
    for split in suite.splits:
        games = {task.config["game"] for task in suite.tasks(split)}
        assert (set(UNSEEN_GAMES) <= games) if split == "test" else not set(UNSEEN_GAMES) & games


def test_no_draw_touches_the_process_wide_generator():
    random.seed(5)
    before = random.getstate()
    for name in GAMES:
        env = TextArenaEnv(name)
        task = env.make_task(3)
        play_script(env, task, Demonstrator(task, 1, 0.5))
    assert random.getstate() == before


def test_games_in_threads_do_not_disturb_each_other():
    def first(seed: int) -> str:
        return "".join(Episode(GAMES[name].id, seed, {}).first for name in ("Sokoban", "Sudoku", "FrozenLake"))

    expected = [first(seed) for seed in range(4)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(first, [*range(4)] * 2)) == expected * 2


def test_games_do_not_depend_on_the_hashes_of_a_process():
    elsewhere = printed_elsewhere(
        "from agentgym_dialogue.adapted.textarena_games.catalog import GAMES",
        "from agentgym_dialogue.adapted.textarena_games.episode import Episode",
        "print([Episode(game.id, 3, game.options).first for game in GAMES.values()])",
    )
    assert elsewhere == str([Episode(game.id, 3, game.options).first for game in GAMES.values()])


def test_each_message_is_told_once_and_the_player_s_own_words_never(env):
    task = game_task("GuessTheNumber", 1)
    number = random.Random(0)
    record = play_actions(env, task, [f"I say [{n}]." for n in number.sample(range(1, 21), 4)])
    for step in record.steps[:-1]:
        assert step.text in ("The target number is lower.", "The target number is higher.")


def test_nothing_is_printed(env, capfd):
    for name in ("LogicPuzzle", "RushHour", "FrozenLake"):
        task = game_task(name, 2)
        play_script(env, task, SCRIPTS["random"](task, 0))
    assert capfd.readouterr().out == ""


def test_refused_moves_are_invalid_and_explained(env):
    record = play_actions(env, game_task("Slitherlink", 0), ["[h 99 99]", "[sideways]", "h 0 0"])
    assert [step.is_invalid for step in record.steps] == [True, True, True]
    assert record.steps[0].text == "Edge outside board. Say another move."  # TextArena takes the reason for the reward
    assert record.steps[2].text == "Put one move into square brackets, such as [h 0 1]."
    assert record.steps[-1].outcome == agentgym.Outcome("invalid")
    assert record.reward == pytest.approx(-0.3)


def test_the_best_button_of_the_bandit_is_worth_most(env):
    task = game_task("Bandit", 0)
    means = Episode(GAMES["Bandit"].id, task.seed, {}).raw.state.game_state["ground_truth"]
    order = sorted(means, key=means.get)
    scores = [play_actions(env, task, [f"[{button}]"] * 21).steps[-1].score for button in order]
    assert scores == sorted(scores)
    assert scores[-1] == 1.0
    assert scores[-2] < 1.0


def test_solving_the_fifteen_puzzle_ends_it_with_success(env):
    task = game_task("FifteenPuzzle", 0)
    env.reset(options={"task": task})
    raw = env._episode.raw
    raw.board[:] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, None, 15]]
    _, reward, terminated, _, info = env.step("[left]")
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_a_fork_with_a_seed_draws_anew(env):
    env.reset(options={"task": game_task("2048", 0)})
    texts = set()
    for seed in range(6):
        twin = env.fork(seed=seed)
        twin.step("[left]")
        texts.add(twin.step("[up]")[0]["text"])
    assert len(texts) > 1


def test_demonstrator_is_between_random_and_oracle(env):
    tasks = agentgym.load_suite(SUITE).tasks("validation")[::4]
    earned = [
        sum(play_script(env, task, SCRIPTS[name](task, 1)).reward for task in tasks)
        for name in ("random", "demo", "oracle")
    ]
    assert earned[0] < earned[1] < earned[2]


def test_game_without_an_oracle_says_why():
    found = agentgym.spec("agentgym/TextArena-FifteenPuzzle-v0")
    assert "oracle" not in found.load_scripts()
    report = check_env(found.id, only=["oracle"])
    assert report.passed
    assert report.results[0].status == "skipped"
    assert "half of TextArena's shuffles cannot be solved" in report.results[0].detail


def test_unknown_game_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean Sudoku"):
        TextArenaEnv("Sudokus")
