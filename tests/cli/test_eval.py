"""`agentgym eval` and `agentgym compare`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import eval as module
from agentgym.cli.main import main
from agentgym.cli.output import read_options
from agentgym.errors import ConfigError

GUESS = ["eval", "--suite", "dialogue/guess-number"]
Capture = pytest.CaptureFixture[str]


def evaluated(capsys: Capture, *args: str) -> dict[str, Any]:
    assert main([*args, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_eval_json_has_the_declared_keys(capsys: Capture) -> None:
    result = evaluated(capsys, *GUESS, "--split", "test", "--policy", "oracle")
    expected = {
        "suite",
        "split",
        "policy",
        "num_tasks",
        "attempts",
        "success",
        "score",
        "pass_at",
        "outcomes",
        "seconds",
    }
    assert expected <= result.keys()
    assert (result["suite"], result["split"], result["policy"]) == ("dialogue/guess-number", "test", "oracle")
    assert (result["num_tasks"], result["attempts"], result["pass_at"]["1"]) == (400, 1, 1.0)
    assert result["success"]["mean"] == 1.0
    assert 0.98 < result["success"]["low"] < result["success"]["high"] == 1.0


def test_eval_null_policy_scores_nothing(capsys: Capture) -> None:
    assert evaluated(capsys, *GUESS, "--policy", "null")["success"]["mean"] == 0.0


def test_eval_repeats_with_the_same_seed_and_differs_with_another(capsys: Capture) -> None:
    args = (*GUESS, "--policy", "random", "--limit", "40", "--attempts", "2")
    first, again, other = (evaluated(capsys, *args, "--seed", seed) for seed in ("1", "1", "2"))
    assert (first["num_tasks"], first["attempts"]) == (40, 2)
    assert first["tasks"] == again["tasks"]
    assert first["tasks"] != other["tasks"]


def test_eval_option_reaches_the_policy(capsys: Capture) -> None:
    result = evaluated(capsys, *GUESS, "--policy", "demo", "--option", "quality=1.0")
    assert result["success"]["mean"] == 1.0


def test_eval_for_people_shows_strata_and_tasks(capsys: Capture) -> None:
    assert main([*GUESS, "--policy", "oracle", "--limit", "4", "--tasks"]) == 0
    out = capsys.readouterr().out
    assert "unseen_range" in out
    assert "dialogue/guess-number:test-00000" in out


def test_eval_run_folder_is_resumed(capsys: Capture, tmp_path: Path) -> None:
    args = (*GUESS, "--policy", "random", "--limit", "20", "--run", str(tmp_path / "run"))
    first = evaluated(capsys, *args)
    assert (tmp_path / "run" / "run.db").is_file()
    assert main([*args, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["tasks"] == first["tasks"]
    assert "episodes/s" not in captured.err  # nothing was played again


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--policy", "oracel"], "did you mean oracle"),
        (["--policy", "oracle", "--split", "tests"], "did you mean test"),
        (["--policy", "oracle", "--suite", "dialogue/wordl"], "--suite is given twice"),
        (["--policy", "demo", "--option", "qualty=1"], "policy 'demo' has no option 'qualty'; did you mean quality?"),
        (["--policy", "demo", "--option", "quality"], "key=value"),
        (["--policy", "oracle", "--attempts", "0"], "attempts must be at least 1, got 0"),
        (["--policy", "random", "--temperature", "-1"], "temperature must be at least 0, got -1.0"),
        (["--policy", "random", "--max-fault-share", "2"], "max_fault_share must be from 0 to 1, got 2.0"),
        (["--policy", "torch:/nowhere"], "/nowhere"),
        (["--policy", "endpoint:http://localhost:1"], "URL#MODEL"),
        (["--policy", "endpoint:http://localhost:1#model", "--max-cost", "1"], "prompt_price"),
        (["--policy", "demo", "--max-cost", "1"], "max_cost"),
    ],
)
def test_eval_bad_input_is_one_clear_line(args: list[str], expected: str, capsys: Capture) -> None:
    assert main([*GUESS, *args]) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


def test_compare_gives_the_paired_difference(capsys: Capture, tmp_path: Path) -> None:
    for policy in ("null", "oracle"):
        result = evaluated(capsys, *GUESS, "--policy", policy, "--limit", "30")
        (tmp_path / f"{policy}.json").write_text(json.dumps(result))
    args = ["compare", str(tmp_path / "null.json"), str(tmp_path / "oracle.json")]
    assert evaluated(capsys, *args)["success"]["mean"] == 1.0
    assert main(args) == 0
    assert "oracle minus null" in capsys.readouterr().out


def test_compare_refuses_what_is_no_result(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "a.json")]) == 2
    assert "no result of an evaluation" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("run", "expected"), [([], "use --run FOLDER to keep"), (["--run", "r"], "run the same command")]
)
def test_eval_interrupted_says_what_becomes_of_the_episodes(
    run: list[str], expected: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = module.evaluate_by_name
    monkeypatch.setattr(module, "evaluate_by_name", lambda options: replace(whole(options), num_missing=3))
    assert main(["eval", "--suite", "tools/lookup", "--policy", "null", "--limit", "3", *run]) == 1
    assert f"3 episodes are missing; {expected}" in capsys.readouterr().err


TABOO = ["eval", "--suite", "dialogue/taboo-animals", "--policy", "demo", "--limit", "20"]


def test_eval_of_a_game_says_whose_result_it_is(capsys: Capture) -> None:
    result = evaluated(capsys, *TABOO, "--role", "describer", "--partner", "guesser=scripted:random")
    assert (result["role"], result["partners"]) == ("describer", {"guesser": "scripted:random"})
    assert set(result["game"]) == {"played", "quality", "product"}
    result = evaluated(capsys, *TABOO, "--partner", "describer=self")
    assert (result["role"], list(result["other_roles"])) == ("guesser", ["describer"])
    assert result["success"]["mean"] == result["other_roles"]["describer"]["success"]["mean"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--role", "describr"], "did you mean describer"),
        (["--partner", "describer"], "ROLE=NAME"),
        (["--partner", "describer=script"], "did you mean scripted"),
        (["--partner", "describer=torch:/nowhere"], "/nowhere"),
        (["--partner", "guesser=scripted"], "have partners too"),
    ],
)
def test_eval_refuses_a_cast_that_cannot_be(args: list[str], expected: str, capsys: Capture) -> None:
    assert main([*TABOO, *args]) == 2
    assert expected in capsys.readouterr().err


def test_read_options_takes_json_and_text() -> None:
    assert read_options(["a=1", "b=0.5", "c=true", "d=plain text", "e=x=y"]) == {
        "a": 1,
        "b": 0.5,
        "c": True,
        "d": "plain text",
        "e": "x=y",
    }
    with pytest.raises(ConfigError, match="key=value"):
        read_options(["not an identifier=1"])


def test_a_run_folder_in_which_nothing_was_played_is_removed_unless_it_was_there(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    new, empty, used = (tmp_path / name for name in ("new", "empty", "used"))
    empty.mkdir()
    assert main([*GUESS, "--policy", "random", "--limit", "1", "--run", str(used)]) == 0

    def fail(*_: object, **__: object) -> None:
        raise ConfigError("no sandbox can enforce that")

    monkeypatch.setattr("agentgym.evaluation.runner.collect_episodes", fail)
    for folder in (new, empty, used):
        assert main([*GUESS, "--policy", "random", "--limit", "2", "--run", str(folder)]) == 2
    monkeypatch.setattr("agentgym.evaluation.recording.collect_episodes", fail)
    assert main(["record", *GUESS[1:], "--policy", "random", "--episodes", "1", "--run", str(new / "below")]) == 2
    assert "no sandbox can enforce that" in capsys.readouterr().err
    assert not (new / "below").exists()
    assert (empty / "run.db").exists()
    assert (used / "run.db").exists()
