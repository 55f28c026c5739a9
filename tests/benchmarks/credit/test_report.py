import json

import pytest

from agentgym.errors import ConfigError
from benchmarks.credit import report as report_module
from benchmarks.credit.chain import Plan
from benchmarks.credit.page import BEGIN, END, write_page
from benchmarks.credit.report import reported
from benchmarks.credit.runs import Places
from tests.benchmarks.credit.records import keep

SLOW, FAST = ((0, 0.1), (10_000, 0.2), (20_000, 0.5)), ((0, 0.1), (1_000, 0.5), (20_000, 0.96))


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setattr(report_module, "oracle_score", lambda task, places: 1.0)
    return Plan(
        ["key-door", "maze"],
        ["loop", "reinforce", "gigpo"],
        range(3),
        False,
        Places(tmp_path, tmp_path / "archive"),
        tmp_path,
    )


def shifted(points, seed):
    return tuple((turns, score + 0.01 * seed * (turns > 0)) for turns, score in points)


def fill(plan, task, method, points):
    for piece in plan.runs(task, method):
        keep(piece, plan.places, *shifted(points, piece.seed))


def goal(found, words):
    return next(each for each in found.goals if words in each.name)


def test_a_method_that_is_faster_is_above_and_reaches_levels_sooner(plan):
    fill(plan, "key-door", "loop", SLOW)
    fill(plan, "key-door", "gigpo", FAST)
    found = reported(plan)
    methods = found.figures["key-door"]["methods"]
    assert methods["gigpo"]["turns_to"]["50%"]["median"] < 2_000
    assert methods["loop"]["turns_to"]["80%"] == {"median": None, "reached": 0, "seeds": 3}
    difference = found.figures["key-door"]["paired"]["gigpo"]["loop"]["mean_over_turns"]
    assert difference["low"] > 0
    assert difference["seeds"] == 3
    assert goal(found, "on key-door").is_met
    assert not goal(found, "other tasks").is_met
    assert "gigpo +" in found.setting["reasons"][goal(found, "on key-door").name]


def test_a_method_that_is_not_above_meets_no_goal(plan):
    fill(plan, "key-door", "loop", FAST)
    fill(plan, "key-door", "gigpo", SLOW)
    assert not goal(reported(plan), "on key-door").is_met


def test_methods_are_compared_on_the_seeds_they_share(plan):
    fill(plan, "key-door", "loop", SLOW)
    keep(plan.runs("key-door", "gigpo")[1], plan.places, *FAST)
    rows = reported(plan).figures["key-door"]["paired"]["gigpo"]["loop"]["last"]
    assert rows["seeds"] == 1
    assert rows["low"] is None
    assert not goal(reported(plan), "on key-door").is_met


def test_turns_to_a_level_are_compared_where_there_is_something_to_reach(tmp_path):
    plan = Plan(
        ["key-door"], ["archer", "reinforce"], range(3), False, Places(tmp_path, tmp_path / "archive"), tmp_path
    )
    fallen = ((0, 0.1), (6_000, 0.5), (12_000, 0.05))
    for theirs, ours in zip(plan.runs("key-door", "reinforce"), plan.runs("key-door", "archer"), strict=True):
        keep(theirs, plan.places, *(fallen if theirs.seed == 1 else SLOW))
        keep(ours, plan.places, *FAST)
    ratios = reported(plan).figures["key-door"]["turn_ratios"]["archer"]["reinforce"]
    assert len(ratios) == 2, "the run that fell below its start is left out"
    assert all(1 < ratio < 100 for ratio in ratios)


def test_a_report_of_nothing_has_all_goals_missed_but_the_time(plan):
    found = reported(plan)
    assert found.figures == {}
    assert [each.is_met for each in found.goals] == [False, False, False, False, False, True]


def test_the_picture_and_the_page_hold_what_was_measured(plan, tmp_path):
    for task in plan.tasks:
        fill(plan, task, "loop", SLOW)
        fill(plan, task, "gigpo", FAST)
    found = reported(plan, tmp_path / "curves.svg")
    drawn = (tmp_path / "curves.svg").read_text()
    assert drawn.startswith("<svg")
    assert drawn.count("GiGPO: 0.97 at the end, 3 seeds") == 2
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{BEGIN}\nstale\n{END}\n\nafter\n")
    goals = [each.to_json() for each in found.goals]
    write_page(json.loads(json.dumps({"goals": goals, "setting": found.setting, "figures": found.figures})), page)
    text = page.read_text()
    assert text.startswith("# Page")
    assert text.endswith("after\n")
    assert "stale" not in text
    assert "| GiGPO | 3 |" in text
    assert " | learning_rate 0" in text
    assert "| GiGPO | Terminal credit (LOOP) | +0." in text


def test_a_page_without_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    with pytest.raises(ConfigError, match="measured: begin"):
        write_page({"goals": [], "setting": {"reasons": {}}, "figures": {}}, page)
