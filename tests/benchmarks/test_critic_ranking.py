"""What the comparison of critics comes to."""

from __future__ import annotations

from agentgym.config import Source
from agentgym_rl.run.config import config_from_tables
from benchmarks.credit.tables import Piece, run_tables
from benchmarks.critic_ranking import METHOD, READS, TASKS, _mean, settings


def test_the_figure_of_a_critic_is_the_mean_of_its_last_measures_over_seeds() -> None:
    rows = [
        {"task": "a", "reads": "both", "seed": 0, "curve": [[9, 0.0], [10, 0.5], [20, 0.6], [30, 0.7]]},
        {"task": "a", "reads": "both", "seed": 1, "curve": [[10, 0.8], [20, 0.8], [30, 0.8]]},
        {"task": "a", "reads": "history", "seed": 0, "curve": [[10, 0.1]]},
        {"task": "b", "reads": "both", "seed": 0, "curve": [[10, 0.1]]},
    ]
    assert _mean(rows, "a", "both") == 0.7


def test_critics_differ_in_what_they_read_alone_and_no_policy_follows_them() -> None:
    for task in TASKS:
        configs = [
            config_from_tables(run_tables(Piece(task, METHOD, 0, settings(reads, 13, 4))), Source()) for reads in READS
        ]
        assert [config.algorithm.critic.network.reads for config in configs] == list(READS)
        assert {config.algorithm.critic.warmup for config in configs} == {12}
        assert {config.run.iterations for config in configs} == {13}
