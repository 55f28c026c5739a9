import re

import numpy as np
import pytest

from agentgym.attribution import attribute_run, make_attributions
from agentgym.store import RunStore
from agentgym.trajectory import Turn
from agentgym.view import write_report
from agentgym.view.credit import brief
from agentgym.view.heat import HeatRow, heat_class, ragged_map
from tests.attribution.records import record

METHODS = ("terminal", "potential", "episode_groups+anchors")


def episode(number, is_solved, num_turns=5):
    rewards = [0.0] * (num_turns - 1) + [float(is_solved)]
    progress = list(np.linspace(0, 1, num_turns + 1)[:num_turns])
    anchors = [f"s{at}" for at in range(num_turns)]
    found = record(f"e{number}", rewards, group=f"g{number // 4}", progress=progress, anchors=anchors)
    found.success, found.score, found.task_id = bool(is_solved), float(is_solved), f"task-{number // 4}"
    return found


@pytest.fixture
def folder(tmp_path):
    with RunStore.create(tmp_path / "run", {}) as store:
        for number in range(40):
            store.write_episode(episode(number, number % 4 == 0, 3 + number % 5), number // 8)
    return tmp_path / "run"


def attribute(folder, *methods):
    with RunStore.open(folder) as store:
        attribute_run(store, dict(zip(methods, make_attributions(methods), strict=True)))


def page_of(folder):
    return write_report(folder).read_text(encoding="utf-8")


def test_methods_are_drawn_side_by_side_on_the_same_episodes(folder):
    attribute(folder, *METHODS)
    page = page_of(folder)
    assert "Who earned it" in page
    panels = re.findall(r'aria-label="Credit of turns by ([^"]+)"(.*?)</svg>', page, re.DOTALL)
    assert [name for name, _ in panels] == ["as recorded", *sorted(METHODS)]
    assert {drawn.count('class="mark good"') for _, drawn in panels} == {10}
    assert {drawn.count('class="mark bad"') for _, drawn in panels} == {18}


def test_the_map_of_a_method_shows_its_own_credit(folder):
    attribute(folder, "terminal", "uniform")
    page = page_of(folder)
    drawn = dict(re.findall(r'aria-label="Credit of turns by ([^"]+)"(.*?)</svg>', page, re.DOTALL))
    solved_turns = {name: len(re.findall(r'class="cell e\d"', found)) for name, found in drawn.items()}
    assert solved_turns["terminal"] == solved_turns["as recorded"] == 10
    assert solved_turns["uniform"] == sum(3 + number % 5 for number in range(0, 40, 4))


def test_two_attempts_at_one_task_are_told_turn_by_turn(folder):
    attribute(folder, "potential")
    table = page_of(folder).partition('<table class="turn-by-turn">')[2]
    first, _, second = table.partition('<table class="turn-by-turn">')
    assert ">solved<" in first
    assert ">not solved<" in second
    tasks = [re.search(r"task-\d+", part).group() for part in (first, second)]
    assert tasks[0] == tasks[1]


def test_transcripts_tell_the_credit_of_each_turn(folder):
    attribute(folder, "potential")
    transcript = page_of(folder).partition("<h2>Episodes</h2>")[2]
    assert re.search(r'chip heat [el]\d">potential [+-]\d\.\d\d', transcript)


def test_nothing_is_shown_where_rewards_come_at_the_end_and_no_method_was_asked(folder):
    assert "Who earned it" not in page_of(folder)


def test_step_rewards_are_shown_without_a_method(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record("a", [0.5, -0.25, 1.0]))
    page = page_of(tmp_path)
    assert "agentgym attribute sets other methods" in page
    assert page.count('class="cell e') == 2
    assert page.count('class="cell l') == 1


def test_labels_and_texts_of_a_hostile_run_are_escaped(tmp_path):
    evil = "<script>alert(1)</script>"
    hostile = record(evil, [0.5, 1.0], task_id=evil)
    hostile.turns[0].reply["content"] = evil
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(hostile)
        attribute_run(store, {evil: make_attributions(["uniform"])[0]})
    assert "<script" not in page_of(tmp_path)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.0, "e8"), (-1.0, "l8"), (0.126, "e2"), (0.125, "e1"), (1e-9, "e1"), (0.0, ""), (float("nan"), "")],
)
def test_colours_grow_with_the_value(value, expected):
    assert heat_class(value, 1.0) == expected


def test_means_below_the_map_count_the_rows_that_reach_a_column():
    rows = [HeatRow(np.array([1.0, 1.0]), ["", ""], "good"), HeatRow(np.array([0.0]), [""], "bad")]
    drawn = ragged_map(rows, 2, 1.0, "x")
    assert "turn 1\nmean +0.5 of 2 episodes" in drawn
    assert "turn 2\nmean +1 of 1 episodes" in drawn


def test_an_action_is_told_on_a_line():
    calls = [{"function": {"name": "click", "arguments": '{"id": "a1"}'}}, {"function": {"name": "end"}}, 3]
    assert brief(Turn(0, [], {"tool_calls": calls}, "raw")) == 'click(id="a1") end()'
    assert brief(Turn(0, [], {"content": "two\nlines"}, "raw")) == "two lines"
    assert brief(Turn(0, [], {}, "x" * 200)).endswith("x …")
