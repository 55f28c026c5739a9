import argparse
import json

import pytest

from benchmarks.report import Goal, Report, main, own_options


def report_of(*goals):
    spread = {"median": 2.0, "low": 1.0, "high": 3.0, "repeats": 3}
    return lambda is_quick: Report(goals=list(goals), figures={"side": {"steps": spread}}, setting={"quick": is_quick})


@pytest.mark.parametrize(
    ("value", "sense", "is_met"), [(50.0, "at least", True), (49.9, "at least", False), (50.1, "at most", False)]
)
def test_goal_is_met_at_its_bound(value, sense, is_met):
    assert Goal("g", value, 50.0, sense).to_json()["met"] is is_met


def test_main_prints_json_with_goals_machine_and_versions(capsys, tmp_path):
    goal = Goal("ratio", 3.14159, 2.0, "at least")
    assert main("name", report_of(goal), ["numpy"], ["--json", "--quick", "--out", str(tmp_path / "out.json")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["goals"] == [{"name": "ratio", "value": 3.142, "goal": 2.0, "sense": "at least", "met": True}]
    assert found["quick"] is found["setting"]["quick"] is True
    assert found["figures"]["side"]["steps"]["low"] == 1.0
    assert found["machine"]["cores"] >= 1
    assert "numpy" in found["versions"]
    assert json.loads((tmp_path / "out.json").read_text()) == found


def test_main_says_in_words_what_was_missed_and_fails(capsys):
    assert main("name", report_of(Goal("memory", 3.0, 2.0, "at most")), [], []) == 1
    text = capsys.readouterr().out
    assert "MISSED memory: 3 (at most 2)" in text
    assert "side steps: 2 [1 to 3]" in text


def own_parser():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seeds", type=int, required=True, help="seeds of each arm")
    return parser


def test_help_shows_the_options_of_one_benchmark_and_of_all(capsys):
    with pytest.raises(SystemExit) as ended:
        own_options("name", own_parser(), ["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert "usage: python -m benchmarks.name" in text
    assert "seeds of each arm" in text
    assert "also write the JSON to this file" in text


def test_own_options_leave_the_others_to_main():
    own, rest = own_options("name", own_parser(), ["--quick", "--seeds", "3"])
    assert (own.seeds, rest) == (3, ["--quick"])
