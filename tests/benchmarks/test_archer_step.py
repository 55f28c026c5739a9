from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.archer_step import Load, algorithms, config_of, run
from benchmarks.grpo_step_gpu import save_model


def test_every_update_draws_as_many_episodes_as_were_collected() -> None:
    load = Load("model", tasks=3, group_size=4)
    found = {name: config_of(load, tables).algorithm for name, tables in algorithms(load).items()}
    assert found["grpo"].learner == "groups"
    for name, batch in (("archer", 12), ("archer_replay", 12), ("archer_quarters", 3), ("archer_in_sample", 12)):
        algorithm = found[name]
        assert (algorithm.critic.updates, algorithm.actor.updates, algorithm.critic.warmup) == (4, 1, 0)
        assert (algorithm.critic.batch, algorithm.actor.batch, algorithm.replay.unit) == (batch, 12, "episode")
        assert (algorithm.replay.max_age == 0) == (name == "archer"), "both sides learn from the same turns"


@pytest.mark.parametrize("name", ["grpo", "archer"])
def test_a_side_runs_and_reports_its_iterations(name: str, tmp_path: Path) -> None:
    save_model(tmp_path / "model", is_tiny=True)
    [row] = run(Load(str(tmp_path / "model"), tasks=1, group_size=2, iterations=1), name)
    assert row["iteration_s"] >= row["learn_s"] > 0
    assert row["turns"] >= 2
