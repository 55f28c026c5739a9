"""Pools that a process shares are made once for each name, and anew after they were closed."""

import pytest

from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shared import SharedPools
from tests.leasing.kilns import Firing, KilnMaker, KilnStartError


def test_shared_pool_is_made_once_for_a_name_and_anew_after_close() -> None:
    shared = SharedPools(lambda name: Pool(KilnMaker(), PoolSettings(ready=0)))
    first = shared.get("gas")
    assert shared.get("gas") is first
    assert shared.get("wood") is not first
    shared.close()
    with pytest.raises(KilnStartError, match="closed"):
        first.lease(Firing())
    assert shared.get("gas") is not first
    shared.close()
