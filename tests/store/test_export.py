import json

import pytest

from agentgym.errors import StoreError
from agentgym.store import export_jsonl


def test_export_writes_a_line_an_episode(store, make_trajectory, tmp_path):
    for index in range(3):
        store.write_episode(make_trajectory(f"e{index}"), index)
    path = tmp_path / "episodes.jsonl"
    assert export_jsonl(store, path, with_tokens=True, iteration=1) == 1
    (line,) = path.read_text().splitlines()
    fields = json.loads(line)
    assert (fields["id"], fields["iteration"], fields["purpose"], fields["reward"]) == ("e1", 1, "train", 1.0)
    assert len(fields["turns"][0]["action_ids"]) == 12
    assert export_jsonl(store, path) == 3
    assert "action_ids" not in json.loads(path.read_text().splitlines()[0])["turns"][0]
    assert not list(tmp_path.glob("*.partial"))


def test_export_into_a_missing_folder_is_a_clear_error(store, tmp_path):
    with pytest.raises(StoreError, match="choose a folder"):
        export_jsonl(store, tmp_path / "none" / "x.jsonl")
