import os

import pytest

from agentgym.sandbox.engine import EngineInfo, probe_engine
from agentgym.sandbox.pool import shared_pool
from benchmarks.grpo_faults import Trained, compare, largest_difference

NAN = float("nan")


def trained(**curves):
    return Trained(curves, {}, 0, 0, 0.0)


@pytest.mark.parametrize(
    ("mine", "theirs", "difference"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [1.0, 1.5], 0.25),
        ([0.0, 0.0], [0.0, 0.0], 0.0),
        ([NAN, 2.0], [NAN, 2.0], 0.0),
        ([NAN, 2.0], [NAN, 1.0], 0.5),
        ([1.0, 2.0], [1.0, NAN], float("inf")),
        ([1.0, NAN], [1.0, 2.0], float("inf")),
        ([1.0, 2.0], [1.0], float("inf")),
    ],
)
def test_a_difference_in_any_iteration_is_found(mine, theirs, difference):
    assert largest_difference(trained(loss=mine), trained(loss=theirs)) == {"loss": difference}


def test_a_metric_of_one_training_alone_is_a_difference():
    assert largest_difference(trained(loss=[1.0]), trained(entropy=[1.0])) == dict.fromkeys(
        ("loss", "entropy"), float("inf")
    )


@pytest.mark.slow
@pytest.mark.skipif(not isinstance(probe_engine(), EngineInfo), reason="no container engine answers")
@pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root")
def test_killing_containers_changes_neither_episodes_nor_learning(tmp_path):
    pool = shared_pool("docker")
    lost = pool.stats().lost
    calm, fire = compare(iterations=2, demonstrations=200, kill_every_s=0.3, folder=tmp_path)
    assert calm.num_killed == calm.num_retried == 0
    assert fire.num_killed >= 6
    assert fire.num_retried >= 2
    assert pool.stats().lost - lost >= fire.num_retried
    assert len(calm.episodes) == 2 * 12 * 8
    assert fire.episodes == calm.episodes
    differences = largest_difference(calm, fire)
    for name in ("success/mean", "return/mean", "episode/turns", "advantage/std", "episodes"):
        assert differences[name] == 0
    assert max(differences.values()) < 1e-4  # batches of other sizes round otherwise
