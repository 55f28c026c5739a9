from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.archer_step_gpu import run
from benchmarks.grpo_step_gpu import Load, save_model


@pytest.mark.parametrize("name", ["archer", "archer_in_sample"])
def test_a_tiny_model_in_bfloat16_runs_the_same_way(name: str, tmp_path: Path) -> None:
    save_model(tmp_path / "model", is_tiny=True)
    found = run(tmp_path, Load(tasks=1, group_size=2, message_tokens=4, iterations=1), name)
    assert found["iteration_s"]["median"] > found["learn_s"]["median"] > 0
