"""What of a stored run may be mended when it goes on, and that it is written down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from agentgym.cli.main import main
from agentgym.errors import ConfigError, WrongRunError
from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core.checkpoint import newest_iteration
from agentgym_rl.run.job import train
from agentgym_rl.run.run_folder import config_digest
from agentgym_rl.run.saved import CONFIG, record_mends, require_same, saved_config
from tests.trainers.rl.toys import install, toy_config

SHORT: dict[str, Any] = {"run": {"iterations": 2}, "group": {"tasks": 2, "size": 4}}
TESTED = {"validation": {"every": 0, "has_final_test": True, "test_tasks": 2}}


@pytest.fixture(scope="module", autouse=True)
def _suites(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    register_suites(root)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations with its test."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(toy_config("bandit", **SHORT, **TESTED), folder)
    return folder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "models" / "trained" / "model.safetensors")


def copy(folder: Path, target: Path) -> Path:
    import shutil

    return Path(shutil.copytree(folder, target))


def test_a_finished_run_is_extended_to_what_a_longer_run_would_have_learnt(finished: Path, tmp_path: Path) -> None:
    run = copy(finished, tmp_path / "run")
    config = saved_config(run, ["run.iterations=4", "validation.test_tasks=3"])
    result = train(config, run, resume=True)
    assert newest_iteration(run / "checkpoints") == 4
    assert result.held_out["trained"]["num_tasks"] == 3
    train(toy_config("bandit", **{**SHORT, "run": {"iterations": 4}}), tmp_path / "whole")
    ours, whole = weights(run), weights(tmp_path / "whole")
    assert all(torch.equal(ours[name], whole[name]) for name in whole)
    assert not all(torch.equal(ours[name], tensor) for name, tensor in weights(finished).items())
    with RunStore.open(run, read_only=True) as store:
        assert store.meta["config"]["run"]["iterations"] == 4


def test_mends_are_written_beside_the_configuration_which_stays_as_it_was(finished: Path, tmp_path: Path) -> None:
    run = copy(finished, tmp_path / "run")
    before, digest = json.loads((run / CONFIG).read_text()), config_digest(run, saved_config(run))
    for overrides in (["watch.max_invalid_iterations=7", "run.iterations=3"], ["checkpoint.keep=5"], []):
        record_mends(run, saved_config(run, overrides))
    facts = json.loads((run / CONFIG).read_text())
    assert {key: facts[key] for key in before} == before
    values = [mend["values"] for mend in facts["mends"]]
    assert values == [{"run.iterations": 3, "watch.max_invalid_iterations": 7}, {"checkpoint.keep": 5}]
    config = saved_config(run)
    assert (config.run.iterations, config.watch.max_invalid_iterations, config.checkpoint.keep) == (3, 7, 5)
    assert config_digest(run, config) == digest


def test_a_stored_value_that_can_never_work_is_mended(finished: Path, tmp_path: Path) -> None:
    run = copy(finished, tmp_path / "run")
    facts = json.loads((run / CONFIG).read_text())
    facts["config"]["validation"]["test_tasks"] = -1
    (run / CONFIG).write_text(json.dumps(facts))
    with pytest.raises(ConfigError, match=r"validation\.test_tasks' must be at least 1, got -1"):
        saved_config(run)
    config = saved_config(run, ["validation.test_tasks=2"])
    require_same(run, config)
    record_mends(run, config)
    assert saved_config(run).validation.test_tasks == 2


@pytest.mark.parametrize("override", ["run.seed=5", "optimiser.learning_rate=1e-2", "group.size=2"])
def test_what_changes_what_was_learnt_cannot_be_mended(finished: Path, override: str) -> None:
    with pytest.raises(ConfigError, match=f"keeps its own configuration, but for validation, .*; leave out {override}"):
        saved_config(finished, [override])


def test_a_file_with_other_values_is_refused_unless_they_may_be_mended(finished: Path) -> None:
    config = saved_config(finished)
    require_same(finished, replace(config, validation=replace(config.validation, every=1)))
    with pytest.raises(WrongRunError, match=r"has group\.size = 4, the configuration given says 8"):
        require_same(finished, replace(config, group=replace(config.group, size=8)))
    with pytest.raises(WrongRunError, match=r"iterations = 2, the configuration given says 1; a run can only be"):
        require_same(finished, replace(config, run=replace(config.run, iterations=1)))


def test_the_command_line_extends_a_run(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = copy(finished, tmp_path / "run")
    assert main(["train", "--run", str(run), "--resume", "run.iterations=3", "validation.test_tasks=2"]) == 0
    assert newest_iteration(run / "checkpoints") == 3
    assert "trained" in capsys.readouterr().out
