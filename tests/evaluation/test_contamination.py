"""What a model may have seen of its test: copies between splits are refused, and silence is reported as unknown."""

import json
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.config import Source
from agentgym.errors import TaskError
from agentgym.evaluation import (
    EvaluationSettings,
    compare,
    comparison_text,
    evaluate,
    open_evaluation_store,
    result_text,
)
from agentgym.evaluation.recording import Player, record
from agentgym.evaluation.result import EvaluationResult
from agentgym.policies.by_name import load
from agentgym.policy import NOTHING_SEEN, Seen, seen_by
from agentgym.registration import register
from agentgym.suite import Suite, read_suite
from agentgym.view import write_report
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.preflight import CHECKS
from tests.toys.game import SPEC, Sayer, write_suite


def with_copies(root: Path, count: int) -> Suite:
    """A suite whose test split holds tasks of its train split under other ids."""
    suite = write_suite(root)
    lines = (suite.folder / "train.jsonl").read_text().splitlines()[:count]
    copies = [json.dumps({**json.loads(line), "id": f"test/nim:copy-{n}"}) for n, line in enumerate(lines)]
    with (suite.folder / "test.jsonl").open("a") as file:
        file.write("\n".join(copies) + "\n")
    return read_suite(suite.folder)


@pytest.mark.parametrize(("count", "more"), [(1, "split;"), (3, "and 2 more stand in two splits;")])
def test_copied_tasks_are_refused_before_the_first_episode(count: int, more: str, tmp_path: Path) -> None:
    register(SPEC)
    suite, policy = with_copies(tmp_path, count), Sayer()
    with pytest.raises(
        TaskError, match="'test/nim:copy-0' of the test split is the same as 'test/nim:train-0'"
    ) as found:
        evaluate(policy, suite)
    assert more in str(found.value)
    assert not policy.asked


def test_copied_tasks_are_refused_before_a_recording(tmp_path: Path) -> None:
    register(SPEC)
    with pytest.raises(TaskError, match=r"test/nim:copy-0' of the test split is the same .* agentgym check test/nim$"):
        record([Player("oracle")], with_copies(tmp_path, 1), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_training_compares_the_splits_first(tmp_path: Path) -> None:
    suite = with_copies(tmp_path, 1)
    config = config_from_tables({"run": {"suite": "test/nim", "iterations": 1}}, Source())
    ground = Groundwork(config, suite, None, None, [], None, None)  # type: ignore[arg-type, var-annotated]
    [check] = [check for check in CHECKS if "train split too" in check.name]
    with pytest.raises(TaskError, match="copy-0"):
        check.require(ground)
    assert CHECKS.index(check) < len(CHECKS) - 1


def test_a_policy_that_says_nothing_is_reported_as_unknown_wherever_a_score_stands(tmp_path: Path) -> None:
    register(SPEC)
    suite = write_suite(tmp_path / "suites")
    with open_evaluation_store(tmp_path / "run") as store:
        result = evaluate(Sayer(), suite, store=store)
    assert result.num_trained_on is None
    assert result.to_json()["trained_on"] == "unknown"
    assert EvaluationResult.from_json(json.loads(json.dumps(result.to_json()))).num_trained_on is None
    said = "unknown; the policy does not say which tasks it was trained on"
    assert f"TRAINED ON: {said}" in result_text(result)
    assert f"TRAINED ON: {said}: sayer" in comparison_text(compare(result, result))
    assert said in write_report(tmp_path / "run").read_text()


def test_scripts_are_trained_on_nothing_and_say_so(tmp_path: Path) -> None:
    result = evaluate(load("oracle", "tools/lookup"), "tools/lookup", settings=EvaluationSettings(limit=2))
    assert (result.num_trained_on, result.to_json()["trained_on"]) == (0, False)
    assert "TRAINED ON" not in result_text(result)


def test_what_is_known_of_training_data() -> None:
    sayer = Sayer()
    assert seen_by(sayer) == Seen(frozenset(), False)
    sayer.seen_hashes = frozenset("a")  # type: ignore[attr-defined]
    assert seen_by(sayer) == Seen(frozenset("a"), True)
    sayer.knows_seen = False  # type: ignore[attr-defined]
    assert seen_by(sayer) == Seen(frozenset("a"), False)
    assert seen_by(load("random", "tools/lookup")) == NOTHING_SEEN
    assert not seen_by(load("endpoint:http://127.0.0.1:9/v1#m")).is_all


def test_eval_says_it_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["eval", "--suite", "dialogue/guess-number", "--policy", "random", "--limit", "2", "--json"]
    assert main(args) == 0
    assert json.loads(capsys.readouterr().out)["trained_on"] is False
