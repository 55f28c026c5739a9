import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from agentgym.errors import MissingExtraError, StoreError, UnknownNameError
from agentgym.evaluation import Player, RecordingSettings, record
from agentgym.store import RunStore
from agentgym.store.parquet import export_dataset

LOAD = """
import json, sys, datasets
loaded = datasets.load_dataset(sys.argv[1])
print(json.dumps({name: list(split) for name, split in loaded.items()}))
"""


@pytest.fixture
def loaded_run(tmp_path):
    mix = [Player("demo"), Player("oracle")]
    record(mix, "tools/lookup", tmp_path / "run", settings=RecordingSettings(8))
    with RunStore.open(tmp_path / "run") as store:
        held_out = tmp_path / "held_out"
        record(mix, "tools/lookup", held_out, "test", RecordingSettings(4, is_held_out_allowed=True))
        with RunStore.open(held_out, read_only=True) as other:
            for number, each in enumerate(other.episodes()):
                each.id = f"test-{number}/agent"
                store.write_episode(each, None, "test")
        yield store


def datasets_rows(folder: Path):
    environment = {**os.environ, "HF_HOME": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_export_is_what_datasets_loads(loaded_run, tmp_path):
    counts = export_dataset(loaded_run, tmp_path / "dataset")
    assert counts == {"train": 8, "test": 4}
    splits = datasets_rows(tmp_path / "dataset")
    assert {name: len(rows) for name, rows in splits.items()} == counts
    stored = {each.id: each for each in loaded_run.episodes()}
    for row in splits["train"]:
        each = stored[row["episode"]]
        assert (row["task"], row["policy"], row["seed"]) == (each.task_id, each.policy, each.seed)
        assert (row["return"], row["score"], row["outcome"]) == (each.total_reward, each.score, str(each.outcome))
        assert row["rewards"] == each.step_rewards().tolist()
        assert row["actions"] == [turn.text for turn in each.turns]
        assert [message["role"] for message in row["messages"]] == [m["role"] for m in each.transcript()]
        values = [part["value"] * part["weight"] for turn in row["components"] for part in turn]
        assert sum(values) == pytest.approx(row["return"])
    calls = [call for row in splits["train"] for message in row["messages"] for call in message["tool_calls"] or ()]
    assert calls
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)


def test_export_repeats_byte_for_byte_and_is_replaced_on_demand(loaded_run, tmp_path):
    export_dataset(loaded_run, tmp_path / "one")
    export_dataset(loaded_run, tmp_path / "two")
    name = "data/train-00000-of-00001.parquet"
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with pytest.raises(StoreError, match="already"):
        export_dataset(loaded_run, tmp_path / "one")
    export_dataset(loaded_run, tmp_path / "one", policies=["oracle"], overwrite=True)
    assert (tmp_path / "one" / name).read_bytes() != (tmp_path / "two" / name).read_bytes()


def test_half_of_a_surrogate_pair_is_a_replacement_character(loaded_run, tmp_path):
    [first, *_] = loaded_run.episodes()
    first.id = "broken/agent"
    first.turns[0].text = "say \ud83d"
    first.turns[0].reply = {"role": "assistant", "content": "say \ud83d"}
    loaded_run.write_episode(first, None, "demo")
    export_dataset(loaded_run, tmp_path / "dataset")
    rows = pyarrow.parquet.read_table(tmp_path / "dataset/data/train-00000-of-00001.parquet").to_pylist()
    [row] = [row for row in rows if row["episode"] == "broken/agent"]
    assert row["actions"][0] == "say \ufffd"
    assert "say \ufffd" in [message["content"] for message in row["messages"]]


def test_export_that_fails_leaves_the_earlier_one(loaded_run, tmp_path, monkeypatch):
    folder = tmp_path / "dataset"
    export_dataset(loaded_run, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    monkeypatch.setattr("agentgym.store.parquet._message", lambda message: {"content": 5})
    with pytest.raises(pyarrow.ArrowException):
        export_dataset(loaded_run, folder, overwrite=True)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_export_of_an_unknown_policy_names_those_that_there_are(loaded_run, tmp_path):
    with pytest.raises(UnknownNameError, match=r"unknown policy 'null'.*\n.*demo, oracle"):
        export_dataset(loaded_run, tmp_path / "dataset", policies=["null"])


def test_export_without_pyarrow_names_the_command(loaded_run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'agentgymnasium\[data\]'"):
        export_dataset(loaded_run, tmp_path / "dataset")
