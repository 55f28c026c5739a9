import json
from dataclasses import replace

import pytest

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_swe.making.documents import around, fingerprint, hunted, put, put_counts, yields
from agentgym_swe.making.generate import write_repair
from agentgym_swe.repair.hunting import Hunted


def test_a_part_of_a_page_is_replaced_between_its_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- counts: begin -->\nold\n<!-- counts: end -->\n\nThe end.\n")
    put(page, "counts", ["new", "lines"])
    put(page, "counts", ["new", "lines"])
    assert page.read_text() == ("# Page\n\n<!-- counts: begin -->\n\nnew\nlines\n\n<!-- counts: end -->\n\nThe end.\n")
    with pytest.raises(ConfigError, match=r"page\.md lacks the markers of the part 'yields'"):
        put(page, "yields", [])
    with pytest.raises(ConfigError, match="to get the part 'yields', there is no file"):
        put(tmp_path / "no.md", "yields", [])


def test_yields_are_summed_by_operator_and_by_package():
    issue = {"is_shown": True, "names_function": False}
    facts = {
        "yields": {"guard": {"valid": 3, "many": 2, "survived": 1, "died": 1, "unconfirmed": 1, "uncovered": 4}},
        "cpu_s": {"fork": 0.7},
        "num": {"fork": 7},
        "made": [{"issue": issue, "suite_s": 0.25}, {"issue": issue, "suite_s": 0.35}],
    }
    lines = list(yields({"one": facts, "other": facts}, 3))
    assert "| guard | 14 | 6 | 4 | 2 | 2 | 2 | 8 |" in lines
    assert "| one | 7 | 3 | 2 | 0.100 | 0.30 |" in lines
    assert lines[-2].startswith("The issue of 4 of the 4 tasks that were made shows a call with its values; 0 name")
    assert lines[-1].startswith("The suite has 3 of them: ")


def test_a_hunt_of_some_packages_keeps_the_rows_of_the_others(tmp_path):
    page = tmp_path / "README.md"
    page.write_text(
        "| toolz | bubblewrap | 3 | old | 0 | 9 | 9 | 9 | 0 |\n| semver | bubblewrap | 3 | old | 0 | 9 | 9 | 9 | 0 |\n"
        "| train | fault | 4 |\n"
    )
    tasks = [Task("one", 0, config={"package": "semver", "digest": "0", "edits": []})]
    half = Hunted("semver", "docker", 1, 0, 50, 20, 0, ())
    rows = [half, replace(half, num_elsewhere=700, traces=("a trace",))]
    assert list(hunted(page, tasks, rows))[2:] == [
        "| toolz | bubblewrap | 3 | old | 0 | 9 | 9 | 9 | 0 |",
        f"| semver | docker | 1 | {fingerprint(tasks)} | 0 | 50 | 20 | 700 | 1 |",
    ]


def made(function):
    candidate = {"edits": [["small.py", 0, 0, function]], "functions": [function], "operator": "guard", "kinds": []}
    issue = {"usual": "It fails.", "less": "It fails.", "more": "It fails.", "names_function": True, "is_shown": True}
    facts = {"kind": "fault", "failing": ["a::b"], "relevant": ["a::b"], "screen_s": 0.1, "suite_s": 0.2}
    return {**facts, "issue": issue, "candidate": candidate}


def test_a_folder_that_had_none_gets_a_page_with_counts_which_names_splits_without_a_task(tmp_path):
    found = {"inflection": {"digest": "0" * 64, "made": [made("inflection.pluralize")]}}
    assert dict(write_repair(tmp_path, found)) == {"train/fault": 1, "validation": 0, "test": 0}
    page = (tmp_path / "README.md").read_text()
    assert "| train | fault | 1 |\n| validation |  | 0 |\n| test |  | 0 |\n| all |  | 1 |" in page
    assert "\n| [inflection](https://pypi.org/" in page
    assert page.count("pypi.org") == 1
    assert around(tmp_path / "README.md", "hunt")
    (tmp_path / "README.md").write_text(f"# Mine\n{page}")
    put_counts(tmp_path, [Task("one", 0, split="test", config={"package": "semver", "kind": "double"})], "")
    assert "# Mine" in (tmp_path / "README.md").read_text()
    assert "| all |  | 1 |" in (tmp_path / "README.md").read_text()


def test_a_suite_does_not_lose_a_split_and_nothing_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="there are no tasks to write; name other packages"):
        write_repair(tmp_path, {})
    (tmp_path / "suite.toml").touch()
    with pytest.raises(ConfigError, match="would have no task in validation, test; make those of packages"):
        write_repair(tmp_path, {"inflection": {"digest": "0" * 64, "made": [made("inflection.pluralize")]}})
    assert not (tmp_path / "train.jsonl").exists()


def test_only_tasks_of_a_suite_have_its_name_in_their_ids(tmp_path):
    found = {"inflection": {"digest": "0" * 64, "made": [made("inflection.pluralize")]}}
    write_repair(tmp_path / "made", found)
    write_repair(tmp_path / "swe" / "repair", found)
    write_repair(tmp_path / "elsewhere", found, suite="swe/repair")
    suite = tmp_path / "own" / "faults"
    suite.mkdir(parents=True)
    (suite / "suite.toml").touch()
    of_all_splits = [made(f"inflection.{name}") for name in ("pluralize", "titleize", "humanize")]
    write_repair(suite, {"inflection": {"digest": "0" * 64, "made": of_all_splits}})
    without = {"digest": "0" * 64, "made": of_all_splits, "missing_release": "inflection 0.4.0"}
    with pytest.raises(ConfigError, match=r"would lose its tasks from history, since inflection 0\.4\.0 could not be"):
        write_repair(suite, {"inflection": without})
    folders = ("made", "swe/repair", "elsewhere", "own/faults")
    ids = [json.loads((tmp_path / folder / "train.jsonl").read_text())["id"] for folder in folders]
    assert ids == ["made:train-00000", "repair:train-00000", "swe/repair:train-00000", "own/faults:train-00000"]
