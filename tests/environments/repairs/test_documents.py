from dataclasses import replace

import pytest

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_swe.making.documents import fingerprint, hunted, put, yields
from agentgym_swe.repair.hunting import Hunted


def test_a_part_of_a_page_is_replaced_between_its_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- counts: begin -->\nold\n<!-- counts: end -->\n\nThe end.\n")
    put(page, "counts", ["new", "lines"])
    put(page, "counts", ["new", "lines"])
    assert page.read_text() == ("# Page\n\n<!-- counts: begin -->\n\nnew\nlines\n\n<!-- counts: end -->\n\nThe end.\n")
    with pytest.raises(ConfigError, match=r"page\.md lacks the markers of the part 'yields'"):
        put(page, "yields", [])
    with pytest.raises(ConfigError, match="cannot be read"):
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
