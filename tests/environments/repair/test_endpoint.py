"""Repair-v0 played by a model behind an OpenAI-compatible server, by calls and by fenced blocks; its predictions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli.main import main
from agentgym.errors import WrongRunError
from agentgym.evaluation import EvaluationSettings, evaluate, open_evaluation_store, result_text
from agentgym.evaluation.env_suite import EnvSuite
from agentgym.policies.endpoint import EndpointPolicy
from agentgym.rollout import RolloutSettings
from agentgym.store import RunStore
from agentgym.store.predictions import export_predictions
from agentgym.task import Task
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.solving import replacements
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.patches import from_diff
from tests.environments.repair.conftest import RELAXED
from tests.policies.faulty_server import FaultyServer, chat, running_server

SUITE = "agentgym/Repair-v0"


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with running_server() as running:
        yield running


def suite_of(task: Task, use: str) -> EnvSuite:
    options = {"use": use, "sandbox": "bubblewrap", "relaxed": RELAXED}
    named = {"name": SUITE, "env": SUITE, "description": "", "license": "", "source": "", "folder": Path()}
    strata = {"": ""}
    return EnvSuite(
        **named, headline="", strata=strata, splits={"test": ("",)}, scores={}, env_options=options, made=(task,)
    )


def call(name: str, **arguments: Any) -> Any:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return chat(None, tool_calls=[{"id": "c1", "type": "function", "function": function}], finish="tool_calls")


def as_calls(task: Task) -> list[Any]:
    """The oracle's edit, and submission, as calls."""
    [made] = replacements(read_task(task))
    return [call("edit", command="replace", path=made.path, old=made.old, new=made.new), call("submit")]


def as_blocks(task: Task) -> list[Any]:
    """The same as messages with fenced blocks."""
    [made] = replacements(read_task(task))
    program = f"p = {made.path!r}; t = open(p).read(); open(p, 'w').write(t.replace({made.old!r}, {made.new!r}))"
    return [chat(f"I mend it.\n```bash\npython3 - <<'END'\n{program}\nEND\n```"), chat("```bash\nsubmit\n```")]


@pytest.mark.parametrize("use", ["all", "blocks"])
def test_model_solves_by_calls_and_by_blocks_and_the_report_says_how(
    server: FaultyServer, task: Task, tmp_path: Path, use: str, capsys: pytest.CaptureFixture[str]
) -> None:
    right = as_calls(task) if use == "all" else as_blocks(task)
    server.answers[:] = [*right, right[-1]]  # the second attempt submits at once
    policy = EndpointPolicy(server.url, "model")
    settings = EvaluationSettings(attempts=2, rollout=RolloutSettings(max_concurrent=1))
    try:
        with open_evaluation_store(tmp_path / "run") as store:
            result = evaluate(policy, suite_of(task, use), "test", settings, store=store)
    finally:
        policy.close()
        close_judges()
    assert [("tools" in body) for body in server.bodies] == [use == "all"] * 3
    assert (result.success.mean, result.pass_at()) == (0.5, {"1": 0.5, "2": 1.0})
    assert (result.costs["prompt_tokens"], result.costs["completion_tokens"]) == (30.0, 12.0)
    assert result.blame == {"agent: unchanged": 1}
    text = result_text(result)
    for shown in ("pass@k", "unchanged", "prompt_tokens 30"):
        assert shown in text
    target = tmp_path / "predictions.jsonl"
    assert main(["export", str(tmp_path / "run"), "--form", "predictions", "--to", str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"] == 1
    [prediction] = map(json.loads, target.read_text().splitlines())
    assert (prediction["instance_id"], prediction["model_name_or_path"]) == (task.id, policy.name)
    case = read_task(task).case
    [(path, text)] = from_diff(case.layer, case.given, prediction["model_patch"]).files.items()
    assert text == case.layer.text(path)
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert export_predictions(store, tmp_path / "second.jsonl", attempt=1) == (1, 1, 0)
        with pytest.raises(WrongRunError, match="--overwrite replaces it"):
            export_predictions(store, target)
