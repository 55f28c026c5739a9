"""The file of results: a line an episode, whatever a client calls it, and a full disk stops nothing."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from agentgym.remote.server.results import Results


def test_a_name_with_half_a_character_is_written(tmp_path: Path) -> None:
    results = Results(str(tmp_path / "results.jsonl"))
    results.add({"episode_id": "\ud800", "task": "toy:7"})
    results.add({"episode_id": "é", "task": "toy:8"})
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["episode_id"] for line in lines] == ["\ud800", "é"]


def test_a_line_that_cannot_be_written_goes_to_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    results = Results(str(tmp_path / "results.jsonl"))
    (tmp_path / "results.jsonl").unlink()
    (tmp_path / "results.jsonl").mkdir()
    with caplog.at_level(logging.ERROR):
        results.add({"episode_id": "ep-1", "task": "toy:7"})
        results.add({"episode_id": "ep-2", "seed": object()})
    assert caplog.text.count("a line of results cannot be written") == 2
    assert "'ep-1'" in caplog.text
