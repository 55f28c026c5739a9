from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.navigation.maze import vocabulary as tokens
from agentgym_dialogue.navigation.maze.env import MazeEnv, Puzzle, maze_task, puzzle_of
from agentgym_dialogue.navigation.maze.layouts import FIXED, MOVES, distances, generated, moved, open_cells, walls
from agentgym_dialogue.navigation.maze.scripts import SCRIPTS, Demonstrator, hint
from tests.environments.dialogue.playing import trajectory_of

LEAKS = ()  # walls, which one runs into


HORSESHOE = Puzzle("horseshoe", FIXED["horseshoe"], (2, 1), (1, 3))
TASK = maze_task("maze:test", 0, HORSESHOE)


@pytest.fixture
def env():
    return MazeEnv()


def test_maze_plays_the_example_of_its_card(env):
    record = play_actions(env, TASK, ["up", "I move right.", "right"])
    assert record.first.text == f"{TASK.instruction}\nYou 2, 1. Goal 1, 3. Walls left, right."
    assert [step.text for step in record.steps] == [
        "You 1, 1. Goal 1, 3. Walls up, left.",
        "You 1, 2. Goal 1, 3. Walls up, down.",
        "Goal reached.",
    ]
    assert [step.reward for step in record.steps] == [-1, -1, 0]
    assert record.success
    assert record.steps[-1].score == 1.0


def test_maze_prices_bumps_like_moves_and_what_is_no_move_higher(env):
    record = play_actions(env, TASK, ["left", "jump", "up", "right", "right"])
    assert [step.reward for step in record.steps] == [-1, -4, -1, -1, 0]
    assert [event.component for step in record.steps for event in step.events] == [
        "move",
        "format",
        "move",
        "move",
        "goal",
    ]
    assert record.steps[0].text == "You 2, 1. Goal 1, 3. Walls left, right."
    assert record.steps[-1].score == 3 / 5


def test_maze_partially_observed_tells_start_and_goal_once_and_then_walls_alone(env):
    record = play_actions(env, maze_task("x", 0, HORSESHOE._replace(observation="partial")), ["up"])
    assert "goal at 1, 3" in record.first.text
    assert "start at 2, 1" in record.first.text
    assert record.steps[0].text == "Walls up, left."


@pytest.mark.parametrize("text", ["", "up down", "upwards", "go north", "Goal reached.", "up " * 1000])
def test_maze_refuses_what_names_no_single_direction(env, text):
    step = play_actions(env, TASK, [text]).steps[0]
    assert step.is_invalid
    assert step.text == "Say up, down, left or right."


def test_maze_goes_on_after_invalid_messages_until_its_turns_are_used_up(env):
    record = play_actions(env, TASK, ["?"] * 50)
    assert len(record.steps) == 40
    assert record.steps[-1].truncated
    assert record.reward == -160


@pytest.mark.parametrize("name", FIXED)
def test_fixed_mazes_hang_together(name):
    cells = open_cells(FIXED[name])
    assert set(distances(FIXED[name], cells[0])) == set(cells)
    assert len({len(row) for row in FIXED[name]}) == 1


@pytest.mark.parametrize("size", [3, 7, 11])
def test_generated_mazes_hang_together_and_depend_on_the_seed_alone(size):
    rows = generated(size, random.Random(1))
    assert rows == generated(size, random.Random(1))
    assert len(rows) == size
    assert set(distances(rows, (1, 1))) == set(open_cells(rows))


def test_walls_are_where_a_move_changes_nothing():
    for cell in open_cells(FIXED["comb"]):
        for direction in MOVES:
            assert (moved(FIXED["comb"], cell, direction) == cell) == (direction in walls(FIXED["comb"], cell))


def test_oracle_takes_as_many_moves_as_a_search_of_all_sequences_finds(env):
    for seed in range(30):
        task = env.make_task(seed)
        puzzle = puzzle_of(task)
        reached, count = {puzzle.start}, 0
        while puzzle.goal not in reached:
            reached |= {moved(puzzle.rows, cell, direction) for cell in reached for direction in MOVES}
            count += 1
        assert len(play_script(env, task, SCRIPTS["oracle"](task, 0)).steps) == count


def test_progress_grows_to_one_along_a_shortest_way(env):
    task = env.make_task(3)
    env.reset(options={"task": task})
    script, seen = SCRIPTS["oracle"](task, 0), [env.progress()]
    while seen[-1] < 1:
        env.step(script.act([]))
        seen.append(env.progress())
    assert seen[0] == 0
    assert seen == sorted(set(seen))


def test_relabel_gives_the_task_that_a_failed_episode_achieved(env):
    record = play_actions(env, TASK, ["down", "jump", "down"])
    relabelled = env.relabel(trajectory_of(TASK, record))
    assert relabelled.config["goal"] == [4, 1]
    assert "goal at 4, 1" in relabelled.instruction
    assert TASK.instruction not in relabelled.instruction
    again = play_actions(env, relabelled, record.actions)
    assert again.success
    assert [step.reward for step in again.steps] == [-1, -4, 0]


def test_relabel_finds_nothing_in_a_success_or_where_the_agent_is_back(env):
    solved = play_actions(env, TASK, ["up", "right", "right"])
    assert env.relabel(trajectory_of(TASK, solved)) is None
    back = play_actions(env, TASK, ["down", "up"])
    assert env.relabel(trajectory_of(TASK, back)) is None


def test_relabel_keeps_held_out_tasks_out_of_training(env):
    suite = agentgym.load_suite("dialogue/maze")
    held_out = next(task for task in suite.tasks("test") if task.stratum == "known-maze")
    actions = play_script(env, held_out, SCRIPTS["oracle"](held_out, 0)).actions
    wanted = puzzle_of(held_out)
    alike = [task for task in suite.train_tasks() if puzzle_of(task)[:3] == wanted[:3]]
    walks = [trajectory_of(task, play_actions(env, task, actions), suite=suite.name) for task in alike]
    walk = next(walk for walk in walks if not walk.success)
    assert len(walk.turns) == len(actions)
    assert env.relabel(walk) is None
    assert MazeEnv().relabel(walk) is None  # the task is found by its id too
    del walk.turns[2:]  # no start and goal of the suite are so near
    assert env.relabel(walk).split == "train"


def test_maze_splits_share_no_maze_and_no_known_pair():
    suite = agentgym.load_suite("dialogue/maze")
    parts = {}
    for split in suite.splits:
        puzzles = [puzzle_of(task) for task in suite.tasks(split)]
        parts[split] = {p.rows if p.layout == "generated" else p for p in puzzles}
        assert len(parts[split]) == len(puzzles)
    assert not parts["train"] & parts["test"]
    assert not parts["train"] & parts["validation"]


def test_maze_partial_has_the_tasks_of_maze():
    full, partial = (agentgym.load_suite(name).tasks("test") for name in ("dialogue/maze", "dialogue/maze-partial"))
    assert [puzzle_of(task)._replace(observation="partial") for task in full] == [puzzle_of(task) for task in partial]


def mean_score(env, quality):
    tasks = [env.make_task(seed) for seed in range(60)]
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).steps[-1].score for task in tasks) / 60


def test_demonstrator_quality_moves_its_score(env):
    scores = [mean_score(env, quality) for quality in (0.0, 0.4, 0.8, 1.0)]
    assert scores == sorted(scores)
    assert scores[-1] == 1.0


@pytest.mark.parametrize("options", [{"layout": "round"}, {"size": 6}, {"size": 1}, {"observation": "none"}])
def test_maze_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected one of tees"):
        MazeEnv(**options)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"layout": "tees"}), "lacks 'start'"),
        (maze_task("x", 0, HORSESHOE._replace(goal=(3, 3))), "no way from"),
        (maze_task("x", 0, HORSESHOE._replace(goal=(2, 1))), "no way from"),
        (maze_task("x", 0, HORSESHOE._replace(observation="blind")), "observation 'blind'"),
    ],
)
def test_maze_refuses_a_task_that_cannot_be_played(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def test_maze_vocabulary_has_every_word_that_occurs(env):
    known = set(" ".join(tokens.texts()).replace(".", " ").replace(",", " ").split())
    for name in ("dialogue/maze", "dialogue/maze-partial"):
        for task in agentgym.load_suite(name).tasks("test")[::10]:
            record = play_script(env, task, Demonstrator(task, 0))
            said = " ".join([record.first.text, *(step.text for step in record.steps), *record.actions])
            words = {word for word in said.replace(".", " ").replace(",", " ").split() if not word.isdigit()}
            assert words <= known


def test_maze_hint_is_a_way_to_the_goal(env):
    assert agentgym.spec("agentgym/Maze-v0").load_hints()(TASK, {}) == "Way: up, right, right."
    for seed in range(10):
        task = env.make_task(seed)
        way = hint(task).removeprefix("Way: ").removesuffix(".").split(", ")
        assert play_actions(env, task, way).success
