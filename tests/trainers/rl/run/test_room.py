"""Rows that are too short are noticed before a run collects anything, or at the first demonstration that is longer."""

from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from agentgym_rl.run.room import require_room
from agentgym_rl.run.setup import groundwork

SMALL = ["run.suite=tools/lookup", "run.iterations=1", "validation.has_final_test=false", "group.tasks=1"]
CLONED = ["warm_start.demonstrations=40", "packing.micro_batch_tokens=512"]


def test_short_rows_are_refused_before_the_demonstrations(tmp_path: Path) -> None:
    config = load_config(None, [*SMALL, *CLONED, "packing.row_length=60"])
    with pytest.raises(ConfigError, match=r"demonstration of task 'tools/lookup:train-\d+' has \d+ tokens, a row 60;"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_first_demonstration_that_is_too_long_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_rl.run.room._NUM_DEMONSTRATIONS", 0)  # none of those that are looked at is too long
    kept: list[str] = []
    monkeypatch.setattr(
        "agentgym_rl.run.job.TrainingJob._keep_demonstration",
        lambda self, records: kept.extend(record.id for record in records),
    )
    config = load_config(None, [*SMALL, *CLONED, "packing.row_length=60", "rollout.sampling.max_tokens=16"])
    with pytest.raises(ConfigError, match=r"a row 60; raise packing\.row_length"):
        train(config, tmp_path / "run")
    assert len(kept) < 40


def test_rows_without_room_for_a_first_message_are_refused() -> None:
    overrides = [*SMALL, "packing.row_length=200", "rollout.sampling.max_tokens=190"]
    with pytest.raises(ConfigError, match=r"have \d+ to \d+ tokens, and with a message .* = 190 none fits into 200"):
        require_room(groundwork(load_config(None, overrides)))


def test_rows_with_room_are_taken() -> None:
    require_room(groundwork(load_config(None, [*SMALL, *CLONED, "packing.row_length=400"])))
