from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.config import tables_of
from agentgym.errors import CheckpointError, ConfigError, StoreError, WrongRunError
from agentgym.store import RunStore
from agentgym_rl.run.config import load_config
from agentgym_rl.run.run_folder import digest_of, open_run, remove_run, versions
from agentgym_rl.run.saved import CONFIG, require_same, saved_config
from tests.trainers.rl.needs import OF_GROUPS
from tests.trainers.rl.toys import toy_config


def begin(folder: Path, **tables) -> None:
    open_run(folder, toy_config("bandit", **tables), resume=False, overwrite=False).close()


@pytest.mark.parametrize("preset", OF_GROUPS)
def test_a_saved_configuration_is_read_back_as_it_was(tmp_path: Path, preset: str) -> None:
    limit = {"max_episode_tokens": 4} if preset == "dr_grpo" else {}
    tables: dict[str, Any] = {"algorithm": {"preset": preset, **limit}, "rollout": {"step_timeout_s": 2.5}}
    if preset == "step_agent_inverse":
        tables["warm_start"] = {"demonstrations": 4}
    begin(tmp_path / "run", **tables)
    assert saved_config(tmp_path / "run") == toy_config("bandit", **tables)


def test_a_folder_with_a_run_is_not_taken_by_accident(tmp_path: Path) -> None:
    begin(tmp_path / "run")
    with pytest.raises(ConfigError, match="holds a run; go on with --resume, start anew with --overwrite"):
        begin(tmp_path / "run")


def test_overwriting_removes_what_a_run_wrote_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    begin(folder)
    for name in ("checkpoints", "models", "tensorboard"):
        (folder / name).mkdir()
        (folder / name / "old").write_text("old")
    (folder / "notes.txt").write_text("mine")
    open_run(folder, toy_config("bandit"), resume=False, overwrite=True).close()
    assert (folder / "notes.txt").read_text() == "mine"
    assert not list(folder.rglob("old"))
    remove_run(folder)
    assert {path.name for path in folder.iterdir()} <= {"notes.txt", "run.lock"}


@pytest.mark.parametrize("is_overwrite", [False, True])
@pytest.mark.parametrize("name", ["config.json", "models/weights", "run.db", "notes.txt"])
def test_a_folder_of_something_else_is_neither_written_nor_removed(
    tmp_path: Path, name: str, is_overwrite: bool
) -> None:
    mine = tmp_path / "project" / name
    mine.parent.mkdir(parents=True)
    mine.write_text('{"model_type": "llama"}')
    with pytest.raises(ConfigError, match=f"holds {name.partition('/')[0]}, which no training run wrote"):
        open_run(tmp_path / "project", toy_config("bandit"), resume=False, overwrite=is_overwrite)
    assert mine.read_text() == '{"model_type": "llama"}'
    assert [path for path in (tmp_path / "project").rglob("*") if path.is_file()] == [mine]


def test_overwriting_a_run_whose_configuration_is_damaged_removes_it(tmp_path: Path) -> None:
    begin(tmp_path / "run")
    (tmp_path / "run" / CONFIG).write_text("{")
    open_run(tmp_path / "run", toy_config("bandit"), resume=False, overwrite=True).close()
    assert saved_config(tmp_path / "run") == toy_config("bandit")


def test_a_run_that_is_being_written_is_not_removed(tmp_path: Path) -> None:
    store = open_run(tmp_path / "run", toy_config("bandit"), resume=False, overwrite=False)
    with pytest.raises(StoreError, match="being written by process"):
        open_run(tmp_path / "run", toy_config("bandit"), resume=False, overwrite=True)
    assert store.meta["kind"] == "train"
    assert (tmp_path / "run" / CONFIG).exists()
    store.close()


def test_resuming_needs_a_run_and_its_own_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run to resume"):
        open_run(tmp_path / "run", toy_config("bandit"), resume=True, overwrite=False)
    begin(tmp_path / "run")
    other = toy_config("bandit", run={"seed": 3})
    with pytest.raises(WrongRunError, match=r"has run\.seed = 0, the configuration given says 3"):
        open_run(tmp_path / "run", other, resume=True, overwrite=False)
    with open_run(tmp_path / "run", toy_config("bandit"), resume=True, overwrite=False) as store:
        assert store.meta["suite"] == "toys/bandit"


def test_a_run_of_another_kind_is_not_resumed(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", {"kind": "eval"}).close()
    with pytest.raises(ConfigError, match=r"config\.json is missing"):
        open_run(tmp_path / "run", toy_config("bandit"), resume=True, overwrite=False)


def test_a_folder_of_evaluations_does_not_become_half_a_run(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", {"kind": "evaluation"}).close()
    with pytest.raises(ConfigError, match="which no training run wrote"):
        begin(tmp_path / "run")
    assert not (tmp_path / "run" / CONFIG).exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(ConfigError, match=r"README\.md is a file; a run needs a folder of its own"):
        begin(tmp_path / "README.md")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match=r"cannot write the run folder .*file"):
        begin(tmp_path / "file" / "run")


@pytest.mark.parametrize("text", ["", "{", "{}", '{"config": {"rum": {}}}'])
def test_a_damaged_configuration_is_an_error_of_ours(tmp_path: Path, text: str) -> None:
    begin(tmp_path / "run")
    (tmp_path / "run" / CONFIG).write_text(text)
    with pytest.raises(ConfigError):
        saved_config(tmp_path / "run")
    with pytest.raises((ConfigError, CheckpointError)):
        require_same(tmp_path / "run", toy_config("bandit"))


def test_facts_beside_the_configuration(tmp_path: Path) -> None:
    begin(tmp_path / "run")
    facts = json.loads((tmp_path / "run" / CONFIG).read_text())
    assert facts["versions"] == versions()
    assert {"python", "torch", "transformers"} <= facts["versions"].keys()
    assert load_config(None, ["run.suite=a/b", "run.iterations=1"]).run.suite == "a/b"


def test_the_digest_depends_on_every_option() -> None:
    first = digest_of(tables_of(toy_config("bandit")))
    assert first == digest_of(tables_of(toy_config("bandit")))
    assert first != digest_of(tables_of(toy_config("bandit", optimiser={"weight_decay": 0.1})))
