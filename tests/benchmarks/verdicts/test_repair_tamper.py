"""The tables of attempts on the page about repairs are those of the kept run, and every attempt has its place."""

import json
from pathlib import Path

from agentgym_swe.repair.tampering.hostile_code import HOLDING_UP
from agentgym_swe.repair.tampering.laid_files import BAD_INPUT
from agentgym_swe.repair.tampering.table import ATTACKS, FORGING, NO_FORM
from benchmarks.verdicts.repair_tamper import OTHERS, OWN_RECORDS, PLACES

ROOT = Path(__file__).parents[3]
FIGURES = json.loads((ROOT / "benchmarks/results/repair_tamper-cpu.json").read_text(encoding="utf-8"))["figures"]
PAGE = (ROOT / "docs/environments/repair.md").read_text(encoding="utf-8")


def test_the_page_shows_what_the_kept_run_found() -> None:
    rows = {
        tuple(cells[:2]): cells[2:] for line in PAGE.splitlines() if len(cells := line.strip("| ").split(" | ")) > 3
    }
    for key, said in FIGURES["said"].items():
        name, _, package = key.partition(" ")
        shown = rows[name.replace("_", " "), package.strip("()")]
        assert shown[:-1] == ["-" if said[grader] == "failed" else said[grader] for grader in (*OTHERS, OWN_RECORDS)]
        assert shown[-1] == said["ours_bubblewrap"] == said["ours_docker"]
    for key, said in FIGURES["said_of_others"].items():
        name, _, package = key.partition(" ")
        assert rows[name.replace("_", " "), package.strip("()")][-1] == said["ours_bubblewrap"]


def test_the_kept_run_made_every_attempt_and_fooled_no_verdict() -> None:
    assert {key.partition(" ")[0] for key in FIGURES["said"]} == set(FORGING)
    assert {key.partition(" ")[0] for key in FIGURES["said_of_others"]} == {*BAD_INPUT, *HOLDING_UP}
    assert FIGURES["fooled"]["ours_bubblewrap"] == FIGURES["fooled"]["ours_docker"] == 0


def test_an_attempt_that_fools_no_grader_has_a_reason() -> None:
    assert {key.partition(" ")[0] for key in FIGURES["fool_no_grader"]} == set(NO_FORM)
    assert set(NO_FORM) <= set(FORGING)
    assert set(PLACES) <= set(ATTACKS)
