"""The customer's role learns: alone, and together with the agent's."""

from __future__ import annotations

import pytest

from agentgym.config import Source
from agentgym.store import RunStore
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train


@pytest.mark.parametrize("learning", [["user"], ["agent", "user"]])
def test_an_iteration_trains_the_customer(tmp_path, learning):
    config = config_from_tables(
        {
            "run": {"suite": "tools/desk-shop-small", "iterations": 1},
            "roles": {"learning": learning},
            "warm_start": {"demonstrations": 4, "batch_episodes": 4},
            "group": {"size": 2, "tasks": 1},
            "rollout": {"sampling": {"max_tokens": 8}},
            "packing": {"row_length": 2048, "is_packed": False},
            "validation": {"every": 1, "tasks": 1, "has_final_test": False},
        },
        Source(),
    )
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        rows = store.episode_rows()
        assert {row.role for row in rows if row.purpose == "train"} == set(learning)
        demos = list(store.load([row for row in rows if row.purpose == "demo" and row.role == "user"]))
    assert all(record.weights["agenda"] > 0 for record in demos)
    assert [record.total_reward for record in demos if record.success]
