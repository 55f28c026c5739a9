from __future__ import annotations

import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions
from agentgym_dialogue.describing.grid_drawing import vocabulary
from agentgym_dialogue.describing.grid_drawing.game import GridDrawingGame, draw_strokes, drawing_task, f1
from agentgym_dialogue.describing.grid_drawing.scripts import SCRIPTS
from agentgym_dialogue.describing.grid_drawing.strokes import Stroke, drawn, read_strokes
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = ()  # a picture, which only the instructor's words can give


ROW, CELL = Stroke(1, None, "A"), Stroke(0, 2, "B")
TASK = drawing_task("drawing:test", 0, 3, [ROW, CELL])


@pytest.fixture
def game():
    game = GridDrawingGame()
    game.reset(TASK)
    return game


def view(role):
    return agentgym.make("agentgym/GridDrawing-v0", role=role)


def test_game_shows_the_target_to_the_instructor_alone():
    inbox = GridDrawingGame().reset(TASK)
    assert inbox["instructor"][0]["content"] == (
        "Target:\n- - B\nA A A\n- - -\nSay one instruction a message, 4 at most, or done."
    )
    assert inbox["drawer"][0]["content"].endswith("empty cell.\n- - -\n- - -\n- - -")


def test_game_pays_f1_of_what_was_drawn_to_both(game):
    assert told(game.step("Fill row 2\nwith A"), "drawer") == "Fill row 2 with A"
    assert told(game.step("---\nAAA\nC--"), "instructor") == "Next?"
    reply = game.step("Done.")
    assert told(reply, "drawer") == "Done. 3 cells right, 1 wrong, 1 missing."
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("drawer", "f1", 0.75),
        ("instructor", "f1", 0.75),
    ]
    assert reply.scores == {"drawer": 0.75, "instructor": 0.75}
    assert reply.successes == {"drawer": False, "instructor": False}


def test_game_ends_when_the_instructions_are_used_up(game):
    for _ in range(4):
        assert game.acting_role == "instructor"
        game.step("row 1")
        reply = game.step("--B\nAAA\n---")
    assert (str(reply.outcome), reply.successes["drawer"]) == ("terminated", True)


@pytest.mark.parametrize(
    "drawing", ["", "- - -", "a" * 9, "done", "- " * 10, "Here: ---------", "--B AAA --\u00c9", "-" * 999]
)
def test_drawing_that_is_no_whole_grid_is_invalid(game, drawing):
    game.step("Fill row 2 with A")
    assert game.step(drawing).is_invalid
    assert game.acting_role == "drawer"


@pytest.mark.parametrize("text", ["", "...", "строка", "row " * 31, "x" * 301])
def test_instruction_that_is_no_plain_text_is_invalid(game, text):
    assert game.step(text).is_invalid
    assert game.acting_role == "instructor"


def test_what_was_drawn_counts_where_a_role_fails_the_format():
    record = play_actions(view("drawer"), TASK, ["---\nAAA\n---", "", "", ""])
    assert str(record.steps[-1].outcome) == "invalid"
    assert record.steps[-1].score == f1("---AAA---", "--BAAA---") == pytest.approx(6 / 7)
    assert record.reward == record.steps[-1].score


@pytest.mark.parametrize(
    ("grid", "score"), [("---------", 0), ("--BAAA---", 1), ("CCCCCCCCC", 0), ("AAAAAAAAA", 6 / 13), ("--B------", 0.4)]
)
def test_f1_counts_filled_cells(grid, score):
    assert f1(grid, "--BAAA---") == pytest.approx(score)


@pytest.mark.parametrize(
    ("text", "strokes"),
    [
        ("Fill row 2 with A", [ROW]),
        ("put a B in the first row, third column", [CELL]),
        ("Put B in the top right corner; then fill the second row with A.", [CELL, ROW]),
        ("B at column 3 row 1", [CELL]),
        ("rows are nice", []),
        ("Fill rows with A", []),
        ("row 1 and row 3 get C", [Stroke(0, None, "C"), Stroke(2, None, "C")]),
        ("clear column 2", [Stroke(None, 1, "-")]),
        ("Fill all cells with C", [Stroke(None, None, "C")]),
        ("row 2", []),
        ("A or B in row 2", []),
        ("Fill row 7 with A", []),
    ],
)
def test_strokes_are_read_from_free_text(text, strokes):
    assert read_strokes(text, 3) == strokes


def test_strokes_in_words_are_read_back_and_none_is_hidden():
    for seed in range(100):
        strokes = draw_strokes(random.Random(seed), 7, 5)
        assert [found for stroke in strokes for found in read_strokes(stroke.words(), 7)] == strokes
        for index in range(5):
            assert drawn(strokes[:index] + strokes[index + 1 :], 7) != drawn(strokes, 7)


@pytest.mark.parametrize("size", [2, 9])
def test_as_many_strokes_as_rows_are_drawn(size):
    for seed in range(10):
        assert len(draw_strokes(random.Random(seed), size, size)) == size


def test_views_of_both_roles_meet_scripted_partners():
    record = play_actions(view("drawer"), TASK, ["---\nAAA\n---", "--B\nAAA\n---"])
    assert record.first.text.endswith("\nFill row 2 with A")
    assert record.steps[0].text == "Next?\nPut B in row 1 column 3" or record.steps[0].text == "Put B in row 1 column 3"
    assert record.success
    record = play_actions(view("instructor"), TASK, ["Fill row 2 with A and", "hm", "B in row 1 column 3", "done"])
    assert [step.text for step in record.steps[:3]] == ["Next?"] * 3
    assert record.success


@pytest.mark.parametrize("role", ["drawer", "instructor"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.8, 1.0)]
    assert rates[0] < rates[1] < rates[2] == 80


def test_no_target_of_the_suite_is_in_two_tasks_and_both_suites_have_the_same():
    suites = [agentgym.load_suite(f"dialogue/grid-drawing{end}") for end in ("", "-instructor")]
    tasks = [task for split in suites[0].splits for task in suites[0].tasks(split)]
    targets = {drawn([Stroke(*stroke) for stroke in task.private["strokes"]], task.config["size"]) for task in tasks}
    assert len(targets) == len(tasks)
    for split in suites[0].splits:
        hashes = [[task.content_hash for task in suite.tasks(split)] for suite in suites]
        assert hashes[0] == hashes[1]


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    for role in ("drawer", "instructor"):
        records = played(view(role), SCRIPTS[role]["demo"], 30)
        assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    for options in ({"size": 1}, {"num_strokes": 0}, {"size": 4, "num_strokes": 5}):
        with pytest.raises(ConfigError, match="expected a size of 2 to 9"):
            GridDrawingGame(**options)
    with pytest.raises(TaskError, match="empty grid"):
        GridDrawingGame().reset(drawing_task("x", 0, 3, []))
    with pytest.raises(TaskError, match="lacks 'size'"):
        GridDrawingGame().reset(agentgym.Task("x", 0))
