"""A run's patches as predictions: what is refused, and what is said instead."""

import dataclasses

import pytest

from agentgym.cli.main import main
from agentgym.errors import ConfigError, WrongRunError
from agentgym.reward import RewardEvent
from agentgym.store.parquet import export_dataset
from agentgym.store.predictions import export_predictions
from agentgym.store.screenshots import export_screenshots

PATCHED = RewardEvent(0, 0, "agent", "success", 1.0, "verifier", {"instance_id": "own:0", "model_patch": "--- a"})


@pytest.fixture
def add(store, make_trajectory):
    """Adds an episode, with a patch where events are given."""

    def add(name, **fields):
        store.write_episode(dataclasses.replace(make_trajectory(name), **fields), None, "test")

    return add


def test_of_an_attempt_without_a_patch_the_attempts_with_one_are_named(store, add, tmp_path):
    add("e0", events=[PATCHED])
    add("e2", events=[PATCHED], attempt=2)
    with pytest.raises(WrongRunError, match="no patch of attempt 3; it holds patches of attempt 0, 2: choose one with"):
        export_predictions(store, tmp_path / "p.jsonl", attempt=3)
    assert export_predictions(store, tmp_path / "p.jsonl", attempt=2) == (1, 0, 0)


def test_a_run_without_patches_says_so_before_it_asks_for_a_policy(store, add, tmp_path):
    add("e0")
    add("e1", policy="other")
    with pytest.raises(WrongRunError, match="holds no patch in these episodes; patches come from environments"):
        export_predictions(store, tmp_path / "p.jsonl")
    add("e2", events=[PATCHED])
    with pytest.raises(WrongRunError, match="is of one policy: name it with --policy"):
        export_predictions(store, tmp_path / "p.jsonl")


def test_a_folder_is_refused_where_a_file_is_written_and_a_file_where_a_folder_is(store, add, tmp_path, capsys):
    add("e0", events=[PATCHED])
    with pytest.raises(ConfigError, match=r"is a folder; predictions are written to a file, such as"):
        export_predictions(store, tmp_path)
    file = tmp_path / "p.jsonl"
    file.write_text("")
    for export in (export_dataset, export_screenshots):
        with pytest.raises(ConfigError, match=r"is a file; a .* is written to a folder"):
            export(store, file)
    store.close()
    for to, form in ((tmp_path, "predictions"), (file, "dataset"), (file, "screenshots")):
        assert main(["export", str(tmp_path / "run"), "--form", form, "--to", str(to), "--overwrite"]) == 2
        assert "is a f" in capsys.readouterr().err
