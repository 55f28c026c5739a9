import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from benchmarks.remote import served, step_times
    from benchmarks.remote_sides import SIDES, make_env

from agentgym.remote import RemoteEnv
from benchmarks.remote_load import load


@pytest.mark.parametrize("side", SIDES)
def test_every_side_serves_the_same_game_to_the_same_load(side, tmp_path):
    where = str(tmp_path / "socket")
    with served(side, where) as pid:
        found = load(where, 4, 0.2, pid)
        env = RemoteEnv(f"unix:{where}")
        assert env.reset(seed=3)[0]["text"] == make_env().reset(seed=3)[0]["text"]
        assert (env.is_ours, env.step("50")[0]["text"] in ("higher", "lower")) == (side == "ours", True)
        env.close()
    assert found["steps_per_s"] > 50
    assert 0 < found["p50_ms"] <= found["p99_ms"] <= found["max_ms"]
    assert "kb_per_session" in found


def test_steps_are_timed_in_order():
    taken = step_times(make_env(), 50)
    assert len(taken) == 50
    assert taken == sorted(taken)
