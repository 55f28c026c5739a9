"""`agentgym report`."""

import json
from pathlib import Path

import pytest

from agentgym.cli.main import main


@pytest.fixture
def run_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "run"
    args = ["eval", "--suite", "dialogue/guess-number", "--policy", "random", "--limit", "10", "--run", str(folder)]
    assert main(args) == 0
    capsys.readouterr()
    return folder


def test_report_writes_a_page_and_says_where(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run_folder)]) == 0
    page = Path(capsys.readouterr().out.strip())
    assert page.parent == run_folder
    assert "Guess the number between" in page.read_text(encoding="utf-8")
    assert main(["report", str(run_folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"run": str(run_folder), "report": str(page)}


def test_labels_of_credit_are_chosen_by_name(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribute", str(run_folder), "--method", "uniform", "terminal", "--label", "even", "late"]) == 0
    assert main(["report", str(run_folder), "--label", "late"]) == 0
    page = (run_folder / "report.html").read_text(encoding="utf-8")
    assert "Credit of turns by late" in page
    assert "Credit of turns by even" not in page
    capsys.readouterr()
    assert main(["report", str(run_folder), "--label", "lat"]) == 2
    assert "unknown credit label 'lat'; did you mean late" in capsys.readouterr().err


def test_tasks_are_chosen_by_id(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = "dialogue/guess-number:test-00000"
    assert main(["report", str(run_folder), "--task", task]) == 0
    page = (run_folder / "report.html").read_text(encoding="utf-8")
    assert page.count("Chosen, random") == page.count(f"{task} · ") == 1
    assert "1 of 10 episodes" in page
    capsys.readouterr()
    assert main(["report", str(run_folder), "--task", "dialogue/guess-number:test-0"]) == 2
    assert "the run has no task 'dialogue/guess-number:test-0'; did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["report"], ["attribute"], ["compare", "nowhere"], ["export", "--to", "data"]],
    ids=lambda words: words[0],
)
def test_a_folder_without_a_run_is_wrong_usage_of_any_command(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.out == ""
