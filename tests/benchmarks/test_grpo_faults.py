import os

import pytest

from agentgym.sandbox.engine import EngineInfo, probe_engine
from agentgym.sandbox.pool import shared_pool
from benchmarks.grpo_faults import compare, largest_difference

pytestmark = [
    pytest.mark.skipif(not isinstance(probe_engine(), EngineInfo), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]


@pytest.mark.slow
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
