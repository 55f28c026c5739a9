"""Results by page, and the tables of the docs that are written from them."""

import json

import pytest

from agentgym.errors import ConfigError
from agentgym_web.miniwob.oracles.player import all_oracles
from agentgym_web.miniwob.pages import ALL_PAGES
from benchmarks.web import page, parity_run
from benchmarks.web.results import read, write

SAME = {"episodes": 20, "equal": 20, "with_waits": 0, "solved": 20, "differ": []}


def differing(theirs, why=""):
    one = {"seed": 1, "page_seed": 1, "moves": 2, "ours": 1.0, "theirs": theirs, "waits": True, "why": why}
    return {**SAME, "equal": 19, "differ": [one]}


def compared(of_farama, of_browsergym=None):
    return {"farama": {"pages": of_farama}, "browsergym": {"pages": of_browsergym or {}}}


def test_docs_are_what_is_generated_from_the_results():
    for name, text in page.tables().items():
        written = (page.DOCS / name).read_text(encoding="utf-8")
        assert page.between_marks(written, text, name) == written, f"run: python -m benchmarks.web page ({name})"


def test_results_are_kept_in_the_order_of_pages(tmp_path):
    path = tmp_path / "results.json"
    assert read(path) == {"pages": {}}
    write({"pages": {"click-pie": SAME, "click-test": SAME}}, path)
    assert list(read(path)["pages"]) == ["click-test", "click-pie"]


def test_pages_that_are_in_the_file_are_not_compared_again(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"pages": dict.fromkeys(all_oracles(), SAME)}))
    parity_run.run("farama", [], 1, path)
    assert set(read(path)["pages"]) == set(all_oracles())


def test_pages_that_another_call_adds_meanwhile_stay(tmp_path, monkeypatch):
    path = tmp_path / "results.json"

    def compared_meanwhile(peer, page, seeds):
        write({"pages": {**read(path)["pages"], "click-pie": SAME}}, path)
        return SAME

    monkeypatch.setattr(parity_run, "_compared", compared_meanwhile)
    parity_run.run("farama", ["click-test"], 1, path)
    assert set(read(path)["pages"]) == {"click-test", "click-pie"}


def test_episode_that_was_the_same_in_one_of_two_runs_is_the_same():
    late, other = differing(0.0), differing(0.0)
    other["differ"][0]["seed"] = 7
    both = {**late, "equal": 18, "differ": [*late["differ"], *other["differ"]]}
    assert parity_run.united(late, other) == {**SAME, "with_waits": 1}
    assert parity_run.united(late, both) == {**late, "with_waits": 1}
    assert parity_run.united({"error": "gone"}, late) == parity_run.united(late, {"error": "gone"}) == late


def test_table_has_a_line_for_each_page_and_says_what_differs():
    played = {"pages": {"click-test": {"oracle": {"success": 1.0}, "null": {"success": 0.0}}}}
    table = page.pages_table(
        played, compared({"click-test": SAME, "click-pie": differing(None, "there is no action like tap")})
    )
    assert "| click-test | easy | 1.00 | - | 0.00 | 20/20 | - |" in table
    assert "| click-pie | medium | - | - | - | 19/20 (1) | - |" in table
    assert "1. There is no action like tap." in table
    assert sum(line.startswith("| ") for line in table.split("\n")) == len(ALL_PAGES) + 2
    assert "on all 20 seeds of 1 of 2 pages, and in 39 of 40 episodes" in table


def test_page_that_differs_without_a_reason_is_refused():
    with pytest.raises(ConfigError, match="click-pie gives other rewards"):
        page.pages_table({"pages": {}}, compared({"click-pie": differing(0.0)}))
    assert "19/20 (1)" in page.pages_table({"pages": {}}, compared({"chase-circle": differing(0.5)}))


def test_page_that_a_peer_lacks_has_a_note_and_does_not_count():
    table = page.pages_table({"pages": {}}, compared({"simon-says": SAME}, {"simon-says": {"error": "NameNotFound"}}))
    assert "| simon-says | hard | - | - | - | 20/20 | - (1) |" in table
    assert "1. BrowserGym has no such page." in table
    assert "BrowserGym gives" not in table


def test_page_of_the_docs_without_marks_is_refused():
    with pytest.raises(ConfigError, match="measured: begin"):
        page.between_marks("nothing here", "a table", "web.md")
