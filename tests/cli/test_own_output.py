"""Standard output is for results: an environment that prints leaves JSON whole, and one that exits is named."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from agentgym.cli.main import main
from agentgym.cli.output import print_json, result_stream, results_apart
from agentgym.registration import register
from tests.toys import loud

EVAL = ["eval", "--suite", "test/Loud-v0", "--policy", "oracle", "--json"]
NOISE = ["printed by the environment", "written by the environment", "printed by its child"]


def run_apart(args: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.toys.loud", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_what_an_environment_and_its_children_print_goes_to_stderr() -> None:
    ended = run_apart(EVAL)
    assert ended.returncode == 0, ended.stderr
    result, rest = ended.stdout.rsplit("}", 1)
    assert json.loads(result + "}")["success"]["mean"] == 1.0
    assert rest.split("\n") == ["", "after the command", ""]
    for text in NOISE:
        assert ended.stderr.count(text) == 3


def test_an_environment_that_exits_ends_no_evaluation_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    register(loud.SPEC)
    assert main([*EVAL, "--env-option", "exits=true"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "sys.exit(3) was called (" in captured.err
    assert "loud.py" in captured.err


def test_a_policy_that_exits_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    register(loud.SPEC)

    class Quitter(loud.Player):
        def __init__(self, *given: object) -> None:
            sys.exit("tired")

    monkeypatch.setitem(loud.SCRIPTS, "oracle", Quitter)
    with pytest.raises(RuntimeError, match=r"sys.exit\('tired'\) was called"):
        main(EVAL)


def test_results_go_back_to_where_they_went_before(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout

    def work() -> None:
        with results_apart():
            print("noise")
            print_json({"a": 1})
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        work()
    assert sys.stdout is before is result_stream()
    print("after")
    assert capsys.readouterr() == ('{\n  "a": 1\n}\nafter\n', "noise\n")
